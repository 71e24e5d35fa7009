package gate

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// source is a listener whose connections the test makes, from any address.
type source struct {
	net.Listener
	next chan net.Conn
}

func (s *source) Accept() (net.Conn, error) { return <-s.next, nil }

type from struct {
	net.Conn
	address string
}

func (f from) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(f.address))
}

type gates struct {
	*testing.T
	*Gate
	source *source
}

func newGates(t *testing.T, limits Limits) *gates {
	s := &source{next: make(chan net.Conn, 1)}
	return &gates{t, New(s, limits), s}
}

// connect makes a connection from an address. gone is closed when the gate ends it.
func (g *gates) connect(address string) (c *Conn, gone chan struct{}) {
	g.Helper()
	near, far := net.Pipe()
	g.source.next <- from{near, address}
	accepted, err := g.Accept()
	if err != nil {
		g.Fatal(err)
	}
	gone = make(chan struct{})
	go func() {
		defer close(gone)
		for {
			if _, err := far.Read(make([]byte, 10)); err != nil {
				return
			}
		}
	}()
	return accepted.(*Conn), gone
}

func over(gone chan struct{}) bool {
	synctest.Wait()
	select {
	case <-gone:
		return true
	default:
		return false
	}
}

// Whoever floods a port from some addresses pushes out its own connections.
func TestStrangersGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(t, Limits{Strangers: 20, PerAddress: 5, PerOwner: 2, Patience: time.Minute})
		honest, first := g.connect("10.9.9.9:1")
		var flood []chan struct{}
		for n := range 100 { // ten addresses
			_, gone := g.connect(fmt.Sprintf("10.0.0.%d:%d", n%10, 1000+n))
			flood = append(flood, gone)
		}
		if strangers, _ := g.Count(""); strangers != 20 {
			t.Errorf("%d strangers, want 20", strangers)
		}
		if over(first) {
			t.Error("an honest peer was pushed out")
		}
		if err := honest.Admit("client/alice", nil); err != nil {
			t.Error(err)
		}
		left := 0
		for n, gone := range flood {
			if !over(gone) {
				left++
				if n < 50 {
					t.Errorf("connection %d of 100 is still there, younger ones are not", n)
				}
			}
		}
		if left != 19 && left != 20 {
			t.Errorf("%d of the flood are left", left)
		}
		for n := range 10 { // one address
			_, gone := g.connect(fmt.Sprintf("10.1.1.1:%d", n+1))
			if over(gone) {
				t.Error("the newest was pushed out")
			}
		}
		g.mu.Lock()
		if n := len(g.strangers[prefixOf(from{address: "10.1.1.1:1"}.RemoteAddr())]); n > 5 {
			t.Errorf("%d of one address, want 5", n)
		}
		g.mu.Unlock()
		time.Sleep(2 * time.Minute)
		if strangers, alices := g.Count("client/alice"); strangers != 0 || alices != 0 || len(g.strangers) != 0 || len(g.admitted) != 0 {
			t.Errorf("%d strangers and %d of alice are left, %v, %v", strangers, alices, g.strangers, g.admitted)
		}
	})
}

func TestOwnersAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(t, Limits{Strangers: 20, PerAddress: 20, PerOwner: 2, Patience: time.Minute})
		one, _ := g.connect("10.0.0.1:1")
		two, _ := g.connect("10.0.0.1:2")
		three, gone := g.connect("10.0.0.1:3")
		if err := errors.Join(one.Admit("a", nil), two.Admit("a", nil)); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{three.Admit("a", nil), three.Begin(false)} {
			if err == nil || !strings.Contains(err.Error(), "a has 2 connections open at once") {
				t.Error(err)
			}
		}
		if strangers, owned := g.Count("a"); strangers != 1 || owned != 2 {
			t.Errorf("%d strangers, %d of a", strangers, owned)
		}
		if time.Sleep(time.Minute); !over(gone) {
			t.Error("a connection too many stays")
		}
		four, _ := g.connect("10.0.0.1:4")
		if err := four.Admit("a", nil); err != nil { // the others had no calls either
			t.Errorf("after the others ended: %v", err)
		}
		four.Close()
	})
}

func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(t, Limits{Strangers: 20, PerAddress: 20, PerOwner: 20, Patience: 10 * time.Second})
		silent, end := g.connect("10.0.0.1:1")
		busy, stays := g.connect("10.0.0.1:2")
		if err := errors.Join(silent.Admit("a", nil), busy.Admit("a", nil), busy.Begin(true), busy.Begin(false)); err != nil {
			t.Fatal(err)
		}
		if err := busy.Begin(true); !errors.Is(err, errAlone) {
			t.Errorf("a second one: %v", err)
		}
		time.Sleep(9 * time.Second)
		if over(end) {
			t.Error("too early")
		}
		time.Sleep(2 * time.Second)
		if !over(end) || over(stays) {
			t.Error("want the connection without a call to end, and no other")
		}
		time.Sleep(time.Hour)
		busy.End()
		time.Sleep(time.Hour)
		if over(stays) {
			t.Error("it has a call")
		}
		busy.End()
		if err := busy.Begin(true); !errors.Is(err, errAlone) {
			t.Errorf("another one, after the first: %v", err)
		}
		time.Sleep(11 * time.Second)
		if !over(stays) {
			t.Error("it has no call any more")
		}
		if strangers, owned := g.Count("a"); strangers+owned != 0 {
			t.Errorf("%d and %d are counted", strangers, owned)
		}
	})
}

// What the connections of an owner have this side hold is counted together, and no
// longer than they last.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(t, Limits{Strangers: 20, PerAddress: 20, PerOwner: 20, Patience: time.Minute})
		one, _ := g.connect("10.0.0.1:1")
		two, _ := g.connect("10.0.0.1:2")
		other, _ := g.connect("10.0.0.1:3")
		if !one.Hold(1000, 100) {
			t.Error("a stranger's bytes are nobody's")
		}
		if err := errors.Join(one.Admit("a", "what"), two.Admit("a", nil), other.Admit("b", nil)); err != nil || one.Shown() != "what" {
			t.Fatal(err)
		}
		for n, c := range []struct {
			of    *Conn
			bytes int64
			want  bool
		}{{one, 60, true}, {two, 40, true}, {two, 1, false}, {other, 100, true}, {one, -60, true}, {two, 50, true}, {one, 10, false}} {
			if got := c.of.Hold(c.bytes, 100); got != c.want {
				t.Errorf("step %d: %v, want %v", n, got, c.want)
			}
		}
		two.Close()
		if two.Hold(1000, 100) != true || !one.Hold(90, 100) || one.Hold(1, 100) {
			t.Error("what a closed connection held is still counted, or too much is taken off")
		}
		one.Close()
		other.Close()
	})
}

func TestRecheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(t, Limits{Strangers: 20, PerAddress: 20, PerOwner: 20, Patience: 10 * time.Second})
		good, stays := g.connect("10.0.0.1:1")
		bad, end := g.connect("10.0.0.1:1")
		if err := errors.Join(good.Admit("a", 1), bad.Admit("b", 2), good.Begin(false), bad.Begin(false)); err != nil {
			t.Fatal(err)
		}
		why := errors.New("revoked")
		g.Recheck(func(shown any) error {
			if shown == 2 {
				return why
			}
			return nil
		})
		if err := bad.Begin(false); err != why {
			t.Errorf("a call of somebody who was revoked: %v", err)
		}
		bad.End()
		time.Sleep(grace + time.Millisecond)
		if !over(end) || over(stays) {
			t.Error("want the revoked one to end, and no other")
		}
		good.Close()
	})
}

// A flood from as many addresses as there is room for strangers keeps nobody out.
func TestStrangersOfManyAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(t, Limits{Strangers: 20, PerAddress: 5, PerOwner: 2, Patience: time.Minute})
		for n := range 20 {
			g.connect(fmt.Sprintf("10.0.0.%d:1", n))
		}
		for n := range 5 {
			honest, gone := g.connect("10.9.9.9:1")
			if over(gone) {
				t.Error("the newest was pushed out")
			}
			if g.connect(fmt.Sprintf("10.0.1.%d:1", n)); over(gone) {
				t.Error("the last but one was pushed out")
			}
			honest.Close()
		}
		time.Sleep(2 * time.Minute)
	})
}

func TestAddresses(t *testing.T) {
	for a, b := range map[string]string{
		"[2001:db8::1]:1": "[2001:db8::2]:9", "10.0.0.1:1": "10.0.0.1:2", "[::ffff:10.0.0.1]:1": "10.0.0.1:3", "[fe80::1%eth0]:1": "[fe80::2%eth1]:1",
	} {
		if x, y := prefixOf(from{address: a}.RemoteAddr()), prefixOf(from{address: b}.RemoteAddr()); x != y || !x.IsValid() {
			t.Errorf("%s and %s are %v and %v, want one", a, b, x, y)
		}
	}
	if prefixOf(from{address: "10.0.0.1:1"}.RemoteAddr()) == prefixOf(from{address: "10.0.0.2:1"}.RemoteAddr()) {
		t.Error("two addresses are one")
	}
	if p := prefixOf(&net.UnixAddr{Name: "@x"}); p.IsValid() {
		t.Error(p)
	}
	if Of(&net.TCPAddr{}) != nil {
		t.Error("an address of no gate")
	}
}

// Everything at once: nothing is counted that is not open.
func TestTogether(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := New(l, Limits{Strangers: 10, PerAddress: 8, PerOwner: 4, Patience: time.Millisecond})
	var group sync.WaitGroup
	for n := range 50 {
		group.Go(func() {
			far, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer far.Close()
			near, err := g.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			c := Of(near.RemoteAddr())
			if n%3 > 0 && c.Admit(fmt.Sprint(n%5), n) == nil && c.Begin(n%2 == 0) == nil {
				c.End()
			}
			if n%7 == 0 {
				c.Refuse(errAlone)
			}
			g.Recheck(func(any) error { return nil })
			c.Close()
		})
	}
	group.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting != 0 || len(g.strangers)+len(g.owners)+len(g.admitted) != 0 {
		t.Errorf("left: %d, %v, %v, %v", g.waiting, g.strangers, g.owners, g.admitted)
	}
}

// Owners who take all connections that they get leave some to whoever has none, and all to
// those who are exempt.
func TestOwnersTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(t, Limits{Strangers: 20, PerAddress: 20, PerOwner: 10, Clients: 24, Patience: time.Minute,
			Exempt: func(owner string) bool { return owner == "admin" }})
		var all []*Conn
		defer func() {
			for _, c := range all {
				_ = c.Close()
			}
		}()
		admit := func(owner string) (*Conn, error) {
			c, _ := g.connect("10.0.0.1:1")
			err := c.Admit(owner, nil)
			if err != nil {
				_ = c.Close()
			}
			all = append(all, c)
			return c, err
		}
		var first *Conn
		for n := range 90 {
			if c, err := admit(fmt.Sprint(n % 3)); err == nil && first == nil {
				first = c
			}
		}
		for owner, want := range map[string]int{"0": 6, "1": 6, "2": 6} {
			if _, n := g.Count(owner); n != want {
				t.Errorf("%s has %d connections, expected %d", owner, n, want)
			}
		}
		for _, owner := range []string{"fourth", "fifth", "fourth"} {
			if _, err := admit(owner); err != nil {
				t.Error(err)
			}
		}
		for range 10 {
			if _, err := admit("admin"); err != nil {
				t.Error(err)
			}
		}
		before := g.clients
		_ = first.Close()
		if g.clients != before-1 {
			t.Errorf("a closed connection still counts: %d of %d", g.clients, before)
		}
	})
}

// Connections beside others are bounded by themselves, shared among owners, and take nobody else's place.
func TestBeside(t *testing.T) {
	g := New(nil, Limits{Strangers: 10, PerAddress: 10, PerOwner: 1, Patience: time.Hour, Beside: 4})
	conn := func(guard func(net.Conn) *Conn) *Conn {
		near, far := net.Pipe()
		t.Cleanup(func() { near.Close(); far.Close() })
		return guard(near)
	}
	first := func(raw net.Conn) *Conn { return g.guard(raw, false) }
	if err := conn(g.Beside).Admit("alice", nil); err == nil {
		t.Error("there is one beside none")
	}
	for _, owner := range []string{"alice", "bob"} {
		if err := conn(first).Admit(owner, nil); err != nil {
			t.Fatal(err)
		}
	}
	var all []*Conn
	for i, c := range []struct {
		owner string
		let   bool
	}{{"alice", true}, {"alice", true}, {"alice", false}, {"bob", true}, {"bob", false}, {"alice", false}} {
		b := conn(g.Beside)
		if err := b.Admit(c.owner, nil); (err == nil) != c.let {
			t.Errorf("connection %d, of %s: %v", i, c.owner, err)
		} else if err == nil {
			all = append(all, b)
		}
	}
	if _, n := g.Count("alice"); n != 1 {
		t.Errorf("alice has %d connections", n)
	}
	if !all[0].Hold(10, 15) || all[1].Hold(10, 15) {
		t.Error("what both hold is not counted together")
	}
	for _, c := range all {
		c.Close()
	}
	if err := conn(g.Beside).Admit("bob", nil); err != nil {
		t.Error(err)
	}
	if g.beside != 1 {
		t.Errorf("%d are counted", g.beside)
	}
}

// What is beside others ends with the last of them, and not before.
func TestBesideEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(t, Limits{Strangers: 10, PerAddress: 10, PerOwner: 5, Patience: time.Minute, Beside: 4})
		one, _ := g.connect("10.0.0.1:1")
		two, _ := g.connect("10.0.0.1:2")
		bob, _ := g.connect("10.0.0.2:1")
		beside := func(owner string) (*Conn, chan struct{}) {
			near, far := net.Pipe()
			gone := make(chan struct{})
			go func() {
				_, _ = far.Read(make([]byte, 1))
				close(gone)
			}()
			c := g.Beside(near)
			if err := errors.Join(c.Admit(owner, nil), c.Begin(true)); err != nil {
				t.Fatal(err)
			}
			return c, gone
		}
		for _, c := range []*Conn{one, two} {
			if err := errors.Join(c.Admit("alice", nil), c.Begin(true)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(bob.Admit("bob", nil), bob.Begin(true)); err != nil {
			t.Fatal(err)
		}
		c, gone := beside("alice")
		other, stays := beside("bob")
		one.Close()
		if time.Sleep(time.Hour); over(gone) || c.Refused() != nil {
			t.Errorf("it ended while there was another connection: %v", c.Refused())
		}
		two.Close()
		if time.Sleep(2 * grace); !over(gone) || over(stays) {
			t.Error("want alice's to end, and bob's to stay")
		}
		if err := c.Refused(); err == nil || !strings.Contains(err.Error(), "alice has no other connection any more") {
			t.Error(err)
		}
		if _, err := c.Conn.Write([]byte{1}); err == nil || g.beside != 1 || g.owners["alice"] != nil {
			t.Errorf("%d are left beside others, %v", g.beside, g.owners)
		}
		other.Close()
		bob.Close()
	})
}
