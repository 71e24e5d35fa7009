package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Turned is a nest
//
//	for j { for i { load at … + j; store at j·distance + i } }
//
// that stores row j and loads down a column, as a transposition does: elements of one row lie where j leads from one to the
// next. It goes over blocks of Lanes × Lanes iterations: each loads so many vectors as they lie and turns them around, so that of
// every j there is a vector over i. The order of iterations does not matter, because none stores what another loads or stores:
// regions that are stored to are not loaded from, and rows do not meet if i has no more iterations than Rows, which an emitter
// looks at before the loop.
type Turned struct {
	Outer  *kernel.Instr   // the loop over j
	Before []*kernel.Instr // of its body
	Loads  []Down
	Rows   []kernel.Value // how far the rows of each region that is stored to lie apart
}

// Down is a load that goes down a column, and what computes its index.
type Down struct {
	Load  *kernel.Instr
	Chain []*kernel.Instr
}

// Turns reports a load that is turned around; none is without such a nest.
func (t *Turned) Turns(load *kernel.Instr) bool {
	return t != nil && slices.ContainsFunc(t.Loads, func(d Down) bool { return d.Load == load })
}

// mostTurned bounds the side of a block, whose iterations are written out one by one.
const mostTurned = 16

// turned plans such a nest. The plan is of the loop over i.
func (a *Analysis) turned(in *kernel.Instr) *Plan {
	t := &Turned{Outer: in}
	inner := t.nest()
	if inner == nil || inner.Args[0] >= t.j() || inner.Args[1] >= t.j() {
		return no(Scattered)
	}
	p := a.shaped(inner, nil)
	if len(p.Single) > 0 || slices.ContainsFunc(p.Body.Instrs, func(in kernel.Instr) bool { return len(in.Blocks) > 0 }) || !t.finds(p) {
		return no(Scattered)
	}
	p.weigh()
	p.Turned, p.Lanes = t, min(mostTurned, a.Engine.MostLanes)
	for _, d := range t.Loads {
		p.Lanes = min(p.Lanes, a.Engine.Bytes/a.elem(d.Load).Size())
	}
	if p.Lanes < 2 || p.Lanes*p.Work.All() > mostWork {
		return no(Little)
	}
	return p
}

// nest gives the only loop in the outer one's body, beside what has no effect.
func (t *Turned) nest() (inner *kernel.Instr) {
	b := &t.Outer.Blocks[0]
	if !plainNest(t.Outer) {
		return nil
	}
	for i := range b.Instrs {
		switch in := &b.Instrs[i]; {
		case in.Code == kernel.For && inner == nil && plainNest(in):
			inner = in
		case HasEffect(*in) || inner != nil:
			return nil
		default:
			t.Before = append(t.Before, in)
		}
	}
	return inner
}

func (t *Turned) j() kernel.Value { return t.Outer.Blocks[0].Params[0] }

func (a *Analysis) elem(in *kernel.Instr) num.Kind { return a.K.Regions[in.Region].Elem }

// finds looks at every load and store of the nest.
func (t *Turned) finds(p *Plan) bool {
	stored := map[int]bool{}
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		if in.Code != kernel.Store {
			continue
		}
		row, ok := t.row(p, in.Args[0])
		if !ok || stored[in.Region] {
			return false
		}
		stored[in.Region], t.Rows = true, append(t.Rows, row)
	}
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		if in.Code != kernel.Load {
			continue
		}
		if stored[in.Region] {
			return false
		}
		if chain, ok := t.goesDown(p, in); ok {
			t.Loads = append(t.Loads, Down{in, chain})
		}
	}
	return len(stored) > 0 && len(t.Loads) > 0
}

// row finds the distance of rows in an index that is j·distance + i, and more that is known before the nest.
func (t *Turned) row(p *Plan, index kernel.Value) (distance kernel.Value, ok bool) {
	s, ok := p.Of.Sum(index, p.Body)
	if !ok || s.Step != 1 {
		return kernel.None, false
	}
	distance = kernel.None
	for v, times := range s.Terms {
		if v < t.j() {
			continue
		}
		d, ok := p.Of.other(v, num.Mul, t.j())
		if !ok || distance != kernel.None || times != 1 || d >= t.j() {
			return kernel.None, false
		}
		distance = d
	}
	return distance, distance != kernel.None
}

// goesDown reports a load whose elements lie apart for each i, and one behind the other for each j.
func (t *Turned) goesDown(p *Plan, in *kernel.Instr) (chain []*kernel.Instr, ok bool) {
	chain, plain := p.Of.chain(in.Args[0], t.j())
	return chain, plain && p.Of.elem(in) != num.Bool && p.Shapes[in.Args[0]] == Strided && t.growsBy1(p.Of, in.Args[0])
}

// growsBy1 reports an index that is j and what does not depend on j.
func (t *Turned) growsBy1(a *Analysis, v kernel.Value) bool {
	if v == t.j() {
		return true
	}
	for _, op := range []num.Op{num.Add, num.Sub} {
		if d := a.PlainArith(v, op); d != nil {
			x, y := d.Args[0], d.Args[1]
			return t.growsBy1(a, x) && !a.DependsOn(y, t.j()) || op == num.Add && t.growsBy1(a, y) && !a.DependsOn(x, t.j())
		}
	}
	return false
}
