package control

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Without a sign of life for the length of a lease, and at first for firstSign, a member's process is ended.
const (
	firstSign = 30 * time.Second // a busy machine starts programs slowly
	listening = 100 * time.Millisecond
)

var errSilent = errors.New("it gave no sign of life for longer than a lease, as a process that is stopped or waits for its disk; it was killed")

// pulse tells when a process is silent. It counts only time in which this process itself ran:
// a tick that comes late counts as one tick.
type pulse struct {
	limit time.Duration
	heard atomic.Bool
}

// silent waits for the end of ctx, or until there was no sign for too long.
func (p *pulse) silent(ctx context.Context, tick <-chan time.Time) error {
	for left := firstSign; left > 0; left -= listening {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
		if p.heard.Swap(false) {
			left = p.limit
		}
	}
	return errSilent
}
