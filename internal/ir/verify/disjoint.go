package verify

import (
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// maxCandidates is how many accesses of a region are asked for the border
// between outer indices.
const maxCandidates = 4

// disjoint shows for a kernel without state that what one outer index stores
// no other one loads or stores, so that their order cannot matter.
func (c *checker) disjoint() {
	if len(c.k.State) > 0 || c.Proves(size.Const(1).Sub(c.k.Outer)) {
		return
	}
	byRegion, stored := map[int][]access{}, map[int]access{}
	for _, a := range c.accesses {
		byRegion[a.region] = append(byRegion[a.region], a)
		if _, ok := stored[a.region]; a.store && !ok {
			stored[a.region] = a
		}
	}
	for r := range c.k.Regions {
		if a, ok := stored[r]; ok && !c.partitioned(byRegion[r]) {
			c.at, c.path = a.in, a.path
			c.refuseKnowing("it touches from "+boundText(a.low)+" to "+boundText(a.high)+", where v0 is the outer index",
				"places of region r%d stored at one outer index must not be touched at another", r)
		}
	}
}

// partitioned looks for a border S(o) that rises with o such that outer
// index o keeps to S(o) … S(o+1)-1, or one that falls.
func (c *checker) partitioned(as []access) (found bool) {
	before := c.Facts
	c.Facts = common(as)
	defer func() { c.Facts = before }()
	c.Assuming([]size.Poly{c.k.Outer.AddConst(-1)}, func() {
		for _, a := range as[:min(len(as), maxCandidates)] {
			for _, s := range a.low {
				found = found || c.keepTo(as, s.P, c.following(s.P).AddConst(-1)) && c.Proves(c.following(s.P).Sub(s.P))
			}
			for _, s := range a.high {
				found = found || c.keepTo(as, c.following(s.P).AddConst(1), s.P) && c.Proves(s.P.Sub(c.following(s.P)))
			}
		}
	})
	return found
}

// common is what is known of sizes if any of the accesses happens: sizes are the same for
// all outer indices.
func common(as []access) *size.Facts {
	f := &size.Facts{Lo: maps.Clone(as[0].facts.Lo), Hi: as[0].facts.Hi, NonNeg: slices.Clone(as[0].facts.NonNeg)}
	for _, a := range as[1:] {
		if a.facts == as[0].facts {
			continue
		}
		for name, lo := range f.Lo {
			f.Lo[name] = min(lo, a.facts.Lo[name])
		}
		f.NonNeg = slices.DeleteFunc(f.NonNeg, func(p size.Poly) bool { return !slices.ContainsFunc(a.facts.NonNeg, p.Equal) })
	}
	return f
}

// following is p at the next outer index.
func (c *checker) following(p size.Poly) size.Poly {
	o := name(c.k.Body.Params[0])
	return p.Replace(o, size.Var(o).AddConst(1))
}

// keepTo shows that all accesses lie from s to e.
func (c *checker) keepTo(as []access, s, e size.Poly) bool {
	for _, a := range as {
		if !c.anyWithin(a.low, s, prove.Below) || !c.anyWithin(a.high, e, prove.Above) {
			return false
		}
	}
	return true
}

// anyWithin shows that one of the bounds of an access does not go beyond p.
func (c *checker) anyWithin(bounds []prove.Claim, p size.Poly, d prove.Direction) bool {
	for _, b := range bounds {
		if c.Proves(prove.Gap(p, b.P, d)) {
			c.Rely(b.Needs)
			return true
		}
	}
	return false
}

// Footprint is the part of a region that a range of outer indices touches.
type Footprint struct {
	// Streamed says that Start and End move with the outer index, so that a
	// window over the region is enough; otherwise any element may be touched.
	Streamed bool
	// Start and End bound the elements that one outer index touches,
	// Start ≤ element < End. They are polynomials over the sizes and o, the
	// outer index, and do not fall when o rises.
	Start, End size.Poly
	// Len is the region's length.
	Len size.Poly
	// Filled says that outer indices whose grains cover all slots store every element.
	Filled bool
	// Appended, if not 0, is one more than the number of the state that counts what is appended; see kernel.Appends.
	Appended int
}

// Range gives elements [start, end) that contain all that outer indices
// [a, b) touch; ok is false when a polynomial leaves int64.
func (f *Footprint) Range(sizes []int64, a, b int64) (start, end int64, ok bool) {
	n, ok := kernel.EvalPoly(f.Len, sizes)
	if !ok || a >= b {
		return 0, 0, ok
	}
	if !f.Streamed {
		return 0, n, true
	}
	start, ok = kernel.EvalPolyAt(f.Start, sizes, "o", a)
	end, ok2 := kernel.EvalPolyAt(f.End, sizes, "o", b-1)
	start = min(max(start, 0), n)
	return start, min(max(end, start), n), ok && ok2
}

func (c *checker) footprints() {
	byRegion := make([][]access, len(c.k.Regions))
	for _, a := range c.accesses {
		byRegion[a.region] = append(byRegion[a.region], a)
	}
	c.Assuming([]size.Poly{c.k.Outer.AddConst(-1)}, func() {
		for r, as := range byRegion {
			c.safe.Footprint = append(c.safe.Footprint, c.footprint(r, as))
		}
	})
}

func (c *checker) footprint(r int, as []access) Footprint {
	f := Footprint{Len: c.k.Regions[r].Len, Filled: kernel.Fills(c.k, r)}
	if state, ok := kernel.Appends(c.k, r); ok {
		f.Appended = 1 + state
	}
	if len(as) == 0 {
		f.Streamed = !c.isState(r) && c.k.Regions[r].Access != kernel.Scratch
		return f
	}
	start, ok := c.edge(as, prove.Below)
	end, ok2 := c.edge(as, prove.Above)
	if ok && ok2 {
		o, named := name(c.k.Body.Params[0]), size.Var("o")
		f.Streamed, f.Start, f.End = true, start.Replace(o, named), end.AddConst(1).Replace(o, named)
	}
	return f
}

// edge finds a bound of all accesses that depends on the outer index and
// does not fall with it.
func (c *checker) edge(as []access, d prove.Direction) (size.Poly, bool) {
	for _, a := range as[:min(len(as), maxCandidates)] {
		for _, s := range a.bounds(d) {
			if _, moves := prove.Latest(s.P, 0); moves && c.Proves(c.following(s.P).Sub(s.P)) && c.allWithin(as, s.P, d) {
				return s.P, true
			}
		}
	}
	return size.Poly{}, false
}

func (c *checker) allWithin(as []access, p size.Poly, d prove.Direction) bool {
	for _, a := range as {
		if !c.anyWithin(a.bounds(d), p, d) {
			return false
		}
	}
	return true
}

func (a *access) bounds(d prove.Direction) []prove.Claim {
	if d == prove.Below {
		return a.low
	}
	return a.high
}
