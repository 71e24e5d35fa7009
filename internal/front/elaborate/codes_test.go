package elaborate

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// TestCodes checks the table of messages against the checker: each bad
// example gives its code and no other, each mended one nothing, and its
// graphs verify.
func TestCodes(t *testing.T) {
	for _, c := range types.Codes {
		t.Run(c.ID, func(t *testing.T) {
			if c.Title == "" || c.Explain == "" {
				t.Error("not explained")
			}
			_, msgs := checkText("bad.gw", c.Bad)
			if len(msgs.Messages) == 0 {
				t.Errorf("the bad example passes:\n%s", c.Bad)
			}
			for _, m := range msgs.Messages {
				if m.Code != c.ID {
					t.Errorf("the bad example gives\n%s", m.Render())
				}
				if m.Note == "" {
					t.Errorf("nothing stands beside the carets:\n%s", m.Render())
				}
			}
			p, msgs := checkText("good.gw", c.Good)
			if err := msgs.Err(); err != nil {
				t.Fatalf("the mended example gives\n%v", err)
			}
			verifyAll(t, p)
		})
	}
}

// verifyAll verifies the graphs of all functions that have one.
func verifyAll(t *testing.T, p *Program) {
	t.Helper()
	for _, f := range p.Funcs() {
		if !f.Runnable || f.Failed {
			continue
		}
		g, err := p.Graph(f.Name)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if err := graph.Verify(g); err != nil {
			t.Errorf("%v\n%s", err, graph.Print(g))
		}
	}
}

// TestEveryCodeIsListed compares the codes in the source with the table.
func TestEveryCodeIsListed(t *testing.T) {
	used := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`"([NTBOFP]\d\d)"`)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pattern.FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
		}
	}
	for i, c := range types.Codes {
		if !used[c.ID] {
			t.Errorf("%s is listed but never given", c.ID)
		}
		if slices.ContainsFunc(types.Codes[:i], func(o types.Code) bool { return o.ID == c.ID }) {
			t.Errorf("%s is listed twice", c.ID)
		}
		delete(used, c.ID)
	}
	for id := range used {
		t.Errorf("%s is given but not listed", id)
	}
}
