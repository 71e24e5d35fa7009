package store

import (
	"os"
	"slices"
	"testing"
	"time"
)

// Only a store with shards that was not closed was left in disorder.
func TestDisorderly(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	if s.Disorderly() {
		t.Error("an empty store is")
	}
	f, b := numbers(t, 1, 0, 0, 100)
	put(t, s, f, b)
	check(t, s.Close())
	s = open(t, dir, Options{})
	if s.Disorderly() {
		t.Error("a store that was closed is")
	}
	check(t, s.lock.Close()) // as when the process ends
	s.lock = nil
	s = open(t, dir, Options{})
	if !s.Disorderly() {
		t.Error("a store that was not closed is not")
	}
}

// A scrub after a disorderly end begins with what was written last.
func TestScrubNewest(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for i, age := range []time.Duration{2, 0, 3, 1} {
		f, b := numbers(t, 1, uint32(i), 0, 100)
		put(t, s, f, b)
		at := time.Now().Add(-age * time.Hour)
		check(t, os.Chtimes(s.path(f.key()), at, at))
	}
	var order []uint32
	check(t, s.Scrub(t.Context(), Scrubbing{Newest: true, Report: func(f File, err error) { check(t, err); order = append(order, f.Shard) }}))
	if !slices.Equal(order, []uint32{1, 3, 0, 2}) {
		t.Errorf("the order is %d", order)
	}
}
