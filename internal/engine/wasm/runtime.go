// Package wasm runs kernels by compiling them to WebAssembly, emitted here
// byte by byte, and that to machine code with wazero.
//
// wazero neither vectorises nor moves code out of loops, so the emitter does
// both: tree.go moves what does not vary out of loops, the files named
// vector*.go turn straight loops into vector code in the canonical order of
// folds. A call into wazero also blocks Go's garbage collector, therefore
// every loop of unknown length counts its cost and visits the host about
// four times a millisecond.
package wasm

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

const pageSize = 1 << 16

// maxPages is what a 32-bit address reaches.
const maxPages = 1 << 16

// Runtime compiles kernels that work in one arena. It is safe for concurrent
// use.
type Runtime struct {
	arena *mem.Arena
	rt    wazero.Runtime
	pages uint32
	// closing is held while an instance closes: wazero has each let go of the memory that all of them import, without a lock.
	closing sync.Mutex
	// scalarOnly is set by tests.
	scalarOnly bool
}

// NewRuntime makes a runtime whose kernels address the whole arena, up to
// 4 GiB; bytes behind the last multiple of 64 KiB are out of their reach.
func NewRuntime(ctx context.Context, arena *mem.Arena) (*Runtime, error) {
	r := &Runtime{arena: arena, pages: uint32(min(arena.Size()/pageSize, maxPages))}
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithDebugInfoEnabled(false)
	r.rt = wazero.NewRuntimeWithConfig(ctx, config)
	if err := r.start(ctx); err != nil {
		_ = r.Close(ctx)
		return nil, fmt.Errorf("start WebAssembly runtime: %w", err)
	}
	return r, nil
}

// start makes the modules that kernels import from.
func (r *Runtime) start(ctx context.Context) error {
	_, err := r.rt.NewHostModuleBuilder(hostName).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(yield), nil, []api.ValueType{api.ValueTypeI32}).
		Export(yieldName).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(hostFma), fmaParams, fmaResults).
		Export(fmaName).Instantiate(ctx)
	if err != nil {
		return err
	}
	env, err := r.rt.CompileModule(ctx, envModule(r.pages))
	if err != nil {
		return err
	}
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(r.memory))
	_, err = r.rt.InstantiateModule(ctx, env, wazero.NewModuleConfig().WithName(envName))
	return err
}

// yield is called by running kernels so that Go can stop this thread for its
// garbage collector; it answers 1 when the run is to end.
func yield(ctx context.Context, stack []uint64) {
	stack[0] = 0
	if ctx.Err() != nil {
		stack[0] = 1
	}
}

// memory hands the arena's reservation to wazero, which never grows it.
func (r *Runtime) memory(_, _ uint64) experimental.LinearMemory {
	return reservation(r.arena.All())
}

type reservation []byte

func (m reservation) Reallocate(size uint64) []byte {
	if size > uint64(len(m)) {
		return nil
	}
	return m[:size:size]
}

func (m reservation) Free() {} // the arena's owner does

// Close ends the runtime and all that was compiled with it.
func (r *Runtime) Close(ctx context.Context) error {
	return r.rt.Close(ctx)
}

// Compile translates a kernel that verify has accepted.
func (r *Runtime) Compile(ctx context.Context, k *kernel.Kernel) (*Func, error) {
	e, err := emit(k, r.scalarOnly)
	if err != nil {
		return nil, err
	}
	bin := kernelModule(e.code, r.pages, e.fma64)
	m, err := r.rt.CompileModule(ctx, bin)
	if err != nil {
		return nil, fmt.Errorf("wasm: compile kernel: %w", err)
	}
	return &Func{r: r, k: k, lay: e.lay, bytes: len(bin), module: m}, nil
}

// Func is a compiled kernel. It is safe for concurrent use.
type Func struct {
	r      *Runtime
	k      *kernel.Kernel
	lay    *layout
	bytes  int
	module wazero.CompiledModule

	mu     sync.Mutex
	spare  []mem.Span // blocks of arguments of closed instances
	closed bool
}

// span gives memory for an instance's block of arguments.
func (f *Func) span() (mem.Span, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.spare); n > 0 {
		s := f.spare[n-1]
		f.spare = f.spare[:n-1]
		return s, nil
	}
	return f.r.arena.Alloc(int64(f.lay.size))
}

func (f *Func) giveBack(s mem.Span) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		f.r.arena.Free(s)
		return
	}
	f.spare = append(f.spare, s)
}

// Bytes is the size of the WebAssembly module.
func (f *Func) Bytes() int { return f.bytes }

// Memory is about what the machine code takes, which is at most twice as long as the module, with a page by
// which Go enters it, and what each instance takes: wazero's stack of 10 KiB and tables, and a page of the arena
// or more.
func (f *Func) Memory() (code, instance int64) {
	page := int64(os.Getpagesize())
	whole := func(n int64) int64 { return (n + page - 1) / page * page }
	return whole(2*int64(f.bytes)) + page, 10<<10 + 4<<10 + whole(int64(f.lay.size))
}

// Close frees the machine code. No instance may be in use.
func (f *Func) Close(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.spare {
		f.r.arena.Free(s)
	}
	f.spare, f.closed = nil, true
	return f.module.Close(ctx)
}
