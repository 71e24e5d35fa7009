package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// A counter that a loop only adds to is never below its value before the loop, since its
// arithmetic is checked; likewise for one that the loop only takes from.

// directions tells of each name that a body assigns whether it only grows (1) or only falls (-1).
func directions(b *syntax.Block) map[string]int {
	names := map[string]int{}
	visit(b, func(x any) bool {
		a, ok := x.(*syntax.Assign)
		if !ok {
			return true
		}
		n := rootOf(a.Target)
		if n == nil {
			return true
		}
		name, d := n.Path[0].Text, direction(a)
		if known, seen := names[name]; seen && known != d {
			d = 0
		}
		names[name] = d
		return true
	})
	return names
}

func direction(a *syntax.Assign) int {
	switch _, op := added(a); op {
	case syntax.Plus:
		return 1
	case syntax.Minus:
		return -1
	}
	return 0
}

// added is the literal that an assignment adds to its variable or takes from it, as
// `n += 1` or `n = n + 1`, and which of both; neither for any other.
func added(a *syntax.Assign) (uint64, syntax.Token) {
	op, value := a.Op, a.Value
	if b, ok := value.(*syntax.Binary); ok && op == syntax.SetTo {
		n, named := b.X.(*syntax.NameExpr)
		to, whole := a.Target.(*syntax.NameExpr)
		if !named || !whole || len(n.Path) != 1 || n.Path[0].Text != to.Path[0].Text {
			return 0, syntax.SetTo
		}
		op, value = b.Op, b.Y
	}
	lit, ok := value.(*syntax.IntLit)
	if !ok || op != syntax.Plus && op != syntax.Minus {
		return 0, syntax.SetTo
	}
	return lit.Value, op
}

// since assumes that a variable has come from its value before the loop as it may.
func (e *elab) since(c carried, now *graph.Node) {
	if c.way == 0 || c.first == nil || !types.IsInt(now.Type) {
		return
	}
	moved := e.form(now).Sub(e.form(c.first)).MulConst(int64(c.way))
	e.assume(e.cur, []size.Poly{moved})
}
