package loops

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop. Out: how many iterations it has at most, as far as constants, the ranges of sizes and the grain say. What it has for
// given sizes, on average over the loops around it, is the cost model's question.

// WrittenOut is the number of iterations up to which a fold is written out, one iteration behind the other.
const WrittenOut = 32

// Likely is the number of iterations of a loop of which nothing is known.
const Likely = 16

// Most bounds the number of iterations of a loop.
func (a *Analysis) Most(in *kernel.Instr) (int64, bool) {
	if n, ok := a.AtMost[in]; ok {
		return n, true
	}
	if g, ok := a.K.Grain.Const(); ok && a.Slots == nil && a.OverSlots(in) {
		return g, true
	}
	lo, ok := a.ConstInt(in.Args[0])
	hi, known := a.ConstInt(in.Args[1])
	if !known {
		hi, known = a.MostSize(in.Args[1])
	}
	return distance(lo, hi), ok && known
}

// distance is how far it is upwards from lo to hi, at most as far as I64 goes.
func distance(lo, hi int64) int64 {
	if lo >= hi {
		return 0
	}
	return int64(min(uint64(hi)-uint64(lo), math.MaxInt64))
}

// MostSize is the greatest value of a size.
func (a *Analysis) MostSize(v kernel.Value) (int64, bool) {
	d := a.Def[v]
	if d == nil || d.Code != kernel.SizeOf {
		return 0, false
	}
	if name, ok := d.Poly.IsVar(); ok {
		if i, ok := kernel.SizeIndex(name); ok {
			return a.K.Sizes[i].Hi, true
		}
	}
	return 0, false
}

// Short reports that a loop never has more than n iterations.
func (a *Analysis) Short(in *kernel.Instr, n int64) bool {
	most, ok := a.Most(in)
	return ok && most <= n
}

// Length is the number of iterations of a loop with constant bounds.
func (a *Analysis) Length(in *kernel.Instr) (int64, bool) {
	lo, ok1 := a.ConstInt(in.Args[0])
	hi, ok2 := a.ConstInt(in.Args[1])
	return distance(lo, hi), ok1 && ok2
}

// OverSlots reports that a loop goes over slots, which are many.
func (a *Analysis) OverSlots(in *kernel.Instr) bool {
	p := a.K.Body.Params
	return in.Args[0] == p[1] && in.Args[1] == p[2]
}

// IsWrittenOut reports that a fold is short and of constant length, so that it is written iteration by iteration.
func (a *Analysis) IsWrittenOut(in *kernel.Instr) bool {
	n, ok := a.Length(in)
	return in.Code == kernel.Fold && ok && n > 0 && n <= WrittenOut && !in.Tree && Innermost(&in.Blocks[0])
}

// ShortEnough is the number of iterations up to which a loop counts as short: a fold in canonical order has one slot in each
// lane at most.
func ShortEnough(in *kernel.Instr) int64 {
	n := int64(WrittenOut)
	for _, a := range in.Accs {
		if a.Op.IsOrdered(a.Kind) {
			n = min(n, int64(num.Lanes(a.Kind)))
		}
	}
	return n
}

// slotLoop finds the loop of a kernel that only goes over the slots of its outer indices: for i in lo..hi. Outer indices are
// independent, so that one loop over the slots of all of them does the same, and is not cut into grains.
func slotLoop(k *kernel.Kernel) *kernel.Instr {
	b := &k.Body
	slots := Only(b, kernel.For)
	if len(k.State) > 0 || slots == nil || len(slots.Carry) > 0 || slots.Stop || slots.Args[0] != b.Params[1] || slots.Args[1] != b.Params[2] {
		return nil
	}
	for i := range b.Instrs {
		if in := &b.Instrs[i]; in != slots && (HasEffectInOrder(*in) || Uses(in, b.Params...)) {
			return nil
		}
	}
	for i := range slots.Blocks[0].Instrs {
		if Uses(&slots.Blocks[0].Instrs[i], b.Params...) {
			return nil
		}
	}
	return slots
}
