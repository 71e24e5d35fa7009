package llvmir

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// typ is a scalar kind, or a vector of it when n > 1. A Bool is an i1.
type typ struct {
	kind num.Kind
	n    int
}

func (t typ) String() string {
	if t.n > 1 {
		return fmt.Sprintf("<%d x %s>", t.n, elemName(t.kind))
	}
	return elemName(t.kind)
}

func elemName(k num.Kind) string {
	switch k {
	case num.F32:
		return "float"
	case num.F64:
		return "double"
	}
	return "i" + strconv.Itoa(k.Bits())
}

// mangled is the type as it stands in the names of intrinsics.
func (t typ) mangled() string {
	prefix, letter := "", "i"
	if t.n > 1 {
		prefix = "v" + strconv.Itoa(t.n)
	}
	if t.kind.IsFloat() {
		letter = "f"
	}
	return prefix + letter + strconv.Itoa(t.kind.Bits())
}

func (t typ) scalar() typ { return typ{t.kind, 1} }

// bool is the type of a comparison of two t.
func (t typ) bool() typ { return typ{num.Bool, t.n} }

// bits is the integer type as wide as t, signed.
func (t typ) bits() typ { return typ{intKind(t.kind), t.n} }

// intKind is the signed integer kind as wide as k.
func intKind(k num.Kind) num.Kind {
	switch k.Size() {
	case 1:
		return num.I8
	case 2:
		return num.I16
	case 4:
		return num.I32
	}
	return num.I64
}

// constant writes a value of t with these bits in every lane.
func (t typ) constant(bits uint64) string {
	if t.n > 1 {
		return fmt.Sprintf("splat (%s %s)", t.scalar(), t.scalar().constant(bits))
	}
	switch {
	case t.kind == num.Bool:
		return strconv.FormatBool(bits&1 == 1)
	case t.kind.IsFloat():
		return fmt.Sprintf("0x%016X", math.Float64bits(num.ToFloat(t.kind, bits)))
	case t.kind.IsSigned():
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}

func (t typ) float(x float64) string { return t.constant(num.FromFloat(t.kind, x)) }

func (t typ) zero() string { return t.constant(0) }

// inMemory is the type under which elements lie in memory: a Bool takes a
// byte.
func (t typ) inMemory() typ {
	if t.kind == num.Bool {
		return typ{num.U8, t.n}
	}
	return t
}

// iota is the vector 0, step, 2·step, ….
func (t typ) iota(step int64) string {
	parts := make([]string, t.n)
	for i := range parts {
		parts[i] = fmt.Sprintf("%s %d", t.scalar(), int64(i)*step)
	}
	return "<" + strings.Join(parts, ", ") + ">"
}

// mask is an operand of shufflevector.
func mask(lanes []int) string {
	parts := make([]string, len(lanes))
	for i, l := range lanes {
		parts[i] = "i32 " + strconv.Itoa(l)
	}
	return fmt.Sprintf("<%d x i32> <%s>", len(lanes), strings.Join(parts, ", "))
}
