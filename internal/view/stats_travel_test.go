package view

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// The whole names no tier beside those of its steps, and no nodes where none took part.
func TestStatsTravel(t *testing.T) {
	s := &godwit.Stats{Engine: "wasm", Travel: &godwit.Travel{}}
	if text := Stats(s); strings.Contains(text, "WebAssembly") || strings.Contains(text, "; on") {
		t.Error(text)
	}
	s.Engine, s.Travel.Nodes = "interp", []string{"n1", "n2"}
	if text := Stats(s); !strings.Contains(text, "in all, interpreter, ") || !strings.Contains(text, "; on n1, n2\n") {
		t.Error(text)
	}
}

// TestRepeatedPlaces: what is the same at each turn of a loop is said once.
func TestRepeatedPlaces(t *testing.T) {
	text := Stats(&godwit.Stats{Engine: "wasm", Travel: &godwit.Travel{Places: []string{"a: here", "b: beside 3 shards", "b: beside 3 shards", "a: here", "b: beside 3 shards", "c: once"}}})
	if want := "  a: here, 2 times\n  b: beside 3 shards, 3 times\n  c: once\n"; !strings.Contains(text, want) {
		t.Error(text)
	}
}
