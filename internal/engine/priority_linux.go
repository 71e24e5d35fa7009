package engine

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// thread is the number of the calling thread.
func thread() int { return unix.Gettid() }

// threadTime is the processor time that a thread of this process has used; see
// clock_getcpuclockid(3) for the number of its clock. A thread that has ended has used none.
func threadTime(tid int) time.Duration {
	const perThread, scheduled = 4, 2
	var t unix.Timespec
	if unix.ClockGettime(int32(^tid)<<3|perThread|scheduled, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// ownNice is the nice value that this process was started with. The system call gives
// 20 less the value.
var ownNice = sync.OnceValue(func() int {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return 0
	}
	return 20 - n
})

// prioritise makes a thread's nice value that of the process plus level. Raising the
// priority again needs a privilege.
func prioritise(tid, level int) bool {
	return unix.Setpriority(unix.PRIO_PROCESS, tid, min(ownNice()+level, 19)) == nil
}
