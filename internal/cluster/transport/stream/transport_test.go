package stream

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

const client = catalog.FirstClient + 5

func TestParcelsBothWays(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain=%v", plain), func(t *testing.T) {
			w := newWorld(t, plain)
			a, b := newEvents(t), newEvents(t)
			one, two := w.start(1, a), w.start(2, b)
			w.introduce()
			w.send(one, 2, "there")
			b.expect("1: there")
			w.send(two, 1, "and back")
			a.expect("2: and back")
			w.send(two, 1, "")
			a.expect("2: ")
			want := 1
			if w.rings && !plain {
				want = 2 // with the ring
			}
			if n := len(one.peers[2].conns); n != want {
				t.Errorf("%d connections, want %d for both directions", n, want)
			}
			two.Close()
			a.expect("2 gone")
			a.none()
			b.none()
			if err := two.Send(1, nil); !errors.Is(err, transport.ErrClosed) {
				t.Errorf("send after Close: %v", err)
			}
			if err := one.Send(7, nil); !errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("send to a stranger: %v", err)
			}
			if err := one.Send(1, nil); !errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("send to itself: %v", err)
			}
		})
	}
}

func TestClient(t *testing.T) {
	w := newWorld(t, false)
	a, c, d := newEvents(t), newEvents(t), newEvents(t)
	node := w.start(1, a)
	guest := w.begin(Options{Self: client}, c)
	if err := node.Send(client, nil); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("send to a client that never came: %v", err)
	}
	w.introduce()
	w.send(guest, 1, "hello")
	a.expect(fmt.Sprintf("%d: hello", client))
	w.send(node, client, "welcome")
	c.expect("1: welcome")
	node.Know(map[catalog.Peer]string{}) // clients are never known; they stay
	w.send(node, client, "still there")
	c.expect("1: still there")

	double := w.begin(Options{Self: client}, d)
	double.Know(w.known)
	w.send(double, 1, "me too")
	if why := d.gone(1); !strings.Contains(why, "another client has the number") {
		t.Errorf("a second client with the number of the first: %s", why)
	}
	w.send(node, client, "not disturbed")
	c.expect("1: not disturbed")

	guest.Close()
	a.expect(fmt.Sprintf("%d gone", client))
	if node.mu.Lock(); len(node.peers) != 0 {
		t.Errorf("%d peers are remembered for nothing", len(node.peers))
	}
	node.mu.Unlock()
}

func TestLargeParcels(t *testing.T) {
	if defaultMaxParcel != parcel.MaxBytes {
		t.Errorf("parcels may have %d bytes, the transport takes %d", parcel.MaxBytes, defaultMaxParcel)
	}
	w := newWorld(t, false)
	got := make(chan []byte, 10)
	one := w.start(1, newEvents(t))
	w.start(2, &hand{receive: func(_ catalog.Peer, b []byte) { got <- b }})
	w.introduce()
	for _, size := range []int{small, small + 1, 1 << 20, defaultMaxParcel} {
		sent := make([]byte, size)
		r := rand.New(rand.NewPCG(uint64(size), 1))
		for i := range sent {
			sent[i] = byte(r.Uint32())
		}
		if err := one.Send(2, sent); err != nil {
			t.Fatal(err)
		}
		select {
		case b := <-got:
			if !bytes.Equal(b, sent) {
				t.Errorf("a parcel of %d bytes arrived as another of %d", size, len(b))
			}
		case <-time.After(patience):
			t.Fatalf("a parcel of %d bytes did not arrive", size)
		}
	}
	err := one.Send(2, make([]byte, defaultMaxParcel+1))
	if err == nil || !strings.Contains(err.Error(), "expected at most 67108864") {
		t.Errorf("too large a parcel: %v", err)
	}
}

// Everything that Send takes arrives, once each, from many goroutines
// in both directions at once.
func TestManySenders(t *testing.T) {
	w := newWorld(t, true)
	const senders, each = 8, 500
	var seen [2]sync.Map
	var count [2]atomic.Int64
	var ts [2]*Transport
	for i := range ts {
		ts[i] = w.start(catalog.Peer(i+1), &hand{receive: func(_ catalog.Peer, b []byte) {
			if _, twice := seen[i].LoadOrStore(string(b[:8]), true); twice {
				t.Errorf("%x came twice", b[:8])
			}
			count[i].Add(1)
		}})
	}
	w.introduce()
	var group sync.WaitGroup
	for i := range ts {
		for s := range senders {
			group.Go(func() {
				r := rand.New(rand.NewPCG(uint64(s), uint64(i)))
				for n := range each {
					b := make([]byte, 8+r.IntN(3000))
					b[0], b[1], b[2] = byte(s), byte(n), byte(n>>8)
					for start := time.Now(); ; {
						err := ts[i].Send(catalog.Peer(2-i), b)
						if err == nil {
							break
						}
						if !errors.Is(err, transport.ErrFull) || time.Since(start) > patience {
							t.Error(err)
							return
						}
						time.Sleep(100 * time.Microsecond)
					}
				}
			})
		}
	}
	group.Wait()
	for i := range count {
		for start := time.Now(); count[i].Load() < senders*each && time.Since(start) < patience; {
			time.Sleep(time.Millisecond)
		}
		if got := count[i].Load(); got != senders*each {
			t.Errorf("peer %d got %d parcels, want %d", i+1, got, senders*each)
		}
	}
}

func TestBothDialAtOnce(t *testing.T) {
	w := newWorld(t, true)
	a, b := newEvents(t), newEvents(t)
	one, two := w.start(1, a), w.start(2, b)
	for range 20 {
		w.introduce()
		var group sync.WaitGroup
		group.Go(func() { w.send(one, 2, "x") })
		group.Go(func() { w.send(two, 1, "y") })
		group.Wait()
		a.expect("2: y")
		b.expect("1: x")
		for _, p := range []*peer{one.peers[2], two.peers[1]} {
			for dialling := true; dialling; {
				p.mu.Lock()
				dialling = p.dialling
				p.mu.Unlock()
			}
		}
		one.Know(nil)
		a.expect("2 gone: " + errForgotten.Error())
		b.expect("1 gone") // for which of two reasons depends on who dialled
		two.Know(nil)
	}
	a.none()
	b.none()
}

func TestRestartOnTheSamePort(t *testing.T) {
	w := newWorld(t, false)
	a, b := newEvents(t), newEvents(t)
	one, two := w.start(1, a), w.start(2, b)
	w.introduce()
	for range 3 {
		w.send(one, 2, "x")
		b.expect("1: x")
		two.Close()
		a.expect("2 gone")
		two = w.begin(Options{Self: 2, Listener: w.listen(w.known[2])}, b)
		two.Know(w.known)
	}
	// A peer that comes back before the end of its former connection was seen.
	former := one.peers[2]
	w.send(one, 2, "x")
	b.expect("1: x")
	again := w.begin(Options{Self: 2, Listener: w.listen("127.0.0.1:0")}, newEvents(t))
	again.Know(w.known)
	w.send(again, 1, "reborn")
	a.expect("2 gone: "+errRestarted.Error(), "2: reborn")
	b.expect("1 gone: " + errEnded.Error())
	if one.peers[2] != former {
		t.Error("the peer was forgotten")
	}
}

func TestBare(t *testing.T) {
	for _, plain := range []bool{false, true} {
		b, err := NewBare(newWorld(t, plain).node("bare"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []string{"", "message", strings.Repeat("long", 1<<18)} {
			if got, err := b.RoundTrip([]byte(m)); err != nil || string(got) != m {
				t.Errorf("%d bytes came back of %d, %v", len(got), len(m), err)
			}
		}
		b.Close()
	}
}

func TestUnreachable(t *testing.T) {
	w := newWorld(t, false)
	a := newEvents(t)
	one := w.start(1, a)
	l := w.listen("127.0.0.1:0")
	w.known[2] = l.Addr().String()
	l.Close()
	w.introduce()
	w.send(one, 2, "x")
	w.send(one, 2, "y")
	if why := a.gone(2); !strings.Contains(why, "refused") || !strings.Contains(why, w.known[2]) {
		t.Errorf("gone, because %s", why)
	}
	p := one.peers[2]
	p.mu.Lock()
	p.again = time.Now().Add(time.Second) // not the first 25 to 75 ms, which may be over
	p.mu.Unlock()
	if err := one.Send(2, nil); !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), "tried again in") {
		t.Errorf("send just after: %v", err)
	}
	a.none() // once, though two parcels were queued
	failures := 1
	for start := time.Now(); failures < 3 && time.Since(start) < patience; time.Sleep(time.Millisecond) {
		if one.Send(2, nil) == nil {
			a.gone(2)
			failures++
		}
	}
	if one.peers[2].failures != 3 {
		t.Errorf("%d failures are counted, want 3", one.peers[2].failures)
	}
	b := newEvents(t)
	w.begin(Options{Self: 2, Listener: w.listen(w.known[2])}, b)
	for start := time.Now(); one.Send(2, []byte("at last")) != nil; time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatal("not connected again")
		}
	}
	b.expect("1: at last")
	if p := one.peers[2]; p.failures != 0 {
		t.Errorf("%d failures are remembered", p.failures)
	}
}

// A dialled peer that falls silent, with its connection intact, is noticed.
func TestSilence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	a, b := newEvents(t), newEvents(t)
	one := w.start(1, a)
	w.start(2, b)
	wire := newWire(t, w.known[2])
	one.Know(map[catalog.Peer]string{2: wire.Addr().String()})
	w.send(one, 2, "x")
	b.expect("1: x")
	time.Sleep(silentTime + 2*beatTime) // idle is not silent
	a.none()
	b.none()
	wire.freeze()
	start := time.Now()
	t.Log(a.gone(2))
	t.Log(b.gone(1))
	if d := time.Since(start); d < time.Second || d > 3*silentTime {
		t.Errorf("noticed after %v", d)
	}
}

// wire passes on what connections carry, until it freezes.
type wire struct {
	net.Listener
	frozen atomic.Bool
}

func newWire(t *testing.T, to string) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l}
	pass := func(from, to net.Conn) {
		b := make([]byte, 1<<16)
		for {
			n, err := from.Read(b)
			if err != nil {
				if !w.frozen.Load() {
					to.Close()
				}
				return
			}
			if !w.frozen.Load() {
				to.Write(b[:n])
			}
		}
	}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go pass(near, far)
			go pass(far, near)
		}
	}()
	t.Cleanup(func() { l.Close() })
	return w
}

func (w *wire) freeze() { w.frozen.Store(true) }

func TestNothingIsLeftOver(t *testing.T) {
	count := func() (goroutines, files int) {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("SKIPPED: there is no /proc")
		}
		return runtime.NumGoroutine(), len(all)
	}
	goroutines, files := count()
	w := newWorld(t, false)
	id := w.issue(identity.Client, "client")
	var node *Transport
	node = w.start(1, &hand{receive: func(from catalog.Peer, b []byte) {
		if err := node.Send(from, b); err != nil {
			t.Error(err)
		}
	}})
	const total, atOnce = 1000, 50
	for i := 0; i < total; i += atOnce {
		var group sync.WaitGroup
		for j := range atOnce {
			group.Go(func() {
				c := newEvents(t)
				guest, err := New(Options{Self: client + catalog.Peer(i+j), Identity: id, Rings: w.rings}, c)
				if err != nil {
					t.Error(err)
					return
				}
				defer guest.Close()
				guest.Know(w.known)
				if err := guest.Send(1, []byte("x")); err != nil {
					t.Error(err)
				}
				if got := c.next(); got != "1: x" {
					t.Errorf("got %q, want the parcel back", got)
				}
			})
		}
		group.Wait()
	}
	node.Close()
	if len(node.peers) > 0 {
		t.Errorf("%d peers are remembered", len(node.peers))
	}
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		g, f := count()
		if g <= goroutines && f <= files {
			return
		}
		if time.Since(start) > patience {
			stacks := make([]byte, 1<<14)
			t.Fatalf("%d goroutines and %d files, at first %d and %d\n%s", g, f, goroutines, files, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
