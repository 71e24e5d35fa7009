package daemon

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// columns holds the columns of shards that loops follow at random: as a
// whole, in kernel memory, in their stored kind. The least recently used go
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

// resident is a column that is there or on its way.
type resident struct {
	place place
	ready chan struct{}
	err   error

	kind  num.Kind
	width int64
	rows  int64
	span  mem.Span
	table data.Source // the column alone, in kernel memory
	// least and most are the extremes of an integer column.
	least, most int64

	users int   // guarded by columns.mu, as is
	used  int64 // when it was last acquired
}

func newColumns(eng *engine.Engine) *columns {
	return &columns{eng: eng, spare: make(chan *area, 64), held: map[place]*resident{}}
}

// acquire gives a column until release.
func (c *columns) acquire(ctx context.Context, src data.Source, p place) (*resident, error) {
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
		r.err = c.load(context.WithoutCancel(ctx), src, r)
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

// release gives a column back. One that could not be loaded is forgotten with
// its last user, so that the next one tries again.
func (c *columns) release(r *resident) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.users--
	if r.users == 0 && r.err != nil {
		c.drop(r)
	}
}

// drop frees a column that nobody uses.
func (c *columns) drop(r *resident) {
	if c.held[r.place] == r {
		delete(c.held, r.place)
	}
	if r.span.Len > 0 {
		c.eng.Arena().Free(r.span)
	}
	r.span = mem.Span{}
}

// evict frees the least recently used column; false if all are in use.
func (c *columns) evict() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var oldest *resident
	for _, r := range c.held {
		if r.users == 0 && (oldest == nil || r.used < oldest.used) {
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
		n += r.span.Len
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

// alloc makes room, at the cost of other columns if need be.
func (c *columns) alloc(n int64) (mem.Span, error) {
	for {
		s, err := c.eng.Arena().Alloc(n)
		full := (*mem.FullError)(nil)
		if err == nil || !errors.As(err, &full) {
			return s, err
		}
		if !c.evict() {
			return s, &node.WorkError{Reason: parcel.Refused, Detail: fmt.Sprintf("no room for %d bytes: of %d all that is taken is in use; use more shards, or nodes with more memory", n, full.Size)}
		}
	}
}

func (c *columns) load(ctx context.Context, src data.Source, r *resident) error {
	cols := src.Columns()
	if r.place.column < 0 || r.place.column >= len(cols) {
		return &node.WorkError{Reason: parcel.Refused, Detail: fmt.Sprintf("column %d of set %d was asked for, it has %d", r.place.column, r.place.set, len(cols))}
	}
	col := cols[r.place.column]
	r.kind, r.width, r.rows = col.Kind, col.Width(), src.Rows()
	want := data.Want{Column: r.place.column, Kind: col.Kind}
	if err := data.Check(src, []data.Want{want}); err != nil {
		return err
	}
	n := r.rows * r.width * int64(col.Kind.Size())
	if n > 0 {
		s, err := c.alloc(n)
		if err != nil {
			return err
		}
		r.span = s
	}
	if err := c.fill(ctx, src, r, want); err != nil {
		return err
	}
	r.measure(c.eng)
	all := c.eng.Arena().Bytes(r.span.Off, n)
	r.table = data.FromBytes(src.Path(), []data.Column{col}, r.rows, [][]byte{all}, nil)
	return nil
}

func (c *columns) fill(ctx context.Context, src data.Source, r *resident, want data.Want) error {
	return copyRows(ctx, src, want, c.eng.Arena().Bytes(r.span.Off, r.rows*r.width*int64(r.kind.Size())))
}

// copyRows copies all rows of a column, in the kind wanted, which is its own.
func copyRows(ctx context.Context, src data.Source, want data.Want, dst []byte) error {
	if raw, ok := src.Raw(want.Column); ok {
		_, err := raw.ReadAt(dst, 0)
		return err
	}
	row := src.Columns()[want.Column].Width() * int64(want.Kind.Size())
	for i, ch := range src.Chunks() {
		if _, err := src.Fill(ctx, i, []data.Want{want}, []data.Dest{{Values: dst[ch.Lo*row : ch.Hi*row]}}); err != nil {
			return err
		}
	}
	return nil
}

// measure finds the extremes of an integer column, once, so that any bound can
// be checked quickly.
func (r *resident) measure(eng *engine.Engine) {
	if !r.kind.IsInt() {
		return
	}
	n := r.rows * r.width
	b := eng.Arena().Bytes(r.span.Off, n*int64(r.kind.Size()))
	r.least, r.most = math.MaxInt64, math.MinInt64
	for i := range n {
		x := int64(column.Get(r.kind, b, i))
		if r.kind == num.U64 && x < 0 {
			x = math.MaxInt64
		}
		r.least, r.most = min(r.least, x), max(r.most, x)
	}
}

// within reports that all elements e satisfy 0 ≤ e < bound.
func (r *resident) within(bound int64) bool {
	return r.rows*r.width == 0 || r.least >= 0 && r.most < bound
}
