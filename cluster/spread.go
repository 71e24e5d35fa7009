package cluster

import (
	"context"
	"fmt"
	"math"

	"github.com/godwit-run/godwit/caller"
	"github.com/godwit-run/godwit/parcel"
	"github.com/godwit-run/godwit/run"
)

// spread runs a launch that walks over rows of a set in pieces beside its
// shards. What straddles two shards runs here.
func (b *Beside) spread(ctx context.Context, a *arranged) (bool, error) {
	spans, err := cutOuter(ctx, a.set.Shards, a.Outer, a.rows)
	if err != nil {
		return false, err
	}
	if why := a.unfit(spans); why != "" {
		return b.stay(a.Placed, "rows are fetched: %s", why)
	}
	t, err := a.task()
	if err != nil {
		return false, err
	}
	away := 0
	for _, s := range spans {
		if s.shard >= 0 {
			away++
		}
	}
	if b.strategy == Auto && int64(away)*t.travelling() >= a.rowBytes() {
		return b.stay(a.Placed, "rows are fetched: the arguments that every shard needs are larger than its rows")
	}
	if a.Compiled.Sequential() {
		b.placed(a.Placed, "beside %d shards of @%s in turn, %d parts here", away, a.set.Name, len(spans)-away)
		return true, b.inTurn(ctx, a, t, spans)
	}
	combining, err := a.combine(spans)
	if err != nil {
		return false, err
	}
	if combining != nil {
		if err := t.combine(a, combining); err != nil {
			return false, err
		}
	}
	b.placed(a.Placed, "beside %d shards of @%s, %d parts here", away, a.set.Name, len(spans)-away)
	return true, b.around(func() error {
		if len(spans) == 1 {
			return b.one(ctx, a, t, spans[0])
		}
		return b.fan(ctx, a, t, spans)
	})
}

// unfit says why a launch cannot run in pieces.
func (a *arranged) unfit(spans []span) string {
	whole := true
	for _, s := range spans {
		whole = whole && s.shard < 0
	}
	if whole {
		return "every step of the outer loop needs rows of several shards"
	}
	for _, r := range a.outs {
		if !a.Compiled.Streams(r) && !a.carried(r) && len(spans) > 1 {
			return "where it writes depends on the data"
		}
	}
	return ""
}

// carried reports a region in which a sequential kernel keeps its state.
func (a *arranged) carried(region int) bool {
	for _, s := range a.Compiled.Kernel.State {
		if s.Region == region {
			return true
		}
	}
	return false
}

// rowBytes is the size of the columns that the launch reads.
func (a *arranged) rowBytes() int64 {
	n := int64(0)
	for _, r := range a.stored {
		in := a.column[r]
		n += in.Rows * max(1, in.Width) * int64(in.Kind.Size())
	}
	return n
}

// task is what all pieces of a launch have in common.
type task struct {
	parcel.Task
	partial caller.Code
	block   *run.Combining // nil if rows come back as they are
}

// task describes the launch's regions to a node.
func (a *arranged) task() (*task, error) {
	k := a.Compiled.Kernel
	t := &task{Task: parcel.Task{Set: a.set.ID, Sizes: a.Sizes, Scalars: a.Scalars, Operands: make([]parcel.Operand, len(k.Regions))}}
	for _, r := range a.stored {
		in := a.column[r]
		t.Operands[r] = parcel.Operand{How: parcel.Stored, Column: in.Binding.Column, Option: in.Binding.Option, Presence: in.Binding.Presence, Bound: in.Bound}
	}
	for _, r := range a.local {
		b, err := a.Bytes(r)
		if err != nil {
			return nil, err
		}
		t.Operands[r] = parcel.Operand{How: parcel.Inline, Bytes: b}
	}
	for _, r := range a.outs {
		t.Operands[r] = parcel.Operand{How: parcel.Out} // of which elements, each piece says
	}
	return t, nil
}

// travelling is the number of bytes that go to every shard.
func (t *task) travelling() int64 {
	n := int64(0)
	for _, o := range t.Operands {
		n += int64(len(o.Bytes))
	}
	return n
}

// combine decides into blocks of how many rows the nodes combine what they
// send back; nil if not at all.
func (a *arranged) combine(spans []span) (*run.Combining, error) {
	if a.Launch.Partial == nil {
		return nil, nil
	}
	n := block(spans, a.Outer)
	if n < 2 {
		return nil, nil
	}
	return a.Combined(n)
}

func (t *task) combine(a *arranged, c *run.Combining) error {
	code, err := encode(c.Kernel)
	if err != nil {
		return err
	}
	t.partial, t.block = code, c
	t.Partial = parcel.Partial{Code: parcel.PrefixOf(code.ID), Sizes: c.Sizes, Block: c.Block}
	return nil
}

// more are the kernels that the task refers to beside its own.
func (t *task) more(b *Beside) []caller.Code {
	if t.block == nil {
		return nil
	}
	return []caller.Code{b.code(t.partial)}
}

// extents are the elements of each written region that outer indices lo..hi
// write.
func (a *arranged) extents(lo, hi int64) []parcel.Extent {
	var list []parcel.Extent
	for _, r := range a.outs {
		first, end := a.Compiled.Reach(r, a.Sizes, lo, hi)
		list = append(list, parcel.Extent{First: first, Count: end - first})
	}
	return list
}

// accept stores what came back.
func (a *arranged) accept(answer *parcel.Answer) error {
	n := len(a.outs)
	if n == 0 || len(answer.Columns)%n != 0 || len(answer.Extents) != len(answer.Columns) {
		return fmt.Errorf("step `%s`: expected rows of %d regions, %d and %d extents came back", a.Launch.Label, n, len(answer.Columns), len(answer.Extents))
	}
	for i, c := range answer.Columns {
		if err := a.Write(a.outs[i%n], answer.Extents[i].First, c); err != nil {
			return err
		}
	}
	return a.faults(answer.Faults)
}

func (a *arranged) faults(list []parcel.Fault) error {
	places := make([]int64, a.Compiled.Kernel.Sites)
	for i := range places {
		places[i] = math.MaxInt64
	}
	for _, f := range list {
		if int64(f.Site) >= int64(len(places)) {
			return fmt.Errorf("step `%s` has %d fault sites, a fault at %d came back", a.Launch.Label, len(places), f.Site)
		}
		places[f.Site] = min(places[f.Site], f.Place)
	}
	return a.Faults(places)
}

// inTurn runs a sequential launch from shard to shard: what it carries travels
// along.
func (b *Beside) inTurn(ctx context.Context, a *arranged, t *task, spans []span) error {
	for _, s := range spans {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.shard < 0 {
			if err := a.Here(s.lo, s.hi); err != nil {
				return err
			}
			continue
		}
		if err := b.one(ctx, a, t, s); err != nil {
			return err
		}
		a.Advance(s.hi - s.lo)
	}
	return nil
}

// one runs a part of a launch beside its shard; a sequential one with the state
// as it is now.
func (b *Beside) one(ctx context.Context, a *arranged, t *task, s span) error {
	p, err := b.sendRun(ctx, a, t, s)
	if err != nil {
		return err
	}
	return b.take(ctx, a, p)
}

// sendRun sends one part of a launch to the owner of its shard.
func (b *Beside) sendRun(ctx context.Context, a *arranged, t *task, s span) (*pending, error) {
	t.Lo, t.Hi = s.lo, s.hi
	for i, r := range a.outs {
		e := a.extents(s.lo, s.hi)[i]
		o := parcel.Operand{How: parcel.Out, First: e.First, Count: e.Count}
		if a.carried(r) {
			all, err := a.Bytes(r)
			if err != nil {
				return nil, err
			}
			size := int64(a.Compiled.Kernel.Regions[r].Elem.Size())
			o = parcel.Operand{How: parcel.InOut, First: e.First, Bytes: all[e.First*size : (e.First+e.Count)*size]}
		}
		t.Operands[r] = o
	}
	payload := t.Task.Append(nil)
	return b.send(func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Run, Code: b.code(a.code), More: t.more(b), Payload: payload, Set: a.set.ID, Shard: s.shard, Left: b.c.left(ctx)}
	}), nil
}
