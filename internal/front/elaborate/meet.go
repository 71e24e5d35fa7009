package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: two values of which one is to stand in the other's place, with texts in them: alone, or in tuples, records, Options and arrays. Out: the
// same values with these texts in dictionaries that have the entries of both.

// meet gives both types with the dictionaries that the texts of both come into; each type itself, where no text meets another.
func (e *elab) meet(t, u *graph.Type, at diag.Span) (*graph.Type, *graph.Type) {
	switch {
	case types.IsSort(t, meaning.Text) && types.IsSort(u, meaning.Text):
		if t.Means.Dict == u.Means.Dict {
			return t, u
		}
		both := e.textIn(e.union(t.Means.Dict, u.Means.Dict, at))
		return both, both
	case t.Kind != u.Kind || t.Name != u.Name || len(t.Elems) != len(u.Elems):
		return t, u
	}
	var a, b []*graph.Type
	changed := false
	for i := range t.Elems {
		v, w := e.meet(t.Elems[i], u.Elems[i], at)
		a, b = append(a, v), append(b, w)
		changed = changed || v != t.Elems[i] || w != u.Elems[i]
	}
	if !changed {
		return t, u
	}
	own, other := *t, *u
	own.Elems, other.Elems = a, b
	return &own, &other
}

// spelledAs is t with the dictionaries of u, where texts stand in the same places.
func spelledAs(t, u *graph.Type) *graph.Type {
	switch {
	case types.IsSort(t, meaning.Text) && types.IsSort(u, meaning.Text):
		return u
	case t.Kind != u.Kind || t.Name != u.Name || len(t.Elems) != len(u.Elems) || len(textDicts(t)) == 0:
		return t
	}
	own := *t
	own.Elems = make([]*graph.Type, len(t.Elems))
	for i := range own.Elems {
		own.Elems[i] = spelledAs(t.Elems[i], u.Elems[i])
	}
	return &own
}

// closedTexts is a type whose texts of any column are of a dictionary that has the empty text alone, for values that nobody sees.
func (e *elab) closedTexts(t *graph.Type) *graph.Type {
	if types.IsSort(t, meaning.Text) && types.HasOpen(t) {
		return e.textIn(e.literalDict([]string{""}))
	}
	if len(textDicts(t)) == 0 {
		return t
	}
	own := *t
	own.Elems = make([]*graph.Type, len(t.Elems))
	for i := range own.Elems {
		own.Elems[i] = e.closedTexts(t.Elems[i])
	}
	return &own
}

// textsTo is a value as one of a type that has other dictionaries, with all entries of its own.
func (e *elab) textsTo(v *graph.Node, to *graph.Type, at diag.Span) *graph.Node {
	if v == nil || v.Type == to || slices.Equal(textDicts(v.Type), textDicts(to)) {
		return v
	}
	switch to.Kind {
	case graph.Tuple:
		parts := make([]*graph.Node, len(to.Elems))
		for i := range parts {
			parts[i] = e.textsTo(e.get(v, i, at), to.Elems[i], at)
		}
		return e.add(graph.MakeTuple, to, at, parts...)
	case graph.Option:
		is := e.add(graph.IsSome, graph.BoolType, at, v)
		return e.choose(at, is,
			func() *graph.Node {
				return e.add(graph.Some, to, at, e.textsTo(e.add(graph.Unwrap, v.Type.Elem(), at, v), to.Elem(), at))
			},
			func() *graph.Node { return e.add(graph.Nothing, to, at) })
	case graph.Array:
		return e.mapEach(at, v, func(w *graph.Node) *graph.Node { return e.textsTo(w, to.Elem(), at) })
	}
	return e.textTo(v, to.Means.Dict, at)
}

// meetBoth brings two values into common dictionaries.
func (e *elab) meetBoth(a, b *graph.Node, at diag.Span) (*graph.Node, *graph.Node) {
	t, u := e.meet(a.Type, b.Type, at)
	return e.textsTo(a, t, at), e.textsTo(b, u, at)
}
