package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// Who may have which number follows from the certificate.
func TestRolesAndNumbers(t *testing.T) {
	w := newWorld(t, false)
	a := newEvents(t)
	node := w.start(1, a)
	for _, c := range []struct {
		role identity.Role
		name string
		from catalog.Peer
		want string // empty: let in
	}{
		{identity.Node, "node-7", 7, ""},
		{identity.Node, "node-8", 7, `wrong name: expected "node-7", found node "node-8"`},
		{identity.Client, "node-7", 7, `wrong role: expected [node], found client "node-7"`},
		{identity.Admin, "node-7", 7, `wrong role: expected [node], found admin "node-7"`},
		{identity.Client, "node-7", 200, `wrong role: expected [node]`}, // a number that nobody has
		{identity.Client, "alice", client, ""},
		{identity.Admin, "root", client, ""},
		{identity.Node, "node-7", client, ""}, // a node that asks another, as a client does
	} {
		s := rogue(t, w.issue(c.role, c.name), w.known[1])
		if err := s.SendMsg(&outgoing{head: w.good(c.from).frame()}); err != nil {
			t.Fatal(err)
		}
		if c.want != "" {
			if got := verdict(t, s); !strings.Contains(got, c.want) {
				t.Errorf("%v %s as peer %d: %q, want %q", c.role, c.name, c.from, got, c.want)
			}
			continue
		}
		var b []byte
		if err := s.RecvMsg(&b); err != nil {
			t.Errorf("%v %s as peer %d: %v", c.role, c.name, c.from, err)
			continue
		}
		if owner, want := node.Owner(c.from), fmt.Sprintf("%v/%s", c.role, c.name); owner != want {
			t.Errorf("peer %d belongs to %q, want %q", c.from, owner, want)
		}
		_ = s.CloseSend()
		a.expect(fmt.Sprintf("%d gone", c.from))
	}
	a.none()
}

// A client's number is its own as long as it is connected, though another one has
// learned of its hello.
func TestNumbersOfOthers(t *testing.T) {
	w := newWorld(t, false)
	a := newEvents(t)
	node := w.start(1, a)
	say := func(name string) (string, error) {
		s := rogue(t, w.issue(identity.Client, name), w.known[1])
		if err := s.SendMsg(&outgoing{head: w.good(client).frame()}); err != nil { // of the same life
			return "", err
		}
		var b []byte
		return node.Owner(client), s.RecvMsg(&b)
	}
	if _, err := say("alice"); err != nil {
		t.Fatal(err)
	}
	if _, err := say("mallory"); err == nil || !strings.Contains(err.Error(), "another client has the number") {
		t.Errorf("took over the number of another: %v", err)
	}
	if owner := node.Owner(client); owner != "client/alice" {
		t.Errorf("it belongs to %s now", owner)
	}
	a.none()
}

// A peer whose certificate is revoked is disconnected, told so, and not let in again,
// and neither are its other calls; others are not disturbed.
func TestRevokedWhileConnected(t *testing.T) {
	w := newWorld(t, false)
	var serial atomic.Value
	serial.Store("")
	id := w.node(nodeName(1))
	id.Revoked = func(s string) bool { return s == serial.Load() }
	a, e, f := newEvents(t), newEvents(t), newEvents(t)
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	node := w.begin(Options{Self: 1, Identity: id, Listener: l, Services: servesHealth}, a)
	alice, bob := w.issue(identity.Client, "alice"), w.issue(identity.Client, "bob")
	thief := w.begin(Options{Self: client, Identity: alice}, e)
	honest := w.begin(Options{Self: client + 1, Identity: bob}, f)
	w.introduce()
	w.send(thief, 1, "x")
	a.expect(fmt.Sprintf("%d: x", client))
	w.send(honest, 1, "x")
	a.expect(fmt.Sprintf("%d: x", client+1))
	c := w.dialHealth(alice)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	watch, err := grpc_health_v1.NewHealthClient(c).Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err == nil {
		_, err = watch.Recv()
	}
	if err != nil {
		t.Fatal(err)
	}

	serial.Store(alice.Serial())
	start := time.Now()
	node.Recheck()
	if why := e.gone(1); !strings.Contains(why, "revoked certificate: that of client \"alice\"") {
		t.Errorf("gone, because %s", why)
	}
	a.expect(fmt.Sprintf("%d gone: revoked certificate", client))
	_, err = grpc_health_v1.NewHealthClient(c).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if code := status.Code(err); code != codes.PermissionDenied && code != codes.Unavailable {
		t.Errorf("another call on the connection that there was: %v", err)
	}
	if _, err := watch.Recv(); err == nil || time.Since(start) > patience {
		t.Errorf("a call under way goes on, after %v: %v", time.Since(start), err)
	}
	for start := time.Now(); thief.Send(1, []byte("again")) != nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatal("does not dial")
		}
	}
	if why := e.gone(1); !strings.Contains(why, "the other side does not take the certificate of client/alice, serial "+alice.Serial()) {
		t.Errorf("gone again, because %s", why)
	}
	w.send(honest, 1, "still here")
	a.expect(fmt.Sprintf("%d: still here", client+1))
}

// Nobody has to call Recheck: a node looks by itself. A certificate that expired a
// moment ago is no reason, since clocks may differ; one that did a day ago is.
func TestEndsByItself(t *testing.T) {
	w := newWorld(t, false)
	var off atomic.Int64
	id := w.node(nodeName(1))
	id.Now = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	a := newEvents(t)
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	w.begin(Options{Self: 1, Identity: id, Listener: l}, a)
	e := newEvents(t)
	guest := w.begin(Options{Self: client}, e) // its certificate lives for an hour
	guest.Know(w.known)
	w.send(guest, 1, "x")
	a.expect(fmt.Sprintf("%d: x", client))
	off.Store(int64(2 * time.Hour))
	time.Sleep(3 * beatTime)
	w.send(guest, 1, "y")
	a.expect(fmt.Sprintf("%d: y", client))
	off.Store(int64(26 * time.Hour))
	a.expect(fmt.Sprintf("%d gone: expired certificate", client))
	e.gone(1)
}

// The side that dialled ends its connection with a node that was revoked, too.
func TestRevokedNode(t *testing.T) {
	w := newWorld(t, false)
	a, e := newEvents(t), newEvents(t)
	w.start(1, a)
	var revoked atomic.Bool
	id := w.issue(identity.Client, "alice")
	id.Revoked = func(string) bool { return revoked.Load() }
	guest := w.begin(Options{Self: client, Identity: id}, e)
	guest.Know(w.known)
	w.send(guest, 1, "x")
	a.expect(fmt.Sprintf("%d: x", client))
	guest.Recheck()
	w.send(guest, 1, "y")
	a.expect(fmt.Sprintf("%d: y", client))
	revoked.Store(true)
	guest.Recheck()
	if why := e.gone(1); !strings.Contains(why, `revoked certificate: that of node "node-1"`) {
		t.Errorf("gone, because %s", why)
	}
	if _, err := New(Options{Self: client, Identity: id}, e); !errors.Is(err, identity.ErrRevoked) {
		t.Errorf("begins with a revoked certificate: %v", err)
	}
}

// A renewed certificate is shown to whom one connects with next; what there is goes on.
func TestRenewedWhileConnected(t *testing.T) {
	w := newWorld(t, false)
	a, b, e := newEvents(t), newEvents(t), newEvents(t)
	w.start(1, a)
	w.start(2, b)
	id := w.issue(identity.Client, "alice")
	guest := w.begin(Options{Self: client, Identity: id}, e)
	guest.Know(w.known)
	w.send(guest, 1, "before")
	a.expect(fmt.Sprintf("%d: before", client))
	csr, key, err := id.Request()
	if err != nil {
		t.Fatal(err)
	}
	connected := guest.peers[1].conns[0].stream
	der, err := w.authority.Renew(csr, w.all[0].peers[client].conns[0].shown, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.Adopt(der, key); err != nil {
		t.Fatal(err)
	}
	w.send(guest, 1, "after")
	a.expect(fmt.Sprintf("%d: after", client))
	if guest.peers[1].conns[0].stream != connected {
		t.Error("it connected again")
	}
	w.send(guest, 2, "after")
	b.expect(fmt.Sprintf("%d: after", client))
	if shown := w.all[1].peers[client].conns[0].shown; string(shown.Raw) != string(der) {
		t.Error("the former certificate is shown")
	}
	e.none()
}
