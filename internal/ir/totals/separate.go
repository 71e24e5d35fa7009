package totals

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// In: a kernel with its classes. Out: whether no two outer indices touch an element that one of them stores, given that what
// counts positions does not leave its limits. There are two reasons: verify shows it of the outer index; or every
// store keeps to the row of a position p that a state counts: p ≥ the state before, and the state behind ≥ p + 1.
// Invariant: states that count go up by ones, so that none gets beyond 64 bits.

// separate refuses a kernel of which stores may meet.
func (l *Law) separate(k *kernel.Kernel, c *classes) error {
	stored, loaded := map[int]bool{}, map[int]bool{}
	k.Body.Each(func(in *kernel.Instr) {
		stored[in.Region] = stored[in.Region] || in.Code == kernel.Store
		loaded[in.Region] = loaded[in.Region] || in.Code == kernel.Load
	})
	p := newPositions(k, c)
	p.find(&k.Body, nil)
	s, err := verify.Separate(k, p.of)
	if err != nil {
		return err
	}
	for r := range k.Regions {
		switch {
		case !stored[r] || k.Regions[r].Access == kernel.Scratch:
		case loaded[r]:
			return refuse("region r%d is both loaded and stored", r)
		case s.ByOuter[r]:
		case !s.ByPosition[r] || !p.counted(r):
			return refuse("outer indices may store to the same element of region r%d", r)
		}
	}
	l.limits, l.needs = p.limits, s.Needs
	return nil
}

// nest is a block with what it stands in.
type nest struct {
	block *kernel.Block
	owner *kernel.Instr // nil of the body
	up    *nest
}

// positions finds the stores whose place a state says.
type positions struct {
	k      *kernel.Kernel
	c      *classes
	def    []*kernel.Instr
	param  map[kernel.Value]*kernel.Instr // the loop that carries it
	of     map[*kernel.Instr]kernel.Value // of a store, its position
	at     map[kernel.Value]kernel.Value  // of an index, or None
	in     map[*kernel.Instr]*nest
	known  map[[2]kernel.Value]int64
	limits []limit
}

func newPositions(k *kernel.Kernel, c *classes) *positions {
	return &positions{k: k, c: c, def: k.Defs(), param: map[kernel.Value]*kernel.Instr{},
		of: map[*kernel.Instr]kernel.Value{}, at: map[kernel.Value]kernel.Value{}, in: map[*kernel.Instr]*nest{}, known: map[[2]kernel.Value]int64{}}
}

// find notes what defines values, and the positions of stores.
func (p *positions) find(b *kernel.Block, up *nest) {
	n := &nest{block: b, up: up}
	p.inside(n)
}

func (p *positions) inside(n *nest) {
	for i := range n.block.Instrs {
		in := &n.block.Instrs[i]
		if in.Code == kernel.For {
			for _, v := range in.Blocks[0].Params[1:] {
				p.param[v] = in
			}
		}
		if in.Code == kernel.Store {
			if at := p.position(in.Args[0]); at != kernel.None {
				p.of[in], p.in[in] = at, n
			}
		}
		for j := range in.Blocks {
			p.inside(&nest{&in.Blocks[j], in, n})
		}
	}
}

// position is the limited state that an index is worked out of, None if there is none.
func (p *positions) position(index kernel.Value) kernel.Value {
	at, ok := p.at[index]
	if !ok {
		at = p.positionOf(index)
		p.at[index] = at
	}
	return at
}

func (p *positions) positionOf(index kernel.Value) kernel.Value {
	in := p.def[index]
	switch {
	case in == nil:
	case in.Code == kernel.Bound && p.c.of[in.Args[0]].state >= 0:
		return index
	case in.Code == kernel.Arith:
		for _, a := range in.Args {
			if at := p.position(a); at != kernel.None {
				return at
			}
		}
	}
	return kernel.None
}

// counted reports that a state counts the positions of all stores to a region, and notes their limits.
func (p *positions) counted(region int) bool {
	state, all := -1, true
	p.k.Body.Each(func(in *kernel.Instr) {
		if in.Code != kernel.Store || in.Region != region || !all {
			return
		}
		bound := p.def[p.of[in]]
		w := bound.Args[0]
		j := p.c.of[w].state
		all = (state < 0 || state == j) && p.least(w, p.k.Body.Params[3+j]) >= 0 &&
			p.least(p.k.Body.Results[j], p.k.Body.Params[3+j]) >= 0 && p.passed(w, 1, j, p.in[in])
		state = j
		p.limits = append(p.limits, limit{j, bound.Poly})
	})
	return all
}

// passed reports that wherever a block runs, the state behind the outer index is at least w + more.
func (p *positions) passed(w kernel.Value, more int64, state int, n *nest) bool {
	if n.owner == nil {
		return p.least(p.k.Body.Results[state], w) >= more
	}
	for i, out := range n.owner.Out {
		switch n.owner.Code {
		case kernel.If:
		case kernel.For:
			if !p.grows(n.owner, i) {
				continue
			}
		default:
			continue
		}
		if p.least(n.block.Results[i], w) >= more && p.passed(out, 0, state, n.up) {
			return true
		}
	}
	return p.passed(w, more, state, n.up)
}

// never says that nothing is known of the difference of two values.
const never = -1

// least is how much greater v is than u at least, never if that may be less than 0.
func (p *positions) least(v, u kernel.Value) int64 {
	if v == u {
		return 0
	}
	key := [2]kernel.Value{v, u}
	if n, ok := p.known[key]; ok {
		return n
	}
	p.known[key] = never // of what is on the way to itself
	n := p.leastOf(v, u)
	p.known[key] = n
	return n
}

func (p *positions) leastOf(v, u kernel.Value) int64 {
	if loop := p.param[v]; loop != nil {
		i := int(v - loop.Blocks[0].Params[1])
		if p.grows(loop, i) {
			return p.least(loop.Args[2+i], u)
		}
		return never
	}
	in := p.def[v]
	if in == nil {
		return never
	}
	switch in.Code {
	case kernel.Arith:
		for i, a := range in.Args {
			if in.Op == num.Add && in.Kind == num.I64 && p.isOne(in.Args[1-i]) {
				if n := p.least(a, u); n != never {
					return n + 1
				}
			}
		}
	case kernel.Select:
		return min(p.least(in.Args[1], u), p.least(in.Args[2], u))
	case kernel.If:
		i := v - in.Out[0]
		return min(p.least(in.Blocks[0].Results[i], u), p.least(in.Blocks[1].Results[i], u))
	case kernel.For:
		if i := int(v - in.Out[0]); p.grows(in, i) {
			return p.least(in.Args[2+i], u)
		}
	}
	return never
}

func (p *positions) isOne(v kernel.Value) bool {
	in := p.def[v]
	return in != nil && in.Code == kernel.Const && in.Kind == num.I64 && in.Bits == 1
}

// grows reports that carried value i of a loop never falls.
func (p *positions) grows(loop *kernel.Instr, i int) bool {
	b := &loop.Blocks[0]
	return p.least(b.Results[i], b.Params[1+i]) >= 0
}
