package cost

import (
	"math"

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

// Weave is what a run takes in which iterations that follow references are interleaved, and how many are then under way: the most that
// take hardly more than the number that takes least, since the memory answers later the more is asked of it, and a search passes over what it
// does not come to; see On. It is nil where none can be.
func (m *Mix) Weave(mc *machine.Machine, engine string, threads int, places []Place) (p *Parts, flight int) {
	if m.Woven == nil {
		return nil, 0
	}
	if n := m.Woven.Flight; n > 0 {
		return m.Woven.On(mc, engine, threads, places), int(n)
	}
	least := math.Inf(1)
	for _, n := range flights {
		woven := *m.Woven
		woven.Flight = float64(n)
		q := woven.On(mc, engine, threads, places)
		if least = math.Min(least, q.Total()); gains*q.Total() <= least {
			p, flight = q, n
		}
	}
	return p, flight
}

// gains is to what part of its time fewer iterations under way must bring a run: their states take less room in the first cache.
const gains = 0.95
