package mutants

import (
	"math/rand/v2"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// guarded is regions in an arena, each alone between pages that nothing can touch: a
// load, a prefetched vector or a store beyond its elements ends the process.
type guarded struct {
	arena *mem.Arena
	spans []mem.Span
	bases []int64
	parts []part
}

// part is the elements of a region that are there, from byte first on.
type part struct {
	bytes []byte
	first int64
}

// guard places of each region what outer indices lo..hi may touch, at random
// directly behind a guard or directly before one. The bases are those of element 0,
// wherever that would be.
func guard(r *rand.Rand, a *mem.Arena, s *verify.Safe, c *kerneltest.Case, lo, hi int64, windows bool) (*guarded, error) {
	g := &guarded{arena: a}
	for i, n := range c.Lens() {
		reg := &c.Kernel.Regions[i]
		width, first, end := int64(reg.Elem.Size()), int64(0), n
		if windows && reg.Access != kernel.Scratch && !isState(c.Kernel, i) {
			first, end, _ = s.Footprint[i].Range(c.Sizes, lo, hi)
		}
		at, err := g.place(r, (end-first)*width)
		if err != nil {
			g.free()
			return nil, err
		}
		p := part{a.Bytes(at, (end-first)*width), first * width}
		if c.Regions[i] != nil {
			copy(p.bytes, c.Regions[i][p.first:])
		}
		g.parts, g.bases = append(g.parts, p), append(g.bases, at-p.first)
	}
	return g, nil
}

func isState(k *kernel.Kernel, region int) bool {
	for _, s := range k.State {
		if s.Region == region {
			return true
		}
	}
	return false
}

// place gives n bytes with a guard right before or right behind them.
func (g *guarded) place(r *rand.Rand, n int64) (int64, error) {
	pages := (n + mem.Page - 1) / mem.Page * mem.Page
	s, err := g.arena.Reserve(pages + 2*mem.Page)
	if err != nil {
		return 0, err
	}
	g.spans = append(g.spans, s)
	if pages > 0 {
		if err := g.arena.Commit(mem.Span{Off: s.Off + mem.Page, Len: pages}); err != nil {
			return 0, err
		}
	}
	if r.IntN(3) == 0 {
		return s.Off + mem.Page, nil
	}
	return s.Off + mem.Page + pages - n, nil
}

// takeBack copies what was written into the case's regions.
func (g *guarded) takeBack(c *kerneltest.Case) {
	for i, p := range g.parts {
		if c.Regions[i] != nil {
			copy(c.Regions[i][p.first:], p.bytes)
		}
	}
}

// clean makes Scratch what it is at the beginning of a slice.
func (g *guarded) clean(k *kernel.Kernel) {
	for i, p := range g.parts {
		if k.Regions[i].Access == kernel.Scratch {
			clear(p.bytes)
		}
	}
}

func (g *guarded) free() {
	for _, s := range g.spans {
		g.arena.Free(s)
	}
}
