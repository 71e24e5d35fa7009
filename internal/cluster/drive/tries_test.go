package drive_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// A peer that takes nothing is offered a parcel less and less often, for two seconds; a client that does not connect, for one, and then it is lost, which the
// core is told, late as it is. Once everything ends nothing is offered any more.
func TestTries(t *testing.T) {
	for _, test := range []struct {
		name string
		to   catalog.Peer
		err  error
		ends time.Duration // of the context; 0 for never
		took time.Duration // from the first offer to the last, about
		lost bool
	}{
		{"full", 3, transport.ErrFull, 0, 2 * time.Second, false},
		{"a client that is full", catalog.FirstClient, transport.ErrFull, 0, 2 * time.Second, false},
		{"a client that does not connect", catalog.FirstClient, transport.ErrUnreachable, 0, time.Second, true},
		{"full at the end of everything", 3, transport.ErrFull, 500 * time.Millisecond, 500 * time.Millisecond, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, ctx := time.Now(), t.Context()
				if test.ends > 0 {
					var cancel func()
					ctx, cancel = context.WithTimeout(ctx, test.ends)
					defer cancel()
				}
				core := &told{}
				var offers []time.Duration
				var unsent []error
				d := drive.Driver[any, any]{Core: core, Now: func() int64 { return 0 }, Ctx: ctx,
					Offer: func(catalog.Peer, []byte, *loan.Loan) error {
						offers = append(offers, time.Since(start))
						return test.err
					},
					Lost:   func(p catalog.Peer) any { return p },
					Unsent: func(err error) { unsent = append(unsent, err) },
				}
				if in := d.Send(test.to, nil, nil); in != nil {
					t.Errorf("the core is told %v at once", in)
				}
				time.Sleep(time.Hour)
				last := offers[len(offers)-1]
				if last < test.took*3/4 || last > test.took*9/8 {
					t.Errorf("offered %d times, last after %v, expected about %v", len(offers), last, test.took)
				}
				for i, at := range offers[1:] {
					if pause := at - offers[i]; pause < time.Millisecond || pause > 64*time.Millisecond || i > 0 && pause < offers[i]-offers[i-1] {
						t.Errorf("offer %d comes %v after the one before", i+1, pause)
					}
				}
				if lost := len(core.inputs) == 1 && core.inputs[0] == any(test.to); lost != test.lost || !test.lost && len(core.inputs) > 0 {
					t.Errorf("the core is told %v; expected that the peer is lost: %v", core.inputs, test.lost)
				}
				if given := test.ends == 0; given != (len(unsent) == 1) || given && !errors.Is(unsent[0], test.err) {
					t.Errorf("unsent: %v; expected once: %v", unsent, given)
				}
			})
		})
	}
}
