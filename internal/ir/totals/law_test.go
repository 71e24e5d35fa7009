package totals

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// failing is what the checks need of a test.
type failing interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// toucher is the stretch that stores an element, and one that loads it; -1 for none.
type toucher struct{ stored, loaded int }

type place struct {
	region  int
	element int64
}

// holds runs a case outer index by outer index, and then in stretches, in a random order, each from the states that
// the law says: the same must come out, and no stretch may touch what another stores.
func holds(t failing, r *rand.Rand, l *Law, c *kerneltest.Case) {
	t.Helper()
	if !l.Admits(c.Sizes) || l.Totals.AdmitShape(c.Sizes, lensBehind(l, c), verify.Limits{}) != nil {
		t.Fatal("the law does not admit what the kernel admits")
	}
	want := c.Clone()
	wantFaults := run(t, c.Kernel, want, 0, c.Outer, nil)

	cuts := []int64{0, c.Outer}
	for range 1 + r.IntN(4) {
		cuts = append(cuts, r.Int64N(c.Outer+1))
	}
	slices.Sort(cuts)
	states := [][]uint64{stateOf(c.Kernel, c.Regions)}
	disjoint := true
	for i := range cuts[1:] {
		before := states[i]
		behind := l.Join(before, totalsOf(t, l, c, cuts[i], cuts[i+1]))
		disjoint = disjoint && l.Disjoint(c.Sizes, before, behind)
		states = append(states, behind)
	}
	if got, want := states[len(states)-1], stateOf(c.Kernel, want.Regions); !same(c.Kernel, got, want) {
		t.Fatalf("the states behind are %x, the law says %x\n%s", want, got, kernel.Text(c.Kernel))
	}
	if !disjoint {
		return // whoever runs the kernel sees this too, and takes one stretch after the other
	}
	got, faults := c.Clone(), stepper.NewFaults(c.Kernel.Sites)
	met := map[place]toucher{}
	for _, i := range r.Perm(len(cuts) - 1) {
		setState(c.Kernel, got.Regions, states[i])
		for s, at := range run(t, c.Kernel, got, cuts[i], cuts[i+1], witness(t, c.Kernel, met, i)) {
			faults[s] = min(faults[s], at)
		}
	}
	setState(c.Kernel, got.Regions, states[len(states)-1])
	if !slices.Equal(faults, wantFaults) {
		t.Fatalf("faults are %v, in stretches %v\n%s", wantFaults, faults, kernel.Text(c.Kernel))
	}
	for i := range got.Regions {
		a, b := bytes.Clone(got.Regions[i]), bytes.Clone(want.Regions[i])
		column.CanonicalNaN(c.Kernel.Regions[i].Elem, a)
		column.CanonicalNaN(c.Kernel.Regions[i].Elem, b)
		if !bytes.Equal(a, b) {
			t.Fatalf("region r%d is %x, in stretches %x\n%s", i, b, a, kernel.Text(c.Kernel))
		}
	}
}

func witness(t failing, k *kernel.Kernel, met map[place]toucher, stretch int) func(int64, int, int64, bool) {
	return func(_ int64, region int, element int64, store bool) {
		if k.Regions[region].Access == kernel.Scratch {
			return
		}
		p := place{region, element}
		m, ok := met[p]
		if !ok {
			m = toucher{-1, -1}
		}
		if m.stored >= 0 && m.stored != stretch || store && m.loaded >= 0 && m.loaded != stretch {
			t.Fatalf("two stretches touch element %d of region r%d, and one stores it\n%s", element, region, kernel.Text(k))
		}
		if store {
			m.stored = stretch
		} else {
			m.loaded = stretch
		}
		met[p] = m
	}
}

func run(t failing, k *kernel.Kernel, c *kerneltest.Case, lo, hi int64, touched func(int64, int, int64, bool)) (faults []int64) {
	t.Helper()
	a := &stepper.Args{Sizes: c.Sizes, Scalars: c.Scalars, Regions: c.Regions, Faults: stepper.NewFaults(k.Sites), Touched: touched}
	for o := lo; o < hi; o++ { // scratch memory is made anew for each, as verify wants it
		if _, err := stepper.Run(k, a, o, o+1); err != nil {
			t.Fatalf("%v\n%s", err, kernel.Text(k))
		}
	}
	return a.Faults
}

// totalsOf runs the kernel of totals over a stretch.
func totalsOf(t failing, l *Law, c *kerneltest.Case, lo, hi int64) []uint64 {
	t.Helper()
	k := l.Totals.Kernel
	d := *c
	d.Kernel, d.Regions = k, nil
	for _, r := range l.Regions {
		d.Regions = append(d.Regions, bytes.Clone(c.Regions[r]))
	}
	setState(k, d.Regions, l.Identity())
	if len(run(t, k, &d, lo, hi, nil)) != 0 {
		t.Fatal("the kernel of totals has fault sites")
	}
	return stateOf(k, d.Regions)
}

func lensBehind(l *Law, c *kerneltest.Case) (lens []int64) {
	all := c.Lens()
	for _, r := range l.Regions {
		lens = append(lens, all[r])
	}
	return lens
}

func stateOf(k *kernel.Kernel, regions [][]byte) (vs []uint64) {
	for _, s := range k.State {
		vs = append(vs, column.Get(s.Kind, regions[s.Region], 0))
	}
	return vs
}

func setState(k *kernel.Kernel, regions [][]byte, vs []uint64) {
	for i, s := range k.State {
		column.Put(s.Kind, regions[s.Region], 0, vs[i])
	}
}

// same compares states but for the form of NaN.
func same(k *kernel.Kernel, a, b []uint64) bool {
	for i, s := range k.State {
		x, y := make([]byte, 8), make([]byte, 8)
		column.Put(s.Kind, x, 0, a[i])
		column.Put(s.Kind, y, 0, b[i])
		column.CanonicalNaN(s.Kind, x[:s.Kind.Size()])
		column.CanonicalNaN(s.Kind, y[:s.Kind.Size()])
		if !bytes.Equal(x, y) {
			return false
		}
	}
	return true
}
