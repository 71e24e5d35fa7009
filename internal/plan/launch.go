package plan

import (
	"runtime"
	"slices"

	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/totals"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: a launch that is about to run, with its sizes and where its regions lie. Out: on how many threads it
// runs, and what it takes where kernels begin: whether native code is worth it, the engine says, which knows what that costs. Invariant: a choice changes how long a run takes, and nothing else.

// Coming is a launch that is about to run.
type Coming struct {
	Safe  *verify.Safe
	Sizes []int64
	// Scalar is the value of an integer scalar, if it is known; nil if none is.
	Scalar func(i int) (int64, bool)
	// Value is what is in a region of one element, if it is known; nil if none is.
	Value   func(region int) (float64, bool)
	Places  []cost.Place // by region; nil for Resident
	Threads int          // that there are
	// Most is how many threads the call has, of which Threads may be fewer: what runs with all of them took tells of these, too. 0 for Threads.
	Most int
	// Law is that of the state that the kernel carries; nil if there is none, or no state.
	Law *totals.Law
	// Native says that it begins on native code.
	Native bool
	// Seen is what earlier runs of the kernel took on an engine, with one thread or with all; nil if nothing is known.
	Seen func(engine string, threads int) []seen.Point

	wholes []int   // regions that are copied to where WebAssembly reaches them
	look   float64 // nanoseconds to compare indices with their bound
	runs   float64
}

// Choice is how a launch runs.
type Choice struct {
	Threads int            // as many as pay if the others sleep
	Weave   int            // see engine.Args; 0 for one by one
	InStep  bool           // as Weave, on WebAssembly
	Flight  int            // as many if they are interleaved, be it expected to pay or not; 0 where none can be
	Awake   int            // as many as pay if they are awake
	Alone   float64        // nanoseconds that one takes
	Wasm    machine.Spread // nanoseconds, on WebAssembly with so many threads
	Native  float64        // nanoseconds as native code, where that would be worth waiting for: an outer index takes longer than to make it; else 0
	Time    machine.Spread // nanoseconds, on the engine that it begins on with so many threads; zero if nobody knows
	// Asleep and Helped are between one thread and all, if these sleep and if they are awake; nil where one thread is the only way.
	Asleep, Helped *Race
	// Woven is between iterations one by one and interleaved; nil where they cannot be.
	Woven *Race
}

// Choose decides on a launch.
func Choose(m *machine.Machine, c *Coming) *Choice {
	e := m.Engines["wasm"]
	begins := c.weigh(m, "wasm")
	inStep := begins.woven.pays() || c.costless()
	way := begins.choose(e, m.Wake)
	wasm, _ := begins.time(e, way, m.Wake)
	time := wasm
	if native := m.Engines["native"]; c.Native && native != nil {
		e, begins = native, c.weigh(m, "native")
		way = begins.choose(e, m.Wake)
		time, _ = begins.time(e, way, m.Wake)
	}
	awake := begins.choose(e, m.Hand)
	alone, _ := begins.time(e, 0, m.Wake)
	out := &Choice{Threads: begins.on(way), Awake: begins.on(awake), Alone: alone.P50, InStep: inStep, Wasm: wasm, Time: time}
	c.weave(m, begins, out)
	if begins.threads > 1 {
		out.Asleep, out.Helped = begins.race(e, way, m.Wake), begins.race(e, awake, m.Hand)
	}
	if native := m.Engines["native"]; !c.Native && native != nil && Stay(wasm, begins.outer)*float64(out.Threads) >= max(1, begins.outer)*native.Making(kernel.Instructions(c.Safe.Kernel)) {
		n := c.weigh(m, "native")
		t, _ := n.time(native, n.choose(native, m.Wake), m.Wake)
		out.Native = t.P50
	}
	return out
}

// costless reports that walks may as well go on in step.
func (c *Coming) costless() bool {
	list := c.Safe.Loops(wasm.Lanes()).Weaves()
	return len(list) > 0 && !slices.ContainsFunc(list, func(w *loops.Weave) bool { return !w.Costless() })
}

// weave decides how many iterations native code has under way, be it that the launch begins on it or comes to it.
func (c *Coming) weave(m *machine.Machine, begins *weighed, out *Choice) {
	e := m.Engines["native"]
	if e == nil {
		return
	}
	if !c.Native {
		begins = c.model(m, "native")
	}
	w := begins.woven
	if w.flight == 0 {
		return
	}
	way := 0
	if out.Flight = w.flight; w.pays() {
		out.Weave, way = w.flight, 1
	}
	out.Woven = NewRace([2]machine.Spread{w.alone.Time(e), w.all.Time(e)}, way)
}

// interleaved is what a launch takes with so many iterations under way that follow references, and one by one.
type interleaved struct {
	alone, all *cost.Parts
	flight     int  // 0 where none can be
	asks       bool // nothing is interleaved, but elements are asked for before they are needed
}

// worth is to what part of its time interleaving is expected to bring a run that begins with it: what states in memory cost is what the
// model knows least of. Where it is open, measurements decide from the next run on.
const worth = 0.75

// worthAsking is the same of elements that are asked for before they are needed, for which nothing rests in memory.
const worthAsking = 0.95

func (w *interleaved) pays() bool {
	most := worth
	if w.asks {
		most = worthAsking
	}
	return w.flight > 0 && w.all.Total() < most*w.alone.Total()
}

// interleave weighs both for so many threads, and gives what is expected to take less.
func (c *Coming) interleave(mix *cost.Mix, m *machine.Machine, engine string, threads int) (*cost.Parts, interleaved) {
	w := interleaved{alone: mix.On(m, engine, threads, c.Places), asks: len(c.Safe.Loops(EngineOf(engine, m.Engines[engine].VectorBytes)).Weaves()) == 0}
	if w.all, w.flight = mix.Weave(m, engine, threads, c.Places); w.pays() {
		return w.all, w
	}
	return w.alone, w
}

// weighed is what a launch takes on an engine, by ways: on one thread, which is way 0, and on all where there can be several.
type weighed struct {
	alone, all *cost.Parts
	threads    int
	values     map[int]float64 // of Mix
	outer      float64         // indices
	woven      interleaved     // with as many threads as there can be
	lone       bool            // one thread has all of it, however many there are
	ordered    bool            // it carries state, with the kernel of totals ahead
	past       [2][]ratio      // what earlier runs took, by ways
	// Where nothing is known of these ways: with as many threads as the call has, and on the other engine; nil where nothing is known of that either.
	wider, other *weighed
	at           *machine.Engine // that it is on
}

// weigh is what a launch takes, by its code and by what earlier runs took.
func (c *Coming) weigh(m *machine.Machine, engine string) *weighed {
	w := c.model(m, engine)
	if w.at = m.Engines[engine]; c.Seen == nil {
		return w
	}
	modelled := models{c: c, m: m, engine: engine}
	for way, threads := range []int{1, c.Threads} {
		if way > 0 && w.threads == 1 {
			break
		}
		list := c.Seen(engine, threads)
		if most := max(c.Threads, c.Most); w.lone && most > 1 { // others may have decoded beside it
			list = slices.Concat(list, c.Seen(engine, most))
		}
		w.past[way] = c.ratios(list, func(pt *seen.Point) (float64, bool) {
			was := w
			if !c.same(pt) {
				was = modelled.of(pt)
			}
			if way > 0 && was.threads == 1 {
				return 0, false
			}
			return was.way(way, m.Wake).Total(), true
		})
	}
	if w.known() {
		return w
	}
	if all := *c; c.Most > c.Threads {
		if all.Threads, all.Most = c.Most, 0; c.knows(engine, all.Threads) {
			w.wider = all.weigh(m, engine)
		}
	}
	other := map[string]string{"wasm": "native", "native": "wasm"}[engine]
	if m.Engines[other] != nil && (c.knows(other, 1) || c.knows(other, max(c.Threads, c.Most))) {
		on := *c
		on.Seen = func(engine string, threads int) []seen.Point { // of that engine alone
			if engine != other {
				return nil
			}
			return c.Seen(engine, threads)
		}
		w.other = on.weigh(m, other)
	}
	return w
}

// known reports that runs have told something.
func (w *weighed) known() bool { return len(w.past[0])+len(w.past[1]) > 0 }

// told reports that runs have told something, be it of other threads or of the other engine.
func (w *weighed) told() bool { return w.known() || w.wider != nil || w.other != nil }

// knows reports that there were runs on so many threads of an engine.
func (c *Coming) knows(engine string, threads int) bool { return len(c.Seen(engine, threads)) > 0 }

func (c *Coming) given() cost.Given { return cost.Given{Scalar: c.Scalar, Value: c.Value} }

// model is what a launch takes by its code alone.
func (c *Coming) model(m *machine.Machine, engine string) *weighed {
	lanes := EngineOf(engine, m.Engines[engine].VectorBytes)
	mix := cost.Of(c.Safe, c.Sizes, c.given(), lanes)
	w := &weighed{threads: c.Threads, values: mix.Values, outer: float64(mix.Outer), ordered: mix.Sequential}
	w.alone, w.woven = c.interleave(mix, m, engine, 1)
	switch {
	case mix.Outer <= 1 || mix.Sequential && (c.Law == nil || !c.Law.Admits(c.Sizes)):
		w.threads, w.lone = 1, true
	case c.Threads == 1:
		w.threads = 1
	case mix.Sequential:
		w.all = mix.Behind(cost.Of(c.Law.Totals, c.Sizes, cost.Given{Scalar: c.Scalar}, lanes), c.Law.Regions).On(m, engine, c.Threads, c.Places)
	default:
		w.all, w.woven = c.interleave(mix, m, engine, c.Threads)
	}
	if w.alone.Looked = c.look; w.threads > 1 {
		w.all.Looked = c.look
	}
	if len(c.wholes) > 0 {
		t := copying(m, c.Threads, c, c.wholes) / max(1, c.runs)
		if w.alone.Copied += t; w.threads > 1 {
			w.all.Copied += t
		}
	}
	return w
}

// way is what the launch takes by its code if others begin so many nanoseconds after it has: until then one works for all.
func (w *weighed) way(way int, late float64) *cost.Parts {
	if way == 0 {
		return w.alone
	}
	all := *w.all
	if a, b := all.Total(), w.alone.Total(); a < b {
		all.Begin += late * (1 - a/b)
	}
	return &all
}

// time is what the launch takes in a way, and whether earlier runs say so. Where only the other way was gone, or the other engine was run on, the model
// is taken to be as wrong of all.
func (w *weighed) time(e *machine.Engine, way int, late float64) (machine.Spread, bool) {
	t := w.way(way, late).Time(e)
	if warm, ok := warmer(e, t, w.past[way]); ok {
		return warm, true
	}
	if off, ok := w.off(1-way, late); ok {
		return t.Times(off), true
	}
	return t, false
}

// off is by what factor runs took longer than their code says, those of a way if there are any; false if none is known.
func (w *weighed) off(way int, late float64) (float64, bool) {
	for _, way := range []int{way, 1 - way} {
		if len(w.past[way]) == 0 {
			continue
		}
		cold := w.way(way, late).Time(w.at)
		if warm, ok := warmer(w.at, cold, w.past[way]); ok {
			return warm.P50 / cold.P50, true
		}
	}
	for _, o := range []*weighed{w.wider, w.other} {
		if o != nil {
			if off, ok := o.off(1, late); ok {
				return off, true
			}
		}
	}
	return 0, false
}

// choose is the way that takes less, so that whoever may have more threads is never slower. If not both were gone before, one thread also has what
// is over when others have begun, that many nanoseconds after it has. Whoever is there first works, so one that comes later costs next to nothing. A
// kernel that carries state has several threads if they take less, with the kernel of totals ahead, than one alone: the second thread comes late, and
// the first stretch waits for nobody.
func (w *weighed) choose(e *machine.Engine, late float64) int {
	if w.threads == 1 {
		return 0
	}
	alone, _ := w.time(e, 0, late)
	all, _ := w.time(e, 1, late)
	switch known := len(w.past[0]) > 0 && len(w.past[1]) > 0; {
	case known && all.P50 >= alone.P50, all.P50 > alone.P50, !known && alone.P50 < late, !known && w.ordered && w.all.Total()+late >= w.alone.Total():
		return 0
	}
	return 1
}

// on is the number of threads of a way.
func (w *weighed) on(way int) int {
	if way == 0 {
		return 1
	}
	return w.threads
}

// race is between one thread and all.
func (w *weighed) race(e *machine.Engine, first int, late float64) *Race {
	alone, _ := w.time(e, 0, late)
	all, _ := w.time(e, 1, late)
	return NewRace([2]machine.Spread{alone, all}, first)
}

// EngineOf is what an engine of this machine computes side by side, with vectors of so many bytes.
func EngineOf(engine string, bytes int) loops.Engine {
	switch engine {
	case "native":
		return llvmir.Target{Arch: runtime.GOARCH, VectorBytes: bytes}.Engine()
	case "wasm":
		return wasm.Lanes()
	}
	return loops.Engine{} // interpreted: one value after the other
}
