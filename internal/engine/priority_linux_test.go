package engine

import (
	"runtime"
	"slices"
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

// atWork has a worker of each claim at work until end is called, which returns what the
// claims say of their threads.
func atWork(t *testing.T, claims ...*Claim) (tids []int, end func() (lowered []bool)) {
	t.Helper()
	over, told := make(chan struct{}), make(chan int)
	all := make([]chan bool, len(claims))
	for i, c := range claims {
		all[i] = make(chan bool, 1)
		go func() {
			w := c.Turn()
			if err := w.Take(t.Context()); err != nil {
				t.Error(err)
			}
			told <- w.tid
			<-over
			w.Give()
			all[i] <- c.Lowered()
		}()
		tids = append(tids, <-told)
	}
	return tids, func() (lowered []bool) {
		close(over)
		for _, c := range all {
			lowered = append(lowered, <-c)
		}
		return lowered
	}
}

// become waits until threads have nice values so far above this process's, or the greatest.
func become(t *testing.T, tids, levels []int) {
	t.Helper()
	var got []int
	for i, level := range levels {
		levels[i] = min(level, 19-ownNice())
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		got = got[:0]
		for _, tid := range tids {
			got = append(got, nice(t, tid)-ownNice())
		}
		if slices.Equal(got, levels) {
			return
		}
	}
	t.Fatalf("the threads are lowered by %v, expected %v", got, levels)
}

// Threads that are at work for long yield; those of two clients of one owner are lowered
// besides, and that of another owner is not. A lowered thread ends with its goroutine.
func TestLongIsLowered(t *testing.T) {
	s := NewShare(1, nil)
	tids, end := atWork(t, s.Join("x", 1), s.Join("x", 2), s.Join("y", 3))
	become(t, tids, []int{lift(2) + yield, lift(2) + yield, yield})
	for i, lowered := range end() {
		if !lowered {
			t.Errorf("claim %d does not know that its thread was lowered", i)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if n := nice(t, unix.Gettid()); n != ownNice() {
		t.Errorf("another thread has the nice value %d, expected %d", n, ownNice())
	}
}

// Nobody is lowered before its time.
func TestYields(t *testing.T) {
	w := &Turn{began: time.Now()}
	for age, want := range map[time.Duration]int{0: 0, yieldAfter - 1: 0, yieldAfter: yield, time.Hour: yield} {
		if got := w.yields(w.began.Add(age)); got != want {
			t.Errorf("after %v a worker yields by %d, expected %d", age, got, want)
		}
	}
}
