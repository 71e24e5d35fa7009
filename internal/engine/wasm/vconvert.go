package wasm

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// widen extends elements to twice their width.
func (c *chunkCode) widen(regs []local, width int, signed bool) []local {
	o := vExtend[widthIndex(width)]
	if !signed {
		o += 2
	}
	var out []local
	for _, r := range regs {
		c.get(r)
		c.op(vec(o))
		out = append(out, c.fresh(tV128))
		if c.chunk*width >= 16 {
			c.get(r)
			c.op(vec(o + 1))
			out = append(out, c.fresh(tV128))
		}
	}
	return out
}

func (c *chunkCode) widenTo(regs []local, from, to int, signed bool) []local {
	for ; from < to; from *= 2 {
		regs = c.widen(regs, from, signed)
	}
	return regs
}

// narrow keeps the low half of each element.
func (c *chunkCode) narrow(regs []local, width int) []local {
	half := width / 2
	var lanes [16]byte
	for i := range lanes {
		lanes[i] = byte(i/half*width + i%half)
	}
	var out []local
	for i := 0; i < len(regs); i += 2 {
		c.get(regs[i])
		c.get(regs[min(i+1, len(regs)-1)])
		c.shuffle(lanes)
		out = append(out, c.fresh(tV128))
	}
	return out
}

func (c *chunkCode) narrowTo(regs []local, from, to int) []local {
	for ; from > to; from /= 2 {
		regs = c.narrow(regs, from)
	}
	return regs
}

// maskWidth changes the width of a mask.
func (c *chunkCode) maskWidth(regs []local, from, to int) []local {
	if from < to {
		return c.widenTo(regs, from, to, true)
	}
	return c.narrowTo(regs, from, to)
}

// supportsConvert reports whether convertVec has a form for a conversion.
func supportsConvert(in *kernel.Instr) bool {
	from, to := in.From, in.Kind
	switch {
	case from == num.Bool:
		return true
	case from.IsFloat() && to.IsFloat():
		return true
	case from.IsFloat():
		return to.Size() == 4 // saturating truncation exists to 32 bits only
	case to.IsFloat():
		return from.Size() < 8 || to == num.F64
	}
	return true
}

func (c *chunkCode) convertVec(in *kernel.Instr) []local {
	from, to := in.From, in.Kind
	if from == num.Bool {
		return c.fromMask(in)
	}
	x := c.operand(in.Args[0], from.Size())
	switch {
	case from.IsFloat() && to.IsFloat():
		return c.resizeFloat(x, to)
	case from.IsFloat():
		return c.truncateVec(in, x)
	case to.IsFloat():
		return c.toFloat(x, from, to)
	case from.Size() < to.Size():
		r := c.widenTo(x, from.Size(), to.Size(), from.IsSigned())
		c.checkSign(in, x)
		return r
	}
	r := c.narrowTo(x, from.Size(), to.Size())
	c.checkNarrow(in, x, r)
	return r
}

// fromMask gives the number one or zero.
func (c *chunkCode) fromMask(in *kernel.Instr) []local {
	k := in.Kind
	one, _ := num.Convert(num.Bool, k, 1)
	w := splat(k, one)
	x := c.operand(in.Args[0], k.Size())
	out := make([]local, len(x))
	for i := range x {
		c.get(x[i])
		c.konst(w, w)
		c.op(opVAnd)
		out[i] = c.fresh(tV128)
	}
	return out
}

func (c *chunkCode) resizeFloat(x []local, to num.Kind) []local {
	var out []local
	if to == num.F64 {
		for _, r := range x {
			out = append(out, c.unary(r, vec(0x5f)))
			if c.chunk >= 4 {
				out = append(out, c.unary(c.highHalf(r), vec(0x5f)))
			}
		}
		return out
	}
	for _, r := range x {
		out = append(out, c.unary(r, vec(0x5e)))
	}
	return c.joinHalves(out)
}

func (c *chunkCode) unary(x local, o opcode) local {
	c.get(x)
	c.op(o)
	return c.fresh(tV128)
}

// highHalf moves the high 64 bits down.
func (c *chunkCode) highHalf(x local) local {
	c.get(x)
	c.get(x)
	c.shuffle([16]byte{8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15})
	return c.fresh(tV128)
}

// joinHalves puts the low halves of neighbours into one vector.
func (c *chunkCode) joinHalves(x []local) []local {
	if len(x) == 1 {
		return x
	}
	var out []local
	for i := 0; i < len(x); i += 2 {
		c.get(x[i])
		c.get(x[i+1])
		c.shuffle([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
		out = append(out, c.fresh(tV128))
	}
	return out
}

// truncateVec goes from floats to 32-bit integers.
func (c *chunkCode) truncateVec(in *kernel.Instr, x []local) []local {
	o := byte(0xf8)
	if in.From == num.F64 {
		o = 0xfc
	}
	if !in.Kind.IsSigned() {
		o++
	}
	out := make([]local, len(x))
	for i, r := range x {
		out[i] = c.unary(r, vec(o))
		if in.Site != kernel.NoSite {
			c.checkRange(in, r)
		}
	}
	if in.From == num.F64 {
		return c.joinHalves(out)
	}
	return out
}

// checkRange notes a fault where a float's integer part does not fit.
func (c *chunkCode) checkRange(in *kernel.Instr, x local) {
	lo, hi := 0.0, math.Ldexp(1, in.Kind.Bits())
	if in.Kind.IsSigned() {
		hi = math.Ldexp(1, in.Kind.Bits()-1)
		lo = -hi
	}
	k := in.From
	t := c.unary(x, vectorOp(num.Trunc, k))
	limit := func(x float64, op num.Op) {
		w := splat(k, num.FromFloat(k, x))
		c.get(t)
		c.konst(w, w)
		c.op(vectorOp(op, k))
	}
	limit(lo, num.Ge)
	limit(hi, num.Lt)
	c.op(opVAnd)
	c.op(opVNot)
	c.noteBits(k.Size(), c.fresh(tV128))
}

// toFloat widens narrow integers to 32 bits first, where all are signed.
func (c *chunkCode) toFloat(x []local, from, to num.Kind) []local {
	if from.Size() == 8 {
		out := make([]local, len(x))
		for i, r := range x {
			out[i] = c.long(r, from.IsSigned())
		}
		return out
	}
	signed := from.IsSigned() || from.Size() < 4
	x = c.widenTo(x, from.Size(), 4, from.IsSigned())
	o := byte(0xfa)
	if to == num.F64 {
		o = 0xfe
	}
	if !signed {
		o++
	}
	var out []local
	for _, r := range x {
		out = append(out, c.unary(r, vec(o)))
		if to == num.F64 && c.chunk >= 4 {
			out = append(out, c.unary(c.highHalf(r), vec(o)))
		}
	}
	return out
}

// long converts 64-bit integers to F64 with one rounding: the low half put
// into the mantissa of 2^52 and the high half into that of 2^84 are exact,
// and so is taking the offsets away from the high one.
func (c *chunkCode) long(x local, signed bool) local {
	word := func(n uint64) { c.konst(n, n) }
	c.get(x)
	c.i32(32)
	c.op(vec(vShrS[3] + 1))
	offset := math.Ldexp(1, 84) + math.Ldexp(1, 52)
	bits := math.Float64bits(math.Ldexp(1, 84))
	if signed { // the sign bit, turned over, counts 2^63 too much
		bits ^= 1 << 31
		offset += math.Ldexp(1, 63)
	}
	word(bits)
	c.op(opVXor)
	word(math.Float64bits(offset))
	c.op(vectorOp(num.Sub, num.F64))
	c.get(x)
	word(math.MaxUint32)
	c.op(opVAnd)
	word(math.Float64bits(math.Ldexp(1, 52)))
	c.op(opVOr)
	c.op(vectorOp(num.Add, num.F64))
	return c.fresh(tV128)
}
