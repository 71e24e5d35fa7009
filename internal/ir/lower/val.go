package lower

import (
	"math"
	"strconv"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// val is a value while a kernel is emitted: a scalar, the fields of a tuple
// (an option is the pair of presence and value), or an array.
type val struct {
	s      kernel.Value
	safe   bool // an index that verify will find in bounds
	fields []val
	arr    *array
}

// array is an array whose elements are computed when asked for.
type array struct {
	n    size.Poly
	elem *graph.Type
	// at gives element i of a dense array.
	at func(i kernel.Value) val
	// masked, instead of at, gives for a masked view whether slot i is set
	// and how to compute its element where that is known to hold.
	masked func(i kernel.Value) (kernel.Value, func() val)
	back   *backing // set when the array lies in memory as it is
	cheap  bool     // asking twice for an element is no loss
}

// slot is what is known of one slot of an array.
type slot struct {
	set  kernel.Value // masked arrays
	elem func() val
	v    val // dense arrays
}

// backing is where the leaves of a value lie: each a region that is indexed
// by the value's flat position off times the leaf's inner volume.
type backing struct {
	regions []int
	lens    []size.Poly // of each region, in the function's sizes
	scalars []source    // leaves that are host scalars, by leaf; buffer ≥ 0 otherwise
	off     kernel.Value
	// proved says that off and what is added to it are in bounds by their form,
	// however much doubt there is.
	proved bool
	keys   []source // of a top-k that goes on from grain to grain
}

func itoa(i int) string { return strconv.Itoa(i) }

// element asks an array for slot i, at most once per block.
func (k *kern) element(a *array, i kernel.Value) slot {
	key := element{a, i}
	for _, m := range k.elements {
		if s, ok := m[key]; ok {
			return s
		}
	}
	var s slot
	if a.masked != nil {
		s.set, s.elem = a.masked(i)
	} else {
		s.v = a.at(i)
	}
	k.elements[len(k.elements)-1][key] = s
	return s
}

// backed makes the value of a type that lies in regions, one per leaf.
func (k *kern) backed(t *graph.Type, b backing) val {
	switch t.Kind {
	case graph.Tuple:
		return val{fields: k.backedFields(t.Elems, b)}
	case graph.Option:
		return val{fields: k.backedFields([]*graph.Type{graph.BoolType, t.Elem()}, b)}
	case graph.Array:
		return val{arr: k.backedArray(t, b)}
	}
	if b.regions[0] < 0 {
		v := k.scalarArg(b.scalars[0], t)
		return val{s: v, safe: true}
	}
	return k.load(t, b)
}

func (k *kern) backedFields(types []*graph.Type, b backing) []val {
	var out []val
	at := 0
	for _, t := range types {
		n := len(graph.Leaves(t))
		part := backing{regions: b.regions[at : at+n], lens: b.lens[at : at+n], off: b.off, proved: b.proved}
		if b.scalars != nil {
			part.scalars = b.scalars[at : at+n]
		}
		out = append(out, k.backed(t, part))
		at += n
	}
	return out
}

func (k *kern) backedArray(t *graph.Type, b backing) *array {
	a := &array{n: t.Size, elem: t.Elem(), back: &b, cheap: true}
	a.at = func(i kernel.Value) val {
		inner := b
		inner.off = k.flat(b.off, t.Size, i)
		return k.backed(t.Elem(), inner)
	}
	return a
}

// flat is the position of element i of the off-th array of n elements.
func (k *kern) flat(off kernel.Value, n size.Poly, i kernel.Value) kernel.Value {
	if off == kernel.None {
		return i
	}
	count := k.sizeValue(n)
	row, column := k.divided[off], k.divided[i]
	if row == (division{num.Div, column.a, count}) && column == (division{num.Rem, row.a, count}) {
		return row.a // row t/n, column t%n, as in a matrix read flat
	}
	return k.b.Wrap(num.Add, k.b.Wrap(num.Mul, off, count), i)
}

// division is how a quotient or remainder was made.
type division struct {
	op   num.Op
	a, b kernel.Value
}

// load reads a scalar leaf; an index is widened to I64.
func (k *kern) load(t *graph.Type, b backing) val {
	r := b.regions[0]
	off := b.off
	if off == kernel.None {
		off = k.b.Int(0)
	}
	read := func() kernel.Value { return k.b.Convert(k.b.Load(r, off), t.KindOf(), false) }
	if k.doubt == everything && !b.proved {
		n := b.lens[0]
		v := k.guard(n, t.KindOf(), func() kernel.Value {
			off = k.bound(off, n)
			return read()
		})
		return val{s: v}
	}
	return val{s: read(), safe: k.k.Regions[r].Bounded}
}

// bound limits an index to 0..p without a fault. p must be known ≥ 1.
func (k *kern) bound(i kernel.Value, p size.Poly) kernel.Value {
	return k.boundBelow(i, k.poly(k.capacity(p)))
}

// boundBelow is bound by a polynomial over the kernel's sizes.
func (k *kern) boundBelow(i kernel.Value, p size.Poly) kernel.Value {
	old := k.b.Site
	k.b.Site = kernel.NoSite
	v := k.b.Bound(i, p)
	k.b.Site = old
	return v
}

// guard computes f where p ≥ 1, and gives zero where not.
func (k *kern) guard(p size.Poly, kind num.Kind, f func() kernel.Value) kernel.Value {
	return k.guardOr(p, f, func() kernel.Value { return k.b.Const(kind, 0) })
}

// guardOr computes f where p ≥ 1, and otherwise where not.
func (k *kern) guardOr(p size.Poly, f, otherwise func() kernel.Value) kernel.Value {
	p = k.capacity(p)
	if k.isPositive(p) {
		return f()
	}
	return k.b.Guard(k.poly(p),
		func() []kernel.Value {
			return k.block(func() (vs []kernel.Value) {
				k.inside(p, func() { vs = []kernel.Value{f()} })
				return vs
			})
		},
		func() []kernel.Value { return []kernel.Value{otherwise()} })[0]
}

// guardDo emits f so that it is executed only where p ≥ 1.
func (k *kern) guardDo(p size.Poly, f func()) {
	p = k.capacity(p)
	if k.isPositive(p) {
		f()
		return
	}
	k.b.Guard(k.poly(p), func() []kernel.Value {
		return k.block(func() []kernel.Value {
			k.inside(p, f)
			return nil
		})
	}, func() []kernel.Value { return nil })
}

// guardVal is guard for a value of any type. An array is not copied where asking f for an
// element twice is no loss (cheap).
func (k *kern) guardVal(p size.Poly, t *graph.Type, cheap bool, f func() val) val {
	switch t.Kind {
	case graph.Tuple, graph.Option:
		types := t.Elems
		if t.Kind == graph.Option {
			types = []*graph.Type{graph.BoolType, t.Elem()}
		}
		out := val{fields: make([]val, len(types))}
		for i, e := range types {
			out.fields[i] = k.guardVal(p, e, cheap, func() val { return f().fields[i] })
		}
		return out
	case graph.Array:
		return val{arr: &array{n: t.Size, elem: t.Elem(), cheap: cheap, at: func(i kernel.Value) val {
			return k.guardVal(p, t.Elem(), cheap, func() val { return k.element(f().arr, i).v })
		}}}
	}
	return val{s: k.guard(p, t.KindOf(), func() kernel.Value { return f().s })}
}

// zero is the zero of a type without arrays of its own memory.
func (k *kern) zero(t *graph.Type) val {
	switch t.Kind {
	case graph.Tuple, graph.Option:
		types := t.Elems
		if t.Kind == graph.Option {
			types = []*graph.Type{graph.BoolType, t.Elem()}
		}
		var out val
		for _, e := range types {
			out.fields = append(out.fields, k.zero(e))
		}
		return out
	case graph.Array:
		return val{arr: &array{n: t.Size, elem: t.Elem(), cheap: true, at: func(kernel.Value) val { return k.zero(t.Elem()) }}}
	}
	return val{s: k.b.Const(t.KindOf(), 0), safe: false}
}

// store writes a value of type t to memory at flat position off.
func (k *kern) store(t *graph.Type, v val, b backing) {
	switch t.Kind {
	case graph.Tuple:
		k.storeFields(t.Elems, v, b)
	case graph.Option:
		k.storeFields([]*graph.Type{graph.BoolType, t.Elem()}, v, b)
	case graph.Array:
		k.each(k.b.Int(0), k.sizeValue(t.Size), t.Size, func(i kernel.Value) {
			k.slotScope(i, func() {
				inner := b
				inner.off = k.flat(b.off, t.Size, i)
				k.store(t.Elem(), k.element(v.arr, i).v, inner)
			})
		})
	default:
		r, off := b.regions[0], b.off
		if r < 0 {
			return // it lies elsewhere already
		}
		if off == kernel.None {
			off = k.b.Int(0)
		}
		k.b.Store(r, off, k.canonical(r, k.b.Convert(v.s, k.k.Regions[r].Elem, false)))
	}
}

// canonical is what is stored in a region for v: where its buffer is to have one NaN only, that one for
// any other. It costs two instructions here, and another walk over the buffer later.
func (k *kern) canonical(region int, v kernel.Value) kernel.Value {
	kind, b := k.k.Regions[region].Elem, k.launch.Regions[region]
	if b < 0 || !k.l.s.Buffers[b].Canonical || !kind.IsFloat() {
		return v
	}
	return k.b.Select(k.b.Wrap(num.Ne, v, v), k.b.Const(kind, num.FromFloat(kind, math.NaN())), v)
}

func (k *kern) storeFields(types []*graph.Type, v val, b backing) {
	at := 0
	for i, t := range types {
		n := len(graph.Leaves(t))
		k.store(t, v.fields[i], backing{regions: b.regions[at : at+n], lens: b.lens[at : at+n], off: b.off})
		at += n
	}
}

// space finds memory for a value: the buffers its node is to fill, or
// scratch.
func (k *kern) space(n *graph.Node, t *graph.Type) backing {
	if b, ok := k.target[n]; ok && n != nil {
		k.mayWrite(*b)
		return *b
	}
	b := backing{off: kernel.None}
	defer func() { k.mayWrite(b) }()
	for _, leaf := range graph.Leaves(t) {
		b.regions = append(b.regions, k.scratch(k.l.storedKind(leaf.Type), volume(leaf.Dims)))
		b.lens = append(b.lens, volume(leaf.Dims))
	}
	return b
}

// keep stores an array value in memory unless it lies there already.
func (k *kern) keep(n *graph.Node, t *graph.Type, v val) val {
	b := k.space(n, t)
	k.store(t, v, b)
	return k.backed(t, b)
}
