package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// command is the binary itself, which the test binary is when it is called
// by that name; see TestMain.
func command(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	path, err := exec.LookPath("godwit")
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	return cmd, &stderr
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

const spin = `fn spin(k: u64) -> u64
where k: Range<0, 1_000_000_000_000>
{
    let mut s: u64 = 0;
    for _ in 0..k { s = (s ^ (s << 3)) +% 7; }
    s
}
`

// TestInterrupt ends a run that would take hours.
func TestInterrupt(t *testing.T) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // commands of these tests shall not inherit that it is ignored, as under nohup
	t.Cleanup(func() { signal.Stop(hangups) })
	for _, engine := range []string{"wasm", "interp"} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(fmt.Sprint(engine, " ", sig), func(t *testing.T) {
				t.Parallel()
				interrupt(t, engine, sig)
			})
		}
	}
}

func interrupt(t *testing.T, engine string, sig syscall.Signal) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "spin.gw"), spin)
	cmd, stderr := command(t, dir, "run", "spin.gw", "k=1000000000000", "--engine", engine, "--out", "r.npy")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test fails
	computing(t, cmd.Process.Pid)
	start := time.Now()
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(2*endLimit, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	kill.Stop()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
	if took := time.Since(start); took > endLimit {
		t.Errorf("took %v to end", took)
	}
	if stderr.String() != "interrupted\n" {
		t.Errorf("said %q", stderr)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left %v behind (%v)", left, err)
	}
}

// TestHangupIgnored: a run that is started by nohup goes on when the terminal is gone, and is interrupted as any other.
func TestHangupIgnored(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "spin.gw"), spin)
	cmd, stderr := command(t, dir, "run", "spin.gw", "k=1000000000000")
	signal.Ignore(syscall.SIGHUP)
	err := cmd.Start()
	signal.Reset(syscall.SIGHUP)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	computing(t, cmd.Process.Pid)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		t.Fatalf("ended with %v: %s", err, stderr)
	case <-time.After(500 * time.Millisecond):
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
			t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
		}
	case <-time.After(endLimit):
		t.Errorf("goes on after %v", endLimit)
	}
}

// TestInterruptedWriting ends runs and conversions while they write: what was there stays whole, or the new one is whole, and nothing lies beside it.
func TestInterruptedWriting(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "p.gw"), "record R { k: i64, v: f64 }\nfn all(v: &[f64; N]) -> [R; N] { v.enumerate().map(|(i, e)| R { k: i % 300, v: e }) }\n")
	sparse(t, filepath.Join(dir, "v.npy"), 16<<20)
	ended := 0
	for _, args := range [][]string{{"run", "p.gw:all", "v=v.npy", "--out", "old.csv"}, {"convert", "v.npy", "old.csv"}, {"run", "p.gw:all", "v=v.npy", "--out", "new", "--partition-by", "k"}} {
		for _, after := range []int{300, 600, 1200} {
			write(t, filepath.Join(dir, "old.csv"), "old")
			cmd, stderr := command(t, dir, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(after) * time.Millisecond)
			_ = cmd.Process.Signal(os.Interrupt) // unless it has ended
			err := cmd.Wait()
			old, e := os.ReadFile(filepath.Join(dir, "old.csv"))
			if e != nil {
				t.Fatal(e)
			}
			var exit *exec.ExitError
			switch interrupted := errors.As(err, &exit) && exit.ExitCode() == exitInterrupted; {
			case interrupted && stderr.String() == "interrupted\n" && string(old) == "old":
				ended++
			case err != nil || args[2] != "v=v.npy" && len(old) < 1<<20:
				t.Errorf("%v after %d ms: %v, %q, old.csv has %d bytes", args, after, err, stderr, len(old))
			}
			list, e := filepath.Glob(filepath.Join(dir, ".*"))
			if e != nil || len(list) > 0 {
				t.Errorf("%v after %d ms left %v (%v)", args, after, list, e)
			}
			if e := os.RemoveAll(filepath.Join(dir, "new")); e != nil {
				t.Fatal(e)
			}
		}
	}
	if ended == 0 {
		t.Error("no run was interrupted")
	}
}

// computing waits until a process has used much more processor time than it needs to start.
func computing(t *testing.T, pid int) {
	t.Helper()
	const utime, ticks = 11, 100 // its place after the name, and a second; see proc_pid_stat(5)
	for end := time.Now().Add(startLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // the name may have blanks
		used, err := strconv.Atoi(strings.Fields(rest)[utime])
		if err != nil {
			t.Fatal(err)
		}
		if used >= ticks {
			return
		}
	}
	t.Fatalf("no second of processor time used after %v", startLimit)
}

// TestTruncatedWhileRunning shortens a file while it is read. The run may
// have what it needs already; otherwise it says what happened.
func TestTruncatedWhileRunning(t *testing.T) {
	const programs = `fn once(v: &[f64; N]) -> f64 { v.map(|e| (e.sin().exp() + 1.0).ln()).sum() }
fn often(v: &[f64; N]) -> f64 {
    let mut s = 0.0;
    for _ in 0..20 { s = s + v.map(|e| (e + s).sin()).sum(); }
    s
}
`
	short := 0
	for _, fn := range []string{"once", "often"} {
		for _, after := range []int{60, 120, 250} {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "p.gw"), programs)
			file := filepath.Join(dir, "v.npy")
			sparse(t, file, 24<<20)
			cmd, stderr := command(t, dir, "run", "p.gw:"+fn, "v=v.npy")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(after) * time.Millisecond)
			if err := os.Truncate(file, 1<<20); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			switch said := stderr.String(); {
			case err == nil:
			case strings.HasPrefix(said, "error") && (strings.Contains(said, "cut short") || strings.Contains(said, "was changed")):
				short++
			default:
				t.Errorf("%s after %d ms: %v: %s", fn, after, err, said)
			}
		}
	}
	if short == 0 {
		t.Error("no run was long enough to notice")
	}
}

// sparse makes an NPY file of n zeros that takes no room.
func sparse(t *testing.T, path string, n int64) {
	t.Helper()
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", n)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
	write(t, path, string(b)+head)
	if err := os.Truncate(path, int64(len(b)+len(head))+8*n); err != nil {
		t.Fatal(err)
	}
}
