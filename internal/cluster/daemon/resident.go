package daemon

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a column of a shard, of any length. Out: its elements in memory, in their stored kind, with their extremes. They are
// in kernel memory if there is room, so that all engines reach them. Otherwise native code does, or the stepper: a stored column is
// mapped, so that a node holds more than it has memory, and one that must be decoded takes memory of its own.
// Invariant: what is mapped was compared with its checksums, and a lease tells if somebody writes to it.

// resident is a column that is there or on its way.
type resident struct {
	place place
	ready chan struct{}
	err   error

	kind  num.Kind
	width int64
	rows  int64
	all   []byte // the elements
	base  int64  // where they begin, for engine.Args.Bases
	table data.Source

	span  mem.Span   // in kernel memory; nothing if the column lies outside
	pages []byte     // outside of it, for Unmap
	lease *mem.Lease // on the file that pages map
	// least and most are the extremes of an integer column.
	least, most int64

	users   int   // guarded by columns.mu, as are
	used    int64 // when it was last acquired
	dropped bool  // nobody acquires it any more
}

// inside reports that the column takes kernel memory, outside that WebAssembly does not reach it, copied that it takes
// memory of its own.
func (r *resident) inside() bool  { return r.span.Len > 0 }
func (r *resident) outside() bool { return r.pages != nil }
func (r *resident) copied() bool  { return r.pages != nil && r.lease == nil }

// changed is an error if somebody has written to the column's file since it was compared, or wants to.
func (r *resident) changed() error {
	if r.lease == nil || r.lease.Held() {
		return nil
	}
	return &data.ChangedError{Path: r.lease.Path()}
}

func (r *resident) free(eng *engine.Engine) {
	if r.span.Len > 0 {
		eng.Arena().Free(r.span)
	}
	if r.pages != nil {
		_ = mem.Unmap(r.pages) // it was mapped as it is
	}
	if r.lease != nil {
		r.lease.Close()
	}
	r.span, r.pages, r.lease, r.all, r.table = mem.Span{}, nil, nil, nil, nil
}

func (c *columns) load(ctx context.Context, src data.Source, r *resident, native bool) error {
	cols := src.Columns()
	if r.place.column < 0 || r.place.column >= len(cols) {
		return refused("column %d of set %d was asked for, it has %d", r.place.column, r.place.set, len(cols))
	}
	col := cols[r.place.column]
	r.kind, r.width, r.rows = col.Kind, col.Width(), src.Rows()
	want := data.Want{Column: r.place.column, Kind: col.Kind}
	if err := data.Check(src, []data.Want{want}); err != nil {
		return err
	}
	if err := c.bring(ctx, src, want, r, native); err != nil {
		r.free(c.eng)
		return err
	}
	r.base, _ = c.eng.Offset(r.all)
	if err := r.measure(ctx); err != nil {
		r.free(c.eng)
		return err
	}
	r.table = data.FromBytes(src.Path(), []data.Column{col}, r.rows, [][]byte{r.all}, nil)
	return nil
}

// isLong reports that few columns of so many bytes fit into kernel memory at the same time.
func (c *columns) isLong(n int64) bool { return n > c.eng.Arena().Size()/4 }

// bring makes the elements present.
func (c *columns) bring(ctx context.Context, src data.Source, want data.Want, r *resident, native bool) error {
	n := r.rows * r.width * int64(r.kind.Size())
	switch {
	case n == 0:
		return nil
	case native && c.isLong(n):
		return c.bringOutside(ctx, src, want, r, n)
	}
	s, err := c.alloc(n)
	if full := (*mem.FullError)(nil); errors.As(err, &full) {
		if n <= full.Size && !native {
			return refused("no room for %d bytes: of %d all that is taken is in use; use more shards, or nodes with more memory", n, full.Size)
		}
		return c.bringOutside(ctx, src, want, r, n)
	}
	if err != nil {
		return err
	}
	r.span, r.all = s, c.eng.Arena().Bytes(s.Off, n)
	return copyRows(ctx, src, want, r.all)
}

// bringOutside does so where kernel memory has no room.
func (c *columns) bringOutside(ctx context.Context, src data.Source, want data.Want, r *resident, n int64) error {
	if raw, ok := src.Raw(want.Column); ok && raw.File != nil && raw.Offset%int64(r.kind.Size()) == 0 {
		if mapped, err := c.mapped(ctx, raw, r); mapped || err != nil {
			return err
		}
	}
	for mem.Available() < n {
		if !c.evict((*resident).copied) {
			return refused("no room for %d bytes of column %d: the machine has %d left; use more shards on more nodes", n, want.Column, mem.Available())
		}
	}
	pages, err := mem.Fresh(n)
	if err != nil {
		return err
	}
	r.pages, r.all = pages, pages[:n:n]
	return copyRows(ctx, src, want, r.all)
}

// mapped maps a stored column and compares it with its checksums. It reports false if the file system gives no lease.
func (c *columns) mapped(ctx context.Context, raw data.Raw, r *resident) (bool, error) {
	lease, err := mem.TakeLease(raw.File, func() { c.forget(r) })
	if err != nil {
		return false, nil
	}
	from, to := raw.Offset, raw.Offset+raw.Length
	if raw.Check != nil { // whole blocks are compared
		from, to = from/data.Block*data.Block, min((to+data.Block-1)/data.Block*data.Block, raw.Check.Sums().Size)
	} else {
		from = from &^ (mem.Page - 1)
	}
	if lease.Size() < to {
		lease.Close()
		return false, nil // reading says what is wrong
	}
	r.lease = lease
	if r.pages, err = unix.Mmap(lease.Fd(), from, int(to-from), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_NORESERVE); err != nil {
		return true, fmt.Errorf("map %d bytes of %s: %w", to-from, lease.Path(), err)
	}
	r.all = r.pages[raw.Offset-from:][:raw.Length:raw.Length]
	if raw.Check == nil {
		return true, nil
	}
	return true, inParts(ctx, r.pages, func(_ int, part []byte, at int64) error { return raw.Check.Seen(part, from+at) })
}

// forget has nobody acquire a column any more whose file somebody wants to write to.
func (c *columns) forget(r *resident) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.users == 0 {
		c.drop(r)
	} else if c.held[r.place] == r {
		delete(c.held, r.place)
		r.dropped = true
	}
}

// partBytes is how much of a column a thread takes at a time, a multiple of data.Block and of all elements.
const partBytes = 16 << 20

// inParts calls f for all parts of b, on all processors.
func inParts(ctx context.Context, b []byte, f func(i int, part []byte, at int64) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := 0; i*partBytes < len(b); i++ {
		at := i * partBytes
		g.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return f(i, b[at:min(at+partBytes, len(b))], int64(at))
		})
	}
	return g.Wait()
}

// measure finds the extremes of an integer column, once, so that any bound can
// be checked quickly.
func (r *resident) measure(ctx context.Context) error {
	if !r.kind.IsInt() || len(r.all) == 0 {
		return nil
	}
	type extremes struct{ least, most int64 }
	parts := make([]extremes, (len(r.all)+partBytes-1)/partBytes)
	err := inParts(ctx, r.all, func(i int, part []byte, _ int64) error {
		parts[i].least, parts[i].most = column.Extremes(r.kind, part)
		return nil
	})
	r.least, r.most = parts[0].least, parts[0].most
	for _, p := range parts {
		r.least, r.most = min(r.least, p.least), max(r.most, p.most)
	}
	return err
}

// below is what all elements of an integer column stay below, if none is negative; 0 if nothing is known.
func (r *resident) below() int64 {
	if !r.kind.IsInt() || len(r.all) == 0 || r.least < 0 || r.most == math.MaxInt64 {
		return 0
	}
	return r.most + 1
}

// within reports that all elements e satisfy 0 ≤ e < bound.
func (r *resident) within(bound int64) bool {
	return r.rows*r.width == 0 || r.least >= 0 && r.most < bound
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

// native asks for native code if the run reads a long column, and reports whether there is some.
func (a *advancing) native(ctx context.Context, column int) bool {
	sh := &a.sh
	if column < 0 || column >= len(sh.set.Columns) {
		return false
	}
	n := (sh.at.Hi - sh.at.Lo) * int64(sh.set.Columns[column].Kind.Size())
	for _, d := range sh.set.Columns[column].Dims {
		n *= d
	}
	return a.d.columns.isLong(n) && a.d.eng.Promote(ctx, a.c) == nil
}

// reach makes sure that the kernel reaches a column: natively, or interpreted where there is no compiler.
func (a *advancing) reach(ctx context.Context, r *resident) {
	if r.outside() && !a.c.ReachesAll() && a.d.eng.Promote(ctx, a.c) != nil {
		a.c = a.c.Stepped()
	}
}

// unchanged is an error if a column may be another than when the run began.
func (a *advancing) unchanged() error {
	for _, r := range a.held {
		if err := r.changed(); err != nil {
			return &node.WorkError{Reason: parcel.DataError, Detail: err.Error()}
		}
	}
	return nil
}
