package node

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// In: parcels, kernels and the time that jobs took. Out: who they count to, and who has
// more than its part. Everything counts to the client that asked for it, whichever node
// passed it on, and to the owner of that client.

// owner is the clients that have one certificate. A client of which no certificate is
// known is an owner of its own if it is connected here; those of which another node
// tells are one owner together.
type owner struct {
	name    string
	clients int
	sum     account
	in      [lanes]standing
}

// party is a peer, mostly a client, that asks for work, and what counts to it.
type party struct {
	peer  catalog.Peer
	owner *owner
	known bool // its certificate is
	sum   account
	in    [lanes]standing
	jobs  [lanes]queue // those that wait
	busy  int64        // times it was told that it has too much
	used  int64        // microseconds of processors
}

// account is what is kept for somebody.
type account struct {
	parcels   int
	bytes     int64
	codes     int
	codeBytes int64
}

// An owner has at most ownerQuotas times what one client has.
const ownerQuotas = 2

// mostClients is how many clients are known beside those with something in flight.
const mostClients = 1024

// The weights of clients and of nodes, which work for nobody who waits: they make
// replicas of shards. A share goes by weight.
const (
	clientWeight = 8
	nodeWeight   = 1
)

func (k *party) weight() int64 {
	if k.peer < catalog.FirstClient {
		return nodeWeight
	}
	return clientWeight
}

// accountOf is the client that a parcel counts to.
func (c *Core) accountOf(h *held, owners func(catalog.Peer) string) *party {
	peer := h.Caller
	if t, ok := h.body.(*parcel.Tree); ok && t.For != 0 && h.from < catalog.FirstClient {
		peer = t.For
	}
	k := c.clients[peer]
	if k != nil && (k.known || !k.idle()) {
		return k
	}
	name, known := "", false
	if owners != nil {
		name = owners(peer)
		known = name != ""
	}
	switch {
	case known:
	case peer == h.from || owners == nil:
		name = fmt.Sprintf("peer %d", peer)
	default:
		name = fmt.Sprintf("by way of peer %d", h.from)
	}
	return c.meet(peer, name, known)
}

// meet makes a client known, or one that has nothing in flight another owner's.
func (c *Core) meet(peer catalog.Peer, name string, known bool) *party {
	k := c.clients[peer]
	if k != nil && k.owner.name == name {
		k.known = known
		return k
	}
	if k == nil && len(c.clients) >= c.limits.Parcels+mostClients {
		for _, old := range c.clients {
			if old.idle() && old != c.myself {
				c.part(old)
			}
		}
	}
	if k != nil {
		c.part(k)
	}
	o := c.owners[name]
	if o == nil {
		o = &owner{name: name}
		c.owners[name] = o
	}
	o.clients++
	k = &party{peer: peer, owner: o, known: known}
	c.clients[peer] = k
	return k
}

// idle reports that a client has nothing in flight.
func (k *party) idle() bool {
	for i := range k.in {
		if k.in[i].running > 0 || k.in[i].waiting > 0 {
			return false
		}
	}
	return k.sum.parcels == 0
}

// part forgets a client that is idle. Its kernels stay its owner's.
func (c *Core) part(k *party) {
	c.changed()
	delete(c.clients, k.peer)
	k.owner.clients--
	c.abandon(k.owner)
}

// abandon forgets an owner of which nothing is left.
func (c *Core) abandon(o *owner) {
	if o.clients == 0 && o.sum.codes == 0 && c.owners[o.name] == o {
		delete(c.owners, o.name)
	}
}

// over says which quota one more parcel of so many bytes would break; "" if none. Who
// has nothing in flight always has room for one.
func (c *Core) over(k *party, size int64) string {
	l := &c.limits
	if text := k.sum.over(l, size, 1); text != "" {
		return "this client has " + text
	}
	if text := k.owner.sum.over(l, size, ownerQuotas); text != "" {
		return "the clients with the certificate of this one have together " + text
	}
	return ""
}

func (a *account) over(l *Limits, size int64, times int) string {
	switch {
	case a.parcels == 0:
	case l.ClientParcels > 0 && a.parcels >= times*l.ClientParcels:
		return fmt.Sprintf("%d parcels in hand, the quota is %d; wait for answers, or have the node started with a greater --client-parcels",
			a.parcels, times*l.ClientParcels)
	case l.ClientBytes > 0 && a.bytes+size > int64(times)*l.ClientBytes:
		return fmt.Sprintf("%d bytes in hand beside these %d, the quota is %d; wait for answers, or have the node started with a greater --client-bytes",
			a.bytes, size, int64(times)*l.ClientBytes)
	}
	return ""
}

// weigh counts bytes that a parcel takes up, or gives back.
func (c *Core) weigh(h *held, bytes int64) {
	c.bytes += bytes
	h.client.sum.bytes += bytes
	h.client.owner.sum.bytes += bytes
}

// own counts a kernel to the client that brought it.
func (k *party) own(e *code) {
	e.client = k
	k.keeps(1, len(e.bytes))
}

func (k *party) keeps(codes, bytes int) {
	for _, a := range [2]*account{&k.sum, &k.owner.sum} {
		a.codes += codes
		a.codeBytes += int64(bytes)
	}
}

// disown makes a kernel nobody's: it goes, or others use it too.
func (c *Core) disown(e *code) {
	k := e.client
	if k == nil {
		return
	}
	e.client = nil
	k.keeps(-1, -len(e.bytes))
	c.abandon(k.owner)
}

// crowdedOut says why a client may not bring so many more kernels; "" if it may. Its own
// that are not in use leave for them.
func (c *Core) crowdedOut(k *party, missing int, needs *[2]need) string {
	most := c.limits.ClientKernels
	if most == 0 || missing == 0 || k.sum.codes+missing <= most && k.owner.sum.codes+missing <= ownerQuotas*most {
		return ""
	}
	mine, ours := 0, 0 // that can leave
	for e := c.codes.ring.next; e != c.codes.ring; e = e.next {
		if e.client == nil || e.client.owner != k.owner || !e.ready || e.pins > 0 || e.prefix == needs[0].prefix || e.prefix == needs[1].prefix {
			continue
		}
		ours++
		if e.client == k {
			mine++
		}
	}
	switch {
	case k.sum.codes-mine+missing > most:
		return fmt.Sprintf("this client has %d kernels and packages in use, the quota is %d; wait for answers, or have the node started with a greater --client-kernels", k.sum.codes-mine, most)
	case k.owner.sum.codes-ours+missing > ownerQuotas*most:
		return fmt.Sprintf("the clients with the certificate of this one have together %d kernels and packages in use, the quota is %d; wait for answers, or have the node started with a greater --client-kernels",
			k.owner.sum.codes-ours, ownerQuotas*most)
	}
	return ""
}

// makeWay evicts what a client has too much of when it brings a kernel of so many bytes:
// first what it has not used for longest itself, then of its owner's.
func (c *Core) makeWay(k *party, codes int, bytes int64) {
	most := c.limits.ClientKernels
	if k == nil || most == 0 {
		return
	}
	c.shrinkThose(func(e *code) bool { return e.client == k }, func() bool {
		return k.sum.codes+codes <= most
	})
	c.shrinkThose(func(e *code) bool { return e.client != nil && e.client.owner == k.owner }, func() bool {
		return k.owner.sum.codes+codes <= ownerQuotas*most && k.owner.sum.codeBytes+bytes <= c.limits.CodeBytes/ownerQuotas
	})
}

// ClientStatus is what counts to a client.
type ClientStatus struct {
	Peer    catalog.Peer `json:"peer"`
	Owner   string       `json:"owner"` // role and name of its certificate, as far as known
	Parcels int          `json:"parcels"`
	Bytes   int64        `json:"bytes"`
	Kernels int          `json:"kernels"`
	Jobs    int          `json:"jobs"`    // running
	Queued  int          `json:"queued"`  // waiting for their turn
	Seconds float64      `json:"seconds"` // of processors, since it was met
	Busy    int64        `json:"busy"`    // times that it was told to come back since it had too much
}

// shownClients is how many clients Status shows.
const shownClients = 32

// clientStatus lists clients, those with most in flight first, then those that used most.
func (c *Core) clientStatus() []ClientStatus {
	list := make([]ClientStatus, 0, len(c.clients))
	for _, k := range c.clients {
		if k.idle() && k.sum.codes == 0 && k.used == 0 && k.busy == 0 {
			continue
		}
		s := ClientStatus{Peer: k.peer, Owner: k.owner.name, Parcels: k.sum.parcels, Bytes: k.sum.bytes, Kernels: k.sum.codes, Seconds: float64(k.used) / 1e6, Busy: k.busy}
		for i := range k.in {
			s.Jobs, s.Queued = s.Jobs+k.in[i].running, s.Queued+k.in[i].waiting
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b ClientStatus) int {
		return cmp.Or(cmp.Compare(b.Parcels, a.Parcels), cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Peer, b.Peer))
	})
	return list[:min(len(list), shownClients)]
}
