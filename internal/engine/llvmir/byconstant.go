package llvmir

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In come quotients and remainders of 64-bit integers in lanes by a constant; out go products with a number and shifts (T. Granlund and P.
// Montgomery, Division by Invariant Integers using Multiplication, 1994, figures 4.2 and 5.2). No processor has the upper half of such a product
// for lanes, so what LLVM makes of a quotient takes each lane out of its vector; four products of halves make it up. Vectors of
// 16 bytes have two such lanes, for which that is no faster.

// byConstant is a quotient or remainder by a constant; not ok where something else is as good.
func (a arithmetic) byConstant() (r string, ok bool) {
	c, ok := a.Const(a.in.Args[1])
	if !ok || a.t.n == 1 || a.t.kind.Size() != 8 || a.emitter.t.VectorBytes < loops.LeastQuotient {
		return "", false
	}
	size := c
	if a.in.Kind.IsSigned() && int64(c) < 0 {
		size = -c
	}
	if bits.OnesCount64(size) <= 1 { // 0, a power of two, or the opposite of one
		return "", false
	}
	q := a.quotientOf(c, size)
	if a.in.Op == num.Div {
		return q, true
	}
	return a.two("sub", a.t, a.x, a.two("mul", a.t, q, a.t.constant(c))), true
}

// quotientOf is the quotient by c, whose absolute value is size.
func (a arithmetic) quotientOf(c, size uint64) string {
	length := bits.Len64(size - 1) // of size: the least power of two that is no less
	if !a.in.Kind.IsSigned() {
		by := inverse(size, 64+length)
		high := a.upper(a.x, by)
		half := a.two("lshr", a.t, a.two("sub", a.t, a.x, high), a.t.constant(1))
		return a.two("lshr", a.t, a.two("add", a.t, high, half), a.t.constant(uint64(length-1)))
	}
	by := inverse(size, 64+length-1)
	sign := a.two("ashr", a.t, a.x, a.t.constant(63))
	// As a signed number the multiplier is below 0, for which figure 5.2 adds the dividend; the unsigned product has it already. What is left
	// is to take the multiplier off where the dividend is below 0.
	q := a.two("sub", a.t, a.upper(a.x, by), a.two("and", a.t, sign, a.t.constant(by)))
	q = a.two("sub", a.t, a.two("ashr", a.t, q, a.t.constant(uint64(length-1))), sign)
	if c != size {
		q = a.two("sub", a.t, a.t.zero(), q)
	}
	return q
}

// inverse is ⌊2^power / size⌋ + 1 without its bits from 64 on.
func inverse(size uint64, power int) uint64 {
	n := new(big.Int).Lsh(big.NewInt(1), uint(power))
	n.Div(n, new(big.Int).SetUint64(size)).Add(n, big.NewInt(1))
	return n.And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

// upper is the upper half of the unsigned product of x and a constant.
func (a arithmetic) upper(x string, by uint64) string {
	low, shift := a.t.constant(math.MaxUint32), a.t.constant(32)
	times := func(half string, by uint64) string { return a.two("mul", a.t, half, a.t.constant(by)) }
	above := func(v string) string { return a.two("lshr", a.t, v, shift) }
	x0, x1 := a.two("and", a.t, x, low), above(x)
	b0, b1 := by&math.MaxUint32, by>>32
	mid := a.two("add", a.t, times(x1, b0), above(times(x0, b0)))
	rest := a.two("add", a.t, times(x0, b1), a.two("and", a.t, mid, low))
	return a.two("add", a.t, a.two("add", a.t, times(x1, b1), above(mid)), above(rest))
}
