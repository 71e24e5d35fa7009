package main

import (
	"strings"
	"testing"
)

// TestNoCompiler has notes in place of a reference.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	p, notes, err := loadPeer(t.Context(), t.TempDir())
	if err != nil || len(p.forms) > 0 || len(notes) != len(compilers) {
		t.Fatal(p, notes, err)
	}
	for _, n := range notes {
		if !strings.HasPrefix(n, "SKIPPED: ") {
			t.Error(n)
		}
	}
}

func peerRefuses(t *testing.T, b *bench) {
	f := b.peer.forms[0]
	if _, err := b.peer.time(f, 0, work{}); err == nil {
		t.Error("no threads were taken")
	}
	f.index = 1000
	if _, err := b.peer.time(f, 1, work{}); err == nil {
		t.Error("a form that does not exist was run")
	}
}
