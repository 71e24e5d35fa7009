package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: groups of unknown keys inside of a closure, a loop or an if. Out: whether their rows are few enough, or the Range that makes them so.

// oneLeaf reports whether groups whose number only the run knows can be folded here: inside of a closure or loop their rows must be one
// leaf, since the length of several follows from that number.
func (e *elab) oneLeaf(groups size.Poly, x *graph.Node, at diag.Span) bool {
	if e.cur.outer == nil || !hasDynamicSize(groups) {
		return true
	}
	most := num.KeyedLeaf(1)
	if _, hi := e.g.Facts.Bounds(x.Type.Size); hi <= most {
		return true
	}
	rows := e.seenFrom(x.Type.Size, -1)
	found := x.Type.Size
	if len(rows) > 0 {
		found = rows[0]
	}
	m := e.errorf(at, "T07", "groups of unknown keys are folded outside of closures, loops and ifs, unless there are few rows").
		Note("at most %d rows were expected, found up to %s", most, found)
	for _, p := range rows {
		if name, hi := mostOf(p, most); hi > 0 {
			lo, _ := e.g.Facts.Bounds(size.Var(name))
			m.Help("declare that there are no more:\nwhere %s: Range<%s, %s>", name, diag.Literal(max(lo, 0)), diag.Literal(hi))
			return false
		}
	}
	m.Help("fold them outside, or take few of the rows before group_by: take(%d)", most)
	return false
}

// mostOf is how much the one name in a size may be for this to be at most so many; 0 where there are more names.
func mostOf(p size.Poly, most int64) (name string, hi int64) {
	names := p.Vars()
	if len(names) != 1 || slices.ContainsFunc(names, isDynamic) {
		return "", 0
	}
	fits := func(n int64) bool {
		v, ok := p.Eval(func(string) (int64, bool) { return n, true })
		return ok && v <= most
	}
	lo, hi := int64(0), 2*most
	for lo < hi {
		if mid := (lo + hi + 1) / 2; fits(mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return names[0], lo
}
