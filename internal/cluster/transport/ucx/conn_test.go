//go:build linux && (amd64 || arm64) && !static

package ucx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

const patience = 30 * time.Second

// installed skips a test where there is no UCX.
func installed(t testing.TB) {
	t.Helper()
	if err := Installed(); err != nil {
		t.Skipf("SKIPPED: nothing was sent over UCX: %v", err)
	}
}

var networks = []string{"test=tcp:lo", "test=shm"}

func end(t testing.TB, network string) *Fabric {
	t.Helper()
	n, err := Parse(network)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(n, func(f func()) { go f() })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func pair(t testing.TB, a, b *Fabric) (one, two *Conn) {
	t.Helper()
	o := Options{Most: 64 << 20, Ahead: 256 << 20}
	one, two = a.New(o), b.New(o)
	if err := errors.Join(one.Connect(b.Address(), two.Token()), two.Connect(a.Address(), one.Token())); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Conn{one, two} {
		select {
		case <-c.Ready():
		case <-c.Done():
			t.Fatal(c.Why())
		case <-time.After(patience):
			t.Fatal("nothing comes through")
		}
	}
	return one, two
}

func random(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(uint64(n), 5))
	for i := 0; i+8 <= n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], r.Uint64())
	}
	return b
}

// A network that is not there is named, whatever UCX makes of it.
func TestNetworks(t *testing.T) {
	installed(t)
	for network, want := range map[string]string{
		"a=tcp:nonesuch0": "fabric a: this machine has no network device nonesuch0",
		"a=rc:mlx5_77:1":  "fabric a: this machine has no network device mlx5_77:1",
		"a=foo:lo":        "fabric a: UCX has none of foo, lo here",
		"a=rc:lo":         "fabric a: UCX has none of rc, lo here",
	} {
		n, err := Parse(network)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(n, func(f func()) { go f() }); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", network, err, want)
		}
	}
}

// Messages of all sizes come whole and in order, both ways at once.
func TestSizes(t *testing.T) {
	installed(t)
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			one, two := pair(t, end(t, network), end(t, network))
			sizes := []int{0, 1, 7, 8, 9, 31, 100, 511, 512, 513, 4096, mostPacket - headSize - recordHead - 1, mostPacket - headSize - recordHead, mostPacket, 8192, 100_000, 1 << 20, 64 << 20, 0, 3}
			var all sync.WaitGroup
			for _, way := range [][2]*Conn{{one, two}, {two, one}} {
				all.Go(func() {
					for _, n := range sizes {
						m := random(n)
						if err := way[0].Write(m[:n/2], m[n/2:], n%2 == 1); err != nil {
							t.Error(err)
						}
					}
					way[0].Flush()
				})
				all.Go(func() {
					for _, n := range sizes {
						if m, err := way[1].Read(); err != nil || !bytes.Equal(m, random(n)) {
							t.Errorf("a message of %d bytes came as another of %d: %v", n, len(m), err)
							return
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// Many connections of one fabric, whose readers are slow or blocked, do not keep each other waiting.
func TestManyReaders(t *testing.T) {
	installed(t)
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			hub := end(t, network)
			var all sync.WaitGroup
			stuck, _ := pair(t, end(t, network), hub) // nobody reads the other side
			if err := stuck.Write([]byte("x"), nil, false); err != nil {
				t.Error(err)
			}
			for k := range 4 {
				one, two := pair(t, end(t, network), hub)
				all.Go(func() {
					for n := range 300 {
						if err := one.Write(random(n*10), nil, false); err != nil {
							t.Error(err)
							return
						}
						if m, err := one.Read(); err != nil || !bytes.Equal(m, random(n*10)) {
							t.Errorf("answer %d: %d bytes, %v", n, len(m), err)
							return
						}
					}
				})
				all.Go(func() {
					for n := range 300 {
						m, err := two.Read()
						if err != nil {
							t.Error(err)
							return
						}
						if n%100 == k {
							time.Sleep(5 * time.Millisecond)
						}
						if err := two.Write(nil, m, false); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// Bytes of strangers, and of the peer where they are not what comes next, harm nobody else.
func TestForeign(t *testing.T) {
	installed(t)
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			a, b := end(t, network), end(t, network)
			one, two := pair(t, a, b)
			rogue, other := pair(t, a, b)
			raw := func(fill func(packet []byte) int) {
				a.lock()
				defer a.mu.Unlock()
				s := &rogue.slots[0]
				n := fill(s.packet)
				a.call(a.lib.send, rogue.endpoint, messageID, 0, 0, address(&s.packet[0]), uintptr(n), address(s.param))
			}
			for n := range 200 { // whose tokens nobody has
				raw(func(p []byte) int { copy(p, random(1000)); return n * 5 })
			}
			raw(func(p []byte) int { return headSize - 1 })
			if err := one.Write([]byte("still"), []byte(" there"), false); err != nil {
				t.Fatal(err)
			}
			if m, err := two.Read(); err != nil || string(m) != "still there" {
				t.Fatalf("%q, %v", m, err)
			}
			raw(func(p []byte) int { // its own, twice
				sum(p[:headSize])
				seal(p[:headSize], packetHead{rogue.peer, 1, 0})
				return headSize
			})
			var broke *BrokenError
			if _, err := other.Read(); !errors.As(err, &broke) || !strings.Contains(err.Error(), "packet 1 came where") {
				t.Errorf("a packet that came before: %v", err)
			}
			if err := two.Write([]byte("and back"), nil, false); err != nil {
				t.Fatal(err)
			}
			if m, err := one.Read(); err != nil || string(m) != "and back" {
				t.Errorf("%q, %v", m, err)
			}
		})
	}
}

// A peer that says nothing any more is given up; so is one that the library says is gone.
func TestSilent(t *testing.T) {
	installed(t)
	for _, network := range networks {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			one, two := pair(t, end(t, network), end(t, network))
			two.Close(nil)
			start := time.Now()
			_, err := one.Read()
			if d := time.Since(start); err == nil || d > (silentBeats+3)*beatTime {
				t.Errorf("noticed after %v: %v", d, err)
			}
			if err := one.Write(make([]byte, 1<<20), nil, false); err == nil {
				t.Error("it can be written")
			}
			one.Close(nil)
			if _, err := two.Read(); !errors.Is(err, ErrEnded) {
				t.Error(err)
			}
		})
	}
}

// What comes for a connection before it is asked for, and too much of it, is bounded.
func TestAhead(t *testing.T) {
	installed(t)
	a, b := end(t, "test=shm"), end(t, "test=shm")
	one, two := a.New(Options{Most: 1 << 20, Ahead: 1 << 20}), b.New(Options{Most: 1000, Ahead: 2000})
	if err := errors.Join(one.Connect(b.Address(), two.Token()), two.Connect(a.Address(), one.Token())); err != nil {
		t.Fatal(err)
	}
	<-one.Ready()
	for range 3 {
		_ = one.Write(make([]byte, 900), nil, false)
	}
	<-two.Done()
	if err := two.Why(); !strings.Contains(err.Error(), "more than 2000 bytes") {
		t.Error(err)
	}
	three, four := pair(t, a, b)
	four.join.most = 1000
	_ = three.Write(make([]byte, 1001), nil, false)
	if _, err := four.Read(); err == nil || !strings.Contains(err.Error(), "expected at most 1000") {
		t.Error(err)
	}
	if err := one.Connect(make([]byte, MaxAddress+1), 1); err == nil {
		t.Error("an address that is too long is taken")
	}
	if unsafe.Sizeof(inbox{}) != 64 || unsafe.Sizeof(outcome{}) != 24 || unsafe.Sizeof(callArgs{}) != 72 || unsafe.Sizeof(lookArgs{}) != 40 {
		t.Error("the assembler knows another layout")
	}
}

func BenchmarkTrip(b *testing.B) {
	installed(b)
	for _, network := range networks {
		b.Run(network, func(b *testing.B) {
			one, two := pair(b, end(b, network), end(b, network))
			go func() {
				for {
					m, err := two.Read()
					if err != nil {
						return
					}
					_ = two.Write(m, nil, false)
				}
			}()
			m := make([]byte, 32)
			var all []time.Duration
			for b.Loop() {
				start := time.Now()
				_ = one.Write(m, nil, false)
				if _, err := one.Read(); err != nil {
					b.Fatal(err)
				}
				all = append(all, time.Since(start))
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Nanoseconds()), "p50-ns")
		})
	}
}
