package fleet

import "time"

// Restarts is how often within window a node that ended unasked is started again.
const Restarts = 5

const (
	window     = 10 * time.Minute
	firstPause = time.Second
)

// pauses decides when a node that ended is started again: after 1 s, 2 s, 4 s and so on,
// at most limit times within the window. It has no clock of its own.
type pauses struct {
	limit int
	first time.Duration
	past  []time.Time // when it was started again, within the window
}

// next is the pause before the next start, and which of how many it is; 0 of them
// when there is to be none.
func (p *pauses) next(now time.Time) (pause time.Duration, nth int) {
	for len(p.past) > 0 && now.Sub(p.past[0]) >= window {
		p.past = p.past[1:]
	}
	if len(p.past) >= p.limit {
		return 0, 0
	}
	pause = p.first << len(p.past)
	p.past = append(p.past, now.Add(pause))
	return pause, len(p.past)
}

// forget begins anew, because somebody has asked for the node.
func (p *pauses) forget() { p.past = nil }
