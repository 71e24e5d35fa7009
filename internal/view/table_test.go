package view

import (
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Names that anybody may have chosen, and that earlier versions accepted, do nothing to a
// terminal, and make no other line longer.
func TestNamesOfOthers(t *testing.T) {
	v := &catalog.View{Sets: []catalog.Set{
		{ID: 1, Name: "plain", Columns: []catalog.Column{{Name: "größe", Stored: "int64"}}, By: "blocks"},
		{ID: 2, Name: "long", Columns: []catalog.Column{{Name: strings.Repeat("x", 4096), Stored: "utf8"}}, By: "blocks"},
		{ID: 3, Name: "evil", Columns: []catalog.Column{{Name: "a\x1b[2Jb\r\n@fake  1", Stored: "\xff"}}, By: "hash(\u202e)"},
	}}
	text := Cluster(v, nil)
	for _, want := range []string{"größe: int64", `a\x1b[2Jb\r\n@fake  1: \xff`, `hash(\u202e)`, "xxx…"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %s:\n%q", want, text)
		}
	}
	if strings.ContainsAny(text, "\x1b\r\u202e") || !strings.Contains(Error(errors.New("no \x1bname\r\n  help"), Style{}), "error: no \\x1bname\\r\n  help") {
		t.Errorf("%q", text)
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "@plain") && len(line) > 200 || len(line) > 700 {
			t.Errorf("a line of %d bytes: %.100s", len(line), line)
		}
	}
}
