//go:build !static

package worker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The test binary is its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker-child" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func command(t testing.TB) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, "worker-child"}
}

func newPool(t testing.TB, opt Options) *Pool {
	t.Helper()
	if opt.Program == nil {
		opt.Program = command(t)
	}
	p := New(opt)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

const clang = "clang-19"

func needClang(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath(clang); err != nil {
		t.Skip("SKIPPED: clang-19 is not installed (Debian: clang-19)")
	}
}

// cc compiles C text to an object, or with shared to a library, and gives its path.
func cc(t testing.TB, text string, shared bool, flags ...string) string {
	t.Helper()
	needClang(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "p.c"), filepath.Join(dir, "libp.so")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	include, err := filepath.Abs("../pack")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-O1", "-fPIC", "-I", include, in, "-o", out}, flags...)
	if shared {
		args = append(args, "-shared")
	} else {
		args = append(args, "-c")
	}
	if b, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return out
}

// prelude declares what the C texts of the tests use.
const prelude = `
#include "godwit.h"
static inline long sys(long n, long a, long b, long c, long d, long e, long f) {
#ifdef __x86_64__
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "+a"(n) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return n;
#else
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
#endif
}
`

// compile makes a program named x of C text.
func compile(t testing.TB, id, text string, flags ...string) *Program {
	t.Helper()
	b, err := os.ReadFile(cc(t, prelude+text, false, flags...))
	if err != nil {
		t.Fatal(err)
	}
	return &Program{ID: id, Name: "x", Object: b}
}

// inMain is C text whose X_main has this body.
func inMain(body string) string {
	return "void x_main(void *payload, size_t size, void *target_args) {" + body + "}"
}

func within30(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func mustLoad(t testing.TB, p *Pool, prog *Program) Times {
	t.Helper()
	times, err := p.Load(within30(t), prog)
	if err != nil {
		t.Fatal(err)
	}
	return times
}

func mustCall(t testing.TB, p *Pool, id string, c *Call) *Outcome {
	t.Helper()
	o, err := p.Call(within30(t), id, c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
