package docs

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTroubleshooting finds every message that troubleshooting.md quotes in the source. `…` stands
// for what differs from one time to the next.
func TestTroubleshooting(t *testing.T) {
	b, err := os.ReadFile("troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	sources(t, func(_ string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if text, ok := literal(e); ok {
					all.WriteString(text + "\x00")
				}
			}
			return true
		})
	})
	source := all.String()
	quoted := regexp.MustCompile("(?m)^- \\*\\*`([^\n]*)`\\*\\*").FindAllSubmatch(b, -1)
	for _, q := range quoted {
		for part := range strings.SplitSeq(string(q[1]), "…") {
			part = strings.TrimSpace(part)
			if len(part) < 8 && part != string(q[1]) { // too little to find
				continue
			}
			if !strings.Contains(source, part) {
				t.Errorf("nothing says %q, of %q", part, q[1])
			}
		}
	}
	if len(quoted) < 40 {
		t.Errorf("only %d messages are quoted", len(quoted))
	}
}
