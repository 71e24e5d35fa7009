package wasm

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Vector code is made for loops whose body is straight and touches memory
// one element after the other. The body is emitted for a chunk of elements
// at a time, every value being one or more vectors:
//
//   - a value that does not vary with the loop is broadcast before it;
//   - a value that is the counter plus something that does not vary (linear)
//     is computed for the first element of a block only, and addresses the
//     whole block;
//   - a Bool is a mask of ones or zeros, as wide as what it was computed from.
//
// Faults are only noticed per block; a block that had one is gone over again
// by scalar code, which records them.

// The shapes that values have here; what is neither of the first two varies.
const (
	uniform = loops.Uniform
	linear  = loops.Unit
	varying = loops.Varying
)

// vectorBody is what is known of a loop that is planned.
type vectorBody struct {
	*loops.Plan
	instrs []*kernel.Instr // of the body, without those that move out of the loop
	need   []bool          // values needed as vectors
	width  []uint8         // bytes per element of each varying value, also of masks
	chunk  int             // elements per chunk
	faulty bool            // some instruction may fault
	accs   []*vecAcc
}

// plan is such a loop, about to be emitted.
type plan struct {
	*emitter
	*vectorBody
}

// Lanes is what code can do with iterations side by side.
func Lanes() loops.Engine { return loops.Engine{Bytes: 16, Steps: true, Support: lanes{}} }

type lanes struct{}

// Takes reports that there is vector code for all of a loop that depends on its counter, and for its accumulators.
func (lanes) Takes(p *loops.Plan) bool {
	s := &vectorBody{Plan: p}
	if !s.prepare(accumulators(p.Of, p.In)) {
		return false
	}
	p.Width = max(1, 16/s.chunk)
	return !slices.ContainsFunc(s.instrs, func(n *kernel.Instr) bool { return s.vectors(n) && (!s.supports(n) || s.strides(n)) })
}

// planVector prepares vector code for a loop; nil if it must stay scalar.
func (e *emitter) planVector(n *node, accs []*accumulator) *plan {
	found, _ := e.t.Plan(n.Instr)
	if found == nil || e.scalarOnly {
		return nil
	}
	s := &vectorBody{Plan: found}
	s.prepare(accs)
	return &plan{e, s}
}

func (p *vectorBody) prepare(accs []*accumulator) bool {
	p.need, p.width = make([]bool, len(p.Shapes)), make([]uint8, len(p.Shapes))
	for i := range p.Body.Instrs {
		n := &p.Body.Instrs[i]
		if len(n.Out) == 0 || p.Shapes[n.Out[0]] != uniform {
			p.instrs = append(p.instrs, n)
		}
		p.faulty = p.faulty || n.Site != kernel.NoSite
	}
	if !p.planAccs(accs) {
		return false
	}
	p.findNeeds()
	p.widths()
	return true
}

func (p *vectorBody) shape(v kernel.Value) loops.Shape {
	if s := p.Shapes[v]; s != loops.Strided {
		return s
	}
	return varying
}

// findNeeds marks what effects and accumulators need, backwards.
func (p *vectorBody) findNeeds() {
	for _, a := range p.accs {
		p.need[a.src] = true
		if a.factors != nil {
			p.need[a.factors[1]] = true
		}
		if a.mask != kernel.None {
			p.need[a.mask] = true
		}
	}
	for i := len(p.instrs) - 1; i >= 0; i-- {
		n := p.instrs[i]
		switch {
		case n.Code == kernel.Store:
			p.need[n.Args[1]] = true
			continue
		case n.Code == kernel.Fault:
			p.need[n.Args[0]] = true
			continue
		case n.Site == kernel.NoSite && !p.need[n.Out[0]]:
			continue
		case p.shape(n.Out[0]) == linear:
			continue
		}
		for _, a := range p.vectorArgs(n) {
			p.need[a] = true
		}
	}
}

// vectors reports whether a node is to be emitted as vector code.
func (p *vectorBody) vectors(n *kernel.Instr) bool {
	switch n.Code {
	case kernel.Store, kernel.Fault:
		return true
	}
	v := n.Out[0]
	return p.shape(v) == varying && (p.need[v] || n.Site != kernel.NoSite)
}

// light is the number of instructions up to which a chunk is as long as
// fills a vector with the narrowest values, not only with the widest.
const light = 8

// widths settles the width of every mask and the number of elements in a
// chunk: the widest values fill one vector each, unless the narrowest would
// then be loaded in less than four bytes or the body is light.
func (p *vectorBody) widths() {
	widest, narrowest := 1, 8
	note := func(v kernel.Value) { widest = max(widest, p.widthOf(v)) }
	for _, n := range p.instrs {
		if !p.vectors(n) {
			continue
		}
		if n.Code == kernel.Store || n.Code == kernel.Load && !p.gathers(n) {
			narrowest = min(narrowest, p.Of.K.Regions[n.Region].Elem.Size())
		}
		if len(n.Out) == 1 {
			p.width[n.Out[0]] = uint8(p.ownWidth(n))
			note(n.Out[0])
		}
		for _, a := range p.vectorArgs(n) {
			note(a)
		}
	}
	for _, a := range p.accs {
		widest = max(widest, a.minWidth(p))
		if a.mask != kernel.None {
			widest = max(widest, p.widthOf(a.mask))
		}
	}
	p.chunk = max(16/widest, 4/narrowest)
	if len(p.instrs) <= light && widest <= 4*narrowest && !p.halves() {
		p.chunk = 16 / narrowest
	}
	for _, a := range p.accs {
		if a.mode == accRow { // lanes are combined by whole vectors
			p.chunk = max(p.chunk, 16/a.Kind.Size())
		}
	}
}

// vectorArgs are a node's operands that are taken as vectors.
func (p *vectorBody) vectorArgs(n *kernel.Instr) []kernel.Value {
	switch {
	case p.gathers(n):
		return []kernel.Value{p.gatherIndex(n)}
	case n.Code == kernel.Load:
		return nil
	case n.Code == kernel.Store:
		return n.Args[1:]
	case isShift(n):
		return n.Args[:1]
	}
	return n.Args
}

// halves reports whether the body converts between F64 and narrower kinds,
// for which there are only instructions on the low half of a vector.
func (p *vectorBody) halves() bool {
	for _, n := range p.instrs {
		if n.Code == kernel.Convert && p.vectors(n) && (n.Kind == num.F64) != (n.From == num.F64) {
			return true
		}
	}
	return false
}

// widthOf is the width of a value's elements; that of a uniform mask does
// not count.
func (p *vectorBody) widthOf(v kernel.Value) int {
	switch {
	case p.shape(v) == varying:
		return int(p.width[v])
	case p.Of.Kind(v) == num.Bool:
		return 1
	}
	return p.Of.Kind(v).Size()
}

func (p *vectorBody) ownWidth(n *kernel.Instr) int {
	k := p.Of.Kind(n.Out[0])
	switch {
	case k != num.Bool:
		return k.Size()
	case n.Code == kernel.Load:
		return 1
	case n.Code == kernel.Arith && n.Kind != num.Bool:
		return n.Kind.Size()
	}
	w := 1
	for _, a := range n.Args {
		if p.Of.Kind(a) == num.Bool {
			w = max(w, p.widthOf(a))
		}
	}
	return w
}

// regs is the number of vectors that hold a chunk of elements of a width.
func (p *vectorBody) regs(width int) int { return max(1, p.chunk*width/16) }

// supports reports that an instruction has a vector form.
func (p *vectorBody) supports(n *kernel.Instr) bool {
	switch n.Code {
	case kernel.Load, kernel.Store, kernel.Fault, kernel.Select, kernel.Bitcast, kernel.Bound:
		return true
	case kernel.Arith:
		return p.supportsArith(n)
	case kernel.Convert:
		return supportsConvert(n)
	}
	return false
}

// weight estimates the number of vector instructions per chunk.
func (p *vectorBody) weight() int {
	sum := 0
	for _, n := range p.instrs {
		if p.vectors(n) {
			sum += 1
			if p.gathers(n) {
				sum += 5 * p.chunk
			}
			if len(n.Out) == 1 {
				sum += p.regs(p.widthOf(n.Out[0])) - 1
			}
			if n.Site != kernel.NoSite {
				sum += 4
			}
			if n.Code == kernel.Arith && n.Op == num.Fma {
				sum += fusedWeight
			}
		}
	}
	for _, a := range p.accs {
		if a.factors != nil {
			sum += fusedWeight
		}
	}
	return sum
}

// fusedWeight is about the number of vector instructions of a fused
// multiply-add.
const fusedWeight = 50
