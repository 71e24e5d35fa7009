package daemon

import (
	"context"
	"fmt"
	"sync"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/worker"
)

// regions holds the memory that packages are granted. What packages made themselves
// stays until the node ends; copies of data make room for other things when nobody
// uses them.
type regions struct {
	limit int64

	mu      sync.Mutex
	held    map[string]*region
	used    int64 // bytes of all
	clock   int64 // counts uses
	closing sync.WaitGroup
}

// region is memory that is there or on its way. What follows users is guarded by
// regions.mu.
type region struct {
	key   string
	set   uint32 // whose rows it has; 0 for memory that a package made
	size  int64
	ready chan struct{}
	err   error
	mem   *worker.Region

	users int
	last  int64
}

func newRegions(limit int64) *regions { return &regions{limit: limit, held: map[string]*region{}} }

// acquire gives the region of a key until release, of n bytes when it is not there
// yet. Then fill, if it is not nil, gets its zero bytes.
func (r *regions) acquire(ctx context.Context, key string, set uint32, n int64, fill func(context.Context, []byte) error) (*region, error) {
	r.mu.Lock()
	g, there := r.held[key]
	if !there {
		if err := r.room(n); err != nil {
			r.mu.Unlock()
			return nil, err
		}
		g = &region{key: key, set: set, size: n, ready: make(chan struct{})}
		r.held[key] = g
		r.used += n
	}
	r.clock++
	g.users, g.last = g.users+1, r.clock
	r.mu.Unlock()
	if !there {
		g.make(context.WithoutCancel(ctx), fill)
	}
	select {
	case <-g.ready:
	case <-ctx.Done():
		r.release(g)
		return nil, context.Cause(ctx)
	}
	if g.err != nil {
		r.release(g)
		return nil, g.err
	}
	return g, nil
}

func (g *region) make(ctx context.Context, fill func(context.Context, []byte) error) {
	defer close(g.ready)
	if g.mem, g.err = worker.NewRegion(g.size); g.err == nil && fill != nil {
		g.err = fill(ctx, g.mem.Bytes())
	}
}

// room evicts copies of data, the least recently used first, until n bytes fit.
func (r *regions) room(n int64) error {
	for r.used+n > r.limit {
		var oldest *region
		for _, g := range r.held {
			if g.set != 0 && g.users == 0 && (oldest == nil || g.last < oldest.last) {
				oldest = g
			}
		}
		if oldest == nil {
			return refused("no room for a region of %d bytes: %d of %d are taken; ask for less, or start the node with a larger --region-bytes", n, r.used, r.limit)
		}
		r.drop(oldest)
	}
	return nil
}

// release gives a region back. One that could not be made is forgotten with its last
// user, so that the next one tries again.
func (r *regions) release(g *region) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g.users--; g.users == 0 && g.err != nil {
		r.drop(g)
	}
}

func (r *regions) drop(g *region) {
	delete(r.held, g.key)
	r.used -= g.size
	if g.mem != nil {
		r.closing.Go(func() { _ = g.mem.Close() }) // waits for calls that use it
	}
}

// retain drops the rows of sets that are no more.
func (r *regions) retain(v *catalog.View) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.held {
		if _, ok := v.Set(g.set); g.set != 0 && !ok && g.users == 0 {
			r.drop(g)
		}
	}
}

// bytes is the memory held.
func (r *regions) bytes() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// close drops all regions. No call may be under way.
func (r *regions) close() {
	r.mu.Lock()
	for _, g := range r.held {
		r.drop(g)
	}
	r.mu.Unlock()
	r.closing.Wait()
}

// memory gives a package the memory that it asks for by name. Each signer has names of
// its own.
func (r *regions) memory(ctx context.Context, signer, name string, n int64) (*region, error) {
	g, err := r.acquire(ctx, "memory/"+signer+"/"+name, 0, n, nil)
	if err == nil && g.size < n {
		r.release(g)
		return nil, refused("the region `%s` has %d bytes on this node, %d were asked for; the first that asks for it says its size", name, g.size, n)
	}
	if err != nil {
		return nil, fmt.Errorf("region `%s`: %w", name, err)
	}
	return g, nil
}
