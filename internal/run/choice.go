package run

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: an execution whose regions are in place, or pass through in windows. Out: what package plan chooses for it, worked
// out once for all that look the same.

// chosen is a choice, with what it was made for.
type chosen struct {
	machine *machine.Machine
	threads int
	sizes   []int64
	scalars []uint64 // zero for those that are not the same in all runs of the launch
	places  []cost.Place
	native  bool // it began on native code
	choice  *plan.Choice
}

func (c *chosen) such(found *any) bool {
	o, ok := (*found).(chosen)
	return ok && c.machine == o.machine && c.threads == o.threads && c.native == o.native && slices.Equal(c.sizes, o.sizes) && slices.Equal(c.scalars, o.scalars) && slices.Equal(c.places, o.places)
}

// brief is the choice for what is over before a plan would be made.
var brief = &plan.Choice{Threads: 1, Awake: 1}

// choose plans n of the outer indices. It tells the engine what to expect.
func (x *execution) choose(n int64) *plan.Choice {
	if (x.m.opt.Shared || x.m.opt.Stretch > 0 && x.c.Sequential()) && n > 0 {
		return &plan.Choice{Threads: x.m.pool.Size(), Awake: x.m.pool.Size()}
	}
	if x.c.Brief(x.Sizes, n) {
		return brief
	}
	want := chosen{machine: x.m.opt.Machine, threads: x.m.pool.Size(), sizes: x.Sizes, scalars: x.lasting(), places: x.places, native: x.c.Tier() == engine.Native}
	if have := x.c.Findings.Find(want.such); have != nil {
		want = (*have).(chosen)
	} else {
		want.choose(x)
		found := any(want)
		x.c.Findings.Add(&found)
	}
	c, part := want.choice, float64(n)/float64(max(x.outer, 1))
	wasm, each := plan.Stay(c.Wasm, float64(x.outer)), float64(c.Threads)/float64(max(x.outer, 1))
	x.c.Foresee(x.m.ctx, engine.Outlook{Wasm: time.Duration(wasm * part * max(1, x.repeats)), Each: time.Duration(wasm * each), Quick: time.Duration(c.Native * each)})
	return c
}

func (c *chosen) choose(x *execution) {
	known := func(i int) (int64, bool) { return int64(c.scalars[i]), x.lasts(i) }
	coming := &plan.Coming{Safe: x.c.Safe, Sizes: c.sizes, Scalar: known, Places: c.places, Threads: c.threads, Native: c.native}
	if c.threads > 1 && x.c.Sequential() {
		coming.Law = x.c.Law()
	}
	if past := x.m.opt.Seen; past != nil {
		coming.Seen = func(on string, threads int) []seen.Point {
			return past.Of(seen.Key{ID: x.c.Hash, Engine: on, Threads: threads})
		}
	}
	c.choice = plan.Choose(c.machine, coming)
	c.places = slices.Clone(x.places) // which change with where regions lie
}

// lasting are the scalars that are the same in all runs of the execution.
func (x *execution) lasting() []uint64 {
	list := slices.Clone(x.Scalars)
	for i := range list {
		if !x.lasts(i) {
			list[i] = 0
		}
	}
	return list
}

func (x *execution) lasts(i int) bool { return i >= len(x.varies) || !x.varies[i] }

// crowding is how many threads a processor is given at most. More than one have it while others wait for a disk; those beyond only
// take memory.
const crowding = 8

// Threads is how many of n threads a run uses, where 0 stands for as many as Go may run at once.
func Threads(n int) int {
	if n == 1 { // to ask Go takes a lock of its scheduler
		return 1
	}
	procs := runtime.GOMAXPROCS(0)
	if n <= 0 {
		return procs
	}
	return min(n, crowding*procs)
}

// workers makes the workers of a run, which stay awake between its launches for as long as it takes to wake them.
func (o *Options) workers() *engine.Pool {
	p := engine.NewPool(o.Threads)
	if o.Engine != nil {
		p = o.Engine.NewPool(o.Threads)
	}
	p.KeepAwake(time.Duration(o.Machine.Wake))
	return p
}

// fewWakings is how often helpers are woken for a launch that is over before they come, in the hope that they are awake for the next.
const fewWakings = 3

// threads is how many the choice is carried out with, and the race in which that is a way; nil for none. Helpers that sleep are woken for
// a short launch if it runs again and again, unless something else kept it from running again soon.
func (x *execution) threads(c *plan.Choice) (int, *plan.Race) {
	pool := x.m.pool
	race, threads := c.Asleep, c.Threads
	if pool.Awake() || c.Awake > c.Threads && x.repeats*c.Alone > x.m.opt.Machine.Wake && pool.Woken() < fewWakings {
		race, threads = c.Helped, c.Awake
	}
	switch {
	case race == nil:
		return threads, nil
	case race.Next() == 0:
		return 1, race
	}
	return pool.Size(), race
}

// ran tells a race what a pass took that went a way, and was all of its kernel, on one engine.
func (p *pass) ran(race *plan.Race, way int, native bool, took time.Duration) {
	if n := p.job.Native(); race == nil || p.hi-p.lo < p.outer || p.job.Stepped() > 0 || native && n < p.job.Slices() || !native && n > 0 {
		return
	}
	race.Ran(way, float64(took))
}

// paces are the times at which outer indices went on each tier, for passes that go over from one to the other.
type paces struct{ slow, fast pace }

type pace struct{ nanoseconds, outers atomic.Int64 }

// spent notes that a worker took so long for n outer indices. before and after are the tiers that the kernel had then.
func (c *paces) spent(before, after engine.Tier, took time.Duration, n int64) {
	if before != after {
		return
	}
	at := &c.slow
	if before == engine.Native {
		at = &c.fast
	}
	at.nanoseconds.Add(int64(took))
	at.outers.Add(n)
}

// whole is what n outer indices take at the pace of each tier with so many workers, in seconds; nil if there was one tier, or one of them had
// next to nothing to do.
func (c *paces) whole(slow engine.Tier, n int64, workers int) map[engine.Tier]float64 {
	out := map[engine.Tier]float64{}
	for tier, at := range map[engine.Tier]*pace{slow: &c.slow, engine.Native: &c.fast} {
		took, outers := at.nanoseconds.Load(), at.outers.Load()
		if float64(took) < Telling*1e9 || outers == 0 {
			return nil
		}
		out[tier] = float64(took) * 1e-9 / float64(outers) * float64(n) / float64(max(1, workers))
	}
	return out
}
