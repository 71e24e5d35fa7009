package elaborate

import (
	"github.com/godwit-run/godwit/graph"
	"github.com/godwit-run/godwit/size"
	"github.com/godwit-run/godwit/syntax"
	"github.com/godwit-run/godwit/types"
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
	if _, literal := a.Value.(*syntax.IntLit); !literal {
		return 0
	}
	switch a.Op {
	case syntax.Plus:
		return 1
	case syntax.Minus:
		return -1
	}
	return 0
}

// since assumes that a variable has come from its value before the loop as it may.
func (e *elab) since(c carried, now *graph.Node) {
	if c.way == 0 || c.first == nil || !types.IsInt(now.Type) {
		return
	}
	moved := e.form(now).Sub(e.form(c.first)).MulConst(int64(c.way))
	e.assume(e.cur, []size.Poly{moved})
}
