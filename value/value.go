// Package value holds the inputs and results of a run: a type with all its
// sizes known and one column of bytes per scalar leaf.
package value

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/godwit-run/godwit/graph"
	"github.com/godwit-run/godwit/num"
)

// Value is a fully known value. Columns stand in the order of graph.Leaves.
type Value struct {
	Type    *graph.Type
	Columns []Column
}

// Column is a run of scalars in little-endian order, row-major over Dims.
// An Index leaf may be stored in any integer kind.
type Column struct {
	Kind num.Kind
	Dims []int64
	Data []byte
}

// Len is the number of scalars in the column.
func (c Column) Len() int64 {
	n := int64(1)
	for _, d := range c.Dims {
		n *= d
	}
	return n
}

// New makes a zero value of type t under the given sizes; run-time sizes
// must be among them.
func New(t *graph.Type, sizes func(string) (int64, bool)) (*Value, error) {
	v := &Value{Type: t}
	for _, leaf := range graph.Leaves(t) {
		c := Column{Kind: leaf.Type.KindOf()}
		for _, p := range leaf.Dims {
			d, ok := p.Eval(sizes)
			if !ok {
				return nil, fmt.Errorf("the size %s is not known", p)
			}
			c.Dims = append(c.Dims, max(d, 0))
		}
		c.Data = make([]byte, c.Len()*int64(c.Kind.Size()))
		v.Columns = append(v.Columns, c)
	}
	return v, nil
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

// Canonical replaces every NaN by the one canonical NaN, in place: which NaN
// an operation gives is not part of the language.
func (v *Value) Canonical() {
	for _, c := range v.Columns {
		CanonicalNaN(c.Kind, c.Data)
	}
}

// CanonicalNaN does that for one column.
func CanonicalNaN(k num.Kind, data []byte) {
	switch k {
	case num.F32:
		for i := 0; i+4 <= len(data); i += 4 {
			if binary.LittleEndian.Uint32(data[i:])&0x7fffffff > 0x7f800000 {
				binary.LittleEndian.PutUint32(data[i:], 0x7fc00000)
			}
		}
	case num.F64:
		for i := 0; i+8 <= len(data); i += 8 {
			if binary.LittleEndian.Uint64(data[i:])&math.MaxInt64 > 0x7ff0000000000000 {
				binary.LittleEndian.PutUint64(data[i:], 0x7ff8000000000000)
			}
		}
	}
}

// Equal reports that two values are the same bits; where they first differ
// is said in words otherwise.
func Equal(a, b *Value) (bool, string) {
	if len(a.Columns) != len(b.Columns) {
		return false, fmt.Sprintf("%d columns against %d", len(a.Columns), len(b.Columns))
	}
	for j := range a.Columns {
		x, y := a.Columns[j], b.Columns[j]
		if x.Len() != y.Len() {
			return false, fmt.Sprintf("column %d: shape %v against %v", j, x.Dims, y.Dims)
		}
		for i := range x.Len() {
			if x.At(i) != y.At(i) {
				return false, fmt.Sprintf("column %d element %d: %s against %s", j, i, Text(x.Kind, x.At(i)), Text(y.Kind, y.At(i)))
			}
		}
	}
	return true, ""
}
