package store

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMappedWhileHere: what lies in memory is mapped once, for as long as anybody reads it; files on a disk are mapped by runs, which let go of them.
func TestMappedWhileHere(t *testing.T) {
	s := open(t, t.TempDir(), Options{Memory: true})
	f, b := numbers(t, 70, 3, 0, 5000)
	put(t, s, f, b)
	h, err := s.Shard(70, 3)
	check(t, err)
	raw, ok := h.Source.Raw(0)
	if !ok || !bytes.Equal(raw.Pages, b) {
		t.Fatalf("%d of %d bytes are mapped", len(raw.Pages), len(b))
	}
	check(t, s.Drop(70, 3)) // somebody reads it still
	if !mapped(t, f) || !bytes.Equal(raw.Pages, b) {
		t.Error("what is read is not mapped any more")
	}
	check(t, h.Release())
	if mapped(t, f) {
		t.Error("what nobody reads is mapped")
	}
	d := open(t, t.TempDir(), Options{})
	put(t, d, f, b)
	h, err = d.Shard(70, 3)
	check(t, err)
	if raw, ok := h.Source.Raw(0); !ok || raw.Pages != nil {
		t.Errorf("%d bytes of a file are mapped", len(raw.Pages))
	}
	check(t, h.Release())
}

// mapped reports that a shard in memory is mapped by this process.
func mapped(t *testing.T, f File) bool {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	check(t, err)
	return strings.Contains(string(maps), fmt.Sprintf("memfd:godwit-%d-%d ", f.Set, f.Shard))
}
