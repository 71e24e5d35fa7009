package simulate

import (
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: parcels and jobs of a world without faults, and what a description of machines says that each takes. Out: when they arrive, and end.
// A world's time is in nanoseconds here, so that nothing is rounded, and cores are told it in microseconds as ever. Invariants: whoever sends or gets parcels handles one after the other;
// a wire has the bytes of one parcel at a time; a node computes one piece at a time, on all of its processors.

// clock is what takes time in such a world.
type clock struct {
	link machine.Link
	// compute is what a job takes once the node's processors are its own.
	compute func(work node.Work) float64
	// over says that nothing is waited for any more: alarms may still be to come.
	over  func() bool
	ports map[catalog.Peer]*port
	busy  map[catalog.Peer]float64 // until when processors compute
}

// port is where a peer meets the network.
type port struct{ sends, gets, out, in float64 } // until when: parcels are handled, and bytes pass

// unit is how many of the world's times are a microsecond.
const unit = 1000

// told is the time in microseconds, as cores know it.
func (w *world) told() int64 {
	if w.clock != nil {
		return w.now / unit
	}
	return w.now
}

func newClock(link machine.Link, compute func(node.Work) float64) *clock {
	return &clock{link, compute, func() bool { return false }, map[catalog.Peer]*port{}, map[catalog.Peer]float64{}}
}

func (c *clock) port(p catalog.Peer) *port {
	if c.ports[p] == nil {
		c.ports[p] = &port{}
	}
	return c.ports[p]
}

// arrival is when a parcel that is sent now arrives. What a parcel takes alone is half of a round trip; among others it waits for them.
func (c *clock) arrival(now float64, from, to catalog.Peer, bytes int) float64 {
	a, b, wire := c.port(from), c.port(to), float64(bytes)*c.link.Byte.P50
	leaves := max(now, a.sends, a.out)
	a.sends, a.out = leaves+c.link.Parcel.P50, leaves+wire
	comes := max(leaves+c.link.RoundTrip.P50/2, b.in)
	b.in = comes + wire
	there := max(b.in, b.gets)
	b.gets = there + c.link.Parcel.P50
	return there
}

// end is when work that a node gets now is done.
func (c *clock) end(now float64, at catalog.Peer, work node.Work) float64 {
	done := max(now, c.busy[at]) + c.compute(work)
	c.busy[at] = done
	return done
}

// carry sends a parcel as the clock says.
func (w *world) carry(from, to catalog.Peer, b []byte) {
	at := w.clock.arrival(float64(w.now), from, to, len(b))
	w.after(int64(at+0.5)-w.now, func() { w.arrive(&memnet.Delivery{From: from, To: to, Bytes: b}) })
}
