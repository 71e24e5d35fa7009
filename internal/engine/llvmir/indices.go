package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: integers that a kernel loads from regions with a bound. Out: the same integers, or the greatest below
// the bound for those that break it. Whoever holds a region has looked at its elements before the run, but
// they may lie in a mapped file or in a slice of the caller's, which others can write to at any time. With this no such
// write leads to an access outside of a region; all that it can change is numbers.

// readBounds lists the bounds of regions that are only read. What a kernel stores itself is proved by verify.
func readBounds(k *kernel.Kernel) (list []size.Poly) {
	for i := range k.Regions {
		if r := &k.Regions[i]; r.Bounded && r.Access == kernel.Read {
			list = append(list, r.Bound)
		}
	}
	return list
}

// loadIndex is load, with what breaks the region's bound brought below it.
func (e *emitter) loadIndex(region int, index string, t typ) string {
	v, r := e.load(region, index, t), &e.k.Regions[region]
	if !r.Bounded || r.Access != kernel.Read {
		return v
	}
	if top := e.greatest(region, t.kind); top != "" {
		return e.pure("llvm.umin", t, v, e.splat(t, top))
	}
	return v
}

// greatest is the greatest integer below a region's bound; empty where every integer of the kind is.
// Negative ones are huge as unsigned ones. An empty array has no such integer, and indices into it no elements.
func (e *emitter) greatest(region int, k num.Kind) string {
	if n, ok := e.k.Regions[region].Bound.Const(); ok {
		if n < 1 || uint64(n-1) >= k.MaxInt() {
			return ""
		}
		return strconv.FormatInt(n-1, 10)
	}
	return e.tops[region]
}

// loadTops computes greatest for regions whose bound depends on sizes, once in a run.
func (e *emitter) loadTops() {
	e.tops = make([]string, len(e.k.Regions))
	for i := range e.k.Regions {
		r := &e.k.Regions[i]
		if _, known := r.Bound.Const(); !r.Bounded || r.Access != kernel.Read || known {
			continue
		}
		top := e.set("sub i64 %s, 1", e.poly(r.Bound))
		if r.Elem.Bits() < 64 {
			top = e.pure("llvm.umin", typ{num.I64, 1}, top, strconv.FormatUint(r.Elem.MaxInt(), 10))
			top = e.set("trunc i64 %s to i%d", top, r.Elem.Bits())
		}
		e.tops[i] = top
	}
}
