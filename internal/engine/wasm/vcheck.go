package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// notes gather what shows that a block had a fault: any bit of bits, or the
// sign of any element of signs[width].
type notes struct {
	bits  note
	signs [4]note
}

type note struct {
	l   local
	set bool // in this block
}

func (v *vectorCode) clearNotes() {
	v.bits.set = false
	for i := range v.signs {
		v.signs[i].set = false
	}
}

// note adds x, of elements of a width, to what was noted before.
func (v *vectorCode) note(n *note, width int, x local) {
	v.get(x)
	if v.chunk*width < 16 { // the rest of the vector is not data
		mask := [2]uint64{1<<(8*v.chunk*width%64) - 1, 0}
		if v.chunk*width == 8 {
			mask[0] = ^uint64(0)
		}
		v.konst(mask[0], mask[1])
		v.op(opVAnd)
	}
	if n.set {
		v.get(n.l)
		v.op(opVOr)
	} else if n.l == 0 {
		n.l = v.keep(tV128)
	}
	v.set(n.l)
	n.set = true
}

// noteBits: any bit of x is a fault.
func (v *vectorCode) noteBits(width int, x local) { v.note(&v.bits, width, x) }

// noteSigns: the sign of any element of x is a fault.
func (v *vectorCode) noteSigns(width int, x local) { v.note(&v.signs[widthIndex(width)], width, x) }

// faulted pushes whether the block had a fault.
func (v *vectorCode) faulted() {
	v.i32(0)
	if v.bits.set {
		v.get(v.bits.l)
		v.op(opVAnyTrue)
		v.op(opI32Or)
	}
	for i, s := range v.signs {
		if s.set {
			v.get(s.l)
			v.op(vec(vBitmask[i]))
			v.op(opI32Or)
		}
	}
}

// check notes the faults of an operation on one vector.
func (c *chunkCode) check(n *kernel.Instr, x, y, r local) {
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
			c.noteBits(k.Size(), x)
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
		c.noteBits(2*k.Size(), c.fresh(tV128))
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
	if in.From.Size() == in.Kind.Size() {
		return
	}
	back := c.widenTo(r, in.Kind.Size(), in.From.Size(), in.Kind.IsSigned())
	for i := range x {
		c.get(x[i])
		c.get(back[i])
		c.op(opVXor)
		c.noteBits(in.From.Size(), c.fresh(tV128))
	}
}
