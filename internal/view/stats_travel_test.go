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
