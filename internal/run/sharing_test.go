package run

import (
	"errors"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
)

// TestRivals: the way that is expected to take less goes first, then the other has one turn, and the one that took less stays, but for a
// turn of the other whenever there are twice as many runs.
func TestRivals(t *testing.T) {
	for _, c := range []struct {
		name     string
		open     bool
		expected int
		took     [2]time.Duration
		want     int // the way that stays
	}{
		{"as expected", true, 1, [2]time.Duration{30, 20}, 1},
		{"not as expected", true, 1, [2]time.Duration{20, 30}, 0},
		{"nobody asks", false, 0, [2]time.Duration{30, 20}, 0},
	} {
		v := &rivals{open: c.open, expected: c.expected}
		var ways []int
		for range 200 {
			way := v.next()
			v.ran(way, c.took[way])
			ways = append(ways, way)
		}
		for i := range turns {
			if ways[i] != c.expected {
				t.Errorf("%s: run %d goes way %d", c.name, i, ways[i])
			}
		}
		if c.open && ways[turns] == c.expected {
			t.Errorf("%s: run %d is no turn of the other way", c.name, turns)
		}
		others, before := 0, 0
		for i, way := range ways[turns+1:] {
			if way == c.want {
				continue
			}
			if i-before < turns && others > 0 {
				t.Errorf("%s: two turns of the other way after %d runs", c.name, i-before)
			}
			others, before = others+1, i
		}
		if most := 5; others > most || c.open && others == 0 || !c.open && others > 0 {
			t.Errorf("%s: %d of %d later runs go the other way", c.name, others, len(ways)-turns-1)
		}
	}
}

// TestRivalsLater: a way that has become better wins its next turn.
func TestRivalsLater(t *testing.T) {
	v := &rivals{open: true}
	last := 0
	for i := range 400 {
		last = v.next()
		took := time.Duration(20)
		if last == 1 && i < 50 {
			took = 30
		} else if last == 1 {
			took = 10
		}
		v.ran(last, took)
	}
	if last != 1 {
		t.Error("the way that takes less now is not gone")
	}
}

// TestOtherIsMadeLate: the other program, which pays but takes a while to make, is made when runs without it have taken as long; where a run takes
// longer than that, at once.
func TestOtherIsMadeLate(t *testing.T) {
	errMade := errors.New("it is made")
	for _, c := range []struct {
		name  string
		run   time.Duration
		alone int // runs before it is made
	}{{"short runs", 10 * time.Millisecond, 10}, {"long runs", 200 * time.Millisecond, 0}} {
		p := &Program{s: &schedule.Schedule{Took: 100 * time.Millisecond}}
		opt := &Options{Tier: engine.Wasm, Threads: 2}
		in := &Inputs{Sizes: map[string]int64{"N": 5}}
		for i := range c.alone + 1 {
			_, tell, err := p.sharing.next(p, func() (*schedule.Schedule, error) { return nil, errMade }, in, opt, func(by plan.Options) (other, close bool, err error) {
				return float64(c.run) > by.Lowered, false, nil
			})
			switch {
			case i < c.alone && err == nil:
				tell(c.run)
			case i < c.alone || !errors.Is(err, errMade):
				t.Fatalf("%s: run %d: %v", c.name, i, err)
			}
		}
	}
}
