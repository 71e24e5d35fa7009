package godwit

import (
	"fmt"
	"math"
	"reflect"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// As converts a result to a Go value: scalars to numbers that hold them
// without loss, arrays to slices (nested for arrays of arrays), records and
// tuples to structs by the names or order of their fields, Option to
// pointers. An array of numbers read as a slice of their own type is not copied: the
// slice is the result's memory.
func As[T any](r *Result) (T, error) {
	var out T
	err := decodeTo(r, &out)
	return out, err
}

// decodeTo stores a result where dst points to.
func decodeTo(r *Result, dst any) error {
	if err := r.away(); err != nil {
		return err
	}
	if quick(r.value, dst) {
		return nil
	}
	p := reflect.ValueOf(dst)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return mismatch(r.value.Type, fmt.Sprintf("%T, which is no pointer", dst))
	}
	d := decoder{r.value.Type, r.value.Columns, 0, 0, &shapes{}}
	if err := d.into(p.Elem()); err != nil {
		return &InputError{Text: "the result: " + err.Error(), Err: err}
	}
	return nil
}

func mismatch(t *graph.Type, want string) error {
	return &InputError{Text: fmt.Sprintf("the result is %s, and cannot be read as %s", t, want)}
}

// quick gives arrays of numbers as slices of the same kind.
func quick(v *value.Value, dst any) bool {
	if v.Type.Kind != graph.Array || !v.Type.Elem().IsScalar() || v.Type.Elem().Means.Sort != meaning.None {
		return false
	}
	for _, try := range []func(*value.Value, any) bool{
		copied[float32], copied[float64], copied[int32], copied[int64], copied[uint8], copied[int8],
		copied[int16], copied[uint16], copied[uint32], copied[uint64], copied[bool],
	} {
		if try(v, dst) {
			return true
		}
	}
	return false
}

func copied[T value.Number](v *value.Value, dst any) bool {
	p, ok := dst.(*[]T)
	if !ok || p == nil {
		return false
	}
	s, err := value.AsSlice[T](v)
	if err != nil {
		return false
	}
	*p = s
	return true
}

// decoder is a part of a value: see package value for the layout.
type decoder struct {
	t     *graph.Type
	cols  []column.Column
	depth int
	at    int64
	*shapes
}

func (d decoder) into(v reflect.Value) error {
	switch {
	case d.t.Kind == graph.Option:
		return d.option(v)
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.into(v.Elem())
	case d.t.Kind == graph.Array:
		return d.array(v)
	case d.t.Kind == graph.Tuple:
		return d.tuple(v)
	case d.t.Means.Sort != meaning.None:
		return d.meant(v)
	}
	return d.scalar(v)
}

func (d decoder) wrong(v reflect.Value) error {
	return fmt.Errorf("%s cannot be read as %s", d.t, v.Type())
}

func (d decoder) array(v reflect.Value) error {
	n := int64(0)
	if len(d.cols) > 0 {
		n = d.cols[0].Dims[d.depth]
	}
	switch v.Kind() {
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
		if b := rawSlice(d.t.Elem(), v); b != nil {
			copy(b, d.cols[0].Data[d.at*int64(len(b)):])
			return nil
		}
	case reflect.Array:
		if int64(v.Len()) != n {
			return fmt.Errorf("an array of %d elements cannot be read as %s", n, v.Type())
		}
	default:
		return d.wrong(v)
	}
	for i := range n {
		inner := decoder{d.t.Elem(), d.cols, d.depth + 1, d.at*n + i, d.shapes}
		if err := inner.into(v.Index(int(i))); err != nil {
			return err
		}
	}
	return nil
}

func (d decoder) tuple(v reflect.Value) error {
	cols, sh := d.cols, d.shape(d.t, v.Type())
	for i, e := range d.t.Elems {
		n := sh.leaves[i]
		part, ok := reflect.Value{}, false
		switch v.Kind() {
		case reflect.Struct:
			part, ok = sh.field(v, i)
		case reflect.Array, reflect.Slice:
			part, ok = indexed(d.t, v, i)
		}
		if !ok {
			return fmt.Errorf("%s has a field `%s`, %s has none to hold it", d.t, d.t.FieldName(i), v.Type())
		}
		if err := (decoder{e, cols[:n], d.depth, d.at, d.shapes}).into(part); err != nil {
			return err
		}
		cols = cols[n:]
	}
	return nil
}

func (d decoder) option(v reflect.Value) error {
	if v.Kind() != reflect.Pointer {
		return d.wrong(v)
	}
	if d.cols[0].At(d.at) == 0 {
		v.SetZero()
		return nil
	}
	v.Set(reflect.New(v.Type().Elem()))
	return (decoder{d.t.Elem(), d.cols[1:], d.depth, d.at, d.shapes}).into(v.Elem())
}

func (d decoder) scalar(v reflect.Value) error {
	k, bits := d.cols[0].Kind, d.cols[0].At(d.at)
	switch {
	case k == num.Bool && v.Kind() == reflect.Bool:
		v.SetBool(bits != 0)
	case k.IsFloat() && v.CanFloat() && (k == num.F32 || v.Kind() == reflect.Float64):
		v.SetFloat(num.ToFloat(k, bits))
	case k.IsInt() && v.CanInt():
		if n := int64(bits); v.OverflowInt(n) || k == num.U64 && n < 0 {
			return d.tooLarge(v)
		}
		v.SetInt(int64(bits))
	case k.IsInt() && v.CanUint():
		if k.IsSigned() && int64(bits) < 0 || v.OverflowUint(bits) {
			return d.tooLarge(v)
		}
		v.SetUint(bits)
	case k.IsInt() && v.Kind() == reflect.Float64:
		return d.exact(v)
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		v.Set(reflect.ValueOf(dynamic(k, bits)))
	default:
		return d.wrong(v)
	}
	return nil
}

func (d decoder) tooLarge(v reflect.Value) error {
	c := d.cols[0]
	return fmt.Errorf("%s does not fit %s", column.Text(c.Kind, c.At(d.at)), v.Type())
}

// exact stores an integer as a float if that is without loss.
func (d decoder) exact(v reflect.Value) error {
	c := d.cols[0]
	bits, _ := num.Convert(c.Kind, num.F64, c.At(d.at))
	x := math.Float64frombits(bits)
	if back, fault := num.Convert(num.F64, c.Kind, bits); fault || back != c.At(d.at) {
		return d.tooLarge(v)
	}
	v.SetFloat(x)
	return nil
}

// dynamic is a scalar for a destination of type any.
func dynamic(k num.Kind, bits uint64) any {
	switch {
	case k == num.Bool:
		return bits != 0
	case k.IsFloat():
		return num.ToFloat(k, bits)
	case k.IsSigned():
		return int64(bits)
	}
	return bits
}
