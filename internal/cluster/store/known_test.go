package store

import (
	"bytes"
	"testing"
)

// TestKnown: what was known outlives the process.
func TestKnown(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if known, err := s.Known(); err != nil || known != nil {
		t.Fatalf("a new store knows %s, %v", known, err)
	}
	want := []byte(`{"records":"r","sets":{"1":7}}`)
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
	if known, err := s.Known(); err != nil || !bytes.Equal(known, want) {
		t.Fatalf("it knows %s, %v, expected %s", known, err, want)
	}
}
