package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Vector instructions that only a fused multiply-add needs.
const (
	opF32x4Demote  opcode = 0xfd5e // of two F64, the rest zero
	opF64x2Promote opcode = 0xfd5f // of the low two F32
	opF64x2Splat   opcode = 0xfd14
	opF64x2Replace opcode = 0xfd22
)

// fusedVec is a·b + c for each lane of vectors of kind k; see fma.go.
func (v *vectorCode) fusedVec(k num.Kind, a, b, c local) local {
	if k == num.F64 {
		return v.fusedLanes(a, b, c)
	}
	low := v.fusedPair(v.promoted(a), v.promoted(b), v.promoted(c))
	high := v.fusedPair(v.promoted(v.upper(a)), v.promoted(v.upper(b)), v.promoted(v.upper(c)))
	v.get(low)
	v.get(high)
	v.shuffle([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
	return v.fresh(tV128)
}

func (c *chunkCode) fusedAll(n *kernel.Instr) []local {
	var args [3][]local
	for i, a := range n.Args {
		args[i] = c.operand(a, n.Kind.Size())
	}
	out := make([]local, len(args[0]))
	for i := range out {
		out[i] = c.fusedVec(n.Kind, args[0][i], args[1][i], args[2][i])
	}
	return out
}

// fusedLanes calls the function of the module for both lanes of F64.
func (v *vectorCode) fusedLanes(a, b, c local) local {
	v.emitter.fma64 = true
	lane := func(n int) {
		for _, x := range []local{a, b, c} {
			v.get(x)
			v.lane(opF64Lane, n)
		}
		v.call(fmaFunc)
	}
	lane(0)
	v.op(opF64x2Splat)
	lane(1)
	v.lane(opF64x2Replace, 1)
	return v.fresh(tV128)
}

// upper moves the high half of a vector down.
func (v *vectorCode) upper(x local) local {
	v.get(x)
	v.get(x)
	v.shuffle(shifted(8))
	return v.fresh(tV128)
}

func (v *vectorCode) promoted(x local) local {
	v.get(x)
	v.op(opF64x2Promote)
	return v.fresh(tV128)
}

// fusedPair is the F32 of a·b + c for two lanes of F64 that hold F32s.
func (v *vectorCode) fusedPair(a, b, c local) local {
	add, sub, mul := vec(floatVec[num.Add][1]), vec(floatVec[num.Sub][1]), vec(floatVec[num.Mul][1])
	two := func(o opcode, x, y local) local {
		v.get(x)
		v.get(y)
		v.op(o)
		return v.fresh(tV128)
	}
	p := two(mul, a, b)
	s := two(add, p, c)
	t := two(sub, s, p)
	err := two(add, two(sub, p, two(sub, s, t)), two(sub, c, t))
	v.v128(0, 0)
	zero := v.fresh(tV128)
	up := two(vec(floatVec[num.Gt][1]), err, zero)
	inexact := two(opVOr, up, two(vec(floatVec[num.Lt][1]), err, zero))
	v.v128(1, 1)
	by := two(opVAndNot, two(opVAnd, inexact, v.fresh(tV128)), s)
	down := two(opVXor, up, two(vec(floatVec[num.Gt][1]), s, zero))
	odd := two(vec(vAdd[3]), s, two(vec(vSub[3]), two(opVXor, by, down), down))
	v.get(odd)
	v.op(opF32x4Demote)
	return v.fresh(tV128)
}
