package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
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

// shape says how a value of the body exists in vector code.
type shape uint8

const (
	unknown shape = iota
	uniform
	linear
	varying
)

// plan is what is known of a loop that can be vectorised.
type plan struct {
	*emitter
	n      *node
	b      *block
	shapes []shape
	need   []bool  // values needed as vectors
	width  []uint8 // bytes per element of each varying value, also of masks
	chunk  int     // elements per chunk
	faulty bool    // some instruction may fault
	stored map[int]kernel.Value
	accs   []*vecAcc
}

// planVector analyses the body of a loop; ok is false if it must stay
// scalar.
func (e *emitter) planVector(n *node, accs []*accumulator) (*plan, bool) {
	if e.scalarOnly || n.Stop || n.Tree || len(n.Carry) > 0 {
		return nil, false
	}
	if trips, ok := e.trips(n); ok && trips < 8 {
		return nil, false
	}
	p := &plan{emitter: e, n: n, b: &n.blocks[0], stored: map[int]kernel.Value{}}
	p.shapes = make([]shape, len(e.t.kinds))
	p.need = make([]bool, len(e.t.kinds))
	p.width = make([]uint8, len(e.t.kinds))
	p.shapes[p.b.params[0]] = linear
	if !p.classify() || !p.planAccs(accs) || !p.memorySafe() {
		return nil, false
	}
	p.findNeeds()
	p.widths()
	return p, p.supported()
}

func (p *plan) shape(v kernel.Value) shape {
	if s := p.shapes[v]; s != unknown {
		return s
	}
	return uniform
}

// classify gives every value of the body its shape; nested blocks and
// accesses that do not go element by element end the attempt.
func (p *plan) classify() bool {
	for _, n := range p.b.code {
		switch n.Code {
		case kernel.If, kernel.For, kernel.Fold:
			return false
		case kernel.Load:
			if p.shape(n.Args[0]) == uniform {
				return false
			}
		case kernel.Store:
			if p.shape(n.Args[0]) != linear {
				return false
			}
		}
		if n.Site != kernel.NoSite {
			p.faulty = true
		}
		for _, v := range n.Out {
			p.shapes[v] = varying
			if p.isLinear(n) {
				p.shapes[v] = linear
			}
			if n.Code == kernel.Const {
				p.shapes[v] = uniform
			}
		}
	}
	return true
}

func (p *plan) isLinear(n *node) bool {
	if n.Code != kernel.Arith || n.Kind != num.I64 || n.Site != kernel.NoSite {
		return false
	}
	switch x := p.shape(n.Args[0]); n.Op {
	case num.Add:
		y := p.shape(n.Args[1])
		return x == linear && y == uniform || x == uniform && y == linear
	case num.Sub:
		return x == linear && p.shape(n.Args[1]) == uniform
	}
	return false
}

// memorySafe makes sure that going over a chunk instruction by instruction
// gives what going over it element by element does: a region that is stored
// to is touched at one and the same index only. Where blocks may be gone
// over again for their faults, it must not be loaded at all.
func (p *plan) memorySafe() bool {
	for _, n := range p.b.code {
		if n.Code == kernel.Store {
			if at, ok := p.stored[n.Region]; ok && at != n.Args[0] {
				return false
			}
			p.stored[n.Region] = n.Args[0]
		}
	}
	for _, n := range p.b.code {
		if n.Code == kernel.Load {
			if at, ok := p.stored[n.Region]; ok && (p.faulty || at != n.Args[0]) {
				return false
			}
		}
	}
	return true
}

// findNeeds marks what effects and accumulators need, backwards.
func (p *plan) findNeeds() {
	for _, a := range p.accs {
		p.need[a.src] = true
		if a.factors != nil {
			p.need[a.factors[1]] = true
		}
		if a.mask != kernel.None {
			p.need[a.mask] = true
		}
	}
	for i := len(p.b.code) - 1; i >= 0; i-- {
		n := p.b.code[i]
		switch {
		case n.Code == kernel.Store:
			p.need[n.Args[1]] = true
			continue
		case n.Code == kernel.Fault:
			p.need[n.Args[0]] = true
			continue
		case n.Site == kernel.NoSite && !p.need[n.Out[0]]:
			continue
		case p.shapes[n.Out[0]] == linear:
			continue
		}
		for _, a := range p.vectorArgs(n) {
			p.need[a] = true
		}
	}
}

// vectors reports whether a node is to be emitted as vector code.
func (p *plan) vectors(n *node) bool {
	switch n.Code {
	case kernel.Store, kernel.Fault:
		return true
	}
	v := n.Out[0]
	return p.shapes[v] == varying && (p.need[v] || n.Site != kernel.NoSite)
}

// light is the number of instructions up to which a chunk is as long as
// fills a vector with the narrowest values, not only with the widest.
const light = 8

// widths settles the width of every mask and the number of elements in a
// chunk: the widest values fill one vector each, unless the narrowest would
// then be loaded in less than four bytes or the body is light.
func (p *plan) widths() {
	widest, narrowest := 1, 8
	note := func(v kernel.Value) { widest = max(widest, p.widthOf(v)) }
	for _, n := range p.b.code {
		if !p.vectors(n) {
			continue
		}
		if n.Code == kernel.Store || n.Code == kernel.Load && !p.gathers(n) {
			narrowest = min(narrowest, p.k.Regions[n.Region].Elem.Size())
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
	if len(p.b.code) <= light && widest <= 4*narrowest && !p.halves() {
		p.chunk = 16 / narrowest
	}
	for _, a := range p.accs {
		if a.mode == accRow { // lanes are combined by whole vectors
			p.chunk = max(p.chunk, 16/a.Kind.Size())
		}
	}
}

// vectorArgs are a node's operands that are taken as vectors.
func (p *plan) vectorArgs(n *node) []kernel.Value {
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
func (p *plan) halves() bool {
	for _, n := range p.b.code {
		if n.Code == kernel.Convert && p.vectors(n) && (n.Kind == num.F64) != (n.From == num.F64) {
			return true
		}
	}
	return false
}

// widthOf is the width of a value's elements; that of a uniform mask does
// not count.
func (p *plan) widthOf(v kernel.Value) int {
	switch {
	case p.shape(v) == varying:
		return int(p.width[v])
	case p.kind(v) == num.Bool:
		return 1
	}
	return p.kind(v).Size()
}

func (p *plan) ownWidth(n *node) int {
	k := p.kind(n.Out[0])
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
		if p.kind(a) == num.Bool {
			w = max(w, p.widthOf(a))
		}
	}
	return w
}

// regs is the number of vectors that hold a chunk of elements of a width.
func (p *plan) regs(width int) int { return max(1, p.chunk*width/16) }

// supported reports whether every instruction has a vector form.
func (p *plan) supported() bool {
	for _, n := range p.b.code {
		if p.vectors(n) && !p.supports(n) {
			return false
		}
	}
	return true
}

func (p *plan) supports(n *node) bool {
	switch n.Code {
	case kernel.Load, kernel.Store, kernel.Fault, kernel.Select, kernel.Bitcast, kernel.Bound:
		return true
	case kernel.Arith:
		return p.supportsArith(n)
	case kernel.Convert:
		return supportsConvert(n.Instr)
	}
	return false
}

// weight estimates the number of vector instructions per chunk.
func (p *plan) weight() int {
	sum := 0
	for _, n := range p.b.code {
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
