package value

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Number is the Go type of a scalar.
type Number = num.Scalar

// toBits gives a number the bit form of package num.
func toBits[T Number](x T) uint64 {
	switch x := any(x).(type) {
	case bool:
		if x {
			return 1
		}
		return 0
	case int8:
		return uint64(x)
	case int16:
		return uint64(x)
	case int32:
		return uint64(x)
	case int64:
		return uint64(x)
	case uint8:
		return uint64(x)
	case uint16:
		return uint64(x)
	case uint32:
		return uint64(x)
	case uint64:
		return x
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	}
	return 0
}

func fromBits[T Number](bits uint64) T {
	var x T
	switch p := any(&x).(type) {
	case *bool:
		*p = bits != 0
	case *int8:
		*p = int8(bits)
	case *int16:
		*p = int16(bits)
	case *int32:
		*p = int32(bits)
	case *int64:
		*p = int64(bits)
	case *uint8:
		*p = uint8(bits)
	case *uint16:
		*p = uint16(bits)
	case *uint32:
		*p = uint32(bits)
	case *uint64:
		*p = bits
	case *float32:
		*p = math.Float32frombits(uint32(bits))
	case *float64:
		*p = math.Float64frombits(bits)
	}
	return x
}

// Scalar is a value of T's kind.
func Scalar[T Number](x T) *Value {
	k := num.KindOf[T]()
	v := fixed(graph.ScalarOf(k))
	v.Columns[0].Set(0, num.Canon(k, toBits(x)))
	return v
}

// FromSlice copies xs to an array of T's kind.
func FromSlice[T Number](xs []T) *Value {
	k := num.KindOf[T]()
	v := fixed(graph.ArrayOf(graph.ScalarOf(k), size.Const(int64(len(xs)))))
	for i, x := range xs {
		v.Columns[0].Set(int64(i), num.Canon(k, toBits(x)))
	}
	return v
}

// FromMatrix copies rows of equal length to an array of arrays.
func FromMatrix[T Number](rows [][]T) (*Value, error) {
	k, width := num.KindOf[T](), 0
	if len(rows) > 0 {
		width = len(rows[0])
	}
	row := graph.ArrayOf(graph.ScalarOf(k), size.Const(int64(width)))
	v := fixed(graph.ArrayOf(row, size.Const(int64(len(rows)))))
	for i, r := range rows {
		if len(r) != width {
			return nil, fmt.Errorf("row %d has %d elements, row 0 has %d", i, len(r), width)
		}
		for j, x := range r {
			v.Columns[0].Set(int64(i*width+j), num.Canon(k, toBits(x)))
		}
	}
	return v, nil
}

// fixed is a zero value of a type whose sizes are all numbers.
func fixed(t *graph.Type) *Value {
	v, err := New(t, func(string) (int64, bool) { return 0, false })
	if err != nil {
		panic(err) // the callers above make the types
	}
	return v
}

// AsSlice gives the scalars of a value with one column, row by row. The slice shares the
// value's memory where T is what is stored there. An index may be read as an int64 whatever
// it is stored in.
func AsSlice[T Number](v *Value) ([]T, error) {
	if len(v.Columns) != 1 {
		return nil, fmt.Errorf("%s has %d columns; take one of them", v.Type, len(v.Columns))
	}
	return columnSlice[T](v, v.Columns[0])
}

func columnSlice[T Number](v *Value, c column.Column) ([]T, error) {
	want := num.KindOf[T]()
	isIndex := graph.Leaves(v.Type)[0].Type.Kind == graph.Index && want == num.I64 && c.Kind.IsInt()
	if c.Kind != want && !isIndex {
		return nil, fmt.Errorf("%s holds %s, not %s", v.Type, c.Kind, want)
	}
	if xs, ok := shared[T](c, want); ok {
		return xs, nil
	}
	out := make([]T, c.Len())
	for i := range out {
		out[i] = fromBits[T](c.At(int64(i)))
	}
	return out, nil
}

// shared is a column's memory as a slice. Columns are little-endian, as are all machines
// that Godwit is built for.
func shared[T Number](c column.Column, want num.Kind) ([]T, bool) {
	if c.Kind != want || len(c.Data) == 0 {
		return nil, false
	}
	first := unsafe.Pointer(unsafe.SliceData(c.Data))
	if uintptr(first)%uintptr(want.Size()) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(first), c.Len()), true
}

// AsScalar is the one scalar of a value.
func AsScalar[T Number](v *Value) (T, error) {
	var zero T
	s, err := AsSlice[T](v)
	switch {
	case err != nil:
		return zero, err
	case len(s) != 1 || len(v.Columns[0].Dims) != 0:
		return zero, fmt.Errorf("%s is no scalar", v.Type)
	}
	return s[0], nil
}
