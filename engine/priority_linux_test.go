package engine

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func nice(t *testing.T, tid int) int {
	t.Helper()
	n, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err != nil {
		t.Fatal(err)
	}
	return 20 - n
}

// The threads of two clients of one owner that are at work for long are lowered, that of
// another owner is not, and a lowered thread ends with its goroutine.
func TestCrowdIsLowered(t *testing.T) {
	s := NewShare(1, nil)
	want := min(ownNice()+lift(2), 19)
	end, tids := make(chan struct{}), make(chan int, 3)
	claims := []*Claim{s.Join("x", 1), s.Join("x", 2), s.Join("y", 3)}
	done := make(chan bool, 3)
	for _, c := range claims {
		go func() {
			w := c.Turn()
			if err := w.Take(t.Context()); err != nil {
				t.Error(err)
			}
			tids <- w.tid
			<-end
			w.Give()
			done <- c.Lowered() == (c != claims[2])
		}()
	}
	lowered := func(list []int) (n int) {
		for _, tid := range list {
			if nice(t, tid) == want {
				n++
			}
		}
		return n
	}
	list := []int{<-tids, <-tids, <-tids}
	for deadline := time.Now().Add(20 * time.Second); lowered(list) < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d threads have the nice value %d, expected 2", lowered(list), want)
		}
	}
	if n := lowered(list); n != 2 {
		t.Errorf("%d threads are lowered, expected 2", n)
	}
	close(end)
	for range claims {
		if !<-done {
			t.Error("a claim does not know that its thread was lowered")
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if n := nice(t, unix.Gettid()); n != ownNice() {
		t.Errorf("another thread has the nice value %d, expected %d", n, ownNice())
	}
}
