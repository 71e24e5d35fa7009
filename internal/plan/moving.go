package plan

import (
	"cmp"
	"slices"

	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch over a data set on other machines, and what travels if it runs here or there. Out: what both take. Machines there that
// have not said what they are are taken to be like this one.

// Moving is such a launch.
type Moving struct {
	*Coming
	Link machine.Link
	// Fetched travels if all rows come here first, Shipped if the launch goes to the rows, Gathered if a walk that runs here is
	// brought the rows that it comes to. What is nil cannot be done.
	Fetched, Shipped, Gathered *Load
	// NoGather is why a walk that follows indices cannot be brought rows; nil otherwise.
	NoGather error
	// There are the machines that compute if the launch goes to the rows, as they describe themselves; none if nobody knows. The slowest counts:
	// all are waited for.
	There []*machine.Machine
	// Stored is where regions lie there, if they do not lie in memory.
	Stored []cost.Place
	// Machines is how many compute there at the same time; those that share a machine are one.
	Machines int
	New      bool // the nodes have not got the kernel yet
	// Runs is how often the launch is expected to run over the same rows, which then come here once; 0 for once.
	Runs float64
	// Off is by what factors each way takes longer than is expected of it; 0 for 1. See Gone.
	Off [3]float64
}

// Load is what travels over a link.
type Load struct {
	Bytes   float64 // products of sizes, which may be beyond an integer
	Parcels float64
	// Hops is how often what travels waits for an answer before it goes on, 1 for one question.
	Hops float64
	// Rows says that these are rows of a data set that come here, for which there may be a shorter way.
	Rows bool
	// Unread are those of Bytes that this process has not read yet, and Unopened the shards that have them whose files it has not open.
	Unread, Unopened float64
	// InPlace are those of Bytes that lie in this process's memory and are used there.
	InPlace float64
	// Flows is how many go side by side, of which each waits for its own answers: while one does, others have the way.
	Flows float64
}

// Way is how a launch and the rows of a data set come together.
type Way int

// The ways. Their numbers are those of plans over data sets, less one.
const (
	Fetch  Way = iota // rows come here
	Ship              // the launch goes to them
	Gather            // it is brought the rows that it comes to
)

// WayNames are what users call them.
var WayNames = []string{Fetch: "fetch", Ship: "ship", Gather: "gather"}

func (w Way) String() string { return WayNames[w] }

// Ways are the nanoseconds that a launch takes by each way, in all its runs. Those that cannot be gone are zero.
type Ways [3]machine.Spread

// Best is the way that takes the least time, of two that take the same the one that is surer to.
func (w *Ways) Best() Way {
	best := Fetch
	for i, t := range w {
		if b := w[best]; t.P50 > 0 && (b.P50 == 0 || cmp.Or(cmp.Compare(t.P50, b.P50), cmp.Compare(t.P90, b.P90)) < 0) {
			best = Way(i)
		}
	}
	return best
}

// Sure reports that no other way may take as little as the best.
func (w *Ways) Sure() bool {
	best := w.Best()
	for i, t := range w {
		if Way(i) != best && t.P50 > 0 && t.P10 < w[best].P90 {
			return false
		}
	}
	return true
}

// Weigh says what all ways take.
func Weigh(m *machine.Machine, mv *Moving) Ways {
	e, here, runs := m.Engines["wasm"], mv.onWasm(m), max(1, mv.Runs)
	var w Ways
	if mv.Fetched != nil {
		w[Fetch] = here.Times(runs).Plus(mv.Fetched.Time(mv.Link))
	}
	if mv.Gathered != nil { // each round is a call of its own
		w[Gather] = here.Plus(mv.Gathered.Time(mv.Link)).Plus(machine.Exactly(e.Call * mv.Gathered.Hops)).Times(runs)
	}
	if mv.Shipped != nil {
		there, unmade := mv.there(m, here)
		w[Ship] = there.Times(1 / float64(max(1, mv.Machines))).Plus(mv.Shipped.Time(mv.Link)).Times(runs)
		if mv.New {
			w[Ship] = w[Ship].Plus(machine.Exactly(unmade))
		}
	}
	for i, off := range mv.Off {
		if off > 0 {
			w[i] = w[i].Times(off)
		}
	}
	return w
}

// there is what the launch takes on the slowest machine there, on all of its processors, and how much longer where its kernel is new; what it takes
// here if none is described.
func (mv *Moving) there(own *machine.Machine, here machine.Spread) (slowest machine.Spread, unmade float64) {
	if len(mv.There) == 0 {
		return here, mv.unmade(own, here.P50)
	}
	for _, m := range mv.There {
		c := *mv.Coming
		c.Threads, c.Places = m.Processors, mv.Stored
		t := c.onWasm(m)
		if t.P50 > slowest.P50 {
			slowest = t
		}
		unmade = max(unmade, c.unmade(m, t.P50))
	}
	return slowest, unmade
}

// Time is what it takes over a link.
func (l *Load) Time(by machine.Link) machine.Spread {
	if l.Rows && by.Near.P50 > 0 {
		moved := max(0, l.Bytes-l.InPlace)
		unread := min(l.Unread, moved)
		return by.Near.Times(moved - unread).Plus(by.NearFirst.Times(unread)).Plus(by.NearOpen.Times(l.Unopened))
	}
	passes, waits := by.Byte.Times(l.Bytes).Plus(by.Parcel.Times(l.Parcels)), by.RoundTrip.Times(l.Hops)
	if l.Flows <= 1 {
		return waits.Plus(passes)
	}
	shared, each := by.RoundTrip.Plus(passes), waits.Plus(passes.Times(1/l.Flows)) // the way is full, or everybody waits
	if shared.P50 > each.P50 {
		return shared
	}
	return each
}

// Follow is how a state of a launch comes to elements of a region, one after the other.
type Follow struct {
	Apart   float64 // how many lie where data says
	InOrder float64 // how many lie one after the other, or some apart
	Passed  float64 // how many elements those in order go past
}

// Turns says of every region in the list how each of so many states of a launch loads from it.
func Turns(m *machine.Machine, c *Coming, states int64, regions []int) []Follow {
	mix := cost.Of(c.Safe, c.Sizes, c.given(), EngineOf("wasm", m.Engines["wasm"].VectorBytes))
	list := make([]Follow, len(regions))
	for _, t := range mix.Touches {
		i := slices.Index(regions, t.Region)
		if i < 0 || t.Store {
			continue
		}
		n := t.Count / float64(max(1, states))
		if t.Pattern == cost.Chased || t.Pattern == cost.Random {
			list[i].Apart += n
			continue
		}
		list[i].InOrder += n
		list[i].Passed += n * t.Stride
	}
	return list
}

// onWasm is what a launch takes where kernels begin.
func (c *Coming) onWasm(m *machine.Machine) machine.Spread {
	e, w := m.Engines["wasm"], c.weigh(m, "wasm")
	t, _ := w.time(e, w.choose(e, m.Wake), m.Wake)
	return t
}

// Stay is what a launch of so many outer indices takes, in nanoseconds, for the decision whether it stays on WebAssembly: the mean where it is in one piece, which
// does not change over when it turns out to take long.
func Stay(t machine.Spread, outer float64) float64 {
	if outer > 1 {
		return t.P50
	}
	return t.Mean()
}
