package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// entry is a kernel that is there or on its way.
type entry struct {
	ready chan struct{} // closed when the two others are set
	c     *Compiled
	err   error
	// forgotten, guarded by the engine's mu, while it was on its way.
	forgotten bool
}

// Kernel verifies and compiles k, once for all who ask. The kernel must not
// change afterwards.
func (e *Engine) Kernel(ctx context.Context, k *kernel.Kernel) (*Compiled, error) {
	b, err := kernel.Encode(k)
	if err != nil {
		return nil, err
	}
	return e.kernel(ctx, kernel.Hash(b), false, func() (*verify.Safe, error) { return verify.Check(k) })
}

// Safe compiles a kernel that has been verified already, once for all who ask.
// The kernel must not change afterwards.
func (e *Engine) Safe(ctx context.Context, s *verify.Safe) (*Compiled, error) {
	return e.kernel(ctx, s.ID, false, func() (*verify.Safe, error) { return s, nil })
}

// Hold is Safe for a run: the kernel stays ready until Release, though others may want its memory.
func (e *Engine) Hold(ctx context.Context, s *verify.Safe) (*Compiled, error) {
	for {
		c, err := e.kernel(ctx, s.ID, true, func() (*verify.Safe, error) { return s, nil })
		if !errors.Is(err, ErrForgotten) {
			return c, err
		}
	}
}

// HoldAgain is Hold of a kernel that was held before. It reports false if that was forgotten meanwhile, or is another engine's.
func (e *Engine) HoldAgain(c *Compiled) bool {
	if c.engine != e {
		return false
	}
	c.mu.Lock()
	ok := !c.gone && !c.closed
	if ok {
		c.users++
	}
	c.mu.Unlock()
	if ok {
		c.shelved.touch()
	}
	return ok
}

// Release ends what Hold began.
func (c *Compiled) Release() {
	c.leave()
	if s := c.shelved.shelf; s != nil && s.over.Load() {
		s.trim()
	}
}

// Lookup gives a kernel that has been compiled and not been forgotten.
func (e *Engine) Lookup(id kernel.ID) (*Compiled, bool) {
	e.mu.Lock()
	en, ok := e.kernels[id]
	e.mu.Unlock()
	if !ok {
		return nil, false
	}
	select {
	case <-en.ready:
		return en.c, en.err == nil
	default:
		return nil, false
	}
}

// Kernels lists what Lookup would find, by ascending identity.
func (e *Engine) Kernels() []*Compiled {
	e.mu.Lock()
	ids := make([]kernel.ID, 0, len(e.kernels))
	for id := range e.kernels {
		ids = append(ids, id)
	}
	e.mu.Unlock()
	var list []*Compiled
	for _, id := range ids {
		if c, ok := e.Lookup(id); ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *Compiled) int { return strings.Compare(string(a.Hash[:]), string(b.Hash[:])) })
	return list
}

// Forget drops a kernel, which would otherwise be kept until Close, or until the shelf has no room for it. Its code is
// freed when the last worker that uses it is done; whoever comes later with the
// *Compiled gets ErrForgotten.
func (e *Engine) Forget(id kernel.ID) {
	e.mu.Lock()
	en, ok := e.kernels[id]
	delete(e.kernels, id)
	if ok {
		en.forgotten = true
	}
	e.mu.Unlock()
	if !ok {
		return
	}
	select {
	case <-en.ready:
		if en.c != nil {
			e.opt.Shelf.remove(en.c)
			en.c.forget()
		}
	default: // kernel will see that it is forgotten
	}
}

// evict forgets a kernel that is not on the shelf any more. Close cannot end meanwhile.
func (e *Engine) evict(c *Compiled) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.kernels[c.Hash] == c.entry {
		delete(e.kernels, c.Hash)
	}
	c.forget()
}

// ErrForgotten says that a kernel was forgotten before it was to run.
var ErrForgotten = errors.New("engine: the kernel was forgotten; compile it again")

// kernel gives the kernel of a name, and has it entered if it is to be held. That fails with
// ErrForgotten if it has been forgotten meanwhile.
func (e *Engine) kernel(ctx context.Context, id kernel.ID, hold bool, check func() (*verify.Safe, error)) (*Compiled, error) {
	e.mu.Lock()
	en, ok := e.kernels[id]
	if !ok {
		en = &entry{ready: make(chan struct{})}
		e.kernels[id] = en
	}
	e.mu.Unlock()
	if ok {
		return en.wait(ctx, hold)
	}
	start, made := time.Now(), e.Making()
	en.err = errBroken // stays if build panics: nobody waits for what will never be there
	defer e.built(en, id)
	en.c, en.err = e.build(context.WithoutCancel(ctx), check)
	if en.err == nil {
		en.c.Hash, en.c.entry = id, en
		if hold {
			en.c.users = 1
		}
		e.opt.Shelf.put(en.c)
		if tier := en.c.Tier(); tier == Wasm && !en.c.Trying() || tier == Native && e.Making() == made {
			e.readied.note(id, tier, time.Since(start))
		}
	}
	return en.c, en.err
}

// errBroken is for those who waited for a kernel that could not be built.
var errBroken = errors.New("engine: the compiler panicked on this kernel")

// built tells those who wait for a kernel what came of it. Only what is there is kept.
func (e *Engine) built(en *entry, id kernel.ID) {
	close(en.ready)
	e.mu.Lock()
	if en.err != nil && e.kernels[id] == en {
		delete(e.kernels, id)
	}
	forgotten := en.forgotten
	e.mu.Unlock()
	if forgotten && en.c != nil {
		e.opt.Shelf.remove(en.c)
		en.c.forget()
	}
}

func (en *entry) wait(ctx context.Context, hold bool) (*Compiled, error) {
	select {
	case <-en.ready:
		if en.err != nil {
			return nil, en.err
		}
		if hold {
			if err := en.c.enter(); err != nil {
				return nil, err
			}
		}
		en.c.shelved.touch()
		return en.c, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (e *Engine) build(ctx context.Context, check func() (*verify.Safe, error)) (*Compiled, error) {
	start := time.Now()
	safe, err := check()
	if err != nil {
		return nil, err
	}
	verified := time.Now()
	tier, code, trial, err := e.first(ctx, safe)
	if err != nil {
		return nil, err
	}
	c := &Compiled{Kernel: safe.Kernel, Safe: safe, Times: Times{verified.Sub(start), time.Since(verified)}, arena: e.arena, engine: e, shelved: onShelf{shelf: e.opt.Shelf}, instructions: kernel.Instructions(safe.Kernel)}
	c.climb.ended = make(chan struct{})
	c.scratch = e.opt.Tier != Stepper && safe.Kernel.HasScratch()
	if trial != nil {
		c.try(trial)
	} else {
		c.swap(tier, code)
	}
	if tier == Wasm && e.native != nil {
		c.climb.engine = e
		c.resume()
	}
	return c, nil
}

// first gives the code that a kernel begins with: native code if it is on disk
// from an earlier life, otherwise that of the engine's tier, or none as long as it is on trial.
func (e *Engine) first(ctx context.Context, safe *verify.Safe) (Tier, Code, *trial, error) {
	if e.native != nil {
		if code, ok := e.native.cached(safe); ok {
			return Native, code, nil, nil
		}
	}
	if t := e.trialOf(safe); t != nil {
		return Wasm, nil, t, nil
	}
	t, err := e.compiler(ctx)
	if err != nil {
		return "", nil, nil, err
	}
	code, err := t.compile(ctx, safe)
	return e.opt.Tier, code, nil, err
}
