package daemon

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// In: parcels that a node sends. Out: the same parcels, each so much later, as if the link were as long. Invariant: they wait side by side, so
// that many under way overlap, and what cannot be sent in the end is told as the loss of the peer.

const (
	// lateSpin is the last part of a wait, which no timer meets.
	lateSpin = 100 * time.Microsecond
	// lateBytes is how much waits at most; more is offered again later.
	lateBytes = 64 << 20
	// lateFull is how long a parcel waits again whose peer has no room, and lateMost how long it does that.
	lateFull = 100 * time.Microsecond
	lateMost = 2 * time.Second
)

// late holds parcels back.
type late struct {
	by   time.Duration
	send func(catalog.Peer, []byte) error
	gone func(catalog.Peer, error)
	ring chan struct{} // has an element while some wait

	mu    sync.Mutex
	queue []heldBack // by due
	bytes int
}

type heldBack struct {
	due, until time.Time
	to         catalog.Peer
	b          []byte
}

func newLate(by time.Duration, send func(catalog.Peer, []byte) error, gone func(catalog.Peer, error)) *late {
	return &late{by: by, send: send, gone: gone, ring: make(chan struct{}, 1)}
}

// hold takes a parcel.
func (l *late) hold(to catalog.Peer, b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bytes+len(b) > lateBytes && l.bytes > 0 {
		return transport.ErrFull
	}
	now := time.Now()
	l.put(heldBack{now.Add(l.by), now.Add(l.by + lateMost), to, b})
	return nil
}

// put queues a parcel. Called with mu held.
func (l *late) put(h heldBack) {
	l.bytes += len(h.b)
	l.queue = append(l.queue, h)
	select {
	case l.ring <- struct{}{}:
	default:
	}
}

// run sends parcels when they are due, until ctx ends.
func (l *late) run(ctx context.Context) {
	for {
		h, ok := l.first()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-l.ring:
			}
			continue
		}
		if !until(ctx, h.due) {
			return
		}
		err := l.send(h.to, h.b)
		switch {
		case errors.Is(err, transport.ErrFull) && time.Now().Before(h.until):
			h.due = time.Now().Add(max(lateFull, l.by))
			l.mu.Lock()
			l.put(h)
			l.mu.Unlock()
		case err != nil && !errors.Is(err, transport.ErrClosed):
			l.gone(h.to, err)
		}
	}
}

func (l *late) first() (h heldBack, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.queue = nil
		return h, false
	}
	h, l.queue = l.queue[0], l.queue[1:]
	l.bytes -= len(h.b)
	return h, true
}

// until waits; it reports false when ctx has ended.
func until(ctx context.Context, due time.Time) bool {
	if wait := time.Until(due) - lateSpin; wait > 0 {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wait):
		}
	}
	for time.Now().Before(due) {
		runtime.Gosched()
	}
	return ctx.Err() == nil
}
