package engine

import (
	"context"
	"unsafe"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// stepperTier interprets kernels: to hold other tiers against, and for memory that WebAssembly does not reach.
type stepperTier struct{ arena *mem.Arena }

func (t stepperTier) compile(_ context.Context, k *kernel.Kernel) (Code, error) {
	return &stepperCode{k: k, arena: t.arena}, nil
}

func (stepperTier) close(context.Context) error { return nil }

type stepperCode struct {
	k     *kernel.Kernel
	arena *mem.Arena
}

func (c *stepperCode) Thread(context.Context) (Thread, error) { return stepperThread{c}, nil }

// Bytes is nothing: there is no code beside the kernel.
func (*stepperCode) Bytes() (code, thread int64) { return 0, 0 }

func (*stepperCode) Close() {}

type stepperThread struct{ *stepperCode }

func (t stepperThread) Run(_ context.Context, a *Args, lo, hi int64) error {
	s := stepper.Args{Sizes: a.Sizes, Scalars: a.Scalars, Faults: a.Faults, Regions: make([][]byte, len(t.k.Regions))}
	for i := range t.k.Regions {
		s.Regions[i] = t.region(i, a)
	}
	_, err := stepper.Run(t.k, &s, lo, hi)
	return err
}

func (stepperThread) Close() {}

// region is the whole region as bytes, of which only a window may be there.
func (t stepperThread) region(i int, a *Args) []byte {
	r := &t.k.Regions[i]
	n, _ := kernel.EvalPoly(r.Len, a.Sizes)
	if r.Access == kernel.Scratch || n <= 0 {
		return nil // the stepper makes its own
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&t.arena.All()[0]), a.Bases[i])), n*int64(r.Elem.Size()))
}
