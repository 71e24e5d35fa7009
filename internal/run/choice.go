package run

import (
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
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
	choice  *plan.Choice
}

func (c *chosen) such(found *any) bool {
	o, ok := (*found).(chosen)
	return ok && c.machine == o.machine && c.threads == o.threads && slices.Equal(c.sizes, o.sizes) && slices.Equal(c.scalars, o.scalars) && slices.Equal(c.places, o.places)
}

// brief is the choice for what is over before a plan would be made.
var brief = &plan.Choice{Threads: 1}

// choose plans n of the outer indices. It tells the engine what to expect.
func (x *execution) choose(n int64) *plan.Choice {
	if x.c.Brief(x.Sizes, n) {
		return brief
	}
	want := chosen{machine: x.m.opt.Machine, threads: x.m.pool.Size(), sizes: x.Sizes, scalars: x.lasting(), places: x.places}
	if have := x.c.Findings.Find(want.such); have != nil {
		want = (*have).(chosen)
	} else {
		known := func(i int) (int64, bool) { return int64(want.scalars[i]), x.lasts(i) }
		want.choice = plan.Choose(want.machine, &plan.Coming{Safe: x.c.Safe, Sizes: want.sizes, Scalar: known, Places: want.places, Threads: want.threads})
		want.places = slices.Clone(x.places) // which change with where regions lie
		found := any(want)
		x.c.Findings.Add(&found)
	}
	c, part := want.choice, float64(n)/float64(max(x.outer, 1))
	wasm := c.Wasm.P50 * part
	x.c.Foresee(x.m.ctx, engine.Outlook{Wasm: time.Duration(wasm * max(1, x.repeats)), Each: time.Duration(wasm * float64(c.Threads) / float64(max(n, 1)))})
	return c
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
