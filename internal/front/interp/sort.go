package interp

import (
	"cmp"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// sort orders an array by its key, equal keys by their slots.
func (m *machine) sort(in *inst) *array {
	a := m.arg(in, 0).array
	return a.pick(m.order(in, a, in.Desc))
}

func (m *machine) topK(in *inst) *array {
	a, k := m.arg(in, 0).array, m.polyOf(in)
	order := m.order(in, a, true)
	if in.Defines != "" {
		k = min(max(k, 0), a.n)
		m.sizes[in.Defines] = k
	}
	if k < 0 || k > a.n {
		m.stop("the first %d of %d elements", k, a.n)
	}
	return a.pick(order[:k])
}

// order is the slots of a in the order of their keys.
func (m *machine) order(in *inst, a *array, desc bool) []int64 {
	b := in.blocks[0]
	kind := in.Blocks[0].Results[0].Type.KindOf()
	keys, slots := make([]uint64, a.n), make([]int64, a.n)
	m.visit(a, b, func(i int64) {
		keys[i], slots[i] = ordinal(kind, m.result0(b).bits), i
	})
	slices.SortStableFunc(slots, func(x, y int64) int {
		if desc {
			x, y = y, x
		}
		return cmp.Compare(keys[x], keys[y])
	})
	return slots
}

// ordinal maps scalars to integers of the same order: -0 below +0, NaN above
// all numbers.
func ordinal(k num.Kind, bits uint64) uint64 {
	const sign = 1 << 63
	switch {
	case k == num.F32:
		// Widening keeps the order, the sign of zero and NaN.
		return ordinal(num.F64, num.FromFloat(num.F64, num.ToFloat(num.F32, bits)))
	case k == num.F64 && bits&sign != 0:
		return ^bits // the one NaN is positive
	case k == num.F64 || k.IsSigned():
		return bits ^ sign
	}
	return bits
}
