package run

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch over columns of files, stretch by stretch. Out: how the windows of each get to
// the kernel. Which way is faster depends on the processor, the file system and on what lies
// in the page cache, so the first stretches of a launch take the ways in turn, and the rest
// takes the one whose median was better. Whole stretches are compared, computing included:
// what read() copied lies in a cache, what is mapped does not.

type way int32

const (
	byRead    way = machine.ByRead
	byMapping way = machine.ByMapping
	byFaults  way = machine.ByFaults
	ways      way = 3
)

// trials is how many stretches each way gets before it is judged, unless it is given up after a phase.
const trials = 8

// phase is how many stretches take one way before the next one has its turn. All workers go
// the same way meanwhile, because a way may cost the others more than the one that takes it.
const phase = 4

// hopeless is how many times as long as the best a way takes after its first phase if it is not tried further.
const hopeless = 1.25

// lately is the way that won the last contest of this process, and -1 before there was one: launches with too few
// windows for a contest take it.
var lately atomic.Int32

func init() { lately.Store(-1) }

// contest finds the best way for a launch. It is safe for concurrent use.
type contest struct {
	open    atomic.Bool // nothing is decided
	winner  atomic.Int32
	of      held
	limit   float64 // nanoseconds per outer index from which on the verdict is wrong; 0 if it is the launch's own
	mu      sync.Mutex
	order   []way           // of those that are still tried, stretch by stretch
	given   int             // how many stretches have got a way
	elapsed [ways][]float64 // per trial, nanoseconds per outer index
}

// newContest is open if there are windows enough, unless one was held of the same a moment ago. Before there was one, the
// way that the machine was measured to be best at wins.
func newContest(windows int64, of held, m *machine.Machine) *contest {
	c := &contest{of: of}
	if v, ok := verdicts.of(of); ok {
		c.limit = surprise * v.elapsed
		c.winner.Store(int32(v.way))
		return c
	}
	if c.winner.Store(lately.Load()); lately.Load() < 0 {
		c.winner.Store(int32(measured(m)))
	}
	c.open.Store(windows >= 2*int64(ways)*trials*stretch)
	for w := range ways {
		c.order = append(c.order, w)
	}
	return c
}

// measured is the way that took least on the machine.
func measured(m *machine.Machine) way {
	best := byRead
	for w, t := range m.Ways {
		if t > 0 && t < m.Ways[best] {
			best = way(w)
		}
	}
	return best
}

// next is the way for the next stretch.
func (c *contest) next() way {
	if !c.open.Load() {
		return way(c.winner.Load())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given++
	return c.order[(c.given-1)/phase%len(c.order)]
}

// took tells how long a stretch of n outer indices took, computing included.
func (c *contest) took(w way, d time.Duration, n int64) {
	each := float64(d) / float64(n)
	if !c.open.Load() {
		if c.limit > 0 && each > c.limit {
			verdicts.forget(c.of)
		}
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed[w] = append(c.elapsed[w], each)
	c.judge()
}

// judge gives ways up, and ends the contest when one is left or all have had their trials.
func (c *contest) judge() {
	least, fewest := math.Inf(1), trials
	best := c.order[0]
	var medians [ways]float64
	for _, w := range c.order {
		if fewest = min(fewest, len(c.elapsed[w])); fewest < phase {
			return
		}
		if medians[w] = median(c.elapsed[w]); medians[w] < least {
			best, least = w, medians[w]
		}
	}
	left := slices.DeleteFunc(slices.Clone(c.order), func(w way) bool { return medians[w] > hopeless*least })
	if len(left) < len(c.order) {
		c.order, c.given = left, 0
	}
	if len(left) > 1 && fewest < trials || !c.open.Load() {
		return
	}
	c.winner.Store(int32(best))
	c.open.Store(false)
	lately.Store(int32(best))
	verdicts.remember(c.of, verdict{best, least, time.Now()})
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
