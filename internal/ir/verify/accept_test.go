package verify_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// hold runs an accepted kernel in the stepper, which checks every access and
// every bound, and compares what it did with what verify promised.
func hold(t interface{ Fatalf(string, ...any) }, s *verify.Safe, c *kerneltest.Case) {
	if err := s.Admit(c.Sizes, c.Scalars, c.Lens(), verify.Limits{}); err != nil {
		t.Fatalf("%s: %v\n%s", c.Name, err, kernel.Text(c.Kernel))
	}
	whole := c.Clone()
	steps, err := stepper.Run(c.Kernel, arguments(whole), 0, c.Outer)
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.Name, err, kernel.Text(c.Kernel))
	}
	cost := s.Cost(c.Sizes)
	if steps > cost.Steps {
		t.Fatalf("%s: %d steps, promised %d = Outer·(%s)\n%s", c.Name, steps, cost.Steps, s.Outer.String(), kernel.Text(c.Kernel))
	}
	slices_ := c.Clone()
	for o := range c.Outer {
		windowed(t, s, slices_, o)
		n, err := stepper.Run(c.Kernel, arguments(slices_), o, o+1)
		if err != nil || n > cost.OuterSteps {
			t.Fatalf("%s: %d steps for outer index %d, promised %d; %v\n%s", c.Name, n, o, cost.OuterSteps, err, kernel.Text(c.Kernel))
		}
	}
}

func arguments(c *kerneltest.Case) *stepper.Args {
	return &stepper.Args{Sizes: c.Sizes, Scalars: c.Scalars, Regions: c.Regions, Faults: stepper.NewFaults(c.Kernel.Sites)}
}

// windowed spoils, in a copy, everything outside the footprint of outer
// index o, and expects that the run changes nothing there and still gives
// the same inside.
func windowed(t interface{ Fatalf(string, ...any) }, s *verify.Safe, c *kerneltest.Case, o int64) {
	before, after := c.Clone(), c.Clone()
	for r, f := range s.Footprint {
		start, end, ok := f.Range(c.Sizes, o, o+1)
		if !ok {
			t.Fatalf("footprint of r%d has no value", r)
		}
		width := int64(c.Kernel.Regions[r].Elem.Size())
		for i := range after.Regions[r] {
			if int64(i) < start*width || int64(i) >= end*width {
				after.Regions[r][i] = 0
			}
		}
	}
	spoiled := after.Clone()
	for _, run := range []*kerneltest.Case{before, after} {
		if _, err := stepper.Run(c.Kernel, arguments(run), o, o+1); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
	}
	for r, f := range s.Footprint {
		start, end, _ := f.Range(c.Sizes, o, o+1)
		width := int64(c.Kernel.Regions[r].Elem.Size())
		for i := range after.Regions[r] {
			inside := int64(i) >= start*width && int64(i) < end*width
			if inside && after.Regions[r][i] != before.Regions[r][i] || !inside && after.Regions[r][i] != spoiled.Regions[r][i] {
				t.Fatalf("%s: region r%d, byte %d: outer index %d goes beyond its footprint %d..%d\n%s", c.Name, r, i, o, start, end, kernel.Text(c.Kernel))
			}
		}
	}
}

func TestEvery(t *testing.T) {
	for _, c := range kerneltest.Every() {
		s, err := verify.Check(c.Kernel)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.Name, err, kernel.Text(c.Kernel))
		}
		hold(t, s, c)
	}
}

func TestDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := kerneltest.Gen().Draw(t, "case")
		s, err := verify.Check(c.Kernel)
		if err != nil {
			t.Fatalf("%v\n%s", err, kernel.Text(c.Kernel))
		}
		hold(t, s, c)
		again, _ := verify.Check(c.Kernel)
		if again.Outer.String() != s.Outer.String() || !slices.EqualFunc(again.Footprint, s.Footprint, func(a, b verify.Footprint) bool {
			return a.Streamed == b.Streamed && a.Start.Equal(b.Start) && a.End.Equal(b.End)
		}) {
			t.Fatalf("a second check found something else")
		}
		if n := s.Outer.Eval(c.Sizes); n < 1 || n == math.MaxInt64 {
			t.Fatalf("bound %d", n)
		}
	})
}
