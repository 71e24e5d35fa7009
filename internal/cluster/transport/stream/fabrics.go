package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
)

// This file has two nodes talk over a fabric that the operators of both trust. What comes in are words on their
// stream, which has shown who both are; what goes out are connections, which the rest of the package treats as
// it does streams: the same frames, grants and queue.
//
// The dialler of a stream offers, and the other side answers if it names the same fabric. The connection is used as soon
// as packets go both ways, and hello was said on the stream. Words, after their heads:
//
//	offer   token (8), parcels (2) and bytes (4) granted at first, length of the fabric's name (1), name, address
//	answer  token of the offer (8), token (8), parcels (2) and bytes (4) granted at first, address
//	settle  token of the other side (8), parcels taken (8)
//
// A fabric's connection ends before its stream where the network or the library fails. Invariant: a parcel is
// taken once, or its loss is told. Each side counts the parcels that it has taken, which stands as soon as it uses the connection
// no more (conn.lost), for whatever reason; and keeps those that it has sent and the other side has not granted anew. Both
// tell each other their counts over a stream, once. What was taken is forgotten then, and what was not is sent over
// the stream: the other side will not take it from the fabric, for its count stands. Where no count comes in time,
// or there is no stream left, all connections end, and Gone is told.
//
// A fabric can become deaf: all peers write what they send through shared memory into one queue, in which a process that is killed
// while it writes leaves a place that is never filled, and nothing behind it comes. So where nothing of a peer comes that
// is there, a new fabric is opened, and offered from then on.

// link is a fabric's connection from the offer until both sides have settled it. Under peer.mu, but uc and held.
type link struct {
	uc     *ucx.Conn
	held   atomic.Int64 // bytes that count to the stream's owner
	base   *conn        // the stream on which it was agreed
	theirs uint64       // token; 0: not answered yet
	asked  bool         // the other side has offered it
	conn   *conn        // nil until packets go both ways
	sent   uint64       // parcels
	kept   [][]byte     // of those, the last ones, of which nobody knows whether they were taken
	took   uint64       // parcels of the other side
	left   bool         // nothing is taken any more, and the other side was told what was
	late   *time.Timer
}

var (
	errParted    = errors.New("the peer has left the fabric")
	errUnsettled = fmt.Errorf("the peer did not say within %v what it has taken from a fabric that failed", connectTime)
	errNoPackets = fmt.Errorf("nothing came over the fabric within %v", connectTime)
)

// renewedLong is how long after the last time a fabric is opened again as soon as at the first.
const renewedLong = time.Hour

// mostLinks is how many links a peer may have asked for at once: one, and one that is not settled yet.
const mostLinks = 2

// note is a word that waits to be written.
type note struct {
	kind frameKind
	body []byte
}

// openFabric begins to use the fabric.
func (t *Transport) openFabric() (err error) {
	if o := &t.options; o.Fabric != nil && !o.Plain {
		var f *ucx.Fabric
		if f, err = ucx.Open(o.Fabric, t.running.Go); err == nil {
			t.fabric.Store(f)
		}
	}
	return err
}

// renewFabric opens another one where a fabric seems to be deaf. It may be the peer that cannot send: so each time is rarer.
func (t *Transport) renewFabric(deaf *ucx.Fabric) {
	t.fabrics.Lock()
	defer t.fabrics.Unlock()
	if t.fabric.Load() != deaf || t.ctx.Err() != nil || time.Now().Before(t.renewable) {
		return
	}
	if time.Since(t.renewable) > renewedLong {
		t.renewals = 0
	}
	t.renewable = time.Now().Add(brokenTime << min(t.renewals, 9))
	t.renewals++
	f, err := ucx.Open(t.options.Fabric, t.running.Go)
	if err != nil {
		t.options.Log.Warn("a fabric over which nothing comes cannot be opened again", "fabric", t.options.Fabric.Name, "reason", err)
		return
	}
	t.options.Log.Info("a fabric over which nothing came is opened again", "fabric", t.options.Fabric.Name)
	t.fabric.Store(f)
	t.former = append(t.former, deaf)
	deaf.Retire()
}

func (t *Transport) closeFabrics() {
	t.fabrics.Lock()
	defer t.fabrics.Unlock()
	if f := t.fabric.Load(); f != nil {
		f.Close()
	}
	for _, f := range t.former {
		f.Close()
	}
}

// newLink is the beginning of a link; packets may come from now on.
func (p *peer) newLink(base *conn) *link {
	o := &p.transport.options
	l := &link{base: base}
	grant := o.Grant
	u := ucx.Options{
		Most: o.MaxParcel + headSize,
		// What is granted, the last parcel's excess, and grants.
		Ahead: int(grant.Bytes) + o.MaxParcel + 2*headSize*grant.Parcels + 1<<20,
	}
	if base.meter != nil {
		u.Hold = func(bytes int) error {
			l.held.Add(int64(bytes) + messageHead)
			return base.meter.holds(bytes)
		}
	}
	l.uc = p.transport.fabric.Load().New(u)
	if p.links == nil {
		p.links = map[uint64]*link{}
	}
	p.links[l.uc.Token()] = l
	return l
}

// offer begins to open a fabric's connection beside a stream that this side dialled, unless there is a ring or such a
// connection, or it failed a moment ago.
func (p *peer) offer(c *conn) {
	t := p.transport
	if t.fabric.Load() == nil || c.way != byStream || c.inbound || c.lost != nil || p.closed || p.number >= catalog.FirstClient ||
		p.ringing || p.newest(byRing) != nil || time.Now().Before(p.refit) {
		return
	}
	for _, l := range p.links {
		if !l.asked {
			return
		}
	}
	p.refit = time.Now().Add(brokenTime)
	l := p.newLink(c)
	b := binary.LittleEndian.AppendUint64(nil, l.uc.Token())
	b = t.appendGrant(b)
	b = append(b, byte(len(t.options.Fabric.Name)))
	b = append(b, t.options.Fabric.Name...)
	p.note(c, offer, append(b, l.uc.Fabric().Address()...))
	l.late = time.AfterFunc(connectTime, func() { p.withdraw(l) })
}

func (t *Transport) appendGrant(b []byte) []byte {
	g := t.options.Grant
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint16(b, uint16(g.Parcels)), uint32(g.Bytes))
}

// note writes a word on a stream.
func (p *peer) note(c *conn, kind frameKind, body []byte) {
	c.notes = append(c.notes, note{kind, body})
	p.kick(c)
}

// withdraw forgets an offer that nobody has answered.
func (p *peer) withdraw(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.theirs == 0 {
		p.unlink(l)
		l.uc.Close(nil)
	}
}

func (p *peer) unlink(l *link) {
	if l.late != nil {
		l.late.Stop()
	}
	if p.links[l.uc.Token()] == l {
		delete(p.links, l.uc.Token())
	}
}

// word takes what the other side says on fabrics.
func (c *conn) word(kind frameKind, b []byte) error {
	if c.way != byStream {
		return fmt.Errorf("a word on fabrics, of kind %d, came beside the stream", kind)
	}
	w := &words{rest: b}
	switch kind {
	case offer:
		token, grant := w.uint(8), w.grant()
		name := string(w.bytes(int(w.uint(1))))
		address := w.rest
		if err := w.check(address, grant); err != nil || token == 0 {
			return fmt.Errorf("an offer of a fabric of %d bytes: %w", len(b), errors.Join(err, errWord))
		}
		c.offered(name, token, grant, address)
	case answer:
		ours, theirs, grant := w.uint(8), w.uint(8), w.grant()
		address := w.rest
		if err := w.check(address, grant); err != nil || theirs == 0 {
			return fmt.Errorf("an answer on a fabric of %d bytes: %w", len(b), errors.Join(err, errWord))
		}
		c.answered(ours, theirs, grant, address)
	default:
		ours, taken := w.uint(8), w.uint(8)
		if w.short || len(w.rest) > 0 {
			return fmt.Errorf("a settlement of %d bytes: %w", len(b), errWord)
		}
		return c.settled(ours, taken)
	}
	return nil
}

var errWord = errors.New("expected numbers of both sides, what is granted, and an address")

// words reads numbers and bytes of a word.
type words struct {
	rest  []byte
	short bool
}

func (w *words) bytes(n int) []byte {
	if len(w.rest) < n {
		w.short, w.rest = true, nil
		return make([]byte, min(n, 8))
	}
	b := w.rest[:n]
	w.rest = w.rest[n:]
	return b
}

func (w *words) uint(n int) (v uint64) {
	for i, b := range w.bytes(n) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func (w *words) grant() Grant { return Grant{int(w.uint(2)), int64(w.uint(4))} }

func (w *words) check(address []byte, g Grant) error {
	switch {
	case w.short:
		return errors.New("it is too short")
	case len(address) == 0 || len(address) > ucx.MaxAddress:
		return fmt.Errorf("its address has %d bytes, of at most %d", len(address), ucx.MaxAddress)
	case g.Parcels < 1 || g.Bytes < 1:
		return fmt.Errorf("it grants %d parcels and %d bytes", g.Parcels, g.Bytes)
	}
	return nil
}

// offered answers an offer, if this side has the fabric.
func (c *conn) offered(name string, token uint64, grant Grant, address []byte) {
	p := c.peer
	t := p.transport
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := 0
	for _, l := range p.links {
		if l.asked {
			asked++
		}
	}
	if t.fabric.Load() == nil || name != t.options.Fabric.Name || !c.inbound || p.number >= catalog.FirstClient || p.closed || c.lost != nil || asked >= mostLinks {
		t.options.Log.Debug("a fabric that a peer offers is not used", "peer", p.number, "fabric", name)
		return
	}
	l := p.newLink(c)
	l.asked, l.theirs = true, token
	b := binary.LittleEndian.AppendUint64(nil, token)
	b = t.appendGrant(binary.LittleEndian.AppendUint64(b, l.uc.Token()))
	p.note(c, answer, append(b, l.uc.Fabric().Address()...))
	t.running.Go(func() { t.useFabric(p, l, address, grant) })
}

// answered goes on with an offer of this side.
func (c *conn) answered(ours, theirs uint64, grant Grant, address []byte) {
	p := c.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.links[ours]
	if l == nil || l.asked || l.theirs != 0 { // it was withdrawn
		p.tellTaken(theirs, 0)
		return
	}
	l.late.Stop()
	l.theirs = theirs
	p.transport.running.Go(func() { p.transport.useFabric(p, l, address, grant) })
}

// useFabric connects over the fabric, and then reads until that ends.
func (t *Transport) useFabric(p *peer, l *link, address []byte, grant Grant) {
	start := time.Now()
	c, err := t.reachFabric(p, l, address, grant)
	if err != nil {
		if time.Since(start) > connectTime/2 && !l.uc.Heard() { // the peer may have given up first
			t.renewFabric(l.uc.Fabric())
		}
		t.options.Log.Debug("a fabric is not used", "peer", p.number, "reason", err)
		l.uc.Close(err)
		l.unread(l.base.meter)
		p.mu.Lock()
		p.part(l)
		p.mu.Unlock()
		return
	}
	t.options.Log.Debug("a fabric is used", "peer", p.number, "fabric", t.options.Fabric.Name)
	t.run(c)
	t.options.Log.Debug("a fabric is not used any more", "peer", p.number, "reason", c.lost)
}

// reachFabric waits until packets go both ways, and attaches.
func (t *Transport) reachFabric(p *peer, l *link, address []byte, grant Grant) (*conn, error) {
	if err := l.uc.Connect(address, l.theirs); err != nil {
		return nil, err
	}
	late := time.NewTimer(connectTime)
	defer late.Stop()
	select {
	case <-l.uc.Ready():
	case <-l.uc.Done():
		return nil, l.uc.Why()
	case <-late.C:
		return nil, errNoPackets
	case <-t.ctx.Done():
		return nil, transport.ErrClosed
	}
	remote := *l.base.remote
	remote.grant = grant
	c := &conn{
		peer: p, line: l.uc, way: byFabric, link: l, inbound: l.base.inbound, owner: l.base.owner, shown: l.base.shown,
		remote: &remote, initial: t.options.Grant, meter: l.base.meter, cancel: l.uc.Close, closed: make(chan struct{}),
	}
	t.moderate(c)
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.left || l.base.lost != nil || p.closed || !slices.Contains(p.conns, l.base) || p.links[l.uc.Token()] != l {
		return nil, errEnded
	}
	l.conn = c
	for _, o := range p.conns {
		if o.way == byFabric && o.inbound == c.inbound {
			t.running.Go(func() { o.fail(errReplaced) })
		}
	}
	p.conns = append(p.conns, c)
	p.kick(c)
	return c, nil
}

// part ends a link on this side: what was taken is told. A fabric's connection that is not used any more comes here
// before anything else is done with its peer.
func (p *peer) part(l *link) {
	if l == nil || l.left || p.links[l.uc.Token()] != l {
		return
	}
	l.left = true
	p.tellTaken(l.theirs, l.took)
	if len(l.kept) == 0 {
		p.unlink(l)
		return
	}
	l.late = time.AfterFunc(connectTime, func() { p.unsettled(l) })
}

// tellTaken says on a stream what was taken from a fabric. Where there is none, all that the peer has ends.
func (p *peer) tellTaken(theirs, taken uint64) {
	if c := p.newest(byStream); c != nil {
		b := binary.LittleEndian.AppendUint64(nil, theirs)
		p.note(c, settle, binary.LittleEndian.AppendUint64(b, taken))
	}
}

// settled sends over the stream what the other side has not taken from a fabric and will not take.
func (c *conn) settled(ours, taken uint64) error {
	p := c.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.links[ours]
	if l == nil {
		return nil // nothing was kept
	}
	defer l.uc.Close(errParted)
	if l.conn == nil {
		return nil // it will not be attached
	}
	if l.conn.lost == nil {
		l.conn.lost = errParted
		p.part(l)
	}
	granted := l.sent - uint64(len(l.kept))
	if taken < granted || taken > l.sent {
		return fmt.Errorf("it has taken %d parcels from a fabric, of %d that were sent and %d that it granted anew", taken, l.sent, granted)
	}
	p.requeue(l.kept[taken-granted:])
	l.kept = nil
	p.unlink(l)
	return nil
}

// requeue queues parcels before all others, however many there are: they were queued once.
func (p *peer) requeue(parcels [][]byte) {
	best := p.best()
	if best == nil {
		return // Gone is told
	}
	if len(p.queue) == 0 {
		p.payer = best.meter
	}
	var first []outbound
	for _, b := range parcels {
		p.queued += int64(len(b))
		p.payer.waits(int64(len(b)))
		first = append(first, outbound{bytes: b})
	}
	p.queue = append(first, p.queue...)
	p.kick(best)
}

// unsettled ends all connections with a peer that does not say what it has taken.
func (p *peer) unsettled(l *link) {
	p.mu.Lock()
	if p.links[l.uc.Token()] != l {
		p.mu.Unlock()
		return
	}
	conns := slices.Clone(p.conns)
	p.mu.Unlock()
	for _, c := range conns {
		c.fail(errUnsettled)
	}
}

// dropLinks forgets all links of a peer whose last connection has ended. What they keep is lost, as what is queued.
func (p *peer) dropLinks() {
	for _, l := range p.links {
		p.unlink(l)
		l.uc.Close(errEnded)
	}
}

// taking counts a parcel that is about to be handled, unless the count stands.
func (c *conn) taking() bool {
	if c.link == nil {
		return true
	}
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	if c.lost != nil {
		return false
	}
	c.link.took++
	return true
}

// keep notes a parcel that is sent.
func (l *link) keep(parcel []byte) {
	if l != nil {
		l.sent++
		l.kept = append(l.kept, parcel)
	}
}

// granted forgets parcels that the other side has handled: the first ones, since it takes them in order. They are
// no more than are kept, which conn.credit has seen to.
func (l *link) granted(parcels int) {
	if l == nil {
		return
	}
	n := min(parcels, len(l.kept))
	clear(l.kept[:n])
	if l.kept = l.kept[n:]; len(l.kept) == 0 {
		l.kept = nil
	}
}

// read notes that a message is handled, and unread gives back what counts for those that never will be.
func (l *link) read(length int) {
	if l != nil && l.base.meter != nil {
		l.held.Add(-int64(length) - messageHead)
	}
}

func (l *link) unread(m *meter) {
	if l != nil && m != nil {
		m.link.Hold(-l.held.Swap(0), m.most)
	}
}
