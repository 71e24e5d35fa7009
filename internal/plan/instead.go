package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a call on one machine, and a strategy that somebody would have expected. Out: what it would have taken, and what would have to
// be different for it to be chosen: a size, how often the call is made, or an entry of machine.toml. Invariant: what is said is
// found by planning for the changed size or machine, so whoever makes the change sees the strategy chosen.

// Instead is a strategy beside what was chosen.
type Instead struct {
	Strategy     string
	Time, Chosen machine.Spread // nanoseconds; Time is zero where Reason says why it cannot be
	Is           bool           // it is what was chosen
	Reason       string
	Changes      []Change // each alone is enough; none that was looked for is
}

// Change is what would have to be different, all else equal.
type Change struct {
	What       string // the name of a size, "calls", or an entry of machine.toml
	Now, Needs float64
}

// Strategies are those of one machine.
var Strategies = []string{"native", "wasm", "threads", "alone", "windows"}

// takes reports that a plan follows a strategy.
func takes(strategy, engine string, threads int) bool {
	switch strategy {
	case "threads":
		return threads > 1
	case "alone":
		return threads == 1
	}
	return engine == strategy
}

// WhyNot weighs a strategy against what was chosen. by is the size to change, with its declared range; none if it is nil.
func WhyNot(strategy string, s *schedule.Schedule, sizes map[string]int64, by *Range, list []Candidate, opt Options) (*Instead, error) {
	all, err := Consider(s, sizes, list, opt)
	if err != nil {
		return nil, err
	}
	chosen, err := Chosen(all)
	if err != nil {
		return nil, err
	}
	out := &Instead{Strategy: strategy, Chosen: chosen.Time}
	if strategy == "windows" {
		out.Reason = unstreamed(chosen.Schedule)
		out.Is = out.Reason == ""
		if out.Is {
			out.Time = chosen.Time
		}
		return out, nil
	}
	var best *Considered
	for i := range all {
		c := &all[i]
		like := strategy != "threads" && strategy != "alone" || c.Candidate.Engine == chosen.Candidate.Engine
		if like && takes(strategy, c.Candidate.Engine, c.Candidate.Threads) && (best == nil || c.Time.P50 < best.Time.P50) {
			best = c
		}
	}
	if best == nil {
		return nil, fmt.Errorf("`%s` is not among the plans of this call: %v", strategy, named(list))
	}
	out.Time, out.Is = best.Time, takes(strategy, chosen.Candidate.Engine, chosen.Candidate.Threads)
	if !out.Is {
		w := &wishing{strategy, s, sizes, opt}
		out.Changes = w.changes(by, best, chosen.Prediction)
	}
	return out, nil
}

// Range is a size with the values that it may have.
type Range struct {
	Name   string
	Lo, Hi int64
}

func named(list []Candidate) (names []string) {
	for _, c := range list {
		names = append(names, fmt.Sprintf("%d is %s", c.Number, c))
	}
	return names
}

// unstreamed says which input cannot pass through memory in windows, and why; "" if all can.
func unstreamed(s *schedule.Schedule) (why string) {
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		safe, err := l.Proof()
		if why != "" || err != nil {
			return
		}
		for i, b := range l.Regions {
			if b >= 0 && s.Buffers[b].Input != nil && l.Kernel.Regions[i].Access == kernel.Read && !safe.Footprint[i].Streamed {
				why = fmt.Sprintf("step `%s` does not go through `%s` in order, so it has to be there as a whole", l.Label, s.Buffers[b].Name)
				return
			}
		}
	})
	return why
}

// wishing looks for changes that have a strategy chosen.
type wishing struct {
	strategy string
	s        *schedule.Schedule
	sizes    map[string]int64
	opt      Options
}

// chosen reports that the strategy is, for other sizes or on another machine.
func (w *wishing) chosen(s *schedule.Schedule, sizes map[string]int64, m *machine.Machine) bool {
	opt := w.opt
	opt.Machine = m
	p, err := Predict(s, sizes, opt)
	return err == nil && takes(w.strategy, p.Engine, p.Threads)
}

func (w *wishing) changes(by *Range, best *Considered, chosen *Prediction) (list []Change) {
	m := w.opt.Machine
	if by != nil {
		if n, ok := w.size(by); ok {
			list = append(list, Change{by.Name, float64(w.sizes[by.Name]), float64(n)})
		}
	}
	if w.strategy == "native" {
		making := best.makingNative
		if saved := chosen.Time.P50 - (best.Time.P50 - making); saved > 0 {
			list = append(list, Change{"calls", 1, math.Floor(making/saved) + 1})
		}
	}
	if w.strategy == "native" || w.strategy == "wasm" {
		list = w.entry(list, "[engine.native] compile_ns", m.Engines["native"].Compile, func(m *machine.Machine, x float64) {
			native := *m.Engines["native"]
			native.Compile = x
			m.Engines = maps.Clone(m.Engines)
			m.Engines["native"] = &native
		})
	} else {
		list = w.entry(list, "wake_ns", m.Wake, func(m *machine.Machine, x float64) { m.Wake = x })
	}
	return list
}

// size finds the size nearest to the present one for which the strategy is chosen.
func (w *wishing) size(by *Range) (int64, bool) {
	ns, err := octaves(by.Name, by.Lo, by.Hi)
	if err != nil {
		return 0, false
	}
	now := w.sizes[by.Name]
	ok := func(n int64) bool {
		return w.chosen(w.opt.of(w.s, w.sizes, by.Name, n), with(w.sizes, by.Name, n), w.opt.Machine)
	}
	far := func(n int64) float64 {
		return math.Abs(math.Log(float64(max(1, n)) / float64(max(1, now))))
	}
	slices.SortStableFunc(ns, func(a, b int64) int { return int(math.Copysign(1, far(a)-far(b))) })
	for _, n := range ns {
		if ok(n) {
			return nearest(now, n, ok), true
		}
	}
	return 0, false
}

// nearest halves between a size that will not do and one that will, until they are near.
func nearest(no, yes int64, ok func(int64) bool) int64 {
	for gap := yes - no; max(gap, -gap) > 1 && math.Abs(float64(gap)) > near*float64(min(no, yes)); gap = yes - no {
		if mid := no + gap/2; ok(mid) {
			yes = mid
		} else {
			no = mid
		}
	}
	return yes
}

// factors is by how much an entry of machine.toml is changed at most, and steps how often the way there is halved: until
// two values differ by a thousandth.
const (
	factors = 1e6
	steps   = 14
)

// entry adds what an entry would have to be, if any value does.
func (w *wishing) entry(list []Change, what string, now float64, set func(m *machine.Machine, x float64)) []Change {
	x, ok := scaled(now, func(x float64) bool {
		m := *w.opt.Machine
		set(&m, x)
		return w.chosen(w.s, w.sizes, &m)
	})
	if !ok {
		return list
	}
	return append(list, Change{what, now, x})
}

// scaled finds the value nearest to now, by its factor, for which ok holds.
func scaled(now float64, ok func(x float64) bool) (float64, bool) {
	for _, most := range []float64{1 / factors, factors} {
		if !ok(now * most) {
			continue
		}
		no, yes := 0.0, math.Log(most)
		for range steps {
			if mid := (no + yes) / 2; ok(now * math.Exp(mid)) {
				yes = mid
			} else {
				no = mid
			}
		}
		return now * math.Exp(yes), true
	}
	return 0, false
}
