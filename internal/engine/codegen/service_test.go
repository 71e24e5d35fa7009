package codegen

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvm"
)

func TestCompile(t *testing.T) {
	s := compiling(t, Options{})
	s.Warm()
	i, err := s.Info(t.Context())
	if err != nil || !strings.HasPrefix(i.Version, "19.") || i.Host.Arch != runtime.GOARCH || i.Host.Features == "" || len(i.Arches) == 0 {
		t.Fatalf("%+v %v", i, err)
	}
	r := compile(t, s, sample(t, "exp.ll"))
	defines(t, r.Object, "godwit_kernel")
	if r.Cached || r.Micros <= 0 {
		t.Errorf("cached %v, %d µs", r.Cached, r.Micros)
	}
	assembly := sample(t, "sum.ll")
	assembly.Assembly = true
	for _, arch := range i.Arches {
		assembly.Target = Target{Arch: arch}
		if text := compile(t, s, assembly).Object; !bytes.Contains(text, []byte("godwit_kernel:")) {
			t.Errorf("%s:\n%s", arch, text)
		}
	}
	bitcode := Job{Form: Bitcode, Optimise: true, Source: clangBitcode(t, "void twice(float *x, long n) { for (long i = 0; i < n; i++) x[i] *= 2; }")}
	defines(t, compile(t, s, bitcode).Object, "twice")
}

func TestRefusedSources(t *testing.T) {
	s := compiling(t, Options{})
	for name, c := range map[string]struct {
		job  Job
		want string
	}{
		"syntax":  {Job{Form: IR, Source: []byte("define i64 @f(")}, "module:1:"},
		"empty":   {Job{Form: IR}, "it is empty"},
		"kernel":  {Job{Form: Kernel, Source: []byte("no kernel")}, "kernel"},
		"bitcode": {Job{Form: Bitcode, Source: []byte("BC\xc0\xdejunk")}, "read the module"},
		"form":    {Job{Form: 9}, "the form is 9"},
		"target":  {Job{Form: IR, Target: Target{Arch: "vax"}}, `"vax", expected one of`},
		"feature": {Job{Form: IR, Target: Target{Arch: "amd64", Features: "+sse2\x00"}}, "unexpected character at byte 5"},
		"vectors": {Job{Form: IR, Target: Target{Arch: "arm64", VectorBytes: 17}}, "vectors of 17 bytes"},
	} {
		_, err := s.Compile(t.Context(), c.job)
		var refused *SourceError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected a SourceError with %q", name, err, c.want)
		}
	}
	before := s.pid()
	compile(t, s, ir("after"))
	if s.pid() != before {
		t.Error("refusing cost a process")
	}
}

func TestChildKilled(t *testing.T) {
	s := compiling(t, Options{})
	first := s.pid()
	signal(t, s, syscall.SIGSTOP) // so that the job is under way when the child dies
	go func() {
		time.Sleep(500 * time.Millisecond)
		syscall.Kill(first, syscall.SIGKILL)
	}()
	_, err := s.Compile(t.Context(), ir("victim"))
	if !errors.Is(err, ErrCrashed) || !strings.Contains(err.Error(), "signal: killed") {
		t.Fatalf("%v, expected ErrCrashed", err)
	}
	defines(t, compile(t, s, ir("next")).Object, "next")
	if s.pid() == first {
		t.Error("no new process")
	}
	if _, err := s.Compile(t.Context(), ir("victim")); !errors.Is(err, ErrCrashed) || !strings.Contains(err.Error(), "not compiled again") {
		t.Errorf("the job that killed the child: %v", err)
	}
	// A child that dies while idle costs nothing.
	idle := s.pid()
	signal(t, s, syscall.SIGKILL)
	eventually(t, "the child does not die", func() bool { return syscall.Kill(idle, 0) == syscall.ESRCH && s.child.gone() })
	defines(t, compile(t, s, ir("later")).Object, "later")
}

func TestChildStopped(t *testing.T) {
	s := compiling(t, Options{})
	s.opt.Timeout = 2 * time.Second // now that LLVM is loaded
	first := s.pid()
	signal(t, s, syscall.SIGSTOP)
	start := time.Now()
	_, err := s.Compile(t.Context(), ir("victim"))
	if took := time.Since(start); !errors.Is(err, ErrTimeout) || took > 20*time.Second {
		t.Fatalf("%v after %s, expected ErrTimeout after 2s", err, took)
	}
	if syscall.Kill(first, 0) != syscall.ESRCH {
		t.Error("the stopped process is left")
	}
	s.opt.Timeout = time.Minute
	defines(t, compile(t, s, ir("next")).Object, "next")
}

// A child that gets no processor for a while is not one that hangs.
func TestChildWaits(t *testing.T) {
	s := compiling(t, Options{})
	s.opt.CPU = 300 * time.Millisecond // now that LLVM is loaded
	signal(t, s, syscall.SIGSTOP)
	pid := s.pid()
	time.AfterFunc(time.Second, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	defines(t, compile(t, s, ir("patient")).Object, "patient")
	if s.pid() != pid {
		t.Error("the child was replaced")
	}
}

func TestChildIsBusyForEver(t *testing.T) {
	s := New(Options{Program: []string{"sh", "-c", "while :; do :; done"}, CPU: 200 * time.Millisecond})
	defer s.Close()
	if s.missing != nil {
		t.Skip("SKIPPED: " + s.missing.Error())
	}
	if _, err := s.Compile(t.Context(), ir("f")); !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "200ms of processor time") {
		t.Errorf("%v, expected ErrTimeout for its processor time", err)
	}
}

func TestStartsAreLimited(t *testing.T) {
	s := compiling(t, Options{})
	for i := 1; i < startsPerMinute; i++ {
		signal(t, s, syscall.SIGKILL)
		eventually(t, "the child does not die", func() bool { return s.child.gone() })
		compile(t, s, ir(fmt.Sprint("job", i)))
	}
	signal(t, s, syscall.SIGKILL)
	eventually(t, "the child does not die", func() bool { return s.child.gone() })
	_, err := s.Compile(t.Context(), ir("last"))
	if !errors.Is(err, ErrCrashed) || !strings.Contains(err.Error(), "tried again in") {
		t.Errorf("%v, expected ErrCrashed", err)
	}
	// A minute later it works, and the job was not to blame.
	s.mu.Lock()
	for i := range s.starts {
		s.starts[i] = s.starts[i].Add(-time.Minute)
	}
	s.mu.Unlock()
	compile(t, s, ir("last"))
}

// Inline assembly could read files of the node, and LLVM gives up on it.
func TestInlineAssemblyIsNotAssembled(t *testing.T) {
	s := compiling(t, Options{})
	_, err := s.Compile(t.Context(), Job{Form: Bitcode, Source: clangBitcode(t, `void f(void) { __asm__ volatile(".incbin \"/etc/passwd\""); }`)})
	if !errors.Is(err, ErrCrashed) || !strings.Contains(err.Error(), "Inline asm") {
		t.Errorf("%v, expected LLVM's refusal", err)
	}
	compile(t, s, ir("next"))
}

// Whatever bytes come, the service answers, and compiles the next good module.
func TestMutatedBitcode(t *testing.T) {
	good := clangBitcode(t, "float sum(float *x, long n) { float s = 0; for (long i = 0; i < n; i++) if (x[i] > 0) s += x[i]; return s; }")
	random := rand.New(rand.NewPCG(1, 2))
	outcome := map[string]int{}
	s := compiling(t, Options{CPU: 5 * time.Second})
	for range 300 {
		b := bytes.Clone(good)
		for range 1 + random.IntN(4) {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
		_, err := s.Compile(t.Context(), Job{Form: Bitcode, Source: b, Optimise: true})
		var refused *SourceError
		switch {
		case err == nil:
			outcome["compiled"]++
		case errors.As(err, &refused):
			outcome["refused"]++
		case errors.Is(err, ErrCrashed):
			outcome["crashed"]++
		case errors.Is(err, ErrTimeout):
			outcome["stopped"]++
		default:
			t.Fatal(err)
		}
		s.mu.Lock()
		s.starts = nil // this test wants to see more than a few crashes a minute
		s.mu.Unlock()
	}
	t.Log(outcome)
	if outcome["refused"] == 0 {
		t.Error("no mutation was refused")
	}
	defines(t, compile(t, s, Job{Form: Bitcode, Source: good, Optimise: true}).Object, "sum")
}

// Whoever asks for the same while it is under way shares it.
func TestJoin(t *testing.T) {
	s := compiling(t, Options{})
	signal(t, s, syscall.SIGSTOP)
	before := s.child.last
	var all sync.WaitGroup
	results := make([]*Result, 4)
	for i := range results {
		all.Go(func() { results[i], _ = s.Compile(t.Context(), ir("shared")) })
	}
	eventually(t, "the requests are not joined", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range s.inflight {
			return c.waiters == len(results)
		}
		return false
	})
	signal(t, s, syscall.SIGCONT)
	all.Wait()
	for _, r := range results {
		if r == nil || r != results[0] {
			t.Fatalf("%v", results)
		}
	}
	if n := s.child.last - before; n != 1 {
		t.Errorf("%d requests, expected 1", n)
	}
}

// Who waits no longer does not stop the work, and one who never waited does not start it.
func TestContextEnds(t *testing.T) {
	s := compiling(t, Options{Dir: t.TempDir()})
	signal(t, s, syscall.SIGSTOP)
	before := s.child.last
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	for _, name := range []string{"started", "queued"} {
		all.Go(func() {
			if _, err := s.Compile(ctx, ir(name)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		})
		eventually(t, "it is not queued", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.inflight) == map[string]int{"started": 1, "queued": 2}[name]
		})
	}
	eventually(t, "it does not start", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.queue) == 1 })
	cancel()
	all.Wait()
	signal(t, s, syscall.SIGCONT)
	eventually(t, "the first result is not kept", func() bool { _, ok := s.Cached(ir("started")); return ok })
	eventually(t, "it does not come to rest", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return !s.working })
	if n := s.child.last - before; n != 1 {
		t.Errorf("%d requests, expected 1", n)
	}
}

func TestCloseWhileCompiling(t *testing.T) {
	s := compiling(t, Options{})
	signal(t, s, syscall.SIGSTOP)
	failed := make(chan error, 2)
	for _, name := range []string{"a", "b"} {
		go func() {
			_, err := s.Compile(context.Background(), ir(name))
			failed <- err
		}()
	}
	eventually(t, "nothing is under way", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.inflight) == 2 })
	s.Close()
	for range 2 {
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	if _, err := s.Compile(t.Context(), ir("late")); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestMissing(t *testing.T) {
	if err := llvm.Off(); err != nil {
		if _, err := New(Options{}).Compile(t.Context(), ir("f")); !errors.Is(err, ErrMissing) {
			t.Error(err)
		}
		t.Skipf("SKIPPED: %v", err)
	}
	for value, want := range map[string]string{"off": "GODWIT_LLVM=off", "/nowhere/libLLVM.so": "Debian: libllvm19"} {
		t.Setenv(llvm.Env, value)
		s := service(t, Options{Dir: t.TempDir()})
		s.Warm()
		for range 2 {
			if _, err := s.Compile(t.Context(), ir("f")); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", value, err)
			}
			if _, err := s.Info(t.Context()); !errors.Is(err, ErrMissing) {
				t.Errorf("%s: %v", value, err)
			}
		}
		if _, ok := s.Cached(ir("f")); ok || s.pid() != 0 {
			t.Errorf("%s: cached %v, process %d", value, ok, s.pid())
		}
	}
}

// older is the process of a version that makes other objects of a kernel.
func older() {
	r, err := readFrame(os.Stdin)
	if err == nil {
		var req *request
		if req, err = readRequest(r); err == nil {
			err = writeFrame(os.Stdout, (&answer{id: req.id, status: done, body: []byte(`{"Version":"19.1.7","Build":"recipe 1, emitter 0"}`)}).append)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = readFrame(os.Stdin) // until it is ended
}

// The objects of another version take their arguments otherwise, and would write anywhere.
func TestOtherBuild(t *testing.T) {
	s := New(Options{Program: []string{"/usr/bin/env", role + "=older", os.Args[0]}, Dir: t.TempDir()})
	t.Cleanup(func() { _ = s.Close() })
	for range 2 {
		_, err := s.Compile(t.Context(), ir("f"))
		if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "another version of this program (recipe 1, emitter 0, expected "+build()) {
			t.Error(err)
		}
	}
}

func TestWrongProgram(t *testing.T) {
	for _, program := range [][]string{nil, {"/nowhere/godwit"}, {"/bin/true"}, {"/bin/echo", "hello, this is no answer"}} {
		s := New(Options{Program: program, Timeout: 2 * time.Second})
		if s.missing != nil {
			t.Skip("SKIPPED: " + s.missing.Error())
		}
		if _, err := s.Compile(t.Context(), ir("f")); !errors.Is(err, ErrCrashed) {
			t.Errorf("%v: %v", program, err)
		}
		s.Close()
	}
}

func TestChildIsRestrained(t *testing.T) {
	s := compiling(t, Options{})
	dir := fmt.Sprint("/proc/", s.pid())
	limits, err := os.ReadFile(dir + "/limits")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Max core file size        0 ", "Max address space         "} {
		i := bytes.Index(limits, []byte(want))
		if i < 0 || bytes.HasPrefix(limits[i+len(want):], []byte("unlimited")) {
			t.Errorf("no %q in\n%s", want, limits)
		}
	}
	tasks, err := os.ReadDir(dir + "/task")
	if err != nil {
		t.Fatal(err)
	}
	nice := 0
	for _, task := range tasks {
		stat, err := os.ReadFile(dir + "/task/" + task.Name() + "/stat")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		if n, _ := strconv.Atoi(strings.Fields(string(rest))[16]); n >= 5 { // field 19 of the line
			nice++
		}
	}
	if nice == 0 {
		t.Error("no thread has a lower priority")
	}
}

// The child does not outlive a daemon that is killed.
func TestDaemonKilled(t *testing.T) {
	compiling(t, Options{})
	daemon := exec.Command(os.Args[0])
	daemon.Env = append(os.Environ(), role+"=daemon")
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || syscall.Kill(pid, 0) != nil {
		t.Fatalf("child %d: %v", pid, err)
	}
	daemon.Process.Kill()
	daemon.Wait()
	eventually(t, "the child is left", func() bool { return ended(pid) })
}

// ended also takes a zombie for ended: who adopts it may not wait for it.
func ended(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || bytes.Contains(b, []byte(") Z "))
}
