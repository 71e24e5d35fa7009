package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: numbered keys. Out: the keys, one for each number. A key stands in its first row; where rows lie on other machines and its cell is known, it is
// made of that, and nobody has to fetch the row.

// keysOf are the keys; inRow gives that of a row.
func (e *elab) keysOf(k *numbered, at diag.Span, inRow func(i *graph.Node) *graph.Node) *graph.Node {
	inRows := func() *graph.Node { return e.mapEach(at, k.firsts, inRow) }
	if k.apart == nil {
		return inRows()
	}
	return e.choose(at, k.apart, func() *graph.Node {
		var t *graph.Type
		e.inBlock(func() {
			if key := e.mapEach(at, k.firsts, inRow); key != nil {
				t = key.Type.Elem()
			}
		})
		if t == nil {
			return nil
		}
		return e.tabulate(at, k.groups(), func(j *graph.Node) *graph.Node {
			p := &digits{e: e, at: at, rest: k.cell(j), cells: k.cells}
			return p.key(t, p.all())
		})
	}, inRows)
}

// digits are the pieces of a key as its cell has them.
type digits struct {
	e     *elab
	at    diag.Span
	rest  *graph.Node
	cells *cells
}

// all are the pieces, of which the last is the least digit.
func (d *digits) all() []*graph.Node {
	e, n := d.e, len(d.cells.digits)
	list := make([]*graph.Node, n)
	for i := n - 1; i >= 0; i-- {
		digit := d.rest
		if i > 0 {
			digit = e.arith(num.Rem, d.at, d.rest, d.cells.digits[i])
			d.rest = e.arith(num.Div, d.at, d.rest, d.cells.digits[i])
		}
		list[i] = e.arith(num.Add, d.at, digit, d.cells.from[i])
	}
	return list
}

// key is that of a type that has these pieces: it undoes elab.pieces.
func (d *digits) key(t *graph.Type, pieces []*graph.Node) *graph.Node {
	key, _ := d.part(t, pieces)
	return key
}

// part is a part of a key, and the pieces of others behind it.
func (d *digits) part(t *graph.Type, pieces []*graph.Node) (*graph.Node, []*graph.Node) {
	e := d.e
	switch t.Kind {
	case graph.Option:
		is := e.arith(num.Ne, d.at, pieces[0], e.int(num.I64, 0, d.at))
		var rest []*graph.Node
		n := e.choose(d.at, is, func() *graph.Node {
			var inner *graph.Node
			inner, rest = d.part(t.Elem(), pieces[1:])
			return e.add(graph.Some, t, d.at, inner)
		}, func() *graph.Node { return e.add(graph.Nothing, t, d.at) })
		return n, rest
	case graph.Tuple:
		parts := make([]*graph.Node, len(t.Elems))
		for i := range parts {
			parts[i], pieces = d.part(t.Elems[i], pieces)
		}
		return e.add(graph.MakeTuple, t, d.at, parts...), pieces
	}
	return e.retype(t, d.scalar(t.Plain(), pieces[0]), d.at), pieces[1:]
}

// scalar undoes elab.scalarPiece.
func (d *digits) scalar(t *graph.Type, piece *graph.Node) *graph.Node {
	switch {
	case t.Kind == graph.Index:
		return d.e.toRange(graph.Clamp, piece, t.Bound, d.at)
	case t.Num == num.Bool:
		return d.e.arith(num.Ne, d.at, piece, d.e.int(num.I64, 0, d.at))
	}
	return d.e.cast(t, piece, d.at)
}
