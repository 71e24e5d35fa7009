package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// closeAccs moves a strip's sums into the accumulators' own locals, or rows
// into memory; start is the first index that they cover and elements the
// number, both I64 locals.
func (v *vectorCode) closeAccs(start, elements local) {
	for _, a := range v.accs {
		switch a.mode {
		case accRow:
			for i := len(a.regs) - 1; i >= 0; i-- {
				v.get(argsLocal)
				v.get(a.regs[i])
				v.mem(opVStore, a.row+uint32(16*i))
			}
		case accLanes:
			v.closeLanes(a)
		case accCount:
			v.closeCount(a)
		case accWiden:
			v.sumLanes(a.regs, v.sumWidth(a))
			if v.sumWidth(a) == 4 {
				v.op(opI64ExtendI32S)
			}
			v.addTotal(a)
		case accHalves:
			v.closeHalves(a, elements)
		case accExtremes:
			v.closeExtremes(a)
		case accBest:
			v.closeBest(a, start)
		}
	}
}

// closeLanes combines all lanes that hold elements.
func (v *vectorCode) closeLanes(a *vecAcc) {
	width := v.widthOf(a.src)
	v.fold(a.regs, width, func() { v.combineVec(a) })
	x := v.fresh(tV128)
	v.get(a.out[0])
	v.get(x)
	switch {
	case a.Kind.IsFloat():
		v.lane(vec(0x1f+2*byte(a.Kind.Size()/8)), 0)
	case width < 4:
		o := vec(vExtract[widthIndex(width)])
		if !a.Kind.IsSigned() {
			o++
		}
		v.lane(o, 0)
	default:
		v.lane(vec(vExtract[widthIndex(width)]), 0)
		if a.Kind == num.Bool && width == 8 {
			v.op(opI32WrapI64)
		}
	}
	if a.Kind == num.Bool {
		v.i32(1)
		v.op(opI32And)
	}
	f := &folding{emitter: v.emitter}
	f.combine(a.accumulator)
	v.set(a.out[0])
}

// fold pushes a vector whose lane 0 combines all lanes of all vectors.
func (v *vectorCode) fold(regs []local, width int, combine func()) {
	for i, r := range regs {
		v.get(r)
		if i > 0 {
			combine()
		}
	}
	for lanes := min(16/width, v.chunk); lanes > 1; lanes /= 2 {
		x := v.fresh(tV128)
		v.get(x)
		v.get(x)
		v.get(x)
		v.shuffle(shifted(lanes / 2 * width))
		combine()
	}
}

// shifted moves bytes down by n.
func shifted(n int) (s [16]byte) {
	for i := range s {
		s[i] = byte((i + n) % 16)
	}
	return s
}

// sumLanes pushes the sum of all lanes, an i32 or i64.
func (v *vectorCode) sumLanes(regs []local, width int) {
	i := widthIndex(width)
	v.fold(regs, width, func() { v.op(vec(vAdd[i])) })
	v.lane(vec(vExtract[i]), 0)
}

func (v *vectorCode) closeCount(a *vecAcc) {
	width := a.srcWidth(v.vectorBody)
	if width <= 2 { // 16-bit lanes, widened in pairs
		for _, r := range a.regs {
			v.get(r)
			v.op(vec(0x7e))
			v.set(r)
		}
		width = 4
	}
	v.sumLanes(a.regs, width)
	if width == 4 {
		v.op(opI64ExtendI32S)
	}
	v.addTotal(a)
}

// addTotal adds the signed i64 on the stack to an I64, U64 or 128-bit sum.
func (v *vectorCode) addTotal(a *vecAcc) {
	x := v.fresh(tI64)
	if a.Op != kernel.FoldAddWide {
		v.get(a.out[0])
		v.get(x)
		v.op(opI64Add)
		v.set(a.out[0])
		return
	}
	v.add128(a, func() { v.get(x) }, func() {
		v.get(x)
		v.i64(63)
		v.op(opI64ShrS)
	})
}

// add128 adds a low and a high word to a 128-bit sum.
func (v *vectorCode) add128(a *vecAcc, low, high func()) {
	v.get(a.out[0])
	low()
	v.op(opI64Add)
	v.tee(a.out[0])
	low()
	v.op(opI64LtU)
	v.op(opI64ExtendI32U)
	v.get(a.out[1])
	v.op(opI64Add)
	high()
	v.op(opI64Add)
	v.set(a.out[1])
}

// closeHalves puts the sums of the halves together and takes away the 2^63
// that each signed value was given.
func (v *vectorCode) closeHalves(a *vecAcc, elements local) {
	var low, high []local
	for i, r := range a.regs {
		if i%2 == 0 {
			low = append(low, r)
		} else {
			high = append(high, r)
		}
	}
	v.sumLanes(low, 8)
	l := v.fresh(tI64)
	v.sumLanes(high, 8)
	h := v.fresh(tI64)
	v.add128(a, func() { v.get(l) }, func() { v.i64(0) })
	shift := func(x local, n int64, o opcode) func() {
		return func() {
			v.get(x)
			v.i64(n)
			v.op(o)
		}
	}
	v.add128(a, shift(h, 32, opI64Shl), shift(h, 32, opI64ShrU))
	if a.Kind == num.U64 {
		return
	}
	// -n·2^63 is the low word n<<63 and the high word -(n+1)>>1.
	v.add128(a, shift(elements, 63, opI64Shl), func() {
		v.i64(0)
		v.get(elements)
		v.i64(1)
		v.op(opI64Add)
		v.i64(1)
		v.op(opI64ShrU)
		v.op(opI64Sub)
	})
}
