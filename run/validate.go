package run

import (
	"fmt"
	"unsafe"

	"github.com/godwit-run/godwit/data"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/value"
)

// validate makes sure that a raw input that has just become present keeps
// its bound. Decoded inputs were checked when they were decoded.
func (r *runner) validate(in *input) error {
	if in.want.Bound <= 0 {
		return nil
	}
	b := r.bytes(in.buffer)
	return r.blocks(int64(len(b)), func(lo, hi int64) error {
		return in.checkBound(b[lo:hi], lo/int64(in.kind.Size()))
	})
}

// checkBound looks for an element outside the input's bound among those in
// b, of which the first is number first.
func (in *input) checkBound(b []byte, first int64) error {
	if in.want.Bound <= 0 || in.b.Presence {
		return nil
	}
	i := outside(b, in.kind, in.want.Bound)
	if i < 0 {
		return nil
	}
	return &data.Error{
		Path: in.b.Source.Path(), Row: (first + int64(i)) / max(1, in.width), Column: in.b.Source.Columns()[in.b.Column].Name,
		Msg:  fmt.Sprintf("expected an index below %d, found %s", in.want.Bound, value.Text(in.kind, value.Get(in.kind, b, int64(i)))),
		Help: "every value must lie in [0, bound); correct the data, or declare a plain integer and clamp or wrap it",
	}
}

// outside is the index of the first integer that is not in 0..bound, or -1.
func outside(b []byte, k num.Kind, bound int64) int {
	switch k {
	case num.I8:
		return outsideOf[int8](b, bound)
	case num.I16:
		return outsideOf[int16](b, bound)
	case num.I32:
		return outsideOf[int32](b, bound)
	case num.I64:
		return outsideOf[int64](b, bound)
	case num.U8:
		return outsideOf[uint8](b, bound)
	case num.U16:
		return outsideOf[uint16](b, bound)
	case num.U32:
		return outsideOf[uint32](b, bound)
	}
	return outsideOf[uint64](b, bound)
}

func outsideOf[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](b []byte, bound int64) int {
	var t T
	xs := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
	const block = 1 << 12
	for lo := 0; lo < len(xs); lo += block {
		part := xs[lo:min(lo+block, len(xs))]
		if !anyOutside(part, bound) {
			continue
		}
		for i, x := range part {
			if uint64(int64(x)) >= uint64(bound) {
				return lo + i
			}
		}
	}
	return -1
}

// anyOutside has no branch per element: a sign bit tells. A U64 above the
// greatest I64 becomes negative, which is outside too.
func anyOutside[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](xs []T, bound int64) bool {
	var a, b, c, d int64
	top := bound - 1
	for len(xs) >= 4 {
		x, y, z, w := int64(xs[0]), int64(xs[1]), int64(xs[2]), int64(xs[3])
		a |= x | (top - x)
		b |= y | (top - y)
		c |= z | (top - z)
		d |= w | (top - w)
		xs = xs[4:]
	}
	for _, x := range xs {
		a |= int64(x) | (top - int64(x))
	}
	return a|b|c|d < 0
}
