package stream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport/gate"
)

// slack is what a busy machine may add to the times of a port.
const slackTime = 4 * time.Second

// opening begins a connection as TLS and HTTP/2 do, and stops somewhere.
func (w *world) opening(id *identity.Identity, address string) *tls.Conn {
	w.Helper()
	config := id.Client("")
	config.NextProtos = []string{"h2"}
	c, err := tls.Dial("tcp", address, config)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { c.Close() })
	return c
}

// preface is how HTTP/2 begins, with empty settings.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// headers is the head of a frame that opens stream 1 with 200 bytes of headers.
const headers = "\x00\x00\xc8\x01\x04\x00\x00\x00\x01"

// trickle sends a byte a second until that fails.
func trickle(c io.Writer, bytes string) {
	for {
		for i := range len(bytes) {
			if _, err := c.Write([]byte{bytes[i]}); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
}

// Connections that do not become those of a peer end, wherever they stop and however
// slowly they go on, and honest peers get in meanwhile.
func TestHalfOpenConnectionsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	a := newEvents(t)
	w.start(1, a)
	address, guest := w.known[1], w.issue(identity.Client, "guest")
	raw := func() net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	// The first record of TLS, as a client sends it.
	hello := func() []byte {
		near, far := net.Pipe()
		go tls.Client(near, guest.Client("")).Handshake()
		b := make([]byte, 4096)
		n, _ := far.Read(b)
		far.Close()
		return b[:n]
	}()
	type connection interface {
		io.ReadWriter
		SetReadDeadline(time.Time) error
	}
	for name, c := range map[string]struct {
		within time.Duration
		open   func() connection
	}{
		"says nothing": {connectTime, func() connection { return raw() }},
		"stops in the first record": {connectTime, func() connection {
			c := raw()
			c.Write(hello[:20])
			return c
		}},
		"stops in the middle of the handshake": {connectTime, func() connection {
			c := raw()
			c.Write(hello)
			return c
		}},
		"sends a byte a second of TLS": {connectTime, func() connection {
			c := raw()
			go trickle(c, string(hello))
			return c
		}},
		"shows a certificate and nothing more": {connectTime, func() connection { return w.opening(guest, address) }},
		"sends a byte a second of HTTP/2's preface": {connectTime, func() connection {
			c := w.opening(guest, address)
			go trickle(c, preface)
			return c
		}},
		"begins HTTP/2 and opens no stream": {idleTime, func() connection {
			c := w.opening(guest, address)
			c.Write([]byte(preface))
			return c
		}},
		"sends a byte a second of a stream's head": {idleTime, func() connection {
			c := w.opening(guest, address)
			c.Write([]byte(preface + headers))
			go trickle(c, "\x00")
			return c
		}},
		"sends a ping a second": {idleTime, func() connection {
			c := w.opening(guest, address)
			c.Write([]byte(preface))
			go func() {
				for {
					if _, err := c.Write([]byte("\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678")); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			}()
			return c
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			conn := c.open()
			_ = conn.SetReadDeadline(start.Add(patience))
			_, err := io.Copy(io.Discard, conn)
			if d := time.Since(start); d > c.within+slackTime || errors.Is(err, errTimeout(err)) {
				t.Errorf("it ended after %v, want %v: %v", d, c.within, err)
			}
		})
	}
	t.Run("opens a stream and says no hello", func(t *testing.T) {
		t.Parallel()
		start, s := time.Now(), rogue(t, guest, address)
		if got := verdict(t, s); !strings.Contains(got, errNoHello.Error()) {
			t.Error(got)
		}
		if d := time.Since(start); d > connectTime+slackTime {
			t.Errorf("it ended after %v", d)
		}
	})
	t.Run("sends a byte a second of its hello", func(t *testing.T) {
		t.Parallel()
		start, s := time.Now(), rogue(t, guest, address)
		go func() {
			for s.SendMsg(&outgoing{head: []byte{}}) == nil && s.Context().Err() == nil {
				time.Sleep(time.Second)
			}
		}()
		verdict(t, s)
		if d := time.Since(start); d > connectTime+slackTime {
			t.Errorf("it ended after %v", d)
		}
	})
	t.Run("honest", func(t *testing.T) {
		t.Parallel()
		for n := range 10 {
			e := newEvents(t)
			peer := w.begin(Options{Self: client + catalog.Peer(n)}, e)
			peer.Know(w.known)
			w.send(peer, 1, "hello")
			a.expect(fmt.Sprintf("%d: hello", client+catalog.Peer(n)))
			peer.Close()
			a.expect(fmt.Sprintf("%d gone", client+catalog.Peer(n)))
			time.Sleep(time.Second)
		}
	})
}

// errTimeout is err if it says that the test gave up.
func errTimeout(err error) error {
	var n net.Error
	if errors.As(err, &n) && n.Timeout() {
		return err
	}
	return net.ErrClosed
}

// A flood of connections that never speak neither grows without bounds nor keeps honest
// peers out, though it comes from their own address.
func TestFloodOfStrangers(t *testing.T) {
	w := newWorld(t, false)
	var heard [20]chan struct{} // by client
	var once [len(heard)]sync.Once
	for n := range heard {
		heard[n] = make(chan struct{})
	}
	a := &hand{receive: func(from catalog.Peer, _ []byte) { n := from - client; once[n].Do(func() { close(heard[n]) }) }}
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	log := &journal{}
	node := w.begin(Options{Self: 1, Listener: l, Strangers: 256, PerAddress: 128, Log: slog.New(slog.NewTextHandler(log, nil))}, a)
	stop := make(chan struct{})
	var opened atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var mine []net.Conn
			for {
				select {
				case <-stop:
					for _, c := range mine {
						c.Close()
					}
					return
				default:
				}
				if c, err := net.Dial("tcp", w.known[1]); err == nil {
					opened.Add(1)
					mine = append(mine, c)
				}
				if len(mine) > 500 {
					mine[0].Close()
					mine = mine[1:]
				}
				time.Sleep(4 * time.Millisecond) // 1000 a second, all together
			}
		})
	}
	for start := time.Now(); opened.Load() < 400 && time.Since(start) < patience; {
		time.Sleep(time.Millisecond)
	}
	for n := range heard {
		peer := w.begin(Options{Self: client + catalog.Peer(n)}, newEvents(t))
		peer.Know(w.known)
		for start := time.Now(); ; { // a handshake that takes long may give way, and is tried again
			_ = peer.Send(1, []byte("hello"))
			select {
			case <-heard[n]:
			case <-time.After(200 * time.Millisecond):
				if time.Since(start) < patience {
					continue
				}
				t.Fatal("an honest peer does not get in")
			}
			break
		}
		if strangers, _ := node.gate.Count(""); strangers > 129 {
			t.Errorf("%d strangers at once, want 128", strangers)
		}
		peer.Close()
	}
	close(stop)
	group.Wait()
	t.Logf("%d connections were opened", opened.Load())
	log.mu.Lock()
	defer log.mu.Unlock()
	if lines := strings.Count(log.text.String(), "\n"); lines > gate.Burst+60 {
		t.Errorf("%d lines of log", lines)
	}
}

// Connections of one owner are limited, the one too many is told so, and others are not
// concerned.
func TestConnectionsOfAnOwner(t *testing.T) {
	w := newWorld(t, false)
	a := newEvents(t)
	node := w.start(1, a)
	alice, bob := w.issue(identity.Client, "alice"), w.issue(identity.Client, "bob")
	var all []*Transport
	for n := range defaultPerOwner {
		peer := w.begin(Options{Self: client + catalog.Peer(n), Identity: alice}, newEvents(t))
		peer.Know(w.known)
		w.send(peer, 1, "x")
		a.expect(fmt.Sprintf("%d: x", client+catalog.Peer(n)))
		all = append(all, peer)
	}
	if _, n := node.gate.Count("client/alice"); n != defaultPerOwner {
		t.Errorf("%d connections of alice", n)
	}
	e := newEvents(t)
	over := w.begin(Options{Self: client + 1000, Identity: w.issue(identity.Client, "alice")}, e) // another certificate of hers
	over.Know(w.known)
	w.send(over, 1, "x")
	if why := e.gone(1); !strings.Contains(why, fmt.Sprintf("client/alice has %d connections open at once", defaultPerOwner)) {
		t.Errorf("gone, because %s", why)
	}
	other := w.begin(Options{Self: client + 2000, Identity: bob}, newEvents(t))
	other.Know(w.known)
	w.send(other, 1, "bob")
	a.expect(fmt.Sprintf("%d: bob", client+2000))
	all[0].Close()
	a.expect(fmt.Sprintf("%d gone", client))
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if over.Send(1, []byte("at last")) == nil && strings.Contains(a.next(), "at last") {
			break
		}
		if time.Since(start) > patience {
			t.Fatal("no room, though a connection has ended")
		}
	}
}

// A connection carries one stream of parcels, whatever its peer opens, and few calls.
func TestStreamsOfAConnection(t *testing.T) {
	w := newWorld(t, false)
	a := newEvents(t)
	l := w.listen("127.0.0.1:0")
	w.known[1] = l.Addr().String()
	w.begin(Options{Self: 1, Listener: l, Services: servesHealth}, a)
	c := w.dialHealth(w.issue(identity.Node, nodeName(7)))
	open := func() (grpc.ClientStream, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		t.Cleanup(cancel)
		s, err := c.NewStream(ctx, &description, method, grpc.ForceCodecV2(raw{}))
		if err == nil {
			err = s.SendMsg(&outgoing{head: w.good(7).frame()})
		}
		return s, err
	}
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	if err := first.RecvMsg(&b); err != nil {
		t.Fatal(err)
	}
	second, err := open()
	if err == nil {
		err = second.RecvMsg(&b)
	}
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "the first one of its connection") {
		t.Errorf("a second stream of parcels: %v", err)
	}
	if err := first.SendMsg(frameOf(head{kind: carry}, []byte("undisturbed"))); err != nil {
		t.Error(err)
	}
	a.expect("7: undisturbed")
	// What does not fit waits at the client.
	watching := make(chan error, 2*maxStreams)
	for range 2 * maxStreams {
		go func() {
			s, err := grpc_health_v1.NewHealthClient(c).Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
			if err == nil {
				_, err = s.Recv()
			}
			watching <- err
		}()
	}
	for range maxStreams - 1 {
		if err := <-watching; err != nil {
			t.Error(err)
		}
	}
	select {
	case err := <-watching:
		t.Errorf("more than %d calls beside the parcels: %v", maxStreams-1, err)
	case <-time.After(time.Second):
	}
}

func servesHealth(s *grpc.Server) { grpc_health_v1.RegisterHealthServer(s, health.NewServer()) }

func (w *world) dialHealth(id *identity.Identity) *grpc.ClientConn {
	w.Helper()
	c, err := grpc.NewClient("passthrough:///"+w.known[1], grpc.WithTransportCredentials(credentials.NewTLS(id.Client(""))), grpc.WithDisableRetry())
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { c.Close() })
	return c
}

// Other services are served on the same port, with codecs of their own, to those who
// have a certificate.
func TestServicesBesideParcels(t *testing.T) {
	for _, plain := range []bool{false, true} {
		w := newWorld(t, plain)
		a := newEvents(t)
		l := w.listen("127.0.0.1:0")
		w.known[1] = l.Addr().String()
		node := w.begin(Options{Self: 1, Listener: l, Services: servesHealth}, a)
		two := w.start(2, newEvents(t))
		w.introduce()
		w.send(two, 1, "beside")
		a.expect("2: beside")
		if owner, want := node.Owner(2), map[bool]string{false: "node/node-2"}[plain]; owner != want || node.Owner(9) != "" {
			t.Errorf("node 2 belongs to %q", owner)
		}
		if plain {
			continue
		}
		for _, role := range []identity.Role{identity.Node, identity.Client, identity.Admin} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			r, err := grpc_health_v1.NewHealthClient(w.dialHealth(w.issue(role, "x"))).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
			if err != nil || r.Status != grpc_health_v1.HealthCheckResponse_SERVING {
				t.Errorf("%v: %v, %v", role, r, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, err := grpc_health_v1.NewHealthClient(w.dialHealth(newWorld(t, false).issue(identity.Admin, "x"))).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
		if err == nil {
			t.Error("a stranger was served")
		}
	}
}
