package plan

import (
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch over a data set on other machines, and what travels if it runs here or there. Out: what both take. The
// machines there are taken to be like this one.

// Moving is such a launch.
type Moving struct {
	*Coming
	Link machine.Link
	// Fetched travels if all rows come here first, Shipped if the launch goes to the rows, Gathered if a walk that runs here is
	// brought the rows that it comes to. What is nil cannot be done.
	Fetched, Shipped, Gathered *Load
	// Machines is how many compute there at the same time; those that share a machine are one.
	Machines int
	New      bool // the nodes have not got the kernel yet
	// Runs is how often the launch is expected to run over the same rows, which then come here once; 0 for once.
	Runs float64
}

// Load is what travels over a link.
type Load struct {
	Bytes   float64 // products of sizes, which may be beyond an integer
	Parcels float64
	// Hops is how often what travels waits for an answer before it goes on, 1 for one question.
	Hops float64
}

// Ways are the nanoseconds that a launch takes, in all its runs. Those that cannot be gone are zero.
type Ways struct {
	Fetch  machine.Spread // its rows come here
	Ship   machine.Spread // it goes to them
	Gather machine.Spread // it is brought the rows that it comes to
}

// Weigh says what all ways take.
func Weigh(m *machine.Machine, mv *Moving) Ways {
	parts, _ := mv.weigh(m, "wasm").on(m.Wake)
	e := m.Engines["wasm"]
	here, runs := parts.Time(e), max(1, mv.Runs)
	var w Ways
	if mv.Fetched != nil {
		w.Fetch = here.Times(runs).Plus(mv.Fetched.time(mv.Link))
	}
	if mv.Gathered != nil { // each round is a call of its own
		w.Gather = here.Plus(mv.Gathered.time(mv.Link)).Plus(machine.Exactly(e.Call * mv.Gathered.Hops)).Times(runs)
	}
	if mv.Shipped != nil {
		w.Ship = here.Times(1 / float64(max(1, mv.Machines))).Plus(mv.Shipped.time(mv.Link)).Times(runs)
		if mv.New {
			w.Ship = w.Ship.Plus(machine.Exactly(e.Compile))
		}
	}
	return w
}

func (l *Load) time(by machine.Link) machine.Spread {
	return by.RoundTrip.Times(l.Hops).Plus(by.Byte.Times(l.Bytes)).Plus(by.Parcel.Times(l.Parcels))
}

// Turns is how many elements each outer index of a launch follows by reference, one after the other.
func Turns(m *machine.Machine, c *Coming) float64 {
	mix := cost.Of(c.Safe, c.Sizes, c.Scalar, EngineOf("wasm", m.Engines["wasm"].VectorBytes))
	n := 0.0
	for _, t := range mix.Touches {
		if t.Pattern == cost.Chased {
			n += t.Count
		}
	}
	return n / float64(max(1, mix.Outer))
}
