package stream

import (
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
