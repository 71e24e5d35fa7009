package engine

import (
	"slices"
	"sync"
	"time"
)

// In: teams whose pools are closed. Out: the same for pools that follow soon: threads that sleep come sooner than new ones. Invariant: a
// team has one pool or none, and those that nobody wanted for a while have ended.

// standby is an engine's teams without work.
type standby struct {
	mu     sync.Mutex
	idle   []*team // the last one to come is the last
	timer  *time.Timer
	closed bool
}

const (
	// idleFor is how long a team waits for the next pool.
	idleFor = 250 * time.Millisecond
	// mostIdle is how many teams do so.
	mostIdle = 4
)

// take gives a team of n helpers; nil if there is none.
func (c *standby) take(n int) *team {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, t := range slices.Backward(c.idle) {
		if len(t.helpers) == n {
			c.idle = slices.Delete(c.idle, i, i+1)
			return t
		}
	}
	return nil
}

// keep has a team wait for the next pool. It reports false if it shall end.
func (c *standby) keep(t *team) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || len(c.idle) == mostIdle {
		return false
	}
	t.since = time.Now()
	if c.idle = append(c.idle, t); c.timer == nil {
		c.timer = time.AfterFunc(idleFor, c.expire)
	}
	return true
}

// expire ends teams that nobody wanted.
func (c *standby) expire() {
	c.mu.Lock()
	n := 0
	for n < len(c.idle) && time.Since(c.idle[n].since) >= idleFor {
		n++
	}
	old := slices.Clone(c.idle[:n])
	c.idle = slices.Delete(c.idle, 0, n)
	c.timer = nil
	if len(c.idle) > 0 {
		c.timer = time.AfterFunc(idleFor-time.Since(c.idle[0].since), c.expire)
	}
	c.mu.Unlock()
	for _, t := range old {
		t.end()
	}
}

// close ends all teams without work, and lets none come back.
func (c *standby) close() {
	c.mu.Lock()
	old := c.idle
	c.idle, c.closed = nil, true
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	for _, t := range old {
		t.end()
	}
}
