package interp

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// val is the value of a node. It never changes once made, so parts of it
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
	mask []bool // nil when dense
	mem  *memory
	part *part   // nil: all of what lies in mem
	next *change // once mem belongs to a newer array
}

func (a *array) has(i int64) bool { return a.mask == nil || a.mask[i] }

// at is the element in slot i.
func (a *array) at(i int64) val { return a.elem.load(a, a.cols(), 0, i) }

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

// load reads value number i of the leaves of a from this one on. Arrays inside are parts of a.
func (s *shape) load(a *array, cols [][]uint64, leaf int, i int64) val {
	switch s.kind {
	case graph.Tuple:
		parts := make([]val, len(s.elems))
		for j, e := range s.elems {
			parts[j] = e.load(a, cols, leaf, i)
			leaf += e.leaves()
		}
		return val{parts: parts}
	case graph.Option:
		if cols[leaf][i] == 0 {
			return val{}
		}
		return val{bits: 1, parts: []val{s.elems[0].load(a, cols, leaf+1, i)}}
	case graph.Array:
		from := make([]int64, s.leaves())
		for l, stride := range s.strides {
			from[l] = i * stride
		}
		return val{array: a.slice(s.n, s.elems[0], place{leaf, from})}
	}
	return val{bits: cols[leaf][i]}
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
		from := v.array.cols()
		for l, stride := range s.strides {
			copy(cols[l][i*stride:(i+1)*stride], from[l])
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
func (s *shape) zero() val { return newArray(s, 1).at(0) }

// columns makes room for n values.
func (s *shape) columns(n int64) [][]uint64 {
	cols := make([][]uint64, s.leaves())
	for l, stride := range s.strides {
		cols[l] = make([]uint64, n*stride)
	}
	return cols
}

func newArray(elem *shape, n int64) *array {
	a := &array{n: n, elem: elem}
	a.own(elem.columns(n))
	return a
}

// pick makes the dense array of these slots of a.
func (a *array) pick(slots []int64) *array {
	r, from := newArray(a.elem, int64(len(slots))), a.cols()
	for l, stride := range a.elem.strides {
		for i, slot := range slots {
			copy(r.mem.cols[l][int64(i)*stride:(int64(i)+1)*stride], from[l][slot*stride:(slot+1)*stride])
		}
	}
	return r
}
