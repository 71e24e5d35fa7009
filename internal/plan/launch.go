package plan

import (
	"github.com/godwit-run/godwit/internal/engine/wasm"
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
	Threads int            // as many as pay
	Wasm    machine.Spread // nanoseconds, on WebAssembly with so many threads
}

// Choose decides on a launch.
func Choose(m *machine.Machine, c *Coming) *Choice {
	parts, threads := c.on(m, "wasm")
	if c.Native && c.Law != nil && m.Engines["native"] != nil { // the kernel of totals gains more by vectors than the kernel
		_, threads = c.on(m, "native")
	}
	return &Choice{threads, parts.Time(m.Engines["wasm"])}
}

// on is what the launch takes on an engine, and on how many threads: on all, unless it is over when they have begun.
// Whoever is there first works, so one that comes later costs next to nothing, and one that shares memory with
// others does not make them slower. A kernel that carries state has several threads if they take less, with the kernel of
// totals ahead, than one alone.
func (c *Coming) on(m *machine.Machine, engine string) (*cost.Parts, int) {
	vectors := VectorsOf(engine, m.Engines[engine].VectorBytes)
	mix := cost.Of(c.Safe, c.Sizes, c.Scalar, vectors)
	parts := mix.On(m, engine, 1, c.Places)
	if c.Threads == 1 || mix.Outer <= 1 || parts.Total() < m.Wake {
		return parts, 1
	}
	if !mix.Sequential {
		return mix.On(m, engine, c.Threads, c.Places), c.Threads
	}
	if c.Law == nil {
		return parts, 1
	}
	both := mix.Behind(cost.Of(c.Law.Totals, c.Sizes, c.Scalar, vectors), c.Law.Regions).On(m, engine, c.Threads, c.Places)
	if both.Total()+m.Wake >= parts.Total() { // the second thread comes late, and the first stretch waits for nobody
		return parts, 1
	}
	return both, c.Threads
}

// VectorsOf is what an engine computes several values with.
func VectorsOf(engine string, bytes int) cost.Vectors {
	if engine == "native" {
		return cost.Vectors{Bytes: bytes, Branches: true}
	}
	return cost.Vectors{Bytes: bytes, Has: wasm.HasVector}
}
