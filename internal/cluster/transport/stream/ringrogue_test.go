package stream

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport/ring"
)

// near opens a socket for a ring with node 1 without keeping to the protocol.
func (w *world) near(t *testing.T) *net.UnixConn {
	t.Helper()
	c, err := ring.Dial(t.Context(), w.authority.Cluster, w.known[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// roguish shows a certificate and says hello on it.
func (w *world) roguish(t *testing.T, id *identity.Identity, hello []byte) (*net.UnixConn, error) {
	t.Helper()
	c := w.near(t)
	secure, _, err := shaken(c, tls.Client, id.Client(""))
	if err != nil {
		return nil, err
	}
	if err := writeFrame(secure, hello); err != nil {
		return nil, err
	}
	_, err = readHelloFrame(secure)
	return c, err
}

// beside gives a certificate a stream, beside which there may be a ring.
func (w *world) beside(t *testing.T, id *identity.Identity, from catalog.Peer) {
	t.Helper()
	s := rogue(t, id, w.known[1])
	var b []byte
	if err := errors.Join(s.SendMsg(&outgoing{head: w.good(from).frame()}), s.RecvMsg(&b)); err != nil {
		t.Fatal(err)
	}
}

// Who may have a ring, and which number, follows from the certificate, as for streams.
func TestRingHellos(t *testing.T) {
	w := newWorld(t, false)
	w.rings = true
	a := newEvents(t)
	w.start(1, a)
	node, guest := w.issue(identity.Node, nodeName(7)), w.issue(identity.Client, "guest")
	w.beside(t, node, 7)
	w.beside(t, guest, client)
	edit := func(from catalog.Peer, f func(*greeting)) []byte {
		g := w.good(from)
		f(g)
		return g.frame()
	}
	for _, c := range []struct {
		name  string
		id    *identity.Identity
		hello []byte
		want  string
	}{
		{"garbage", node, []byte("GET / HTTP/1.1\r\n"), "expected a hello"},
		{"empty", node, nil, "expected a hello"},
		{"another cluster", node, edit(7, func(g *greeting) { g.cluster = "elsewhere" }), `found one of "elsewhere"`},
		{"for another peer", node, edit(7, func(g *greeting) { g.to = 3 }), "this is peer 1, not peer 3"},
		{"from the node itself", node, edit(1, func(*greeting) {}), "expected another peer's number, found 1"},
		{"a client as a node", guest, w.good(7).frame(), `expected [node], found client "guest"`},
		{"a node as another", node, w.good(8).frame(), `expected "node-8", found node "node-7"`},
		{"no stream beside it", w.issue(identity.Client, "alone"), w.good(client + 1).frame(), "client/alone has no other connection"},
		{"another cluster's certificate", newWorld(t, false).issue(identity.Client, "x"), w.good(client).frame(), "certificate"},
	} {
		if _, err := w.roguish(t, c.id, c.hello); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	// A stream's handshake is none of a ring's.
	s := tls.Client(w.near(t), guest.Client(""))
	if err := s.Handshake(); err == nil {
		if _, err = s.Read(make([]byte, 1)); err == nil {
			t.Error("a handshake without the protocol's name is taken")
		}
	}
	a.none()
}

// Sockets that do not become rings end, wherever they stop.
func TestRingHalfOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.rings = true
	w.start(1, newEvents(t))
	guest := w.issue(identity.Client, "guest")
	for name, open := range map[string]func(*testing.T) io.Reader{
		"says nothing": func(t *testing.T) io.Reader { return w.near(t) },
		"shows a certificate and nothing more": func(t *testing.T) io.Reader {
			c := w.near(t)
			if _, _, err := shaken(c, tls.Client, guest.Client("")); err != nil {
				t.Fatal(err)
			}
			return c
		},
		"passes no memory": func(t *testing.T) io.Reader {
			w.beside(t, guest, client) // here: its time passes while others run
			c, err := w.roguish(t, guest, w.good(client).frame())
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			c := open(t)
			_ = c.(*net.UnixConn).SetDeadline(start.Add(patience))
			_, err := io.Copy(io.Discard, c)
			if d := time.Since(start); d > connectTime+slackTime || errors.Is(err, errTimeout(err)) {
				t.Errorf("it ended after %v: %v", d, err)
			}
		})
	}
}

// What is no frame ends a ring, and the stream beside it, with the same words that it ends a stream with.
func TestRingBrokenProtocol(t *testing.T) {
	w := newWorld(t, false)
	w.rings = true
	a := newEvents(t)
	w.start(1, a)
	id := w.issue(identity.Node, nodeName(7))
	for _, c := range []struct {
		name  string
		frame []byte
		want  string
	}{
		{"garbage", []byte("some words"), "expected a frame's head"},
		{"empty", []byte{}, "found a frame of 0 bytes"},
		{"unknown kind", frameOf(head{kind: 77}, nil).head, "of kind 77"},
		{"granting what was never sent", frameOf(head{credit, Grant{Parcels: 1}}, nil).head, "more than was sent"},
		{"too long", make([]byte, defaultMaxParcel+headSize+1), "expected at most"},
	} {
		w.beside(t, id, 7)
		raw, err := w.roguish(t, id, w.good(7).frame())
		if err != nil {
			t.Fatal(err)
		}
		r, err := ring.Offer(raw, ring.Options{Most: 1 << 20, Go: func(f func()) { go f() }})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = r.Write(c.frame, nil, false) }()
		if _, err := r.Read(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if why := a.gone(7); !strings.Contains(why, c.want) {
			t.Errorf("%s: gone, because %s", c.name, why)
		}
	}
	a.none() // once for both
}

// A ring ends with the last connection of its owner, also where that was another peer's.
func TestRingOutlivesNoOther(t *testing.T) {
	w := newWorld(t, false)
	w.rings = true
	a := newEvents(t)
	w.start(1, a)
	guest := w.issue(identity.Client, "guest")
	var r *ring.Conn
	t.Run("beside a stream", func(sub *testing.T) {
		w.beside(sub, guest, client) // until the end of this part
		raw, err := w.roguish(t, guest, w.good(client+1).frame())
		if err != nil {
			sub.Fatal(err)
		}
		if r, err = ring.Offer(raw, ring.Options{Most: 1 << 20, Go: func(f func()) { go f() }}); err != nil {
			sub.Fatal(err)
		}
		if err := r.Write(frameOf(head{kind: carry}, nil).head, []byte("x"), false); err != nil {
			sub.Fatal(err)
		}
		a.expect(fmt.Sprintf("%d: x", client+1))
	})
	if t.Failed() {
		return
	}
	a.gone(client)
	if why := a.gone(client + 1); !strings.Contains(why, "client/guest has no other connection any more") {
		t.Errorf("gone, because %s", why)
	}
	if _, err := r.Read(); err == nil {
		t.Error("it can be read")
	}
}

// Whoever takes the name of a node's socket first keeps it from having rings, and nothing else, and no
// longer than it keeps the name.
func TestSquatter(t *testing.T) {
	w := newWorld(t, false)
	w.rings = true
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	squat, err := ring.Listen(w.authority.Cluster, w.known[1])
	if err != nil {
		t.Fatal(err)
	}
	defer squat.Close()
	var taken atomic.Int64
	go func() {
		for {
			if _, err := squat.Accept(); err != nil {
				return
			}
			taken.Add(1)
		}
	}()
	a, log := newEvents(t), &journal{}
	w.begin(Options{Self: 1, Listener: l, Log: slog.New(slog.NewTextHandler(log, nil))}, a)
	log.expect(t, "no rings are accepted")
	guest := w.begin(Options{Self: client}, newEvents(t))
	guest.Know(w.known)
	for n := range 3 {
		if err := guest.Send(1, fmt.Append(nil, n)); err != nil {
			t.Fatal(err)
		}
		a.expect(fmt.Sprintf("%d: %d", client, n))
	}
	if way := guest.Ways()[1]; way != "stream" {
		t.Errorf("the way is %q", way)
	}
	_ = squat.Close()
	log.expect(t, "rings are accepted now")
	other := w.begin(Options{Self: client + 1}, newEvents(t))
	other.Know(w.known)
	w.send(other, 1, "x")
	a.expect(fmt.Sprintf("%d: x", client+1))
	w.ringed(other, 1)
}

// A peer with rings and one without talk through streams.
func TestWithoutRings(t *testing.T) {
	w := newWorld(t, false)
	a := newEvents(t)
	w.start(1, a)
	guest := w.begin(Options{Self: client, Rings: true}, newEvents(t))
	guest.Know(w.known)
	w.send(guest, 1, "x")
	a.expect(fmt.Sprintf("%d: x", client))
	if _, err := ring.Dial(context.Background(), w.authority.Cluster, w.known[1]); !errors.Is(err, ring.ErrNone) {
		t.Error(err)
	}
	w.send(guest, 1, "y")
	a.expect(fmt.Sprintf("%d: y", client))
	if way := guest.Ways()[1]; way != "stream" {
		t.Errorf("the way is %q", way)
	}
}

// A parcel in a ring counts to what its owner has the node hold.
func TestRingHolds(t *testing.T) {
	w := newWorld(t, false)
	w.rings = true
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	stop, got := make(chan struct{}), make(chan int, 100)
	w.begin(Options{Self: 1, Listener: l, MaxParcel: 1 << 20, Held: 4 << 20}, &hand{receive: func(_ catalog.Peer, b []byte) {
		got <- len(b)
		if len(b) > 1 {
			<-stop
		}
	}})
	e := newEvents(t)
	alice := w.issue(identity.Client, "alice")
	var all []*Transport
	for i := range 6 {
		guest := w.begin(Options{Self: client + catalog.Peer(i), Identity: alice}, e)
		guest.Know(w.known)
		w.send(guest, 1, "x")
		<-got
		w.ringed(guest, 1)
		all = append(all, guest)
	}
	for _, guest := range all {
		if err := guest.Send(1, bytes.Repeat([]byte{1}, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if why := e.gone(1); !strings.Contains(why, "client/alice has this node hold more bytes than it may") {
		t.Errorf("gone, because %s", why)
	}
	close(stop)
}
