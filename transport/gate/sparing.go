package gate

import (
	"sync"
	"time"
)

// Strangers can have a node log a line for each connection that they open. So that
// they cannot fill its disk, there are Burst lines at once, and one a second later on.
const Burst = 50

// Sparing says which lines are logged.
type Sparing struct {
	mu     sync.Mutex
	used   int       // lines of the burst
	since  time.Time // used was right then
	silent int       // lines that were not logged since the last one that was
}

// Allow says whether a line may be logged, and how many were not before it.
func (s *Sparing) Allow(now time.Time) (silent int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if passed := int(now.Sub(s.since) / time.Second); passed > 0 {
		s.used, s.since = max(0, s.used-passed), now
	}
	if s.used >= Burst {
		s.silent++
		return 0, false
	}
	s.used++
	silent, s.silent = s.silent, 0
	return silent, true
}
