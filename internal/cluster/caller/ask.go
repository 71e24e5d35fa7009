package caller

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// asking is an Ask in hand.
type asking struct {
	c       *Core
	ask     *Ask
	to      catalog.Peer // who has it
	sent    int          // times
	turn    int          // which replica's turn it is
	waiting bool         // to be sent again when the timer is due
	alone   bool         // there was no replica to send it to
	fresh   bool         // under a new number then: nodes may have dropped the old one
}

func (c *Core) ask(in *Ask) { c.begin(c.asking(in), in.Left) }

func (c *Core) asking(in *Ask) *operation {
	w := &asking{c: c, ask: in, fresh: true}
	op := &operation{id: in.ID, kind: in.Kind, flags: in.Flags, work: w, room: in.Room}
	if in.Code.ID != (Code{}).ID {
		op.codes = append(append(op.codes, in.Code), in.More...)
	}
	return op
}

// askingAfter is for what another node was asked before.
func (c *Core) askingAfter(in *Ask, before catalog.Peer) *operation {
	op := c.asking(in)
	op.work.(*asking).to = before
	return op
}

func (w *asking) begin(op *operation) { w.send(op) }

// send sends the request to whose turn it is.
func (w *asking) send(op *operation) {
	to, err := w.target(op)
	if err != nil {
		w.c.end(op, err)
		return
	}
	if w.waiting, w.alone = false, to == 0; w.alone {
		op.tries++
		w.again(op, w.c.backoff(op))
		return
	}
	if w.fresh {
		w.c.depart(op)
	}
	if w.sent++; w.sent > 1 {
		op.tries++
		op.stats.Retries++
	}
	if w.ask.To == 0 {
		w.c.moved(op, w.to, to)
	}
	w.to, w.fresh = to, false
	if w.c.post(op, to, encoded(w.ask.Payload)) {
		w.c.wakeAt(op, w.c.now+w.c.patience(op.tries))
	}
}

// target is who gets the request next; 0 if a replica of the shard is to be waited for.
func (w *asking) target(op *operation) (catalog.Peer, *Error) {
	c := w.c
	if w.ask.To != 0 {
		if c.view != nil {
			if _, ok := c.view.Node(w.ask.To); !ok {
				return 0, &Error{Reason: parcel.Unreachable, Node: w.ask.To, Name: c.name(w.ask.To), Shard: -1,
					Detail: fmt.Sprintf("the node is not alive at revision %d; start it again", c.view.Revision)}
			}
		}
		return w.ask.To, nil
	}
	s, err := c.setOf(w.ask.Set)
	if err != nil {
		return 0, err
	}
	if w.ask.Shard < 0 || w.ask.Shard >= len(s.Shards) {
		return 0, c.refuse(fmt.Sprintf("`%s` has shards 0 to %d, not %d", s.Name, len(s.Shards)-1, w.ask.Shard))
	}
	if p := c.choose(s, w.ask.Shard, w.turn, op.tries); p != 0 {
		return p, nil
	}
	return 0, c.nobody(op, s, w.ask.Shard)
}

// due sends the request again. One that was not answered in time goes to the
// same node once more, where it is recognised if it is in hand, and then to
// the next replica under a new number.
func (w *asking) due(op *operation) {
	if !w.waiting && w.sent%2 == 0 {
		w.turn++
		w.fresh = true
	}
	w.send(op)
}

// again sends the request again after a while.
func (w *asking) again(op *operation, wait int64) {
	if !w.waiting {
		w.waiting = true
		w.c.wakeAt(op, w.c.now+wait)
	}
}

func (w *asking) answered(op *operation, from catalog.Peer, request uint64, a *parcel.Answer) {
	op.settle(request, from)
	w.c.deliver(op, a)
}

func (w *asking) failed(op *operation, from catalog.Peer, request uint64, f *parcel.Failure) {
	c := w.c
	op.settle(request, from)
	switch f.Reason {
	case parcel.Busy:
		w.turn++
		w.again(op, max(int64(f.Retry)+c.jitter(op, int64(f.Retry)/2), c.backoff(op)))
	case parcel.NoCode, parcel.Unreachable:
		if err := c.wants(op, from, f); err != nil {
			c.end(op, err)
			return
		}
		w.turn++
		w.again(op, c.backoff(op))
	case parcel.NoShard:
		if w.ask.To != 0 {
			c.end(op, c.failure(f))
			return
		}
		if c.lacks(from, w.ask.Set, w.ask.Shard) {
			w.again(op, 0)
			return
		}
		// The node has not heard of the data set yet.
		if err := c.wants(op, from, f); err != nil {
			c.end(op, err)
			return
		}
		w.turn++
		w.again(op, c.backoff(op))
	case parcel.Cancelled: // the node lost sight of this caller for a moment
		w.fresh = true
		w.again(op, c.backoff(op))
	default:
		c.end(op, c.failure(f))
	}
}

func (w *asking) lost(op *operation, p catalog.Peer) {
	if p == w.to {
		w.fresh = true
		w.again(op, w.c.backoff(op))
	}
}

// learned looks whether there is still somebody to ask.
func (w *asking) learned(op *operation) {
	to, err := w.target(op)
	switch {
	case err != nil:
		w.c.end(op, err)
	case to != 0 && w.alone:
		w.send(op)
	}
}

func (w *asking) expired(op *operation) (catalog.Peer, string) {
	if w.sent == 0 {
		if to, _ := w.target(op); to != 0 {
			return 0, "the deadline was over before the request to " + w.c.name(to) + " was sent"
		}
		return 0, "the deadline was over before the request was sent"
	}
	if w.sent == 1 {
		return w.to, "no answer within the deadline"
	}
	return w.to, fmt.Sprintf("no answer within the deadline, although the request was sent %d times", w.sent)
}
