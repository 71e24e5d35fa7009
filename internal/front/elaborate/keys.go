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
	fresh  *graph.Node // [bool; N]: the first row of its key
	firsts *graph.Node // [idx<N>; G]
}

// groups is how many keys there are.
func (k *numbered) groups() size.Poly { return k.firsts.Type.Size }

// numberKeys numbers the rows of x, which is dense, by what key gives for each. It is nil after an error.
func (e *elab) numberKeys(x *graph.Node, at diag.Span, key func(v *graph.Node) *graph.Node) *numbered {
	words := e.keyWords(x, at, nil, key)
	if words == nil {
		return nil
	}
	k := &numbered{}
	if k.code, k.fresh = e.codesOf(words, at); k.code == nil {
		return nil
	}
	k.firsts = e.keptRows(k.fresh, at)
	return k
}

// codesOf numbers rows by their words: by the first two, then by the number of those and the next one, and so on.
func (e *elab) codesOf(words []*graph.Node, at diag.Span) (code, fresh *graph.Node) {
	var r *graph.Node
	if len(words) == 1 {
		r = e.preludeCall(at, preludeItem("group_codes"), words)
	}
	for i := 1; i < len(words); i++ {
		first := words[0]
		if i > 1 && r == nil {
			return nil, nil
		}
		if i > 1 {
			first = e.get(r, 0, at)
		}
		r = e.preludeCall(at, preludeItem("pair_codes"), []*graph.Node{first, words[i]})
	}
	if r == nil {
		return nil, nil
	}
	return e.get(r, 0, at), e.get(r, 1, at)
}

// keptRows are the numbers of the rows for which a bool holds.
func (e *elab) keptRows(keep *graph.Node, at diag.Span) *graph.Node {
	rows := e.tabulate(at, keep.Type.Size, func(i *graph.Node) *graph.Node { return i })
	return e.dense(e.filtered(rows, at, func(i *graph.Node) *graph.Node { return e.at(keep, i, at) }))
}

// keyWords are the words of all rows' keys, an array for each word.
func (e *elab) keyWords(x *graph.Node, at diag.Span, form *keyForm, key func(v *graph.Node) *graph.Node) []*graph.Node {
	var found *graph.Type
	all := e.mapEach(at, x, func(v *graph.Node) *graph.Node {
		k := e.dense(key(v))
		if k == nil {
			return nil
		}
		found = k.Type
		words := e.words(k, form, at)
		if len(words) == 0 {
			return nil
		}
		if len(words) == 1 {
			return words[0]
		}
		return e.tuple(at, words...)
	})
	if all == nil {
		if found != nil {
			e.errorf(at, "T29", "this cannot be a key").Note("found %s; a key is a number, a bool, text, a date or time, or an Option, a tuple or a record of such", found).
				Help("name the parts that count, as in |r| (r.a, r.b)")
		}
		return nil
	}
	if all.Type.Elem().Kind != graph.Tuple {
		return []*graph.Node{all}
	}
	var words []*graph.Node
	for i := range all.Type.Elem().Elems {
		words = append(words, e.mapEach(at, all, func(v *graph.Node) *graph.Node { return e.get(v, i, at) }))
	}
	return words
}

// piece is a part of a key: a number from 0 to 2^width - 1.
type piece struct {
	n     *graph.Node
	width int
}

// words are the pieces of a key, packed into i64s; none if there is a part that cannot be a key.
func (e *elab) words(k *graph.Node, form *keyForm, at diag.Span) []*graph.Node {
	var dicts []int
	if form != nil {
		dicts = form.dicts
	}
	pieces, ok := e.pieces(k, form != nil, dicts, at)
	if !ok || len(pieces) == 0 {
		return nil
	}
	var words []*graph.Node
	used := 64
	for _, p := range pieces {
		if used+p.width > 64 {
			words, used = append(words, p.n), p.width
			continue
		}
		shifted := e.arith(num.Shl, at, words[len(words)-1], e.int(num.I64, int64(p.width), at))
		words[len(words)-1] = e.arith(num.Or, at, shifted, p.n)
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
		list := []piece{{e.cast(graph.I64Type, is, at), 1}}
		for i, p := range inner {
			n := e.choose(at, is, func() *graph.Node { return unwrapped()[i].n }, func() *graph.Node { return e.int(num.I64, 0, at) })
			list = append(list, piece{n, p.width})
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
	width := 64
	switch {
	case k.Type.Kind == graph.Index:
		if _, hi := e.g.Facts.Bounds(k.Type.Bound); hi <= 1<<32 && !two || isText {
			width = 32
		}
		return piece{e.toI64(k), width}
	case types.IsFloat(k.Type):
		k = e.floatBits(at, e.arith(num.Add, at, k, e.float(k.Type.Num, 0, at)))
	}
	if n := 8 * k.Type.Num.Size(); n < 64 {
		if width = n; k.Type.Num == num.Bool {
			width = 1
		}
		wide := e.cast(graph.I64Type, k, at)
		return piece{e.arith(num.And, at, wide, e.int(num.I64, 1<<width-1, at)), width}
	}
	return piece{e.cast(graph.I64Type, k, at), 64}
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
	return e.mapEach(c.at(), k.firsts, func(i *graph.Node) *graph.Node { return e.at(c.recv, i, c.at()) })
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
	keys := e.mapEach(at, k.firsts, func(i *graph.Node) *graph.Node { return e.element(key(e.at(x, i, at)), at) })
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
