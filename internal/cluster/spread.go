package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/run"
)

// spread runs a launch that walks over rows of a set in pieces beside its
// shards. What straddles two shards runs here.
func (b *Beside) spread(ctx context.Context, a *arranged) (bool, error) {
	spans, err := cutOuter(ctx, a.set.Shards, a.Outer, a.rows)
	if err != nil {
		return false, err
	}
	if a, spans, err = b.inStretches(ctx, a, spans); err != nil {
		return false, err
	}
	if why := a.unfit(spans); why != "" {
		return b.stay(ctx, a.Placed, "rows are fetched: %s", cmp.Or(b.outweighed, why))
	}
	t, err := a.task()
	if err != nil {
		return false, err
	}
	away, here := alternating(spans)
	if t.fixed > mostBytes/2 {
		return b.stay(ctx, a.Placed, "rows are fetched: the arguments that every shard needs, %d bytes, are too long for a parcel", t.fixed)
	}
	why := ""
	if b.strategy == Auto || a.Forecast() {
		how, err := b.weigh(ctx, a, func() *plan.Moving {
			return &plan.Moving{Fetched: a.fetched(a.rowBytes(), len(a.stored)), Shipped: a.shipped(t, away, here, a.back(spans))}
		})
		if err != nil {
			return false, err
		}
		if how.best == Fetch && b.strategy == Auto {
			return b.stay(ctx, a.Placed, "rows are fetched: %v", how)
		}
		why = ": " + how.String()
	}
	if err := a.contents(t); err != nil {
		return false, err
	}
	turn := ""
	if a.Compiled.Sequential() {
		turn = " in turn"
	}
	b.placed(a.Placed, Ship, "beside %d shards of @%s%s, %d parts here%s", shardsOf(away), a.set.Name, turn, len(here), why)
	return true, b.ran(a, func() error { return b.beside(ctx, a, t, spans) })
}

// shardsOf is how many shards spans lie beside.
func shardsOf(away []span) int {
	shards := map[int]bool{}
	for _, s := range away {
		shards[s.shard] = true
	}
	return len(shards)
}

// mostBetween says which part of all rows may come here because their outer indices have others of other shards: an eighth comes in about the
// time in which one machine goes over all of them.
const mostBetween = 8

// inStretches is a launch of which many outer indices have rows of several shards, in its other form, in which what it carries goes from shard to
// shard; or the launch itself.
func (b *Beside) inStretches(ctx context.Context, a *arranged, spans []span) (*arranged, []span, error) {
	between := int64(0)
	for _, s := range spans {
		if s.shard < 0 {
			first, end := a.rows(s.lo, s.hi)
			between += end - first
		}
	}
	if between <= a.set.Rows/mostBetween {
		return a, spans, nil
	}
	p, err := a.InTurn()
	if p == nil || err != nil {
		return a, spans, err
	}
	other, _ := b.arrange(p)
	if other == nil || len(other.far) > 0 || other.Outer/other.Turning.Each() > maxPieces {
		return a, spans, nil
	}
	cut, err := cutOuter(ctx, other.set.Shards, other.Outer, other.rows)
	if err != nil || other.unfit(cut) != "" {
		return a, spans, err
	}
	return other, cutAt(cut, other.Turning.Each()), nil
}

// beside runs a launch in pieces, those of a sequential one after another.
func (b *Beside) beside(ctx context.Context, a *arranged, t *task, spans []span) (err error) {
	if a.Compiled.Sequential() {
		return b.inTurn(ctx, a, t, a.cut(spans, a.portion.turn))
	}
	if spans, err = a.combine(t, spans); err != nil {
		return err
	}
	return b.around(func() error {
		// A tree's answer does not say of which piece a row is, so blocks that are a piece each come piece by piece.
		if !t.free() && len(spans) > 1 && a.total(t, spans)+t.fixed+t.sliced <= a.portion.piece {
			return b.fan(ctx, a, t, spans)
		}
		return b.flow(ctx, a, t, spans)
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
	if a.scatters() && (len(spans) > 1 || a.answers(nil, spans[0]) > mostBytes) {
		return "where it writes depends on the data"
	}
	if n := a.steps(); n > parcel.UsualSteps {
		return fmt.Sprintf("one step of the outer loop may take %d operations, more than nodes allow", n)
	}
	if n := max(a.each(a.outs), a.each(a.local)); n > mostBytes/2 {
		return fmt.Sprintf("one step of the outer loop takes or gives %d bytes, which is too long for a parcel", n)
	}
	return ""
}

// scatters reports a launch whose outer indices do not write one after the other.
func (a *arranged) scatters() bool {
	return slices.ContainsFunc(a.outs, func(r int) bool { return !a.Compiled.Streams(r) && !a.carried(r) })
}

// carried reports a region in which a sequential kernel keeps its state.
func (a *arranged) carried(region int) bool {
	for _, s := range a.Compiled.Kernel.State {
		if s.Region == region {
			return true
		}
	}
	return a.Compiled.Sequential() && a.Compiled.Kernel.Regions[region].Access == kernel.ReadWrite && !a.Compiled.Streams(region)
}

// rowBytes is the size of the columns that the launch walks over.
func (a *arranged) rowBytes() int64 { return a.bytesOf(a.stored) }

// bytesOf is the size of the columns that these regions are.
func (a *arranged) bytesOf(regions []int) int64 {
	n := int64(0)
	for _, r := range regions {
		n += size(a.column[r])
	}
	return n
}

// task is what all pieces of a launch have in common.
type task struct {
	parcel.Task
	partial caller.Code
	block   *run.Combining // nil if rows come back as they are
	fixed   int64          // bytes that go to every shard
	sliced  int64          // bytes of which every piece gets what it touches
}

// task describes the launch's regions to a node, but for what is in those that are here; see contents.
func (a *arranged) task() (*task, error) {
	k := a.Compiled.Kernel
	t := &task{Task: parcel.Task{Set: a.set.ID, Sizes: a.Sizes, Scalars: a.Scalars, Operands: make([]parcel.Operand, len(k.Regions))}}
	for _, r := range a.columns() {
		in := a.column[r]
		t.Operands[r] = parcel.Operand{How: parcel.Stored, Column: in.Binding.Column, Option: in.Binding.Option, Presence: in.Binding.Presence, Blanks: byte(in.Binding.Blanks), Bound: in.Bound}
	}
	for _, r := range a.local {
		if n := a.Len(r) * a.elem(r); a.Compiled.Streams(r) {
			t.sliced += n
		} else {
			t.fixed += n
		}
	}
	for _, r := range a.outs {
		t.Operands[r] = parcel.Operand{How: parcel.Out} // of which elements, each piece says
		if a.carried(r) {
			t.fixed += a.Len(r) * a.elem(r)
		}
	}
	return t, nil
}

// contents brings here what goes along with a task that was decided on.
func (a *arranged) contents(t *task) error {
	if a.Forecast() {
		return nil
	}
	for _, r := range a.local {
		b, err := a.Bytes(r)
		if err != nil {
			return err
		}
		t.Operands[r] = parcel.Operand{How: parcel.Inline, Bytes: b}
	}
	return nil
}

// combine decides into blocks of how many rows the nodes combine what they
// send back, if at all, and cuts the spans into pieces.
func (a *arranged) combine(t *task, spans []span) ([]span, error) {
	if pieces := a.freely(spans); pieces != nil {
		begins := make([]int64, len(pieces))
		for i, s := range pieces {
			begins[i] = s.lo
		}
		c, err := a.CombinedFreely(begins)
		if err != nil {
			return nil, err
		}
		return pieces, t.combine(c)
	}
	if a.Launch.Partial != nil {
		if pieces, n := a.inBlocks(spans); n > 1 {
			c, err := a.Combined(n)
			if err != nil {
				return nil, err
			}
			return pieces, t.combine(c)
		}
	}
	return a.cut(spans, a.portion.piece), nil
}

// freely gives the pieces whose rows nodes combine to one each, if the order does not count and blocks of a power of two would give more rows than come
// at once; nil otherwise. Shards seldom begin where such blocks do.
func (a *arranged) freely(spans []span) []span {
	if a.Launch.Partial == nil || !a.Launch.Partial.Free {
		return nil
	}
	aligned, n := int64(0), block(spans, a.Outer)
	for _, s := range spans {
		aligned += (s.hi - s.lo + n - 1) / n
	}
	pieces := a.cut(spans, a.portion.rows)
	if int64(len(pieces)) >= aligned || aligned*a.each(a.outs) <= a.portion.piece {
		return nil
	}
	return pieces
}

func (t *task) combine(c *run.Combining) error {
	code, err := encode(c.Kernel)
	if err != nil {
		return err
	}
	t.partial, t.block = code, c
	t.Partial = parcel.Partial{Code: parcel.PrefixOf(code.ID), Sizes: c.Sizes, Block: c.Block}
	return nil
}

// free reports that each piece comes back as one row.
func (t *task) free() bool { return t.block != nil && t.block.Begins != nil }

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

// accept stores what a piece, or all that were sent as a tree, came back with, and says up to
// which outer index it is done.
func (a *arranged) accept(t *task, s span, answer *parcel.Answer) (done int64, err error) {
	if a.Packing != nil {
		return a.acceptKept(s, answer)
	}
	n := len(a.outs)
	if n == 0 || len(answer.Columns)%n != 0 || len(answer.Extents) != len(answer.Columns) {
		return 0, fmt.Errorf("step `%s`: expected rows of %d regions, %d and %d extents came back", a.Launch.Label, n, len(answer.Columns), len(answer.Extents))
	}
	row := int64(0)
	if t.free() { // whose row the node counts from 0
		if row, err = t.block.RowOf(s.lo); err != nil {
			return 0, err
		}
	}
	for i, c := range answer.Columns {
		if err := a.Write(a.outs[i%n], answer.Extents[i].First+row*answer.Extents[i].Count, c); err != nil {
			return 0, err
		}
	}
	return s.hi, a.faults(answer.Faults)
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
	if a.Turning != nil { // otherwise what goes along was made by a launch before
		for _, r := range a.outs {
			if err := a.Clear(r); err != nil {
				return err
			}
		}
	}
	for _, s := range spans {
		if err := b.flow(ctx, a, t, []span{s}); err != nil {
			return err
		}
		if a.Turning != nil {
			if err := a.Turned(s.hi); err != nil {
				return err
			}
		}
		a.Advance(s.hi - s.lo)
	}
	return nil
}

// request is the payload that asks for a piece; of a sequential launch with the state as it is
// now.
func (a *arranged) request(t *task, s span) ([]byte, error) {
	piece := t.Task
	piece.Lo, piece.Hi = s.lo, s.hi
	if t.block != nil {
		piece.Partial.Sizes = t.block.SizesOf(s.lo, s.hi)
	}
	if a.Packing != nil {
		piece.Keep = &parcel.Keep{Counts: a.Packing.Counts(), Most: a.portion.piece / 2, First: max(0, a.needs(s))}
	}
	piece.Operands = slices.Clone(t.Operands)
	for _, r := range a.local {
		if o := &piece.Operands[r]; a.Compiled.Streams(r) {
			first, end := a.Compiled.Reach(r, a.Sizes, s.lo, s.hi)
			o.First, o.Bytes = first, o.Bytes[first*a.elem(r):end*a.elem(r)]
		}
	}
	for i, e := range a.extents(s.lo, s.hi) {
		r := a.outs[i]
		o := parcel.Operand{How: parcel.Out, First: e.First, Count: e.Count}
		if a.carried(r) && !a.Afresh(r, s.lo) {
			all, err := a.Bytes(r)
			if err != nil {
				return nil, err
			}
			o = parcel.Operand{How: parcel.InOut, First: e.First, Bytes: all[e.First*a.elem(r) : (e.First+e.Count)*a.elem(r)]}
		}
		piece.Operands[r] = o
	}
	return piece.Append(nil), nil
}
