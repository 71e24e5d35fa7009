// Package cpuclock limits the processor time of other processes. A process that waits for
// a busy machine uses none, so that such a limit tells who hangs from who is slow.
package cpuclock

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Watch calls over, once and in another goroutine, when a process has used more than limit
// since Watch was called. stop ends the watch and waits for over if that is under way; over
// must not call it. Of a process that is gone nothing is told. The process is asked through
// its clock and not by RLIMIT_CPU, whose signal it can block.
func Watch(pid int, limit time.Duration, over func(used time.Duration)) (stop func()) {
	before, err := Used(pid)
	if err != nil {
		return func() {} // it is gone
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		// All processors together use up what is left no sooner than this.
		soonest := func(left time.Duration) time.Duration {
			return max(left/time.Duration(runtime.NumCPU()), time.Millisecond)
		}
		t := time.NewTimer(soonest(limit))
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
			}
			now, err := Used(pid)
			if err != nil {
				return
			}
			if now-before > limit {
				over(now - before)
				return
			}
			t.Reset(soonest(limit - (now - before)))
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// Used is the processor time that a process has used, all its threads together.
func Used(pid int) (time.Duration, error) {
	const sched = 2 // CPUCLOCK_SCHED, of linux/posix-timers.h
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}
