package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In comes a For that carries nothing but the likes of a maximum, out goes one
// that keeps it in lanes and joins these at the end: best = best.max(x[i]) as a
// loop of its own. The bits are the same, because the operation gives the same in
// any order: integers without a check, and the lesser or greater of floats.

// reductions are the operations by which a loop carries its values, if they are
// all that makes a turn depend on the one before.
func (e *emitter) reductions(in *kernel.Instr) ([]accumulator, bool) {
	b := &in.Blocks[0]
	var list []accumulator
	for j, c := range in.Carry {
		param, result := b.Params[1+j], b.Results[j]
		at := slices.IndexFunc(b.Instrs, func(in kernel.Instr) bool { return slices.Contains(in.Out, result) })
		if at < 0 {
			return nil, false
		}
		op := &b.Instrs[at]
		if op.Code != kernel.Arith || len(op.Args) != 2 || op.Site != kernel.NoSite || op.Kind != c.Kind || !slices.Contains(op.Args, param) || !onlyUse(b, param, op) || !onlyUse(b, result, nil) {
			return nil, false
		}
		a, ok := exactly(op)
		if !ok || a.Op.IsOrdered(a.Kind) || op.Args[0] == op.Args[1] {
			return nil, false
		}
		list = append(list, a)
	}
	return list, true
}

// onlyUse reports that of a loop's body only one instruction uses a value; if it
// is nil, only the next turn does, as one of its values.
func onlyUse(b *kernel.Block, v kernel.Value, by *kernel.Instr) bool {
	for i := range b.Instrs {
		if in := &b.Instrs[i]; in != by && uses(in, []kernel.Value{v}) {
			return false
		}
	}
	times := 0
	for _, r := range b.Results {
		if r == v {
			times++
		}
	}
	return by == nil && times == 1 || by != nil && times == 0
}

// examineReduced finds a plan for a loop that carries values. Elements that lie
// one behind the other must be among what it loads: to gather all takes as long as
// the loop itself.
func (e *emitter) examineReduced(in *kernel.Instr) (*plan, bool) {
	accs, ok := e.reductions(in)
	if !ok || !innermost(&in.Blocks[0]) || !e.consecutive(in) {
		return nil, false
	}
	p := e.planOf(in, nil)
	p.reduced = accs
	return p, len(p.single) == 0
}

// writeReduced gives whole groups of n turns to lanes, which begin with the
// identity, joins them with what the loop begins with, and runs the turns that
// are left.
func (p *plan) writeReduced(from, to string, n int) {
	b := p.body
	var before []state
	for j, c := range p.in.Carry {
		before = append(before, state{typ{c.Kind, 1}, p.scalar(p.in.Args[2+j])})
	}
	mid := p.groupsEnd(from, to, n)
	after := p.when(p.set("icmp slt i64 %s, %s", from, mid), before, func() []string {
		size := p.stripSize(b)
		end := p.strips(from, mid, size, p.short(p.in, size), p.start(p.reduced, n), func(from, to string, s []state) ([]string, string) {
			return p.loop(from, to, int64(n), s, func(i string, c []string) ([]string, string) {
				for j, v := range c {
					p.give(b.Params[1+j], v, n)
				}
				p.group(i, n)
				next := make([]string, len(c))
				for j := range c {
					next[j] = p.vector(b.Results[j], n)
				}
				return next, ""
			}), ""
		})
		joined := make([]string, len(end))
		for j, a := range p.reduced {
			joined[j] = p.combine(a, 1, []string{before[j].text}, p.halves(a, n, end[j:j+1]))[0]
		}
		return joined
	})
	plain := p.plain
	p.plain = true
	p.forFrom(p.in, mid, to, with(before, after))
	p.plain = plain
}
