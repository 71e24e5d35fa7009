package elaborate

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the two sides of a choice, which give arrays of different lengths, of which at least one is known only at run time. Out: one array of either length.
// A side's own size is nobody's outside of it. So each gives as many elements as the longer one may have, and how many of them it has: what
// comes behind these is zero, and is cut off outside. Where both lengths are declared, to choose between them is more likely a mistake.

// eitherSize makes both sides give an array of one size and how many of its elements count; false if that cannot be.
func (e *elab) eitherSize(a, b *branch, at diag.Span) bool {
	t, u := a.value.Type, b.value.Type
	if t.Kind != graph.Array || u.Kind != graph.Array || !hasDynamicSize(t.Size) && !hasDynamicSize(u.Size) || !e.sameElem(t.Elem(), u.Elem()) {
		return false
	}
	most, ok := e.longer(e.seenFrom(t.Size, min(a.outside, b.outside)), e.seenFrom(u.Size, min(a.outside, b.outside)))
	if !ok {
		return false
	}
	for _, s := range []*branch{a, b} {
		e.inScope(s.scope, func() { s.value = e.padded(s.value, most, at) })
	}
	return true
}

// seenFrom lists what a size is at most, in sizes that there were before a side: those made in it have greater numbers.
func (e *elab) seenFrom(p size.Poly, outside int) (list []size.Poly) {
	within := func(name string) bool {
		n, err := strconv.Atoi(name[1:])
		return isDynamic(name) && (err != nil || n > outside)
	}
	if !slices.ContainsFunc(p.Vars(), within) {
		return []size.Poly{p}
	}
	if !grows(p, within) {
		return nil
	}
	name := p.Vars()[slices.IndexFunc(p.Vars(), within)]
	for _, q := range e.limits[name] {
		if list = append(list, e.seenFrom(p.Replace(name, q), outside)...); len(list) >= enoughBounds {
			break
		}
	}
	return list
}

// enoughBounds of a size are looked at: a sum of many sizes, each of which has several, has a great many.
const enoughBounds = 16

// grows reports that a size becomes no less where such sizes in it do.
func grows(p size.Poly, such func(string) bool) bool {
	ok := !p.Overflowed()
	p.Terms(func(coef int64, names []string, plain bool) {
		ok = ok && plain && (coef > 0 || !slices.ContainsFunc(names, such))
	})
	return ok
}

// longer is a size that is at most as needed for either of two, each of which has these bounds.
func (e *elab) longer(a, b []size.Poly) (size.Poly, bool) {
	for _, p := range a {
		for _, q := range b {
			switch {
			case e.proves(p.Sub(q)):
				return p, true
			case e.proves(q.Sub(p)):
				return q, true
			}
		}
	}
	if len(a) == 0 || len(b) == 0 {
		return size.Poly{}, false
	}
	return a[0].Add(b[0]), true
}

// padded is an array of so many elements that begins with those of x, and how many these are.
func (e *elab) padded(x *graph.Node, most size.Poly, at diag.Span) *graph.Node {
	n, elem := x.Type.Size, x.Type.Elem()
	all := e.tabulate(at, most, func(i *graph.Node) *graph.Node {
		i = e.toI64(i)
		v := e.choose(at, e.arith(num.Lt, at, i, e.sizeVal(n, at)),
			func() *graph.Node {
				return e.add(graph.Some, graph.OptionOf(elem), at, e.at(x, e.clamped(i, n, at), at))
			},
			func() *graph.Node { return e.add(graph.Nothing, graph.OptionOf(elem), at) })
		return e.add(graph.Unwrap, elem, at, v)
	})
	return e.tuple(at, all, e.toI64(e.sizeVal(n, at)))
}

// someLength makes an array of a declared length one of a length known at run time, which goes with any other.
func someLength(text string, n size.Poly) string {
	if types.IsOpen(n) || !writable(n) { // it has no name
		return text + ".filter(|_| true)"
	}
	return text + ".take(" + n.String() + ")"
}

// sameElements reports two arrays that differ in their lengths alone.
func sameElements(t, u *graph.Type) bool {
	return t.Kind == graph.Array && u.Kind == graph.Array && openTexts(t.Elem()).Equal(openTexts(u.Elem()))
}
