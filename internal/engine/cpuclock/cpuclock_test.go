package cpuclock

import (
	"os/exec"
	"testing"
	"time"
)

func start(t *testing.T, args ...string) (pid int) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	return cmd.Process.Pid
}

func TestBusyProcess(t *testing.T) {
	const limit = 100 * time.Millisecond
	told := make(chan time.Duration, 2)
	stop := Watch(start(t, "sh", "-c", "while :; do :; done"), limit, func(used time.Duration) { told <- used })
	defer stop()
	select {
	case used := <-told:
		if used <= limit || used > 50*limit {
			t.Errorf("%v used, the limit was %v", used, limit)
		}
	case <-time.After(time.Minute):
		t.Fatal("nobody noticed that a process uses up its time")
	}
}

func TestIdleProcess(t *testing.T) {
	idle := start(t, "sleep", "60")
	stop := Watch(idle, 50*time.Millisecond, func(used time.Duration) { t.Errorf("a process that sleeps has used %v", used) })
	time.Sleep(300 * time.Millisecond)
	stop()
}

func TestStopped(t *testing.T) {
	told := make(chan time.Duration, 1)
	Watch(start(t, "sh", "-c", "while :; do :; done"), 200*time.Millisecond, func(used time.Duration) { told <- used })()
	select {
	case <-told:
		t.Error("told after the watch had ended")
	case <-time.After(600 * time.Millisecond):
	}
}

func TestNoProcess(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	Watch(cmd.Process.Pid, 0, func(time.Duration) { t.Error("told of a process that is gone") })()
}
