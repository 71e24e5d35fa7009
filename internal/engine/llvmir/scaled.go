package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a straight body with exponentials (see scaling), out goes its text twice: what is left of it
// where all lanes are ordinary, and all of it for the others.

// whole writes the body for n turns.
func (p *plan) whole() {
	for j := range p.Body.Instrs {
		if in := &p.Body.Instrs[j]; !p.Single[in] {
			p.pack(in)
			p.instr(in)
		}
	}
}

// twice writes both texts and the choice. Nothing but stores leaves either.
func (p *plan) twice(n int) {
	done := map[*kernel.Instr]bool{}
	for _, s := range p.scalings {
		p.upwards(s.sum, done)
	}
	odd := p.anyLane(p.odd(n), p.fewLanes(n))
	slow, fast, after := p.label(), p.label(), p.label()
	p.rarely(odd, slow, fast)
	p.open(fast)
	for j := range p.Body.Instrs {
		if in := &p.Body.Instrs[j]; !done[in] {
			p.shortened(in)
		}
	}
	p.br(after)
	p.open(slow)
	p.whole()
	p.br(after)
	p.open(after)
}

// upwards writes what an instruction needs, and itself.
func (p *plan) upwards(in *kernel.Instr, done map[*kernel.Instr]bool) {
	if done[in] || !p.inBody(in) {
		return
	}
	done[in] = true
	if !p.isLimit(in) {
		for _, a := range in.Args {
			if d := p.Def[a]; d != nil && len(d.Out) > 0 {
				p.upwards(d, done)
			}
		}
		p.shortened(in)
		return
	}
	if d := p.Def[in.Args[0]]; d != nil {
		p.upwards(d, done)
	}
	p.shortened(in)
}

func (p *plan) isLimit(in *kernel.Instr) bool {
	return slices.ContainsFunc(p.scalings, func(s *scaling) bool { return slices.Contains(s.limits, in) })
}

// odd is in which lanes the sum of some exponential is not magic + n for an ordinary n. As integers, sums
// are as far apart as the n; all other floats, and NaN, are farther. The groups' vectors are brought to
// one, with the greatest distances, before they are compared.
func (p *plan) odd(n int) string {
	t := typ{intKind(p.scalings[0].sum.Kind), p.fewLanes(n)}
	any := ""
	for _, s := range p.scalings {
		wide := typ{intKind(s.sum.Kind), n}
		least := num.FromFloat(s.sum.Kind, s.magic-ordinaryPower)
		far := p.two("sub", wide, p.raw(s, n), wide.constant(num.Canon(wide.kind, least)))
		for m := n; m > t.n; m /= 2 {
			far = p.pure("llvm.umax", typ{wide.kind, m / 2}, p.part(typ{wide.kind, m}, far, 0, m/2), p.part(typ{wide.kind, m}, far, m/2, m/2))
		}
		c := p.two("icmp ugt", typ{wide.kind, t.n}, far, typ{wide.kind, t.n}.constant(2*ordinaryPower))
		if any != "" {
			c = p.two("or", t.bool(), any, c)
		}
		any = c
	}
	return any
}

// fewLanes is one vector of the widest sum.
func (p *plan) fewLanes(n int) int {
	size := 1
	for _, s := range p.scalings {
		size = max(size, s.sum.Kind.Size())
	}
	return min(n, p.t.VectorBytes/size)
}

// raw is the sum as an integer, whatever NaN it is.
func (p *plan) raw(s *scaling, n int) string {
	t := typ{s.sum.Kind, n}
	return p.set("bitcast %s %s to %s", t, p.vector(s.sum.Out[0], n), t.bits())
}

// shortened writes what is left of an instruction where all lanes are ordinary.
func (p *plan) shortened(in *kernel.Instr) {
	for _, s := range p.scalings {
		switch {
		case slices.Contains(s.limits, in):
			p.vals[in.Out[0]] = p.at(in.Args[0])
			return
		case slices.Contains(s.bits, in):
			p.give(in.Out[0], p.raw(s, p.lanes), p.lanes)
			return
		case in == s.product:
			p.scaledOnce(s)
			return
		}
	}
	if x, ok := p.canonical(in); ok {
		p.vals[in.Out[0]] = p.at(x)
		return
	}
	p.instr(in)
}

// scaledOnce multiplies by 2^n in one step.
func (p *plan) scaledOnce(s *scaling) {
	t := typ{s.sum.Kind, p.lanes}
	whole := t.bits()
	shifted := p.two("shl", whole, p.raw(s, t.n), whole.constant(uint64(mantissa(t.kind))))
	power := p.set("bitcast %s %s to %s", whole, p.two("add", whole, shifted, whole.constant(s.one)), t)
	p.give(s.product.Out[0], p.two("fmul", t, p.vector(s.first.Args[0], t.n), power), t.n)
}

// canonical finds x in the choice of the one NaN for x, if x is none.
func (p *plan) canonical(in *kernel.Instr) (kernel.Value, bool) {
	if in.Code != kernel.Select {
		return 0, false
	}
	test := p.arithOf(in.Args[0], num.Ne)
	if test == nil || test.Args[0] != test.Args[1] {
		return 0, false
	}
	x := test.Args[0]
	return in.Args[2], slices.ContainsFunc(p.scalings, func(s *scaling) bool { return s.calm[x] })
}
