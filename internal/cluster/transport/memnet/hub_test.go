package memnet

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// record is a handler that remembers.
type record struct {
	mu    sync.Mutex
	got   []string
	block chan struct{} // if not nil, Receive waits for it
}

func (r *record) Receive(from catalog.Peer, bytes []byte) {
	if r.block != nil {
		<-r.block
	}
	r.add(strconv.Itoa(int(from)) + ":" + string(bytes))
}

func (r *record) Gone(peer catalog.Peer, err error) {
	r.add("gone " + strconv.Itoa(int(peer)) + ": " + err.Error())
}

func (r *record) add(s string) {
	r.mu.Lock()
	r.got = append(r.got, s)
	r.mu.Unlock()
}

func (r *record) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.got, want) {
		t.Errorf("got %q, want %q", r.got, want)
	}
	r.got = nil
}

func join(t *testing.T, h *Hub, self catalog.Peer, r *record) transport.Transport {
	t.Helper()
	p, err := h.Join(self, r)
	if err != nil {
		t.Fatal(err)
	}
	p.Know(map[catalog.Peer]string{1: "one", 2: "two", 3: "three"})
	return p
}

func send(t *testing.T, p transport.Transport, to catalog.Peer, s string) {
	t.Helper()
	if err := p.Send(to, []byte(s)); err != nil {
		t.Errorf("send to %d: %v", to, err)
	}
}

func TestHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(1, Config{Link: Link{Delay: Delay{Least: time.Second}}})
		var a, b record
		one, two := join(t, h, 1, &a), join(t, h, 2, &b)
		if _, err := h.Join(2, &b); err == nil {
			t.Error("a peer joined twice")
		}
		send(t, one, 2, "x")
		send(t, one, 2, "y")
		b.expect(t)
		time.Sleep(time.Second)
		b.expect(t, "1:x", "1:y")

		send(t, one, 3, "z")
		a.expect(t, "gone 3: "+ErrCrashed.Error())
		if err := one.Send(9, nil); !errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("send to a stranger: %v", err)
		}
		if err := one.Send(1, nil); !errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("send to itself: %v", err)
		}

		if err := two.Close(); err != nil {
			t.Error(err)
		}
		if err := two.Send(1, nil); !errors.Is(err, transport.ErrClosed) {
			t.Errorf("send after Close: %v", err)
		}
		a.expect(t, "gone 2: "+ErrCrashed.Error())
		two = join(t, h, 2, &b)
		send(t, one, 2, "back")
		time.Sleep(time.Second)
		b.expect(t, "1:back")

		one.Know(map[catalog.Peer]string{3: "three"})
		a.expect(t, "gone 2: "+errForgotten.Error())
		b.expect(t, "gone 1: "+errForgotten.Error())
		if err := one.Send(2, nil); !errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("send to a former member: %v", err)
		}
		one.Close()
		two.Close()
	})
}

func TestHubFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(1, Config{Notice: Delay{Least: time.Second}})
		var a, b record
		one, two := join(t, h, 1, &a), join(t, h, 2, &b)
		send(t, two, 1, "x")
		a.expect(t, "2:x")
		h.Change(func(now time.Duration, n *Network) {
			n.Cut(Cut{A: []catalog.Peer{1}, B: []catalog.Peer{2}, From: now, Until: now + 3*time.Second})
		})
		send(t, one, 2, "lost")
		time.Sleep(time.Second)
		a.expect(t, "gone 2: "+ErrCut.Error())
		b.expect(t, "gone 1: "+ErrCut.Error())
		time.Sleep(2 * time.Second)
		send(t, one, 2, "found")
		b.expect(t, "1:found")
		one.Close()
		two.Close()
	})
}

func TestHubIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(1, Config{})
		a, b := &record{}, &record{block: make(chan struct{})}
		one, two := join(t, h, 1, a), join(t, h, 2, b)
		sent := 0
		for ; sent < 2*limit; sent++ {
			if err := one.Send(2, []byte("x")); errors.Is(err, transport.ErrFull) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		// One may be with the handler already.
		if sent < limit || sent > limit+1 {
			t.Errorf("full after %d parcels, want %d", sent, limit)
		}
		close(b.block)
		synctest.Wait()
		send(t, one, 2, "more")
		synctest.Wait()
		if len(b.got) != sent+1 {
			t.Errorf("%d received, want %d", len(b.got), sent+1)
		}
		one.Close()
		two.Close()
	})
}
