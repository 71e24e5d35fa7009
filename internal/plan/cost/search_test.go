package cost

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// A search for each of many does not go through half of a long range; one search alone does.
func TestSearches(t *testing.T) {
	for name, c := range map[string]struct {
		walk bool
		want float64
	}{"in order": {false, 16}, "by what it reads": {true, 4}} {
		w := &walker{}
		b := &kernel.Block{Params: []kernel.Value{1, 2}}
		load := kernel.Instr{Code: kernel.Load, Args: []kernel.Value{1}, Out: []kernel.Value{3}}
		if c.walk {
			load.Args = []kernel.Value{2}
		}
		b.Instrs = []kernel.Instr{load}
		if got := w.search(b); got != c.want {
			t.Errorf("%s: %v turns, want %v", name, got, c.want)
		}
	}
}
