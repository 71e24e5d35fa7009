package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func vec(o byte) opcode { return 0xfd00 | opcode(o) }

// Vector instructions without a place in the tables below.
const (
	opVNot       opcode = 0xfd4d
	opVAnd       opcode = 0xfd4e
	opVAndNot    opcode = 0xfd4f
	opVOr        opcode = 0xfd50
	opVXor       opcode = 0xfd51
	opVSelect    opcode = 0xfd52
	opVAnyTrue   opcode = 0xfd53
	opVLoad16    opcode = 0xfd08 // splat
	opVLoad32    opcode = 0xfd5c // zero the rest
	opVLoad64    opcode = 0xfd5d
	opVStore32   opcode = 0xfd5a // lane
	opVStore64   opcode = 0xfd5b
	opI64x2Splat opcode = 0xfd12
)

// Tables by width: 1, 2, 4, 8 bytes. Zero where there is no instruction.
var (
	vSplat   = [4]byte{0x0f, 0x10, 0x11, 0x12}
	vAdd     = [4]byte{0x6e, 0x8e, 0xae, 0xce}
	vSub     = [4]byte{0x71, 0x91, 0xb1, 0xd1}
	vMul     = [4]byte{0, 0x95, 0xb5, 0xd5}
	vNeg     = [4]byte{0x61, 0x81, 0xa1, 0xc1}
	vAbs     = [4]byte{0x60, 0x80, 0xa0, 0xc0}
	vMinS    = [4]byte{0x76, 0x96, 0xb6, 0}
	vMaxS    = [4]byte{0x78, 0x98, 0xb8, 0}
	vShl     = [4]byte{0x6b, 0x8b, 0xab, 0xcb}
	vShrS    = [4]byte{0x6c, 0x8c, 0xac, 0xcc}
	vBitmask = [4]byte{0x64, 0x84, 0xa4, 0xc4}
	vAddSatS = [4]byte{0x6f, 0x8f, 0, 0}
	vEq      = [4]byte{0x23, 0x2d, 0x37, 0xd6}
	vGtS     = [4]byte{0x27, 0x31, 0x3b, 0xd9}
	// To the next width from the low half, signed; +1 the high half, +2
	// unsigned.
	vExtend = [3]byte{0x87, 0xa7, 0xc7}
	// Products in the next width, likewise.
	vExtMul  = [3]byte{0x9c, 0xbc, 0xdc}
	vExtract = [4]byte{0x15, 0x18, 0x1b, 0x1d}
)

// widthIndex is the logarithm of a width in bytes.
func widthIndex(width int) int {
	switch width {
	case 1:
		return 0
	case 2:
		return 1
	case 4:
		return 2
	}
	return 3
}

func index(k num.Kind) int { return widthIndex(k.Size()) }

// floatVec are the operations on F32 and F64.
var floatVec = [32][2]byte{
	num.Add: {0xe4, 0xf0}, num.Sub: {0xe5, 0xf1}, num.Mul: {0xe6, 0xf2}, num.Div: {0xe7, 0xf3},
	num.Min: {0xe8, 0xf4}, num.Max: {0xe9, 0xf5}, num.Neg: {0xe1, 0xed}, num.Abs: {0xe0, 0xec},
	num.Sqrt: {0xe3, 0xef}, num.Floor: {0x68, 0x75}, num.Ceil: {0x67, 0x74}, num.Trunc: {0x69, 0x7a}, num.Nearest: {0x6a, 0x94},
	num.Eq: {0x41, 0x47}, num.Ne: {0x42, 0x48}, num.Lt: {0x43, 0x49}, num.Gt: {0x44, 0x4a}, num.Le: {0x45, 0x4b}, num.Ge: {0x46, 0x4c},
}

// compareVec is the distance of a comparison from Eq in the groups of the
// integers below 64 bits (signed) and in that of I64.
var compareVec = [32][2]byte{num.Eq: {0, 0}, num.Ne: {1, 1}, num.Lt: {2, 2}, num.Gt: {4, 3}, num.Le: {6, 4}, num.Ge: {8, 5}}

// vectorOp is the instruction for an operation that needs only one, or 0.
func vectorOp(op num.Op, k num.Kind) opcode {
	var o byte
	switch {
	case op == num.And:
		return opVAnd
	case op == num.Or:
		return opVOr
	case op == num.Xor:
		return opVXor
	case op == num.Not:
		return opVNot
	case k.IsFloat():
		o = floatVec[op][k.Size()/8]
	case op.IsCompare():
		return compareOp(op, k)
	default:
		o = intVec(op, k)
	}
	if o == 0 {
		return 0
	}
	return vec(o)
}

func compareOp(op num.Op, k num.Kind) opcode {
	if k == num.I64 || k == num.U64 {
		if k == num.U64 && op > num.Ne {
			return 0
		}
		return vec(vEq[3] + compareVec[op][1])
	}
	o := vEq[index(k)] + compareVec[op][0]
	if op > num.Ne && !k.IsSigned() {
		o++
	}
	return vec(o)
}

func intVec(op num.Op, k num.Kind) byte {
	i, o := index(k), byte(0)
	switch op {
	case num.Add:
		return vAdd[i]
	case num.Sub:
		return vSub[i]
	case num.Mul:
		return vMul[i]
	case num.Neg:
		return vNeg[i]
	case num.Abs:
		return vAbs[i]
	case num.Min:
		o = vMinS[i]
	case num.Max:
		o = vMaxS[i]
	case num.SatAdd:
		o = vAddSatS[i]
	}
	if o != 0 && !k.IsSigned() {
		o++
	}
	return o
}

func (p *vectorBody) supportsArith(n *kernel.Instr) bool {
	switch n.Op {
	case num.Shl, num.Shr:
		c, ok := p.Of.Const(n.Args[1])
		inRange := ok && c < uint64(n.Kind.Bits())
		return p.shape(n.Args[1]) == uniform && (n.Site == kernel.NoSite || inRange)
	case num.Eq, num.Ne, num.Abs, num.Lt, num.Le, num.Gt, num.Ge, num.Min, num.Max, num.Fma:
		return true // U64 and 64-bit minima take several instructions
	case num.Mul:
		if n.Site != kernel.NoSite && n.Kind.Size() == 8 {
			return false
		}
	}
	return vectorOp(n.Op, n.Kind) != 0
}

// arithVec emits an operation for one vector of each operand.
func (c *chunkCode) arithVec(n *kernel.Instr, x, y local) local {
	k := n.Kind
	switch n.Op {
	case num.Shl, num.Shr:
		return c.shiftVec(n, x)
	case num.Abs:
		if k.IsInt() && !k.IsSigned() {
			return x
		}
	case num.Min, num.Max:
		if k.IsInt() && k.Size() == 8 {
			return c.pick64(n.Op, k, x, y)
		}
	case num.Lt, num.Le, num.Gt, num.Ge:
		if k == num.U64 {
			x, y = c.flipSign(x), c.flipSign(y)
			k = num.I64
		}
	}
	if k == num.Bool && (n.Op == num.Eq || n.Op == num.Ne) {
		return c.boolEq(n.Op, x, y)
	}
	c.get(x)
	if n.Op.Arity() == 2 {
		c.get(y)
	}
	c.op(vectorOp(n.Op, k))
	return c.fresh(tV128)
}

func (c *chunkCode) boolEq(op num.Op, x, y local) local {
	c.get(x)
	c.get(y)
	c.op(opVXor)
	if op == num.Eq {
		c.op(opVNot)
	}
	return c.fresh(tV128)
}

// flipSign maps unsigned to signed order.
func (c *chunkCode) flipSign(x local) local {
	c.get(x)
	c.konst(1<<63, 1<<63)
	c.op(opVXor)
	return c.fresh(tV128)
}

func (c *chunkCode) pick64(op num.Op, k num.Kind, x, y local) local {
	a, b := x, y
	if k == num.U64 {
		a, b = c.flipSign(x), c.flipSign(y)
	}
	if op == num.Min {
		a, b = b, a
	}
	c.get(x)
	c.get(y)
	c.get(a)
	c.get(b)
	c.op(vec(vGtS[3]))
	c.op(opVSelect)
	return c.fresh(tV128)
}

// shiftVec shifts all elements by one amount, modulo the width.
func (c *chunkCode) shiftVec(n *kernel.Instr, x local) local {
	k := n.Kind
	c.get(x)
	c.value(n.Args[1])
	if typeOf(k) == tI64 {
		c.op(opI32WrapI64)
	}
	o := vShl[index(k)]
	if n.Op == num.Shr {
		o = vShrS[index(k)]
		if !k.IsSigned() {
			o++
		}
	}
	c.op(vec(o))
	return c.fresh(tV128)
}
