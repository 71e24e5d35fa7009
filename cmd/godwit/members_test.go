package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// upped is a cluster of godwit up whose members of etcd are hurt.
type upped struct {
	*byHand
	said bytes.Buffer // what up says of nodes that end
}

// newUpped starts five nodes in a directory until the test ends.
func newUpped(t *testing.T, dir string, flags ...string) *upped {
	t.Helper()
	u := &upped{byHand: &byHand{dir: dir, cluster: filepath.Join(dir, "c")}}
	cmd := exec.Command(path(t), append([]string{"up", "--cluster", u.cluster, "--calibrate=false"}, flags...)...)
	cmd.Dir = dir
	out := &lines{word: "ready", seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, &u.said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended
		kill := time.AfterFunc(endLimit, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
		if t.Failed() {
			t.Logf("up said:\n%s", &u.said)
		}
	})
	select {
	case <-out.seen:
	case <-time.After(startLimit):
		t.Fatalf("godwit up is not ready after %v: %s", startLimit, &u.said)
	}
	return u
}

func (u *upped) log(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(u.cluster, "nodes", name, "log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (u *upped) pid(t *testing.T, name string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(u.cluster, "nodes", name, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// member is the process of a node's member of etcd. It may have to be started again first.
func (u *upped) member(t *testing.T, name string) int {
	t.Helper()
	for end := time.Now().Add(settleLimit); ; time.Sleep(20 * time.Millisecond) {
		out, err := exec.Command("pgrep", "-P", strconv.Itoa(u.pid(t, name)), "-f", "control-child").Output()
		if pid, bad := strconv.Atoi(strings.TrimSpace(string(out))); err == nil && bad == nil {
			return pid
		}
		if time.Now().After(end) {
			t.Fatalf("%s has no member of etcd after %v", name, settleLimit)
		}
	}
}

func send(t *testing.T, sig syscall.Signal, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil || pid == 0 {
			t.Fatalf("signal %v to %d: %v", sig, pid, err)
		}
	}
}

// hold stops the members of nodes, and those that their nodes start instead of them, until
// it is told to let them go on.
func (u *upped) hold(t *testing.T, names ...string) (resume func()) {
	t.Helper()
	over, done := make(chan struct{}), make(chan struct{})
	held := map[int]bool{}
	stopAll := func() {
		for _, name := range names {
			out, _ := exec.Command("pgrep", "-P", strconv.Itoa(u.pid(t, name)), "-f", "control-child").Output() // none at times
			if pid, err := strconv.Atoi(strings.TrimSpace(string(out))); err == nil {
				_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
				held[pid] = true
			}
		}
	}
	stopAll()
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case <-time.After(50 * time.Millisecond):
				stopAll()
			}
		}
	}()
	resume = sync.OnceFunc(func() {
		close(over)
		<-done
		for pid := range held {
			_ = syscall.Kill(pid, syscall.SIGCONT) // most have ended
		}
	})
	t.Cleanup(resume)
	return resume
}

// unharmed is that no node has ended, and none but those named has lost its lease.
func (u *upped) unharmed(t *testing.T, but ...string) {
	t.Helper()
	if strings.Contains(u.said.String(), "ended") {
		t.Errorf("nodes have ended: %s", &u.said)
	}
	for i := 1; i <= 5; i++ {
		name := "n" + strconv.Itoa(i)
		if strings.Contains(u.log(t, name), "membership has ended") && !strings.Contains(strings.Join(but, " "), name) {
			t.Errorf("%s has lost its lease:\n%s", name, u.log(t, name))
		}
	}
}

// busy keeps all processors at work until the test ends.
func busy(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
}

// soon waits until a command succeeds, and gives what it printed.
func (u *upped) soon(t *testing.T, args ...string) string {
	t.Helper()
	for end := time.Now().Add(settleLimit); ; time.Sleep(200 * time.Millisecond) {
		out, stderr, err := u.try(u.cluster, args...)
		if err == nil {
			return out
		}
		if time.Now().After(end) {
			t.Fatalf("godwit %v still fails after %v: %s", args, settleLimit, stderr)
		}
	}
}

const total = "fn total(v: &[f64; N]) -> f64 { v.sum() }\n"

// stored has a data set and what its sum is.
func (u *upped) stored(t *testing.T) (args []string, want string) {
	t.Helper()
	write(t, filepath.Join(u.dir, "total.gw"), total)
	write(t, filepath.Join(u.dir, "v.csv"), "x\n"+strings.Repeat("1.5\n2.25\n", 5000))
	u.godwit(t, "load", "v.csv", "--as", "v", "--replicas", "2")
	want = u.godwit(t, "run", "total.gw", "v=v.csv#x")
	args = []string{"run", "total.gw", "v=@v#x", "--strategy", "ship", "--deadline", "20s"}
	if got := u.godwit(t, args...); got != want {
		t.Fatalf("the sum is %s, expected %s", got, want)
	}
	return args, want
}

// A node hangs, with its member of etcd, for longer than its lease, while all processors are
// busy: no other node ends or loses its lease, and it comes back by itself. GODWIT_STOPS is how
// often, on a new cluster each time.
func TestMemberHangs(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv("GODWIT_STOPS"))
	if err != nil {
		times = 1
	}
	for i := range times {
		victim := "n" + strconv.Itoa(i%3+1)
		t.Run(fmt.Sprintf("%d %s", i+1, victim), func(t *testing.T) {
			u := newUpped(t, t.TempDir(), "-n", "5", "--ttl", "5s")
			run, want := u.stored(t)
			busy(t)
			node, member := u.pid(t, victim), u.member(t, victim)
			send(t, syscall.SIGSTOP, node, member)
			hung := time.Now()
			if got := u.soon(t, run...); got != want {
				t.Errorf("while %s hangs the sum is %s, expected %s", victim, got, want)
			}
			time.Sleep(8*time.Second - time.Since(hung))
			send(t, syscall.SIGCONT, node, member)
			for end := time.Now().Add(settleLimit); !strings.Contains(u.log(t, victim), "joined again"); time.Sleep(50 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%s has not joined again after %v", victim, settleLimit)
				}
			}
			if got := u.soon(t, run...); got != want {
				t.Errorf("when %s is back the sum is %s, expected %s", victim, got, want)
			}
			u.unharmed(t, victim)
		})
	}
}

// Two of three members hang: nodes go on with what they hold, and changes fail soon. When they
// go on, and when all three are killed, everything comes back without a hand.
func TestMajorityLost(t *testing.T) {
	u := newUpped(t, t.TempDir(), "-n", "5", "--ttl", "3s")
	run, want := u.stored(t)
	resume := u.hold(t, "n1", "n2")
	time.Sleep(6 * time.Second) // twice the leases
	if got := u.godwit(t, run...); got != want {
		t.Errorf("without a majority the sum is %s, expected %s", got, want)
	}
	u.godwit(t, "status")
	began := time.Now()
	if _, stderr, err := u.try(u.cluster, "load", "v.csv", "--as", "w"); err == nil || !strings.Contains(stderr, "majority") || time.Since(began) > 15*time.Second {
		t.Errorf("without a majority a load ended after %v: %v, %s", time.Since(began), err, stderr)
	}
	resume()
	u.soon(t, "load", "v.csv", "--as", "w")
	if got := u.soon(t, run...); got != want {
		t.Errorf("with a majority again the sum is %s, expected %s", got, want)
	}
	u.unharmed(t)

	send(t, syscall.SIGKILL, u.member(t, "n1"), u.member(t, "n2"), u.member(t, "n3")) // others than before, some of them
	if got := u.godwit(t, run...); got != want {
		t.Errorf("without a member the sum is %s, expected %s", got, want)
	}
	u.soon(t, "load", "v.csv", "--as", "x")
	u.unharmed(t)
}

// A full disk refuses what writes, and nothing else: reads go on, etcd included, and when there
// is space everything is as before.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=400m"); err != nil {
		t.Skip("SKIPPED: no disk was filled: a tmpfs cannot be mounted here: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	u := newUpped(t, dir, "-n", "3")
	run, want := u.stored(t)
	fill := filepath.Join(dir, "fill")
	f, err := os.Create(fill)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	full := func() {
		for chunk := make([]byte, 1<<20); len(chunk) > 0; {
			if _, err := f.Write(chunk); err != nil {
				chunk = chunk[:len(chunk)/2]
			}
		}
	}
	began := time.Now()
	for time.Since(began) < 5*time.Second { // whatever is given up is taken
		full()
		time.Sleep(100 * time.Millisecond)
	}
	if got := u.godwit(t, run...); got != want {
		t.Errorf("on a full disk the sum is %s, expected %s", got, want)
	}
	u.godwit(t, "status")
	if _, stderr, err := u.try(u.cluster, "load", "v.csv", "--as", "w"); err == nil {
		t.Errorf("on a full disk a data set was stored: %s", stderr)
	}
	if strings.Contains(u.said.String(), "ended") {
		t.Errorf("nodes have ended: %s", &u.said)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	f.Close()
	u.soon(t, "load", "v.csv", "--as", "w")
	if got := u.godwit(t, run...); got != want {
		t.Errorf("with space again the sum is %s, expected %s", got, want)
	}
}
