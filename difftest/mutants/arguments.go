package mutants

import (
	"math"
	"math/rand/v2"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// What a drawn case takes at most: elements of one region, bytes of all, steps.
const (
	maxElements = 1 << 20
	maxRegions  = 8 << 20
	maxScratch  = 8 << 20
	maxSteps    = 400_000
	maxCleared  = 32 << 20 // bytes of scratch over all outer indices
)

// turning are sizes around which loops, leaves and vectors change.
var turning = []int64{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 255, 256, 257,
	1000, 4095, 4096, 4097, 5000, 8193, 20000, 65537}

// draw makes arguments that a verified kernel admits; false if none are found soon.
func draw(r *rand.Rand, s *verify.Safe) (*kerneltest.Case, bool) {
	for try := range 12 {
		c := &kerneltest.Case{Name: "mutant", Kernel: s.Kernel}
		for _, z := range s.Kernel.Sizes {
			v := turning[r.IntN(len(turning)-2*try)]
			if r.IntN(2) == 0 {
				v = r.Int64N(40)
			}
			c.Sizes = append(c.Sizes, min(max(v, z.Lo), z.Hi))
		}
		if scalars(r, c) && measured(s, c) && contents(r, c) {
			return c, true
		}
	}
	return nil, false
}

func scalars(r *rand.Rand, c *kerneltest.Case) bool {
	for _, z := range c.Kernel.Scalars {
		if !z.Kind.IsInt() {
			c.Scalars = append(c.Scalars, oneOf(r, kerneltest.Edges(z.Kind)))
			continue
		}
		lo, hi := z.Lo, z.Hi
		if z.Bounded {
			below, ok := bound(c, z.Bound)
			if !ok {
				return false
			}
			lo, hi = max(lo, 0), min(hi, below)
		}
		if lo > hi {
			return false
		}
		c.Scalars = append(c.Scalars, uint64(between(r, lo, hi)))
	}
	return true
}

// bound is the greatest value that keeps a bound.
func bound(c *kerneltest.Case, p size.Poly) (int64, bool) {
	n, ok := kernel.EvalPoly(p, c.Sizes)
	return n - 1, ok && n >= 1
}

// between prefers the ends, and small numbers.
func between(r *rand.Rand, lo, hi int64) int64 {
	switch r.IntN(4) {
	case 0:
		return lo
	case 1:
		return hi
	case 2:
		if lo <= math.MaxInt64-1000 {
			hi = min(hi, lo+1000)
		}
	}
	span := uint64(hi) - uint64(lo) + 1
	if span == 0 {
		return int64(r.Uint64())
	}
	return int64(uint64(lo) + r.Uint64N(span))
}

// measured says that the case is admitted and not too large for the stepper.
// The outer indices are cut down to what it does soon.
func measured(s *verify.Safe, c *kerneltest.Case) bool {
	outer, ok := kernel.EvalPoly(c.Kernel.Outer, c.Sizes)
	if !ok || outer < 0 {
		return false
	}
	lens, total := c.Lens(), int64(0)
	for i, n := range lens {
		if n < 0 || n > maxElements {
			return false
		}
		total += n * int64(c.Kernel.Regions[i].Elem.Size())
	}
	if total > maxRegions || s.Admit(c.Sizes, c.Scalars, lens, verify.Limits{ScratchBytes: maxScratch}) != nil {
		return false
	}
	each := s.Outer.Eval(c.Sizes)
	c.Outer = min(outer, maxSteps/max(each, 1))
	if n := s.Cost(c.Sizes).ScratchBytes; n > 0 { // which every outer index gets anew in the stepper
		c.Outer = min(c.Outer, max(1, maxCleared/n))
	}
	return each <= maxSteps
}

func contents(r *rand.Rand, c *kerneltest.Case) bool {
	c.Regions = make([][]byte, len(c.Kernel.Regions))
	for i, n := range c.Lens() {
		g := &c.Kernel.Regions[i]
		if g.Access == kernel.Scratch {
			continue
		}
		b := make([]byte, n*int64(g.Elem.Size()))
		c.Regions[i] = b
		switch {
		case g.Access == kernel.Write && r.IntN(2) == 0: // zero
		case g.Bounded && g.Access != kernel.Write:
			below, ok := bound(c, g.Bound)
			if n > 0 && !ok {
				return false
			}
			indices(r, g.Elem, b, n, below)
		default:
			numbers(r, g.Elem, b, n)
		}
	}
	return true
}

// indices are elements from 0 to most, if the kind can hold that.
func indices(r *rand.Rand, k num.Kind, b []byte, n, most int64) {
	_, top := num.IntRange(k)
	most = min(most, top)
	style := r.IntN(3)
	for j := range n {
		v := between(r, 0, most)
		switch {
		case style == 0:
			v = most
		case style == 1 && r.IntN(2) == 0:
			v = min(most, v%4)
		}
		column.Put(k, b, j, uint64(v))
	}
}

func numbers(r *rand.Rand, k num.Kind, b []byte, n int64) {
	edges, style := kerneltest.Edges(k), r.IntN(4)
	for j := range n {
		v := edges[r.IntN(len(edges))]
		switch {
		case style == 0 && k.IsFloat():
			v = num.FromFloat(k, r.NormFloat64()*1000)
		case style == 0:
			v = r.Uint64()
		case style == 1 && k.IsFloat():
			v = num.FromFloat(k, float64(r.IntN(8)))
		case style == 1:
			v = r.Uint64N(8)
		}
		column.Put(k, b, j, num.Canon(k, v))
	}
}

func oneOf[T any](r *rand.Rand, s []T) T { return s[r.IntN(len(s))] }
