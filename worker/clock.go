package worker

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// watchTime kills the process when it has used up the processor time of a call. The
// node looks at the clock, because a worker can block the signal of RLIMIT_CPU.
func (p *process) watchTime() (stop func()) {
	done := make(chan struct{})
	before, err := cpuTime(p.cmd.Process.Pid)
	if err != nil {
		return func() {} // it is gone
	}
	go func() {
		left := p.limits.CPU
		t := time.NewTimer(left / time.Duration(runtime.NumCPU()))
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-p.ended:
				return
			case <-t.C:
			}
			now, err := cpuTime(p.cmd.Process.Pid)
			if err != nil {
				return
			}
			if left = p.limits.CPU - (now - before); left <= 0 {
				p.kill(fmt.Sprintf("ran for %v of processor time; the limit is %v", rounded(now-before), p.limits.CPU), nil)
				return
			}
			t.Reset(max(left/time.Duration(runtime.NumCPU()), time.Millisecond))
		}
	}()
	return func() { close(done) }
}

// cpuTime is the processor time that a process has used, all its threads together.
func cpuTime(pid int) (time.Duration, error) {
	const sched = 2 // CPUCLOCK_SCHED, of linux/posix-timers.h
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}
