package elaborate

import (
	"fmt"
	"math"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// In: integer nodes. Out: forms, polynomials over sizes and symbols. Sums, differences and
// products that surely fit are written out; anything else is a symbol with the bounds that
// boundsOf finds, and with how it hangs together with what it was made from. A form is
// true wherever the node has a value, so that nothing in it may rest on a condition.

// form is what an integer or index is equal to.
func (e *elab) form(n *graph.Node) size.Poly {
	if f := e.of(n).form; f != nil {
		return *f
	}
	p, ok := e.boundsOf(n).exact()
	if !ok {
		p, ok = e.written(n)
	}
	if !ok {
		p = e.symbol(n)
	}
	e.of(n).form = &p
	return p
}

// written is the form of an operation that follows from those of its operands.
func (e *elab) written(n *graph.Node) (p size.Poly, ok bool) {
	switch {
	case n.Op == graph.Cast && types.IsInt(n.Args[0].Type):
		a := n.Args[0]
		if e.fitsAs(e.boundsOf(a), a.Type.KindOf(), n.Type.KindOf()) {
			return e.form(a), true
		}
	case n.Op == graph.Arith && e.of(n).fits:
		a := e.form(n.Args[0])
		switch n.Num {
		case num.Neg:
			p = size.Const(0).Sub(a)
		case num.Add:
			p = a.Add(e.form(n.Args[1]))
		case num.Sub:
			p = a.Sub(e.form(n.Args[1]))
		case num.Mul:
			p = a.Mul(e.form(n.Args[1]))
		default:
			return p, false
		}
		return p, !prove.TooWide(p)
	}
	return p, false
}

// same tells ways to one value: the same element of an array, the same field of a tuple, the
// same sum.
type same struct {
	op   graph.Op
	from *graph.Node
	at   string
}

// symbol is a form of its own.
func (e *elab) symbol(n *graph.Node) size.Poly {
	key := same{n.Op, nil, ""}
	switch n.Op {
	case graph.At:
		key.from, key.at = n.Args[0], e.form(n.Args[1]).String()
	case graph.Get:
		key.from, key.at = n.Args[0], itoa(n.Field)
	case graph.Arith:
		key.at = e.computed(n)
	}
	if first, ok := e.reads[key]; ok && key.at != "" {
		return e.form(first)
	}
	e.reads[key] = n
	b := e.boundsOf(n)
	s := &prove.Symbol{Lo: prove.Claims(b.lowers()...), Hi: prove.Claims(b.uppers()...)}
	e.unconditionally(func() {
		e.relate(n, s)
		e.prover.Describe(prove.Name(n.ID), s)
	})
	return size.Var(prove.Name(n.ID))
}

// computed tells sums, differences and products of the same values that may not fit, so that
// what a condition says of i - k is known of the next i - k. What is known of one that fits
// may rest on where it stands, and so does what is known of a quotient.
func (e *elab) computed(n *graph.Node) string {
	if e.of(n).fits || !types.IsInt(n.Type) || n.Num != num.Add && n.Num != num.Sub && n.Num != num.Mul {
		return ""
	}
	return fmt.Sprintf("%v %v %t %v, %v", n.Num, n.Type, n.Checked, e.form(n.Args[0]), e.form(n.Args[1]))
}

// relate adds how a value hangs together with those that it is made from.
func (e *elab) relate(n *graph.Node, s *prove.Symbol) {
	i := e.of(n)
	s.Lo, s.Hi = append(prove.Claims(i.least...), s.Lo...), append(prove.Claims(i.most...), s.Hi...)
	switch {
	case i.sides != nil:
		cond, a, b := i.sides[0], i.sides[1], i.sides[2]
		s.Cases = []prove.Choice{{Form: e.form(a), Given: e.condition(cond, true, 0)}, {Form: e.form(b), Given: e.condition(cond, false, 0)}}
	case i.turn != nil:
		s.Lo = append(prove.Claims(e.form(i.turn[0])), s.Lo...)
		s.Hi = append(prove.Claims(e.form(i.turn[1]).AddConst(-1)), s.Hi...)
	case n.Op == graph.Arith && len(n.Args) == 2 && types.IsInt(n.Args[0].Type):
		e.relateArith(n, s, e.form(n.Args[0]), e.form(n.Args[1]))
	case n.Op == graph.Arith && n.Num == num.Abs && e.boundsOf(n.Args[0]).lo > math.MinInt64:
		a := e.form(n.Args[0])
		minus := size.Const(0).Sub(a)
		s.Cases = []prove.Choice{{Form: a, Given: []size.Poly{a}}, {Form: minus, Given: []size.Poly{minus}}}
	}
}

func (e *elab) relateArith(n *graph.Node, s *prove.Symbol, a, b size.Poly) {
	switch n.Num {
	case num.Min, num.Max:
		d, own := prove.Above, &s.Hi
		if n.Num == num.Max {
			d, own = prove.Below, &s.Lo
		}
		*own = append(prove.Claims(a, b), *own...)
		s.Cases = []prove.Choice{
			{Form: a, Given: []size.Poly{prove.Gap(b, a, d)}},
			{Form: b, Given: []size.Poly{prove.Gap(a, b, d)}},
		}
	case num.Shr:
		if k, ok := b.Const(); ok && k >= 0 && k < 62 {
			e.relateQuotient(n, s, a, size.Const(1<<k))
		}
	case num.Div:
		e.relateQuotient(n, s, a, b)
	case num.And:
		for _, x := range []size.Poly{a, b} {
			if e.natural(n, x) { // no bit is set that it has not
				s.Lo, s.Hi = append(prove.Claims(size.Const(0)), s.Lo...), append(prove.Claims(x), s.Hi...)
			}
		}
	case num.Rem:
		if e.divides(n, a, b) {
			s.Lo, s.Hi = append(prove.Claims(size.Const(0)), s.Lo...), append(prove.Claims(b.AddConst(-1), a), s.Hi...)
		}
	}
}

func (e *elab) relateQuotient(n *graph.Node, s *prove.Symbol, a, b size.Poly) {
	if e.divides(n, a, b) {
		s.Lo, s.Hi = append(prove.Claims(size.Const(0)), s.Lo...), append(prove.Claims(a), s.Hi...)
		s.Quotient = &prove.Quotient{Num: a, Den: b}
	}
}

// divides reports that a ≥ 0 and b ≥ 1 are shown wherever the division n of a by b has a
// value: a loop's turn shows the second of the sizes that its range is a product of.
func (e *elab) divides(n *graph.Node, a, b size.Poly) bool {
	before := e.prover.Known
	e.prover.Known = e.of(n).home.known
	ok := !e.prover.Dead && e.shows(a) && e.shows(b.AddConst(-1))
	e.prover.Known = before
	return ok
}

// natural reports that a ≥ 0 is shown where n, which is made of it, has its value.
func (e *elab) natural(n *graph.Node, a size.Poly) bool { return e.divides(n, a, size.Const(1)) }

// unconditionally calls f without what is known here only.
func (e *elab) unconditionally(f func()) {
	before := e.prover.Known
	e.prover.Known = e.always
	f()
	e.prover.Known = before
}
