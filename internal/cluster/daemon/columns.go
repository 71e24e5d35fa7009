package daemon

import (
	"context"
	"errors"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
)

// columns holds the columns of shards that loops follow at random: as a
// whole, in kernel memory or, what is longer, outside of it, in their stored kind. The least recently used go
// when there is no room.
type columns struct {
	eng   *engine.Engine
	spare chan *area

	mu    sync.Mutex
	held  map[place]*resident
	clock int64 // counts uses
}

// place names a column of a shard.
type place struct {
	set           uint32
	shard, column int
}

func newColumns(eng *engine.Engine) *columns {
	return &columns{eng: eng, spare: make(chan *area, 64), held: map[place]*resident{}}
}

// acquire gives a column until release. A long one that is not there yet is kept outside of kernel memory if native says
// that native code alone will read it.
func (c *columns) acquire(ctx context.Context, src data.Source, p place, native bool) (*resident, error) {
	c.mu.Lock()
	r, ok := c.held[p]
	if !ok {
		r = &resident{place: p, ready: make(chan struct{})}
		c.held[p] = r
	}
	c.clock++
	r.users, r.used = r.users+1, c.clock
	c.mu.Unlock()
	if !ok {
		r.err = c.load(context.WithoutCancel(ctx), src, r, native)
		close(r.ready)
	}
	select {
	case <-r.ready:
	case <-ctx.Done():
		c.release(r)
		return nil, context.Cause(ctx)
	}
	if r.err != nil {
		c.release(r)
		return nil, r.err
	}
	return r, nil
}

// again takes columns into use that were in use before; false if one of them was dropped meanwhile.
func (c *columns) again(held []*resident) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range held {
		if r.dropped {
			return false
		}
	}
	c.clock++
	for _, r := range held {
		r.users, r.used = r.users+1, c.clock
	}
	return true
}

// release gives a column back. One that could not be loaded, or that somebody writes to, is forgotten with
// its last user, so that the next one tries again.
func (c *columns) release(r *resident) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.users--
	if r.users == 0 && (r.err != nil || c.held[r.place] != r) {
		c.drop(r)
	}
}

// drop frees a column that nobody uses.
func (c *columns) drop(r *resident) {
	if c.held[r.place] == r {
		delete(c.held, r.place)
	}
	r.dropped = true
	r.free(c.eng)
}

// evict frees the least recently used column of those that are such; false if all are in use.
func (c *columns) evict(such func(*resident) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var oldest *resident
	for _, r := range c.held {
		if r.users == 0 && such(r) && (oldest == nil || r.used < oldest.used) {
			oldest = r
		}
	}
	if oldest == nil {
		return false
	}
	c.drop(oldest)
	return true
}

// retain drops the columns of sets that are no more.
func (c *columns) retain(v *catalog.View) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, r := range c.held {
		if _, ok := v.Set(p.set); !ok && r.users == 0 {
			c.drop(r)
		}
	}
}

// has reports that a column is there.
func (c *columns) has(p place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.held[p]
	if !ok {
		return false
	}
	select {
	case <-r.ready:
		return true
	default:
		return false
	}
}

// bytes is the memory held.
func (c *columns) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int64(0)
	for _, r := range c.held {
		n += r.span.Len + int64(len(r.pages))
	}
	return n
}

func (c *columns) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.held {
		c.drop(r)
	}
}

// alloc makes room in kernel memory, at the cost of other columns if need be. It fails with a *mem.FullError
// if all that is taken is in use, or n is more than there ever is.
func (c *columns) alloc(n int64) (mem.Span, error) {
	for {
		s, err := c.eng.Arena().Alloc(n)
		full := (*mem.FullError)(nil)
		if err == nil || !errors.As(err, &full) || n > full.Size || !c.evict((*resident).inside) {
			return s, err
		}
	}
}
