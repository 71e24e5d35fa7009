package cost

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a loop whose iterations follow references, which package loops knows. Out: what it takes beside its own operations to have
// several of them under way, and how many those should be. A hop then takes the memory's time divided by their number, or as long
// as the operations, whichever is longer.

// weave begins a loop whose iterations are interleaved. It gives the one around, which there is none of mostly.
func (w *walker) weave(in *kernel.Instr, n float64) (around *loops.Weave) {
	around = w.woven
	if w.weaves && w.woven == nil && w.plan == nil {
		if w.woven, _ = w.loops.Weave(in); w.woven != nil {
			w.add(Enter, 3*n, false)
		}
	}
	return around
}

// rests counts the loads and stores by which states rest in memory from one turn to the next, for a loop that is entered n times
// and has so many turns in all.
func (w *walker) rests(in *kernel.Instr, n, all float64) {
	switch v := w.woven; {
	case v == nil:
	case in == v.In:
		w.add(Near, all*float64(len(v.Walk.Carry)+len(v.Kept)+len(v.Later)), false)
		w.add(Turn, 2*all, false)
	case in == v.Walk:
		state := 2*len(v.Walk.Carry) + len(v.Kept) + len(v.Far)
		if !v.Even {
			state += 4 // the turn that it is at, and its place among those under way
			w.add(Branch, n, false)
		}
		w.add(Near, all*float64(state), false)
	}
}

// flights are how many iterations may be under way.
var flights = []int{8, 16, 32, 64}

// worth is to what part of its time interleaving must bring a run: states rest in memory between their turns, and what that costs
// is what the model knows least of, where a cache holds the tables.
const worth = 0.7

// Weave says how many iterations that follow references should be under way on an engine, 0 for one by one, and how long the run
// then takes; see On.
func (m *Mix) Weave(mc *machine.Machine, engine string, threads int, places []Place) (p *Parts, flight int) {
	p = m.On(mc, engine, threads, places)
	if m.Woven == nil {
		return p, 0
	}
	for _, n := range flights {
		woven := *m.Woven
		woven.Flight = float64(n)
		if q := woven.On(mc, engine, threads, places); q.Total() < worth*p.Total() {
			p, flight = q, n
		}
	}
	return p, flight
}
