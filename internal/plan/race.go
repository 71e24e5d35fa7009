package plan

import (
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: what two ways to do the same are expected to take, and what runs took that went them. Out: the way of the next run.
// Invariants: what is tried costs no more than a part of what was spent; who leaves a way needs a clear gain, and waits twice as long
// to leave the next one, so that n runs change their way a few times log n.

// Race is between the two ways of runs that are alike. It is safe for concurrent use.
type Race struct {
	mu       sync.Mutex
	way      int // that runs go
	expected [2]machine.Spread
	recent   [2][]float64 // nanoseconds that the last runs of each took, the newest last
	credit   float64      // nanoseconds that may be lost by trying the other way
	since    int          // runs of the way since it was entered
	waiting  int          // runs of the way since the other was tried
	changes  int
	retries  int
}

const (
	// heats is how many runs of a way are compared: the least of them, since others only ever make a run longer.
	heats = 3
	// stake is which part of the time that was spent may be lost by trying the other way.
	stake = 1.0 / 16
	// gain is by what factor a way has to be better to be entered.
	gain = 1.05
	// mostDoubled bounds how often waits are doubled.
	mostDoubled = 40
)

// NewRace is between ways that are expected to take so many nanoseconds. first is the one that runs go until measurements say otherwise.
func NewRace(expected [2]machine.Spread, first int) *Race {
	return &Race{way: first, expected: expected}
}

// Next is the way of the next run: that which took least, or the other one, if to try it may be worth what it is likely to lose.
func (r *Race) Next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	other := 1 - r.way
	if r.since < heats || len(r.recent[r.way]) < heats {
		return r.way
	}
	tried := len(r.recent[other]) >= heats
	if tried && r.waiting < heats<<min(r.retries, mostDoubled) {
		return r.way
	}
	loss := max(0, r.atBest(other)-slices.Min(r.recent[r.way]))
	if loss > r.credit {
		return r.way
	}
	r.credit -= loss
	if r.waiting = 0; tried {
		r.retries++
	}
	return other
}

// atBest is what a way takes that was not gone enough: nine in ten take more, by what is expected of it, or by that and by how
// much the present way was off, which both have in common.
func (r *Race) atBest(way int) float64 {
	if len(r.recent[way]) > 0 {
		return slices.Min(r.recent[way])
	}
	e, best := r.expected[way], r.expected[way].P10
	if now := r.expected[1-way].P50; now > 0 {
		best = min(best, e.P10*slices.Min(r.recent[1-way])/now)
	}
	return best
}

// Ran notes what a run took in nanoseconds that went a way.
func (r *Race) Ran(way int, took float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recent[way] = append(r.recent[way], took); len(r.recent[way]) > heats {
		r.recent[way] = slices.Delete(r.recent[way], 0, 1)
	}
	if way == r.way {
		r.credit += stake * took
		r.since++
		r.waiting++
	}
	other := 1 - r.way
	if len(r.recent[0]) < heats || len(r.recent[1]) < heats || r.since < heats<<min(r.changes, mostDoubled) {
		return
	}
	if slices.Min(r.recent[other])*gain < slices.Min(r.recent[r.way]) {
		r.way, r.since, r.waiting, r.retries = other, 0, 0, 0
		r.changes++
	}
}
