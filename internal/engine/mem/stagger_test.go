package mem

import (
	"testing"
	"unsafe"
)

// TestStagger: large arrays that are made one after the other differ in the low bits of their addresses, and begin at a line; small ones
// lose nothing.
func TestStagger(t *testing.T) {
	const n = staggered
	seen := map[uintptr]bool{}
	for range steps {
		b := FreshResult(n, false, true)
		if len(b) != n || cap(b) < n {
			t.Fatalf("expected %d bytes, found %d of %d", n, len(b), cap(b))
		}
		at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if at%64 != 0 {
			t.Errorf("an array begins at %#x, which is no line", at)
		}
		seen[at%(step*steps/2)] = true
		b[0], b[n-1] = 1, 1
	}
	if len(seen) < steps/2 {
		t.Errorf("of %d arrays only %d begin at different places", steps, len(seen))
	}
	if skip, more := Stagger(staggered); skip > more || more != (steps-1)*step {
		t.Errorf("%d bytes of %d are left free, expected as many asked for each time", skip, more)
	}
	if skip, more := Stagger(staggered - 1); skip != 0 || more != 0 {
		t.Errorf("a small array leaves %d of %d bytes free", skip, more)
	}
}

// TestStaggeredAgain: memory that is given back is used again at the same place.
func TestStaggeredAgain(t *testing.T) {
	var r Results
	b := FreshResult(staggered, false, true)
	at := unsafe.SliceData(b)
	r.Give(b)
	again := r.Reuse(staggered)
	if again == nil || unsafe.SliceData(again) != at || len(again) != staggered {
		t.Errorf("expected the same %d bytes at %p, found %d at %p", staggered, at, len(again), unsafe.SliceData(again))
	}
}
