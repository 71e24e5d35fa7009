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
// to some 10 ms later: where there are several calls at the same time, or were lately, who waits leaves it to Go.

// futex is a bell of the kernel's, or of Go's.
type futex struct {
	chime
	parted atomic.Bool // the next wait is left to Go

	rung  atomic.Uint32
	waits atomic.Int32 // the thread that waits; 0 if none does

	// Where the thread might run, and what it was told, if it was told anything. Whoever rings writes them before it does.
	may, told unix.CPUSet
	barred    bool
}

// What the system call is asked for, of this process alone; see futex(2).
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

var (
	inKernel atomic.Int32 // waits there, or is about to: each has a thread
	stuck    atomic.Bool  // a thread could not be given back where it might run: none is told anything any more
)

// mostInKernel is how many wait in the kernel at most.
func mostInKernel() int32 { return int32(4 * runtime.GOMAXPROCS(0)) }

func newBell() bell { return &futex{chime: newChime()} }

func (f *futex) arm() {
	f.parted.Store(true)
	switch {
	case beside.recent():
	case inKernel.Add(1) > mostInKernel():
		inKernel.Add(-1)
	default:
		f.parted.Store(false)
	}
}

func (f *futex) call(op, value uintptr) {
	_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&f.rung)), op, value, 0, 0, 0)
}

// disarm is for who does not wait after all.
func (f *futex) disarm() {
	if !f.parted.Load() {
		inKernel.Add(-1)
	}
}

// ring tells the thread where it may run before it can go on.
func (f *futex) ring() {
	if f.parted.Load() {
		f.chime.ring()
		return
	}
	f.bar()
	f.rung.Store(1)
	f.call(futexWake, 1)
}

// bar tells the thread that waits, if one does, to run on another processor than this.
func (f *futex) bar() {
	if id := int(f.waits.Load()); id != 0 && !stuck.Load() && unix.SchedGetaffinity(id, &f.may) == nil {
		set, ok := but(f.may, processor())
		f.told, f.barred = set, ok && unix.SchedSetaffinity(id, &set) == nil
	}
}

// but is a set without a processor; false if that is all, or it is not in the set.
func but(set unix.CPUSet, processor int) (unix.CPUSet, bool) {
	if processor < 0 || !set.IsSet(processor) {
		return set, false
	}
	set.Clear(processor)
	return set, set.Count() > 0
}

// processor is the one that this runs on; -1 if that is not known.
func processor() int {
	var here uint32
	if _, _, e := syscall.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&here)), 0, 0); e != 0 {
		return -1
	}
	return int(here)
}

// departs says that depart does something.
const departs = true

// depart goes on with a goroutine that is new on another processor than the one where it was made, where its thread has to wait for who made it.
func depart(from int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := futex{}
	if processor() != from || stuck.Load() || unix.SchedGetaffinity(0, &f.may) != nil {
		return
	}
	set, ok := but(f.may, from)
	if f.told = set; ok && unix.SchedSetaffinity(0, &set) == nil {
		f.release()
	}
}

// stepBack lets another thread have this processor, if one waits for it.
func stepBack() { _, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

func (f *futex) wait() {
	if f.parted.Load() {
		f.chime.wait()
		return
	}
	runtime.LockOSThread() // which has told its number
	defer runtime.UnlockOSThread()
	f.waits.Store(int32(unix.Gettid()))
	for f.rung.Swap(0) == 0 {
		f.call(futexWait, 0)
	}
	f.waits.Store(0)
	inKernel.Add(-1)
	if f.barred {
		f.barred = false
		f.release()
	}
}

// release lets this thread run where it might before it was told otherwise, unless somebody else has told it something since. All processors are asked
// for first: a thread that may run on all that it is given has those that are given later, too.
func (f *futex) release() {
	var now, all unix.CPUSet
	if unix.SchedGetaffinity(0, &now) == nil && now != f.told {
		return
	}
	for i := range all {
		all[i] = ^all[i]
	}
	if unix.SchedSetaffinity(0, &all) == nil && unix.SchedGetaffinity(0, &now) == nil && now == f.may {
		return
	}
	if unix.SchedSetaffinity(0, &f.may) != nil {
		stuck.Store(true)
	}
}
