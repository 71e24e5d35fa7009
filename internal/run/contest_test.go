package run

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

// A contest takes the way that is quickest, and gives one up that is far behind after its first phase.
func TestContest(t *testing.T) {
	defer lately.Store(lately.Load())
	for best := range ways {
		lately.Store(-1)
		verdicts.forget(held{})
		c := newContest(2*int64(ways)*trials*stretch, held{}, machine.Default())
		turns := map[way]int{}
		for c.open.Load() {
			w := c.next()
			if turns[w]++; turns[w] > 3*trials {
				t.Fatalf("no end: %v", turns)
			}
			d := 30 * time.Millisecond
			if w == best {
				d = 20 * time.Millisecond
			}
			c.took(w, d, 1000)
		}
		if got := c.next(); got != best || lately.Load() != int32(best) {
			t.Errorf("way %d won, expected %d", got, best)
		}
		for w := range ways {
			if w != best && turns[w] != phase {
				t.Errorf("way %d, which is half as slow again as way %d, had %d stretches", w, best, turns[w])
			}
		}
	}
}

// Ways that are almost as good as each other have all their trials.
func TestContestOfEquals(t *testing.T) {
	defer lately.Store(lately.Load())
	verdicts.forget(held{})
	c := newContest(2*int64(ways)*trials*stretch, held{}, machine.Default())
	turns := map[way]int{}
	for c.open.Load() {
		w := c.next()
		turns[w]++
		c.took(w, time.Duration(100+w)*time.Microsecond, 1)
	}
	for w := range ways {
		if turns[w] < trials {
			t.Errorf("way %d had %d stretches", w, turns[w])
		}
	}
	if c.next() != 0 {
		t.Errorf("way %d won", c.next())
	}
}

// What is too short for a contest takes the way of the last one, and before any the one that was measured.
func TestShortFileTakesWhatWasMeasured(t *testing.T) {
	defer lately.Store(lately.Load())
	verdicts.forget(held{})
	m := *machine.Default()
	for w := range ways {
		lately.Store(-1)
		verdicts.forget(held{})
		m.Ways = [3]float64{0.2, 0.2, 0.2}
		m.Ways[w] = 0.1
		if c := newContest(1, held{}, &m); c.next() != w {
			t.Errorf("way %d, measured was %d", c.next(), w)
		}
	}
	m.Ways = [3]float64{}
	if c := newContest(1, held{}, &m); c.next() != byRead {
		t.Errorf("way %d of a machine of which nothing is known", c.next())
	}
	m.Ways = [3]float64{0.1, 0.2, 0.2}
	lately.Store(int32(byFaults))
	if c := newContest(1, held{}, &m); c.next() != byFaults {
		t.Errorf("way %d after one that faults won", c.next())
	}
}

// A launch over a file of which a contest was held a moment ago holds none, until a stretch takes far longer than it should.
func TestVerdict(t *testing.T) {
	defer lately.Store(lately.Load())
	const enough = 2 * int64(ways) * trials * stretch
	flights, other := held{path: "flights", threads: 2}, held{path: "flights", threads: 1}
	defer verdicts.forget(flights)
	c := newContest(enough, flights, machine.Default())
	for c.open.Load() {
		w := c.next()
		c.took(w, time.Duration(100-10*w)*time.Microsecond, 1)
	}
	if c = newContest(enough, flights, machine.Default()); c.open.Load() || c.next() != byFaults {
		t.Fatalf("a contest again, or way %d; expected the last winner, %d", c.next(), byFaults)
	}
	if !newContest(enough, other, machine.Default()).open.Load() {
		t.Error("no contest on another number of threads")
	}
	c.took(byFaults, 200*time.Microsecond, 1)
	if newContest(enough, flights, machine.Default()).open.Load() {
		t.Error("a stretch of twice the time is no surprise, but there was another contest")
	}
	c.took(byFaults, 400*time.Microsecond, 1)
	if !newContest(enough, flights, machine.Default()).open.Load() {
		t.Error("no contest after a stretch that took five times as long as it should")
	}
	verdicts.remember(flights, verdict{byRead, 1, time.Now().Add(-believed)})
	if !newContest(enough, flights, machine.Default()).open.Load() {
		t.Error("no contest though the last was long ago")
	}
}
