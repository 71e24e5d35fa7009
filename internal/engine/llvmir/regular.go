package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a straight body that compares a float with zero, infinities and the least normal number, as a logarithm does with its argument.
// Out: how each of these comparisons ends, and what may be left out, where that float is positive and normal. Invariant: a value that is said to be
// no NaN is none for any such number, by a proof with intervals.

// regular is such a float.
type regular struct {
	x       kernel.Value
	kind    num.Kind
	answers map[kernel.Value]interval // of comparisons, and of what follows from them
	calm    map[kernel.Value]bool     // floats that are not NaN
}

// fewestQuestions is how many comparisons with one float are worth a second text.
const fewestQuestions = 3

// regulars are the floats about which a body asks enough.
func (p *plan) regulars() (list []*regular) {
	asked := map[kernel.Value][]*kernel.Instr{}
	for i := range p.Body.Instrs {
		in := &p.Body.Instrs[i]
		x, ok := p.question(in)
		if !ok {
			continue
		}
		if asked[x] = append(asked[x], in); len(asked[x]) == fewestQuestions {
			list = append(list, &regular{x: x, kind: in.Kind})
		}
	}
	for _, r := range list {
		r.follow(p, asked[r.x])
	}
	return list
}

// question gives the float that an instruction compares with zero, an infinity, or the least normal number of either sign.
func (p *plan) question(in *kernel.Instr) (x kernel.Value, ok bool) {
	if in.Code != kernel.Arith || !in.Op.IsCompare() || !in.Kind.IsFloat() {
		return 0, false
	}
	for i, v := range in.Args {
		c, isConst := p.constFloat(v)
		x = in.Args[1-i]
		if d := p.Def[x]; isConst && d != nil && p.inBody(d) && p.Shapes[x] == loops.Varying && atEnd(in.Kind, c) {
			return x, true
		}
	}
	return 0, false
}

func atEnd(k num.Kind, c float64) bool {
	least, _ := normals(k)
	return c == 0 || math.IsInf(c, 0) || math.Abs(c) == least
}

// normals are the least and the greatest positive normal float of a kind.
func normals(k num.Kind) (least, most float64) {
	if k == num.F32 {
		return 0x1p-126, math.MaxFloat32
	}
	return 0x1p-1022, math.MaxFloat64
}

// follow finds how the questions end for all regular numbers, and what follows from that.
func (r *regular) follow(p *plan, questions []*kernel.Instr) {
	least, most := normals(r.kind)
	b := &bounds{p.emitter, map[kernel.Value]interval{r.x: {lo: least, hi: most}}}
	for _, in := range questions {
		// No regular number lies on both sides of these constants, except the least itself. So if both ends give one answer, all do.
		if one := r.ask(p, in, least); one == r.ask(p, in, most) {
			b.known[in.Out[0]] = point(num.Bool, one)
		}
	}
	r.answers, r.calm = map[kernel.Value]interval{}, map[kernel.Value]bool{}
	for i := range p.Body.Instrs {
		b.take(&p.Body.Instrs[i])
	}
	for v, known := range b.known {
		switch k := p.Kind(v); {
		case k == num.Bool && known.exact:
			r.answers[v] = known
		case k.IsFloat() && !known.nan:
			r.calm[v] = true
		}
	}
}

// ask is the answer to a question for one number.
func (r *regular) ask(p *plan, in *kernel.Instr, number float64) uint64 {
	args := make([]uint64, len(in.Args))
	for i, v := range in.Args {
		c, isConst := p.constFloat(v)
		if !isConst {
			c = number
		}
		args[i] = num.FromFloat(in.Kind, c)
	}
	bits, _ := num.Apply(in.Op, in.Kind, args)
	return bits
}

// answer is what a comparison, or what follows from some, gives for all regular numbers.
func (r *regular) answer(in *kernel.Instr) (a interval, ok bool) {
	if len(in.Out) == 1 {
		a, ok = r.answers[in.Out[0]]
	}
	return a, ok
}

// chosen is the side of a choice that regular numbers come to.
func (r *regular) chosen(in *kernel.Instr) (kernel.Value, bool) {
	if in.Code != kernel.Select {
		return 0, false
	}
	a, ok := r.answers[in.Args[0]]
	if !ok {
		return 0, false
	}
	if a.bits != 0 {
		return in.Args[1], true
	}
	return in.Args[2], true
}
