// Package engine takes kernels from anywhere to a finished run: it verifies
// them, compiles each once, and executes their outer loops in short slices on
// several threads.
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// DefaultMemory is the address space of an arena: all that WebAssembly code
// can reach.
const DefaultMemory = 4 << 30

// Tier names a way of executing kernels.
type Tier string

const (
	Wasm    Tier = "wasm"
	Native  Tier = "native"  // machine code made by LLVM
	Stepper Tier = "stepper" // interprets
)

// Options are the choices of an Engine; zero values mean the defaults.
type Options struct {
	// Tier is Wasm, Stepper, or Native: then nothing runs before LLVM is done.
	Tier   Tier
	Memory int64 // bytes of address space; 0 for DefaultMemory, or what the system allows of it
	// Codegen, if it is there, makes native code of kernels that have run long
	// enough in WebAssembly, in the background; see promote.go for the rule.
	Codegen *codegen.Service
	// Promotion is how long it takes to make native code of a kernel, until the engine has seen for itself; 0 for what it takes on
	// a machine of middling speed.
	Promotion time.Duration
	// Trial, if it is there, is how many steps of a run of a kernel of so many instructions are interpreted before there is code, and how long WebAssembly takes to be
	// made of it: a new kernel is interpreted at first, see trial.go.
	Trial func(instructions int) (steps int64, making time.Duration)
	// Rented, if it is there, is how long a kernel has run in WebAssembly in earlier processes, which made no native code of it: see Rent.
	Rented func(id kernel.ID) time.Duration
	// Shelf, which several engines may share, limits what kernels take; nil for no limit. Runs then Hold theirs.
	Shelf *Shelf
}

// Engine holds the memory that kernels work in and the kernels compiled so
// far. It is safe for concurrent use. Making one is cheap: the compiler
// starts with the first kernel.
type Engine struct {
	arena *mem.Arena
	// results is the memory of results that were closed.
	results mem.Results
	opt     Options
	room    room
	standby standby

	mu      sync.Mutex
	tier    compiler
	native  *nativeTier // nil without Options.Codegen
	readied readied
	kernels map[kernel.ID]*entry
	// promotions are under way in the background until stop.
	promotions sync.WaitGroup
	maker      sync.Mutex   // held by who makes WebAssembly in the background
	promotion  atomic.Int64 // the least nanoseconds that one took, or Options.Promotion
	life       context.Context
	stop       context.CancelFunc
}

// Results is where the memory of closed results waits for the next ones.
func (e *Engine) Results() *mem.Results { return &e.results }

// New reserves the address space of an engine.
func New(opt Options) (*Engine, error) {
	if opt.Tier == "" {
		opt.Tier = Wasm
	}
	switch {
	case opt.Tier != Wasm && opt.Tier != Stepper && opt.Tier != Native:
		return nil, fmt.Errorf("engine: no tier is called %q; there are %q, %q and %q", opt.Tier, Wasm, Native, Stepper)
	case opt.Tier == Native && opt.Codegen == nil:
		return nil, errors.New("engine: native code needs the service that compiles it")
	}
	a, err := reserve(opt.Memory)
	if err != nil {
		return nil, err
	}
	e := &Engine{arena: a, opt: opt, kernels: map[kernel.ID]*entry{}}
	if opt.Codegen != nil && opt.Tier != Stepper {
		e.native = &nativeTier{service: opt.Codegen, arena: a}
	}
	e.promotion.Store(int64(opt.Promotion))
	if opt.Promotion == 0 {
		e.promotion.Store(int64(machine.Default().Promotion()))
	}
	e.life, e.stop = context.WithCancel(context.Background())
	return e, nil
}

// leastMemory is the smallest arena that is tried where the system allows less than the default.
const leastMemory = 64 << 20

// reserve makes an arena of n bytes. If n is 0, that is DefaultMemory, or where a limit on address space, such as batch systems
// set, does not allow it, at most half of what is left: Go's heap needs the other.
func reserve(n int64) (*mem.Arena, error) {
	if n != 0 {
		return mem.NewArena(n)
	}
	for n = DefaultMemory; ; n /= 2 {
		a, err := mem.NewArena(n)
		if err != nil && n > leastMemory {
			continue
		}
		if err != nil || n == DefaultMemory || n == leastMemory {
			return a, err
		}
		if err := a.Close(); err != nil {
			return nil, err
		}
		return mem.NewArena(n / 2)
	}
}

// Arena is the memory that kernels see.
func (e *Engine) Arena() *mem.Arena { return e.arena }

// Tier is how the engine executes kernels.
func (e *Engine) Tier() Tier { return e.opt.Tier }

// Alloc gives zeroed memory inside the arena, which a run uses without
// copying it. The bytes are invalid after Free of the span, and after Close.
func (e *Engine) Alloc(n int64) (mem.Span, []byte, error) {
	s, err := e.arena.Alloc(n)
	if err != nil {
		return s, nil, err
	}
	return s, e.arena.Bytes(s.Off, n), nil
}

// Offset is where b lies from the arena's beginning on. When that is not inside, only
// native code reaches it (see Compiled.ReachesAll), as long as b is kept alive.
func (e *Engine) Offset(b []byte) (off int64, inside bool) {
	if len(b) == 0 {
		return 0, false
	}
	all := e.arena.All()
	off = distance(e.arena, b)
	return off, off >= 0 && off+int64(len(b)) <= int64(len(all))
}

// Close ends the engine. No run may be in progress.
func (e *Engine) Close() error {
	e.seeThrough()
	e.stop()
	e.promotions.Wait()
	e.standby.close()
	for _, c := range e.Kernels() { // native code belongs to nobody else
		e.Forget(c.Hash)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	if e.tier != nil {
		err = e.tier.close(context.Background())
	}
	e.tier, e.kernels = nil, nil
	if cerr := e.arena.Close(); err == nil {
		err = cerr
	}
	return err
}

// compiler starts the tier at its first use.
func (e *Engine) compiler(ctx context.Context) (compiler, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tier != nil {
		return e.tier, nil
	}
	switch e.opt.Tier {
	case Stepper:
		e.tier = stepperTier{e.arena}
		return e.tier, nil
	case Native:
		e.tier = e.native
		return e.tier, nil
	}
	t, err := newWasmTier(ctx, e.arena)
	if err == nil {
		e.tier = t
	}
	return t, err
}
