package compile

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// In: arguments in memory, and what Bind and Plan found out about earlier ones of the same shape. Out: the
// same as from the start, without finding it out again, which takes longer than a small function runs.
// Invariant: a shape is all that the answer follows from, but for the contents of slices, which are looked at
// when they are read, and the values of scalars, which are looked at here.

// shape is what binding sees of an argument: an array of numbers, or a lone scalar.
type shape struct {
	kind  num.Kind
	rows  int64 // or lone
	inner int   // dimensions of a row
	dims  [fewDims]int64
}

// fewDims is how many dimensions a row may have for its array to be known by its shape.
const fewDims = 3

// lone is in place of the rows of a lone scalar.
const lone = -1

// known is what was found out about arguments of certain shapes.
type known struct {
	shapes []shape
	sizes  *sizes
	plan   *lowered
	tables []run.Param                // that stand in the function's text, the same in all calls
	alike  run.Alike                  // what runs have in common
	result atomic.Pointer[graph.Type] // of calls; nil where it is not known, or not the same for all
}

// Given is an argument of which binding sees the shape alone: a source that is data.Plain, memory of which one can be made, or
// else a lone scalar.
type Given struct {
	Source data.Source
	Kind   num.Kind
	Bits   uint64
	memory []byte  // nil for none
	dims   []int64 // of a row of the source, or of the memory
}

// Memory gives an array in memory that is not empty.
func Memory(k num.Kind, b []byte) Given { return Given{Kind: k, memory: b} }

// Array gives an array in memory; false if there is more to it than its shape.
func Array(src data.Source) (g Given, ok bool) {
	c, ok := data.Plain(src)
	if !ok || len(c.Dims) > fewDims {
		return g, false
	}
	return Given{Source: src, Kind: c.Kind, dims: c.Dims}, true
}

// Array gives a value for parameter i; false if there is more to it than its shape, as to indices, which are looked at when
// they are bound.
func (f *Func) Array(i int, v *value.Value) (g Given, ok bool) {
	if v == nil || len(v.Columns) != 1 || len(f.leaves[i]) != 1 {
		return g, false
	}
	c, t := &v.Columns[0], f.leaves[i][0].Type
	if len(c.Dims) == 0 || c.Kind != t.KindOf() || t.Kind == graph.Index || int64(len(c.Data)) != c.Len()*int64(c.Kind.Size()) || slices.Min(c.Dims) <= 0 {
		return g, false
	}
	return Given{Kind: c.Kind, memory: c.Data, dims: c.Dims[1:]}, len(c.Dims) <= fewDims+1
}

func (g *Given) shape() shape {
	s := shape{kind: g.Kind, inner: len(g.dims)}
	switch {
	case g.Source != nil:
		s.rows = g.Source.Rows()
	case g.memory == nil:
		s.rows = lone
		return s
	default:
		row := int64(g.Kind.Size())
		for _, d := range g.dims {
			row *= d
		}
		s.rows = int64(len(g.memory)) / row
	}
	copy(s.dims[:], g.dims)
	return s
}

// few is how many arguments a call has room for in one piece of memory.
const few = 4

// call is a Bound of arguments whose shapes are known, with what becomes of it.
type call struct {
	Bound
	plan   Plan
	inputs run.Inputs
	params [few]run.Param
	leaves [few]run.Binding
	rooms  [few]data.Room // for the sources of arguments
	used   int            // of each, from the first on
}

// calls are those that nobody uses.
var calls = sync.Pool{New: func() any { return new(call) }}

// Done is Close of a call that is over, where nobody has its arguments or its plan any more. Nothing may use b afterwards.
func (b *Bound) Done() error {
	c := b.again
	if c == nil {
		return b.Close()
	}
	c.Bound, c.plan, c.inputs = Bound{}, Plan{}, run.Inputs{}
	for i := range c.used {
		c.params[i], c.leaves[i], c.rooms[i] = run.Param{}, run.Binding{}, data.Room{}
	}
	calls.Put(c)
	return nil
}

// shapes gives the shapes of all arguments, which are in the order of the parameters; nil if one of them is of
// a kind that tells more than its shape, as files do.
func (f *Func) shapes(args []Arg) (list []shape) {
	if len(args) != f.Graph.Given() || f.meant {
		return nil
	}
	for i, a := range args {
		g, ok := f.given(i, a)
		if !ok || len(f.leaves[i]) != 1 {
			return nil
		}
		list = append(list, g.shape())
	}
	return list
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

func (f *Func) given(i int, a Arg) (Given, bool) {
	switch a := a.(type) {
	case Table:
		g, ok := Array(a.Source)
		return g, ok && a.Column == ""
	case Value:
		if v := a.Value; v != nil && len(v.Columns) == 1 && len(v.Columns[0].Dims) == 0 {
			return Given{Kind: v.Columns[0].Kind, Bits: v.Columns[0].At(0)}, true
		}
		return f.Array(i, a.Value)
	}
	return Given{}, false
}

// Again is Bind for arguments in the order of the parameters. It gives nil if it does not know
// their shapes from an earlier Bind and Plan.
func (f *Func) Again(args []Given) (*Bound, error) {
	k := f.known.Find(func(k *known) bool {
		return slices.EqualFunc(k.shapes, args, func(s shape, g Given) bool { return s == g.shape() })
	})
	if k == nil {
		return nil, nil
	}
	c := calls.Get().(*call)
	c.Bound = Bound{Func: f, sizes: k.sizes, plan: k.plan, known: k, again: c}
	params, leaves := c.params[:], c.leaves[:]
	c.used = min(len(args)+len(k.tables), few)
	if n := len(args) + len(k.tables); n > few {
		params, leaves = make([]run.Param, n), make([]run.Binding, len(args))
	}
	for i := range args {
		g := &args[i]
		params[i] = run.Param{Name: f.info(i).Name, Leaves: leaves[i : i+1 : i+1]}
		switch {
		case g.memory != nil && k.plan.used[i][0]:
			leaves[i] = run.Column(c.source(i, g), 0)
		case g.memory != nil:
		case g.Source == nil:
			if err := c.checkScalars(f.declared(i), []leaf{{bits: g.Bits}}); err != nil {
				return nil, err
			}
			leaves[i] = run.Scalar(g.Bits)
		case k.plan.used[i][0]:
			leaves[i] = run.Column(g.Source, 0)
		}
	}
	c.inputs = run.Inputs{Sizes: k.sizes.known, Params: params[:len(args)+copy(params[len(args):], k.tables)], Alike: &k.alike}
	c.plan = Plan{k.plan.schedule, k.plan.program, &c.inputs, nil}
	c.made = &c.plan
	return &c.Bound, nil
}

// source makes the source of argument i, which is memory.
func (c *call) source(i int, g *Given) data.Source {
	name := c.Func.info(i).Name
	if i < few {
		return c.rooms[i].Rows(name, g.Kind, g.dims, g.memory)
	}
	return data.Rows(name, g.Kind, g.dims, g.memory)
}

// spread says where the arguments come from in the form of Bind.
func (b *Bound) spread() {
	if b.params != nil || b.made == nil {
		return
	}
	for _, p := range b.made.Inputs.Params {
		leaves := make([]leaf, len(p.Leaves))
		for j, from := range p.Leaves {
			leaves[j] = leaf{bits: from.Bits, src: from.Source, column: from.Column, option: from.Option, presence: from.Presence, blanks: from.Blanks}
		}
		b.params = append(b.params, leaves)
	}
}

// remember keeps what was found out about arguments, but not the arguments.
func (b *Bound) remember() {
	b.known = &known{shapes: b.shapes, sizes: b.sizes.without(), plan: b.plan, tables: slices.Clone(b.made.Inputs.Params[len(b.shapes):])}
	b.Func.known.Add(b.known)
}

// ResultType gives the type of a result, which is worked out by typ unless it is the same for all calls of
// these shapes and one of them has been here.
func (b *Bound) ResultType(typ func() *graph.Type) *graph.Type {
	if b.known == nil || b.plan == nil || b.plan.program.Resizes() {
		return typ()
	}
	t := b.known.result.Load()
	if t == nil {
		t = typ()
		b.known.result.Store(t)
	}
	return t
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
