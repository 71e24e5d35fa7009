package cluster

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// decidedFor is a decision for a way.
func decidedFor(way plan.Way) *weighed {
	ways := plan.Ways{machine.Exactly(3), machine.Exactly(3), machine.Exactly(3)}
	ways[way] = machine.Exactly(1)
	return decided(ways)
}

// TestHabits: a decision holds for its sizes, and between two sizes of an octave that were decided on alike, and for nothing else.
func TestHabits(t *testing.T) {
	var h habits
	of := func(sizes ...int64) *like { return &like{kind: kind{threads: 2}, sizes: sizes} }
	way := func(l *like) string {
		if w := h.of(l); w != nil {
			return string(w.best)
		}
		return ""
	}
	h.keep(of(100, 5), decidedFor(plan.Fetch))
	h.keep(of(150, 5), decidedFor(plan.Fetch))
	h.keep(of(200, 5), decidedFor(plan.Ship))
	h.keep(of(390, 6), decidedFor(plan.Ship))
	h.keep(of(1000, 6), decidedFor(plan.Ship))
	for _, c := range []struct {
		like *like
		want string
	}{
		{of(100, 5), "fetch"},
		{of(200, 5), "ship"},
		{of(120, 5), "fetch"},
		{of(170, 5), ""}, // on either side something else was decided
		{of(300, 5), "ship"},
		{of(300, 4), ""},
		{of(300, 7), ""},
		{of(500, 6), ""}, // too far from what was decided on
		{of(90, 5), ""},
		{of(2000, 6), ""},
		{of(-100, 5), ""},
		{of(100), ""},
		{&like{kind: kind{threads: 3}, sizes: []int64{100, 5}}, ""},
		{&like{kind: kind{threads: 2}, view: &catalog.View{}, sizes: []int64{100, 5}}, ""},
		{nil, ""},
	} {
		if got := way(c.like); got != c.want {
			t.Errorf("%+v: %q, expected %q", c.like, got, c.want)
		}
	}
	h.keep(of(100, 5), decidedFor(plan.Gather))
	if got := way(of(100, 5)); got != "gather" {
		t.Errorf("decided anew: %q", got)
	}
	if h.forget(); way(of(100, 5)) != "" {
		t.Error("a decision is there after all were forgotten")
	}
	h.keep(of(100, 5), decidedFor(plan.Fetch))
	if h.keep(&like{kind: kind{threads: 3}, view: &catalog.View{}, sizes: []int64{100}}, decidedFor(plan.Ship)); len(h.by) != 1 {
		t.Errorf("%d kinds are remembered, expected those of the newest view", len(h.by))
	}
}

// TestHabitsEnd: a decision is dropped when its launches take long again and again, not when one of them does, and after a while in any case.
func TestHabitsEnd(t *testing.T) { synctest.Test(t, habitsEnd) }

func habitsEnd(t *testing.T) {
	var h habits
	l := &like{sizes: []int64{7}}
	h.keep(l, decidedFor(plan.Ship))
	for i, ms := range []time.Duration{10, 100, 100, 11, 100, 100} {
		if h.took(l, ms*time.Millisecond) {
			t.Fatalf("dropped after run %d", i)
		}
	}
	if !h.took(l, 100*time.Millisecond) || h.of(l) != nil {
		t.Error("three late runs in a row did not end it")
	}
	if h.took(l, time.Millisecond) {
		t.Error("what is not there ended")
	}
	l.kind.way = time.Now().Add(-linkValid + 50*time.Millisecond)
	if h.keep(l, decidedFor(plan.Ship)); h.of(l) == nil {
		t.Error("nothing was kept")
	}
	if time.Sleep(60 * time.Millisecond); h.of(l) != nil {
		t.Error("a decision outlives the measurement that it rests on")
	}
}
