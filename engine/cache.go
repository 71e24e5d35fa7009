package engine

import (
	"context"
	"sync/atomic"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/verify"
)

// entry is a kernel that is there or on its way.
type entry struct {
	ready chan struct{} // closed when the two others are set
	c     *Compiled
	err   error
}

// Compiled is a verified kernel that is ready to run.
type Compiled struct {
	Kernel *kernel.Kernel
	Safe   *verify.Safe
	Hash   kernel.ID
	Bytes  int // length of the canonical encoding

	code atomic.Pointer[tiered] // what to use from the next slice on
}

// tiered is a kernel's code in one tier, with the instances that no worker
// uses at the moment.
type tiered struct {
	code Code
	idle chan Thread
}

// maxIdle is how many instances of one kernel are kept for later runs.
const maxIdle = 16

// swap makes code the one to use, at every worker's next slice.
func (c *Compiled) swap(code Code) { c.code.Store(&tiered{code, make(chan Thread, maxIdle)}) }

func (t *tiered) take(ctx context.Context) (Thread, error) {
	select {
	case th := <-t.idle:
		return th, nil
	default:
		return t.code.Thread(ctx)
	}
}

func (t *tiered) put(th Thread) {
	select {
	case t.idle <- th:
	default:
		th.Close()
	}
}

// Kernel verifies and compiles k, once for all who ask. The kernel must not
// change afterwards.
func (e *Engine) Kernel(ctx context.Context, k *kernel.Kernel) (*Compiled, error) {
	b, err := kernel.Encode(k)
	if err != nil {
		return nil, err
	}
	id := kernel.Hash(b)
	e.mu.Lock()
	en, ok := e.kernels[id]
	if !ok {
		en = &entry{ready: make(chan struct{})}
		e.kernels[id] = en
	}
	e.mu.Unlock()
	if ok {
		return en.wait(ctx)
	}
	en.c, en.err = e.build(context.WithoutCancel(ctx), k)
	if en.err == nil {
		en.c.Hash, en.c.Bytes = id, len(b)
	} else {
		e.forget(id)
	}
	close(en.ready)
	return en.c, en.err
}

func (en *entry) wait(ctx context.Context) (*Compiled, error) {
	select {
	case <-en.ready:
		return en.c, en.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (e *Engine) forget(id kernel.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.kernels, id)
}

func (e *Engine) build(ctx context.Context, k *kernel.Kernel) (*Compiled, error) {
	safe, err := verify.Check(k)
	if err != nil {
		return nil, err
	}
	t, err := e.compiler(ctx)
	if err != nil {
		return nil, err
	}
	code, err := t.compile(ctx, k)
	if err != nil {
		return nil, err
	}
	c := &Compiled{Kernel: k, Safe: safe}
	c.swap(code)
	return c, nil
}
