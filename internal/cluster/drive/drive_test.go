package drive_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// told is a core that keeps what it is told, and wants what follows it.
type told struct {
	inputs []any
	wants  map[any][]any
}

func (c *told) Step(_ int64, in any) []any {
	c.inputs = append(c.inputs, in)
	return c.wants[in]
}

// What a peer does not take now is offered again, to one that cannot be reached only if it is a
// client, which may still connect; the core is told of a peer that is lost, nobody but the
// figures of a parcel that is.
func TestSend(t *testing.T) {
	for _, test := range []struct {
		name   string
		to     catalog.Peer
		fails  int64 // offers
		err    error
		lost   bool
		unsent bool
	}{
		{"full", 3, 5, transport.ErrFull, false, false},
		{"a node that is gone", 3, 1, transport.ErrUnreachable, true, true},
		{"a client that connects late", catalog.FirstClient, 5, transport.ErrUnreachable, false, false},
		{"closed", 3, 1, transport.ErrClosed, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var offers atomic.Int64
			sent, unsent := make(chan bool, 1), false
			d := drive.Driver[any, any]{Now: func() int64 { return 0 }, Ctx: t.Context(),
				Offer: func(catalog.Peer, []byte, *loan.Loan) error {
					if offers.Add(1) <= test.fails {
						return test.err
					}
					sent <- true
					return nil
				},
				Lost:   func(p catalog.Peer) any { return p },
				Unsent: func(error) { unsent = true },
			}
			if in := d.Send(test.to, nil, nil); (in != nil) != test.lost {
				t.Errorf("the core is told %v", in)
			}
			if !test.unsent {
				select {
				case <-sent:
				case <-time.After(time.Minute):
					t.Errorf("not sent after %d offers", offers.Load())
				}
			}
			if unsent != test.unsent {
				t.Errorf("unsent %t, expected %t", unsent, test.unsent)
			}
		})
	}
}

// What comes of effects is fed to the core in turn, after all of them.
func TestStep(t *testing.T) {
	core := &told{wants: map[any][]any{"a": {"b", "nothing", "c"}, "b": {"d"}}}
	var done []any
	d := drive.Driver[any, any]{Core: core, Now: func() int64 { return 0 }, Ctx: t.Context(), Do: func(e any) any {
		if done = append(done, e); e == "nothing" {
			return nil
		}
		return e
	}}
	d.Step("a")
	if !slices.Equal(done, []any{"b", "nothing", "c", "d"}) || !slices.Equal(core.inputs, []any{"a", "b", "c", "d"}) {
		t.Errorf("carried out %v, fed %v", done, core.inputs)
	}
}
