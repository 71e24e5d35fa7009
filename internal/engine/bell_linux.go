package engine

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// In: a goroutine that waits for work, and one that has some. Out: the first one awake, on another processor than the second. Invariant: a thread may
// run where it might before, but for the moment of waking.
//
// Linux likes to wake a thread on the processor of whoever wakes it, where it waits until that is through with its part, though another processor
// has nothing to do: of launches of 0.8 ms with a pause before them, two thirds had no help at all (two processors, Linux 6.18). So the
// processor of whoever rings is taken from those where the thread may run, until it runs. A thread that waits in the kernel is also found at once,
// where Go's threads come one after the other. But it keeps its place among Go's processors from others until Go's scheduler looks, 20 µs
// to 10 ms later: where there were several calls at the same time lately, who waits leaves it to Go.

// futex is a bell of the kernel's, or of Go's.
type futex struct {
	chime
	parted atomic.Bool // the next wait is left to Go

	rung   atomic.Uint32
	waits  atomic.Int32 // the thread that waits; 0 if none does, or it cannot be told where it may run
	may    unix.CPUSet  // where that may run otherwise; there before waits
	barred atomic.Bool  // it was told
}

// What the system call is asked for, of this process alone; see futex(2).
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

func newBell() bell { return &futex{chime: newChime()} }

func (f *futex) arm() { f.parted.Store(beside.recent()) }

func (f *futex) call(op, value uintptr) {
	_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&f.rung)), op, value, 0, 0, 0)
}

// ring tells the thread where it may run before it can go on.
func (f *futex) ring() {
	if f.parted.Load() {
		f.chime.ring()
		return
	}
	if id := f.waits.Load(); id != 0 {
		if set, ok := but(f.may); ok && unix.SchedSetaffinity(int(id), &set) == nil {
			f.barred.Store(true)
		}
	}
	f.rung.Store(1)
	f.call(futexWake, 1)
}

// but is a set without the processor that this runs on; false if that is all, or is not known.
func but(set unix.CPUSet) (unix.CPUSet, bool) {
	var here uint32
	if _, _, e := syscall.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&here)), 0, 0); e != 0 || !set.IsSet(int(here)) {
		return set, false
	}
	set.Clear(int(here))
	return set, set.Count() > 0
}

func (f *futex) wait() {
	if f.parted.Load() {
		f.chime.wait()
		return
	}
	runtime.LockOSThread() // which has told its number
	defer runtime.UnlockOSThread()
	if unix.SchedGetaffinity(0, &f.may) == nil {
		f.waits.Store(int32(unix.Gettid()))
	}
	for f.rung.Swap(0) == 0 {
		f.call(futexWait, 0)
	}
	f.waits.Store(0)
	if f.barred.Swap(false) {
		_ = unix.SchedSetaffinity(0, &f.may)
	}
}
