package run

import (
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch whose regions are in place, or pass through in windows. Out: what package plan chooses for it, worked
// out once for all runs of the program that look the same.

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

func found(c chosen) *any {
	x := any(c)
	return &x
}

// brief is the choice for what is over before a plan would be made.
var brief = &plan.Choice{Threads: 1}

// choose plans the launch. It tells the engine what to expect.
func (p *launching) choose() *plan.Choice {
	n := p.hi - p.lo
	if p.r.opt.Stretch > 0 && p.c.Sequential() && n > 0 {
		return &plan.Choice{Threads: p.r.pool.Size()}
	}
	if p.c.Brief(p.sizes, n) {
		return brief
	}
	want := chosen{machine: p.r.opt.Machine, threads: p.r.pool.Size(), sizes: p.sizes, scalars: p.lasting(), places: p.places(), native: p.c.Tier() == engine.Native}
	if have := p.c.Findings.Find(want.such); have != nil {
		want = (*have).(chosen)
	} else {
		want.choose(p)
		p.c.Findings.Add(found(want))
	}
	c, part := want.choice, float64(n)/float64(max(p.outer, 1))
	wasm := c.Wasm.P50 * part
	p.c.Foresee(p.r.ctx, engine.Outlook{Wasm: time.Duration(wasm * max(1, p.r.repeats)), Each: time.Duration(wasm * float64(c.Threads) / float64(max(n, 1)))})
	return c
}

func (c *chosen) choose(p *launching) {
	known := func(i int) (int64, bool) { return int64(c.scalars[i]), p.lasts(i) }
	coming := &plan.Coming{Safe: p.c.Safe, Sizes: c.sizes, Scalar: known, Places: c.places, Threads: c.threads, Native: c.native}
	if c.threads > 1 && p.c.Sequential() {
		coming.Law = p.c.Law()
	}
	c.choice = plan.Choose(c.machine, coming)
}

// relay has the launch run by several threads though it carries state, if it is planned so and can be now; otherwise by one.
func (p *launching) relay() error {
	p.stretch = 0
	if !p.c.Sequential() || p.choice.Threads <= 1 {
		return nil
	}
	ok, err := p.job.Relay(p.r.ctx, p.bases, p.lo)
	switch {
	case err != nil:
		return err
	case !ok:
		p.choice = brief
		return nil
	}
	if p.stretch = p.r.opt.Stretch; p.stretch == 0 {
		p.stretch = p.job.Stretch(p.lo, p.hi, p.choice.Threads)
	}
	return nil
}

// lasting are the scalars that are the same in all runs of the launch.
func (p *launching) lasting() []uint64 {
	list := slices.Clone(p.scalars)
	for i := range list {
		if !p.lasts(i) {
			list[i] = 0
		}
	}
	return list
}

func (p *launching) lasts(i int) bool {
	return i >= len(p.l.Scalars) || p.l.Scalars[i].From == schedule.FromParam // a piece has its scalars from elsewhere
}

// places is where the regions lie.
func (p *launching) places() []cost.Place {
	list := make([]cost.Place, len(p.l.Regions))
	for _, f := range p.feeds {
		if f.in.raw != nil {
			list[f.region] = cost.File // or copied from other memory, which takes as long
		}
	}
	for i, b := range p.l.Regions {
		if b >= 0 && p.r.buffers[b].fresh {
			list[i] = cost.Fresh
		}
	}
	return list
}

// totals names the kernel that went ahead of the launch; "" if none did.
func (p *launching) totals() string {
	if t := p.job.Totals(); t != nil {
		return t.Hash.String()
	}
	return ""
}
