package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop that carries a count and appends elements to arrays where a condition holds, as a filter does. Out: that it is one, so
// that conditions and elements may be computed side by side; then those lanes for which the condition holds are stored one behind the
// other. Invariant: nothing but the condition decides whether the count goes up, by one, and nothing else sees the count.

// Appended is what such a loop appends.
type Appended struct {
	If     *kernel.Instr // that does
	Cond   kernel.Value
	Stores []*kernel.Instr
	Bounds []*kernel.Instr // of the count, which the places of the stores are
}

// leastAppended is the least number of lanes of such a loop. With fewer bytes in a vector it goes over several.
const leastAppended = 4

// Appends gives what a loop appends; nil if it is no such loop.
func (a *Analysis) Appends(in *kernel.Instr) *Appended {
	if in.Code != kernel.For || in.Stop || len(in.Carry) != 1 || in.Carry[0].Kind != num.I64 || !Innermost(&in.Blocks[0]) {
		return nil
	}
	if d := a.Def[in.Blocks[0].Results[0]]; d != nil && d.Code == kernel.If {
		return a.appends(d, &in.Blocks[0])
	}
	return nil
}

// planAppended plans such a loop. Elements that lie one behind the other must be among what it loads: what is loaded from anywhere is
// better loaded only where the condition holds.
func (a *Analysis) planAppended(in *kernel.Instr) *Plan {
	b, found := &in.Blocks[0], a.Appends(in)
	if found == nil || !a.Consecutive(in) {
		return no(Carries)
	}
	p := a.shaped(in, nil)
	if p.Appended = found; len(p.Single) > 1 || !p.Single[found.If] || slices.ContainsFunc(b.Instrs, p.anywhere) {
		return no(Scattered)
	}
	p.Width = 1
	for _, s := range p.Appended.Stores {
		p.Width = max(p.Width, a.K.Regions[s.Region].Elem.Size())
	}
	p.Lanes = min(max(a.Engine.Bytes/max(p.Width, 4), leastAppended), a.Engine.MostLanes)
	return p
}

// anywhere reports a load that has no place beside that of the lane before.
func (p *Plan) anywhere(in kernel.Instr) bool {
	return in.Code == kernel.Load && p.Shapes[in.Args[0]] > Unit
}

// appends gives what an If of a loop's body appends; nil if it does anything else, or something else sees the count.
func (a *Analysis) appends(in *kernel.Instr, body *kernel.Block) *Appended {
	count := body.Params[1]
	if len(in.Out) != 1 {
		return nil
	}
	yes, other := &in.Blocks[0], &in.Blocks[1]
	next := a.Def[yes.Results[0]]
	if len(other.Instrs) > 0 || other.Results[0] != count || !a.follows(next, count) {
		return nil
	}
	x := &Appended{If: in, Cond: in.Args[0]}
	places := map[kernel.Value]bool{count: true, next.Out[0]: true}
	for i := range yes.Instrs {
		switch in := &yes.Instrs[i]; {
		case in == next:
		case in.Code == kernel.Bound && in.Args[0] == count:
			x.Bounds = append(x.Bounds, in)
			places[in.Out[0]] = true
		case in.Code == kernel.Store && a.isBound(in.Args[0], count) && !places[in.Args[1]]:
			x.Stores = append(x.Stores, in)
		default:
			return nil
		}
	}
	for i := range body.Instrs {
		if other := &body.Instrs[i]; other != in && other != next && sees(other, count, next.Out[0]) {
			return nil
		}
	}
	if len(x.Stores) == 0 {
		return nil
	}
	return x
}

// isBound reports a value that is a count, in bounds.
func (a *Analysis) isBound(v, count kernel.Value) bool {
	in := a.Def[v]
	return in != nil && in.Code == kernel.Bound && in.Args[0] == count
}

// follows reports an instruction that gives a count and one more.
func (a *Analysis) follows(in *kernel.Instr, count kernel.Value) bool {
	if in == nil || in.Code != kernel.Arith || in.Op != num.Add || in.Kind != num.I64 || in.Site != kernel.NoSite || in.Args[0] != count {
		return false
	}
	one, ok := a.ConstInt(in.Args[1])
	return ok && one == 1
}

// sees reports that an instruction, or one inside, uses one of two values.
func sees(in *kernel.Instr, v, w kernel.Value) (found bool) {
	in.Each(func(x *kernel.Instr) {
		lists := [][]kernel.Value{x.Args, {x.At}}
		for i := range x.Blocks {
			lists = append(lists, x.Blocks[i].Results)
		}
		for _, list := range lists {
			found = found || slices.Contains(list, v) || slices.Contains(list, w)
		}
	})
	return found
}
