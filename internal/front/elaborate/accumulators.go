package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: the start of a fold or a scan, and its closure. Out: the type of the accumulator where the start does not say all of it: the dictionaries of its
// texts, which are to have those of the start and all that the closure gives, and what a None may have. A None has no text, so its dictionary is that
// of the closure's values alone.

// accumulator is the type of what a fold carries, whose start is a node.
func (e *elab) accumulator(c *methodUse, cl *syntax.Closure, start *graph.Node) *graph.Type {
	acc := start.Type
	if len(textDicts(acc)) == 0 {
		return acc
	}
	const rounds = 3 // each may bring the texts of one column more
	for round := range rounds {
		next := e.typeWith(func(v *graph.Node) *graph.Node {
			return e.element(e.applyClosure(cl, openTexts(acc), e.param(acc, c.at()), v), bodyValue(cl.Body))
		}, c.recv.Type.Elem())
		if next == nil || !sameButTexts(next, acc) {
			return acc
		}
		to, _ := e.meet(acc, next, c.at())
		if round == 0 {
			to = e.ownTexts(start, to)
		}
		if slices.Equal(textDicts(to), textDicts(acc)) {
			return acc
		}
		acc = to
	}
	return acc
}

// sameButTexts reports types that differ in dictionaries at most.
func sameButTexts(t, u *graph.Type) bool { return openTexts(t).Equal(openTexts(u)) }

// ownTexts is the type to of a start, whose texts come from elsewhere where it has None.
func (e *elab) ownTexts(start *graph.Node, to *graph.Type) *graph.Type {
	switch {
	case len(textDicts(to)) == 0:
		return to
	case start.Op == graph.Nothing:
		return e.withoutEmpty(to)
	case start.Op != graph.MakeTuple && start.Op != graph.Some:
		return to
	}
	own := *to
	own.Elems = make([]*graph.Type, len(to.Elems))
	for i, elem := range to.Elems {
		own.Elems[i] = e.ownTexts(start.Args[i], elem)
	}
	return &own
}

// withoutEmpty is a type without the dictionary that a None has.
func (e *elab) withoutEmpty(t *graph.Type) *graph.Type {
	if types.IsSort(t, meaning.Text) {
		d := e.g.Dict(t.Means.Dict)
		if i := slices.Index(d.Of, e.literalDict([]string{""})); i >= 0 && d.Change == graph.NoChange && len(d.Of) == 2 {
			return e.textIn(d.Of[1-i])
		}
		return t
	}
	if len(t.Elems) == 0 {
		return t
	}
	own := *t
	own.Elems = make([]*graph.Type, len(t.Elems))
	for i, elem := range t.Elems {
		own.Elems[i] = e.withoutEmpty(elem)
	}
	return &own
}

// begun is the start of a fold as one of the accumulator's type.
func (e *elab) begun(start *graph.Node, acc *graph.Type) *graph.Node {
	switch {
	case slices.Equal(textDicts(start.Type), textDicts(acc)):
		return start
	case start.Op == graph.Nothing:
		return e.add(graph.Nothing, acc, start.Pos)
	case start.Op == graph.MakeTuple || start.Op == graph.Some:
		parts := make([]*graph.Node, len(start.Args))
		for i, arg := range start.Args {
			parts[i] = e.begun(arg, acc.Elems[i])
		}
		return e.add(start.Op, acc, start.Pos, parts...)
	}
	return e.textsTo(start, acc, start.Pos)
}

// carriedOn is what a fold's closure gives as a value of the accumulator's type, if its texts are in the dictionaries of that.
func (e *elab) carriedOn(next *graph.Node, acc *graph.Type) *graph.Node {
	if next == nil || !sameButTexts(next.Type, acc) {
		return next
	}
	found, wanted := textDicts(next.Type), textDicts(acc)
	for i := range found {
		if !e.hasTexts(wanted[i], found[i]) {
			return next
		}
	}
	return e.textsTo(next, acc, next.Pos)
}

// hasTexts reports that a dictionary has all entries of another, because it was made of it.
func (e *elab) hasTexts(dict, part int) bool {
	if dict == part {
		return true
	}
	d := e.g.Dict(dict)
	return d.Change == graph.NoChange && slices.ContainsFunc(d.Of, func(of int) bool { return e.hasTexts(of, part) })
}

// hasNone reports a start with a None that does not say what it may have.
func hasNone(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.NameExpr:
		return vague(x)
	case *syntax.ParenExpr:
		return hasNone(x.X)
	case *syntax.TupleExpr:
		return slices.ContainsFunc(x.Elems, hasNone)
	}
	return false
}

// noneHints are the types that a start with a None may have: of an Option of what elements have.
func noneHints(start syntax.Expr, elem *graph.Type) (hints []*graph.Type) {
	var options []*graph.Type
	offer := func(t *graph.Type) {
		if t = openTexts(t); t.Kind != graph.Option {
			t = graph.OptionOf(t)
		}
		if !slices.ContainsFunc(options, t.Equal) {
			options = append(options, t)
		}
	}
	if elem.Kind == graph.Tuple {
		for _, f := range elem.Elems {
			offer(f)
		}
	}
	offer(elem)
	for _, o := range options {
		hints = append(hints, noneType(start, o))
	}
	return hints
}

// noneType is the type of a start whose None are of this one, and whose literals of the usual ones.
func noneType(x syntax.Expr, none *graph.Type) *graph.Type {
	switch x := x.(type) {
	case *syntax.NameExpr:
		return none
	case *syntax.ParenExpr:
		return noneType(x.X, none)
	case *syntax.TupleExpr:
		t := &graph.Type{Kind: graph.Tuple}
		for _, p := range x.Elems {
			part := openType
			if hasNone(p) {
				part = noneType(p, none)
			}
			t.Elems = append(t.Elems, part)
		}
		return t
	}
	return openType
}
