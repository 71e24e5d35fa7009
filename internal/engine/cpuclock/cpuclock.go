// Package cpuclock limits the processor time of other processes. A process that waits for
// a busy machine uses none, so that such a limit tells who hangs from who is slow.
package cpuclock

import (
	"runtime"
	"sync"
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
	return WatchFrom(pid, before, limit, over)
}

// WatchFrom is Watch for who knows already how much the process has used before.
func WatchFrom(pid int, before, limit time.Duration, over func(used time.Duration)) (stop func()) {
	w := &watch{pid: pid, before: before, limit: limit, over: over}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(soonest(limit), w.look)
	return w.stop
}

type watch struct {
	pid           int
	before, limit time.Duration
	over          func(used time.Duration)
	timer         *time.Timer

	mu      sync.Mutex // held while over is under way
	stopped bool
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	now, err := Used(w.pid)
	switch spent := now - w.before; {
	case err != nil:
	case spent > w.limit:
		w.over(spent)
	default:
		w.timer.Reset(soonest(w.limit - spent))
	}
}

func (w *watch) stop() {
	w.timer.Stop()
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
}

// soonest is when what is left can be used up, by all processors together.
func soonest(left time.Duration) time.Duration {
	return max(left/time.Duration(runtime.NumCPU()), time.Millisecond)
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
