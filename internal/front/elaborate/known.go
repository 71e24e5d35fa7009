package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// Each scope knows what holds where its nodes are: the conditions of the ifs, && and ||
// around it, and that the loops around it have a turn. Closures made there know it too.

// goal is how much work a question is worth.
const goal = 3000

// shows reports that p ≥ 0 is shown by what the prover knows.
func (e *elab) shows(p size.Poly) bool {
	if e.tired {
		return false
	}
	_, ok := e.prover.NonNegative(p, goal)
	return ok
}

// inRange reports that an integer is shown to be in 0..p here: by its bounds, or by its
// form and the conditions around.
func (e *elab) inRange(n *graph.Node, p size.Poly) bool {
	if e.within(e.boundsOf(n), p) {
		return true
	}
	if types.IsOpen(p) {
		return false
	}
	f := e.form(n)
	e.prover.Known = e.cur.known
	for _, q := range []size.Poly{f, p.AddConst(-1).Sub(f)} {
		if !e.shows(q) && !e.showsEither(q) {
			return false
		}
	}
	e.guarded++
	return true
}

// showsEither reports that p ≥ 0 is shown whichever side of a || around is true.
func (e *elab) showsEither(p size.Poly) bool {
	if !e.thorough {
		return false
	}
	for s := e.cur; s != nil; s = s.outer {
		if len(s.either) == 0 {
			continue
		}
		all := true
		for _, given := range s.either {
			e.prover.Known = e.cur.known
			e.prover.Assuming(given, func() { all = all && e.shows(p) })
		}
		e.prover.Known = e.cur.known
		return all
	}
	return false
}

// sidesOf lists what each side of a || shows, or of a && that does not hold.
func (e *elab) sidesOf(n *graph.Node, holds bool, depth int) (list [][]size.Poly) {
	if n == nil || depth > maxCondition {
		return nil
	}
	if n.Op == graph.Arith && n.Num == num.Not {
		return e.sidesOf(n.Args[0], !holds, depth+1)
	}
	op, a, b := junction(n)
	if op != num.Or && holds || op != num.And && !holds {
		return nil
	}
	for _, x := range []*graph.Node{a, b} {
		if inner := e.sidesOf(x, holds, depth+1); inner != nil {
			list = append(list, inner...)
		} else {
			list = append(list, e.condition(x, holds, depth+1))
		}
	}
	return list
}

// divisor is what is known here of a divisor: that it is at least 1, if that is shown.
func (e *elab) divisor(n *graph.Node, b *bounds) *bounds {
	if b.lo >= 1 || b.hi < 1 {
		return b
	}
	e.prover.Known = e.cur.known
	if !e.shows(e.form(n).AddConst(-1)) {
		return b
	}
	e.guarded++
	positive := *b
	positive.lo = 1
	return &positive
}

// fitsHere reports that the conditions around keep a sum, a difference or a multiple within its kind.
func (e *elab) fitsHere(op num.Op, k num.Kind, a, b *graph.Node) bool {
	scaled := op == num.Mul && (isConst(a) || isConst(b))
	if len(e.cur.known.Guards) == 0 || op != num.Add && op != num.Sub && !scaled {
		return false
	}
	p := e.form(a)
	switch op {
	case num.Add:
		p = p.Add(e.form(b))
	case num.Sub:
		p = p.Sub(e.form(b))
	default:
		p = p.Mul(e.form(b))
	}
	e.prover.Known = e.cur.known
	lo, hi := max(k.MinInt(), -prove.Limit), int64(min(k.MaxInt(), prove.Limit))
	if !e.shows(p.AddConst(-lo)) || !e.shows(size.Const(hi).Sub(p)) {
		return false
	}
	e.guarded++
	return true
}

// inRangeAt is inRange in another scope.
func (e *elab) inRangeAt(s *scope, n *graph.Node, p size.Poly) (ok bool) {
	e.inScope(s, func() { ok = e.inRange(n, p) })
	return ok
}

// suppose adds that cond is as given to what is known in s.
func (e *elab) suppose(s *scope, cond *graph.Node, holds bool) {
	e.prover.Known = s.known
	e.assume(s, e.condition(cond, holds, 0))
	if e.thorough {
		s.either = e.sidesOf(cond, holds, 0)
	}
}

// assume adds that each p is at least 0 to what is known in s.
func (e *elab) assume(s *scope, ps []size.Poly) {
	if e.tired {
		return
	}
	e.prover.Known = s.known
	e.prover.Assume(ps)
	s.known = e.prover.Known
}

var relations = map[num.Op]prove.Relation{
	num.Eq: prove.Equal, num.Ne: prove.Unequal, num.Lt: prove.Less,
	num.Le: prove.AtMost, num.Gt: prove.Greater, num.Ge: prove.AtLeast,
}

// maxCondition is how deep a condition is looked into.
const maxCondition = 6

// condition lists what is at least 0 when a bool is as given.
func (e *elab) condition(n *graph.Node, holds bool, depth int) []size.Poly {
	if n == nil || depth > maxCondition {
		return nil
	}
	if n.Op == graph.Arith && n.Num.IsCompare() && types.IsInt(n.Args[0].Type) {
		r := relations[n.Num]
		if !holds {
			r = r.Not()
		}
		return e.prover.Compared(r, e.form(n.Args[0]), e.form(n.Args[1]))
	}
	if n.Op == graph.Arith && n.Num == num.Not {
		return e.condition(n.Args[0], !holds, depth+1)
	}
	if cond, yes, no := sides(n); isBool(yes, 1) && isBool(no, 0) { // as a break leaves behind
		return e.condition(cond, holds, depth+1)
	}
	op, a, b := junction(n)
	if op == num.And && holds || op == num.Or && !holds {
		return append(e.condition(a, holds, depth+1), e.condition(b, holds, depth+1)...)
	}
	return nil
}

// junction takes a && b and a || b apart; op is num.Not for what is neither.
func junction(n *graph.Node) (op num.Op, a, b *graph.Node) {
	if n.Op == graph.Arith && (n.Num == num.And || n.Num == num.Or) && types.IsBool(n.Type) {
		return n.Num, n.Args[0], n.Args[1]
	}
	switch cond, yes, no := sides(n); {
	case isBool(no, 0):
		return num.And, cond, yes
	case isBool(yes, 1):
		return num.Or, cond, no
	}
	return num.Not, nil, nil
}

// sides takes a bool that an If gives, alone or among others, apart: the condition, and
// what it is on both sides.
func sides(n *graph.Node) (cond, yes, no *graph.Node) {
	of := n
	if n.Op == graph.Get {
		of = n.Args[0]
	}
	if of.Op != graph.If || !types.IsBool(n.Type) {
		return nil, nil, nil
	}
	yes, no = of.Blocks[0].Results[0], of.Blocks[1].Results[0]
	if of != n {
		if yes.Op != graph.MakeTuple || no.Op != graph.MakeTuple {
			return nil, nil, nil
		}
		yes, no = yes.Args[n.Field], no.Args[n.Field]
	}
	return of.Args[0], yes, no
}

func isConst(n *graph.Node) bool { return n.Op == graph.Const }

func isBool(n *graph.Node, bits uint64) bool {
	return n != nil && n.Op == graph.Const && n.Bits == bits
}
