package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// An exponential limits its argument y, rounds y·log2(e) to an integer n by adding a large number to it,
// and multiplies something near 1 by 2^n in two steps, so that it overflows and underflows with one
// rounding. Where 2^n and the result are ordinary numbers, neither the limits nor the second step change
// anything, and there is no NaN to bring into its one form. In comes a straight body,
// out goes what may be left out where all lanes are so, and the condition. A proof by intervals, one
// for each n, makes sure that the bits are the same.

// ordinaryPower bounds |n|: 2^n and 2^-n, and their halves and doubles, are normal numbers in every kind of float.
const ordinaryPower = 125

// scaling is one such exponential.
type scaling struct {
	sum     *kernel.Instr         // n + magic, of which the low bits are n
	magic   float64               // floats about it are the integers
	factor  float64               // by which y is multiplied
	y       kernel.Value          // the limited argument
	x       kernel.Value          // the same without limits
	limits  []*kernel.Instr       // between the two
	bits    []*kernel.Instr       // the sum as an integer
	first   *kernel.Instr         // step
	product *kernel.Instr         // second step, and result
	one     uint64                // one step's factor has the bits (sum << mantissa) + one
	added   bool                  // what is multiplied lies in 1/2..2: then n is added to its exponent
	calm    map[kernel.Value]bool // what is not NaN where n is ordinary
}

// ordinary finds the exponentials of a body that is written for all lanes at once, and the floats that it asks much about.
func (p *plan) ordinary() {
	p.scalings, p.asked, p.divided = nil, nil, nil
	if len(p.Single) > 0 || len(p.Reduced) > 0 || p.In.Code != kernel.Fold && len(p.Body.Results) > 0 || p.Meet.Any() {
		return
	}
	var list []*scaling
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		if len(in.Blocks) > 0 || in.Site != kernel.NoSite && in.Code != kernel.Load && in.Code != kernel.Store {
			return
		}
		if s := p.scaling(in); s != nil && s.proved(p) {
			list = append(list, s)
		}
	}
	p.scalings, p.asked, p.divided = list, p.regulars(), p.quotients()
}

func (p *plan) arithOf(v kernel.Value, op num.Op) *kernel.Instr {
	if d := p.Def[v]; d != nil && d.Code == kernel.Arith && d.Op == op {
		return d
	}
	return nil
}

// scaling finds the parts of an exponential by its last multiplication.
func (p *plan) scaling(in *kernel.Instr) *scaling {
	if in.Code != kernel.Arith || in.Op != num.Mul || !in.Kind.IsFloat() {
		return nil
	}
	first := p.arithOf(in.Args[0], num.Mul)
	if first == nil || !p.inBody(first) {
		return nil
	}
	s := &scaling{first: first, product: in}
	if s.sum = p.integerOf(in.Args[1]); s.sum == nil || s.sum != p.integerOf(first.Args[1]) || !s.reduction(p) {
		return nil
	}
	for i := range p.Body.Instrs {
		if b := &p.Body.Instrs[i]; b.Code == kernel.Bitcast && b.Args[0] == s.sum.Out[0] {
			s.bits = append(s.bits, b)
		}
	}
	return s
}

func (p *plan) inBody(in *kernel.Instr) bool { return in.Out[0] > p.Body.Params[0] }

// integerOf is the only float of which a float's bits are made by operations on integers.
func (p *plan) integerOf(v kernel.Value) *kernel.Instr {
	d := p.Def[v]
	switch {
	case d == nil:
		return nil
	case d.Code == kernel.Bitcast && d.From.IsFloat():
		return p.Def[d.Args[0]]
	case d.Code != kernel.Bitcast && !(d.Code == kernel.Arith && d.Kind.IsInt()):
		return nil
	}
	var from *kernel.Instr
	for _, a := range d.Args {
		if c := p.Def[a]; c != nil && c.Code == kernel.Const {
			continue
		}
		f := p.integerOf(a)
		if f == nil || from != nil && f != from {
			return nil
		}
		from = f
	}
	return from
}

func (p *plan) constFloat(v kernel.Value) (float64, bool) {
	if d := p.Def[v]; d != nil && d.Code == kernel.Const && d.Kind.IsFloat() {
		return num.ToFloat(d.Kind, d.Bits), true
	}
	return 0, false
}

// reduction finds what is rounded: the sum is y·factor + magic, fused or not.
func (s *scaling) reduction(p *plan) bool {
	in := s.sum
	if in.Code != kernel.Arith || !p.inBody(in) || in.Kind != s.product.Kind {
		return false
	}
	factors, ok := in.Args, false
	if in.Op == num.Add {
		m := p.arithOf(in.Args[0], num.Mul)
		if m == nil || !p.inBody(m) {
			return false
		}
		factors = m.Args
	} else if in.Op != num.Fma {
		return false
	}
	if s.magic, ok = p.constFloat(in.Args[len(in.Args)-1]); !ok {
		return false
	}
	if s.factor, ok = p.constFloat(factors[1]); !ok || !(s.factor > 0x1p-8 && s.factor < 0x1p8) {
		return false
	}
	unit := math.Ldexp(1, mantissa(in.Kind))
	if !(s.magic-ordinaryPower > unit && s.magic+ordinaryPower < 2*unit) || s.magic != math.Trunc(s.magic) {
		return false
	}
	s.y = factors[0]
	return s.unlimited(p)
}

// mantissa is the number of bits behind the point.
func mantissa(k num.Kind) int {
	if k == num.F32 {
		return 23
	}
	return 52
}

// unlimited looks behind limits to what the exponential was given, if they are wider than what is ordinary.
func (s *scaling) unlimited(p *plan) bool {
	most := (ordinaryPower + 1) / s.factor
	for s.x = s.y; ; {
		d := p.Def[s.x]
		if d == nil || d.Code != kernel.Arith || d.Op != num.Min && d.Op != num.Max {
			return p.Shapes[s.x] == loops.Varying
		}
		limit, ok := p.constFloat(d.Args[1])
		if !ok || !p.inBody(d) || d.Op == num.Min && !(limit > most) || d.Op == num.Max && !(limit < -most) {
			return p.Shapes[s.x] == loops.Varying
		}
		s.limits = append(s.limits, d)
		s.x = d.Args[0]
	}
}

// proved reports that for every ordinary n one step gives the bits of two, and notes which values are
// not NaN whatever n is.
func (s *scaling) proved(p *plan) bool {
	s.calm, s.added = map[kernel.Value]bool{}, true
	for n := -ordinaryPower; n <= ordinaryPower; n++ {
		b := s.given(p, n)
		for i := range p.Body.Instrs {
			in := &p.Body.Instrs[i]
			if in == s.product {
				b.known[in.Out[0]] = s.scaled(b, n)
				continue
			}
			b.take(in)
		}
		if b.of(s.product.Out[0]).nan || !s.exactly(b, n) {
			return false
		}
		for v, x := range b.known {
			if n == -ordinaryPower && p.Kind(v).IsFloat() {
				s.calm[v] = true
			}
			if x.nan {
				delete(s.calm, v)
			}
		}
	}
	return true
}

// given is the case n: the sum is magic + n, and y·factor at most half from n.
func (s *scaling) given(p *plan, n int) *bounds {
	k := s.sum.Kind
	b := &bounds{p.emitter, map[kernel.Value]interval{}}
	b.known[s.sum.Out[0]] = point(k, num.FromFloat(k, s.magic+float64(n)))
	y := around(k, (float64(n)-0.5)/s.factor, (float64(n)+0.5)/s.factor)
	b.known[s.y], b.known[s.x] = y, y
	return b
}

// scaled is the product: the first step is exact, for it has the exponent of a normal number, and so
// the second has the only rounding; anything if that is not so.
func (s *scaling) scaled(b *bounds, n int) interval {
	a, up, rest := b.of(s.first.Args[0]), b.of(s.first.Args[1]), b.of(s.product.Args[1])
	least, most := 0x1p-120, 0x1p120
	inside := func(x interval) bool { return x.lo > least && x.hi < most && !x.nan }
	if !inside(a) || !up.exact || !rest.exact || !inside(around(s.sum.Kind, a.lo*up.lo, a.hi*up.lo)) {
		return anything
	}
	if !isPower(up.lo) || !isPower(rest.lo) || up.lo*rest.lo != math.Ldexp(1, n) {
		return anything
	}
	s.added = s.added && a.lo >= 0.5 && a.hi <= 2
	return around(s.sum.Kind, a.lo*math.Ldexp(1, n), a.hi*math.Ldexp(1, n))
}

func isPower(x float64) bool {
	f, _ := math.Frexp(x)
	return f == 0.5
}

// exactly reports that 2^n has the bits that one step takes for it, which those of the first case decide.
func (s *scaling) exactly(b *bounds, n int) bool {
	k := s.sum.Kind
	whole := intKind(k)
	shifted, _ := num.Eval(num.Shl, whole, num.Canon(whole, b.of(s.sum.Out[0]).bits), uint64(mantissa(k)))
	if n == -ordinaryPower {
		s.one, _ = num.Eval(num.Sub, whole, num.Canon(whole, num.FromFloat(k, math.Ldexp(1, n))), shifted)
	}
	sum, _ := num.Eval(num.Add, whole, shifted, s.one)
	return sum == num.Canon(whole, num.FromFloat(k, math.Ldexp(1, n)))
}
