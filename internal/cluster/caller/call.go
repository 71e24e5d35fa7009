package caller

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// Call runs a package at a node. It may move on from there; the first reply ends
// it, or the end of all that it began. A package may do anything, so it is
// sent again only when a node says that it did not run.
type Call struct {
	ID      ID
	Code    Code         // the package; ID is the hash of all its bytes
	To      catalog.Peer // who gets it
	Payload []byte       // of a parcel.Call
	Hops    uint16       // how often it may be passed on; 0 for Options.Hops
	Left    int64        // microseconds until the deadline
}

func (*Call) input() {}

// calling is a Call in hand.
type calling struct {
	c       *Core
	call    *Call
	share   uint64 // given back by runs that ended without a reply
	waiting bool   // to be sent again when the timer is due
}

func (c *Core) call(in *Call) {
	op := &operation{id: in.ID, kind: parcel.Send, hops: in.Hops, codes: []Code{in.Code}}
	op.work = &calling{c: c, call: in}
	c.begin(op, in.Left)
}

func (w *calling) begin(op *operation) {
	w.c.depart(op)
	w.send(op)
}

func (w *calling) send(op *operation) {
	c, to := w.c, w.call.To
	if c.view != nil {
		if _, alive := c.view.Node(to); !alive {
			c.end(op, &Error{Reason: parcel.Unreachable, Node: to, Name: c.name(to), Shard: -1,
				Detail: fmt.Sprintf("the node is not alive at revision %d; start it again", c.view.Revision)})
			return
		}
	}
	w.waiting = false
	if c.post(op, to, encoded(w.call.Payload)) {
		c.wakeAt(op, op.deadline)
	}
}

func (w *calling) due(op *operation) {
	if w.waiting {
		op.tries++
		op.stats.Retries++
		w.send(op)
	}
}

// answered takes a reply, or the share of a run that ended without one.
func (w *calling) answered(op *operation, from catalog.Peer, request uint64, a *parcel.Answer) {
	if len(a.Columns) == 0 {
		if w.share += min(a.Steps, parcel.Whole-w.share); w.share < parcel.Whole {
			return
		}
	}
	for i := range op.trips {
		op.trips[i].peers = nil // what it has begun goes on
	}
	op.stats.From = from
	w.c.deliver(op, a)
}

func (w *calling) failed(op *operation, from catalog.Peer, request uint64, f *parcel.Failure) {
	c := w.c
	op.settle(request, from)
	wait := c.backoff(op)
	switch {
	case from != w.call.To || !op.untouched:
		c.end(op, c.failure(f))
		return
	case f.Reason == parcel.Busy:
		wait = max(int64(f.Retry)+c.jitter(op, int64(f.Retry)/2), wait)
	case f.Reason == parcel.NoCode:
		if err := c.wants(op, from, f); err != nil {
			c.end(op, err)
			return
		}
	default:
		c.end(op, c.failure(f))
		return
	}
	w.waiting = true
	c.wakeAt(op, c.now+wait)
}

func (w *calling) lost(op *operation, p catalog.Peer) {
	if p == w.call.To && !w.waiting {
		w.c.end(op, &Error{Reason: parcel.Unreachable, Node: p, Name: w.c.name(p), Shard: -1,
			Detail: "the connection broke before there was a reply; the package may have run or not, so it is not sent again"})
	}
}

func (w *calling) learned(*operation) {}

func (w *calling) expired(*operation) (catalog.Peer, string) {
	return w.call.To, "no reply within the deadline; the package may have run or not"
}
