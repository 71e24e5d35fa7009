package engine

import (
	"sync"

	"golang.org/x/sys/unix"
)

// thread is the number of the calling thread.
func thread() int { return unix.Gettid() }

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
