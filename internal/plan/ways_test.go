package plan_test

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// TestGone: runs that went one way alone say how far off all are, and change nothing of which is the best; those that went both decide. What had far
// more to do tells nothing.
func TestGone(t *testing.T) {
	e := machine.Default().Engines["wasm"]
	id := kernel.Hash([]byte("kernel"))
	note := func(m *seen.Memory, way string, n int64, took float64) {
		for range 3 {
			m.Note(seen.OfWay(id, way, 2), seen.Point{Sizes: []int64{n}}, took)
		}
	}
	ask := func(m *seen.Memory) (plan.Ways, [3]bool) {
		ways := plan.Ways{plan.Fetch: machine.Exactly(1e6), plan.Ship: machine.Exactly(2e6)}
		gone := (&plan.Gone{Seen: m, Kernel: id, Sizes: []int64{1000}, Threads: 2}).Warm(e, &ways)
		return ways, gone
	}
	m := seen.New("")
	if ways, gone := ask(m); gone != [3]bool{} || ways[plan.Fetch].P50 != 1e6 {
		t.Errorf("nothing was seen: %v, %v", ways, gone)
	}
	note(m, "fetch", 100_000, 80e6)
	if _, gone := ask(m); gone != [3]bool{} {
		t.Errorf("a hundred times as much was seen: %v", gone)
	}
	note(m, "fetch", 1500, 15e6)
	ways, gone := ask(m)
	if !gone[plan.Fetch] || gone[plan.Ship] || ways.Best() != plan.Fetch || math.Abs(ways[plan.Fetch].P50-10e6) > 1e5 || math.Abs(ways[plan.Ship].P50-20e6) > 2e5 {
		t.Errorf("ten times as long as expected: %v, %v", ways, gone)
	}
	note(m, "ship", 1000, 3e6)
	if ways, gone = ask(m); !gone[plan.Ship] || ways.Best() != plan.Ship || math.Abs(ways[plan.Ship].P50-3e6) > 1e4 {
		t.Errorf("the other way took less: %v, %v", ways, gone)
	}
}

// TestNearLoad: rows that this process has read before take less than those that it reads for the first time, for which files have to be opened, too.
func TestNearLoad(t *testing.T) {
	by := machine.Link{Near: machine.Exactly(1), NearFirst: machine.Exactly(3), NearOpen: machine.Exactly(1000), RoundTrip: machine.Exactly(1e9)}
	l := plan.FetchRows(10_000, 1, 4, 1000, 4)
	if t0 := l.Time(by).P50; t0 != 10_000 {
		t.Errorf("all were read before: %v", t0)
	}
	l.Unread, l.Unopened = 4000, 2
	if t1 := l.Time(by).P50; t1 != 6000+3*4000+2*1000 {
		t.Errorf("some were not: %v", t1)
	}
}
