package codegen

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// role names the variable that makes the test binary a child, or a daemon that is
// to be killed.
const role = "GODWIT_CODEGEN_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "child":
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "older":
		older()
	case "daemon":
		s := New(Options{Program: []string{"/usr/bin/env", role + "=child", os.Args[0]}})
		if _, err := s.Info(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(s.pid())
		select {}
	default:
		os.Exit(m.Run())
	}
}

func (s *Service) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == nil {
		return 0
	}
	return s.child.cmd.Process.Pid
}

// service starts the test binary as its child, and checks at the end that nothing
// of it is left.
func service(t testing.TB, o Options) *Service {
	t.Helper()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	o.Program = []string{"/usr/bin/env", role + "=child", os.Args[0]}
	s := New(o)
	t.Cleanup(func() {
		pid := s.pid()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if pid != 0 && syscall.Kill(pid, 0) != syscall.ESRCH {
			t.Errorf("process %d is left", pid)
		}
		eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
		eventually(t, "files are left open", func() bool { return openFiles(t) <= files })
	})
	return s
}

// compiling is a service with a libLLVM that is there.
func compiling(t testing.TB, o Options) *Service {
	t.Helper()
	s := service(t, o)
	if _, err := s.Info(t.Context()); errors.Is(err, ErrMissing) {
		t.Skipf("SKIPPED: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return s
}

func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error(what)
}

// ir is the text of a function that no other job of a test has.
func ir(name string) Job {
	return Job{Form: IR, Optimise: true, Source: fmt.Appendf(nil, "define i64 @%s(i64 %%a) nounwind {\n  %%b = mul i64 %%a, 3\n  ret i64 %%b\n}\n", name)}
}

func sample(t testing.TB, name string) Job {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "llvm", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return Job{Form: IR, Optimise: true, Source: b}
}

// defines fails unless an object is ELF and defines a function.
func defines(t testing.TB, object []byte, name string) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			return
		}
	}
	t.Errorf("the object does not define %s", name)
}

func signal(t testing.TB, s *Service, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(s.pid(), sig); err != nil {
		t.Fatal(err)
	}
}

// clangBitcode compiles C to bitcode as a package would hold it.
func clangBitcode(t testing.TB, source string) []byte {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("SKIPPED: clang-19 is not installed (Debian: clang-19)")
	}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	cmd := exec.Command(clang, "-O2", "-Xclang", "-disable-llvm-passes", "--target="+arch+"-linux-gnu", "-ffreestanding", "-emit-llvm", "-c", "-x", "c", "-", "-o", "-")
	cmd.Stdin = strings.NewReader(source)
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func compile(t testing.TB, s *Service, j Job) *Result {
	t.Helper()
	r, err := s.Compile(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
