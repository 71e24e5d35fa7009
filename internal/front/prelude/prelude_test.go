package prelude

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// TestItems: every file is in canonical form, and each of its items is found whole.
func TestItems(t *testing.T) {
	files, err := filepath.Glob("*.gw")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	heads := regexp.MustCompile(`(?m)^(?:fn|const) (\w+)`)
	seen := map[string]bool{}
	for _, path := range files {
		whole, err := filesText(path)
		if err != nil {
			t.Fatal(err)
		}
		msgs := new(diag.List)
		f := syntax.Parse(diag.NewSource(path, whole), msgs)
		if err := msgs.Err(); err != nil {
			t.Fatal(err)
		}
		if syntax.Format(f) != whole {
			t.Errorf("%s is not as `godwit fmt` writes it", path)
		}
		names := heads.FindAllStringSubmatch(whole, -1)
		if len(names) != len(f.Items) {
			t.Errorf("%s has %d items, but %d begin in the first column", path, len(f.Items), len(names))
		}
		for i, m := range names {
			name := m[1]
			if seen[name] {
				t.Errorf("%s: there are two `%s`", path, name)
			}
			seen[name] = true
			item := Lookup(name)
			if item == nil {
				t.Errorf("%s: `%s` is not found", path, name)
				continue
			}
			var start, end int
			switch tree := f.Items[i].(type) {
			case *syntax.Func:
				start, end = tree.Span.Start, tree.Span.End
			case *syntax.Const:
				start, end = tree.Span.Start, tree.Span.End
			}
			if !strings.HasPrefix(item.Source.Text, whole[start:end]) {
				t.Errorf("%s: of `%s` only this is found:\n%s", path, name, item.Source.Text)
			}
		}
	}
	for _, name := range []string{"", "nothing", "quarte", "uarter"} {
		if Lookup(name) != nil {
			t.Errorf("there is an item %q", name)
		}
	}
	if first := Lookup("ln"); Lookup("ln") != first {
		t.Error("an item is parsed twice")
	}
}

func filesText(path string) (string, error) {
	text, err := files.ReadFile(path)
	return string(text), err
}
