package kerneltest

import (
	"fmt"
	"math"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// fusedCases are fused multiply-adds of many triples and folds of products, in
// loops long enough for vectors and, with a grain of 5, in scalars.
func fusedCases() []*Case {
	var cases []*Case
	for _, k := range []num.Kind{num.F32, num.F64} {
		cases = append(cases, fusedOperation(k, 1024, 1), fusedOperation(k, 5, 31))
		for _, n := range []int64{0, 1, 3, 31, 33, num.Leaf, 2*num.Leaf + 77} {
			cases = append(cases, fusedFold(k, n, false), fusedFold(k, n, true))
		}
	}
	return cases
}

// FusedTriples are operands of a fused multiply-add for which it is hard: every
// edge with every other, products that all but cancel against the term, or lie
// half way between two neighbours of it, results that underflow, and others.
func FusedTriples(k num.Kind) [3][]uint64 {
	var t [3][]uint64
	add := func(a, b, c uint64) {
		t[0], t[1], t[2] = append(t[0], a), append(t[1], b), append(t[2], c)
	}
	edges := Edges(k)
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				add(a, b, c)
			}
		}
	}
	digits, least := 53, -1074
	if k == num.F32 {
		digits, least = 24, -149
	}
	seed := uint64(k) + 7
	next := func() uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return seed ^ seed>>29
	}
	// some is a number with few or many digits and an exponent in lo..hi.
	some := func(lo, hi int) float64 {
		d := 1 + int(next()>>20)%digits
		m := 1 + float64(next()>>20&(1<<(d-1)-1))/float64(uint64(1)<<(d-1))
		if next()>>20&1 == 1 {
			m = -m
		}
		return math.Ldexp(m, lo+int(next()>>20)%(hi-lo+1))
	}
	bits := func(x float64) uint64 { return num.FromFloat(k, x) }
	high := -least - digits // no exponent is greater by more than 2
	for range 2000 {
		a, b := bits(some(-20, 20)), bits(some(-20, 20))
		p, _ := num.Eval(num.Mul, k, a, b)
		n, _ := num.Eval(num.Neg, k, p, 0)
		add(a, b, n)                              // what the product was rounded by
		add(a, b, num.Canon(k, n+next()>>20&3-1)) // and a little more or less
		add(a, b, bits(some(-60, 60)))            // of all sizes
		far := bits(math.Ldexp(some(0, 0), digits+int(next()>>20)%4-1))
		add(bits(some(0, 0)), bits(some(-1, 1)), far) // about half of the term's last place
		add(bits(math.Ldexp(1, -1)), bits(some(0, 0)), far)
		e := int(next()>>20) % (high / 2)
		add(bits(some(-e, -e+2)), bits(some(least+e-3, least+e+digits)), bits(some(least, least+digits))) // subnormal
		add(bits(some(e, e+2)), bits(some(high-e-3, high-e+2)), bits(some(high-60, high+1)))              // overflowing
		add(num.Canon(k, next()), num.Canon(k, next()), num.Canon(k, next()))
	}
	return t
}

// fusedOperation has one triple of every so many: tests that look at each outer index take long.
func fusedOperation(k num.Kind, grain int64, every int) *Case {
	t := FusedTriples(k)
	for i, all := range t {
		t[i] = nil
		for j := 0; j < len(all); j += every {
			t[i] = append(t[i], all[j])
		}
	}
	n := int64(len(t[0]))
	outer, s0 := (n+grain-1)/grain, kernel.SizeVar(0)
	in := kernel.Region{Elem: k, Len: s0}
	kern := &kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 32}, {Lo: 0, Hi: 1 << 32}},
		Regions: []kernel.Region{in, in, in, {Elem: k, Len: s0, Access: kernel.Write}},
		Outer:   kernel.SizeVar(1), Grain: size.Const(grain), Count: s0,
	}
	b, _, lo, hi := kernel.NewBuilder(kern)
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Store(3, i, b.Wrap(num.Fma, b.Load(0, i), b.Load(1, i), b.Load(2, i)))
		return nil, kernel.None
	})
	c := &Case{Name: fmt.Sprintf("fma %s in grains of %d", k, grain), Kernel: b.Finish(), Sizes: []int64{n, outer}, Outer: outer}
	for _, values := range t {
		c.Regions = append(c.Regions, pack(k, values))
	}
	c.Regions = append(c.Regions, make([]byte, n*int64(k.Size())))
	return c
}

// fusedFold folds n products, twice: all of them, and under a mask, beside the
// sum of one factor.
func fusedFold(k num.Kind, n int64, plain bool) *Case {
	s0, one := kernel.SizeVar(0), size.Const(1)
	kern := &kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 32}},
		Regions: []kernel.Region{{Elem: k, Len: s0}, {Elem: k, Len: s0}, {Elem: num.Bool, Len: s0}},
		Outer:   one, Grain: one, Count: one,
	}
	c := &Case{Name: fmt.Sprintf("fold muladd %s %d", k, n), Kernel: kern, Sizes: []int64{n}, Outer: 1}
	left, mask := foldValues(num.FoldMulAdd, k, n)
	right, _ := foldValues(num.FoldMul, k, n)
	c.Regions = [][]byte{pack(k, left), pack(k, right), pack(num.Bool, mask)}
	accs := []kernel.Acc{{Op: num.FoldMulAdd, Kind: k}}
	if !plain {
		accs = append(accs, accs[0], kernel.Acc{Op: num.FoldAdd, Kind: k})
	}
	for range accs {
		kern.Regions = append(kern.Regions, kernel.Region{Elem: k, Len: one, Access: kernel.Write})
		c.Regions = append(c.Regions, make([]byte, k.Size()))
	}
	b, o, _, _ := kernel.NewBuilder(kern)
	identity := b.Const(k, num.FoldMulAdd.Identity(k, 0)[0])
	results := b.Fold(b.Int(0), b.SizeOf(s0), false, accs, func(i kernel.Value) []kernel.Value {
		x, y := b.Load(0, i), b.Load(1, i)
		product := b.Wrap(num.Mul, x, y)
		if plain {
			return []kernel.Value{product}
		}
		m := b.Load(2, i)
		masked := b.Wrap(num.Mul, b.Select(m, x, identity), b.Select(m, y, b.Const(k, num.FromFloat(k, 1))))
		return []kernel.Value{product, masked, x}
	})
	for j, r := range results {
		b.Store(3+j, o, r)
	}
	c.Kernel = b.Finish()
	return c
}
