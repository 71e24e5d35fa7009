package compile

import (
	"slices"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: arguments in memory, and what Bind and Plan found out about earlier ones of the same shape. Out: the
// same as from the start, without finding it out again, which takes longer than a small function runs.
// Invariant: a shape is all that the answer follows from, but for the contents of slices, which are looked at
// when they are read, and the values of scalars, which are looked at here.

// shape is what binding sees of an argument: an array with one dimension, or a lone scalar.
type shape struct {
	kind num.Kind
	rows int64 // or lone
}

// lone is in place of the rows of a lone scalar.
const lone = -1

// known is what was found out about arguments of certain shapes.
type known struct {
	shapes []shape
	sizes  *sizes
	params [][]leaf // without sources and bits, which are the next call's own
	plan   *lowered
}

// shapes gives the shapes of all arguments, which are in the order of the parameters; nil if one of them is of
// a kind that tells more than its shape, as files do.
func (f *Func) shapes(args []Arg, into []shape) []shape {
	if len(args) != f.Graph.Given() {
		return nil
	}
	for i, a := range args {
		s, ok := shapeOf(a)
		if !ok || len(f.leaves[i]) != 1 {
			return nil
		}
		into = append(into, s)
	}
	return into
}

// inOrder lists the arguments in the order of the parameters; nil if there are others, or too few.
func (f *Func) inOrder(args Args) []Arg {
	if len(args) != f.Graph.Given() {
		return nil
	}
	list := make([]Arg, len(args))
	for i := range list {
		list[i] = args[f.info(i).Name]
	}
	return list
}

func shapeOf(a Arg) (shape, bool) {
	switch a := a.(type) {
	case Table:
		kind, ok := data.IsSlice(a.Source)
		return shape{kind, a.Source.Rows()}, ok && a.Column == ""
	case Value:
		if v := a.Value; v != nil && len(v.Columns) == 1 && len(v.Columns[0].Dims) == 0 {
			return shape{v.Columns[0].Kind, lone}, true
		}
	}
	return shape{}, false
}

// Again is Bind for arguments in the order of the parameters. It gives nil if it does not know
// their shapes from an earlier Bind and Plan.
func (f *Func) Again(args []Arg) (*Bound, error) {
	var room [8]shape
	shapes := f.shapes(args, room[:0])
	if shapes == nil {
		return nil, nil
	}
	k := f.known.Find(func(k *known) bool { return slices.Equal(k.shapes, shapes) })
	if k == nil {
		return nil, nil
	}
	b := &Bound{Func: f, sizes: k.sizes, plan: k.plan, params: slices.Clone(k.params)}
	leaves := make([]leaf, len(shapes))
	for i := range shapes {
		leaves[i] = k.params[i][0]
		b.params[i] = leaves[i : i+1 : i+1]
		switch a := args[i].(type) {
		case Table:
			leaves[i].src = a.Source
		case Value:
			leaves[i].bits = a.Value.Columns[0].At(0)
			if err := b.checkScalars(f.declared(i), b.params[i]); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// remember keeps what was found out about arguments, but not the arguments.
func (b *Bound) remember(shapes []shape) {
	k := &known{shapes: shapes, sizes: b.sizes.without(), params: slices.Clone(b.params), plan: b.plan}
	for i := range shapes {
		l := b.params[i][0]
		l.src, l.bits = nil, 0
		k.params[i] = []leaf{l}
	}
	b.Func.known.Add(k)
}

// without is the same sizes, with reasons that do not keep the arguments alive.
func (s *sizes) without() *sizes {
	from := map[string]*equation{}
	for name, e := range s.from {
		text := e.says()
		from[name] = &equation{poly: e.poly, got: e.got, arg: e.arg, typ: e.typ, says: func() string { return text }}
	}
	return &sizes{known: s.known, from: from}
}
