// Package spin says how long to look for something before going to sleep. What comes in is when something was
// found and when not; what goes out is whether to look once more.
package spin

import (
	"runtime"
	"time"
)

// Spins says how long a side looks before it sleeps. To be woken takes some 20 µs here and as
// long again there, so to look for about that long is worth it where answers come at once. Where they do
// not, it takes a processor from those who would answer: each time that it was of no use, half as
// long is tried the next time.
//
// Where both sides sleep each time, an answer comes late because of that alone. So now and then, and
// less often the less it helps, the longest time is tried again.
type Spins struct {
	now    func() time.Duration
	most   time.Duration
	budget time.Duration // of the time after something came last
	usual  time.Duration // that of most times
	since  time.Duration // when there was nothing first; 0: there is something
	looks  int
	free   int // looks before the clock was looked at
	slept  bool

	until int // times until the longest is tried
	every int
}

const (
	// Most is about what it takes to wake a thread: who looks for that long waits at most
	// twice as long as who knew beforehand which of both is better.
	Most = 25 * time.Microsecond
	// leastSpin is not worth the clock.
	leastSpin = time.Microsecond

	// freeLooks take less than half a microsecond. An answer that is there by then costs neither a look at the clock nor a yield,
	// each of which takes as long as a small kernel.
	freeLooks = 128

	looksPerClock = 32
	looksPerYield = 256

	// What is tried every 1024 times costs 25 ns each time.
	oftenTried, seldomTried = 8, 1024
)

// New looks for at most so long, and reads the time from a clock, which is not to go backwards.
func New(most time.Duration, now func() time.Duration) *Spins {
	return &Spins{now: now, most: most, usual: most, every: oftenTried, until: oftenTried}
}

// More says whether to look once more.
func (s *Spins) More() bool {
	if s.slept {
		return false
	}
	if s.since == 0 {
		if s.free++; s.free <= freeLooks {
			return true
		}
		s.begin()
		return true
	}
	s.looks++
	if s.looks%looksPerClock != 0 && s.budget > 0 {
		return true
	}
	if s.now()-s.since >= s.budget {
		s.failed()
		return false
	}
	if s.looks%looksPerYield == 0 {
		runtime.Gosched()
	}
	return true
}

// begin is when there is nothing for the first time.
func (s *Spins) begin() {
	s.budget, s.looks = s.usual, 0
	if s.until--; s.until <= 0 && s.usual < s.most {
		s.budget, s.until = s.most, s.every
	}
	s.since = max(1, s.now())
	// What the last message has woken runs first: it waits behind this goroutine.
	runtime.Gosched()
}

// failed is when looking has been of no use.
func (s *Spins) failed() {
	s.slept = true
	if s.usual /= 2; s.usual < leastSpin {
		s.usual = 0
	}
	if s.budget > s.usual*2 { // the longest was tried for once
		s.every = min(2*s.every, seldomTried)
	}
}

// Found says that there is something.
func (s *Spins) Found() {
	s.free = 0
	if s.since == 0 {
		return
	}
	took := s.now() - s.since
	switch {
	case !s.slept && s.looks > 0 && s.budget > s.usual:
		s.usual, s.every = s.most, oftenTried
	case took <= 2*s.most: // a peer that sleeps itself takes until it is awake, and so does this side
		s.usual = min(s.most, 2*s.usual+s.most/8)
	}
	s.since, s.slept = 0, false
}
