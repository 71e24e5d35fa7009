//go:build !static

package object

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// calls is calls.c, compiled for this processor and linked.
func calls(t testing.TB) *Image {
	t.Helper()
	o := one(t, "calls")
	image, err := Link(o, Library)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { image.Close() })
	return image
}

func function(t testing.TB, i *Image, name string) uintptr {
	t.Helper()
	a, ok := i.Symbol(name)
	if !ok {
		t.Fatalf("%s is not found", name)
	}
	return a
}

func TestCallRange(t *testing.T) {
	fn := function(t, calls(t), "range")
	block := new([4]int64)
	if n := testing.AllocsPerRun(100, func() { CallRange(fn, unsafe.Pointer(block), -5, 1<<40) }); n != 0 {
		t.Errorf("a call allocates %g times", n)
	}
	if want := [4]int64{-5, 1 << 40, 101, 0}; *block != want {
		t.Errorf("%v, expected %v", *block, want)
	}
}

func TestCallSix(t *testing.T) {
	fn := function(t, calls(t), "six")
	if got := Call(fn, 1, 2, 3, 4, 5, 6); got != 654321 {
		t.Errorf("%d, expected 654321", got)
	}
}

// A long call must not keep the garbage collector from stopping the world.
func TestCollectorGoesOn(t *testing.T) {
	fn := function(t, calls(t), "wait")
	words := new([2]int64)
	var done sync.WaitGroup
	done.Go(func() { CallRange(fn, unsafe.Pointer(words), 1<<62, 0) })
	for deadline := time.Now().Add(time.Minute); atomic.LoadInt64(&words[1]) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the function has not begun after 20 s")
		}
	}
	collected := make(chan struct{})
	go func() {
		for range 5 {
			runtime.GC()
		}
		close(collected)
	}()
	select {
	case <-collected:
	case <-time.After(time.Minute):
		t.Error("five collections take more than 20 s while native code runs")
	}
	atomic.StoreInt64(&words[0], 1)
	done.Wait()
}

func TestLibrary(t *testing.T) {
	for _, name := range []string{"memcpy", "memmove", "memset", "memcmp"} {
		if a, ok := Library(name); !ok || a == 0 {
			t.Errorf("%s is not found", name)
		}
	}
	for _, name := range []string{"system", "malloc", ""} {
		if _, ok := Library(name); ok {
			t.Errorf("%q is found", name)
		}
	}
}

// The tag static leaves all of this out.
func TestBuiltStatic(t *testing.T) {
	c := exec.Command("go", "test", "-tags=static", "-count=1", "-v", ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestStatic") {
		t.Errorf("%v\n%s", err, out)
	}
	c = exec.Command("go", "list", "-tags=static", "-deps", ".")
	if out, err = c.CombinedOutput(); err != nil || strings.Contains(string(out), "purego") {
		t.Errorf("with the tag it still needs purego: %v\n%s", err, out)
	}
}

func BenchmarkCall(b *testing.B) {
	fn := function(b, calls(b), "empty")
	for b.Loop() {
		Call(fn, 1, 2, 3)
	}
}

func BenchmarkCallRange(b *testing.B) {
	fn := function(b, calls(b), "empty")
	block := unsafe.Pointer(new(int64))
	for b.Loop() {
		CallRange(fn, block, 0, 1)
	}
}

// BenchmarkEmpty is the C function itself: what remains of a call of CallRange.
func BenchmarkEmpty(b *testing.B) {
	image := calls(b)
	many, empty := function(b, image, "many"), function(b, image, "empty")
	b.ResetTimer()
	Call(many, empty, uintptr(b.N))
}

func BenchmarkLink(b *testing.B) {
	for _, f := range []string{"provider", "numbers"} {
		o := one(b, f)
		b.Run(f, func(b *testing.B) {
			for b.Loop() {
				image, err := Link(o, Library)
				if err != nil {
					b.Fatal(err)
				}
				if err := image.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
