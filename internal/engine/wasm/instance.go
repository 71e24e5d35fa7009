package wasm

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// Args are a kernel's arguments for one run.
type Args struct {
	Sizes   []int64
	Scalars []uint64 // canonical bits, see num
	// Bases holds, per region, the offset in the arena of element 0. That of
	// a window is virtual and may lie outside the arena or be negative: the
	// address of an element is base + index·size modulo 2^32, and only
	// elements inside the window are touched. Scratch regions are the
	// caller's to allocate and to clear.
	Bases []int64
	// Faults holds, per site, the least place of a fault so far, or
	// math.MaxInt64; a fault without a place has place -1. A run only ever
	// lowers it.
	Faults []int64
	// InStep has iterations that follow references go on in step, where the kernel has such code.
	InStep bool
}

// Instance runs a Func for one goroutine at a time.
type Instance struct {
	f     *Func
	mod   api.Module
	run   api.Function
	span  mem.Span
	block []byte  // the arguments, in the arena
	sizes []int64 // what the polynomials in the block were evaluated for
	fresh bool    // no polynomials there yet
	stack [params]uint64
}

// anonymous is how kernels are instantiated. They use no random numbers; without a source of its
// own wazero would seed one of 5 KiB for each instance.
var anonymous = wazero.NewModuleConfig().WithName("").WithRandSource(rand.Reader)

// Instance makes an instance, in some ten microseconds.
func (f *Func) Instance(ctx context.Context) (*Instance, error) {
	span, err := f.span()
	if err != nil {
		return nil, err
	}
	mod, err := f.r.rt.InstantiateModule(ctx, f.module, anonymous)
	if err != nil {
		f.giveBack(span)
		return nil, fmt.Errorf("wasm: instantiate kernel: %w", err)
	}
	block := f.r.arena.Bytes(span.Off, int64(f.lay.size))
	return &Instance{f: f, mod: mod, run: mod.ExportedFunction(runName), span: span, block: block, fresh: true}, nil
}

// Close frees the instance.
func (in *Instance) Close(ctx context.Context) error {
	in.f.r.closing.Lock()
	err := in.mod.Close(ctx)
	in.f.r.closing.Unlock()
	in.f.giveBack(in.span)
	return err
}

// Run evaluates the body for the outer indices lo..hi. It returns ctx.Err()
// soon after ctx is cancelled; what the run was to write is then undefined.
func (in *Instance) Run(ctx context.Context, a *Args, lo, hi int64) error {
	if err := in.put(a); err != nil {
		return err
	}
	in.stack = [params]uint64{uint64(in.span.Off), uint64(lo), uint64(hi)}
	if err := in.run.CallWithStack(ctx, in.stack[:]); err != nil {
		return fmt.Errorf("wasm: run kernel: %w", err)
	}
	for i := range a.Faults {
		a.Faults[i] = int64(binary.LittleEndian.Uint64(in.block[in.f.lay.fault(i):]))
	}
	return ctx.Err()
}

// put writes the block of arguments.
func (in *Instance) put(a *Args) error {
	k, l := in.f.k, in.f.lay
	if len(a.Sizes) != len(k.Sizes) || len(a.Scalars) != len(k.Scalars) || len(a.Bases) != len(k.Regions) || len(a.Faults) != k.Sites {
		return fmt.Errorf("wasm: got %d sizes, %d scalars, %d bases, %d faults for a kernel with %d, %d, %d, %d",
			len(a.Sizes), len(a.Scalars), len(a.Bases), len(a.Faults), len(k.Sizes), len(k.Scalars), len(k.Regions), k.Sites)
	}
	if err := in.putPolys(a.Sizes); err != nil {
		return err
	}
	for i, v := range a.Scalars {
		binary.LittleEndian.PutUint64(in.block[l.scalar(i):], v)
	}
	for i, v := range a.Bases {
		binary.LittleEndian.PutUint64(in.block[l.base(i):], uint64(v))
	}
	for i, v := range a.Faults {
		binary.LittleEndian.PutUint64(in.block[l.fault(i):], uint64(v))
	}
	word := uint64(0)
	if a.InStep {
		word = 1
	}
	binary.LittleEndian.PutUint64(in.block[l.inStep:], word)
	return nil
}

// putPolys evaluates the polynomials unless the sizes are those of the run
// before.
func (in *Instance) putPolys(sizes []int64) error {
	if !in.fresh && slices.Equal(sizes, in.sizes) {
		return nil
	}
	for i, p := range in.f.lay.polys {
		n, ok := kernel.EvalPoly(p, sizes)
		if !ok {
			return fmt.Errorf("wasm: size %s has no value for sizes %v", p, sizes)
		}
		binary.LittleEndian.PutUint64(in.block[8*i:], uint64(n))
	}
	in.sizes, in.fresh = append(in.sizes[:0], sizes...), false
	return nil
}
