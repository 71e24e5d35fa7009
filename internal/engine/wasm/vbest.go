package wasm

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Least and greatest values.
//
// A minimum of floats takes wazero some eight instructions, as it has to
// care for NaN and -0. The bits of floats, read as integers, need three, and
// everything follows from them in the end: the greatest as unsigned (the
// least negative number, if there is one), the least as unsigned (the least
// number if there are no negative ones, the greatest if there are no others)
// and the greatest as signed (the greatest number that is not negative). A
// NaN shows as a bit pattern above infinity in the first or the last.
//
// For the value with its index, a lane keeps the best key so far and the
// block it was in; which element of the block that is follows from the lane.

var extremeOps = [3]opcode{0xfdb9, 0xfdb7, 0xfdb8} // i32x4.max_u, min_u, max_s

func (v *vectorCode) extremesIdentity(i int) {
	w := [3]uint64{0, math.MaxUint64, 0x80000000_80000000}[i%3]
	v.v128(w, w)
}

func (c *chunkCode) extremes(x, regs []local) {
	for i, r := range x {
		for j, o := range extremeOps {
			c.get(regs[3*i+j])
			c.get(r)
			c.op(o)
			c.set(regs[3*i+j])
		}
	}
}

func (v *vectorCode) closeExtremes(a *vecAcc) {
	var found [3]local
	for j, o := range extremeOps {
		var regs []local
		for i := j; i < len(a.regs); i += 3 {
			regs = append(regs, a.regs[i])
		}
		v.fold(regs, 4, func() { v.op(o) })
		v.lane(vec(vExtract[2]), 0)
		found[j] = v.fresh(tI32)
	}
	top, bottom, most := found[0], found[1], found[2]
	v.get(a.out[0])
	v.i32(0x7fc00000)
	which := top // the least number is negative if there is a sign
	if a.Op == kernel.FoldMax {
		which = most
	}
	v.get(which)
	v.get(bottom)
	v.get(which)
	v.i32(0)
	if a.Op == kernel.FoldMax {
		v.op(opI32GeS)
	} else {
		v.op(opI32LtS)
	}
	v.op(opSelect)
	v.above(top, -0x00800000, opI32GtU)
	v.above(most, 0x7f800000, opI32GtS)
	v.op(opI32Or)
	v.op(opSelect)
	v.op(opF32FromI32)
	f := &folding{emitter: v.emitter}
	f.combine(a.accumulator)
	v.set(a.out[0])
}

func (v *vectorCode) above(x local, limit int32, o opcode) {
	v.get(x)
	v.i32(limit)
	v.op(o)
}

// keyWidth is the width of the keys of accBest: 4 or 8 bytes.
func (p *vectorBody) keyWidth(a *vecAcc) int { return max(4, a.Kind.Size()) }

// bestIdentity gives the first lanes the identity's key and block 0, whose
// elements are no worse.
func (v *vectorCode) bestIdentity(a *vecAcc, i int) {
	if i%2 == 1 {
		v.v128(0, 0)
		return
	}
	w := wordOf(v.keyWidth(a), v.identityKey(a))
	v.v128(w, w)
}

// identityKey is the identity as a key: floats in the order of integers, see
// orderedKey, unsigned integers in that of signed ones.
func (v *vectorCode) identityKey(a *vecAcc) uint64 {
	id := a.Op.Identity(a.Kind, 0)[0]
	switch a.Kind {
	case num.F32:
		if int32(id) < 0 {
			id ^= math.MaxInt32
		}
	case num.F64:
		if int64(id) < 0 {
			id ^= math.MaxInt64
		}
	case num.U32:
		id ^= 1 << 31
	case num.U64:
		id ^= 1 << 63
	}
	return id
}

// startBest broadcasts the distance of a block from the start.
func (v *vectorLoop) startBest(unroll int, start local) {
	v.block = map[int]local{}
	for _, a := range v.accs {
		w := v.keyWidth(a)
		if _, ok := v.block[w]; ok || a.mode != accBest {
			continue
		}
		v.get(v.t.i)
		v.get(start)
		v.op(opI64Sub)
		if w == 4 {
			v.op(opI32WrapI64)
		}
		v.op(vec(vSplat[widthIndex(w)]))
		v.block[w] = v.fresh(tV128)
	}
}

func (c *chunkCode) best(a *vecAcc, x, regs []local) {
	width := c.keyWidth(a)
	block := c.block[width]
	for i, key := range c.keys(a, x) {
		best, where := regs[2*i], regs[2*i+1]
		c.better(a, key, best)
		m := c.fresh(tV128)
		c.choose(best, key, m)
		c.choose(where, block, m)
	}
}

// better pushes the mask of where x comes before y.
func (v *vectorCode) better(a *vecAcc, x, y local) {
	if a.Op == kernel.FoldArgMin {
		x, y = y, x
	}
	v.get(x)
	v.get(y)
	v.op(vec(vGtS[widthIndex(v.keyWidth(a))]))
}

// choose emits r = m ? x : r.
func (v *vectorCode) choose(r, x, m local) {
	v.get(x)
	v.get(r)
	v.get(m)
	v.op(opVSelect)
	v.set(r)
}

// keys maps values to signed integers of the same order.
func (c *chunkCode) keys(a *vecAcc, x []local) []local {
	k := a.Kind
	if k.Size() < 4 {
		return c.widenTo(x, k.Size(), 4, k.IsSigned())
	}
	out := make([]local, len(x))
	for i, r := range x {
		switch {
		case k.IsFloat():
			out[i] = c.floatKey(a, r)
		case k == num.U32:
			c.get(r)
			c.konst(0x80000000_80000000, 0x80000000_80000000)
			c.op(opVXor)
			out[i] = c.fresh(tV128)
		case k == num.U64:
			out[i] = c.flipSign(r)
		default:
			out[i] = r
		}
	}
	return out
}

func (c *chunkCode) floatKey(a *vecAcc, x local) local {
	k := intKind(a.Kind)
	i := index(k)
	end := uint64(k.MinInt())
	if a.Op == kernel.FoldArgMax {
		end = k.MaxInt()
	}
	end = wordOf(k.Size(), end)
	c.konst(end, end)
	c.get(x)
	if k == num.I64 { // there is no arithmetic shift of 64 bits in SSE
		c.konst(0, 0)
		c.get(x)
		c.op(vec(vGtS[i]))
	} else {
		c.get(x)
		c.i32(31)
		c.op(vec(vShrS[i]))
	}
	c.i32(1)
	c.op(vec(vShrS[i] + 1))
	c.op(opVXor)
	c.get(x)
	c.get(x)
	c.op(vectorOp(num.Ne, a.Kind))
	c.op(opVSelect)
	return c.fresh(tV128)
}

// closeBest finds the best lane, of equal ones the one with the least index,
// and takes it if it is better than what earlier strips found.
func (v *vectorCode) closeBest(a *vecAcc, start local) {
	width := v.keyWidth(a)
	v.placeLanes(a, width)
	key, where := a.regs[0], a.regs[1]
	for i := 2; i < len(a.regs); i += 2 {
		v.mergeBest(a, key, where, a.regs[i], a.regs[i+1])
	}
	for lanes := min(16/width, v.chunk); lanes > 1; lanes /= 2 {
		other := [2]local{}
		for j, r := range []local{key, where} {
			v.get(r)
			v.get(r)
			v.shuffle(shifted(lanes / 2 * width))
			other[j] = v.fresh(tV128)
		}
		v.mergeBest(a, key, where, other[0], other[1])
	}
	v.takeBest(a, key, where, start)
}

// placeLanes turns the block of each lane into the element's distance from
// the start.
func (v *vectorCode) placeLanes(a *vecAcc, width int) {
	per := 16 / width
	for i := 1; i < len(a.regs); i += 2 {
		set, reg := i/2/(a.n/2), i/2%(a.n/2)
		first := uint64(set*v.chunk + reg*per)
		var w [2]uint64
		if width == 4 {
			w = [2]uint64{first | (first+1)<<32, (first + 2) | (first+3)<<32}
		} else {
			w = [2]uint64{first, first + 1}
		}
		v.get(a.regs[i])
		v.v128(w[0], w[1])
		v.op(vec(vAdd[widthIndex(width)]))
		v.set(a.regs[i])
	}
}

// mergeBest replaces a key and its place where another is better, or the
// same and further in front.
func (v *vectorCode) mergeBest(a *vecAcc, key, where, key2, where2 local) {
	i := widthIndex(v.keyWidth(a))
	v.better(a, key2, key)
	v.get(key2)
	v.get(key)
	v.op(vec(vEq[i]))
	v.get(where)
	v.get(where2)
	v.op(vec(vGtS[i]))
	v.op(opVAnd)
	v.op(opVOr)
	m := v.fresh(tV128)
	v.choose(key, key2, m)
	v.choose(where, where2, m)
}

func (v *vectorCode) takeBest(a *vecAcc, key, where, start local) {
	extract := func(r local) {
		v.get(r)
		v.lane(vec(vExtract[widthIndex(v.keyWidth(a))]), 0)
	}
	k := a.Kind
	if k.IsFloat() {
		k = intKind(k)
	}
	extract(key)
	v.unflip(k)
	best := a.out[0]
	if a.Kind.IsFloat() {
		best = a.key
	}
	x := v.fresh(typeOf(k))
	v.get(x)
	v.get(best)
	v.op(plainOp(scalarBetter(a.Op), k))
	v.ifThen()
	v.get(x)
	v.set(best)
	v.get(start)
	extract(where)
	if v.keyWidth(a) == 4 {
		v.op(opI64ExtendI32S)
	}
	v.op(opI64Add)
	v.set(a.out[1])
	v.end()
}

// unflip takes back what keys did to unsigned integers.
func (v *vectorCode) unflip(k num.Kind) {
	switch k {
	case num.U32:
		v.i32(math.MinInt32)
		v.op(opI32Xor)
	case num.U64:
		v.i64(math.MinInt64)
		v.op(opI64Xor)
	}
}

func scalarBetter(op kernel.FoldOp) num.Op {
	if op == kernel.FoldArgMin {
		return num.Lt
	}
	return num.Gt
}
