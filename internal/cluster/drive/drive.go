// Package drive runs the pure cores of nodes and callers, with a clock and connections that it is given: it
// feeds them what happens, one input after another, and carries out what they want.
//
// In: inputs, from any goroutine, and ticks. Out: the effects that the core wants, carried out by whoever brought the input, and parcels, offered
// until the peer takes them or is given up. Invariants: the core works on one input at a time; the lock is not held while effects are carried out, so
// these may bring inputs themselves; a core that waits for nothing is not ticked.
package drive

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// Core decides. What Step gives is valid until the next Step.
type Core[In, Effect any] interface {
	Step(now int64, in In) []Effect
}

// waiter is a core that knows whether it waits for time to pass.
type waiter interface{ Waits() bool }

// Driver drives one core.
type Driver[In, Effect any] struct {
	Core Core[In, Effect]
	Now  func() int64    // the core's clock, in microseconds; never goes back
	Ctx  context.Context // nothing is sent again after its end
	// Sends is told of each parcel once, before it is offered; may be nil.
	Sends func(to catalog.Peer, b []byte)
	// Offer passes a parcel to the transport, with the memory that it lies in if that is lent; see transport.Lend.
	Offer func(to catalog.Peer, b []byte, of *loan.Loan) error
	// Do carries out an effect. What it gives back, if not nil, is fed to the core.
	Do func(Effect) In
	// Lost is told of a peer that cannot be reached, and gives what that is to the core.
	Lost func(catalog.Peer) In
	// Unsent is told why a parcel was dropped; may be nil.
	Unsent func(error)

	mu      sync.Mutex // held while Core works
	stirred chan struct{}
	resting bool // nobody ticks until somebody steps
}

// Step feeds the core and carries out what it wants, and what comes of that.
func (d *Driver[In, Effect]) Step(in In) {
	var space [8]Effect
	queue := []In{in}
	for len(queue) > 0 {
		in, queue = queue[0], queue[1:]
		d.mu.Lock()
		d.stir()
		effects := append(space[:0], d.Core.Step(d.Now(), in)...)
		d.mu.Unlock()
		for _, e := range effects {
			if next := d.Do(e); any(next) != nil {
				queue = append(queue, next)
			}
		}
	}
}

// Between runs f between two steps.
func (d *Driver[In, Effect]) Between(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stir()
	f()
}

// Ticks feeds an input every so often, until Ctx ends. While the core waits for nothing it costs nothing.
func (d *Driver[In, Effect]) Ticks(every time.Duration, tick In) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-d.Ctx.Done():
			return
		case <-t.C:
			d.Step(tick)
		}
		if !d.rests() {
			continue
		}
		t.Stop()
		select {
		case <-d.Ctx.Done():
			return
		case <-d.stirred:
			t.Reset(every)
		}
	}
}

// rests reports that ticks would change nothing until somebody steps, who then says so.
func (d *Driver[In, Effect]) rests() bool {
	core, ok := d.Core.(waiter)
	if !ok {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.resting = !core.Waits(); d.resting && d.stirred == nil {
		d.stirred = make(chan struct{}, 1)
	}
	return d.resting
}

// stir has ticks go on. mu is held.
func (d *Driver[In, Effect]) stir() {
	if d.resting {
		d.resting = false
		d.stirred <- struct{}{} // there is room: whoever rests takes it before it rests again
	}
}

// A peer is tried again after 1, 2, 4, … 64, 64, … ms: one that is full for two seconds in
// all, a client without a connection for one.
const (
	fullWait  = time.Millisecond
	fullTries = 36
	dialTries = 20
)

// Send passes a parcel to the transport, and gives what the core must hear of that. When the
// peer takes no more at present, or is a client that has not connected yet, it is tried again.
// A parcel that is lost in the end costs its caller patience.
func (d *Driver[In, Effect]) Send(to catalog.Peer, b []byte, of *loan.Loan) In {
	if d.Sends != nil {
		d.Sends(to, b)
	}
	return d.send(to, b, of, 0)
}

func (d *Driver[In, Effect]) send(to catalog.Peer, b []byte, of *loan.Loan, tries int) (news In) {
	err := d.Offer(to, b, of)
	switch {
	case err == nil:
		return news
	case errors.Is(err, transport.ErrUnreachable) && (to < catalog.FirstClient || tries >= dialTries):
		news = d.Lost(to)
	case tries < fullTries && !errors.Is(err, transport.ErrClosed):
		time.AfterFunc(fullWait<<min(tries, 6), func() {
			if d.Ctx.Err() != nil {
				return
			}
			if in := d.send(to, b, of, tries+1); any(in) != nil {
				d.Step(in)
			}
		})
		return news
	}
	if d.Unsent != nil {
		d.Unsent(err)
	}
	return news
}
