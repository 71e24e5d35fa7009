package fleet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asHolder is set for a process that holds the lock of a folder and takes no orders, or that
// takes an inherited one and ends.
const (
	asHolder  = "GODWIT_TEST_HOLDER"
	inherited = "descriptor 3"
)

func TestMain(m *testing.M) {
	switch dir := os.Getenv(asHolder); dir {
	case "":
		os.Exit(m.Run())
	case inherited:
		if err := syscall.Flock(3, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			panic(err)
		}
	default:
		f, err := lock(dir)
		if err != nil {
			panic(err)
		}
		fmt.Println("locked")
		time.Sleep(time.Minute)
		f.Close()
	}
}

// hold starts such a process, and gives what tells when it has ended.
func hold(t *testing.T, dir string) (p *exec.Cmd, ended chan error) {
	t.Helper()
	p = exec.Command(os.Args[0])
	p.Env = append(os.Environ(), asHolder+"="+dir)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- p.Wait() }()
	return p, ended
}

// TestDownKillsTheHolder kills the process that holds the lock, which hangs, and not the one whose
// number somebody has written into it.
func TestDownKillsTheHolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hung, ended := hold(t, dir)
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	otherEnded := make(chan error, 1)
	go func() { otherEnded <- other.Wait() }()
	defer func() { _ = other.Process.Kill() }()
	if err := errors.Join(hung.Process.Signal(syscall.SIGSTOP), os.WriteFile(filepath.Join(dir, lockFile), fmt.Appendln(nil, other.Process.Pid), 0o600)); err != nil {
		t.Fatal(err)
	}
	if by := holder(dir); int(by) != hung.Process.Pid {
		t.Errorf("the holder is said to be %d, and is %d", by, hung.Process.Pid)
	}
	e, err := NewClient(dir).Down(t.Context(), 100*time.Millisecond)
	if err != nil || !e.Ran || !e.Killed {
		t.Errorf("down: %+v, %v", e, err)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the holder is there still")
	}
	select {
	case err := <-otherEnded:
		t.Errorf("the other process was ended: %v", err)
	default:
	}
}

// TestDownWithoutHolder ends with an error when the system does not say who holds the lock: it was
// taken by a process that has ended, with a descriptor that another one has.
func TestDownWithoutHolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, lockFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	taker := exec.Command(os.Args[0])
	taker.Env, taker.ExtraFiles = append(os.Environ(), asHolder+"="+inherited), []*os.File{f}
	if err := taker.Run(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := NewClient(dir).Down(t.Context(), 50*time.Millisecond)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "its number is not known") {
			t.Errorf("down: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("down goes on")
	}
}
