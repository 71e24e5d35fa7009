package wasm

import (
	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
)

// clearNotes starts a block without faults.
func (v *vectorCode) clearNotes() {
	v.bits = noLocal
	for i := range v.signs {
		v.signs[i] = noLocal
	}
}

// noteBits pops nothing: any bit of x is a fault somewhere in the block.
func (v *vectorCode) noteBits(x local) { v.bits = v.either(v.bits, x) }

// noteSigns: the sign of any element of x is a fault.
func (v *vectorCode) noteSigns(width int, x local) {
	s := &v.signs[widthIndex(width)]
	*s = v.either(*s, x)
}

func (v *vectorCode) either(x, y local) local {
	if x == noLocal {
		return y
	}
	v.get(x)
	v.get(y)
	v.op(opVOr)
	return v.fresh(tV128)
}

// faulted pushes whether the block had a fault.
func (v *vectorCode) faulted() {
	v.i32(0)
	if v.bits != noLocal {
		v.get(v.bits)
		v.op(opVAnyTrue)
		v.op(opI32Or)
	}
	for i, s := range v.signs {
		if s != noLocal {
			v.get(s)
			v.op(vec(vBitmask[i]))
			v.op(opI32Or)
		}
	}
}

// check notes the faults of an operation on one vector.
func (c *chunkCode) check(n *node, x, y, r local) {
	k := n.Kind
	switch n.Op {
	case num.Add:
		if k.IsSigned() {
			c.signs2(k, x, r, y, r)
		} else { // the carry: both tops set, or one and not the sum's
			c.borrow(k, x, y, r, false)
		}
	case num.Sub:
		if k.IsSigned() {
			c.signs2(k, x, y, x, r)
		} else {
			c.borrow(k, x, y, r, true)
		}
	case num.Neg:
		if k.IsSigned() { // MIN is its own negative
			c.get(x)
			c.get(r)
			c.op(opVAnd)
			c.noteSigns(k.Size(), c.fresh(tV128))
		} else {
			c.noteBits(x)
		}
	case num.Abs:
		c.noteSigns(k.Size(), r)
	case num.Mul:
		c.product(k, x, y, r)
	}
}

// signs2 notes where p and q differ in sign and s and t too.
func (c *chunkCode) signs2(k num.Kind, p, q, s, t local) {
	c.get(p)
	c.get(q)
	c.op(opVXor)
	c.get(s)
	c.get(t)
	c.op(opVXor)
	c.op(opVAnd)
	c.noteSigns(k.Size(), c.fresh(tV128))
}

// borrow notes the carry out of the top bit of r = x+y, which is
// (x & y) | ((x | y) & ^r), or for r = x-y the borrow,
// (^x & y) | ((^x | y) & r).
func (c *chunkCode) borrow(k num.Kind, x, y, r local, sub bool) {
	if sub {
		x = c.unary(x, opVNot)
	}
	c.get(x)
	c.get(y)
	c.op(opVAnd)
	c.get(x)
	c.get(y)
	c.op(opVOr)
	c.get(r)
	if sub {
		c.op(opVAnd)
	} else {
		c.op(opVAndNot)
	}
	c.op(opVOr)
	c.noteSigns(k.Size(), c.fresh(tV128))
}

// product compares the product in twice the width with the extended result.
func (c *chunkCode) product(k num.Kind, x, y, r local) {
	i := index(k)
	for half := range byte(2) {
		mul, ext := vExtMul[i]+half, vExtend[i]+half
		if !k.IsSigned() {
			mul, ext = mul+2, ext+2
		}
		c.get(x)
		c.get(y)
		c.op(vec(mul))
		c.get(r)
		c.op(vec(ext))
		c.op(opVXor)
		c.noteBits(c.fresh(tV128))
		if c.chunk*k.Size() < 16 {
			return // the high half holds no elements
		}
	}
}

// checkSign notes negative numbers that become unsigned.
func (c *chunkCode) checkSign(in *kernel.Instr, x []local) {
	if in.Site == kernel.NoSite {
		return
	}
	for _, r := range x {
		c.noteSigns(in.From.Size(), r)
	}
}

// checkNarrow notes results that stand for other numbers than the operands.
func (c *chunkCode) checkNarrow(in *kernel.Instr, x, r []local) {
	if in.Site == kernel.NoSite {
		return
	}
	if in.From.IsSigned() != in.Kind.IsSigned() {
		c.checkSign(in, x)
	}
	back := c.widenTo(r, in.Kind.Size(), in.From.Size(), in.Kind.IsSigned())
	for i := range x {
		c.get(x[i])
		c.get(back[i])
		c.op(opVXor)
		c.noteBits(c.fresh(tV128))
	}
}
