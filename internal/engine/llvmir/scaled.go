package llvmir

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a straight body with exponentials (see scaling), with floats that it asks much about (see regular) or with divisions (see quotient), out goes its text twice: what
// is left of it where all lanes are ordinary, and all of it for the others.

// whole writes the body for n turns.
func (p *plan) whole() {
	for j := range p.Body.Instrs {
		if in := &p.Body.Instrs[j]; !p.Single[in] {
			p.pack(in)
			p.instr(in)
		}
	}
}

// isTwice reports a body that has both texts.
func (p *plan) isTwice() bool { return len(p.scalings)+len(p.asked)+len(p.divided) > 0 }

// twice writes both texts and the choice. Behind them, only the values that a fold folds have a meaning. What the tests need is shortened, too: a
// test that depends on another one means nothing where that other fails, but then the whole text runs anyway.
func (p *plan) twice(n int) {
	noted := len(p.pending)
	done := map[*kernel.Instr]bool{}
	for _, s := range p.tests() {
		p.upwards(p.Def[s.x], done)
	}
	odd := p.anyLane(p.odd(n), p.fewLanes(n))
	if len(p.divided) > 0 {
		odd = p.two("or", typ{num.Bool, 1}, odd, p.two("xor", typ{num.Bool, 1}, p.ordinaryDivisors(), "true"))
	}
	slow, fast, after := p.label(), p.label(), p.label()
	results := p.results()
	p.rarely(odd, slow, fast)
	p.open(fast)
	for j := range p.Body.Instrs {
		if in := &p.Body.Instrs[j]; !done[in] {
			p.shortened(in)
		}
	}
	short, shortEnd := p.vectorsOf(results, n), p.block
	p.br(after)
	p.open(slow)
	p.whole()
	long, longEnd := p.vectorsOf(results, n), p.block
	p.br(after)
	p.open(after)
	if len(p.pending) > noted {
		p.fail("a body in two texts notes a fault, whose condition would not be there behind them")
	}
	for j, v := range results {
		p.give(v, p.set("phi %s [ %s, %%%s ], [ %s, %%%s ]", typ{p.Kind(v), n}, short[j], shortEnd, long[j], longEnd), n)
	}
}

// results are the values of a fold's body that it folds.
func (p *plan) results() (list []kernel.Value) {
	if p.In.Code != kernel.Fold {
		return nil
	}
	for i, a := range p.In.Accs {
		used := p.Body.Results[i : i+1]
		if a.Op == kernel.FoldMulAdd {
			used = p.Def[used[0]].Args
		}
		for _, v := range used {
			if d := p.Def[v]; d != nil && p.inBody(d) && d.Code != kernel.Const && !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

func (p *plan) vectorsOf(list []kernel.Value, n int) (texts []string) {
	for _, v := range list {
		texts = append(texts, p.vector(v, n))
	}
	return texts
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

// ordinaryTest is how lanes are told in which a float is ordinary: as an integer it is at most span above least.
type ordinaryTest struct {
	x           kernel.Value
	kind        num.Kind // of the float
	least, span uint64
	anySign     bool // the sign does not count, and zero is ordinary
}

func (p *plan) tests() (list []ordinaryTest) {
	for _, s := range p.scalings {
		list = append(list, ordinaryTest{x: s.sum.Out[0], kind: s.sum.Kind, least: num.FromFloat(s.sum.Kind, s.magic-ordinaryPower), span: 2 * ordinaryPower})
	}
	for _, r := range p.asked {
		least, most := normals(r.kind)
		list = append(list, ordinaryTest{x: r.x, kind: r.kind, least: num.FromFloat(r.kind, least), span: num.FromFloat(r.kind, most) - num.FromFloat(r.kind, least)})
	}
	for _, q := range p.divided {
		most, _ := ordinarySizes(q.in.Kind)
		least := num.FromFloat(q.in.Kind, math.Ldexp(1, -most))
		t := ordinaryTest{x: q.x, kind: q.in.Kind, least: least, span: num.FromFloat(q.in.Kind, math.Ldexp(1, most)) - least, anySign: true}
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// odd is in which lanes some float is not ordinary: the sum of an exponential is not magic + n for an ordinary n, what is asked
// about is no regular number, or a dividend is of another size. As integers, the sums for n lie one beside the other, and so do positive
// floats; all other floats, and NaN, are farther. The groups' vectors are brought to one, with the greatest distances, before they are compared.
func (p *plan) odd(n int) string {
	any := ""
	for _, s := range p.tests() {
		t := typ{intKind(s.kind), n}
		bits := p.raw(s.x, s.kind, n)
		var c string
		if s.anySign {
			c = p.oddSize(s, t, bits)
		} else {
			far := p.extreme("llvm.umax", t, p.two("sub", t, bits, t.constant(num.Canon(t.kind, s.least))))
			c = p.few("icmp ugt", t, far, s.span)
		}
		if any != "" {
			c = p.two("or", typ{num.Bool, p.fewLanes(n)}, any, c)
		}
		any = c
	}
	return any
}

// oddSize compares twice the bits, which leaves the sign out, with the greatest, and less 1, which makes the most of zero, with the least.
func (p *plan) oddSize(s ordinaryTest, t typ, bits string) string {
	twice := p.two("add", t, bits, bits)
	less := p.two("add", t, twice, t.constant(num.Canon(t.kind, math.MaxUint64)))
	large := p.few("icmp ugt", t, p.extreme("llvm.umax", t, twice), 2*(s.least+s.span))
	small := p.few("icmp ult", t, p.extreme("llvm.umin", t, less), 2*s.least-1)
	return p.two("or", typ{num.Bool, p.fewLanes(t.n)}, large, small)
}

// extreme brings a group's vectors to one.
func (p *plan) extreme(which string, t typ, v string) string {
	for m := t.n; m > p.fewLanes(t.n); m /= 2 {
		from := typ{t.kind, m}
		v = p.pure(which, typ{t.kind, m / 2}, p.part(from, v, 0, m/2), p.part(from, v, m/2, m/2))
	}
	return v
}

// few compares one vector with a number.
func (p *plan) few(op string, t typ, v string, with uint64) string {
	narrow := typ{t.kind, p.fewLanes(t.n)}
	return p.two(op, narrow, v, narrow.constant(num.Canon(t.kind, with)))
}

// fewLanes is one vector of the widest float.
func (p *plan) fewLanes(n int) int {
	size := 1
	for _, s := range p.tests() {
		size = max(size, s.kind.Size())
	}
	return min(n, p.t.VectorBytes/size)
}

// raw is a float as an integer, whatever NaN it is.
func (p *plan) raw(v kernel.Value, k num.Kind, n int) string {
	t := typ{k, n}
	return p.set("bitcast %s %s to %s", t, p.vector(v, n), t.bits())
}

// shortened writes what is left of an instruction where all lanes are ordinary.
func (p *plan) shortened(in *kernel.Instr) {
	for _, s := range p.scalings {
		switch {
		case slices.Contains(s.limits, in):
			p.vals[in.Out[0]] = p.at(in.Args[0])
			return
		case slices.Contains(s.bits, in):
			p.give(in.Out[0], p.raw(s.sum.Out[0], s.sum.Kind, p.lanes), p.lanes)
			return
		case in == s.product:
			p.scaledOnce(s)
			return
		}
	}
	for _, q := range p.divided {
		if in == q.in {
			q.multiplied(p)
			return
		}
	}
	for _, r := range p.asked {
		if v, ok := r.chosen(in); ok {
			p.vals[in.Out[0]] = p.at(v)
			return
		}
		if a, ok := r.answer(in); ok {
			p.bind(in.Out[0], typ{num.Bool, 1}.constant(a.bits))
			return
		}
	}
	if x, ok := p.canonical(in); ok {
		p.vals[in.Out[0]] = p.at(x)
		return
	}
	if in.Code == kernel.Bitcast && in.From.IsFloat() && in.Kind.IsInt() && p.width(in.Args[0]) > 1 && p.isCalm(in.Args[0]) {
		p.give(in.Out[0], p.raw(in.Args[0], in.From, p.lanes), p.lanes)
		return
	}
	p.instr(in)
}

// scaledOnce multiplies by 2^n in one step. An addition of integers may go to more of a processor's units than a multiplication.
func (p *plan) scaledOnce(s *scaling) {
	t := typ{s.sum.Kind, p.lanes}
	whole, x := t.bits(), p.vector(s.first.Args[0], t.n)
	shifted, one := p.two("shl", whole, p.raw(s.sum.Out[0], t.kind, t.n), whole.constant(uint64(mantissa(t.kind)))), s.one
	if s.added {
		one -= num.FromFloat(t.kind, 1)
		shifted = p.two("add", whole, shifted, p.set("bitcast %s %s to %s", t, x, whole))
	}
	power := p.set("bitcast %s %s to %s", whole, p.two("add", whole, shifted, whole.constant(num.Canon(whole.kind, one))), t)
	if !s.added {
		power = p.two("fmul", t, x, power)
	}
	p.give(s.product.Out[0], power, t.n)
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
	return in.Args[2], p.isCalm(x)
}

// isCalm reports a float that is not NaN where all lanes are ordinary.
func (p *plan) isCalm(x kernel.Value) bool {
	return slices.ContainsFunc(p.scalings, func(s *scaling) bool { return s.calm[x] }) ||
		slices.ContainsFunc(p.asked, func(r *regular) bool { return r.calm[x] }) ||
		slices.ContainsFunc(p.divided, func(q *quotient) bool { return q.x == x || q.in.Out[0] == x })
}
