package engine

import (
	"context"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// wasmTier compiles kernels with wazero.
type wasmTier struct{ r *wasm.Runtime }

func newWasmTier(ctx context.Context, a *mem.Arena) (compiler, error) {
	r, err := wasm.NewRuntime(ctx, a)
	if err != nil {
		return nil, err
	}
	return wasmTier{r}, nil
}

func (t wasmTier) compile(ctx context.Context, safe *verify.Safe) (Code, error) {
	f, err := t.r.Compile(ctx, safe.Kernel)
	if err != nil {
		return nil, err
	}
	return wasmCode{f}, nil
}

func (t wasmTier) close(ctx context.Context) error { return t.r.Close(ctx) }

type wasmCode struct{ f *wasm.Func }

func (c wasmCode) Thread(ctx context.Context) (Thread, error) {
	in, err := c.f.Instance(ctx)
	if err != nil {
		return nil, err
	}
	return &wasmThread{in: in}, nil
}

func (c wasmCode) Bytes() (code, thread int64) { return c.f.Memory() }

func (c wasmCode) Close() { _ = c.f.Close(context.Background()) }

type wasmThread struct {
	in   *wasm.Instance
	args wasm.Args // of the run at hand
}

func (t *wasmThread) Run(ctx context.Context, a *Args, lo, hi int64) error {
	t.args = wasm.Args{Sizes: a.Sizes, Scalars: a.Scalars, Bases: a.Bases, Faults: a.Faults, InStep: a.InStep}
	err := t.in.Run(ctx, &t.args, lo, hi)
	t.args = wasm.Args{}
	return err
}

func (t *wasmThread) Close() { _ = t.in.Close(context.Background()) }
