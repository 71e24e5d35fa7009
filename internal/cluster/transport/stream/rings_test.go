package stream

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// ringed waits until a peer is reached through a ring.
func (w *world) ringed(t *Transport, to catalog.Peer) {
	w.Helper()
	for start := time.Now(); t.Ways()[to] != "ring"; time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			w.Fatalf("peer %d is reached through %q", to, t.Ways()[to])
		}
	}
}

// settle waits until a peer is reached through a ring, if that comes about.
func (w *world) settle(t *Transport, to catalog.Peer) {
	for start := time.Now(); t.Ways()[to] != "ring" && time.Since(start) < time.Second; {
		time.Sleep(time.Millisecond)
		if t.Ways()[to] == "" && time.Since(start) > 100*time.Millisecond {
			return
		}
	}
}

// What holds of streams holds where there are rings beside them: what these tests send first goes through
// a stream, and what comes then through a ring.
func TestOverRings(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"ParcelsBothWays": TestParcelsBothWays, "Client": TestClient, "LargeParcels": TestLargeParcels,
		"BothDialAtOnce": TestBothDialAtOnce, "RestartOnTheSamePort": TestRestartOnTheSamePort,
		"NothingIsLeftOver": TestNothingIsLeftOver,
		"RolesAndNumbers":   TestRolesAndNumbers, "NumbersOfOthers": TestNumbersOfOthers,
		"RevokedWhileConnected": TestRevokedWhileConnected, "EndsByItself": TestEndsByItself,
		"RevokedNode": TestRevokedNode, "RenewedWhileConnected": TestRenewedWhileConnected,
		"BrokenProtocol": TestBrokenProtocol, "Certificates": TestCertificates,
		"ServicesBesideParcels": TestServicesBesideParcels,
		"GoingAwayIsNoRefusal":  TestGoingAwayIsNoRefusal,
	} {
		t.Run(name, test)
	}
}

// Peers of one machine find each other by themselves.
func TestRing(t *testing.T) {
	w := newWorld(t, false)
	w.rings = true
	a, b := newEvents(t), newEvents(t)
	one, two := w.start(1, a), w.start(2, b)
	w.introduce()
	w.send(one, 2, "first")
	b.expect("1: first")
	w.ringed(one, 2)
	w.ringed(two, 1)
	w.send(one, 2, "there")
	b.expect("1: there")
	w.send(two, 1, "and back")
	a.expect("2: and back")
	two.Close()
	a.expect("2 gone")
	a.none()
}

// Who is lent to write tells of what it wrote before it passes the rest on. Else the next one may wait
// for room while this one, which may be the reader, waits for the ring.
func TestLentFlushesFirst(t *testing.T) {
	w := newWorld(t, false)
	w.rings = true
	var armed atomic.Bool
	waiting := make(chan int, 1)
	var p *peer
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	one := w.begin(Options{Self: 1, Listener: l, at: func() {
		if armed.CompareAndSwap(true, false) { // it is being told of the small parcel
			time.Sleep(50 * time.Millisecond) // would another one write, it had begun
			p.mu.Lock()
			waiting <- len(p.queue)
			p.mu.Unlock()
		}
	}}, newEvents(t))
	sizes := make(chan int, 2)
	w.start(2, &hand{receive: func(_ catalog.Peer, b []byte) {
		if len(b) > 1 {
			sizes <- len(b)
		}
	}})
	w.introduce()
	w.send(one, 2, "x")
	w.ringed(one, 2)
	time.Sleep(100 * time.Millisecond) // its reader sleeps
	p, _ = one.find(2)
	p.mu.Lock()
	c := p.best()
	if c.way != byRing || c.writing {
		t.Fatal("expected a ring at rest")
	}
	c.writing = true
	for _, size := range []int{100, 1 << 20} { // the second one is larger than the ring
		if err := p.enqueue(outbound{bytes: make([]byte, size)}, c.may); err != nil {
			t.Error(err)
		}
	}
	armed.Store(true)
	p.mu.Unlock()
	p.drain(c, true)
	if n := <-waiting; n != 1 {
		t.Errorf("%d parcels wait while the first one is told of, want 1", n)
	}
	for _, want := range []int{100, 1 << 20} {
		if got := <-sizes; got != want {
			t.Errorf("%d bytes came, want %d", got, want)
		}
	}
}
