package verify

import (
	"fmt"
	"math"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// maxElements is how long a region may be, and how many slots a kernel may
// have; far below what arithmetic on indices can hold.
const maxElements = 1 << 53

// Limits is what a node gives to one kernel; 0 is no limit.
type Limits struct {
	Steps        int64 // for all outer indices
	OuterSteps   int64 // for one outer index
	ScratchBytes int64
	RegionBytes  int64 // of all regions that are not scratch
}

// Cost is what a run takes at most.
type Cost struct {
	Steps, OuterSteps         int64
	ScratchBytes, RegionBytes int64
}

// Steps is what a run takes at most; what leaves int64 is math.MaxInt64.
func (s *Safe) Steps(sizes []int64) int64 {
	outer, ok := kernel.EvalPoly(s.Kernel.Outer, sizes)
	if !ok {
		outer = math.MaxInt64
	}
	return mulSat(max(outer, 0), s.Outer.Eval(sizes))
}

// Cost evaluates the bounds; what leaves int64 is math.MaxInt64.
func (s *Safe) Cost(sizes []int64) Cost {
	c := Cost{Steps: s.Steps(sizes), OuterSteps: s.Outer.Eval(sizes)}
	for _, r := range s.Kernel.Regions {
		n, ok := kernel.EvalPoly(r.Len, sizes)
		if !ok {
			n = math.MaxInt64
		}
		bytes := mulSat(max(n, 0), int64(r.Elem.Size()))
		if r.Access == kernel.Scratch {
			c.ScratchBytes = addSat(c.ScratchBytes, bytes)
		} else {
			c.RegionBytes = addSat(c.RegionBytes, bytes)
		}
	}
	return c
}

// Admit decides whether the kernel may run on these arguments: the numbers
// that Check's proofs rest on hold, and the limits are kept. regionLens are
// the lengths in elements of the regions at hand; those of scratch are
// ignored. It computes with numbers only and is quick.
func (s *Safe) Admit(sizes []int64, scalars []uint64, regionLens []int64, limits Limits) error {
	if err := s.AdmitShape(sizes, regionLens, limits); err != nil {
		return err
	}
	return s.AdmitScalars(sizes, scalars)
}

// AdmitShape is Admit but for the scalars. What it says of some sizes and lengths holds for good.
func (s *Safe) AdmitShape(sizes, regionLens []int64, limits Limits) error {
	err := s.admitSizes(sizes)
	if err == nil {
		err = s.admitHeader(sizes)
	}
	if err == nil {
		err = s.admitRegions(sizes, regionLens)
	}
	if err == nil {
		err = s.admitCost(sizes, limits)
	}
	return s.refused(err)
}

// AdmitScalars is the rest of Admit, for sizes that AdmitShape has let through.
func (s *Safe) AdmitScalars(sizes []int64, scalars []uint64) error {
	return s.refused(s.admitScalars(sizes, scalars))
}

func (s *Safe) refused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("kernel %s: %w", s.ID.Short(), err)
}

func (s *Safe) admitSizes(sizes []int64) error {
	if len(sizes) != len(s.Kernel.Sizes) {
		return fmt.Errorf("it has %d sizes, %d are given", len(s.Kernel.Sizes), len(sizes))
	}
	for i, r := range s.Kernel.Sizes {
		if sizes[i] < r.Lo || sizes[i] > r.Hi {
			return fmt.Errorf("size s%d is %d, outside its range %d..%d", i, sizes[i], r.Lo, r.Hi)
		}
	}
	for _, p := range s.inRange {
		if n, ok := kernel.EvalPoly(p, sizes); !ok || n < -prove.Limit || n > prove.Limit {
			return fmt.Errorf("with these sizes %s is too large", p)
		}
	}
	return nil
}

// admitHeader checks Outer, Grain and Count; the product is within range
// already, or it would not have been accepted.
func (s *Safe) admitHeader(sizes []int64) error {
	k := s.Kernel
	outer, err := between(k.Outer, sizes, 0, "outer")
	if err != nil {
		return err
	}
	grain, err := between(k.Grain, sizes, 1, "grain")
	if err != nil {
		return err
	}
	if mulSat(outer, grain) > maxElements {
		return fmt.Errorf("%d outer indices of grain %d are too many slots", outer, grain)
	}
	_, err = between(k.Count, sizes, 0, "count")
	return err
}

func between(p size.Poly, sizes []int64, least int64, what string) (int64, error) {
	n, ok := kernel.EvalPoly(p, sizes)
	if !ok || n < least || n > maxElements {
		return 0, fmt.Errorf("%s %s is %d, outside %d..2^53", what, p, n, least)
	}
	return n, nil
}

func (s *Safe) admitScalars(sizes []int64, scalars []uint64) error {
	if len(scalars) != len(s.Kernel.Scalars) {
		return fmt.Errorf("it has %d scalars, %d are given", len(s.Kernel.Scalars), len(scalars))
	}
	for i, r := range s.Kernel.Scalars {
		v := scalars[i]
		switch {
		case !num.IsCanon(r.Kind, v):
			return fmt.Errorf("scalar %d is %#x, which is no %s", i, v, r.Kind)
		case !r.Kind.IsInt():
		case r.Kind == num.U64 && v > math.MaxInt64, int64(v) < r.Lo, int64(v) > r.Hi:
			return fmt.Errorf("scalar %d is %d, outside its range %d..%d", i, int64(v), r.Lo, r.Hi)
		}
		if !r.Bounded {
			continue
		}
		if n, ok := kernel.EvalPoly(r.Bound, sizes); !ok || int64(v) < 0 || int64(v) >= n {
			return fmt.Errorf("scalar %d is %d, outside its bound %s = %d", i, int64(v), r.Bound, n)
		}
	}
	return nil
}

func (s *Safe) admitRegions(sizes, lens []int64) error {
	if len(lens) != len(s.Kernel.Regions) {
		return fmt.Errorf("it has %d regions, %d are given", len(s.Kernel.Regions), len(lens))
	}
	for i, r := range s.Kernel.Regions {
		n, err := between(r.Len, sizes, 0, "the length")
		if err != nil {
			return fmt.Errorf("region r%d: %w", i, err)
		}
		if r.Access != kernel.Scratch && lens[i] < n {
			return fmt.Errorf("region r%d has %d elements, %s = %d are needed", i, lens[i], r.Len, n)
		}
	}
	return nil
}

func (s *Safe) admitCost(sizes []int64, l Limits) error {
	c := s.Cost(sizes)
	for _, q := range []struct {
		what        string
		need, limit int64
	}{
		{"steps", c.Steps, l.Steps},
		{"steps for one outer index", c.OuterSteps, l.OuterSteps},
		{"bytes of scratch", c.ScratchBytes, l.ScratchBytes},
		{"bytes of regions", c.RegionBytes, l.RegionBytes},
	} {
		if q.limit > 0 && q.need > q.limit {
			return fmt.Errorf("it may need %d %s, the limit is %d", q.need, q.what, q.limit)
		}
	}
	return nil
}
