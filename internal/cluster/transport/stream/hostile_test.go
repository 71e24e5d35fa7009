package stream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// rogue opens a stream to a node without keeping to the protocol.
func rogue(t *testing.T, id *identity.Identity, address string) grpc.ClientStream {
	t.Helper()
	client, err := grpc.NewClient("passthrough:///"+address, dialOptions(credentials.NewTLS(id.Client("")), 1<<30)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	s, err := client.NewStream(ctx, &description, method)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verdict is what a node says at the end of a rogue's stream.
func verdict(t *testing.T, s grpc.ClientStream) string {
	t.Helper()
	for {
		var b []byte
		if err := s.RecvMsg(&b); err != nil {
			return err.Error()
		}
	}
}

// good is a hello that node 1 accepts.
func (w *world) good(from catalog.Peer) *greeting {
	return &greeting{from: from, to: 1, life: 1, cluster: w.authority.Cluster, grant: defaultGrant}
}

func TestHellos(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	a := newEvents(t)
	w.start(1, a)
	node, guest := w.issue(identity.Node, nodeName(7)), w.issue(identity.Client, "guest")
	edit := func(from catalog.Peer, f func(*greeting)) []byte {
		g := w.good(from)
		f(g)
		return g.frame()
	}
	old := w.good(7).frame()
	old[1] = 9
	tests := []struct {
		name  string
		id    *identity.Identity
		first []byte
		want  string
	}{
		{"nothing", node, nil, errNoHello.Error()},
		{"empty", node, []byte{}, "expected a hello, found a frame of 0 bytes"},
		{"garbage", node, []byte("GET / HTTP/1.1\r\n"), "expected a hello, found a frame of 16 bytes of kind 71"},
		{"a parcel", node, frameOf(head{kind: carry}, []byte("x")).head, "of kind 2"},
		{"another version", node, old, "expected version 1 of the protocol, found 9"},
		{"cut short", node, w.good(7).frame()[:20], "expected a hello of 24 to 88 bytes, found 20"},
		{"too long", node, append(w.good(7).frame(), make([]byte, 100)...), "expected a hello of 24 to 88 bytes"},
		{"too large for anything", node, make([]byte, defaultMaxParcel+headSize+1), "larger than max"},
		{"another cluster", node, edit(7, func(g *greeting) { g.cluster = "elsewhere" }), `found one of "elsewhere"`},
		{"for another peer", node, edit(7, func(g *greeting) { g.to = 3 }), "this is peer 1, not peer 3"},
		{"from nobody", node, edit(0, func(*greeting) {}), "expected another peer's number, found 0"},
		{"from the node itself", node, edit(1, func(*greeting) {}), "expected another peer's number, found 1"},
		{"granting nothing", node, edit(7, func(g *greeting) { g.grant = Grant{} }), "to grant parcels and bytes"},
		{"a client as a node", guest, w.good(7).frame(), `expected [node], found client "guest"`},
		{"a node as another", node, w.good(8).frame(), `expected "node-8", found node "node-7"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := rogue(t, test.id, w.known[1])
			if test.first != nil {
				if err := s.SendMsg(&outgoing{head: test.first}); err != nil {
					t.Log(err)
				}
			}
			if got := verdict(t, s); !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	t.Cleanup(a.none) // runs after the parallel subtests
}

func TestBrokenProtocol(t *testing.T) {
	w := newWorld(t, false)
	a, c := newEvents(t), newEvents(t)
	w.start(1, a)
	guest := w.begin(Options{Self: client}, c)
	guest.Know(w.known)
	frame := func(h head, body string) []byte { return frameOf(h, []byte(body)).head }
	tests := []struct {
		name string
		send [][]byte
		want string
	}{
		{"garbage", [][]byte{[]byte("some words")}, "expected a frame's head"},
		{"empty", [][]byte{{}}, "expected a frame's head of 8 bytes, found a frame of 0 bytes"},
		{"another hello", [][]byte{w.good(7).frame()}, "expected a frame's head"},
		{"unknown kind", [][]byte{frame(head{kind: 77}, "")}, "of kind 77"},
		{"a credit with a body", [][]byte{frame(head{kind: credit}, "x")}, "found a frame of 9 bytes of kind 3"},
		{"too large a frame", [][]byte{make([]byte, defaultMaxParcel+headSize+1)}, "larger than max"},
		{"granting parcels never sent", [][]byte{frame(head{credit, Grant{Parcels: 1}}, "")}, "more than was sent"},
		{"granting bytes never sent", [][]byte{frame(head{credit, Grant{Bytes: 1}}, "")}, "more than was sent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := rogue(t, w.issue(identity.Node, nodeName(7)), w.known[1])
			for i, b := range append([][]byte{w.good(7).frame()}, test.send...) {
				if err := s.SendMsg(&outgoing{head: b}); err != nil {
					t.Log(i, err)
				}
			}
			if got := verdict(t, s); !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if why := a.gone(7); !strings.Contains(why, "peer 7 broke the protocol") && !strings.Contains(why, "larger than max") {
				t.Errorf("gone, because %s", why)
			}
		})
	}
	w.send(guest, 1, "undisturbed")
	a.expect(fmt.Sprintf("%d: undisturbed", client))
}

// A peer that sends more than was granted waits, and is all the memory it gets.
func TestPeerThatIgnoresGrants(t *testing.T) {
	w := newWorld(t, false)
	a, c := newEvents(t), newEvents(t)
	stop := make(chan struct{})
	w.start(1, &hand{
		receive: func(from catalog.Peer, b []byte) {
			if from == 7 {
				<-stop
			}
			a.Receive(from, b)
		},
		gone: a.Gone,
	})
	s := rogue(t, w.issue(identity.Node, nodeName(7)), w.known[1])
	if err := s.SendMsg(&outgoing{head: w.good(7).frame()}); err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	go func() {
		for s.SendMsg(frameOf(head{kind: carry}, make([]byte, 1<<20))) == nil {
			sent.Add(1)
		}
	}()
	guest := w.begin(Options{Self: client}, c)
	guest.Know(w.known)
	for start := time.Now(); time.Since(start) < time.Second; time.Sleep(10 * time.Millisecond) {
		w.send(guest, 1, "undisturbed")
		a.expect(fmt.Sprintf("%d: undisturbed", client))
	}
	if n := sent.Load(); n < window>>20-1 || n > window>>20+3 {
		t.Errorf("%d MiB were taken from a peer whose first parcel is being handled, want about %d", n, window>>20)
	}
	close(stop)
	a.expect("7: 1048576 bytes")
}

// A peer that reads nothing costs Send no time, and in the end fills its queue.
func TestPeerThatDoesNotRead(t *testing.T) {
	for _, size := range []int{100, 60 << 10} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := newWorld(t, false)
			a := newEvents(t)
			node := w.start(1, a)
			s := rogue(t, w.issue(identity.Node, nodeName(7)), w.known[1])
			g := w.good(7)
			g.grant = Grant{Parcels: 50_000, Bytes: 2 << 30}
			if err := s.SendMsg(&outgoing{head: g.frame()}); err != nil {
				t.Fatal(err)
			}
			if err := s.SendMsg(frameOf(head{kind: carry}, []byte("here"))); err != nil {
				t.Fatal(err)
			}
			a.expect("7: here")
			sent, worst := fill(t, node, 7, make([]byte, size))
			bytes, parcels := int(defaultGrant.Bytes+slackBytes)/size+2, defaultGrant.Parcels+slackParcels
			if most := min(bytes, parcels); sent < most/2 || sent > most {
				t.Errorf("full after %d parcels, want at most %d whatever the peer grants", sent, most)
			}
			if worst > time.Second {
				t.Errorf("a Send took %v", worst)
			}
			b := newEvents(t)
			w.start(2, b)
			w.introduce()
			w.send(node, 2, "others are served")
			b.expect("1: others")
		})
	}
}

// fill sends a parcel until the transport takes no more. worst is the longest
// time that a Send took.
func fill(t *testing.T, from *Transport, to catalog.Peer, parcel []byte) (sent int, worst time.Duration) {
	t.Helper()
	for ; ; sent++ {
		start := time.Now()
		err := from.Send(to, parcel)
		worst = max(worst, time.Since(start))
		if errors.Is(err, transport.ErrFull) {
			return sent, worst
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestStalledHandler(t *testing.T) {
	w := newWorld(t, false)
	a, b, c := newEvents(t), newEvents(t), newEvents(t)
	b.stop = make(chan struct{})
	l := w.listen("127.0.0.1:0")
	w.known[2] = l.Addr().String()
	one := w.start(1, a)
	w.begin(Options{Self: 2, Listener: l, Grant: Grant{Parcels: 16, Bytes: 1 << 20}}, b)
	w.start(3, c)
	w.introduce()
	w.send(one, 2, "x")
	for start := time.Now(); one.peers[2].connections() == 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatal("not connected")
		}
	}
	sent, _ := fill(t, one, 2, []byte("x"))
	sent++ // with the first
	if sent < slackParcels || sent > 16+slackParcels+1 {
		t.Errorf("full after %d parcels, granted are 16, and %d wait", sent, slackParcels)
	}
	w.send(one, 3, "others are served")
	c.expect("1: others")
	close(b.stop)
	for range sent {
		b.expect("1: x")
	}
	w.send(one, 2, "more")
	b.expect("1: more")
	b.none()
}

func (p *peer) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

func TestCertificates(t *testing.T) {
	w, elsewhere := newWorld(t, false), newWorld(t, false)
	expired, err := w.authority.Issue(identity.Node, nodeName(5), time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	a := newEvents(t)
	log := &journal{}
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	w.begin(Options{Self: 1, Listener: l, Log: slog.New(slog.NewTextHandler(log, nil))}, a)
	foreign := elsewhere.issue(identity.Node, nodeName(1))
	fl := w.listen("127.0.0.1:0")
	elsewhere.begin(Options{Self: 1, Identity: foreign, Listener: fl}, newEvents(t))

	t.Run("own certificate expired", func(t *testing.T) {
		if _, err := New(Options{Self: 5, Identity: expired}, a); !errors.Is(err, identity.ErrExpired) {
			t.Error(err)
		}
	})
	t.Run("a client's certificate for a node", func(t *testing.T) {
		_, err := New(Options{Self: 5, Identity: w.issue(identity.Client, "c")}, a)
		if err == nil || !strings.Contains(err.Error(), `is that of client "c"`) {
			t.Error(err)
		}
	})
	t.Run("no certificate", func(t *testing.T) {
		c, err := tls.Dial("tcp", w.known[1], &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		if err == nil {
			c.SetDeadline(time.Now().Add(patience))
			_, err = c.Read(make([]byte, 1))
			c.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "bad certificate") {
			t.Error(err)
		}
		log.expect(t, "no certificate: expected one of cluster "+w.authority.Cluster)
	})
	t.Run("no TLS", func(t *testing.T) {
		c, err := net.Dial("tcp", w.known[1])
		if err != nil {
			t.Fatal(err)
		}
		c.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
		c.SetDeadline(time.Now().Add(patience))
		for err == nil {
			_, err = c.Read(make([]byte, 64))
		}
		c.Close()
		log.expect(t, "first record does not look like a TLS handshake")
	})
	dial := func(name string, o Options, address string, want string) {
		t.Run(name, func(t *testing.T) {
			e := newEvents(t)
			from := w.begin(o, e)
			from.Know(map[catalog.Peer]string{1: address})
			w.send(from, 1, "x")
			if why := e.gone(1); !strings.Contains(why, want) {
				t.Errorf("gone, because %s; want %q", why, want)
			}
			e.none()
		})
	}
	dial("another cluster", Options{Self: 6}, fl.Addr().String(), "certificate of another cluster: expected cluster "+w.authority.Cluster)
	dial("wrong name", Options{Self: 6, NameOf: func(catalog.Peer) (string, bool) { return "zoe", true }},
		w.known[1], `wrong name: expected "zoe", found node "node-1"`)
	dial("own name refused", Options{Self: 6, Identity: w.issue(identity.Node, "zoe")},
		w.known[1], `expected "node-6", found node "zoe"`)
	a.none()
}

// journal is where a test's log goes.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) expect(t *testing.T, want string) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		j.mu.Lock()
		text := j.text.String()
		j.mu.Unlock()
		if strings.Contains(text, want) {
			return
		}
		if time.Since(start) > patience {
			t.Fatalf("%q is not in the log:\n%s", want, text)
		}
	}
}
