package kerneltest

import (
	"fmt"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Every is a fixed list of small kernels with every operation on every kind,
// every conversion and every fold, over the values where rules change.
func Every() []*Case {
	var cases []*Case
	for op := num.Add; op.Valid(); op++ {
		for _, k := range Kinds() {
			if op.Takes(k) && op != num.Fma {
				cases = append(cases, operation(op, k))
			}
		}
	}
	for _, from := range Kinds() {
		for _, to := range Kinds() {
			if from != to && to != num.Bool {
				cases = append(cases, conversion(from, to))
			}
			if from != to && from != num.Bool && to != num.Bool && from.Size() == to.Size() {
				cases = append(cases, bitcast(from, to))
			}
		}
	}
	return slices.Concat(cases, folds(), fusedCases(), reversals())
}

func folds() []*Case {
	var cases []*Case
	for op := num.FoldAdd; op.Valid(); op++ {
		for _, k := range Kinds() {
			if !op.Takes(k) || op == num.FoldMulAdd {
				continue
			}
			for _, n := range []int64{0, 1, 3, 33, num.Leaf, 2*num.Leaf + 1, 5*num.Leaf - 100} {
				cases = append(cases, fold(op, k, false, n))
				if op.IsOrdered(k) {
					cases = append(cases, fold(op, k, true, n))
				}
			}
		}
	}
	return cases
}

// elementwise maps two regions of kind in to one of kind out, in grains of
// 7, with faults at site 0. It pairs every edge with every edge.
func elementwise(name string, in, out num.Kind, body func(b *kernel.Builder, x, y kernel.Value) kernel.Value) *Case {
	edges := Edges(in)
	var left, right []uint64
	for _, x := range edges {
		for _, y := range edges {
			left, right = append(left, x), append(right, y)
		}
	}
	n, outer := int64(len(left)), int64(len(left)+6)/7
	s0 := kernel.SizeVar(0)
	k := &kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 32}, {Lo: 0, Hi: 1 << 32}},
		Regions: []kernel.Region{{Elem: in, Len: s0}, {Elem: in, Len: s0}, {Elem: out, Len: s0, Access: kernel.Write}},
		Sites:   1, Outer: kernel.SizeVar(1), Grain: size.Const(7), Count: s0,
	}
	b, _, lo, hi := kernel.NewBuilder(k)
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		x, y := b.Load(0, i), b.Load(1, i)
		b.Site, b.At = 0, i
		r := body(b, x, y)
		b.Site, b.At = kernel.NoSite, kernel.None
		b.Store(2, i, r)
		return nil, kernel.None
	})
	return &Case{Name: name, Kernel: b.Finish(), Sizes: []int64{n, outer}, Outer: outer,
		Regions: [][]byte{pack(in, left), pack(in, right), make([]byte, n*int64(out.Size()))}}
}

func operation(op num.Op, k num.Kind) *Case {
	out := k
	if op.IsCompare() {
		out = num.Bool
	}
	return elementwise(fmt.Sprintf("%s %s", op, k), k, out, func(b *kernel.Builder, x, y kernel.Value) kernel.Value {
		if op.Arity() == 1 {
			return b.Checked(op, x)
		}
		return b.Checked(op, x, y)
	})
}

func conversion(from, to num.Kind) *Case {
	return elementwise(fmt.Sprintf("convert %s %s", from, to), from, to, func(b *kernel.Builder, x, y kernel.Value) kernel.Value {
		return b.Convert(x, to, true)
	})
}

func bitcast(from, to num.Kind) *Case {
	return elementwise(fmt.Sprintf("bitcast %s %s", from, to), from, to, func(b *kernel.Builder, x, y kernel.Value) kernel.Value {
		return b.Bitcast(x, to)
	})
}

// fold folds n elements under a mask into one, twice: all of them, and
// without every element that equals its neighbour's mask.
func fold(op num.FoldOp, k num.Kind, tree bool, n int64) *Case {
	s0, one := kernel.SizeVar(0), size.Const(1)
	kern := &kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 32}},
		Regions: []kernel.Region{{Elem: k, Len: s0}, {Elem: num.Bool, Len: s0}},
		Outer:   one, Grain: one, Count: one,
	}
	acc := kernel.Acc{Op: op, Kind: k}
	outs := append(acc.Outs(), acc.Outs()...)
	c := &Case{Name: fmt.Sprintf("fold %s %s %d", op, k, n), Kernel: kern, Sizes: []int64{n}, Outer: 1}
	values, mask := foldValues(op, k, n)
	c.Regions = [][]byte{pack(k, values), pack(num.Bool, mask)}
	for _, out := range outs {
		kern.Regions = append(kern.Regions, kernel.Region{Elem: out, Len: one, Access: kernel.Write})
		c.Regions = append(c.Regions, make([]byte, out.Size()))
	}
	b, o, _, _ := kernel.NewBuilder(kern)
	identity := b.Const(k, op.Identity(k, 0)[0])
	results := b.Fold(b.Int(0), b.SizeOf(s0), tree, []kernel.Acc{acc, acc}, func(i kernel.Value) []kernel.Value {
		v := b.Load(0, i)
		return []kernel.Value{v, b.Select(b.Load(1, i), v, identity)}
	})
	for j, r := range results {
		b.Store(2+j, o, r)
	}
	c.Kernel = b.Finish()
	return c
}

// foldValues mixes values whose sum depends on the order with, now and then,
// an edge.
func foldValues(op num.FoldOp, k num.Kind, n int64) (values, mask []uint64) {
	edges, seed := Edges(k), uint64(op)*977+uint64(k)
	for i := range n {
		seed = seed*6364136223846793005 + 1442695040888963407
		v := num.Canon(k, seed>>7)
		if k.IsFloat() {
			v = num.FromFloat(k, 1+math.Ldexp(float64(int64(seed)>>12), -58))
		}
		if i < 40 && n < 40 {
			v = edges[seed>>33%uint64(len(edges))]
		}
		values, mask = append(values, v), append(mask, seed>>40&1)
	}
	return values, mask
}
