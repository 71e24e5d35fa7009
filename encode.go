package godwit

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// encode lays a Go value out in the columns of a type. Lengths of slices
// become dimensions; what an empty slice does not show stays -1.
func encode(t *graph.Type, v reflect.Value) (*value.Value, error) {
	e := &encoder{leaves: graph.Leaves(t)}
	for _, l := range e.leaves {
		dims := make([]int64, len(l.Dims))
		for i := range dims {
			dims[i] = -1
		}
		e.cols = append(e.cols, column.Column{Kind: l.Type.KindOf(), Dims: dims})
	}
	if err := e.put(t, v, 0, 0); err != nil {
		return nil, err
	}
	return &value.Value{Type: t, Columns: e.cols}, nil
}

type encoder struct {
	shapes
	leaves []graph.Leaf
	cols   []column.Column
	codes  map[textKey]uint64 // of texts so far
}

// put appends a value whose first leaf is number leaf, inside of depth arrays.
func (e *encoder) put(t *graph.Type, v reflect.Value, leaf, depth int) error {
	loose := depth == 0
	for v.Kind() == reflect.Interface && !v.IsNil() {
		v, loose = v.Elem(), true
	}
	if !v.IsValid() || v.Kind() == reflect.Interface {
		if t.Kind != graph.Option {
			return fmt.Errorf("expected %s, found nil", t)
		}
		return e.none(t, leaf)
	}
	switch t.Kind {
	case graph.Array:
		return e.array(t, v, leaf, depth)
	case graph.Tuple:
		return e.tuple(t, v, leaf, depth)
	case graph.Option:
		return e.option(t, v, leaf, depth)
	}
	return e.scalar(t, v, leaf, loose)
}

func (e *encoder) array(t *graph.Type, v reflect.Value, leaf, depth int) error {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return fmt.Errorf("expected %s, found %s", t, v.Type())
	}
	n := int64(v.Len())
	for j := range e.leavesOf(t) {
		d := &e.cols[leaf+j].Dims[depth]
		if *d >= 0 && *d != n {
			return fmt.Errorf("rows have different lengths: %d and %d", *d, n)
		}
		*d = n
	}
	if b := rawSlice(t.Elem(), v); b != nil {
		e.cols[leaf].Data = append(e.cols[leaf].Data, b...)
		return nil
	}
	for i := range v.Len() {
		if err := e.put(t.Elem(), v.Index(i), leaf, depth+1); err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
	}
	return nil
}

// rawSlice is the memory of a slice whose elements are numbers as a column holds them; nil
// for any other.
func rawSlice(elem *graph.Type, v reflect.Value) []byte {
	if elem.Means.Sort != meaning.None || v.Kind() != reflect.Slice || v.Len() == 0 || elem.Kind != graph.Scalar || goKinds[v.Type().Elem().Kind()] != elem.KindOf() {
		return nil
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*elem.KindOf().Size())
}

// goKinds are the kinds of Go's numbers.
var goKinds = map[reflect.Kind]num.Kind{
	reflect.Bool: num.Bool, reflect.Int8: num.I8, reflect.Int16: num.I16, reflect.Int32: num.I32, reflect.Int64: num.I64,
	reflect.Uint8: num.U8, reflect.Uint16: num.U16, reflect.Uint32: num.U32, reflect.Uint64: num.U64,
	reflect.Float32: num.F32, reflect.Float64: num.F64,
}

func (e *encoder) tuple(t *graph.Type, v reflect.Value, leaf, depth int) error {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	sh := e.shape(t, v.Type())
	for i, elem := range t.Elems {
		part, ok := partOf(t, sh, v, i)
		if !ok {
			return fmt.Errorf("expected %s with a field `%s`, found %s", t, t.FieldName(i), v.Type())
		}
		if err := e.put(elem, part, leaf, depth); err != nil {
			return fmt.Errorf("`%s`: %w", t.FieldName(i), err)
		}
		leaf += sh.leaves[i]
	}
	return nil
}

// partOf finds field i of a record or tuple in a struct, map or slice.
func partOf(t *graph.Type, sh *shape, v reflect.Value, i int) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.Struct:
		return sh.field(v, i)
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return v, false
		}
		part := v.MapIndex(reflect.ValueOf(t.FieldName(i)).Convert(v.Type().Key()))
		return part, part.IsValid()
	case reflect.Slice, reflect.Array:
		return indexed(t, v, i)
	}
	return v, false
}

func indexed(t *graph.Type, v reflect.Value, i int) (reflect.Value, bool) {
	if len(t.Names) > 0 || v.Len() != len(t.Elems) {
		return v, false
	}
	return v.Index(i), true
}

func (e *encoder) option(t *graph.Type, v reflect.Value, leaf, depth int) error {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return e.none(t, leaf)
		}
		v = v.Elem()
	}
	e.append(leaf, 1)
	return e.put(t.Elem(), v, leaf+1, depth)
}

// none leaves zeros where the value would be.
func (e *encoder) none(t *graph.Type, leaf int) error {
	for j, l := range e.leavesOf(t) {
		n := int64(1)
		for _, d := range l.Dims {
			c, ok := d.Const()
			if !ok {
				return fmt.Errorf("a missing %s needs a size that is a number", t.Elem())
			}
			n *= c
		}
		for range n {
			e.append(leaf+j, 0)
		}
	}
	return nil
}

func (e *encoder) append(leaf int, bits uint64) {
	c := &e.cols[leaf]
	at, n := len(c.Data), c.Kind.Size()
	c.Data = slices.Grow(c.Data, n)[:at+n]
	column.Put(c.Kind, c.Data[at:], 0, bits)
}

func (e *encoder) scalar(t *graph.Type, v reflect.Value, leaf int, loose bool) error {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if t.Means.Sort != meaning.None {
		return e.meant(t, v, leaf)
	}
	bits, err := scalarBits(t, v, loose)
	if err == nil {
		e.append(leaf, bits)
	}
	return err
}

// scalarBits converts a Go scalar without loss. Only a loose f32, such as one
// in an any, may be given as a float64, as Go's constants are.
func scalarBits(t *graph.Type, v reflect.Value, loose bool) (uint64, error) {
	k := t.KindOf()
	switch {
	case v.Kind() == reflect.Bool && k == num.Bool:
		if v.Bool() {
			return 1, nil
		}
		return 0, nil
	case v.CanFloat() && k.IsFloat():
		if k == num.F32 && v.Kind() == reflect.Float64 && !loose {
			return 0, wrongKind(t, v)
		}
		return num.FromFloat(k, v.Float()), nil
	case v.CanInt() && k.IsInt():
		return fitInt(k, v.Int())
	case v.CanUint() && k.IsInt():
		if u := v.Uint(); k == num.U64 || u <= min(k.MaxInt(), math.MaxInt64) {
			return u, nil
		}
		return 0, fmt.Errorf("%d does not fit %s", v.Uint(), k)
	case v.CanInt() && k.IsFloat():
		if x := float64(v.Int()); int64(x) == v.Int() && num.ToFloat(k, num.FromFloat(k, x)) == x {
			return num.FromFloat(k, x), nil
		}
		return 0, fmt.Errorf("%d is no %s without loss", v.Int(), k)
	}
	return 0, wrongKind(t, v)
}

func wrongKind(t *graph.Type, v reflect.Value) error {
	return fmt.Errorf("expected %s, found %s", t, v.Type())
}

func fitInt(k num.Kind, n int64) (uint64, error) {
	if n < k.MinInt() || n > 0 && uint64(n) > k.MaxInt() {
		return 0, fmt.Errorf("%d does not fit %s", n, k)
	}
	return uint64(n), nil
}
