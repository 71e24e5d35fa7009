package run

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a launch whose outer indices have slots on several machines. Out: the same in parts (schedule.Turns), one after the other, which carry the
// tables of one outer index; these become its row when its last part is done.

// Turning is a schedule.Turns under way.
type Turning struct {
	turns *schedule.Turns
	whole *Placed
	each  int64 // parts of an outer index of the whole
}

// InTurn gives the same launch in parts, nil if it has no such form.
func (p *Placed) InTurn() (*Placed, error) {
	t := p.Launch.InTurn
	if t == nil {
		return nil, nil
	}
	l, err := p.p.r.prepare(t.Launch)
	if err != nil {
		return nil, err
	}
	all, ok := kernel.EvalPoly(p.Compiled.Kernel.Grain, p.Sizes)
	part, ok2 := kernel.EvalPoly(l.c.Kernel.Grain, l.Sizes)
	if !ok || !ok2 || part < 1 || all < part || all%part != 0 {
		return nil, nil // it has no slots
	}
	q := &Placed{Launch: l.l, Compiled: l.c, Sizes: l.Sizes, Scalars: l.Scalars, Outer: l.outer, p: l}
	q.Turning = &Turning{t, p, all / part}
	return q, nil
}

// Whole is the launch that this is in parts, or the launch itself: what it took is noted as that of the whole.
func (p *Placed) Whole() *Placed {
	if p.Turning != nil {
		return p.Turning.whole
	}
	return p
}

// Each is how many parts an outer index of the whole launch has.
func (t *Turning) Each() int64 { return t.each }

// Afresh reports that a part of a launch does not ask what was in a region: it clears it.
func (p *Placed) Afresh(region int, part int64) bool {
	t := p.Turning
	return t != nil && part%t.each == 0 && slices.Contains(t.turns.From, p.Launch.Regions[region])
}

// Clear makes room for a region that the kernel writes, and zeroes it: what travels along with a launch is not what lay there before.
func (p *Placed) Clear(region int) error {
	b, err := p.buffer(region)
	if err == nil {
		err = p.room(region, b)
	}
	if err == nil {
		clear(p.p.r.bytes(b))
	}
	return err
}

// Turned keeps the tables after part end-1 as the row that they are, if that is the last part of an outer index of the whole launch.
func (p *Placed) Turned(end int64) error {
	t := p.Turning
	if end%t.each != 0 && end != p.Outer || end == 0 {
		return nil
	}
	for i, b := range t.turns.From {
		region, into := slices.Index(p.Launch.Regions, b), slices.Index(t.whole.Launch.Regions, t.turns.Into[i])
		row, err := p.Bytes(region)
		if err != nil {
			return err
		}
		if err := t.whole.Write(into, (end-1)/t.each*p.Len(region), row); err != nil {
			return err
		}
	}
	return nil
}
