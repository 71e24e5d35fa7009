package run

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// In: a launch over columns of files, stretch by stretch. Out: how the windows of each get to
// the kernel. Which way is faster depends on the processor, the file system and on what lies
// in the page cache, so the first stretches of a launch take the ways in turn, and the rest
// takes the one whose median was better. Whole stretches are compared, computing included:
// what read() copied lies in a cache, what is mapped does not.

type way int32

const (
	byRead    way = iota // read() into memory of the worker
	byMapping            // where the file is mapped
	ways
)

// trials is how many stretches each way gets before it is judged.
const trials = 8

// phase is how many stretches take one way before the other one has its turn. All workers go
// the same way meanwhile, because a way may cost the others more than the one that takes it.
const phase = 4

// lately is the way that won the last contest of this process; launches with too few windows
// for a contest take it.
var lately atomic.Int32

// contest finds the better way for a launch. It is safe for concurrent use.
type contest struct {
	open    atomic.Bool // both ways are possible and nothing is decided
	turn    atomic.Int64
	winner  atomic.Int32
	mu      sync.Mutex
	elapsed [ways][]float64 // per trial, nanoseconds per outer index
}

// newContest is open if there are windows enough.
func newContest(windows int64) *contest {
	c := new(contest)
	c.winner.Store(lately.Load())
	c.open.Store(windows >= 4*trials*stretch)
	return c
}

// next is the way for the next stretch.
func (c *contest) next() way {
	if !c.open.Load() {
		return way(c.winner.Load())
	}
	return way((c.turn.Add(1) - 1) / phase % int64(ways))
}

// took tells how long a stretch of n outer indices took, computing included.
func (c *contest) took(w way, d time.Duration, n int64) {
	if !c.open.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed[w] = append(c.elapsed[w], float64(d)/float64(n))
	if len(c.elapsed[byRead]) < trials || len(c.elapsed[byMapping]) < trials || !c.open.Load() {
		return
	}
	best := byRead
	if median(c.elapsed[byMapping]) < median(c.elapsed[byRead]) {
		best = byMapping
	}
	c.winner.Store(int32(best))
	c.open.Store(false)
	lately.Store(int32(best))
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
