package num

// Op is a scalar operation. Its numeric value is part of the kernel byte
// format and must not change.
type Op uint8

const (
	NoOp Op = iota
	// Binary, both operands and the result of one kind.
	Add    // integers: fault when the sum does not fit, result wraps
	Sub    // as Add
	Mul    // as Add
	Div    // integers truncate; by zero: fault, result 0; MIN/-1: fault, result MIN
	Rem    // sign of the dividend; by zero: fault, result 0; MIN%-1 is 0. Integers only
	Min    // floats: NaN if either is NaN, and -0 < +0
	Max    // as Min
	And    // integers and bool
	Or     // integers and bool
	Xor    // integers and bool
	Shl    // amount taken modulo the width; fault when it was outside 0..width-1. Bits shifted out are lost
	Shr    // as Shl; arithmetic for signed kinds
	SatAdd // integers: nearest representable value, never a fault
	// Unary.
	Neg     // integers: fault for MIN (and for any unsigned but 0), result wraps; floats flip the sign
	Abs     // integers: fault for MIN; floats clear the sign
	Not     // bool, or all bits of an integer
	Sqrt    // floats, correctly rounded
	Floor   // floats
	Ceil    // floats
	Trunc   // floats, toward zero
	Nearest // floats, ties to even
	// Comparisons: operands of one kind, result Bool. NaN is unequal to and
	// unordered with everything; -0 == +0. Bool supports Eq and Ne.
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	// Fma is the first operand times the second plus the third, rounded once.
	// Floats
	Fma
	ops
)

var opNames = [ops]string{"noop", "add", "sub", "mul", "div", "rem", "min", "max", "and", "or", "xor", "shl", "shr",
	"satadd", "neg", "abs", "not", "sqrt", "floor", "ceil", "trunc", "nearest", "eq", "ne", "lt", "le", "gt", "ge", "fma"}

func (o Op) String() string {
	if o >= ops {
		return "badop"
	}
	return opNames[o]
}

// ParseOp finds the operation with the given name.
func ParseOp(name string) (Op, bool) {
	for o := Add; o < ops; o++ {
		if opNames[o] == name {
			return o, true
		}
	}
	return NoOp, false
}

// Valid reports whether o names an operation.
func (o Op) Valid() bool { return o > NoOp && o < ops }

// Arity is the number of operands, 1 to 3.
func (o Op) Arity() int {
	switch {
	case o >= Neg && o <= Nearest:
		return 1
	case o == Fma:
		return 3
	}
	return 2
}

// IsCompare reports whether the result is a Bool for operands of any kind.
func (o Op) IsCompare() bool { return o >= Eq && o <= Ge }

// Takes reports whether the operation is defined on operands of kind k.
func (o Op) Takes(k Kind) bool {
	switch o {
	case Add, Sub, Mul, Div, Min, Max, Neg, Abs, Lt, Le, Gt, Ge:
		return k.IsInt() || k.IsFloat()
	case Rem, Shl, Shr, SatAdd:
		return k.IsInt()
	case And, Or, Xor, Not:
		return k.IsInt() || k == Bool
	case Sqrt, Floor, Ceil, Trunc, Nearest, Fma:
		return k.IsFloat()
	case Eq, Ne:
		return k.Valid()
	}
	return false
}

// CanFault reports whether the operation on kind k can fault at all.
func (o Op) CanFault(k Kind) bool {
	if !k.IsInt() {
		return false
	}
	switch o {
	case Add, Sub, Mul, Div, Rem, Shl, Shr, Neg:
		return true
	case Abs:
		return k.IsSigned()
	}
	return false
}
