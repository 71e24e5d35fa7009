package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
)

// networks are what there is on any machine.
var networks = map[string]string{"tcp": "lab=tcp:lo", "shm": "lab=shm"}

// fabricOf is the fabric over a network, where UCX is installed.
func fabricOf(t testing.TB, network string) *ucx.Trusted {
	t.Helper()
	if err := ucx.Installed(); err != nil {
		t.Skipf("SKIPPED: nothing was sent over a fabric: %v", err)
	}
	f, err := ucx.Parse(networks[network])
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// by waits until a peer is reached a certain way.
func (w *world) by(t *Transport, to catalog.Peer, want way) {
	w.Helper()
	for start := time.Now(); t.Ways()[to] != string(want); time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			w.Fatalf("peer %d is reached through %q, want %q", to, t.Ways()[to], want)
		}
	}
}

// linked are two nodes that talk over a fabric.
func linked(t *testing.T, network string, a, b transport.Handler) (w *world, one, two *Transport) {
	t.Helper()
	w = newWorld(t, false)
	w.fabric = fabricOf(t, network)
	one, two = w.start(1, a), w.start(2, b)
	w.introduce()
	w.send(one, 2, "first")
	w.by(one, 2, byFabric)
	w.by(two, 1, byFabric)
	return w, one, two
}

// What holds of streams holds where there is a fabric beside them: what these tests send first goes through a stream,
// and what comes then over the fabric.
func TestOverFabric(t *testing.T) {
	for network := range networks {
		t.Run(network, func(t *testing.T) {
			for name, test := range map[string]func(*testing.T){
				"LargeParcels": TestLargeParcels, "BothDialAtOnce": TestBothDialAtOnce,
				"RestartOnTheSamePort": TestRestartOnTheSamePort, "NothingIsLeftOver": TestNothingIsLeftOver,
				"RolesAndNumbers": TestRolesAndNumbers, "NumbersOfOthers": TestNumbersOfOthers,
				"RevokedWhileConnected": TestRevokedWhileConnected, "EndsByItself": TestEndsByItself,
				"RevokedNode": TestRevokedNode, "RenewedWhileConnected": TestRenewedWhileConnected,
				"BrokenProtocol": TestBrokenProtocol, "Certificates": TestCertificates,
				"ServicesBesideParcels": TestServicesBesideParcels,
			} {
				t.Run(name, test)
			}
		})
	}
}

// Nodes of one fabric find each other by themselves, and parcels of all sizes come as they were sent.
func TestFabric(t *testing.T) {
	for network := range networks {
		t.Run(network, func(t *testing.T) {
			got := make(chan []byte, 100)
			hand := &hand{receive: func(_ catalog.Peer, b []byte) { got <- b }}
			_, one, two := linked(t, network, hand, hand)
			<-got
			for _, way := range []struct {
				t  *Transport
				to catalog.Peer
			}{{one, 2}, {two, 1}} {
				for _, size := range []int{0, 1, 100, 7900, 8000, 100_000, 1 << 20, defaultMaxParcel} {
					sent := make([]byte, size)
					r := rand.New(rand.NewPCG(uint64(size), 2))
					for i := 0; i+8 <= size; i += 8 {
						binary.LittleEndian.PutUint64(sent[i:], r.Uint64())
					}
					if err := way.t.Send(way.to, sent); err != nil {
						t.Fatal(err)
					}
					select {
					case b := <-got:
						if !bytes.Equal(b, sent) {
							t.Errorf("a parcel of %d bytes came as another of %d", size, len(b))
						}
					case <-time.After(patience):
						t.Fatalf("a parcel of %d bytes did not come; the way is %v", size, way.t.Ways())
					}
				}
			}
			if one.Ways()[2] != "fabric" || two.Ways()[1] != "fabric" {
				t.Errorf("the ways are %v and %v", one.Ways(), two.Ways())
			}
		})
	}
}

// A fabric is for nodes that name the same one; all others have streams.
func TestOtherFabrics(t *testing.T) {
	w := newWorld(t, false)
	own := fabricOf(t, "tcp")
	other, err := ucx.Parse("elsewhere=tcp:lo")
	if err != nil {
		t.Fatal(err)
	}
	e := newEvents(t)
	begin := func(self catalog.Peer, f *ucx.Trusted) *Transport {
		l := w.listen("127.0.0.1:0")
		w.known[self] = l.Addr().String()
		return w.begin(Options{Self: self, Listener: l, Fabric: f}, e)
	}
	one := begin(1, own)
	begin(2, other)
	begin(3, nil)
	begin(4, own)
	guest := w.begin(Options{Self: client}, e)
	w.introduce()
	for to := catalog.Peer(2); to <= 4; to++ {
		w.send(one, to, "x")
		e.expect("1: x")
	}
	w.send(guest, 1, "y")
	e.expect(fmt.Sprintf("%d: y", client))
	w.by(one, 4, byFabric)
	ways := one.Ways()
	if ways[2] != "stream" || ways[3] != "stream" || ways[client] != "stream" {
		t.Errorf("the ways are %v", ways)
	}
	e.none()
	if _, err := New(Options{Self: client, Identity: w.issue(identity.Client, "client"), Fabric: own}, e); err == nil || !strings.Contains(err.Error(), "fabrics are for nodes") {
		t.Errorf("a client with a fabric: %v", err)
	}
	missing, err := ucx.Parse("lab=tcp:nonesuch0")
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(Options{Self: 9, Identity: w.node(nodeName(9)), Listener: w.listen("127.0.0.1:0"), Fabric: missing}, e)
	if err == nil || !strings.Contains(err.Error(), "fabric lab: this machine has no network device nonesuch0") {
		t.Errorf("a network that is not there: %v", err)
	}
}

// tally is a handler that holds what comes against what was sent.
type tally struct {
	testing.TB
	mu   sync.Mutex
	came map[uint64]int
	gone atomic.Int64
	slow func()
}

func (l *tally) Receive(_ catalog.Peer, b []byte) {
	if string(b) == "first" {
		return
	}
	if l.slow != nil {
		l.slow()
	}
	n := binary.LittleEndian.Uint64(b[4:])
	if !bytes.Equal(b, parcelOf(n, len(b)-12)) {
		l.Errorf("parcel %d is damaged", n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.came[n]++
}

func (l *tally) Gone(catalog.Peer, error) { l.gone.Add(1) }

func (l *tally) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.came)
}

// brokenFabric ends the connections that a transport has over the fabric, as a network does that fails.
func brokenFabric(t *Transport, number catalog.Peer) {
	p, err := t.find(number)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		l.uc.Close(errors.New("the network has failed"))
	}
}

// Whenever a fabric fails, on either side or on both, every parcel comes once, nobody is told gone, and the
// fabric is used again after a while.
func TestFabricFails(t *testing.T) {
	for network := range networks {
		t.Run(network, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			a, b := &tally{TB: t, came: map[uint64]int{}}, &tally{TB: t, came: map[uint64]int{}}
			b.slow = func() {
				if rand.IntN(500) == 0 {
					time.Sleep(time.Millisecond)
				}
			}
			w, one, two := linked(t, network, a, b)
			stop := make(chan struct{})
			var sending sync.WaitGroup
			var sent [2]uint64
			for i, way := range []struct {
				t  *Transport
				to catalog.Peer
			}{{one, 2}, {two, 1}} {
				sending.Go(func() {
					for n := uint64(0); ; {
						select {
						case <-stop:
							sent[i] = n
							return
						default:
						}
						size := int(n*n) % 3000
						if n%50 == 49 {
							size = 100_000
						}
						switch err := way.t.Send(way.to, parcelOf(n, size)); {
						case err == nil:
							n++
						case errors.Is(err, transport.ErrFull):
							time.Sleep(50 * time.Microsecond)
						default:
							t.Errorf("parcel %d: %v", n, err)
							return
						}
					}
				})
			}
			r := rand.New(rand.NewPCG(seed, 0))
			for round := range 8 {
				w.by(one, 2, byFabric)
				w.by(two, 1, byFabric)
				time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
				if round%3 != 1 {
					brokenFabric(one, 2)
				}
				if round%3 != 0 {
					brokenFabric(two, 1)
				}
				for _, t := range []*Transport{one, two} { // they need not wait for as long as they would
					for start := time.Now(); t.Ways()[1]+t.Ways()[2] == "fabric" && time.Since(start) < patience; {
						time.Sleep(time.Millisecond)
					}
					for _, p := range t.peers {
						p.mu.Lock()
						p.refit = time.Time{}
						p.mu.Unlock()
					}
				}
			}
			close(stop)
			sending.Wait()
			for i, l := range []*tally{b, a} {
				for start := time.Now(); l.count() < int(sent[i]) && time.Since(start) < patience; {
					time.Sleep(time.Millisecond)
				}
				l.mu.Lock()
				twice := 0
				for _, n := range l.came {
					if n > 1 {
						twice++
					}
				}
				if len(l.came) != int(sent[i]) || twice > 0 || l.gone.Load() > 0 {
					t.Errorf("of %d parcels came %d, %d of them more than once; gone was told %d times", sent[i], len(l.came), twice, l.gone.Load())
				}
				t.Logf("%d parcels", sent[i])
				l.mu.Unlock()
			}
		})
	}
}

// A process that is killed or stopped in the midst is given up with all that goes to it; what came before is whole and came once,
// nothing goes on spinning, and its next life is reached over the fabric again.
func TestFabricKilled(t *testing.T) {
	for network := range networks {
		for _, stop := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stopped=%v", network, stop), func(t *testing.T) {
				w := newWorld(t, false)
				w.fabric = fabricOf(t, network)
				l := &ledger{TB: t, back: map[uint64]bool{}}
				here := w.start(1, l)
				free := w.listen("127.0.0.1:0")
				other := &childConfig{Identity: filepath.Join(t.TempDir(), "other"), Self: 2, Listen: free.Addr().String(), Streams: true, Fabric: network}
				free.Close()
				if err := w.node(nodeName(2)).Save(other.Identity); err != nil {
					t.Fatal(err)
				}
				w.known[2] = other.Listen
				n := uint64(0)
				send := func() {
					size := int(n*n) % 3000
					if n%50 == 49 {
						size = 200_000
					}
					if here.Send(2, parcelOf(n, size)) == nil {
						n++
					}
				}
				reach := func() {
					for start, first := time.Now(), n; n == first || !l.has(n-1) || here.Ways()[2] != "fabric"; time.Sleep(2 * time.Millisecond) {
						if send(); time.Since(start) > patience {
							t.Fatalf("it is not reached over the fabric: %v, %d sent, %v", here.Ways(), n-first, l.gone)
						}
					}
				}
				process := other.start(t)
				w.introduce()
				reach()
				for range 500 {
					send()
				}
				signal := syscall.SIGKILL
				if stop {
					signal = syscall.SIGSTOP
				}
				if err := process.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				for l.ends() == 0 || len(here.Ways()) > 0 {
					if send(); n%20 == 0 {
						time.Sleep(100 * time.Microsecond)
					}
					if time.Since(start) > patience {
						t.Fatalf("its end is not told; the ways are %v", here.Ways())
					}
				}
				if d := time.Since(start); d > silentTime+connectTime {
					t.Errorf("noticed after %v", d)
				}
				if used := processor(t, 200*time.Millisecond); used > 100*time.Millisecond {
					t.Errorf("%v of a processor's time were used while nothing happens", used)
				}
				if stop {
					if err := process.Process.Kill(); err != nil {
						t.Fatal(err)
					}
				}
				_ = process.Wait()
				other.start(t)
				reach()
			})
		}
	}
}

// A fabric over which nothing comes any more is opened again, and the peer is reached over it; no parcel is lost.
func TestDeafFabric(t *testing.T) {
	for network := range networks {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, false)
			w.fabric = fabricOf(t, network)
			a, b := &tally{TB: t, came: map[uint64]int{}}, &tally{TB: t, came: map[uint64]int{}}
			one, two := w.start(1, a), w.start(2, b)
			begin := make(chan struct{}) // until then nobody looks for what comes
			deaf, err := ucx.Open(w.fabric, func(f func()) {
				go func() {
					<-begin
					f()
				}()
			})
			if err != nil {
				t.Fatal(err)
			}
			defer close(begin) // it can be closed then
			one.closeFabrics()
			one.fabric.Store(deaf)
			w.introduce()
			n := uint64(0)
			for start := time.Now(); one.Ways()[2] != "fabric"; time.Sleep(time.Millisecond) {
				if one.Send(2, parcelOf(n, 100)) == nil {
					n++
				}
				if time.Since(start) > patience {
					t.Fatalf("it is not reached over another fabric: %v", one.Ways())
				}
			}
			if one.fabric.Load() == deaf {
				t.Error("the deaf fabric is used")
			}
			w.by(two, 1, byFabric)
			for start := time.Now(); b.count() < int(n) && time.Since(start) < patience; {
				time.Sleep(time.Millisecond)
			}
			if b.count() != int(n) || a.gone.Load()+b.gone.Load() > 0 {
				t.Errorf("of %d parcels came %d; gone was told %d times", n, b.count(), a.gone.Load()+b.gone.Load())
			}
			if err := two.Send(1, parcelOf(0, 100)); err != nil {
				t.Error(err)
			}
		})
	}
}

// A peer that does not say what it has taken is told gone, in time.
func TestUnsettled(t *testing.T) {
	stuck := make(chan struct{})
	a := newEvents(t)
	w, one, _ := linked(t, "tcp", a, &hand{receive: func(catalog.Peer, []byte) { <-stuck }})
	defer close(stuck)
	w.send(one, 2, "kept")
	p, _ := one.find(2)
	p.mu.Lock()
	for _, l := range p.links {
		l.theirs++ // so that the other side does not know whose count it is told
		l.uc.Close(errors.New("the network has failed"))
	}
	p.mu.Unlock()
	start := time.Now()
	if why := a.gone(2); !strings.Contains(why, "did not say within 5s") && !strings.Contains(why, "more parcels") {
		t.Errorf("gone, because %s", why)
	}
	if d := time.Since(start); d > connectTime+slackTime {
		t.Errorf("noticed after %v", d)
	}
}

// Words on fabrics that no peer says end a stream, and nothing else.
func TestFabricWords(t *testing.T) {
	w := newWorld(t, false)
	w.fabric = fabricOf(t, "tcp")
	a := newEvents(t)
	w.start(1, a)
	id := w.issue(identity.Node, nodeName(7))
	whole := append(make([]byte, 8+6+1), "address"...)
	whole[0], whole[8], whole[10] = 1, 1, 1
	for _, c := range []struct {
		name  string
		kind  frameKind
		body  []byte
		want  string
		ended bool
	}{
		{"an empty offer", offer, nil, "it is too short", true},
		{"an offer without a grant", offer, make([]byte, 40), "it grants 0 parcels", true},
		{"an offer that is too long", offer, append(whole, make([]byte, ucx.MaxAddress)...), "its address has", true},
		{"an answer that is too short", answer, make([]byte, 20), "it is too short", true},
		{"a settlement that is too short", settle, make([]byte, 15), "a settlement of 15 bytes", true},
		{"a settlement of nothing", settle, make([]byte, 16), "", false},
		{"an offer of another fabric", offer, whole, "", false},
	} {
		s := rogue(t, id, w.known[1])
		var b []byte
		if err := errors.Join(s.SendMsg(&outgoing{head: w.good(7).frame()}), s.RecvMsg(&b), s.SendMsg(frameOf(head{kind: c.kind}, c.body))); err != nil {
			t.Fatal(err)
		}
		if !c.ended {
			if err := s.SendMsg(frameOf(head{kind: carry}, []byte("x"))); err != nil {
				t.Fatal(err)
			}
			a.expect("7: x")
			continue
		}
		if why := a.gone(7); !strings.Contains(why, c.want) {
			t.Errorf("%s: gone, because %s, want %s", c.name, why, c.want)
		}
	}
}

// A fabric that nobody uses takes next to nothing of a processor.
func TestIdleFabric(t *testing.T) {
	for network := range networks {
		t.Run(network, func(t *testing.T) {
			linked(t, network, newEvents(t), newEvents(t))
			time.Sleep(100 * time.Millisecond)
			const while = 4 * time.Second
			used := processor(t, while)
			t.Logf("two nodes with a fabric and a stream use %v in %v", used, while)
			if used > 2*while/200 { // half a hundredth of a processor each
				t.Errorf("%v of a processor's time in %v", used, while)
			}
		})
	}
}
