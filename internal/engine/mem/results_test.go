package mem_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/godwit-run/godwit/internal/engine/mem"
)

func at(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// TestResultsAreReused takes memory that was given back, once, and only for results of about its size.
func TestResultsAreReused(t *testing.T) {
	var r mem.Results
	const n = 8<<20 + 3
	b := mem.FreshResult(n, true, false)
	if len(b) != n || at(b)%8 != 0 {
		t.Fatalf("fresh memory: %d bytes at %x", len(b), at(b))
	}
	b[n-1] = 7
	r.Give(b)
	if !r.Has(n) || r.Has(n/3) || r.Has(2*n) || !r.Has(mem.Kept/2) {
		t.Error("Has says other than Reuse does")
	}
	if r.Reuse(n/3) != nil {
		t.Error("a result took memory of which it leaves more than half unused")
	}
	if r.Reuse(2*n) != nil {
		t.Error("a result took memory that is too small")
	}
	c := r.Reuse(n - 5)
	if c == nil || at(c) != at(b) || len(c) != n-5 {
		t.Fatal("what was given back was not taken")
	}
	if r.Has(n) || r.Reuse(n) != nil {
		t.Error("the same memory was given out twice")
	}
	r.Give(c)
	if d := r.Reuse(n); d == nil || d[n-1] != 7 {
		t.Error("a shorter result cut the memory")
	}
	runtime.KeepAlive(b)
}

// TestResultsAreGarbage shows that what is kept goes with a garbage collection.
func TestResultsAreGarbage(t *testing.T) {
	var r mem.Results
	b := mem.FreshResult(8<<20, true, true)
	r.Give(b)
	b = nil
	runtime.GC()
	runtime.GC()
	if r.Reuse(8<<20) != nil {
		t.Error("the memory of a closed result outlived a garbage collection")
	}
}

// TestSmallResultsAreNotKept shows that what Go makes of its caches is the collector's alone.
func TestSmallResultsAreNotKept(t *testing.T) {
	var r mem.Results
	b := mem.FreshResult(mem.Kept-8, true, false)
	r.Give(b)
	if r.Reuse(mem.Kept-8) != nil {
		t.Error("a small result was kept")
	}
	runtime.KeepAlive(b)
}

// TestFreshMemory looks at the two sorts: one is zero though Go has given the same memory out before, the other may
// be anything, but has all its bytes at an aligned place, and is garbage like any other.
func TestFreshMemory(t *testing.T) {
	for _, n := range []int64{1, mem.Kept - 1, mem.Kept, mem.Kept + 3, 32 << 10, 32<<10 + 3, 5<<20 + 1} {
		for range 50 {
			for _, filled := range []bool{true, false} {
				b := mem.FreshResult(n, true, filled)
				if int64(len(b)) != n || cap(b)%8 != 0 || at(b)%8 != 0 {
					t.Fatalf("%d bytes: %d of %d at %x", n, len(b), cap(b), at(b))
				}
				for i := range b {
					if b[i] != 0 && !filled {
						t.Fatalf("%d bytes: byte %d is %d", n, i, b[i])
					}
					b[i] = 0xa5
				}
			}
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 20 {
		mem.FreshResult(16<<20, true, true)
	}
	runtime.GC()
	if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+32<<20 {
		t.Errorf("%d bytes are in use, %d before", after.HeapAlloc, before.HeapAlloc)
	}
}
