// Package column holds runs of scalars as bytes: how a column of an argument or a
// result lies in memory, and how its scalars are read, written and shown.
package column

import (
	"encoding/binary"
	"math"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Column is a run of scalars in little-endian order, row-major over Dims.
// An Index leaf may be stored in any integer kind.
type Column struct {
	Kind num.Kind
	Dims []int64
	Data []byte
	// Texts, of a column of text, are what its scalars are the numbers of.
	Texts []string
}

// Len is the number of scalars in the column.
func (c Column) Len() int64 {
	n := int64(1)
	for _, d := range c.Dims {
		n *= d
	}
	return n
}

// At is the scalar at flat position i, in the bit form of package num.
func (c Column) At(i int64) uint64 { return Get(c.Kind, c.Data, i) }

// Set stores a scalar in the bit form of package num.
func (c Column) Set(i int64, bits uint64) { Put(c.Kind, c.Data, i, bits) }

// Get reads element i of a little-endian column; integers come sign- or
// zero-extended.
func Get(k num.Kind, data []byte, i int64) uint64 {
	switch k {
	case num.Bool, num.U8:
		return uint64(data[i])
	case num.I8:
		return uint64(int64(int8(data[i])))
	case num.I16:
		return uint64(int64(int16(binary.LittleEndian.Uint16(data[2*i:]))))
	case num.U16:
		return uint64(binary.LittleEndian.Uint16(data[2*i:]))
	case num.I32:
		return uint64(int64(int32(binary.LittleEndian.Uint32(data[4*i:]))))
	case num.U32, num.F32:
		return uint64(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return binary.LittleEndian.Uint64(data[8*i:])
}

// Put writes element i of a little-endian column.
func Put(k num.Kind, data []byte, i int64, bits uint64) {
	switch k.Size() {
	case 1:
		data[i] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(data[2*i:], uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(data[4*i:], uint32(bits))
	default:
		binary.LittleEndian.PutUint64(data[8*i:], bits)
	}
}

// Extremes are the least and the greatest integer of a column that has some; those of u64 beyond an int64 count as its greatest.
func Extremes(k num.Kind, data []byte) (least, most int64) {
	least, most = math.MaxInt64, math.MinInt64
	take := func(x int64) { least, most = min(least, x), max(most, x) }
	switch le := binary.LittleEndian; k {
	case num.I64:
		for ; len(data) >= 8; data = data[8:] {
			take(int64(le.Uint64(data)))
		}
	case num.I32:
		for ; len(data) >= 4; data = data[4:] {
			take(int64(int32(le.Uint32(data))))
		}
	case num.U32:
		for ; len(data) >= 4; data = data[4:] {
			take(int64(le.Uint32(data)))
		}
	default:
		for i := range int64(len(data) / k.Size()) {
			if x := Get(k, data, i); k == num.U64 {
				take(int64(min(x, math.MaxInt64)))
			} else {
				take(int64(x))
			}
		}
	}
	return least, most
}

// CanonicalNaN replaces every NaN in the elements of a column by the one canonical
// NaN, in place: which NaN an operation gives is not part of the language.
func CanonicalNaN(k num.Kind, data []byte) {
	if !k.IsFloat() {
		return
	}
	const block = 1 << 10
	for lo := 0; lo < len(data); lo += block {
		if part := data[lo:min(lo+block, len(data))]; anyNaN(k, part) {
			canonical(k, part)
		}
	}
}

// anyNaN reports whether a block may hold a NaN. A word of eight bytes holds one f64 or two
// f32: without its sign, a NaN is what reaches the sign bit when the distance to it
// from the least NaN is added, and nothing carries into the neighbour.
func anyNaN(k num.Kind, data []byte) bool {
	if len(data)%8 != 0 {
		return true
	}
	unsigned, add := uint64(math.MaxInt64), uint64(1<<63-0x7ff0000000000001)
	if k == num.F32 {
		unsigned, add = 0x7fffffff7fffffff, 0x007fffff007fffff
	}
	found := uint64(0)
	for ; len(data) >= 32; data = data[32:] {
		found |= binary.LittleEndian.Uint64(data)&unsigned + add
		found |= binary.LittleEndian.Uint64(data[8:])&unsigned + add
		found |= binary.LittleEndian.Uint64(data[16:])&unsigned + add
		found |= binary.LittleEndian.Uint64(data[24:])&unsigned + add
	}
	for ; len(data) >= 8; data = data[8:] {
		found |= binary.LittleEndian.Uint64(data)&unsigned + add
	}
	return found&^unsigned != 0
}

func canonical(k num.Kind, data []byte) {
	if k == num.F32 {
		for i := 0; i+4 <= len(data); i += 4 {
			if binary.LittleEndian.Uint32(data[i:])&0x7fffffff > 0x7f800000 {
				binary.LittleEndian.PutUint32(data[i:], 0x7fc00000)
			}
		}
		return
	}
	for i := 0; i+8 <= len(data); i += 8 {
		if binary.LittleEndian.Uint64(data[i:])&math.MaxInt64 > 0x7ff0000000000000 {
			binary.LittleEndian.PutUint64(data[i:], 0x7ff8000000000000)
		}
	}
}
