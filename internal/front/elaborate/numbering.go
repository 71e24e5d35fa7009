package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the pieces of all rows' keys. Out: the number of each row's key, from 0 in the order in which keys appear, and the first row of each.
// How they are found is decided when the rows are there, by the ranges of the pieces, and what is found does not depend on it. A key's cell is its
// place among all keys that there could be, pieces being the digits of a number. If cells are few, they have a table; if not, but cells are numbers of
// 64 bits, these are hashed; else the words of the keys are, two by two. Each way has all rows or none, by a Limit. The searches are in the
// prelude (keys.gw).

// cellsPerRow and cellsAtLeast say how many cells are few.
const cellsPerRow, cellsAtLeast = 2, 4096

// keySearch has the numbers of keys.
type keySearch struct {
	code   func(i, cell *graph.Node) *graph.Node // that of row i, plus one
	first  func(j *graph.Node) *graph.Node       // the first row of group j
	groups *graph.Node
	cell   func(j *graph.Node) *graph.Node // the cell of group j; nil if that is not known
}

// cells are the places of all rows' keys, if there are any.
type cells struct {
	all, least *graph.Node   // the first one is least
	total      *graph.Node   // 0 if they are too many
	digits     []*graph.Node // how many numbers each piece of a key has, from
	from       []*graph.Node // this one on
}

// numberPieces numbers rows by the pieces of their keys.
func (e *elab) numberPieces(p *keyPieces, at diag.Span) *numbered {
	words := e.packed(p, at)
	n := words[0].Type.Size
	var c *cells
	if !e.inside() {
		c = e.cellsOf(p, at)
	}
	if c == nil {
		return e.withNumbers(e.hashed(words, at), n, nil, size.Poly{}, at)
	}
	room := n.MulConst(cellsPerRow).AddConst(cellsAtLeast)
	isKnown := e.arith(num.Gt, at, c.total, e.int(num.I64, 0, at))
	few := e.arith(num.And, at, isKnown, e.arith(num.Le, at, c.total, e.sizeVal(room, at)))
	many := e.arith(num.Not, at, few)
	rows := func(x, cond *graph.Node, likely size.Likely) *graph.Node {
		return e.limited(x, e.sizeVal(n, at), cond, likely, at)
	}
	var hashed *keySearch
	if len(words) == 1 {
		hashed = e.hashed([]*graph.Node{rows(words[0], many, size.None)}, at)
	} else {
		cell := e.hashed([]*graph.Node{rows(c.all, e.arith(num.And, at, isKnown, many), size.None)}, at)
		all := rows(e.mapOver(at, words, func(_ *graph.Node, v []*graph.Node) *graph.Node { return e.tuple(at, v...) }), e.arith(num.Not, at, isKnown), size.None)
		hashed = e.chosenSearch(isKnown, cell, e.hashed(e.columns(all, at), at), at)
	}
	table := e.tabulate(at, room, func(*graph.Node) *graph.Node { return e.int(num.I64, 0, at) })
	places := e.limited(table, c.total, few, size.Root, at)
	spread := e.add(graph.Spread, graph.BoolType, at)
	byFirst := e.byFirstRow(c, places.Type.Size, at)
	byCell := e.chosenSearch(spread, byFirst, e.byCell(c, rows(c.all, few, size.All), places, at), at)
	k := e.withNumbers(e.chosenSearch(few, byCell, hashed, at), n, c.all, places.Type.Size, at)
	if k != nil {
		k.cells, k.cell = c, byFirst.cell
		k.apart = e.choose(at, spread, func() *graph.Node { return few }, func() *graph.Node { return e.bits(num.Bool, 0, at) }) // of which nothing is left on one machine
	}
	return k
}

// inside reports that this is in a closure, a loop or an if.
func (e *elab) inside() bool { return e.cur.outer != nil }

// cellsOf gives keys places; nil if a piece's numbers lie too far apart in any case.
func (e *elab) cellsOf(p *keyPieces, at diag.Span) *cells {
	for _, s := range p.shapes {
		if s.isFloat {
			return nil
		}
	}
	columns := e.columns(p.all, at)
	least, span := make([]*graph.Node, len(columns)), make([]*graph.Node, len(columns))
	for i, s := range p.shapes {
		if s.span.Equal(size.Poly{}) {
			lo, hi := e.farthest(graph.MinOf, columns[i], at), e.farthest(graph.MaxOf, columns[i], at)
			least[i], span[i] = lo, e.preludeCall(at, preludeItem("key_span"), []*graph.Node{lo, hi})
		} else {
			least[i], span[i] = e.int(num.I64, 0, at), e.sizeVal(s.span, at)
		}
	}
	c := &cells{all: columns[0], least: least[0], total: span[0], digits: span, from: least}
	if len(columns) == 1 {
		return c
	}
	for _, s := range span[1:] {
		c.total = e.preludeCall(at, preludeItem("key_cells"), []*graph.Node{c.total, s})
	}
	c.least = e.int(num.I64, 0, at)
	c.all = e.mapOver(at, columns, func(_ *graph.Node, v []*graph.Node) *graph.Node {
		cell := e.arith(num.Sub, at, v[0], least[0])
		for i := 1; i < len(v); i++ {
			cell = e.arith(num.Add, at, e.arith(num.Mul, at, cell, span[i]), e.arith(num.Sub, at, v[i], least[i]))
		}
		return cell
	})
	return c
}

// farthest is the least or greatest number; of none it is no fault, since no row asks for it.
func (e *elab) farthest(m graph.Monoid, x *graph.Node, at diag.Span) *graph.Node {
	n := e.add(graph.Reduce, x.Type.Elem(), at, x)
	n.Monoid = m
	return n
}

// columns are the components of an array of tuples, or the array.
func (e *elab) columns(all *graph.Node, at diag.Span) []*graph.Node {
	if all.Type.Elem().Kind != graph.Tuple {
		return []*graph.Node{all}
	}
	var list []*graph.Node
	for i := range all.Type.Elem().Elems {
		list = append(list, e.mapEach(at, all, func(v *graph.Node) *graph.Node { return e.get(v, i, at) }))
	}
	return list
}

// limited are so many elements of x if a condition holds, and none if not.
func (e *elab) limited(x, many, cond *graph.Node, likely size.Likely, at diag.Span) *graph.Node {
	return e.firstOf(x, e.choose(at, cond, func() *graph.Node { return many }, func() *graph.Node { return e.int(num.I64, 0, at) }), likely, at)
}

// firstOf are the first elements of x.
func (e *elab) firstOf(x, many *graph.Node, likely size.Likely, at diag.Span) *graph.Node {
	name := e.newSize(x.Type.Size)
	r := e.add(graph.Limit, graph.ArrayOf(x.Type.Elem(), size.Var(name)), at, x, many)
	r.Defines, r.Likely = name, likely
	return r
}

// byCell numbers the rows whose cells are k with a table that has as many places as room.
func (e *elab) byCell(c *cells, k, room *graph.Node, at diag.Span) *keySearch {
	r := e.preludeCall(at, preludeItem("cell_numbers"), []*graph.Node{k, c.least, room})
	return e.foundCells(r, c, at)
}

// byFirstRow does the same by the first row of each cell, of which there are so many: the least number of a row is a fold, which goes to the rows
// where these are on many machines. It goes over all rows even if there are too many cells: then the rows are wanted anyway.
func (e *elab) byFirstRow(c *cells, many size.Poly, at diag.Span) *keySearch {
	rows := e.mapOver(at, []*graph.Node{c.all}, func(i *graph.Node, v []*graph.Node) *graph.Node { return e.tuple(at, v[0], e.toI64(i)) })
	many = many.AddConst(1) // so that there is one
	first := e.keyed(graph.MinOf, many, rows, at, func(v *graph.Node) (key, value *graph.Node) {
		return e.toRange(graph.Clamp, e.arith(num.Sub, at, e.get(v, 0, at), c.least), many, at), e.get(v, 1, at)
	})
	if first == nil {
		return nil
	}
	r := e.preludeCall(at, preludeItem("cell_order"), []*graph.Node{first})
	s := e.foundCells(r, c, at)
	if s != nil {
		cell := e.get(r, 3, at)
		s.cell = func(j *graph.Node) *graph.Node { return e.atClamped(cell, j, at) }
	}
	return s
}

// foundCells is what a search found that numbers cells.
func (e *elab) foundCells(r *graph.Node, c *cells, at diag.Span) *keySearch {
	if r == nil {
		return nil
	}
	number, first := e.get(r, 0, at), e.get(r, 1, at)
	return &keySearch{
		code: func(_, cell *graph.Node) *graph.Node {
			return e.atClamped(number, e.arith(num.Sub, at, cell, c.least), at)
		},
		first:  func(j *graph.Node) *graph.Node { return e.atClamped(first, j, at) },
		groups: e.get(r, 2, at),
	}
}

// hashed numbers rows by one word, or by the first two words, then by the number of those and the next one, and so on.
func (e *elab) hashed(words []*graph.Node, at diag.Span) *keySearch {
	if len(words) == 1 {
		return e.fewOrMany("group", words, at)
	}
	first, n := words[0], (*keySearch)(nil)
	for i := 1; i < len(words); i++ {
		if i > 1 {
			first = e.tabulate(at, first.Type.Size, func(i *graph.Node) *graph.Node { return n.code(i, nil) })
		}
		if n = e.fewOrMany("pair", []*graph.Node{first, words[i]}, at); n == nil {
			return nil
		}
	}
	return n
}

// fewOrMany numbers rows with a small table first, and with a large one if that does not do.
func (e *elab) fewOrMany(name string, words []*graph.Node, at diag.Span) *keySearch {
	if e.inside() {
		return e.search(name+"_many", words, at)
	}
	few := e.preludeCall(at, preludeItem(name+"_few"), words)
	if few == nil {
		return nil
	}
	more := e.get(few, 3, at)
	rest := words[0]
	if len(words) > 1 {
		rest = e.mapOver(at, words, func(_ *graph.Node, v []*graph.Node) *graph.Node { return e.tuple(at, v...) })
	}
	rest = e.limited(rest, e.sizeVal(words[0].Type.Size, at), more, size.Rest, at)
	return e.chosenSearch(more, e.search(name+"_many", e.columns(rest, at), at), e.found(few, at), at)
}

// search numbers rows by a function of the prelude.
func (e *elab) search(name string, words []*graph.Node, at diag.Span) *keySearch {
	return e.found(e.preludeCall(at, preludeItem(name), words), at)
}

// found is what such a function found.
func (e *elab) found(r *graph.Node, at diag.Span) *keySearch {
	if r == nil {
		return nil
	}
	code, first := e.get(r, 0, at), e.get(r, 1, at)
	return &keySearch{
		code:   func(i, _ *graph.Node) *graph.Node { return e.atClamped(code, i, at) },
		first:  func(j *graph.Node) *graph.Node { return e.atClamped(first, j, at) },
		groups: e.get(r, 2, at),
	}
}

// atClamped is the element at a place that is clamped.
func (e *elab) atClamped(x, i *graph.Node, at diag.Span) *graph.Node {
	return e.at(x, e.toRange(graph.Clamp, i, x.Type.Size, at), at)
}

// chosenSearch is a if a condition holds, and b if not.
func (e *elab) chosenSearch(cond *graph.Node, a, b *keySearch, at diag.Span) *keySearch {
	if a == nil || b == nil {
		return nil
	}
	return &keySearch{
		code: func(i, cell *graph.Node) *graph.Node {
			return e.choose(at, cond, func() *graph.Node { return a.code(i, cell) }, func() *graph.Node { return b.code(i, cell) })
		},
		first: func(j *graph.Node) *graph.Node {
			return e.choose(at, cond, func() *graph.Node { return a.first(j) }, func() *graph.Node { return b.first(j) })
		},
		groups: e.choose(at, cond, func() *graph.Node { return a.groups }, func() *graph.Node { return b.groups }),
	}
}

// withNumbers gives n rows their numbers; cell, if any, has their cells, of which there are so many if they are few.
func (e *elab) withNumbers(of *keySearch, n size.Poly, cell *graph.Node, cells size.Poly, at diag.Span) *numbered {
	if of == nil {
		return nil
	}
	groups := e.firstOf(e.tabulate(at, n, func(j *graph.Node) *graph.Node { return j }), of.groups, size.Root, at)
	groups.Among = cells
	if e.groups == nil {
		e.groups = map[string]bool{}
	}
	e.groups[groups.Defines] = true
	firsts := e.mapEach(at, groups, func(j *graph.Node) *graph.Node { return e.toRange(graph.Clamp, of.first(j), n, at) })
	code := func(i, c *graph.Node) *graph.Node { return e.arith(num.Sub, at, of.code(i, c), e.int(num.I64, 1, at)) }
	k := &numbered{firsts: firsts}
	if cell == nil {
		k.code = e.tabulate(at, n, func(i *graph.Node) *graph.Node { return code(i, nil) })
	} else {
		k.code = e.mapOver(at, []*graph.Node{cell}, func(i *graph.Node, v []*graph.Node) *graph.Node { return code(i, v[0]) })
	}
	return k
}
