package run

import (
	"testing"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestShortLaunchesAgainAndAgain: helpers that sleep are woken for a launch that is over before they come where it runs again and again,
// since they stay awake for the next one; alone, or where a second thread does not pay, they are left asleep.
func TestShortLaunchesAgainAndAgain(t *testing.T) {
	m := *machine.Default()
	m.Wake = 1e6
	for _, c := range []struct {
		name    string
		repeats float64
		choice  plan.Choice
		want    int
	}{
		{"often", 200, plan.Choice{Threads: 1, Awake: 2, Alone: 1e4}, 2},
		{"a few times, over before a thread wakes", 50, plan.Choice{Threads: 1, Awake: 2, Alone: 1e4}, 1},
		{"once", 0, plan.Choice{Threads: 1, Awake: 2, Alone: 1e4}, 1},
		{"often, too short to hand over", 200, plan.Choice{Threads: 1, Awake: 1, Alone: 1e4}, 1},
		{"long", 0, plan.Choice{Threads: 2, Awake: 2, Alone: 1e9}, 2},
	} {
		x := &execution{m: &memory{pool: engine.NewPool(2), opt: Options{Machine: &m}}, repeats: c.repeats}
		if got, _ := x.threads(&c.choice); got != c.want {
			t.Errorf("%s: %d threads, expected %d", c.name, got, c.want)
		}
		x.m.pool.Close()
	}
}
