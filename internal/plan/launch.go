package plan

import (
	"runtime"

	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/totals"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch that is about to run, with its sizes and where its regions lie. Out: on how many threads it
// runs, and what it takes where kernels begin: whether native code is worth it, the engine says, which knows what that costs. Invariant: a choice changes how long a run takes, and nothing else.

// Coming is a launch that is about to run.
type Coming struct {
	Safe  *verify.Safe
	Sizes []int64
	// Scalar is the value of an integer scalar, if it is known; nil if none is.
	Scalar  func(i int) (int64, bool)
	Places  []cost.Place // by region; nil for Resident
	Threads int          // that there are
	// Law is that of the state that the kernel carries; nil if there is none, or no state.
	Law *totals.Law
	// Native says that it begins on native code.
	Native bool
}

// Choice is how a launch runs.
type Choice struct {
	Threads int            // as many as pay if the others sleep
	Weave   int            // iterations that follow references which native code has under way at the same time; 0 for one by one
	Awake   int            // as many as pay if they are awake
	Alone   float64        // nanoseconds that one takes
	Wasm    machine.Spread // nanoseconds, on WebAssembly with so many threads
	Time    machine.Spread // nanoseconds, on the engine that it begins on with so many threads; zero if nobody knows
}

// Choose decides on a launch.
func Choose(m *machine.Machine, c *Coming) *Choice {
	begins := c.weigh(m, "wasm")
	parts, threads := begins.on(m.Wake)
	wasm := parts.Time(m.Engines["wasm"])
	time := wasm
	if e := m.Engines["native"]; c.Native && e != nil {
		begins = c.weigh(m, "native")
		parts, threads = begins.on(m.Wake)
		time = parts.Time(e)
	}
	_, awake := begins.on(m.Hand)
	return &Choice{Threads: threads, Weave: c.weave(m, begins), Awake: awake, Alone: begins.alone.Total(), Wasm: wasm, Time: time}
}

// weave is how many iterations native code has under way, be it that the launch begins on it or comes to it.
func (c *Coming) weave(m *machine.Machine, begins *weighed) int {
	if begins.weave > 0 || c.Native || m.Engines["native"] == nil {
		return begins.weave
	}
	return c.weigh(m, "native").weave
}

// weighed is what a launch takes on an engine: on one thread, and on all where there can be several.
type weighed struct {
	alone, all *cost.Parts
	threads    int
	values     map[int]float64 // of Mix
	weave      int             // see Choice
	ordered    bool            // it carries state, with the kernel of totals ahead
}

func (c *Coming) weigh(m *machine.Machine, engine string) *weighed {
	lanes := EngineOf(engine, m.Engines[engine].VectorBytes)
	mix := cost.Of(c.Safe, c.Sizes, c.Scalar, lanes)
	w := &weighed{threads: c.Threads, values: mix.Values, ordered: mix.Sequential}
	w.alone, w.weave = mix.Weave(m, engine, 1, c.Places)
	switch {
	case c.Threads == 1 || mix.Outer <= 1 || mix.Sequential && c.Law == nil:
		w.threads = 1
	case mix.Sequential:
		w.all = mix.Behind(cost.Of(c.Law.Totals, c.Sizes, c.Scalar, lanes), c.Law.Regions).On(m, engine, c.Threads, c.Places)
	default:
		w.all, w.weave = mix.Weave(m, engine, c.Threads, c.Places)
	}
	return w
}

// on is what the launch takes, and on how many threads: on all, unless it is over when they have begun, that many nanoseconds
// after it has. Whoever is there first works, so one that comes later costs next to nothing, and one that shares memory with
// others does not make them slower. A kernel that carries state has several threads if they take less, with the kernel of
// totals ahead, than one alone: the second thread comes late, and the first stretch waits for nobody.
func (w *weighed) on(late float64) (*cost.Parts, int) {
	if w.threads == 1 || w.alone.Total() < late || w.ordered && w.all.Total()+late >= w.alone.Total() {
		return w.alone, 1
	}
	all := *w.all
	all.Begin += late * (1 - 1/float64(w.threads)) // until then one works for all
	return &all, w.threads
}

// EngineOf is what an engine of this machine computes side by side, with vectors of so many bytes.
func EngineOf(engine string, bytes int) loops.Engine {
	if engine == "native" {
		return llvmir.Target{Arch: runtime.GOARCH, VectorBytes: bytes}.Engine()
	}
	return wasm.Lanes()
}
