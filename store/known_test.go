package store

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestKnown: what sets there were outlives the process, and a damaged list is an error, not
// an empty one.
func TestKnown(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if known, err := s.Known(); err != nil || len(known) != 0 {
		t.Fatalf("a new store knows %v, %v", known, err)
	}
	want := map[uint32]int64{1: 5, 1 << 31: 1 << 40}
	if err := s.SetKnown(want); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if known, err := s.Known(); err != nil || !maps.Equal(known, want) {
		t.Fatalf("it knows %v, %v, expected %v", known, err, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "known.json"), []byte(`{"1":`), 0o644); err != nil {
		t.Fatal(err)
	}
	if known, err := s.Known(); err == nil {
		t.Fatalf("half a list is taken for %v", known)
	}
}
