package interp

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// val is the value of a node. It is never changed once made, so parts of it
// are shared freely.
type val struct {
	bits  uint64 // a scalar in the form of package num; an Option's presence
	parts []val  // the fields of a tuple; the value of an Option that has one
	array *array
}

// array has one column of scalars for each leaf of its element type, and
// elem.strides[l] scalars of leaf l for each of its n slots. Slots that a
// mask leaves out hold zeros or what they held before.
type array struct {
	n    int64
	elem *shape
	cols [][]uint64
	mask []bool // nil when dense
}

func (a *array) has(i int64) bool { return a.mask == nil || a.mask[i] }

// at is the element in slot i.
func (a *array) at(i int64) val { return a.elem.load(a.cols, i) }

// shape is a type under the sizes of now.
type shape struct {
	kind    graph.TypeKind
	elems   []*shape
	n       int64   // slots of an array
	strides []int64 // scalars in one value, for each leaf
}

func (s *shape) leaves() int { return len(s.strides) }

// scalars is how many there are in one value.
func (s *shape) scalars() int64 {
	n := int64(0)
	for _, stride := range s.strides {
		n += stride
	}
	return n
}

// newShape computes a type's shape; size evaluates its sizes.
func newShape(t *graph.Type, slots func(*graph.Type) int64) *shape {
	s := &shape{kind: t.Kind}
	for _, e := range t.Elems {
		s.elems = append(s.elems, newShape(e, slots))
	}
	switch t.Kind {
	case graph.Tuple:
		for _, e := range s.elems {
			s.strides = append(s.strides, e.strides...)
		}
	case graph.Option:
		s.strides = append([]int64{1}, s.elems[0].strides...)
	case graph.Array:
		s.n = slots(t)
		for _, stride := range s.elems[0].strides {
			s.strides = append(s.strides, stride*s.n)
		}
	default:
		s.strides = []int64{1}
	}
	return s
}

// load reads value number i from columns. Arrays inside share the columns.
func (s *shape) load(cols [][]uint64, i int64) val {
	switch s.kind {
	case graph.Tuple:
		parts := make([]val, len(s.elems))
		for j, e := range s.elems {
			parts[j] = e.load(cols, i)
			cols = cols[e.leaves():]
		}
		return val{parts: parts}
	case graph.Option:
		if cols[0][i] == 0 {
			return val{}
		}
		return val{bits: 1, parts: []val{s.elems[0].load(cols[1:], i)}}
	case graph.Array:
		a := &array{n: s.n, elem: s.elems[0], cols: make([][]uint64, s.leaves())}
		for l, stride := range s.strides {
			a.cols[l] = cols[l][i*stride : (i+1)*stride : (i+1)*stride]
		}
		return val{array: a}
	}
	return val{bits: cols[0][i]}
}

// store writes v as value number i of columns, which are zero there.
func (s *shape) store(cols [][]uint64, i int64, v val) {
	switch s.kind {
	case graph.Tuple:
		for j, e := range s.elems {
			e.store(cols, i, v.parts[j])
			cols = cols[e.leaves():]
		}
	case graph.Option:
		s.storeOption(cols, i, v)
	case graph.Array:
		if v.array.n != s.n {
			panic(stopped{fmt.Errorf("an array of %d slots stands where there are %d", v.array.n, s.n)})
		}
		for l, stride := range s.strides {
			copy(cols[l][i*stride:(i+1)*stride], v.array.cols[l])
		}
	default:
		cols[0][i] = v.bits
	}
}

func (s *shape) storeOption(cols [][]uint64, i int64, v val) {
	cols[0][i] = v.bits
	inner := s.elems[0]
	if v.bits != 0 {
		inner.store(cols[1:], i, v.parts[0])
		return
	}
	for l, stride := range inner.strides {
		clear(cols[1+l][i*stride : (i+1)*stride])
	}
}

// zero is the value whose scalars are all 0.
func (s *shape) zero() val { return s.load(s.columns(1), 0) }

// columns makes room for n values.
func (s *shape) columns(n int64) [][]uint64 {
	cols := make([][]uint64, s.leaves())
	for l, stride := range s.strides {
		cols[l] = make([]uint64, n*stride)
	}
	return cols
}

func newArray(elem *shape, n int64) *array { return &array{n: n, elem: elem, cols: elem.columns(n)} }

// pick makes the dense array of these slots of a.
func (a *array) pick(slots []int64) *array {
	r := newArray(a.elem, int64(len(slots)))
	for l, stride := range a.elem.strides {
		for i, slot := range slots {
			copy(r.cols[l][int64(i)*stride:(int64(i)+1)*stride], a.cols[l][slot*stride:(slot+1)*stride])
		}
	}
	return r
}
