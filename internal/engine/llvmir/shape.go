package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// apart is the shape of what exists for one turn at a time only.
const apart = varying + 1

// plan says how turns of a loop are computed side by side: which of the body's
// instructions all at once, and which afterwards, turn by turn.
type plan struct {
	*emitter
	in     *kernel.Instr
	body   *kernel.Block
	shapes []shape
	single map[*kernel.Instr]bool // of the body: turn by turn
	access []access
	depth  int // of loops inside, at this point of the analysis
	// batch is how many turns at most are computed side by side before the
	// single instructions follow, which find spills in memory.
	batch  int64
	spills []spilled
	copied []*table
	met    *encounters // what is relied on of accesses to one region; nil for nothing
	// reduced is what the loop carries, one for each value.
	reduced []accumulator
	// prefixed is what the loop carries and uses in every turn, one for each value.
	prefixed []*prefix
	// scalings are the exponentials that are shorter where all lanes are ordinary.
	scalings []*scaling
}

// access is a load or store of the part that is computed side by side.
type access struct {
	in  *kernel.Instr
	top *kernel.Instr // the instruction of the body that it is or lies in
	// looped tells that it lies in a loop inside, so that a turn comes to it
	// more than once.
	looped bool
}

// examine finds a plan for a loop. The turns of the loop see one another's
// effects in memory as if they ran in order.
func (e *emitter) examine(in *kernel.Instr) (*plan, bool) {
	if in.Stop {
		return nil, false
	}
	if len(in.Carry) > 0 {
		if p, ok := e.examineReduced(in); ok {
			return p, true
		}
		return e.examinePrefixes(in)
	}
	if innermost(&in.Blocks[0]) {
		if p := e.planOf(in, &encounters{closest: maxLanes}); len(p.single) == 0 {
			return p, true
		}
	}
	p := e.planOf(in, nil)
	return p, len(p.single) < len(p.body.Instrs)
}

// planOf parts the instructions of a loop. With a, turns that touch a region in
// different places are held to be apart as far as a can see to that.
func (e *emitter) planOf(in *kernel.Instr, a *encounters) *plan {
	p := &plan{emitter: e, in: in, body: &in.Blocks[0], shapes: make([]shape, len(e.kinds)), single: map[*kernel.Instr]bool{}, met: a}
	p.shapes[p.body.Params[0]] = unit
	for _, c := range p.body.Params[1:] {
		p.shapes[c] = varying
	}
	for again := true; again; {
		p.access = nil
		for i := range p.body.Instrs {
			p.classify(&p.body.Instrs[i])
		}
		again = p.separate()
	}
	return p
}

func (p *plan) classify(in *kernel.Instr) {
	n := len(p.access)
	p.depth = 0
	if p.single[in] || !p.fits(in, in) {
		p.access = p.access[:n]
		p.single[in] = true
		for _, v := range in.Out {
			p.shapes[v] = apart
		}
	}
}

// separate looks for instructions that must run turn by turn because others
// that do touch the same region, and reports whether there are new ones.
func (p *plan) separate() bool {
	stored, touched := p.ofSingles()
	before := len(p.single)
	for _, a := range p.access {
		r := a.in.Region
		switch {
		case a.in.Code == kernel.Load && stored[r]:
			p.single[a.top] = true
		case a.in.Code == kernel.Store && (touched[r] || p.elsewhere(a)):
			p.single[a.top] = true
		}
	}
	return len(p.single) > before
}

func (p *plan) ofSingles() (stored, touched map[int]bool) {
	stored, touched = map[int]bool{}, map[int]bool{}
	for in := range p.single {
		each(in, func(in *kernel.Instr) {
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

// elsewhere reports that a region that is stored to is also touched at
// another index, or inside of a loop, and may be at an element of another turn.
func (p *plan) elsewhere(store access) bool {
	return slices.ContainsFunc(p.access, func(a access) bool {
		return a.in.Region == store.in.Region && (a.in.Args[0] != store.in.Args[0] || a.looped) && !p.far(store, a)
	})
}

// each visits an instruction and all inside.
func each(in *kernel.Instr, visit func(*kernel.Instr)) {
	visit(in)
	for i := range in.Blocks {
		for j := range in.Blocks[i].Instrs {
			each(&in.Blocks[i].Instrs[j], visit)
		}
	}
}

// most is the most general shape among values.
func (p *plan) most(vs ...kernel.Value) shape {
	s := uniform
	for _, v := range vs {
		s = max(s, p.shapes[v])
	}
	return s
}

// fits gives the results of an instruction their shapes; false if it cannot be
// computed for several turns at once.
func (p *plan) fits(in, top *kernel.Instr) bool {
	if p.most(in.Args...) == apart || in.At != kernel.None && p.shapes[in.At] == apart {
		return false
	}
	switch in.Code {
	case kernel.Store:
		p.access = append(p.access, access{in, top, p.depth > 0})
		return p.shapes[in.Args[0]] == unit
	case kernel.Fault:
		return true
	case kernel.If:
		return p.fitsIf(in, top)
	case kernel.For:
		return p.fitsFor(in, top)
	case kernel.Fold:
		return p.fitsFold(in, top)
	case kernel.Load:
		p.access = append(p.access, access{in, top, p.depth > 0})
	}
	s := p.most(in.Args...)
	if len(in.Args) == 2 {
		s = linear(in, p.shapes[in.Args[0]], p.shapes[in.Args[1]])
	} else if s != uniform {
		s = varying
	}
	p.shapes[in.Out[0]] = s
	return true
}

func (p *plan) fitsBlock(b *kernel.Block, top *kernel.Instr) bool {
	for i := range b.Instrs {
		if !p.fits(&b.Instrs[i], top) {
			return false
		}
	}
	return p.most(b.Results...) != apart
}

// fitsIf takes conditions that differ from lane to lane if both blocks can be
// computed whatever they are.
func (p *plan) fitsIf(in, top *kernel.Instr) bool {
	same := p.shapes[in.Args[0]] == uniform
	for i := range in.Blocks {
		b := &in.Blocks[i]
		if !same && slices.ContainsFunc(b.Instrs, hasEffect) || !p.fitsBlock(b, top) {
			return false
		}
	}
	for j, v := range in.Out {
		p.shapes[v] = varying
		if same && p.most(in.Blocks[0].Results[j], in.Blocks[1].Results[j]) == uniform {
			p.shapes[v] = uniform
		}
	}
	return true
}

// hasEffect reports that an instruction does more than compute, or may only be
// computed where its condition holds.
func hasEffect(in kernel.Instr) bool {
	switch in.Code {
	case kernel.Load, kernel.Store, kernel.Fault, kernel.If, kernel.For, kernel.Fold:
		return true
	}
	return in.Site != kernel.NoSite
}

// fitsFor finds the shapes of carried values: what starts out the same in all
// lanes may differ after a turn.
func (p *plan) fitsFor(in, top *kernel.Instr) bool {
	b := &in.Blocks[0]
	if p.most(in.Args[:2]...) != uniform {
		return false
	}
	p.shapes[b.Params[0]] = uniform
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
		p.shapes[v] = p.shapes[b.Params[1+j]]
	}
	return !in.Stop || p.shapes[b.Results[len(in.Carry)]] == uniform
}

// carry notes that a parameter may be v, and reports whether that is news.
func (p *plan) carry(param, v kernel.Value) bool {
	if p.shapes[v] == uniform || p.shapes[param] == varying {
		return false
	}
	p.shapes[param] = varying
	return true
}

func (p *plan) fitsFold(in, top *kernel.Instr) bool {
	b := &in.Blocks[0]
	if p.most(in.Args...) != uniform {
		return false
	}
	p.shapes[b.Params[0]] = uniform
	for _, v := range in.Out {
		p.shapes[v] = uniform
	}
	p.depth++
	if !p.fitsBlock(b, top) {
		return false
	}
	p.depth--
	if !sameInAll(in, p.shapes) {
		for _, v := range in.Out {
			p.shapes[v] = varying
		}
	}
	return true
}

// stepsBy1 reports that an index grows with a loop's counter.
func (e *emitter) stepsBy1(v, counter kernel.Value) bool {
	if v == counter {
		return true
	}
	d := e.def[v]
	return d != nil && d.Code == kernel.Arith && d.Kind == num.I64 && d.Site == kernel.NoSite &&
		(d.Op == num.Add && (e.stepsBy1(d.Args[0], counter) || e.stepsBy1(d.Args[1], counter)) || d.Op == num.Sub && e.stepsBy1(d.Args[0], counter))
}
