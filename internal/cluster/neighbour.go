package cluster

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: what nodes have published of the machines that they run on. Out: what one says that is a process of this machine and user, which holds for this
// process, too. Invariant: only a connection tells that a node is one of this machine, never its name or address; whom to connect with is guessed by that.

// neighbour is this machine as a node of it has measured it.
type neighbour struct {
	mu    sync.Mutex
	m     *machine.Machine // nil if none is known
	asked time.Time        // when none was known last
}

// Neighbour is this machine as a node of it has measured it; nil if none has, or none answers. That is looked up once, and again after a while if
// there was none.
func (c *Cluster) Neighbour(ctx context.Context) *machine.Machine {
	n := &c.neighbour
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.m != nil || time.Since(n.asked) < linkValid {
		return n.m
	}
	near, ok := c.net.(transport.Neighbours)
	if !ok {
		return nil
	}
	all, cancel := aside(ctx)
	defer cancel()
	beside := func(p catalog.Peer) bool { _, ok := near.Near(p); return ok }
	nodes := c.View().Nodes
	for _, known := range []bool{true, false} { // first those that there is a connection with
		for i := range nodes {
			x := &nodes[i]
			if x.Machine == "" || x.Far || known && !beside(x.Peer) {
				continue
			}
			if !known && (!ours(x.Address) || !c.meet(all, x.Peer) || !soon(all, func() bool { return beside(x.Peer) })) {
				continue
			}
			if m := c.machineOf(x.Peer, x.Machine); m != nil && m.Measured != "" {
				own := *m
				own.By = x.Name
				n.m = &own
				return n.m
			}
		}
	}
	if ctx.Err() == nil {
		n.asked = time.Now()
	}
	return nil
}

// meet asks a node how it is, so that there is a connection; false if it does not answer.
func (c *Cluster) meet(ctx context.Context, p catalog.Peer) bool {
	_, err := c.do(ctx, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Status, To: p, Payload: (&parcel.Inquiry{}).Append(nil), Left: c.left(ctx)}
	})
	return err == nil
}

// ringTime is how long a connection has to become one through memory: the two find out beside their first parcels.
const ringTime = 50 * time.Millisecond

// soon waits for something that comes by itself; false if it does not.
func soon(ctx context.Context, ok func() bool) bool {
	for end := time.Now().Add(ringTime); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// ours reports that an address is one of this machine's, as far as it says.
func ours(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return host == "localhost"
	}
	if ip.IsLoopback() {
		return true
	}
	list, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range list {
		if own, ok := a.(*net.IPNet); ok && own.IP.Equal(ip) {
			return true
		}
	}
	return false
}
