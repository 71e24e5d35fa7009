package ring

import (
	"runtime"
	"time"
)

// spins says how long a side looks before it sleeps. To be woken takes some 20 µs here and as
// long again there, so to look for about that long is worth it where answers come at once. Where they do
// not, it takes a processor from those who would answer: each time that it was of no use, half as
// long is tried the next time.
type spins struct {
	now    func() time.Duration
	budget time.Duration
	since  time.Duration // when there was nothing first; 0: there is something
	looks  int
	slept  bool
}

const (
	// mostSpin is about what it takes to wake a thread: who looks for that long waits at most
	// twice as long as who knew beforehand which of both is better.
	mostSpin = 25 * time.Microsecond
	// inTime is how soon something must have come for looking to have been right. A peer
	// that sleeps itself takes until it is awake, and so does this side.
	inTime = 2 * mostSpin
	// leastSpin is not worth the clock.
	leastSpin = time.Microsecond

	looksPerClock = 32
	looksPerYield = 256
)

func newSpins(now func() time.Duration) *spins { return &spins{now: now, budget: mostSpin} }

// more says whether to look once more.
func (s *spins) more() bool {
	if s.slept {
		return false
	}
	if s.since == 0 {
		s.since, s.looks = max(1, s.now()), 0
		// What the last message has woken runs first: it waits behind this goroutine.
		runtime.Gosched()
		return true
	}
	s.looks++
	if s.looks%looksPerClock != 0 && s.budget > 0 {
		return true
	}
	if s.now()-s.since >= s.budget {
		s.slept = true
		if s.budget /= 2; s.budget < leastSpin {
			s.budget = 0
		}
		return false
	}
	if s.looks%looksPerYield == 0 {
		runtime.Gosched()
	}
	return true
}

// found says that there is something.
func (s *spins) found() {
	if s.since == 0 {
		return
	}
	if s.now()-s.since <= inTime {
		s.budget = min(mostSpin, 2*s.budget+mostSpin/8)
	}
	s.since, s.slept = 0, false
}
