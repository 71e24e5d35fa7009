// Package memnet carries parcels inside a process, with the faults of a real
// network: delay, loss, duplicates, overtaking, cuts and crashes.
//
// Network is a plain data structure: it owns no clock and starts no goroutine,
// and everything it draws comes from one seed, so two runs that make the same
// calls get the same deliveries. Hub puts transports on top of a Network for
// clusters that run in one process.
//
// The faults are harsher than those of gRPC streams: single parcels vanish
// though their connection lives, parcels of a crashed peer may arrive
// after the news of its end, and that news may arrive when the peer is back
// already.
package memnet

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Config is how a network behaves where nothing else was said.
type Config struct {
	Link Link
	// Notice is the time from the end of a connection to the peers' knowing
	// it. A cut that is shorter only loses parcels.
	Notice Delay
}

// Link is how one direction between two peers behaves. The zero value delivers
// everything at once and in order.
type Link struct {
	Delay     Delay
	Loss      float64 // chance that a parcel vanishes
	Duplicate float64 // chance that a parcel comes a second time, up to Late later
	Reorder   float64 // chance that a parcel is held back for up to Late, so that others overtake it
	Late      time.Duration
}

// Delay is a distribution of times: Least, plus an exponentially distributed
// part with mean Mean - Least, at most Most if Most > 0. Without a Mean above
// Least it is Least.
type Delay struct{ Least, Mean, Most time.Duration }

func (d Delay) draw(r *rand.Rand) time.Duration {
	t := d.Least
	if d.Mean > d.Least {
		t += time.Duration(r.ExpFloat64() * float64(d.Mean-d.Least))
	}
	if d.Most > 0 {
		t = min(t, d.Most)
	}
	return t
}

// Cut separates peers of A from peers of B from From until before Until: what
// is sent or would arrive meanwhile is lost. Parcels within A and within B pass.
type Cut struct {
	A, B        []catalog.Peer
	OneWay      bool // only what goes from A to B is lost; connections end all the same
	From, Until time.Duration
}

func (c *Cut) stops(from, to catalog.Peer) bool {
	return slices.Contains(c.A, from) && slices.Contains(c.B, to) ||
		!c.OneWay && slices.Contains(c.B, from) && slices.Contains(c.A, to)
}

// Delivery is what a peer gets: a parcel, or, if Gone is not nil, the news
// that its connection with From ended.
type Delivery struct {
	At       time.Duration
	From, To catalog.Peer
	Bytes    []byte // the receiver's from now on
	Gone     error
}

// Counts says what happened so far. Parcels are either on their way or in one of
// Delivered, Lost, Cut and Crashed.
type Counts struct {
	Sent       int64
	Duplicated int64 // second copies made, beyond Sent
	Delivered  int64
	Lost       int64 // by Link.Loss
	Cut        int64 // by a Cut
	Crashed    int64 // because the sender or the receiver is down or was restarted
	Overtaken  int64 // of Delivered: a later one was there before
	Gone       int64 // connections reported as ended
	Crashes    int64
}

// Why a connection ended.
var (
	ErrCrashed = errors.New("the peer is down")
	ErrCut     = errors.New("the peer does not answer")
)

// pair is an ordered pair of peers.
type pair struct{ from, to catalog.Peer }

func (p pair) turned() pair { return pair{p.to, p.from} }

// Network holds what is on its way. Times are virtual, since the network's
// beginning, and must not decrease from call to call.
type Network struct {
	config Config
	random *rand.Rand
	events events
	order  uint64 // of the next event
	links  map[pair]*link
	hosts  map[catalog.Peer]*host
	cuts   []Cut
	counts Counts
}

// link is the state of one direction.
type link struct {
	Link
	last      time.Duration // when the latest parcel in order arrives
	sent      uint64
	seen      uint64 // greatest number delivered
	flying    int    // parcels on their way
	connected bool   // a parcel was accepted since the last end
	telling   bool   // the sender will be told of an end
}

// host is a peer that was down once.
type host struct {
	down bool
	life int
}

// New is a network without parcels at time 0.
func New(seed uint64, c Config) *Network {
	return &Network{
		config: c,
		random: rand.New(rand.NewPCG(seed, 0x6d656d6e6574)),
		links:  map[pair]*link{},
		hosts:  map[catalog.Peer]*host{},
	}
}

// SetLink gives one direction faults of its own.
func (n *Network) SetLink(from, to catalog.Peer, l Link) { n.link(pair{from, to}).Link = l }

// Counts gives what happened so far.
func (n *Network) Counts() Counts { return n.counts }

func (n *Network) link(p pair) *link {
	l := n.links[p]
	if l == nil {
		l = &link{Link: n.config.Link}
		n.links[p] = l
	}
	return l
}

func (n *Network) host(p catalog.Peer) *host {
	h := n.hosts[p]
	if h == nil {
		h = &host{}
		n.hosts[p] = h
	}
	return h
}

// Down says whether a peer has crashed and was not restarted.
func (n *Network) Down(p catalog.Peer) bool { return n.host(p).down }

// cut says whether a cut holds between two peers.
func (n *Network) cut(at time.Duration, p pair) bool {
	for i := range n.cuts {
		c := &n.cuts[i]
		if c.From <= at && at < c.Until && c.stops(p.from, p.to) {
			return true
		}
	}
	return false
}

// Send takes a copy of a parcel. Where it cannot even be sent, because the peer
// is down, cut off, or the sender itself, the sender gets a Delivery with
// Gone, once until it has arrived.
func (n *Network) Send(now time.Duration, from, to catalog.Peer, bytes []byte) {
	n.counts.Sent++
	p := pair{from, to}
	switch {
	case n.host(from).down:
		n.counts.Crashed++
	case n.host(to).down || from == to:
		n.counts.Crashed++
		n.tell(now, p, ErrCrashed)
	case n.cut(now, p):
		n.counts.Cut++
		n.sever(now, p)
	default:
		n.carry(now, p, bytes)
	}
}

// carry draws what happens to a parcel on a link that works.
func (n *Network) carry(now time.Duration, p pair, bytes []byte) {
	l := n.link(p)
	l.connected, n.link(p.turned()).connected = true, true
	l.sent++
	if n.chance(l.Loss) {
		n.counts.Lost++
		return
	}
	at := now + l.Delay.draw(n.random)
	if n.chance(l.Reorder) {
		n.parcel(at+n.late(l), p, bytes)
	} else {
		l.last = max(l.last, at)
		n.parcel(l.last, p, bytes)
	}
	if n.chance(l.Duplicate) {
		n.counts.Duplicated++
		n.parcel(at+n.late(l), p, bytes)
	}
}

// chance draws nothing for what never happens, so that a fault that is
// switched off does not change the others.
func (n *Network) chance(p float64) bool { return p > 0 && n.random.Float64() < p }

func (n *Network) late(l *link) time.Duration {
	if l.Late <= 0 {
		return 0
	}
	return time.Duration(n.random.Int64N(int64(l.Late)) + 1)
}

func (n *Network) parcel(at time.Duration, p pair, bytes []byte) {
	l := n.links[p]
	l.flying++
	n.push(&event{
		at: at, kind: parcels, pair: p, bytes: slices.Clone(bytes), number: l.sent,
		lives: [2]int{n.host(p.from).life, n.host(p.to).life},
	})
}

// Crash ends a peer: what is on its way to it is lost, and about half of what
// it sent. Those connected with it are told.
func (n *Network) Crash(now time.Duration, p catalog.Peer) {
	h := n.host(p)
	if h.down {
		return
	}
	h.down = true
	h.life++
	n.counts.Crashes++
	for _, q := range n.connections(func(q pair) bool { return q.to == p }) {
		n.tell(now, q, ErrCrashed)
	}
	for q, l := range n.links { // nothing is drawn, so the order does not matter
		if q.from == p {
			l.connected, l.telling = false, false
		}
	}
}

// Restart lets a crashed peer take part again, with an empty memory.
func (n *Network) Restart(p catalog.Peer) { n.host(p).down = false }

// Cut adds a cut, which may begin now or later.
func (n *Network) Cut(c Cut) {
	n.cuts = append(n.cuts, c)
	if at := c.From + n.config.Notice.draw(n.random); at < c.Until {
		n.push(&event{at: at, kind: noticed, cut: c})
	}
}

// sever ends a connection that a cut stops: both sides are told.
func (n *Network) sever(now time.Duration, p pair) {
	both := n.link(p).connected
	n.tell(now, p, ErrCut)
	if both {
		n.tell(now, p.turned(), ErrCut)
	}
}

// tell lets p.from know, after a while, that its connection with p.to ended.
func (n *Network) tell(now time.Duration, p pair, why error) {
	l := n.link(p)
	l.connected = false
	if l.telling {
		return
	}
	l.telling = true
	n.push(&event{
		at: now + n.config.Notice.draw(n.random), kind: ends, pair: p, why: why,
		lives: [2]int{n.host(p.from).life, 0},
	})
}

// connections lists the connected pairs that want accepts, in order.
func (n *Network) connections(want func(pair) bool) []pair {
	var found []pair
	for p, l := range n.links {
		if l.connected && want(p) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, comparePairs)
	return found
}
