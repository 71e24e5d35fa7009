package mutants

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Finding is something that a verified kernel must not do.
type Finding struct{ Kind, Text string }

func (f *Finding) Error() string { return f.Kind + ": " + f.Text }

// Tally counts what became of mutants.
type Tally struct {
	Mutants   int // made
	Kernels   int // of which some bytes encode
	Verified  int
	Runs      int // arguments that were admitted, and held against the stepper
	Native    int // of these, in machine code too
	Parallel  int // after another caller, on several threads
	Relays    int // of these, those that carried state
	Findings  int
	ByFinding map[string]int
}

// Add joins two tallies.
func (t *Tally) Add(o *Tally) {
	t.Mutants, t.Kernels, t.Verified, t.Runs = t.Mutants+o.Mutants, t.Kernels+o.Kernels, t.Verified+o.Verified, t.Runs+o.Runs
	t.Native, t.Parallel, t.Relays, t.Findings = t.Native+o.Native, t.Parallel+o.Parallel, t.Relays+o.Relays, t.Findings+o.Findings
	for kind, n := range o.ByFinding {
		if t.ByFinding == nil {
			t.ByFinding = map[string]int{}
		}
		t.ByFinding[kind] += n
	}
}

func (t *Tally) String() string {
	return fmt.Sprintf("%d mutants, %d of them kernels, %d verified, %d runs admitted and compared, %d of them as machine code, %d on several threads after another caller, %d of which carried state; %d findings %v",
		t.Mutants, t.Kernels, t.Verified, t.Runs, t.Native, t.Parallel, t.Relays, t.Findings, t.ByFinding)
}

// lab is where mutants are made and tried.
type lab struct {
	Tally
	ctx    context.Context
	r      *rand.Rand
	good   [][]byte // what mutants are made of
	kept   [][]byte // mutants that were verified, for more of the same
	arena  *mem.Arena
	wasm   *wasm.Runtime
	native *native // nil without LLVM
	engine *engine.Engine
	spy    *engine.Compiled
	// note is told what is about to run, before it may end the process.
	note func(k *kernel.Kernel, c *kerneltest.Case)
	// found is told of findings.
	found func(k *kernel.Kernel, c *kerneltest.Case, err error)
}

// arenaBytes of each of the two arenas, all that WebAssembly reaches.
const arenaBytes = 4 << 30

func newLab(seed uint64, good [][]byte) (l *lab, err error) {
	l = &lab{ctx: context.Background(), r: rand.New(rand.NewPCG(seed, 1)), good: good}
	if l.arena, err = mem.NewArena(arenaBytes); err != nil {
		return nil, err
	}
	if l.wasm, err = wasm.NewRuntime(l.ctx, l.arena); err != nil {
		return nil, err
	}
	if l.native, err = newNative(); err != nil {
		return nil, err
	}
	if l.engine, err = engine.New(engine.Options{}); err != nil {
		return nil, err
	}
	k, err := spy()
	if err != nil {
		return nil, err
	}
	l.spy, err = l.engine.Kernel(l.ctx, k)
	return l, err
}

// maxKept is how many verified mutants are mutated further.
const maxKept = 400

// next makes a mutant and tries it.
func (l *lab) next() {
	b := oneOf(l.r, l.good)
	if len(l.kept) > 0 && l.r.IntN(2) == 0 {
		b = oneOf(l.r, l.kept)
	}
	l.Mutants++
	b, k := l.mutant(b)
	if k == nil {
		return
	}
	l.Kernels++
	s, err := verify.CheckBytes(b)
	if err != nil {
		return
	}
	l.Verified++
	for range 2 {
		l.try(s)
	}
	if len(l.kept) < maxKept {
		l.kept = append(l.kept, b)
	} else {
		l.kept[l.r.IntN(maxKept)] = b
	}
}

// mutant is a kernel that differs in its bytes or in its structure; nil if it is none.
func (l *lab) mutant(b []byte) ([]byte, *kernel.Kernel) {
	if l.r.IntN(4) == 0 {
		b = append([]byte(nil), b...)
		for range 1 + l.r.IntN(3) {
			b[l.r.IntN(len(b))] ^= oneOf(l.r, []byte{1, 2, 4, 8, 16, 32, 64, 128, byte(l.r.Uint32())})
		}
		return decoded(b)
	}
	_, k := decoded(b)
	if k == nil {
		return nil, nil
	}
	kerneltest.Mutate(func(n int, _ string) int { return l.r.IntN(n) }, k)
	kernel.Renumber(k)
	b, err := kernel.Encode(k)
	if err != nil {
		return nil, nil
	}
	return decoded(b)
}

func decoded(b []byte) ([]byte, *kernel.Kernel) {
	k, err := kernel.Decode(b)
	if err != nil {
		return nil, nil
	}
	return b, k
}

// Shares of the runs that are compared in the dearer ways, one in so many.
const (
	oneInNative   = 3
	oneInParallel = 2
)

// try draws arguments and runs the kernel on everything.
func (l *lab) try(s *verify.Safe) {
	c, ok := draw(l.r, s)
	if !ok {
		return
	}
	spoiled := l.r.IntN(4) == 0
	if spoiled {
		c = c.Spoil()
	}
	l.Runs++
	l.note(s.Kernel, c)
	if err := l.hold(s, c, spoiled); err != nil {
		f, ok := err.(*Finding)
		if !ok {
			f = &Finding{Kind: "failure", Text: err.Error()}
		}
		l.Tally.Add(&Tally{Findings: 1, ByFinding: map[string]int{f.Kind: 1}})
		l.found(s.Kernel, c, f)
	}
}

func (l *lab) hold(s *verify.Safe, c *kerneltest.Case, spoiled bool) error {
	want, err := reference(s, c)
	if err != nil {
		return err
	}
	if err := l.compare("wasm", s, c, want, l.webAssembly); err != nil {
		return err
	}
	if l.native != nil && l.r.IntN(oneInNative) == 0 {
		l.Native++
		if err := l.compare("native", s, c, want, l.machineCode); err != nil {
			return err
		}
	}
	// A node refuses what is no bool before it runs.
	if !spoiled && l.r.IntN(oneInParallel) == 0 {
		l.Parallel++
		return l.after(c, want)
	}
	return nil
}
