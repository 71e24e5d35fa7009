// Package num defines Godwit's scalar types and the one meaning that every
// engine gives to an operation on them.
package num

// Kind is a scalar type. Its numeric value is part of the kernel byte format
// and must not change.
type Kind uint8

const (
	Invalid Kind = iota
	Bool         // one byte in memory, 0 or 1
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F32
	F64
	kinds
)

var kindNames = [kinds]string{"invalid", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"}
var kindSizes = [kinds]int{0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8}

func (k Kind) String() string {
	if k >= kinds {
		return "invalid"
	}
	return kindNames[k]
}

// Size is the width of a value in memory, in bytes.
func (k Kind) Size() int {
	if k >= kinds {
		return 0
	}
	return kindSizes[k]
}

// Valid reports whether k names a scalar type; bytes from strangers may not.
func (k Kind) Valid() bool { return k > Invalid && k < kinds }

func (k Kind) IsFloat() bool  { return k == F32 || k == F64 }
func (k Kind) IsInt() bool    { return k >= I8 && k <= U64 }
func (k Kind) IsSigned() bool { return k >= I8 && k <= I64 }

// Bits is the width of an integer or float kind in bits; a Bool has 1.
func (k Kind) Bits() int {
	if k == Bool {
		return 1
	}
	return k.Size() * 8
}

// ParseKind finds the kind with the given source name.
func ParseKind(name string) (Kind, bool) {
	for k := Bool; k < kinds; k++ {
		if kindNames[k] == name {
			return k, true
		}
	}
	return Invalid, false
}

// MinInt is the least value of an integer kind; 0 for unsigned kinds.
func (k Kind) MinInt() int64 {
	if !k.IsSigned() {
		return 0
	}
	return -1 << (k.Bits() - 1)
}

// MaxInt is the greatest value of an integer kind, as unsigned bits.
func (k Kind) MaxInt() uint64 {
	if k.IsSigned() {
		return 1<<(k.Bits()-1) - 1
	}
	return ^uint64(0) >> (64 - k.Bits())
}

// Scalar is what Go holds a scalar in.
type Scalar interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// KindOf is the scalar kind that T holds.
func KindOf[T Scalar]() Kind {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return I8
	case int16:
		return I16
	case int32:
		return I32
	case int64:
		return I64
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case float32:
		return F32
	}
	return F64
}
