package engine

import (
	"context"
	"slices"
	"unsafe"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// stepperTier interprets kernels: to hold other tiers against, and for memory that WebAssembly does not reach.
type stepperTier struct{ arena *mem.Arena }

func (t stepperTier) compile(_ context.Context, safe *verify.Safe) (Code, error) {
	return &stepperCode{safe, t.arena}, nil
}

func (stepperTier) close(context.Context) error { return nil }

type stepperCode struct {
	safe  *verify.Safe
	arena *mem.Arena
}

func (c *stepperCode) Thread(context.Context) (Thread, error) { return stepperThread{c}, nil }

// Bytes is nothing: there is no code beside the kernel.
func (*stepperCode) Bytes() (code, thread int64) { return 0, 0 }

func (*stepperCode) Close() {}

type stepperThread struct{ *stepperCode }

func (t stepperThread) Run(_ context.Context, a *Args, lo, hi int64) error {
	regions := t.safe.Kernel.Regions
	s := stepper.Args{Sizes: a.Sizes, Scalars: a.Scalars, Faults: a.Faults, Regions: make([][]byte, len(regions)), Firsts: make([]int64, len(regions))}
	for i := range regions {
		s.Regions[i], s.Firsts[i] = t.region(i, a, lo, hi)
	}
	_, err := stepper.Run(t.safe.Kernel, &s, lo, hi)
	return err
}

func (stepperThread) Close() {}

// region is what outer indices lo..hi touch of a region, and its first element. No more may be there, and a slice of what is not
// there would be one of memory that belongs to others.
func (t stepperThread) region(i int, a *Args, lo, hi int64) (bytes []byte, first int64) {
	r := &t.safe.Kernel.Regions[i]
	if r.Access == kernel.Scratch {
		return nil, 0 // the stepper makes its own
	}
	n, _ := kernel.EvalPoly(r.Len, a.Sizes)
	first, end := reach(t.safe, i, a.Sizes, lo, hi)
	if isState(t.safe.Kernel, i) {
		first, end = 0, max(end, 1)
	}
	if first, end = max(first, 0), min(end, n); first >= end {
		return nil, 0
	}
	size := int64(r.Elem.Size())
	return unsafe.Slice(at(t.arena, a.Bases[i]+first*size), (end-first)*size), first
}

func isState(k *kernel.Kernel, region int) bool {
	return slices.ContainsFunc(k.State, func(s kernel.State) bool { return s.Region == region })
}

// at is memory so many bytes from the arena's beginning, in it or elsewhere: of Go's, or mapped. Who gave the base holds that memory
// until the run ends. The address is read as a pointer and not computed as one, since a pointer of Go's
// may not be moved from one piece of memory to another, as checkptr sees to.
func at(arena *mem.Arena, base int64) *byte {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(arena.All()))) + uintptr(base)
	return *(**byte)(unsafe.Pointer(&address))
}
