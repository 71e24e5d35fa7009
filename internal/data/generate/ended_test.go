package generate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// What is interrupted ends soon and leaves nothing.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"an array": NPY(ctx, filepath.Join(dir, "x.npy"), num.F32, []int64{1 << 24}, 1),
		"a cycle":  Permutation(ctx, filepath.Join(dir, "c.npy"), 1<<22, 1),
		"flights":  Flights(ctx, filepath.Join(dir, "f.parquet"), 1<<20, 1),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v (%v)", left, err)
	}
}

// A permutation is in memory once, also while it is written.
func TestPermutationMemory(t *testing.T) {
	const n = 1 << 22
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Permutation(t.Context(), filepath.Join(t.TempDir(), "c.npy"), n, 1); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if made := int64(after.TotalAlloc - before.TotalAlloc); made > 4*n+4<<20 {
		t.Errorf("%d bytes were made for %d indices of 4 bytes", made, n)
	}
}

// What has no indices of four bytes, or no room, is refused before anything is made.
func TestPermutationRefuses(t *testing.T) {
	dir := t.TempDir()
	for n, want := range map[int64]string{1<<32 + 1: "at most 4294967296 indices", 1 << 40: "at most 4294967296 indices", 1 << 32: "MiB left"} {
		if n == 1<<32 && mem.Available() > 4*n {
			t.Logf("SKIPPED: this machine has room for %d indices", n)
			continue
		}
		if err := Permutation(t.Context(), filepath.Join(dir, "c.npy"), n, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d indices: %v, expected an error with %q", n, err, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v (%v)", left, err)
	}
}
