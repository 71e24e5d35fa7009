package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/packages/worker"
)

// regions holds the memory that packages are granted. What packages made themselves counts to
// the owner whose call was the first to ask for it, and stays until nobody has used it for idle,
// or the same owner needs room. Copies of data make room for other things when nobody uses them.
type regions struct {
	limit int64
	part  int64         // of what packages made for one owner
	idle  time.Duration // after which unused memory goes

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
	owner string // of memory that a package made
	set   uint32 // whose rows it has; 0 for memory that a package made
	size  int64
	ready chan struct{}
	err   error
	mem   *worker.Region

	users int
	last  int64
	timer *time.Timer // of memory that nobody uses
}

// Shares of --region-bytes, and how long memory lasts that nobody uses.
const (
	regionParts = 4
	regionIdle  = time.Hour
)

func newRegions(limit int64) *regions {
	return &regions{limit: limit, part: limit / regionParts, idle: regionIdle, held: map[string]*region{}}
}

// acquire gives the region of a key until release, of n bytes when it is not there
// yet. Then fill, if it is not nil, gets its zero bytes.
func (r *regions) acquire(ctx context.Context, key string, set uint32, n int64, fill func(context.Context, []byte) error) (*region, error) {
	return r.get(ctx, &region{key: key, set: set, size: n}, fill)
}

// get gives the region like one that is wanted.
func (r *regions) get(ctx context.Context, want *region, fill func(context.Context, []byte) error) (*region, error) {
	r.mu.Lock()
	g, there := r.held[want.key]
	if !there {
		if err := r.room(want); err != nil {
			r.mu.Unlock()
			return nil, err
		}
		g = want
		g.ready = make(chan struct{})
		r.held[g.key] = g
		r.used += g.size
	}
	r.clock++
	g.users, g.last = g.users+1, r.clock
	if g.timer != nil {
		g.timer.Stop()
	}
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

// room drops what nobody uses, the least recently used first, until a region fits: memory of
// the same owner while that has too much, then copies of data, then memory of that owner again.
func (r *regions) room(want *region) error {
	own := func(g *region) bool { return want.set == 0 && g.set == 0 && g.owner == want.owner }
	for want.set == 0 && r.of(own)+want.size > r.part {
		if !r.evict(own) {
			return refused("no room for a region of %d bytes: packages have %d of %d that one certificate may have of them on this node; ask for less, or start the node with a larger --region-bytes", want.size, r.of(own), r.part)
		}
	}
	for r.used+want.size > r.limit {
		if !r.evict(func(g *region) bool { return g.set != 0 }) && !r.evict(own) {
			return refused("no room for a region of %d bytes: %d of %d are taken; ask for less, or start the node with a larger --region-bytes", want.size, r.used, r.limit)
		}
	}
	return nil
}

// of is how many bytes some regions have.
func (r *regions) of(some func(*region) bool) (n int64) {
	for _, g := range r.held {
		if some(g) {
			n += g.size
		}
	}
	return n
}

// evict drops the least recently used one of some regions that nobody uses, if there is one.
func (r *regions) evict(some func(*region) bool) bool {
	var oldest *region
	for _, g := range r.held {
		if some(g) && g.users == 0 && (oldest == nil || g.last < oldest.last) {
			oldest = g
		}
	}
	if oldest != nil {
		r.drop(oldest)
	}
	return oldest != nil
}

// release gives a region back. One that could not be made is forgotten with its last
// user, so that the next one tries again.
func (r *regions) release(g *region) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g.users--; g.users > 0 {
		return
	}
	switch {
	case g.err != nil:
		r.drop(g)
	case g.set == 0 && g.timer == nil:
		g.timer = time.AfterFunc(r.idle, func() { r.expire(g) })
	case g.set == 0:
		g.timer.Reset(r.idle)
	}
}

// expire drops memory that nobody has used for long.
func (r *regions) expire(g *region) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g.users == 0 && r.held[g.key] == g {
		r.drop(g)
	}
}

func (r *regions) drop(g *region) {
	delete(r.held, g.key)
	if g.timer != nil {
		g.timer.Stop()
	}
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

// memory gives a package the memory that it asks for by name, on an owner's account. Each signer
// has names of its own.
func (r *regions) memory(ctx context.Context, owner, signer, name string, n int64) (*region, error) {
	g, err := r.get(ctx, &region{key: "memory/" + signer + "/" + name, owner: owner, size: n}, nil)
	if err == nil && g.size < n {
		r.release(g)
		return nil, refused("the region `%s` has %d bytes on this node, %d were asked for; the first that asks for it says its size", name, g.size, n)
	}
	if err != nil {
		return nil, fmt.Errorf("region `%s`: %w", name, err)
	}
	return g, nil
}
