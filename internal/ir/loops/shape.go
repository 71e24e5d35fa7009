package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the body of a loop. Out: what each value is in iterations that are computed side by side, and which instructions cannot
// be.

// Shape is what a value is in all lanes.
type Shape uint8

// The shapes, each more general than the one before.
const (
	Uniform Shape = iota // the same
	Unit                 // I64, one more from lane to lane
	Strided              // I64, more by something uniform from lane to lane
	Varying              // anything
	Lone                 // it exists for one lane at a time only
)

// Linear is the shape of an operation with two operands that grow from lane to lane; Varying where nothing better is known.
func Linear(in *kernel.Instr, a, b Shape) Shape {
	switch {
	case a == Uniform && b == Uniform:
		return Uniform
	case in.Code != kernel.Arith || in.Kind != num.I64 || in.Site != kernel.NoSite || a == Varying || b == Varying:
		return Varying
	case in.Op == num.Add && (a == Uniform || b == Uniform):
		return max(a, b)
	case in.Op == num.Sub && b == Uniform:
		return a
	case in.Op == num.Sub && a == Uniform:
		return Strided
	case in.Op == num.Mul && (a == Uniform || b == Uniform):
		return Strided
	}
	return Varying
}

// Access is a load or store of the part that is computed side by side.
type Access struct {
	In  *kernel.Instr
	top *kernel.Instr // the instruction of the body that it is or lies in
	// looped tells that it lies in a loop inside, so that an iteration comes to it more than once.
	looped bool
}

// shaped gives a plan its shapes, and parts the instructions of the body. With m, iterations that touch a region in different
// places are held not to meet as far as m can see to that. The iterations of the loop see one another's effects in memory
// as if they ran in order.
func (a *Analysis) shaped(in *kernel.Instr, m *Meetings) *Plan {
	p := &Plan{Of: a, In: in, Body: &in.Blocks[0], Shapes: make([]Shape, len(a.Kinds)), Single: map[*kernel.Instr]bool{}, Meet: m}
	p.Shapes[p.Body.Params[0]] = Unit
	for _, c := range p.Body.Params[1:] {
		p.Shapes[c] = Varying
	}
	for again := true; again; {
		p.Access = nil
		for i := range p.Body.Instrs {
			p.classify(&p.Body.Instrs[i])
		}
		again = p.separate()
	}
	return p
}

func (p *Plan) classify(in *kernel.Instr) {
	n := len(p.Access)
	p.depth = 0
	if p.Single[in] || !p.fits(in, in) {
		p.Access = p.Access[:n]
		p.Single[in] = true
		for _, v := range in.Out {
			p.Shapes[v] = Lone
		}
	}
}

// separate looks for instructions that must run one lane after the other because others that do touch the same region, and
// reports whether there are new ones.
func (p *Plan) separate() bool {
	stored, touched := p.ofSingles()
	before := len(p.Single)
	for _, a := range p.Access {
		r := a.In.Region
		switch {
		case a.In.Code == kernel.Load && stored[r]:
			p.Single[a.top] = true
		case a.In.Code == kernel.Store && (touched[r] || p.elsewhere(a)):
			p.Single[a.top] = true
		}
	}
	return len(p.Single) > before
}

func (p *Plan) ofSingles() (stored, touched map[int]bool) {
	stored, touched = map[int]bool{}, map[int]bool{}
	for in := range p.Single {
		in.Each(func(in *kernel.Instr) {
			if in.Code == kernel.Store {
				stored[in.Region] = true
			}
			if in.Code == kernel.Store || in.Code == kernel.Load {
				touched[in.Region] = true
			}
		})
	}
	return stored, touched
}

// elsewhere reports that a region that is stored to is also touched at another index, or inside of a loop, and may be at an
// element of another iteration.
func (p *Plan) elsewhere(store Access) bool {
	return slices.ContainsFunc(p.Access, func(a Access) bool {
		return a.In.Region == store.In.Region && (a.In.Args[0] != store.In.Args[0] || a.looped) && !p.far(store, a)
	})
}

// most is the most general shape among values.
func (p *Plan) most(vs ...kernel.Value) Shape {
	s := Uniform
	for _, v := range vs {
		s = max(s, p.Shapes[v])
	}
	return s
}

// fits gives the results of an instruction their shapes; false if it cannot be computed for several lanes at once.
func (p *Plan) fits(in, top *kernel.Instr) bool {
	if p.most(in.Args...) == Lone || in.At != kernel.None && p.Shapes[in.At] == Lone || len(in.Blocks) > 0 && !p.Of.Engine.Nests {
		return false
	}
	switch in.Code {
	case kernel.Store:
		p.Access = append(p.Access, Access{in, top, p.depth > 0})
		return p.Shapes[in.Args[0]] == Unit
	case kernel.Fault:
		return true
	case kernel.If:
		return p.fitsIf(in, top)
	case kernel.For:
		return p.fitsFor(in, top)
	case kernel.Fold:
		return p.fitsFold(in, top)
	case kernel.Load:
		p.Access = append(p.Access, Access{in, top, p.depth > 0})
	}
	s := p.most(in.Args...)
	if len(in.Args) == 2 {
		s = Linear(in, p.Shapes[in.Args[0]], p.Shapes[in.Args[1]])
	} else if s != Uniform {
		s = Varying
	}
	if in.Site != kernel.NoSite && !p.Of.Engine.Nests { // its faults are looked for in vectors
		s = Varying
	}
	p.Shapes[in.Out[0]] = s
	return true
}

func (p *Plan) fitsBlock(b *kernel.Block, top *kernel.Instr) bool {
	for i := range b.Instrs {
		if !p.fits(&b.Instrs[i], top) {
			return false
		}
	}
	return p.most(b.Results...) != Lone
}

// fitsIf takes conditions that differ from lane to lane if both blocks can be computed whatever they are.
func (p *Plan) fitsIf(in, top *kernel.Instr) bool {
	same := p.Shapes[in.Args[0]] == Uniform
	for i := range in.Blocks {
		b := &in.Blocks[i]
		if !same && slices.ContainsFunc(b.Instrs, pinned) || !p.fitsBlock(b, top) {
			return false
		}
	}
	for j, v := range in.Out {
		p.Shapes[v] = Varying
		if same && p.most(in.Blocks[0].Results[j], in.Blocks[1].Results[j]) == Uniform {
			p.Shapes[v] = Uniform
		}
	}
	return true
}

// pinned reports an instruction that must not run for a lane that does not come to it. What only may fault may run, if its faults do not
// count.
func pinned(in kernel.Instr) bool {
	switch in.Code {
	case kernel.Load, kernel.Store, kernel.For, kernel.Fold:
		return true
	}
	return slices.ContainsFunc(in.Blocks, func(b kernel.Block) bool { return slices.ContainsFunc(b.Instrs, pinned) })
}

// fitsFor finds the shapes of carried values: what starts out the same in all lanes may differ after an iteration.
func (p *Plan) fitsFor(in, top *kernel.Instr) bool {
	b := &in.Blocks[0]
	if p.most(in.Args[:2]...) != Uniform {
		return false
	}
	p.Shapes[b.Params[0]] = Uniform
	p.depth++
	for j := range in.Carry {
		p.carry(b.Params[1+j], in.Args[2+j])
	}
	for again := true; again; {
		if !p.fitsBlock(b, top) {
			return false
		}
		again = false
		for j := range in.Carry {
			again = p.carry(b.Params[1+j], b.Results[j]) || again
		}
	}
	p.depth--
	for j, v := range in.Out {
		p.Shapes[v] = p.Shapes[b.Params[1+j]]
	}
	return !in.Stop || p.Shapes[b.Results[len(in.Carry)]] == Uniform
}

// carry notes that a parameter may be v, and reports whether that is news.
func (p *Plan) carry(param, v kernel.Value) bool {
	if p.Shapes[v] == Uniform || p.Shapes[param] == Varying {
		return false
	}
	p.Shapes[param] = Varying
	return true
}

func (p *Plan) fitsFold(in, top *kernel.Instr) bool {
	b := &in.Blocks[0]
	if p.most(in.Args...) != Uniform {
		return false
	}
	p.Shapes[b.Params[0]] = Uniform
	for _, v := range in.Out {
		p.Shapes[v] = Uniform
	}
	p.depth++
	if !p.fitsBlock(b, top) {
		return false
	}
	p.depth--
	if !SameInAll(in, p.Shapes) {
		for _, v := range in.Out {
			p.Shapes[v] = Varying
		}
	}
	return true
}

// SameInAll reports that a loop is the same in all lanes, with all inside.
func SameInAll(in *kernel.Instr, shapes []Shape) bool {
	same := true
	in.Each(func(in *kernel.Instr) {
		lists := [][]kernel.Value{in.Out, in.Args}
		for _, b := range in.Blocks {
			lists = append(lists, b.Results)
		}
		for _, v := range slices.Concat(lists...) {
			same = same && shapes[v] == Uniform
		}
		same = same && in.Code != kernel.Store && (in.At == kernel.None || shapes[in.At] == Uniform)
	})
	return same
}
