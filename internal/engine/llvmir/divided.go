package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a straight body that divides by what is the same in all lanes. Out: the quotients by multiplications, where dividends and divisor
// are of ordinary size or the dividend is zero. Invariant: the bits are those of the division.
//
// With r = RN(1/d) and s ≈ 1/d - r, q = RN(x·r + RN(x·s)) is within a unit of the quotient's last place, and then RN(q + RN(x - q·d)·r) is
// the quotient rounded to nearest (P. W. Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990, theorem
// for y = RN(1/b); Muller et al., Handbook of Floating-Point Arithmetic, section on division by Newton-Raphson). It holds where nothing
// overflows or underflows: the sizes below keep q, x·s and the rest, which is at least 2^(-2p) of x, among the normal numbers. A zero comes
// out as zero, and gets the dividend's sign.

// quotient is one such division.
type quotient struct {
	in   *kernel.Instr
	x, d kernel.Value
}

// ordinarySizes are the exponents of dividends and divisors up to which, and from whose negative on, they are ordinary.
func ordinarySizes(k num.Kind) (x, d int) {
	if k == num.F32 {
		return 50, 40
	}
	return 400, 300
}

// quotients are the body's divisions by what is the same in all lanes. A processor without fused operations divides.
func (p *plan) quotients() (list []*quotient) {
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		if in.Code != kernel.Arith || in.Op != num.Div || !in.Kind.IsFloat() || !p.t.fuses() {
			continue
		}
		x, d := in.Args[0], in.Args[1]
		c, isConst := p.constFloat(d)
		if from := p.Def[x]; from == nil || !p.inBody(from) || p.Shapes[x] != loops.Varying || p.Shapes[d] != loops.Uniform || isConst && (isPower(math.Abs(c)) || !isOrdinary(in.Kind, c)) {
			continue
		}
		if in.Kind == num.F32 && p.In.Code == kernel.Fold {
			continue // a fold's lanes are two vectors, for which tests and products take longer than two short divisions
		}
		if from := p.Def[d]; from == nil || !p.inBody(from) {
			list = append(list, &quotient{in, x, d})
		}
	}
	return list
}

func isOrdinary(k num.Kind, d float64) bool {
	_, most := ordinarySizes(k)
	return d >= math.Ldexp(1, -most) && d <= math.Ldexp(1, most)
}

// ordinaryDivisors is whether all divisors are positive and of ordinary size.
func (p *plan) ordinaryDivisors() string {
	all := "true"
	for _, q := range p.divided {
		_, most := ordinarySizes(q.in.Kind)
		t := typ{q.in.Kind, 1}
		least := num.FromFloat(t.kind, math.Ldexp(1, -most))
		far := p.two("sub", t.bits(), p.set("bitcast %s %s to %s", t, p.scalar(q.d), t.bits()), t.bits().constant(least))
		all = p.two("and", t.bool(), all, p.two("icmp ule", t.bits(), far, t.bits().constant(num.FromFloat(t.kind, math.Ldexp(1, most))-least)))
	}
	return all
}

// multiplied is the quotient of ordinary numbers.
func (q *quotient) multiplied(p *plan) {
	one, t := typ{q.in.Kind, 1}, typ{q.in.Kind, p.lanes}
	d := p.scalar(q.d)
	r := p.two("fdiv", one, one.float(1), d)
	s := p.two("fmul", one, p.fused(one, p.set("fneg %s %s", one, r), d, one.float(1)), r)
	by, back, rest, x := p.splat(t, r), p.splat(t, p.set("fneg %s %s", one, d)), p.splat(t, s), p.vector(q.x, t.n)
	near := p.fused(t, x, by, p.two("fmul", t, x, rest))
	exact := p.fused(t, p.fused(t, near, back, x), by, near)
	p.give(q.in.Out[0], p.pure("llvm.copysign", t, exact, x), t.n)
}
