package main

import (
	"testing"

	"github.com/godwit-run/godwit"
)

// TestNests has every nest give the bits of C, at a size that is no multiple of
// anything.
func TestNests(t *testing.T) {
	libs, _, err := loadNests(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(libs) == 0 {
		t.Skip("SKIPPED: no C compiler is installed (Debian: gcc, clang-19)")
	}
	rt := godwit.NewRuntime(godwit.WithEngine("wasm"), godwit.WithThreads(2))
	defer rt.Close()
	for _, n := range nestList {
		n.n = 37
		c, err := n.contest(t.Context(), libs, rt)
		if err != nil {
			t.Errorf("%s: %v", n.name, err)
			continue
		}
		c.Pairs = 1
		if _, err := c.Row(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
