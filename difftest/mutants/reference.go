package mutants

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// outcome is what a run leaves behind.
type outcome struct {
	regions [][]byte
	faults  []int64
}

// reference runs a case in the stepper, one outer index at a time, and holds it to
// all that verify has promised.
func reference(s *verify.Safe, c *kerneltest.Case) (*outcome, error) {
	c = c.Clone()
	w := &witness{s: s, c: c, last: map[place]toucher{}}
	a := &stepper.Args{Sizes: c.Sizes, Scalars: c.Scalars, Regions: c.Regions, Faults: stepper.NewFaults(c.Kernel.Sites), Touched: w.note}
	each := s.Outer.Eval(c.Sizes)
	a.Limit = each + 1
	for o := range c.Outer {
		steps, err := stepper.Run(c.Kernel, a, o, o+1)
		switch {
		case errors.Is(err, stepper.ErrLimit) || err == nil && steps > each:
			return nil, &Finding{Kind: "steps", Text: fmt.Sprintf("outer index %d takes %d steps or more, the bound is %d", o, steps, each)}
		case err != nil:
			return nil, &Finding{Kind: "unsound", Text: err.Error()}
		case w.found != nil:
			return nil, w.found
		}
	}
	if err := memory(s, c); err != nil {
		return nil, err
	}
	return &outcome{c.Regions, a.Faults}, nil
}

// memory holds what the regions take against the bound.
func memory(s *verify.Safe, c *kerneltest.Case) error {
	cost, scratch, regions := s.Cost(c.Sizes), int64(0), int64(0)
	for i, n := range c.Lens() {
		b := n * int64(c.Kernel.Regions[i].Elem.Size())
		if c.Kernel.Regions[i].Access == kernel.Scratch {
			scratch += b
		} else {
			regions += b
		}
	}
	if scratch > cost.ScratchBytes || regions > cost.RegionBytes {
		return &Finding{Kind: "memory", Text: fmt.Sprintf("%d bytes of scratch and %d of regions, the bounds are %d and %d", scratch, regions, cost.ScratchBytes, cost.RegionBytes)}
	}
	return nil
}

// place is an element, toucher who stored it last, or who loaded it.
type place struct {
	region  int
	element int64
}

type toucher struct {
	stored, loaded int64 // outer index + 1; 0 for none, many for several
}

const many = -1

// witness sees who touches what. Outer indices of kernels without state must not
// meet, and none may leave its footprint, which windows are cut by.
type witness struct {
	s     *verify.Safe
	c     *kerneltest.Case
	last  map[place]toucher
	found error

	at   int64 // the outer index that the footprints are of, + 1
	from [][2]int64
}

func (w *witness) note(o int64, region int, element int64, store bool) {
	k := w.c.Kernel
	if w.found != nil {
		return
	}
	if k.Regions[region].Access == kernel.Scratch {
		return
	}
	w.inside(o, region, element)
	if len(k.State) > 0 {
		return
	}
	p := place{region, element}
	t, me := w.last[p], o+1
	other := func(who int64) bool { return who != 0 && who != me }
	if other(t.stored) || store && other(t.loaded) {
		w.found = &Finding{Kind: "overlap", Text: fmt.Sprintf("element %d of region r%d is touched (store: %v) at outer index %d, and stored or loaded at another one", element, region, store, o)}
		return
	}
	switch {
	case store:
		t.stored = me
	case t.loaded == 0:
		t.loaded = me
	case t.loaded != me:
		t.loaded = many
	}
	w.last[p] = t
}

func (w *witness) inside(o int64, region int, element int64) {
	if w.at != o+1 {
		w.at, w.from = o+1, w.from[:0]
		for i := range w.s.Footprint {
			first, end, _ := w.s.Footprint[i].Range(w.c.Sizes, o, o+1)
			w.from = append(w.from, [2]int64{first, end})
		}
	}
	if f := w.from[region]; element < f[0] || element >= f[1] {
		w.found = &Finding{Kind: "footprint", Text: fmt.Sprintf("outer index %d touches element %d of region r%d, its footprint is %d up to %d", o, element, region, f[0], f[1])}
	}
}

// differs compares what a run left with the reference, but for the bits of NaN, which
// have one form only where somebody looks.
func differs(k *kernel.Kernel, want *outcome, regions [][]byte, faults []int64) error {
	for i, r := range k.Regions {
		if r.Access == kernel.Scratch {
			continue
		}
		g, w := bytes.Clone(regions[i]), bytes.Clone(want.regions[i])
		column.CanonicalNaN(r.Elem, g)
		column.CanonicalNaN(r.Elem, w)
		if len(g) != len(w) {
			return fmt.Errorf("region r%d has %d bytes, expected %d", i, len(g), len(w))
		}
		for j, n := 0, r.Elem.Size(); j < len(g); j += n {
			if !bytes.Equal(g[j:j+n], w[j:j+n]) {
				return fmt.Errorf("region r%d (%s) element %d is %x, expected %x", i, r.Elem, j/n, g[j:j+n], w[j:j+n])
			}
		}
	}
	for i, at := range want.faults {
		if faults[i] != at {
			return fmt.Errorf("the fault at site %d is %d, expected %d", i, faults[i], at)
		}
	}
	return nil
}
