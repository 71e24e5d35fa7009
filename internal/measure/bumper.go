package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	wire "github.com/godwit-run/godwit/internal/cluster/transport/stream"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
)

// bumper sends recorded parcels to a node as another node would, which may have a fabric. The next parcel is sent where an answer
// arrives, without a hand-over between goroutines: so do the messages in C.
type bumper struct {
	self, to catalog.Peer
	way      *carriage
	net      *wire.Transport
	answered chan error // the end of a burst

	mu      sync.Mutex
	what    *recorded
	request uint64
	send    int // parcels of the burst that are to be sent
	wait    int // answers that are to come
	began   time.Time
	last    time.Duration   // since then
	times   []time.Duration // between answers
}

// stranger is the number of this process among the nodes, which has no other.
const stranger = catalog.Peer(61)

// bumping are the options of this end.
func (f *fleet) bumping(w *carriage) (o wire.Options, err error) {
	o = wire.Options{Self: stranger, Rings: w.rings}
	if w.fabric != "" {
		if o.Fabric, err = ucx.Parse(w.fabric); err != nil {
			return o, err
		}
	}
	o.Identity, err = identity.Load(f.dir + "/nodes/n1/identity")
	return o, err
}

// reach connects, and waits until parcels go the way that they are to go.
func (b *bumper) reach(ctx context.Context) error {
	want := "stream"
	switch {
	case b.way.rings:
		want = "ring"
	case b.way.fabric != "":
		want = "fabric"
	}
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		_ = b.net.Send(b.to, []byte{0}) // no parcel: the node drops it
		if b.net.Ways()[b.to] == want {
			return nil
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if time.Since(start) > 15*time.Second {
			return fmt.Errorf("the node is reached through %q, not %q", b.net.Ways()[b.to], want)
		}
	}
}

// trips sends n parcels one after the other, and gives the median of there and back.
func (b *bumper) trips(ctx context.Context, k *recorded, n int) (time.Duration, error) {
	if _, err := b.burst(ctx, k, n, 1); err != nil {
		return 0, err
	}
	slices.Sort(b.times)
	return b.times[n/2], nil
}

// rate sends n parcels, many of them before the first answer, and gives the time of all.
func (b *bumper) rate(ctx context.Context, k *recorded, n int) (time.Duration, error) {
	return b.burst(ctx, k, n, underWay)
}

func (b *bumper) burst(ctx context.Context, k *recorded, n, ahead int) (time.Duration, error) {
	b.mu.Lock()
	b.what, b.send, b.wait, b.times = k, n, n, b.times[:0]
	start := time.Now()
	b.began, b.last = start, 0
	for range min(ahead, n) {
		of := loan.Of(len(k.bytes))
		if err := transport.Lend(b.net, b.to, b.next(of.Bytes()[:0]), of); err != nil {
			b.mu.Unlock()
			return 0, err
		}
	}
	b.mu.Unlock()
	select {
	case err := <-b.answered:
		return time.Since(start), err
	case <-time.After(time.Minute):
		return 0, errors.New("no answer came for a minute")
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// next appends one more parcel.
func (b *bumper) next(room []byte) []byte {
	b.send--
	b.request++
	h := b.what.head
	h.Caller, h.Request = b.self, b.request
	room = append(room, b.what.bytes...)
	parcel.Readdress(room, &h)
	return room
}

// Receive implements transport.Handler.
func (b *bumper) Receive(_ catalog.Peer, answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.what == nil {
		return
	}
	of := loan.Of(len(b.what.bytes))
	next := b.take(answer, of.Bytes()[:0])
	if len(next) == 0 {
		of.Back()
		return
	}
	if err := transport.Lend(b.net, b.to, next, of); err != nil {
		b.end(err)
	}
}

// Borrow implements transport.Borrower, as callers do.
func (b *bumper) Borrow(from catalog.Peer, answer []byte, of *loan.Loan) {
	b.Receive(from, answer)
	of.Back()
}

// Swift implements transport.Swift: the next parcel is the answer to an answer.
func (b *bumper) Swift(_ catalog.Peer, answer, room []byte) ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.what == nil || len(b.what.bytes) > transport.SwiftBytes {
		return nil, false
	}
	return b.take(answer, room), true
}

// take takes an answer, and appends the next parcel, if there is one.
func (b *bumper) take(answer, room []byte) []byte {
	if b.wait == 0 {
		return nil
	}
	err := b.right(answer)
	now := time.Since(b.began)
	b.times = append(b.times, now-b.last)
	b.last = now
	if b.wait--; err != nil || b.wait == 0 {
		b.end(err)
		return nil
	}
	if b.send == 0 {
		return nil
	}
	return b.next(room)
}

// end ends a burst.
func (b *bumper) end(err error) {
	b.wait, b.send = 0, 0
	b.answered <- err
}

// right holds an answer against what is expected: the last one of a burst to the last bit.
func (b *bumper) right(answer []byte) error {
	h, _, payload, err := parcel.ReadHeader(answer)
	switch {
	case err != nil:
		return err
	case b.what.refused && h.Kind == parcel.Fail:
		return nil
	case h.Kind == parcel.Fail:
		f, err := parcel.ReadFailure(payload)
		if err != nil {
			return err
		}
		return fmt.Errorf("the node says to %v: %s", b.what, f.Detail)
	case h.Kind != parcel.Result || b.what.refused:
		return fmt.Errorf("a parcel of kind %v came as an answer to %v", h.Kind, b.what)
	case b.wait > 1:
		return nil
	}
	a, err := parcel.ReadAnswer(payload)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(a.Columns, b.what.answer, bytes.Equal) {
		return fmt.Errorf("%d states came back of %v, and are not those of the call", a.States, b.what)
	}
	return nil
}

// Gone implements transport.Handler.
func (b *bumper) Gone(_ catalog.Peer, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wait > 0 {
		b.end(fmt.Errorf("the connection has ended: %w", err))
	}
}

func (b *bumper) close() { _ = b.net.Close() }

var _ transport.Swift = (*bumper)(nil)
