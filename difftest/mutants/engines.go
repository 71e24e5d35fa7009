package mutants

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// slicer executes a slice of outer indices over guarded regions.
type slicer func(c *kerneltest.Case, g *guarded, faults []int64, lo, hi int64) error

// cuts are the slices that a case runs in: in order for kernels with state, shuffled
// for others.
func cuts(r *rand.Rand, c *kerneltest.Case) [][2]int64 {
	at := []int64{0, c.Outer}
	for range r.IntN(4) {
		at = append(at, r.Int64N(c.Outer+1))
	}
	slices.Sort(at)
	var list [][2]int64
	for i := range at[1:] {
		list = append(list, [2]int64{at[i], at[i+1]})
	}
	if len(c.Kernel.State) == 0 {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list
}

// sliced runs a case in slices, each over guarded memory that holds, now and then, no
// more than what the slice may touch.
func sliced(r *rand.Rand, a *mem.Arena, s *verify.Safe, c *kerneltest.Case, run slicer) (*outcome, error) {
	c = c.Clone()
	out := &outcome{c.Regions, stepper.NewFaults(c.Kernel.Sites)}
	windows := r.IntN(2) == 0
	for _, cut := range cuts(r, c) {
		g, err := guard(r, a, s, c, cut[0], cut[1], windows)
		if err != nil {
			return nil, err
		}
		step := cut[1] - cut[0]
		if s.Carries {
			step = 1
		}
		for lo := cut[0]; lo < cut[1] && err == nil; lo += step {
			g.clean(c.Kernel)
			err = run(c, g, out.faults, lo, lo+step)
		}
		g.takeBack(c)
		g.free()
		if err != nil {
			return nil, fmt.Errorf("outer indices %d up to %d: %w", cut[0], cut[1], err)
		}
	}
	return out, nil
}

// webAssembly compiles a kernel with wazero.
func (l *lab) webAssembly(k *kernel.Kernel) (slicer, func(), error) {
	ctx := context.Background()
	f, err := l.wasm.Compile(ctx, k)
	if err != nil {
		return nil, nil, err
	}
	in, err := f.Instance(ctx)
	if err != nil {
		_ = f.Close(ctx)
		return nil, nil, err
	}
	run := func(c *kerneltest.Case, g *guarded, faults []int64, lo, hi int64) error {
		a := &wasm.Args{Sizes: c.Sizes, Scalars: c.Scalars, Bases: g.bases, Faults: faults}
		return in.Run(ctx, a, lo, hi)
	}
	return run, func() { _ = in.Close(ctx); _ = f.Close(ctx) }, nil
}

// machineCode compiles a kernel with LLVM.
func (l *lab) machineCode(k *kernel.Kernel) (slicer, func(), error) {
	n, err := l.native.link(l.r, k)
	if err != nil {
		return nil, nil, err
	}
	return n.run, n.close, nil
}

// compare runs a case on one engine and holds the outcome against the reference.
func (l *lab) compare(name string, s *verify.Safe, c *kerneltest.Case, want *outcome, compile func(*kernel.Kernel) (slicer, func(), error)) error {
	run, free, err := compile(c.Kernel)
	if errors.Is(err, llvmir.ErrNoFma) {
		return nil
	}
	if err != nil {
		return &Finding{Kind: name, Text: "it is not compiled: " + err.Error()}
	}
	defer free()
	got, err := sliced(l.r, l.arena, s, c, run)
	if err == nil {
		err = differs(c.Kernel, want, got.regions, got.faults)
	}
	if err != nil {
		return &Finding{Kind: name, Text: err.Error()}
	}
	return nil
}
