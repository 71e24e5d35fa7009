// Package gate bounds what strangers can do to a port: how many connections they hold
// open, together and from one address, and for how long a connection may do nothing.
//
// A connection begins as a stranger's. Whoever shows a certificate is admitted, and
// counts among the connections of its owner from then on. Where strangers are too
// many, the oldest one of the addresses that have the most gives way to the newest: an
// honest peer is a stranger for the milliseconds of a handshake, so it gets in while
// others fill the port, from however many addresses. A connection on which no call is under way ends after a
// while, however busily it sends a byte now and then.
package gate

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits are those of one port.
type Limits struct {
	Strangers  int // connections that were not admitted, at once
	PerAddress int // those of one address, at most Strangers; of IPv6, of one /64
	PerOwner   int // connections of one owner, at once
	// Clients is how many connections there may be at once of all owners that are not
	// Exempt; no limit if 0. One owner has at most as many as are then left: n owners that
	// take all they get have n/(n+1) of them, and whoever has none gets one.
	Clients  int
	Exempt   func(owner string) bool
	Patience time.Duration // how long a connection may be without a call
	// Beside is how many connections there may be that Beside lets in, of one owner at most as
	// many as are then left.
	Beside int
}

// grace is how long a refused connection stays, to be told why.
const grace = time.Second

// Gate is a listener that keeps to Limits. Its connections are *Conn.
type Gate struct {
	net.Listener
	limits Limits

	mu        sync.Mutex
	strangers map[netip.Prefix][]*Conn // the oldest first; none is empty
	waiting   int                      // how many all of them are
	owners    map[string]*account      // none is without connections
	admitted  map[*Conn]struct{}
	clients   int    // connections of owners that are not exempt
	beside    int    // admitted connections that Beside let in
	order     uint64 // of the connection that came last
}

// account is what an owner makes this side hold.
type account struct {
	connections int // under gate.mu, as beside
	beside      int
	held        atomic.Int64
}

// New puts a gate before a listener.
func New(l net.Listener, limits Limits) *Gate {
	return &Gate{
		Listener: l, limits: limits,
		strangers: map[netip.Prefix][]*Conn{}, owners: map[string]*account{}, admitted: map[*Conn]struct{}{},
	}
}

// Accept implements net.Listener.
func (g *Gate) Accept() (net.Conn, error) {
	raw, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return g.guard(raw, false), nil
}

// Beside guards a connection that came another way than through the gate's listener. It is one more of
// an owner that has one already, and ends soon after the last of those: what it holds counts to the
// owner's account, and it itself to Limits.Beside.
func (g *Gate) Beside(raw net.Conn) *Conn { return g.guard(raw, true) }

func (g *Gate) guard(raw net.Conn, beside bool) *Conn {
	c := &Conn{beside: beside, Conn: raw, gate: g, from: prefixOf(raw.RemoteAddr())}
	g.mu.Lock()
	g.order++
	c.order = g.order
	g.strangers[c.from] = append(g.strangers[c.from], c)
	g.waiting++
	victim := g.crowded(c.from)
	c.timer = time.AfterFunc(g.limits.Patience, c.expire)
	g.mu.Unlock()
	if victim != nil {
		_ = victim.Close()
	}
	return c
}

// crowded is who has to go after one more came from an address; nil if nobody.
func (g *Gate) crowded(from netip.Prefix) *Conn {
	if len(g.strangers[from]) > g.limits.PerAddress {
		return g.strangers[from][0]
	}
	if g.waiting <= g.limits.Strangers {
		return nil
	}
	most := g.strangers[from]
	for _, all := range g.strangers {
		if len(all) > len(most) || len(all) == len(most) && all[0].order < most[0].order {
			most = all
		}
	}
	return most[0]
}

// prefixOf is what counts as one address. A peer of IPv6 has 2^64 of its own.
func prefixOf(a net.Addr) netip.Prefix {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Prefix{} // not of the internet: all are one
	}
	bits, ip := 32, at.Addr().Unmap()
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.WithZone("").Prefix(bits) // fails only for too many bits
	return p
}

// Recheck refuses the connections of those whose owners ended says something about.
func (g *Gate) Recheck(ended func(shown any) error) {
	g.mu.Lock()
	all := make([]*Conn, 0, len(g.admitted))
	for c := range g.admitted {
		all = append(all, c)
	}
	g.mu.Unlock()
	for _, c := range all {
		if err := ended(c.shown); err != nil {
			c.Refuse(err)
		}
	}
}

// Count is how many connections are open: those of strangers, and those of an owner.
func (g *Gate) Count(owner string) (strangers, owned int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if a := g.owners[owner]; a != nil {
		owned = a.connections
	}
	return g.waiting, owned
}

// Conn is a connection that came through a gate.
type Conn struct {
	net.Conn
	gate   *Gate
	from   netip.Prefix
	order  uint64 // by when it came
	beside bool

	// Under gate.mu:
	timer   *time.Timer
	owner   string // empty: a stranger
	shown   any
	calls   int
	begun   int // calls, since the beginning
	refused error
	closed  bool

	holding sync.Mutex
	account *account // nil of a stranger, and after Close
	held    int64    // the connection's part of it
}

// Addr is the address of a connection's other side, which knows the connection:
// servers such as gRPC's hand on the address alone.
type Addr struct {
	net.Addr
	conn *Conn
}

// RemoteAddr gives an *Addr.
func (c *Conn) RemoteAddr() net.Addr { return &Addr{c.Conn.RemoteAddr(), c} }

// Of is the connection of an address that a Conn gave; nil of any other.
func Of(a net.Addr) *Conn {
	if known, ok := a.(*Addr); ok {
		return known.conn
	}
	return nil
}

// Admit says whose connection it is; shown is what proved it, for Recheck. Where the
// owner has too many already, every call on it is refused with the reason.
func (c *Conn) Admit(owner string, shown any) error {
	g := c.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case c.closed:
		return net.ErrClosed
	case c.beside:
		if err := g.admitBeside(owner); err != nil {
			return err
		}
	case g.count(owner) >= g.most(owner):
		c.refused = fmt.Errorf("%s has %d connections open at once, which is the most while others have theirs: close some, or give every user a certificate of its own", owner, g.count(owner))
		return c.refused
	}
	g.depart(c)
	c.owner, c.shown = owner, shown
	if !c.beside {
		if g.owners[owner] == nil {
			g.owners[owner] = &account{}
		}
		g.owners[owner].connections++
		if g.shares(owner) {
			g.clients++
		}
	}
	g.admitted[c] = struct{}{}
	c.holding.Lock()
	c.account = g.owners[owner]
	c.holding.Unlock()
	return nil
}

// admitBeside counts one more connection of an owner beside others.
func (g *Gate) admitBeside(owner string) error {
	a := g.owners[owner]
	switch {
	case a == nil || a.connections == 0:
		return fmt.Errorf("%s has no other connection, beside which this one could be", owner)
	case a.beside >= g.limits.Beside-g.beside:
		return fmt.Errorf("%s has %d connections of this kind open at once, of %d, which is the most while others have theirs", owner, a.beside, g.beside)
	}
	a.beside++
	g.beside++
	return nil
}

// shares reports whether an owner's connections count to those of all clients.
func (g *Gate) shares(owner string) bool {
	return g.limits.Clients > 0 && (g.limits.Exempt == nil || !g.limits.Exempt(owner))
}

// count is how many connections an owner has. Called with mu held, as most.
func (g *Gate) count(owner string) int {
	if a := g.owners[owner]; a != nil {
		return a.connections
	}
	return 0
}

// most is how many connections an owner may have to get one more.
func (g *Gate) most(owner string) int {
	if g.shares(owner) {
		return min(g.limits.PerOwner, g.limits.Clients-g.clients)
	}
	return g.limits.PerOwner
}

// Owner is who was admitted; empty of a stranger.
func (c *Conn) Owner() string {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return c.owner
}

// Shown is what Admit was given.
func (c *Conn) Shown() any {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return c.shown
}

// Hold counts bytes that the connection has this side keep in memory, and gives back
// some that it keeps no longer if they are negative. It says whether its owner is
// within most, over all connections.
func (c *Conn) Hold(bytes, most int64) bool {
	c.holding.Lock()
	defer c.holding.Unlock()
	if c.account == nil {
		return true
	}
	c.held += bytes
	return c.account.held.Add(bytes) <= most
}

// release takes a closed connection's part off its owner's account.
func (c *Conn) release() {
	c.holding.Lock()
	defer c.holding.Unlock()
	if c.account != nil {
		c.account.held.Add(-c.held)
		c.account = nil
	}
}

// depart takes a connection off the strangers.
func (g *Gate) depart(c *Conn) {
	left := slices.DeleteFunc(g.strangers[c.from], func(o *Conn) bool { return o == c })
	if g.strangers[c.from] = left; len(left) == 0 {
		delete(g.strangers, c.from)
	}
	g.waiting--
}

// errAlone is for a call of a kind that a connection has once, and first.
var errAlone = errors.New("such a call is the first one of its connection, and the only one of its kind: open another connection")

// Begin says that a call begins, and gives the reason why it must not. alone is for a
// kind of call of which a connection has one, before all others.
func (c *Conn) Begin(alone bool) error {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	switch {
	case c.refused != nil:
		return c.refused
	case alone && c.begun > 0:
		return errAlone
	}
	c.begun++
	c.calls++
	c.timer.Stop()
	return nil
}

// End says that a call that Begin let pass has ended.
func (c *Conn) End() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.calls--; c.calls == 0 && c.refused == nil && !c.closed {
		c.timer.Reset(c.gate.limits.Patience)
	}
}

// Refuse lets no more calls pass, and closes the connection as soon as the other side
// could have been told why.
func (c *Conn) Refuse(why error) {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.closed || c.refused != nil {
		return
	}
	c.refused = why
	c.timer.Reset(grace)
}

// expire closes a connection whose time is over.
func (c *Conn) expire() {
	c.gate.mu.Lock()
	busy := c.calls > 0 && c.refused == nil
	c.gate.mu.Unlock()
	if !busy {
		_ = c.Close()
	}
}

// leave takes an admitted connection off its owner's.
func (g *Gate) leave(c *Conn) {
	delete(g.admitted, c)
	a := g.owners[c.owner]
	switch {
	case c.beside:
		a.beside--
		g.beside--
	case g.shares(c.owner):
		g.clients--
		a.connections--
	default:
		a.connections--
	}
	switch {
	case a.connections == 0 && a.beside == 0:
		delete(g.owners, c.owner)
	case a.connections == 0 && !c.beside:
		g.alone(c.owner)
	}
}

// alone ends what is left of an owner whose last connection that it was beside has gone.
func (g *Gate) alone(owner string) {
	for c := range g.admitted {
		if c.owner == owner && c.refused == nil {
			c.refused = fmt.Errorf("%s has no other connection any more, beside which this one could be", owner)
			c.timer.Reset(grace)
		}
	}
}

// Refused is why the connection is ended by the gate, or nil.
func (c *Conn) Refused() error {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return c.refused
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	g := c.gate
	g.mu.Lock()
	if !c.closed {
		c.closed = true
		c.timer.Stop()
		if c.owner == "" {
			g.depart(c)
		} else {
			g.leave(c)
		}
	}
	g.mu.Unlock()
	c.release()
	return c.Conn.Close()
}
