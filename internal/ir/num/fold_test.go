package num

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naive folds the way the text of the rule says, with all slots at hand.
func naive(op Op, k Kind, identity uint64, slots []uint64, leaf, lanes int) uint64 {
	apply := func(a, b uint64) uint64 { r, _ := Eval(op, k, a, b); return r }
	var leaves []uint64
	for start := 0; start < len(slots); start += leaf {
		row := slices.Repeat([]uint64{identity}, lanes)
		for i, v := range slots[start:min(start+leaf, len(slots))] {
			row[i%lanes] = apply(row[i%lanes], v)
		}
		for n := lanes / 2; n > 0; n /= 2 {
			for j := range n {
				row[j] = apply(row[j], row[j+n])
			}
		}
		leaves = append(leaves, row[0])
	}
	if len(leaves) == 0 {
		return identity
	}
	for len(leaves) > 1 {
		var next []uint64
		for i := 0; i+1 < len(leaves); i += 2 {
			next = append(next, apply(leaves[i], leaves[i+1]))
		}
		if len(leaves)%2 == 1 {
			next = append(next, leaves[len(leaves)-1])
		}
		leaves = next
	}
	return leaves[0]
}

func TestCanonicalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]Kind{F32, F64}).Draw(t, "kind")
		op := rapid.SampledFrom([]FoldOp{FoldAdd, FoldMul}).Draw(t, "op")
		tree := rapid.Bool().Draw(t, "tree")
		n := rapid.OneOf(rapid.IntRange(0, 200), rapid.IntRange(0, 5*Leaf)).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		skip := rapid.IntRange(1, 5).Draw(t, "skip")
		gap := rapid.IntRange(0, 3*Leaf).Draw(t, "gap")
		first := rapid.Int64Range(0, 10000).Draw(t, "first")

		f := NewFolder(op, k, tree, first)
		identity := op.Identity(k, first)[0]
		slots := make([]uint64, n)
		for i := range slots {
			seed = seed*6364136223846793005 + 1442695040888963407
			slots[i] = FromFloat(k, math.Ldexp(float64(seed>>11), -53)*1.5)
			if i%skip == skip-1 || (i < gap && skip > 2) {
				slots[i] = identity
				continue
			}
			f.Add(first+int64(i), slots[i])
		}
		leaf, lanes := Leaf, Lanes(k)
		if tree {
			leaf, lanes = 1, 1
		}
		want := naive(op.Scalar(), k, identity, slots, leaf, lanes)
		if got := f.Result(); len(got) != 1 || got[0] != want {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

func TestEmptyFolds(t *testing.T) {
	for _, c := range []struct {
		op   FoldOp
		k    Kind
		want []uint64
	}{
		{FoldAdd, F32, []uint64{0x80000000}}, {FoldAdd, F64, []uint64{1 << 63}}, {FoldAdd, I32, []uint64{0}},
		{FoldMul, F64, []uint64{FromFloat(F64, 1)}}, {FoldMul, U8, []uint64{1}},
		{FoldMin, F32, []uint64{0x7f800000}}, {FoldMin, I8, []uint64{127}}, {FoldMax, F64, []uint64{FromFloat(F64, math.Inf(-1))}},
		{FoldMax, I8, []uint64{uint64(0xffffffffffffff80)}}, {FoldAnd, Bool, []uint64{1}}, {FoldAnd, U16, []uint64{0xffff}}, {FoldOr, I64, []uint64{0}},
		{FoldArgMin, F32, []uint64{0x7f800000, 7}}, {FoldArgMax, U8, []uint64{0, 7}}, {FoldAddWide, I64, []uint64{0, 0}},
	} {
		if got := NewFolder(c.op, c.k, false, 7).Result(); !slices.Equal(got, c.want) {
			t.Errorf("%s of %s: %x, want %x", c.op, c.k, got, c.want)
		}
	}
}

func TestArgMinOrder(t *testing.T) {
	zero, inf, nan := math.Copysign(0, -1), math.Inf(1), math.NaN()
	for _, c := range []struct {
		op   FoldOp
		in   []float64
		want int64
	}{
		{FoldArgMin, []float64{3, 1, 1, 2}, 1}, {FoldArgMin, []float64{0, zero, zero}, 1}, {FoldArgMin, []float64{-inf, nan, nan}, 1},
		{FoldArgMin, []float64{inf, inf}, 0}, {FoldArgMin, []float64{2, -1, -3, -2}, 2},
		{FoldArgMax, []float64{3, 1, 3, 2}, 0}, {FoldArgMax, []float64{zero, 0, 0}, 1}, {FoldArgMax, []float64{inf, nan, nan}, 1},
		{FoldArgMax, []float64{-inf, -inf}, 0}, {FoldArgMax, []float64{-2, -1, -3}, 1},
	} {
		for _, k := range []Kind{F32, F64} {
			f := NewFolder(c.op, k, false, 100)
			for i, x := range c.in {
				f.Add(100+int64(i), FromFloat(k, x))
			}
			if got := f.Result(); int64(got[1]) != 100+c.want || got[0] != FromFloat(k, c.in[c.want]) {
				t.Errorf("%s of %v: %g at %d", c.op, c.in, ToFloat(k, got[0]), got[1])
			}
		}
	}
}

// TestUnordered cuts at a random place: the parts combine to the whole.
func TestUnordered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := FoldOp(rapid.IntRange(int(FoldAdd), int(foldOps)-1).Draw(t, "op"))
		k := rapid.SampledFrom([]Kind{Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64}).Draw(t, "kind")
		if !op.Takes(k) || op.IsOrdered(k) {
			return
		}
		values := rapid.SliceOf(rapid.Custom(func(t *rapid.T) uint64 { return Canon(k, rapid.Uint64().Draw(t, "v")) })).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		whole, left, right := NewFolder(op, k, false, 0), NewFolder(op, k, false, 0), NewFolder(op, k, false, 0)
		for i, v := range values {
			whole.Add(int64(i), v)
			if i < cut {
				left.Add(int64(i), v)
			} else {
				right.Add(int64(i), v)
			}
		}
		got, want := op.Combine(k, right.Partial(), left.Partial()), whole.Partial()
		if got != want {
			t.Fatalf("%s of %s: %x, want %x", op, k, got, want)
		}
		if op == FoldAddWide {
			sum := new(big.Int)
			for _, v := range values {
				sum.Add(sum, bigOf(k, v))
			}
			wide := new(big.Int).Lsh(big.NewInt(int64(want[1])), 64)
			if wide.Add(wide, new(big.Int).SetUint64(want[0])).Cmp(sum) != 0 {
				t.Fatalf("%s, want %s", wide, sum)
			}
		}
	})
}

func TestNames(t *testing.T) {
	for o := FoldAdd; o < foldOps; o++ {
		if p, ok := ParseFoldOp(o.String()); !ok || p != o {
			t.Error(o)
		}
	}
	for o := Add; o < ops; o++ {
		if p, ok := ParseOp(o.String()); !ok || p != o {
			t.Error(o)
		}
	}
	for k := Bool; k < kinds; k++ {
		if p, ok := ParseKind(k.String()); !ok || p != k {
			t.Error(k)
		}
	}
}

// Each operator with one result has an operation of its own, but for muladd, which combines what it has as add.
func TestFoldOf(t *testing.T) {
	for o := FoldAdd; o < foldOps; o++ {
		if FoldOf(o.Scalar()) != o && o.Words() == 1 && o != FoldMulAdd {
			t.Errorf("%s is by %s the fold %s", o, o.Scalar(), FoldOf(o.Scalar()))
		}
	}
	if o := FoldOf(Sub); o.Valid() {
		t.Errorf("sub folds as %s", o)
	}
}
