package ring

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What two threads do in real time, as the processor orders it.

// limit is how long a test waits for what must happen.
const limit = 60 * time.Second

// Who tells and then looks, and who says that it sleeps and then looks: one of both sees the other. Words
// that were only released and acquired would fail this now and then.
func TestLitmusOrder(t *testing.T) {
	w := wayIn(aligned(), 0, nil)
	turns := 50_000
	if testing.Short() {
		turns = 20_000
	}
	var seen [2]uint64
	var at [2]atomic.Int64
	together := func(self int, turn int64) { // both begin a turn at the same time
		at[self].Store(turn)
		for n := 1; at[1-self].Load() < turn; n++ {
			if n%1000 == 0 {
				runtime.Gosched()
			}
		}
	}
	var group sync.WaitGroup
	var missed atomic.Int64
	for self := range 2 {
		group.Go(func() {
			for i := range int64(turns) {
				together(self, 3*i+1)
				if self == 0 {
					w.store(written, uint64(i+1))
					seen[0] = w.load(asleep)
				} else {
					w.store(asleep, uint64(i+1))
					seen[1] = w.load(written)
				}
				together(self, 3*i+2)
				if self == 0 && seen[0] != uint64(i+1) && seen[1] != uint64(i+1) {
					missed.Add(1)
				}
				together(self, 3*i+3)
			}
		})
	}
	group.Wait()
	if n := missed.Load(); n > 0 {
		t.Errorf("neither side saw the other in %d of %d turns", n, turns)
	}
}

// waker is a sleeper between two goroutines, which sleeps as often as it can.
type waker struct {
	rung [bells]chan struct{}
	late *atomic.Int64
}

func (s *waker) ring(b bell) {
	select {
	case s.rung[b] <- struct{}{}:
	default:
	}
}
func (*waker) found(bell)     {}
func (*waker) spin(bell) bool { return false }
func (s *waker) wait(b bell) error {
	select {
	case <-s.rung[b]:
		return nil
	case <-time.After(limit):
		s.late.Add(1)
		return errDead
	}
}

// A message that was told is never slept over, and is whole, whatever the processor reorders.
func TestLitmusWakeups(t *testing.T) {
	memory := aligned()
	s := &waker{late: &atomic.Int64{}}
	for b := range bells {
		s.rung[b] = make(chan struct{}, 1)
	}
	turns := 100_000
	if testing.Short() {
		turns = 20_000
	}
	out := putter{way: wayIn(memory, 0, nil), sleeper: s}
	in := taker{way: wayIn(memory, 0, nil), sleeper: s, most: Size}
	go func() {
		m := make([]byte, 4000)
		for i := range turns {
			n := 8 + i*37%500
			if i%100 == 0 {
				n = len(m)
			}
			for k := range m[:n] {
				m[k] = byte(i + k)
			}
			if out.put(m[:n/2], m[n/2:n], i%7 != 0 && i+1 < turns) != nil {
				return
			}
		}
	}()
	for i := range turns {
		m, err := in.take()
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		for k, b := range m {
			if b != byte(i+k) {
				t.Fatalf("message %d of %d bytes is damaged at %d", i, len(m), k)
			}
		}
	}
	if n := s.late.Load(); n > 0 {
		t.Errorf("somebody was not woken %d times", n)
	}
}

// The same holds of code for arm64, as far as an emulator can say: it runs that code's own instructions,
// but in the order that this processor keeps. It has found that plain atomic stores do not do under it.
func TestLitmusARM64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: the litmus tests of arm64 run beside those of amd64")
	}
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("SKIPPED: no litmus test was run for arm64: qemu-aarch64-static is not installed (Debian: qemu-user-static)")
	}
	file := filepath.Join(t.TempDir(), "ring.test")
	build := exec.Command("go", "test", "-c", "-o", file, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), qemu, file, "-test.short", "-test.v", "-test.run", "TestLitmusOrder|TestLitmusWakeups|TestModel|TestRubbish").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
