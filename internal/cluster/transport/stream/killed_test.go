package stream

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
)

// This file kills and stops processes that have a ring with this one, wherever they are in it. The other
// process is this test's program again, which sends back what it gets.

const childVariable = "GODWIT_TEST_RING_CHILD"

// childConfig is what the other process is told.
type childConfig struct {
	Identity string // directory
	Self     catalog.Peer
	Listen   string // of a node
	Dial     string // of a client: where node 1 is
	Kill     int    // at which step it dies; 0: at none
	Streams  bool   // it has no rings
	Fabric   string // see networks; none if empty
}

// child is the other process.
func child(c *childConfig) error {
	id, err := identity.Load(c.Identity)
	if err != nil {
		return err
	}
	steps := atomic.Int64{}
	o := Options{Self: c.Self, Identity: id, NameOf: nameOf, Rings: !c.Streams, Eager: c.Listen == "", at: func() {
		if steps.Add(1) == int64(c.Kill) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	if c.Kill == 0 {
		o.at = nil
	}
	if c.Fabric != "" {
		if o.Fabric, err = ucx.Parse(networks[c.Fabric]); err != nil {
			return err
		}
	}
	if c.Listen != "" {
		if o.Listener, err = net.Listen("tcp", c.Listen); err != nil {
			return err
		}
	}
	var t *Transport
	begun := make(chan struct{})
	t, err = New(o, &hand{receive: func(from catalog.Peer, b []byte) {
		<-begun
		for t.Send(from, b) != nil && t.Ways()[from] != "" {
			time.Sleep(100 * time.Microsecond)
		}
	}})
	if err != nil {
		return err
	}
	close(begun)
	if c.Dial != "" {
		go func() {
			for range time.Tick(100 * time.Millisecond) { // as often as there are views
				t.Know(map[catalog.Peer]string{1: c.Dial})
			}
		}()
		t.Know(map[catalog.Peer]string{1: c.Dial})
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends it
	return t.Close()
}

// TestChild is the other process, and no test by itself.
func TestChild(t *testing.T) {
	text := os.Getenv(childVariable)
	if text == "" {
		return // other tests start it
	}
	var c childConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	if err := child(&c); err != nil {
		t.Fatal(err)
	}
}

// start runs the other process until the test ends.
func (c *childConfig) start(t testing.TB) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChild$")
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd
}

// ledger is a handler that holds what comes back against what was sent.
type ledger struct {
	testing.TB
	mu   sync.Mutex
	back map[uint64]bool
	gone []string
}

func (l *ledger) Receive(_ catalog.Peer, b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(b) < 12 || crc32.ChecksumIEEE(b[4:]) != binary.LittleEndian.Uint32(b) {
		l.Errorf("a parcel of %d bytes is damaged", len(b))
		return
	}
	n := binary.LittleEndian.Uint64(b[4:])
	if l.back[n] {
		l.Errorf("parcel %d came twice", n)
	}
	l.back[n] = true
}

func (l *ledger) Gone(_ catalog.Peer, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = append(l.gone, err.Error())
}

func (l *ledger) has(n uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.back[n]
}

func (l *ledger) ends() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.gone)
}

// parcelOf has a number, and a sum of itself.
func parcelOf(n uint64, size int) []byte {
	b := make([]byte, 12+size)
	binary.LittleEndian.PutUint64(b[4:], n)
	for i := range b[12:] {
		b[12+i] = byte(n + uint64(i))
	}
	binary.LittleEndian.PutUint32(b, crc32.ChecksumIEEE(b[4:]))
	return b
}

// partner is a peer in this process, and what the other one is told.
func partner(t testing.TB, node bool) (w *world, here *Transport, l *ledger, other *childConfig, to catalog.Peer) {
	w = newWorld(t, false)
	w.rings = true
	l = &ledger{TB: t, back: map[uint64]bool{}}
	dir := filepath.Join(t.TempDir(), "other")
	if node { // the other one is
		free := w.listen("127.0.0.1:0")
		other = &childConfig{Identity: dir, Self: 2, Listen: free.Addr().String()}
		free.Close()
		w.known[2] = other.Listen
		if err := w.issue(identity.Node, nodeName(2)).Save(dir); err != nil {
			t.Fatal(err)
		}
		here = w.begin(Options{Self: client}, l)
		return w, here, l, other, 2
	}
	here = w.start(1, l)
	other = &childConfig{Identity: dir, Self: client, Dial: w.known[1]}
	if err := w.issue(identity.Client, "other").Save(dir); err != nil {
		t.Fatal(err)
	}
	return w, here, l, other, client
}

// Wherever a process is killed that has a ring or opens one, what arrives is whole and comes once, the end is
// told with a reason, nothing goes on spinning, and its next life is reached again.
func TestKilled(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	points := []int{1, 2, 3, 4, 5, 6, 7, 8}
	for range 6 {
		points = append(points, 9+r.IntN(40<<r.IntN(6)))
	}
	for _, node := range []bool{true, false} {
		for _, kill := range points {
			t.Run(fmt.Sprintf("node=%v/%d", node, kill), func(t *testing.T) { killed(t, node, kill) })
		}
	}
}

func killed(t *testing.T, node bool, kill int) {
	_, here, l, other, to := partner(t, node)
	other.Kill = kill
	process := other.start(t)
	here.Know(map[catalog.Peer]string{2: other.Listen})
	died := make(chan struct{})
	go func() { _ = process.Wait(); close(died) }()
	n := uint64(0)
	send := func() {
		size := int(n*n) % 3000
		if n%50 == 49 {
			size = 200_000
		}
		if here.Send(to, parcelOf(n, size)) == nil {
			n++
		}
	}
	for start := time.Now(); ; {
		select {
		case <-died:
		default:
			if time.Since(start) > patience {
				t.Fatal("it does not die")
			}
			send()
			if n%20 == 0 {
				time.Sleep(100 * time.Microsecond)
			}
			continue
		}
		break
	}
	for start := time.Now(); l.ends() == 0 || len(here.Ways()) > 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatalf("its end is not told; the ways are %v", here.Ways())
		}
	}
	if used := processor(t, 200*time.Millisecond); used > 100*time.Millisecond {
		t.Errorf("%v of a processor's time were used while nothing happens", used)
	}
	l.mu.Lock()
	for _, why := range l.gone {
		if why == "" || strings.Contains(why, "broke the") {
			t.Errorf("gone, because %q", why)
		}
	}
	l.mu.Unlock()

	other.Kill = 0
	other.start(t)
	first := n
	for start := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		if send(); n > first && l.has(n-1) && here.Ways()[to] == "ring" {
			return
		}
		if time.Since(start) > patience {
			t.Fatalf("its next life is not reached through a ring: %v, %d sent, %v", here.Ways(), n-first, l.gone)
		}
	}
}

// processor is the processor's time that this process uses in a while.
func processor(t *testing.T, while time.Duration) time.Duration {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	time.Sleep(while)
	return used() - before
}

// A process that stands still is not waited for: its ring ends about when its stream would, and is there
// again when it goes on.
func TestStopped(t *testing.T) {
	t.Parallel()
	for _, node := range []bool{true, false} {
		t.Run(fmt.Sprintf("node=%v", node), func(t *testing.T) {
			t.Parallel()
			w, here, l, other, to := partner(t, node)
			process := other.start(t)
			here.Know(map[catalog.Peer]string{2: other.Listen})
			n := uint64(0)
			reach := func() {
				for start := time.Now(); n == 0 || !l.has(n-1) || here.Ways()[to] != "ring"; time.Sleep(time.Millisecond) {
					if here.Send(to, parcelOf(n, 10)) == nil {
						n++
						time.Sleep(5 * time.Millisecond)
					}
					if time.Since(start) > patience {
						w.Fatalf("it is not reached: %v", here.Ways())
					}
				}
			}
			reach()
			if used := processor(t, time.Second); used > 50*time.Millisecond {
				t.Logf("%v of a processor's time were used beside other tests while the ring was idle", used)
			}
			if err := process.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			for full := 0; l.ends() == 0; time.Sleep(time.Millisecond) {
				if here.Send(to, parcelOf(n, 10_000)) == nil { // fills the ring
					n++
				} else {
					full++
				}
				if time.Since(start) > patience {
					t.Fatal("nobody notices")
				}
			}
			if d := time.Since(start); d < silentTime-2*beatTime || d > silentTime+4*beatTime {
				t.Errorf("noticed after %v", d)
			}
			if err := process.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			reach()
		})
	}
}

// A ring that nobody uses takes next to nothing of a processor.
func TestIdleRing(t *testing.T) {
	w := newWorld(t, false)
	w.rings = true
	b := newEvents(t)
	one, two := w.start(1, newEvents(t)), w.start(2, b)
	w.introduce()
	w.send(one, 2, "x")
	b.expect("1: x")
	w.ringed(one, 2)
	w.ringed(two, 1)
	time.Sleep(100 * time.Millisecond)
	const while = 2 * time.Second
	used := processor(t, while)
	t.Logf("two peers with a ring and a stream use %v in %v", used, while)
	if used > while/50 {
		t.Errorf("%v of a processor's time in %v", used, while)
	}
}
