package elaborate

import (
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: rows, and a key for each, of which nobody knows how many different ones there are. Out: a number for each row, from 0 in the order in
// which keys appear, and the first row of each; their count is a size that is known at run time, since the first rows are what a
// filter keeps. Keys are numbers, text, dates and the like, and Options, tuples and records of those; equal ones have equal words of
// 64 bits. The search itself is in the prelude (keys.gw).

// numbered are rows with the numbers of their keys.
type numbered struct {
	code   *graph.Node // [i64; N], below the number of keys
	firsts *graph.Node // [idx<N>; G]: the first row of each key

	// If a Bool holds, the cell of each key is known without its first row. It is nil if that is never so.
	apart *graph.Node
	cells *cells
	cell  func(j *graph.Node) *graph.Node
}

// groups is how many keys there are.
func (k *numbered) groups() size.Poly { return k.firsts.Type.Size }

// numberKeys numbers the rows of x, which is dense, by what key gives for each. It is nil after an error.
func (e *elab) numberKeys(x *graph.Node, at diag.Span, key func(v *graph.Node) *graph.Node) *numbered {
	p := e.keyPieces(x, at, nil, key)
	if p == nil {
		return nil
	}
	return e.numberPieces(p, at)
}

// keptRows are the numbers of the rows for which a bool holds.
func (e *elab) keptRows(keep *graph.Node, at diag.Span) *graph.Node {
	rows := e.tabulate(at, keep.Type.Size, func(i *graph.Node) *graph.Node { return i })
	return e.dense(e.filtered(rows, at, func(i *graph.Node) *graph.Node { return e.at(keep, i, at) }))
}

// keyPieces are the pieces of all rows' keys.
type keyPieces struct {
	all    *graph.Node // [i64; N], or an array of tuples of such
	shapes []shape
}

// shape says what is known of a piece beforehand.
type shape struct {
	width   int       // so many of its low bits tell it from others
	span    size.Poly // it lies in 0..span; nothing is known of it if that is 0
	isFloat bool      // these are its bits
}

// piece is a part of a key.
type piece struct {
	n *graph.Node
	shape
}

func (e *elab) keyPieces(x *graph.Node, at diag.Span, form *keyForm, key func(v *graph.Node) *graph.Node) *keyPieces {
	var found *graph.Type
	p := &keyPieces{}
	p.all = e.mapEach(at, x, func(v *graph.Node) *graph.Node {
		k := e.dense(key(v))
		if k == nil {
			return nil
		}
		found = k.Type
		list := e.piecesIn(k, form, at)
		if len(list) == 0 {
			return nil
		}
		var nodes []*graph.Node
		for _, l := range list {
			nodes, p.shapes = append(nodes, l.n), append(p.shapes, l.shape)
		}
		if len(nodes) == 1 {
			return nodes[0]
		}
		return e.tuple(at, nodes...)
	})
	if p.all == nil {
		if found != nil {
			e.errorf(at, "T29", "this cannot be a key").Note("found %s; a key is a number, a bool, text, a date or time, or an Option, a tuple or a record of such", found).
				Help("name the parts that count, as in |r| (r.a, r.b)")
		}
		return nil
	}
	return p
}

// keyWords are the words of all rows' keys, an array for each word.
func (e *elab) keyWords(x *graph.Node, at diag.Span, form *keyForm, key func(v *graph.Node) *graph.Node) []*graph.Node {
	p := e.keyPieces(x, at, form, key)
	if p == nil {
		return nil
	}
	return e.packed(p, at)
}

// packed are the words of all rows.
func (e *elab) packed(p *keyPieces, at diag.Span) []*graph.Node {
	if len(p.shapes) == 1 {
		return []*graph.Node{p.all}
	}
	return e.columns(e.mapEach(at, p.all, func(v *graph.Node) *graph.Node {
		var list []piece
		for i, s := range p.shapes {
			list = append(list, piece{e.get(v, i, at), s})
		}
		words := e.pack(list, at)
		if len(words) == 1 {
			return words[0]
		}
		return e.tuple(at, words...)
	}), at)
}

// piecesIn are the pieces of a key; none if there is a part that cannot be a key.
func (e *elab) piecesIn(k *graph.Node, form *keyForm, at diag.Span) []piece {
	var dicts []int
	if form != nil {
		dicts = form.dicts
	}
	list, ok := e.pieces(k, form != nil, dicts, at)
	if !ok {
		return nil
	}
	return list
}

// words are the pieces of a key, packed; none if there is a part that cannot be a key.
func (e *elab) words(k *graph.Node, form *keyForm, at diag.Span) []*graph.Node {
	return e.pack(e.piecesIn(k, form, at), at)
}

// pack puts pieces into i64s, as many into each as it has bits for.
func (e *elab) pack(list []piece, at diag.Span) []*graph.Node {
	if len(list) == 1 {
		return []*graph.Node{list[0].n}
	}
	var words []*graph.Node
	used := 64
	for _, p := range list {
		n := p.n
		if p.width < 64 && p.span.Equal(size.Poly{}) {
			n = e.arith(num.And, at, n, e.int(num.I64, 1<<p.width-1, at))
		}
		if used+p.width > 64 {
			words, used = append(words, n), p.width
			continue
		}
		shifted := e.arith(num.Shl, at, words[len(words)-1], e.int(num.I64, int64(p.width), at))
		words[len(words)-1] = e.arith(num.Or, at, shifted, n)
		used += p.width
	}
	return words
}

// pieces are the parts of a key. Parts are equal where the pieces are: NaN is one value, and -0 is +0. two says that keys of another type,
// whose indices have other bounds, are to be equal to them; dicts, if set, are the dictionaries that texts come into.
func (e *elab) pieces(k *graph.Node, two bool, dicts []int, at diag.Span) ([]piece, bool) {
	switch t := k.Type; {
	case t.Kind == graph.Option:
		var inner []piece
		ok := false
		unwrapped := func() []piece {
			inner, ok = e.pieces(e.add(graph.Unwrap, t.Elem(), at, k), two, dicts, at)
			return inner
		}
		e.inBlock(func() { unwrapped() }) // how many there are; nothing is left of it
		is := e.add(graph.IsSome, graph.BoolType, at, k)
		list := []piece{{e.cast(graph.I64Type, is, at), shape{width: 1, span: size.Const(2)}}}
		for i, p := range inner {
			n := e.choose(at, is, func() *graph.Node { return unwrapped()[i].n }, func() *graph.Node { return e.int(num.I64, 0, at) })
			list = append(list, piece{n, p.shape})
		}
		return list, ok
	case t.Kind == graph.Tuple:
		var list []piece
		for i := range t.Elems {
			inner, ok := e.pieces(e.get(k, i, at), two, dicts, at)
			if !ok {
				return nil, false
			}
			if dicts != nil {
				dicts = dicts[len(textDicts(t.Elems[i])):]
			}
			list = append(list, inner...)
		}
		return list, true
	case t.IsScalar():
		if dicts != nil && types.IsSort(t, meaning.Text) {
			k = e.textTo(k, dicts[0], at)
		}
		return []piece{e.scalarPiece(k, two, at)}, true
	}
	return nil, false
}

// scalarPiece is that of a number. Indices of at most 2^32 elements, text among them, take 32 bits: more texts than that
// no dictionary may have.
func (e *elab) scalarPiece(k *graph.Node, two bool, at diag.Span) piece {
	isText := types.IsSort(k.Type, meaning.Text)
	k = e.raw(k, at)
	s := shape{width: 64}
	switch {
	case k.Type.Kind == graph.Index:
		if _, hi := e.g.Facts.Bounds(k.Type.Bound); hi <= 1<<32 && !two || isText {
			s.width = 32
		}
		s.span = k.Type.Bound
		return piece{e.toI64(k), s}
	case types.IsFloat(k.Type):
		s.isFloat = true
		k = e.floatBits(at, e.arith(num.Add, at, k, e.float(k.Type.Num, 0, at)))
	}
	s.width = 8 * k.Type.Num.Size()
	if k.Type.Num == num.Bool {
		s.width, s.span = 1, size.Const(2)
	}
	return piece{e.cast(graph.I64Type, k, at), s}
}

// distinct is the first row of each key, or of each value.
func (e *elab) distinct(c *methodUse) *graph.Node {
	key, ok := e.keyArg(c)
	if !ok {
		return nil
	}
	k := e.numberKeys(c.recv, c.at(), key)
	if k == nil {
		return nil
	}
	row := func(i *graph.Node) *graph.Node { return e.at(c.recv, i, c.at()) }
	if len(c.x.Args) == 0 {
		return e.keysOf(k, c.at(), row)
	}
	return e.mapEach(c.at(), k.firsts, row)
}

// keyArg is the closure that gives a row's key, or what stands for it: the row itself.
func (e *elab) keyArg(c *methodUse) (func(v *graph.Node) *graph.Node, bool) {
	if len(c.x.Args) == 0 {
		return func(v *graph.Node) *graph.Node { return v }, true
	}
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil, false
	}
	return func(v *graph.Node) *graph.Node { return e.applyClosure(cl, nil, v) }, true
}

// unknownGroups are the rows by a key of which nobody says how many there are: by a closure, or an array of keys.
func (e *elab) unknownGroups(c *methodUse) *graph.Node {
	x, at := e.dense(c.recv), c.at()
	key, elem := e.givenKeys(c, &x)
	if key == nil {
		return nil
	}
	k := e.numberKeys(x, at, key)
	if k == nil {
		return nil
	}
	pairs := e.mapOver(at, []*graph.Node{k.code, x}, func(_ *graph.Node, v []*graph.Node) *graph.Node {
		return e.tuple(at, e.toRange(graph.Clamp, v[0], k.groups(), at), elem(v[1]))
	})
	keys := e.keysOf(k, at, func(i *graph.Node) *graph.Node { return e.element(key(e.at(x, i, at)), at) })
	return e.newGroup(&grouping{x: pairs, groups: k.groups(), rows: x, elem: elem, fixed: true, keys: keys, firsts: k.firsts, full: true, split: func(v *graph.Node) (*graph.Node, *graph.Node) {
		return e.get(v, 0, at), e.get(v, 1, at)
	}}, at)
}

// givenKeys says how a row of x has its key and its element; where keys are an array, rows become pairs of both.
func (e *elab) givenKeys(c *methodUse, x **graph.Node) (key, elem func(v *graph.Node) *graph.Node) {
	if _, isClosure := c.x.Args[0].(*syntax.Closure); isClosure {
		if key, ok := e.keyArg(c); ok {
			return key, itself
		}
		return nil, nil
	}
	keys := e.arrayArg(c, 0)
	if keys == nil || !e.equalSizes(c, *x, keys) {
		return nil, nil
	}
	*x = e.zipped(c, keys, *x)
	return func(v *graph.Node) *graph.Node { return e.get(v, 0, c.at()) }, func(v *graph.Node) *graph.Node { return e.get(v, 1, c.at()) }
}
