package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// allowed is where the threads of this process may run, each set once.
func allowed(t *testing.T) (sets []string) {
	t.Helper()
	list, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(list) == 0 {
		t.Skipf("SKIPPED: the system does not tell of threads: %v", err)
	}
	for _, path := range list {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(b)) {
			if strings.HasPrefix(line, "Cpus_allowed:") && !slices.Contains(sets, line) {
				sets = append(sets, line)
			}
		}
	}
	return sets
}

// here is the processor that this runs on, of several.
func here(t *testing.T) int {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	if set.Count() < 2 {
		t.Skip("SKIPPED: there is one processor")
	}
	return processor()
}

// inKernelArmed arms a bell for a wait in the kernel, whatever other tests have left.
func inKernelArmed(b bell) *futex {
	f := b.(*futex)
	inKernel.Add(1)
	f.parted.Store(false)
	return f
}

// asleepIn waits until somebody waits at a bell in the kernel.
func asleepIn(t *testing.T, f *futex) {
	t.Helper()
	for late := time.Now().Add(10 * time.Second); f.waits.Load() == 0; time.Sleep(10 * time.Microsecond) {
		if time.Now().After(late) {
			t.Fatal("nobody waits in the kernel")
		}
	}
}

// TestWokenElsewhere shows that who is woken may not begin on the processor of who wakes it, and that all threads may run where they might before.
func TestWokenElsewhere(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	here(t)
	bell := newBell().(*futex)
	woken := make(chan bool)
	go func() {
		for range 50 {
			inKernelArmed(bell).wait()
			woken <- true
		}
	}()
	same := 0
	for range 50 {
		asleepIn(t, bell)
		bell.bar()
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(int(bell.waits.Load()), &set); err != nil {
			t.Fatal(err)
		}
		if set.IsSet(here(t)) {
			same++ // this thread has moved since, or the other was told nothing
		}
		bell.rung.Store(1) // the rest of ring
		bell.call(futexWake, 1)
		<-woken
	}
	if same > 10 {
		t.Errorf("%d of 50 might begin on the processor of who wakes them", same)
	}
	for late := time.Now().Add(5 * time.Second); len(allowed(t)) > 1; time.Sleep(time.Millisecond) { // others' helpers may be woken at this moment
		if time.Now().After(late) {
			t.Fatalf("threads may run on %q, expected the same for all", allowed(t))
		}
	}
}

// TestDepart shows that a goroutine that departs goes on elsewhere, and that its thread may run where it might before.
func TestDepart(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	here(t)
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	same := 0
	for range 50 {
		from := processor()
		if depart(from); processor() == from {
			same++ // it has moved back since
		}
	}
	if same > 10 {
		t.Errorf("%d of 50 stay where they are", same)
	}
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("the thread may run on %d processors, before on %d; %v", after.Count(), before.Count(), err)
	}
	if depart(-1); processor() < 0 {
		t.Error("where this runs is not known")
	}
}

// TestRungBefore shows that a ring that comes before the wait is not lost, and counts once.
func TestRungBefore(t *testing.T) {
	bell := inKernelArmed(newBell())
	bell.ring()
	bell.wait()
	inKernelArmed(bell)
	over := make(chan bool)
	go func() {
		bell.wait()
		close(over)
	}()
	select {
	case <-over:
		t.Fatal("a bell that was rung once woke twice")
	case <-time.After(20 * time.Millisecond):
	}
	bell.ring()
	<-over
}

// TestLeftToGo shows that whoever waits where there were several calls at the same time is woken by Go, and keeps nothing from others.
func TestLeftToGo(t *testing.T) {
	defer beside.last.Store(0)
	beside.begin()
	beside.begin()
	bell := newBell().(*futex)
	for range 3 {
		bell.arm()
		over := make(chan bool)
		go func() {
			bell.wait()
			close(over)
		}()
		time.Sleep(2 * time.Millisecond)
		if bell.waits.Load() != 0 {
			t.Error("a thread waits in the kernel")
		}
		bell.ring()
		<-over
	}
	beside.last.Store(int64(time.Since(began) - lately)) // both are long
	if bell.arm(); !bell.parted.Load() {
		t.Error("it is not left to Go though there are two calls")
	}
	beside.end()
	if bell.arm(); !bell.parted.Load() {
		t.Error("it is not left to Go though there were two calls just now")
	}
	beside.end()
	beside.last.Store(int64(time.Since(began) - lately))
	if beside.recent() {
		t.Error("it is left to Go though no calls were at the same time lately")
	}
}

// TestFewInKernel shows that no more threads wait in the kernel than there may.
func TestFewInKernel(t *testing.T) {
	var bells []*futex
	for range mostInKernel() + 3 {
		b := newBell().(*futex)
		b.arm()
		bells = append(bells, b)
	}
	left := 0
	for _, b := range bells {
		if b.parted.Load() {
			left++
		}
		b.disarm()
	}
	if left < 3 {
		t.Errorf("%d of %d are left to Go, expected 3 at least", left, len(bells))
	}
	for late := time.Now().Add(10 * time.Second); inKernel.Load() != 0; time.Sleep(time.Millisecond) { // others' teams stand by
		if time.Now().After(late) {
			t.Fatalf("%d wait in the kernel when nobody does", inKernel.Load())
		}
	}
}

// TestToldMeanwhile shows that what somebody else tells a thread while it sleeps stays so.
func TestToldMeanwhile(t *testing.T) {
	here(t)
	bell := inKernelArmed(newBell())
	after := make(chan unix.CPUSet)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var before, set unix.CPUSet
		_ = unix.SchedGetaffinity(0, &before)
		bell.wait()
		_ = unix.SchedGetaffinity(0, &set)
		_ = unix.SchedSetaffinity(0, &before)
		after <- set
	}()
	asleepIn(t, bell)
	var one unix.CPUSet
	one.Set(here(t))
	if err := unix.SchedSetaffinity(int(bell.waits.Load()), &one); err != nil {
		t.Skipf("SKIPPED: threads may not be told where to run: %v", err)
	}
	bell.ring()
	if got := <-after; got != one {
		t.Errorf("the thread may run on %d processors, it was told one", got.Count())
	}
}

// TestOneProcessor shows that a thread is not told to run nowhere.
func TestOneProcessor(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.SchedSetaffinity(0, &set) }()
	one.Set(here(t))
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Skipf("SKIPPED: threads may not be told where to run: %v", err)
	}
	if _, ok := but(one, processor()); ok {
		t.Error("the only processor was taken away")
	}
	if got, ok := but(set, processor()); !ok || got.Count() != set.Count()-1 {
		t.Errorf("%d of %d are left", got.Count(), set.Count())
	}
}
