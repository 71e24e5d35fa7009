package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/object"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// nativeTier has kernels compiled by LLVM and links the objects here.
type nativeTier struct {
	service *codegen.Service
	arena   *mem.Arena
	making  making
}

func (t *nativeTier) compile(ctx context.Context, safe *verify.Safe) (Code, error) {
	job, err := jobOf(safe.Kernel)
	if err != nil {
		return nil, err
	}
	end := t.making.begin(safe.Kernel, !t.service.Running())
	r, err := t.service.Compile(ctx, job)
	end(err == nil && !r.Cached)
	if err != nil {
		return nil, err
	}
	return t.link(safe, r.Object)
}

// cached gives the code that an earlier run left on disk. Whatever is wrong with
// it, it is not there.
func (t *nativeTier) cached(safe *verify.Safe) (Code, bool) {
	job, err := jobOf(safe.Kernel)
	if err != nil {
		return nil, false
	}
	r, ok := t.service.Cached(job)
	if !ok {
		return nil, false
	}
	c, err := t.link(safe, r.Object)
	return c, err == nil
}

// kept reports that an earlier run left code on disk.
func (t *nativeTier) kept(safe *verify.Safe) bool {
	job, err := jobOf(safe.Kernel)
	return err == nil && t.service.Kept(job)
}

func (*nativeTier) close(context.Context) error { return nil } // the service is its owner's

func jobOf(k *kernel.Kernel) (codegen.Job, error) {
	b, err := kernel.Encode(k)
	return codegen.Job{Form: codegen.Kernel, Source: b, Optimise: true}, err
}

func (t *nativeTier) link(safe *verify.Safe, b []byte) (Code, error) {
	img, err := object.Link(b, object.Library)
	if err != nil {
		return nil, fmt.Errorf("engine: link native code: %w", err)
	}
	entry, ok := img.Symbol(llvmir.Function)
	if !ok {
		_ = img.Close()
		return nil, fmt.Errorf("engine: native code does not define %s", llvmir.Function)
	}
	return &nativeCode{k: safe.Kernel, safe: safe, lay: llvmir.NewLayout(safe.Kernel), img: img, entry: entry, base: uintptr(unsafe.Pointer(unsafe.SliceData(t.arena.All())))}, nil
}

// nativeCode is a kernel as linked machine code.
type nativeCode struct {
	k     *kernel.Kernel
	safe  *verify.Safe
	lay   *llvmir.Layout
	img   *object.Image
	entry uintptr
	base  uintptr // address of the arena
}

func (c *nativeCode) Thread(context.Context) (Thread, error) {
	return &nativeThread{nativeCode: c, block: make([]int64, c.lay.Bytes/8)}, nil
}

func (c *nativeCode) Bytes() (code, thread int64) { return c.img.Bytes(), c.lay.Bytes }

func (c *nativeCode) Close() { _ = c.img.Close() }

// nativeThread holds the block of arguments of one goroutine.
type nativeThread struct {
	*nativeCode
	block []int64
	sizes []int64 // what the polynomials in the block were evaluated for
	fresh bool    // they are there
}

func (t *nativeThread) Run(ctx context.Context, a *Args, lo, hi int64) error {
	if err := t.put(a, lo, hi); err != nil {
		return err
	}
	if t.lay.Tiled {
		w, err := borrowWork(a.Run, t.nativeCode)
		if err != nil {
			return err
		}
		defer w.giveBack()
		t.block[t.lay.Work/8], t.block[t.lay.Strip/8], t.block[t.lay.Block/8], t.block[t.lay.Room/8] = w.address(), w.strip, w.block, w.room()
		t.block[t.lay.Near/8] = w.near
		t.block[t.lay.Held/8] = w.holds(a.Run, t.nativeCode)
		w.held = left{}
		block := t.block
		defer func() { w.held = left{a.Run, t.nativeCode, block[t.lay.Held/8]} }()
	}
	stop := &t.block[t.lay.Stop/8]
	*stop = 0
	unwatch := func() bool { return true }
	if ctx.Done() != nil {
		unwatch = context.AfterFunc(ctx, func() { atomic.StoreInt64(stop, 1) })
	}
	object.CallRange(t.entry, unsafe.Pointer(unsafe.SliceData(t.block)), lo, hi)
	copy(a.Faults, t.block[t.lay.Faults/8:])
	if !unwatch() {
		// The stop may be written at any time from now on, and must not end another run.
		t.block, t.fresh = make([]int64, len(t.block)), false
	}
	return ctx.Err()
}

func (t *nativeThread) Close() {}

// put writes the block of arguments.
func (t *nativeThread) put(a *Args, lo, hi int64) error {
	k, l := t.k, t.lay
	if len(a.Sizes) != len(k.Sizes) || len(a.Scalars) != len(k.Scalars) || len(a.Bases) != len(k.Regions) || len(a.Faults) != k.Sites {
		return fmt.Errorf("engine: got %d sizes, %d scalars, %d bases, %d faults for a kernel with %d, %d, %d, %d",
			len(a.Sizes), len(a.Scalars), len(a.Bases), len(a.Faults), len(k.Sizes), len(k.Scalars), len(k.Regions), k.Sites)
	}
	if !t.fresh || !slices.Equal(a.Sizes, t.sizes) {
		for i, p := range l.Polys {
			n, ok := kernel.EvalPoly(p, a.Sizes)
			if !ok {
				return fmt.Errorf("engine: size %s has no value for sizes %v", p, a.Sizes)
			}
			t.block[i] = n
		}
		t.sizes, t.fresh = append(t.sizes[:0], a.Sizes...), true
	}
	for i, v := range a.Scalars {
		t.block[l.Scalars/8+int64(i)] = int64(v)
	}
	for i, off := range a.Bases {
		t.block[l.Bases/8+int64(i)] = int64(t.base) + off
	}
	copy(t.block[l.Faults/8:], a.Faults)
	t.block[l.Weave/8] = int64(max(0, min(a.Weave, llvmir.MostWeave)))
	if a.Weave > 0 {
		for i, r := range l.Indices {
			_, t.block[l.Ends/8+int64(i)] = reach(t.safe, r, a.Sizes, lo, hi)
		}
	}
	return nil
}
