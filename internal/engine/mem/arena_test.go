package mem

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSpansNeverOverlapAndComeBackZeroed(t *testing.T) {
	const size = 3 << 20
	lengths := []int64{1, Page + 1, 200_000, maxSmall + 1, 500_000} // some meet again
	rapid.Check(t, func(t *rapid.T) {
		a, err := NewArena(size)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		var live []Span
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if len(live) > 0 && rapid.Bool().Draw(t, "free") {
				i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				a.Free(live[i])
				live = append(live[:i], live[i+1:]...)
				continue
			}
			s, err := a.Alloc(rapid.SampledFrom(lengths).Draw(t, "n"))
			var full *FullError
			if errors.As(err, &full) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			b := a.Bytes(s.Off, s.Len)
			if !bytes.Equal(b, make([]byte, len(b))) {
				t.Fatal("memory is not zeroed")
			}
			for i := range b {
				b[i] = 1
			}
			live = append(live, s)
		}
		for _, s := range live {
			a.Free(s)
		}
		if n := a.InUse(); n != 0 {
			t.Fatalf("%d bytes in use after all", n)
		}
		a.DropSpare()
		if len(a.free) != 1 || a.free[0] != (Span{guard, size - guard}) {
			t.Fatalf("free list after all: %v", a.free)
		}
	})
}

// TestLongSpansAreKept frees more long spans than are kept: the oldest go.
func TestLongSpansAreKept(t *testing.T) {
	a, err := NewArena(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var spans []Span
	for _, n := range []int64{maxSpare - Page, Page + maxSmall, 5 << 20, maxSpare + 1} {
		s, err := a.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		spans = append(spans, s)
	}
	for _, s := range spans {
		a.Free(s)
	}
	for i, kept := range []bool{false, true, true, true} { // the last is long enough to wait for a while by itself
		a.mu.Lock()
		_, ok := a.takeSpare(spans[i].Len)
		a.mu.Unlock()
		if ok != kept {
			t.Errorf("the span of %d bytes is kept: %v, want %v", spans[i].Len, ok, kept)
		}
	}
}

// TestLargeSpansWait: a large span is there for the next run with what was in it, or zeroed if that is asked for, until a second after the last was freed.
func TestLargeSpansWait(t *testing.T) {
	const size = maxSpare + Page
	a, err := NewArena(8 * keptPart * size)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	get := func(f func(int64) (Span, error)) Span {
		t.Helper()
		s, err := f(size)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	large := func() int {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.large)
	}
	first := get(a.Alloc)
	a.Bytes(first.Off, 1)[0] = 7
	a.Free(first)
	if s := get(a.AllocUsed); s != first || large() != 0 {
		t.Errorf("%v is not what was freed, %v, or %d wait after it", s, first, large())
	}
	a.Bytes(first.Off, 1)[0] = 7
	a.Free(first)
	if s := get(a.Alloc); s != first || a.Bytes(s.Off, 1)[0] != 0 {
		t.Errorf("%v is not what was freed, %v, or was not zeroed", s, first)
	}
	a.Free(first)
	var many []Span
	for range 12 {
		many = append(many, get(a.AllocUsed))
	}
	for _, s := range many {
		a.Free(s)
	}
	if n := large(); n == 0 || n > 8 {
		t.Errorf("%d spans wait, want at most an eighth of the arena, which are 8", n)
	}
	for end := time.Now().Add(time.Minute); large() > 0; time.Sleep(keepTime / 10) {
		if time.Now().After(end) {
			t.Fatal("spans wait for ever")
		}
	}
	a.DropSpare()
	if n := a.InUse(); n != 0 {
		t.Errorf("%d bytes are in use after all", n)
	}
}

// TestAgain: memory outside of arenas waits for the next run, and goes after a while.
func TestAgain(t *testing.T) {
	const size = 3*leastKept - Page
	b, err := Fresh(size)
	if err != nil {
		t.Fatal(err)
	}
	at := &b[0]
	if err := Keep(b); err != nil {
		t.Fatal(err)
	}
	if b := Again(size/2 - Page); b != nil {
		t.Errorf("%d bytes for less than half of them", len(b))
	}
	if b := Again(size + 2*Page); b != nil {
		t.Errorf("%d bytes for more", len(b))
	}
	if b = Again(size - Page); b == nil || &b[0] != at {
		t.Fatalf("%d bytes, want those that were given back", len(b))
	}
	if Again(size) != nil {
		t.Error("memory that somebody has is given to another")
	}
	if err := Keep(b); err != nil {
		t.Fatal(err)
	}
	left := func() int {
		waiting.mu.Lock()
		defer waiting.mu.Unlock()
		return len(waiting.list)
	}
	for end := time.Now().Add(time.Minute); left() > 0; time.Sleep(keepTime / 10) {
		if time.Now().After(end) {
			t.Fatal("memory waits for ever")
		}
	}
}

func TestMapFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	data := bytes.Repeat([]byte("0123456789abcdef"), 1024)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s, err := a.Reserve(3 * Page)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.MapFile(s, int(f.Fd()), Page, 2*Page, true); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(s.Off, 2*Page), data[Page:3*Page]) {
		t.Fatal("mapped bytes differ")
	}
	if err := a.MapFile(s, int(f.Fd()), 1, Page, false); err == nil {
		t.Fatal("an unaligned offset was accepted")
	}
}
