package engine

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// Claim is a job's part in a Share. The nil Claim has all processors to itself.
type Claim struct {
	c       *client
	used    atomic.Int64 // nanoseconds
	lowered atomic.Bool
}

// Leave ends a claim. All its turns have ended.
func (c *Claim) Leave() {
	if c != nil {
		c.c.share.leave(c.c)
	}
}

// Used is the time that the job's turns took, over all threads.
func (c *Claim) Used() time.Duration {
	if c == nil {
		return 0
	}
	return time.Duration(c.used.Load())
}

// Lowered reports that threads of the job have a lower priority for good: the goroutine
// that ran it, which keeps one of them, should end.
func (c *Claim) Lowered() bool { return c != nil && c.lowered.Load() }

// Shared reports whether others want processors as well.
func (c *Claim) Shared() bool {
	if c == nil {
		return false
	}
	s := c.c.share
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count > 1
}

// Await waits until the job could have a turn. It is for jobs that take memory before
// they work.
func (c *Claim) Await(ctx context.Context) error {
	if c == nil {
		return nil
	}
	if err := c.c.take(ctx, true); err != nil {
		return err
	}
	s := c.c.share
	s.mu.Lock()
	defer s.mu.Unlock()
	c.c.give(nil)
	return nil
}

// Turn is one worker's part in a claim. It belongs to one goroutine. Between Take and
// Give the worker computes and waits for nothing.
type Turn struct {
	claim *Claim
	began time.Time // of its first slice
	at    time.Time // of this slice
	tid   int
	level int  // by how much the thread is lowered
	kept  bool // the goroutine keeps its thread, which ends with it
}

// Turn makes a worker's part.
func (c *Claim) Turn() *Turn {
	if c == nil {
		return nil
	}
	return &Turn{claim: c}
}

// Take waits until the worker may go on. Without an error, Give must follow.
func (t *Turn) Take(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.claim.c.take(ctx, t.began.IsZero() || time.Since(t.began) < lookFrom); err != nil {
		return err
	}
	runtime.LockOSThread()
	t.tid, t.at = thread(), time.Now()
	if t.began.IsZero() {
		t.began = t.at
	}
	t.claim.c.share.settle(t)
	return nil
}

// Give lets others go on.
func (t *Turn) Give() {
	if t == nil {
		return
	}
	t.claim.used.Add(int64(time.Since(t.at)))
	s := t.claim.c.share
	s.mu.Lock()
	t.claim.c.give(t)
	s.mu.Unlock()
	switch {
	case t.level == 0 && !t.kept, t.kept:
		runtime.UnlockOSThread()
	default: // whoever lowers a thread can mostly not raise it again
		t.kept = true
		t.claim.lowered.Store(true)
	}
}

// lower gives the worker's thread, which is at work, a priority.
func (t *Turn) lower(level int) {
	if level != t.level && prioritise(t.tid, level) {
		t.level = level
	}
}

// yields is by how much a worker's thread is lowered for its age alone.
func (t *Turn) yields(now time.Time) int {
	if now.Sub(t.began) < yieldAfter {
		return 0
	}
	return yield
}
