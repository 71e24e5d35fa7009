package daemon

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

const noFault = math.MaxInt64

// compute runs a task beside a shard, and combines its rows if it says so.
func (d *Daemon) compute(ctx context.Context, w *node.Compute) (*parcel.Answer, error) {
	c, ok := d.eng.Lookup(w.ID)
	if !ok {
		return nil, fmt.Errorf("kernel %s is not compiled", w.ID.Short())
	}
	t := w.Task
	p, held, err := d.piece(ctx, c, t)
	defer held.release()
	if err != nil {
		return nil, err
	}
	a, err := d.results(ctx, w, p)
	if err == nil {
		err = held.unchanged()
	}
	for _, o := range p.Operands {
		if stored, ok := o.(run.Stored); ok && err != nil {
			err = d.located(t.Set, stored.Origin, err)
			break
		}
	}
	return a, err
}

// results runs a task's piece with what makes its rows fewer.
func (d *Daemon) results(ctx context.Context, w *node.Compute, p *run.Piece) (*parcel.Answer, error) {
	if w.Task.Keep != nil {
		return d.kept(ctx, w.Task, p)
	}
	bytes := written(p)
	if err := bounded(w.Task, bytes); err != nil {
		return nil, err
	}
	free, err := d.rooms.take(ownerOf(ctx), bytes)
	if err != nil {
		return nil, err
	}
	defer free()
	a, err := d.runPiece(ctx, p)
	if err == nil && w.Task.Partial.Code != 0 {
		a, err = d.combine(ctx, w, a)
	}
	return a, err
}

// located gives an error about a shard's file the data set's name, and the row in it.
func (d *Daemon) located(set uint32, origin int64, err error) error {
	var bad *data.Error
	s, ok := d.view.Load().Set(set)
	if !ok || !errors.As(err, &bad) {
		return err
	}
	moved := *bad
	if moved.Path = "@" + s.Name; moved.Row >= 0 {
		moved.Row += origin
	}
	return &moved
}

// piece finds what a task's operands mean here. Its rows lie in one shard.
func (d *Daemon) piece(ctx context.Context, c *engine.Compiled, t *parcel.Task) (*run.Piece, *holding, error) {
	p := &run.Piece{Kernel: c, Sizes: t.Sizes, Scalars: t.Scalars, Lo: t.Lo, Hi: t.Hi}
	held := &holding{d: d}
	if len(t.Operands) != len(c.Kernel.Regions) {
		return nil, held, refused("the kernel has %d regions, %d operands were sent", len(c.Kernel.Regions), len(t.Operands))
	}
	var sh *shard
	for i, o := range t.Operands {
		var q run.Operand
		switch o.How {
		case parcel.Stored:
			if sh == nil {
				s, free, err := d.shardFor(ctx, c, t, i)
				if err != nil {
					return nil, held, err
				}
				sh, held.free = &s, free
			}
			b := run.Stored{Binding: run.Binding{Source: sh.src, Column: o.Column, Option: o.Option, Presence: o.Presence, Blanks: data.Blanks(o.Blanks)}, Origin: sh.at.Lo, Total: sh.set.Rows, Bound: o.Bound}
			if r := d.atHand(ctx, sh, &o, c.Kernel.Regions[i].Elem, !c.Streams(i)); r != nil {
				held.columns = append(held.columns, r)
				b.Source, b.Column, b.Below = r.table, 0, r.below()
			}
			q = b
		case parcel.Inline:
			q = run.Inline{First: o.First, Bytes: o.Bytes}
		case parcel.InOut:
			q = run.InOut{First: o.First, Bytes: o.Bytes}
		case parcel.Out:
			q = run.Out{First: o.First, Count: o.Count}
		}
		p.Operands = append(p.Operands, q)
	}
	return p, held, nil
}

// holding is a shard, and columns of it in memory, that a task has in use.
type holding struct {
	d       *Daemon
	free    func() // of the shard; nil for none
	columns []*resident
}

func (h *holding) release() {
	for _, r := range h.columns {
		h.d.columns.release(r)
	}
	if h.free != nil {
		h.free()
	}
}

// unchanged is an error if a column may be another than when the task began.
func (h *holding) unchanged() error {
	for _, r := range h.columns {
		if err := r.changed(); err != nil {
			return err
		}
	}
	return nil
}

// smallColumn is the size up to which a column is kept in kernel memory, where small
// tasks find it at once. Larger ones pass through in windows.
const smallColumn = 4 << 20

// atHand is a column in memory: a small one, or one that a kernel comes to here and there. It is nil if the column must come from its file.
func (d *Daemon) atHand(ctx context.Context, sh *shard, o *parcel.Operand, kind num.Kind, random bool) *resident {
	if o.Option || o.Presence || o.Blanks != 0 || o.Column < 0 || o.Column >= len(sh.set.Columns) {
		return nil
	}
	col := &sh.set.Columns[o.Column]
	size := (sh.at.Hi - sh.at.Lo) * int64(kind.Size())
	for _, n := range col.Dims {
		size *= n
	}
	if col.Kind != kind || col.Nullable || size == 0 || size > smallColumn && !random {
		return nil
	}
	r, err := d.columns.acquire(ctx, sh.src, place{sh.set.ID, sh.number, o.Column}, random)
	if err != nil {
		return nil // the file will say what is wrong
	}
	return r
}

// shardFor is the shard in which the rows of operand i begin, or would begin if there are none, and the last one if that is
// behind all rows.
func (d *Daemon) shardFor(ctx context.Context, c *engine.Compiled, t *parcel.Task, i int) (shard, func(), error) {
	set, err := d.setOf(ctx, t.Set)
	if err != nil {
		return shard{}, nil, err
	}
	o := &t.Operands[i]
	if o.Column < 0 || o.Column >= len(set.Columns) || len(t.Sizes) != len(c.Kernel.Sizes) {
		return shard{}, nil, refused("@%s has no column %d, or the sizes are not the kernel's", set.Name, o.Column)
	}
	width := int64(1)
	for _, n := range set.Columns[o.Column].Dims {
		width *= n
	}
	if o.Presence {
		width = 1
	}
	first, end := c.Reach(i, t.Sizes, t.Lo, t.Hi)
	row := first / max(width, 1)
	if first >= end {
		row = min(max(row, 0), max(0, set.Rows-1))
	}
	return d.shard(t.Set, set.ShardOf(row))
}

// runPiece runs a piece and gives its results as an answer.
func (d *Daemon) runPiece(ctx context.Context, p *run.Piece) (*parcel.Answer, error) {
	p.Limits = engine.Limits{Steps: d.cfg.Limits.Steps, RegionBytes: d.cfg.Limits.RegionBytes}
	done := d.watching()
	a := &parcel.Answer{}
	room := func(bytes int) []byte {
		a.Lent = append(a.Lent, loan.Of(bytes))
		return a.Lent[len(a.Lent)-1].Bytes()
	}
	outs, faults, stats, err := run.RunPiece(ctx, p, run.Options{Engine: d.eng, Threads: d.cfg.Threads, Claim: claimOf(ctx), Machine: d.machine.Load(), Room: room})
	done(p, &stats, err)
	if err != nil {
		return nil, err
	}
	a.Faults = faultsOf(faults)
	d.metrics.read.Add(float64(stats.BytesRead))
	a.Columns = outs
	for i, o := range p.Operands {
		if first, ok := run.Returns(o); ok {
			size := int64(p.Kernel.Kernel.Regions[i].Elem.Size())
			a.Extents = append(a.Extents, parcel.Extent{First: first, Count: int64(len(outs[len(a.Extents)])) / size})
		}
	}
	return a, nil
}

func faultsOf(places []int64) []parcel.Fault {
	var fs []parcel.Fault
	for site, at := range places {
		if at != noFault {
			fs = append(fs, parcel.Fault{Site: uint32(site), Place: at})
		}
	}
	return fs
}

// combine applies a task's partial kernel to the rows that it wrote.
func (d *Daemon) combine(ctx context.Context, w *node.Compute, rows *parcel.Answer) (*parcel.Answer, error) {
	c, ok := d.eng.Lookup(w.Partial)
	if !ok {
		return nil, fmt.Errorf("kernel %s is not compiled", w.Partial.Short())
	}
	t, n := w.Task, len(rows.Columns)
	if len(c.Kernel.Regions) < 2*n || t.Partial.Block < 1 || len(t.Partial.Sizes) != len(c.Kernel.Sizes) {
		return nil, refused("the partial kernel has %d regions and %d sizes, expected at least %d and %d", len(c.Kernel.Regions), len(c.Kernel.Sizes), 2*n, len(t.Partial.Sizes))
	}
	lo, hi, alone := t.Blocks()
	p := &run.Piece{Kernel: c, Sizes: t.Partial.Sizes, Lo: lo, Hi: hi}
	for i := range c.Kernel.Regions {
		var q run.Operand
		switch {
		case i < n && alone:
			q = run.Inline{Bytes: rows.Columns[i]}
		case i < n:
			q = run.Inline{First: rows.Extents[i].First, Bytes: rows.Columns[i]}
		case c.Kernel.Regions[i].Access != kernel.Scratch:
			first, end := c.Reach(i, p.Sizes, p.Lo, p.Hi)
			q = run.Out{First: first, Count: end - first}
		}
		p.Operands = append(p.Operands, q)
	}
	a, err := d.runPiece(ctx, p)
	if err == nil {
		a.Faults = rows.Faults
	}
	rows.Free()
	return a, err
}
