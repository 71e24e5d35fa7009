package plan

import (
	"time"

	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch that is about to run, with its sizes and where its regions lie. Out: on how many threads it
// runs, and what it takes on each engine. Invariant: a choice changes how long a run takes, and nothing else.

// Coming is a launch that is about to run.
type Coming struct {
	Safe  *verify.Safe
	Sizes []int64
	// Scalar is the value of an integer scalar, if it is known; nil if none is.
	Scalar  func(i int) (int64, bool)
	Places  []cost.Place // by region; nil for Resident
	Threads int          // that there are
}

// Choice is how a launch runs.
type Choice struct {
	Threads int // as many as pay
	// Wasm and Native are the nanoseconds that the launch takes on so many threads of each engine. Native is
	// zero where it was not measured.
	Wasm, Native machine.Spread
	Compile      time.Duration // to make native code of a kernel
	Most         string        // what most of the time on WebAssembly goes to
}

// Choose decides on a launch.
func Choose(m *machine.Machine, c *Coming) *Choice {
	parts, threads := c.on(m, "wasm", 1, c.Threads)
	out := &Choice{Threads: threads, Wasm: parts.Time(m.Engines["wasm"]), Most: parts.Dominant()}
	if n := m.Engines["native"]; n != nil {
		parts, _ = c.on(m, "native", threads, threads)
		out.Native, out.Compile = parts.Time(n), time.Duration(n.Compile)
	}
	return out
}

// on is what the launch takes on an engine with as many threads as pay, of least and most.
func (c *Coming) on(m *machine.Machine, engine string, least, most int) (*cost.Parts, int) {
	mix := cost.Of(c.Safe, c.Sizes, c.Scalar, VectorsOf(engine, m.Engines[engine].VectorBytes))
	parts := mix.On(m, engine, least, c.Places)
	if most > least {
		if more := mix.On(m, engine, most, c.Places); more.Total() < parts.Total() {
			return more, most
		}
	}
	return parts, least
}

// VectorsOf is what an engine computes several values with.
func VectorsOf(engine string, bytes int) cost.Vectors {
	if engine == "native" {
		return cost.Vectors{Bytes: bytes, Branches: true}
	}
	return cost.Vectors{Bytes: bytes, Has: wasm.HasVector}
}
