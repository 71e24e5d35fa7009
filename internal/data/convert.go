package data

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Stored values and destinations are little-endian bytes; Godwit runs on
// little-endian processors only, so views of them are plain slices.

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type scalar interface {
	bool | integer | float32 | float64
}

// view is b as a slice of T; a rest that is shorter than a T is left out.
func view[T scalar](b []byte) []T {
	var t T
	n := len(b) / int(unsafe.Sizeof(t))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// bytesOf is xs as bytes.
func bytesOf[T scalar](xs []T) []byte {
	if len(xs) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs)*int(unsafe.Sizeof(xs[0])))
}

// convert writes the values of src, stored as from, to dst as w.Kind. It
// returns the index of a value that does not fit, -1 if all do: the first one
// that the kind cannot hold, or if none is, the first one outside the bound.
// The caller has made sure that from converts to w.Kind.
func convert(dst []byte, w Want, src []byte, from num.Kind) int {
	n := len(src) / from.Size()
	dst = dst[:n*w.Kind.Size()]
	bad := -1
	switch {
	case w.rescaled(from):
		return rescale(dst, w, src, from)
	case from == num.Bool:
		copyBools(dst, src)
	case from == w.Kind:
		copy(dst, src)
	case from == num.F32:
		widenFloats(view[float64](dst), view[float32](src))
	case !w.Kind.IsInt():
		bad = fromInts(dst, w.Kind, src, from)
	default:
		bad = narrowFrom(dst, w.Kind, src, from)
	}
	if bad < 0 && w.Bound > 0 {
		bad = outside(dst, w.Kind, w.Bound)
	}
	return bad
}

// copyBools makes every byte that is not 0 a 1.
func copyBools(dst, src []byte) {
	for i, b := range src {
		if b != 0 {
			b = 1
		}
		dst[i] = b
	}
}

func widenFloats(dst []float64, src []float32) {
	for i, x := range src {
		dst[i] = float64(x)
	}
}

func narrowFrom(dst []byte, to num.Kind, src []byte, from num.Kind) int {
	switch from {
	case num.I8:
		return narrowTo(dst, to, view[int8](src))
	case num.I16:
		return narrowTo(dst, to, view[int16](src))
	case num.I32:
		return narrowTo(dst, to, view[int32](src))
	case num.I64:
		return narrowTo(dst, to, view[int64](src))
	case num.U8:
		return narrowTo(dst, to, view[uint8](src))
	case num.U16:
		return narrowTo(dst, to, view[uint16](src))
	case num.U32:
		return narrowTo(dst, to, view[uint32](src))
	default:
		return narrowTo(dst, to, view[uint64](src))
	}
}

func narrowTo[S integer](dst []byte, to num.Kind, src []S) int {
	switch to {
	case num.I8:
		return narrow(view[int8](dst), src)
	case num.I16:
		return narrow(view[int16](dst), src)
	case num.I32:
		return narrow(view[int32](dst), src)
	case num.I64:
		return narrow(view[int64](dst), src)
	case num.U8:
		return narrow(view[uint8](dst), src)
	case num.U16:
		return narrow(view[uint16](dst), src)
	case num.U32:
		return narrow(view[uint32](dst), src)
	default:
		return narrow(view[uint64](dst), src)
	}
}

// narrow converts without a branch per element and looks for the culprit
// only when there is one.
func narrow[D, S integer](dst []D, src []S) int {
	dst = dst[:len(src)]
	var lost, sign S
	for i, x := range src {
		y := D(x)
		dst[i] = y
		lost |= S(y) ^ x
		sign |= x
	}
	// A value loses its sign only between a signed and an unsigned kind of
	// one width; then some value has its top bit set.
	var d D
	var s S
	mixed := (d-1 < 0) != (s-1 < 0)
	if lost == 0 && !(mixed && sign>>(unsafe.Sizeof(s)*8-1) != 0) {
		return -1
	}
	for i, x := range src {
		if y := D(x); S(y) != x || (y < 0) != (x < 0) {
			return i
		}
	}
	return -1
}

// outside is the index of the first integer in b that is not in [0, bound).
func outside(b []byte, k num.Kind, bound int64) int {
	switch k {
	case num.I8:
		return firstOutside(view[int8](b), bound)
	case num.I16:
		return firstOutside(view[int16](b), bound)
	case num.I32:
		return firstOutside(view[int32](b), bound)
	case num.I64:
		return firstOutside(view[int64](b), bound)
	case num.U8:
		return firstOutside(view[uint8](b), bound)
	case num.U16:
		return firstOutside(view[uint16](b), bound)
	case num.U32:
		return firstOutside(view[uint32](b), bound)
	case num.U64:
		return firstOutside(view[uint64](b), bound)
	}
	return -1
}

func firstOutside[T integer](xs []T, bound int64) int {
	for i, x := range xs {
		// A negative x becomes a huge unsigned number.
		if uint64(int64(x)) >= uint64(bound) {
			return i
		}
	}
	return -1
}

// valueAt renders element i of b for a message.
func valueAt(b []byte, k num.Kind, i int) string {
	switch k {
	case num.Bool:
		return strconv.FormatBool(b[i] != 0)
	case num.F32:
		return strconv.FormatFloat(float64(view[float32](b)[i]), 'g', -1, 32)
	case num.F64:
		return strconv.FormatFloat(view[float64](b)[i], 'g', -1, 64)
	case num.U64:
		return strconv.FormatUint(view[uint64](b)[i], 10)
	}
	var wide [8]byte
	convert(wide[:], Want{Kind: num.I64}, b[i*k.Size():(i+1)*k.Size()], k)
	return strconv.FormatInt(view[int64](wide[:])[0], 10)
}

// misfit is the error for a value that convert refused.
func misfit(path string, row int64, column string, w Want, value string) *Error {
	e := &Error{Path: path, Row: row, Column: column}
	if w.Means.Sort != meaning.None {
		e.Msg, e.Help = unscaled(w, value)
		return e
	}
	if !w.Kind.IsInt() {
		e.Msg, e.Help = inexact(w.Kind, value)
		return e
	}
	if v, err := strconv.ParseInt(value, 10, 64); err == nil && fits(v, w.Kind) {
		e.Msg = fmt.Sprintf("expected an index below %d, found %s", w.Bound, value)
		e.Help = "every value must lie in [0, bound); correct the data, or declare a plain integer and clamp or wrap it"
		return e
	}
	e.Msg = fmt.Sprintf("expected %s (%s), found %s", w.Kind, rangeOf(w.Kind), value)
	e.Help = wider(value, w.Kind)
	return e
}

// inexact says that a float or bool is not the integer that was found.
func inexact(k num.Kind, value string) (msg, help string) {
	if k == num.Bool {
		return "expected bool (0 or 1), found " + value, "declare an integer type, and compare it"
	}
	help = "declare an integer type, and convert it with `as " + k.String() + "`, which rounds"
	if !holds(num.I64, value) && !holds(num.U64, value) {
		help = "no type holds it: write it with a point, as " + shortened(value) + ".0, to have it rounded, or leave the column out"
	}
	if k == num.F32 {
		help = "declare it as f64, which holds all integers up to 2^53; or " + help
	}
	return fmt.Sprintf("expected %s, found %s, an integer that %s cannot hold exactly", k, value, k), help
}

func rangeOf(k num.Kind) string {
	return fmt.Sprintf("%d to %d", k.MinInt(), k.MaxInt())
}

func fits(v int64, k num.Kind) bool {
	if v < 0 {
		return v >= k.MinInt()
	}
	return uint64(v) <= k.MaxInt()
}

// wider says what to declare for a value that the declared kind does not hold. What came before
// did fit, so the new kind holds all of the declared one: helps that are followed come to an end.
func wider(value string, declared num.Kind) string {
	for _, k := range []num.Kind{num.I8, num.I16, num.I32, num.I64, num.U64} {
		if k.MinInt() <= declared.MinInt() && k.MaxInt() >= declared.MaxInt() && holds(k, value) {
			return "declare a wider type: " + k.String()
		}
	}
	float := "as f64"
	if _, msg := parseFloat64([]byte(value)); msg != "" { // f64 would refuse it
		float += " and write it with a point, as " + shortened(value) + ".0, to have it rounded"
	}
	if declared != num.U64 && holds(num.U64, value) {
		return "declare it as u64 if nothing in it is negative, else " + float + ", or leave the column out"
	}
	if declared == num.U64 && holds(num.I64, value) {
		return "declare it as i64 if nothing in it is above 9223372036854775807, else " + float + ", or leave the column out"
	}
	return "no integer type holds it: declare it " + float + ", or leave the column out"
}

// holds reports whether an integer kind has a value of this text.
func holds(k num.Kind, value string) bool {
	if v, err := strconv.ParseInt(value, 10, 64); err == nil {
		return fits(v, k)
	}
	_, err := strconv.ParseUint(strings.TrimPrefix(value, "+"), 10, 64)
	return err == nil && k == num.U64
}

// swapBytes reverses the bytes of every element, in place.
func swapBytes(b []byte, size int) {
	switch size {
	case 2:
		xs := view[uint16](b)
		for i, x := range xs {
			xs[i] = bits.ReverseBytes16(x)
		}
	case 4:
		xs := view[uint32](b)
		for i, x := range xs {
			xs[i] = bits.ReverseBytes32(x)
		}
	case 8:
		xs := view[uint64](b)
		for i, x := range xs {
			xs[i] = bits.ReverseBytes64(x)
		}
	}
}
