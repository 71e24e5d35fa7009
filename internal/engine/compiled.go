package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Compiled is a verified kernel that is ready to run.
type Compiled struct {
	Kernel *kernel.Kernel
	Safe   *verify.Safe
	Hash   kernel.ID
	Times  Times
	// Findings are what those who run the kernel have worked out about it. They end with it.
	Findings Recent[any]

	engine       *Engine
	entry        *entry
	shelved      onShelf
	arena        *mem.Arena
	scratch      bool                   // some regions are the engine's to allocate
	code         atomic.Pointer[tiered] // what to use from the next slice on
	trial        atomic.Pointer[trial]  // nil once there is code that is not interpreted
	climb        climb
	instructions int // of Kernel
	lawful       lawful
	overlaps     atomic.Pointer[bool] // nil until it is asked for

	mu      sync.Mutex
	stepped *Compiled
	users   int  // that entered and have not left
	gone    bool // forgotten: the last user to leave closes the code
	closed  bool
	old     []*tiered // replaced, perhaps in use until the last user leaves
}

// Times is how long a kernel took to become ready, once. Verify is 0 if it came
// verified; Compile has the start of the compiler in it if it was the first.
type Times struct{ Verify, Compile time.Duration }

// tiered is a kernel's code in one tier, with the instances that no worker
// uses at the moment.
type tiered struct {
	of      *Compiled
	tier    Tier
	stepped bool // it is interpreted, though the tier may be Wasm: see trial
	code    Code
	idle    chan Thread
	last    atomic.Pointer[Thread] // the one that RunShort used last, if no other has it
}

// maxIdle is how many instances of one kernel are kept for later runs.
const maxIdle = 16

// Tier is what the kernel runs on from the next slice on.
func (c *Compiled) Tier() Tier { return c.code.Load().tier }

// Overlaps reports that native code of the kernel may have several accesses under way where it waits for memory: see Args.Weave.
func (c *Compiled) Overlaps() bool {
	known := c.overlaps.Load()
	if known == nil {
		does := c.Safe.Loops(llvmir.Target{}.Engine()).Overlaps()
		known = &does
		c.overlaps.Store(known)
	}
	return *known
}

// Abreast is how many iterations that follow references WebAssembly has go on in step; 0 for one by one.
func (c *Compiled) Abreast() int {
	for _, w := range c.Safe.Loops(wasm.Lanes()).Weaves() {
		return w.Abreast()
	}
	return 0
}

// ReachesAll reports that the kernel's code can use memory outside of the arena, now
// and from now on: native code and the stepper take addresses of 64 bits.
func (c *Compiled) ReachesAll() bool { return c.Tier() != Wasm }

// Stepped is the same kernel, interpreted: slow, but it reaches all memory where there is no compiler to native code. It
// may be used as long as c is held.
func (c *Compiled) Stepped() *Compiled {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stepped == nil {
		s := &Compiled{Kernel: c.Kernel, Safe: c.Safe, Hash: c.Hash, engine: c.engine, arena: c.arena}
		s.code.Store(s.byStepper(Stepper))
		c.stepped = s
	}
	return c.stepped
}

// swap makes code the one to use, at every worker's next slice. What it replaces
// is freed with it. A kernel that has been forgotten meanwhile takes no code.
func (c *Compiled) swap(tier Tier, code Code) { c.replace(nil, tier, code) }

// replace is swap as long as the code to use is still that of before, if it is not nil.
func (c *Compiled) replace(before *tiered, tier Tier, code Code) {
	if c.become(before, tier, code) {
		n, _ := code.Bytes()
		c.shelved.shelf.grow(c, n)
	}
}

func (c *Compiled) become(before *tiered, tier Tier, code Code) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || before != nil && c.code.Load() != before {
		code.Close()
		return false
	}
	if t := c.code.Swap(&tiered{of: c, tier: tier, stepped: tier == Stepper, code: code, idle: make(chan Thread, maxIdle)}); t != nil {
		c.old = append(c.old, t)
	}
	c.trial.Store(nil)
	return true
}

// try makes the interpreter what to use until there is other code.
func (c *Compiled) try(t *trial) {
	t.of, t.code = c, c.byStepper(Wasm)
	c.code.Store(t.code)
	c.trial.Store(t)
}

// byStepper is the kernel as the interpreter runs it, for those who take it for a tier.
func (c *Compiled) byStepper(tier Tier) *tiered {
	return &tiered{of: c, tier: tier, stepped: true, code: &stepperCode{c.Safe, c.arena}, idle: make(chan Thread, maxIdle)}
}

func (t *tiered) take(ctx context.Context) (Thread, error) {
	select {
	case s := <-t.idle:
		return s, nil
	default:
	}
	th, err := t.code.Thread(ctx)
	if err != nil {
		return nil, err
	}
	_, n := t.code.Bytes()
	t.of.shelved.shelf.grow(t.of, n)
	return th, nil
}

func (t *tiered) put(s Thread) {
	select {
	case t.idle <- s:
	default:
		s.Close()
		_, n := t.code.Bytes()
		t.of.shelved.shelf.grow(t.of, -n)
	}
}

// borrow is take for a short while, and until lent back by restore: a channel takes longer than that.
func (t *tiered) borrow(ctx context.Context) (*Thread, error) {
	if s := t.last.Swap(nil); s != nil {
		return s, nil
	}
	s, err := t.take(ctx)
	return &s, err
}

// restore gives back what borrow gave.
func (t *tiered) restore(s *Thread) {
	if !t.last.CompareAndSwap(nil, s) {
		t.put(*s)
	}
}

// close frees the code. No instance is in use.
func (t *tiered) close() {
	if s := t.last.Swap(nil); s != nil {
		(*s).Close()
	}
	for {
		select {
		case s := <-t.idle:
			s.Close()
		default:
			t.code.Close()
			return
		}
	}
}

// enter keeps the code from being closed until leave.
func (c *Compiled) enter() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrForgotten
	}
	c.users++
	return nil
}

// held reports that somebody has entered and not left.
func (c *Compiled) held() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.users > 0
}

// forgotten reports that nobody finds the kernel any more.
func (c *Compiled) forgotten() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

func (c *Compiled) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users--
	c.closeIfDone()
}

func (c *Compiled) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	c.closeIfDone()
}

func (c *Compiled) closeIfDone() {
	if c.gone && !c.closed && c.users == 0 {
		c.closed = true
		for _, t := range append(c.old, c.code.Load()) {
			t.close()
		}
	}
}
