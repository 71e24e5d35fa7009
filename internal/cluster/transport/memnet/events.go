package memnet

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

type kind uint8

const (
	parcels kind = iota
	ends         // of a connection
	noticed      // a cut has lasted long enough
)

// event is something that will happen.
type event struct {
	at    time.Duration
	order uint64 // among those of one time
	kind  kind
	pair
	bytes  []byte
	number uint64 // of the parcel on its link
	lives  [2]int // of sender and receiver, when it was sent; of an end, the observer's
	why    error
	cut    Cut
}

// events is a heap by time, then order of creation.
type events []*event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(*event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	(*e)[last] = nil
	*e = (*e)[:last]
	return x
}

func (n *Network) push(e *event) {
	e.order = n.order
	n.order++
	heap.Push(&n.events, e)
}

func comparePairs(a, b pair) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
}

// Next is the time of the next event. It need not lead to a delivery.
func (n *Network) Next() (time.Duration, bool) {
	if len(n.events) == 0 {
		return 0, false
	}
	return n.events[0].at, true
}

// Due takes out everything that has happened by now, in order.
func (n *Network) Due(now time.Duration) []Delivery {
	var due []Delivery
	for len(n.events) > 0 && n.events[0].at <= now {
		e := heap.Pop(&n.events).(*event)
		switch e.kind {
		case parcels:
			n.links[e.pair].flying--
			if n.arrives(e) {
				due = append(due, Delivery{At: e.at, From: e.from, To: e.to, Bytes: e.bytes})
			}
		case ends:
			if n.host(e.from).life == e.lives[0] {
				n.links[e.pair].telling = false
				n.counts.Gone++
				due = append(due, Delivery{At: e.at, From: e.to, To: e.from, Gone: e.why})
			}
		case noticed:
			crosses := func(p pair) bool { return e.cut.stops(p.from, p.to) || e.cut.stops(p.to, p.from) }
			for _, p := range n.connections(crosses) {
				due = append(due, n.ended(e.at, p))
			}
		}
	}
	n.forgetCuts(now)
	return due
}

// arrives settles what becomes of a parcel at its time.
func (n *Network) arrives(e *event) bool {
	from, to := n.host(e.from), n.host(e.to)
	switch {
	case to.down || to.life != e.lives[1]:
		n.counts.Crashed++
		return false
	case from.life != e.lives[0] && n.chance(0.5):
		n.counts.Crashed++
		return false
	case n.cut(e.at, e.pair):
		n.counts.Cut++
		return false
	}
	n.counts.Delivered++
	l := n.links[e.pair]
	if e.number < l.seen {
		n.counts.Overtaken++
	}
	l.seen = max(l.seen, e.number)
	return true
}

// ended tells of a connection's end at once: the time to notice has passed.
func (n *Network) ended(at time.Duration, p pair) Delivery {
	n.links[p].connected = false
	n.counts.Gone++
	return Delivery{At: at, From: p.to, To: p.from, Gone: ErrCut}
}

// forgetCuts drops cuts that nothing can meet any more.
func (n *Network) forgetCuts(now time.Duration) {
	kept := n.cuts[:0]
	for _, c := range n.cuts {
		if c.Until > now {
			kept = append(kept, c)
		}
	}
	n.cuts = kept
}

// InFlight is the number of parcels on their way from one peer to another.
func (n *Network) InFlight(from, to catalog.Peer) int { return n.link(pair{from, to}).flying }
