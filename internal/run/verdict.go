package run

import (
	"sync"
	"time"
)

// In: what contests of ways have found. Out: the same, for launches over the same files soon afterwards, which then lose no
// time on ways that are slower. Invariant: a verdict that is old, or that a stretch contradicts, is no verdict.

// held is what a contest is about: a kernel, on so many threads, over a file.
type held struct {
	kernel  [32]byte
	path    string
	threads int
}

// verdict is the way that won, and what it took.
type verdict struct {
	way     way
	elapsed float64 // nanoseconds per outer index, the median of its trials
	at      time.Time
}

const (
	// believed is how long a verdict holds: the page cache, and who else uses the machine, change within seconds.
	believed = 10 * time.Second
	// surprise is how many times as long as it should a stretch takes if its verdict is forgotten, as when the file has left the
	// page cache. A stretch that was interrupted takes as long, and costs no more than another contest.
	surprise = 4
	// mostVerdicts is how many are kept.
	mostVerdicts = 256
)

// verdicts are those of this process.
var verdicts recentVerdicts

// recentVerdicts is safe for concurrent use.
type recentVerdicts struct {
	mu   sync.Mutex
	list map[held]verdict
}

func (r *recentVerdicts) of(h held) (verdict, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.list[h]
	return v, ok && time.Since(v.at) < believed
}

func (r *recentVerdicts) remember(h held, v verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list == nil || len(r.list) >= mostVerdicts {
		r.list = map[held]verdict{} // they are short-lived anyway
	}
	r.list[h] = v
}

func (r *recentVerdicts) forget(h held) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.list, h)
}
