package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: an index of rows, whose keys come again. Out: all rows of a key, and of as_of within keys the last one whose last part is not greater.
// Both lie next to each other when the rows are in the order of the first row that has their key.

// firstRows is the number of the first row with the key of each row, plus one.
func (e *elab) firstRows(t *tables, keys *graph.Node, at diag.Span) *graph.Node {
	return e.mapEach(at, keys, func(k *graph.Node) *graph.Node { return e.findFirst(t, k, at) })
}

// makeWithin makes the tables of as_of for keys of several parts.
func (e *elab) makeWithin(l *lookup, t *tables) *tables {
	at := l.at
	equal := e.mapEach(at, l.keys, func(k *graph.Node) *graph.Node { return e.equalPart(k, at) })
	if equal == nil || e.makeLevels(t, equal, at) == nil {
		return nil
	}
	rows := e.mapOver(at, []*graph.Node{e.firstRows(t, equal, at), l.keys}, func(i *graph.Node, v []*graph.Node) *graph.Node {
		return e.tuple(at, v[0], e.ordered(e.get(v[1], len(l.t.Elems)-1, at), t.form, at), i)
	})
	part := func(x *graph.Node, field int) *graph.Node {
		return e.mapEach(at, x, func(v *graph.Node) *graph.Node { return e.get(v, field, at) })
	}
	for _, field := range []int{1, 0} {
		rows = e.sorted(rows, false, at, func(v *graph.Node) *graph.Node { return e.get(v, field, at) })
	}
	t.first, t.keys, t.order = part(rows, 0), part(rows, 1), part(rows, 2)
	return t
}

// equalPart is a key of as_of without its last part.
func (e *elab) equalPart(k *graph.Node, at diag.Span) *graph.Node {
	if k == nil {
		return nil
	}
	var parts []*graph.Node
	for i := range len(k.Type.Elems) - 1 {
		parts = append(parts, e.get(k, i, at))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return e.tuple(at, parts...)
}

// findWithin is the place, plus one, of the last row that is not greater, among those whose other parts are equal; 0 if there is none.
func (e *elab) findWithin(t *tables, k *graph.Node, at diag.Span) *graph.Node {
	first := e.findFirst(t, e.equalPart(k, at), at)
	if first == nil {
		return nil
	}
	by := e.ordered(e.get(k, len(k.Type.Elems)-1, at), t.form, at)
	return e.preludeCall(at, preludeItem("as_of_within"), []*graph.Node{t.first, t.keys, first, by})
}

// runs are the rows of each key, next to each other.
type runs struct {
	order        *graph.Node // the rows
	start, count *graph.Node // in it, at the place of each key's first row
}

// runsOf makes them where the index stands.
func (e *elab) runsOf(l *lookup, t *tables) *runs {
	if t.runs == nil {
		e.inScope(l.scope, func() {
			at := l.at
			first := e.firstRows(t, l.keys, at)
			rows := e.mapOver(at, []*graph.Node{first}, func(i *graph.Node, v []*graph.Node) *graph.Node { return e.tuple(at, v[0], i) })
			sorted := e.sorted(rows, false, at, func(v *graph.Node) *graph.Node { return e.get(v, 0, at) })
			r := &runs{order: e.mapEach(at, sorted, func(v *graph.Node) *graph.Node { return e.get(v, 1, at) })}
			if both := e.preludeCall(at, preludeItem("index_runs"), []*graph.Node{first}); both != nil {
				r.start, r.count = e.get(both, 0, at), e.get(both, 1, at)
				t.runs = r
			}
		})
	}
	return t.runs
}

// countFound is the number of rows with the key that was found.
func (e *elab) countFound(l *lookup, r *runs, found *graph.Node, at diag.Span) *graph.Node {
	return e.choose(at, e.arith(num.Gt, at, found, e.int(num.I64, 0, at)),
		func() *graph.Node { return e.at(r.count, e.firstIndex(l, found, at), at) },
		func() *graph.Node { return e.int(num.I64, 0, at) })
}

// firstIndex is the row that was found, where it is known that one was.
func (e *elab) firstIndex(l *lookup, found *graph.Node, at diag.Span) *graph.Node {
	return e.clamped(e.arith(num.Sub, at, found, e.int(num.I64, 1, at)), l.x.Type.Size, at)
}

// exact refuses an index of as_of where rows of equal keys are asked for.
func (e *elab) exact(c *methodUse, l *lookup) bool {
	if l.asOf {
		e.errorf(c.x.Name.Span, "T29", "`%s` is for an index of equal keys", c.x.Name.Text).Note("found one of as_of, which finds one row").
			Help("index_by(|d| …)")
	}
	return !l.asOf
}

func (e *elab) lookupCount(c *methodUse) *graph.Node {
	l, t, found := e.lookupFound(c)
	if found == nil || !e.exact(c, l) {
		return nil
	}
	r := e.runsOf(l, t)
	if r == nil {
		return nil
	}
	return e.countFound(l, r, found, c.at())
}

// joinAll is x.join_all::<K>(index, |r| key): each row of x with each row of the index that has its key, of which there are at most K.
func (e *elab) joinAll(c *methodUse) *graph.Node {
	l, t, rows := e.partnersOf(c)
	if rows == nil || !e.exact(c, l) {
		return nil
	}
	r := e.runsOf(l, t)
	if r == nil {
		return nil
	}
	at, most := c.at(), c.sizes[0]
	counted := e.mapEach(at, rows, func(v *graph.Node) *graph.Node {
		found := e.get(v, 1, at)
		n := e.add(graph.Check, graph.IndexOf(most.AddConst(1)), at, e.countFound(l, r, found, at))
		n.Poly, n.HasPoly = most.AddConst(1), true
		e.mayFault(n, graph.OutOfRange, "a key with more than "+most.String()+" rows")
		return e.tuple(at, e.get(v, 0, at), found, e.toI64(n))
	})
	size := rows.Type.Size
	slots := e.tabulate(at, size.Mul(most), func(i *graph.Node) *graph.Node {
		wide := e.sizeVal(most, at)
		return e.tuple(at, e.at(counted, e.indexArith(num.Div, size, at, e.toI64(i), wide), at), e.arith(num.Rem, at, e.toI64(i), wide))
	})
	if slots == nil {
		return nil
	}
	met := e.filtered(slots, at, func(v *graph.Node) *graph.Node {
		return e.arith(num.Lt, at, e.get(v, 1, at), e.get(e.get(v, 0, at), 2, at))
	})
	return e.mapEach(at, met, func(v *graph.Node) *graph.Node {
		row := e.get(v, 0, at)
		place := e.arith(num.Add, at, e.at(r.start, e.firstIndex(l, e.get(row, 1, at), at), at), e.get(v, 1, at))
		partner := e.at(r.order, e.clamped(place, l.x.Type.Size, at), at)
		return e.tuple(at, e.get(row, 0, at), e.at(l.x, partner, at))
	})
}
