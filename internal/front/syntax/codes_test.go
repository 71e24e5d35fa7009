package syntax

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

func TestCodes(t *testing.T) {
	for i, c := range Codes {
		if i > 0 && Codes[i-1].ID >= c.ID {
			t.Errorf("%s does not come after %s", c.ID, Codes[i-1].ID)
		}
		_, bad := parseText(c.Bad)
		if len(bad.Messages) == 0 {
			t.Errorf("%s: no message for\n%s", c.ID, c.Bad)
		}
		for _, m := range bad.Messages {
			if m.Code != c.ID {
				t.Errorf("%s also gets\n%s", c.ID, m.Render())
			}
		}
		if _, good := parseText(c.Good); len(good.Messages) > 0 {
			t.Errorf("%s: the mended text gets\n%s", c.ID, renderAll(good))
		}
	}
}

// TestCodesListed holds the sources to the table.
func TestCodesListed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, name := range files {
		if name == "codes.go" || filepath.Ext(name[:len(name)-3]) != "" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(S\d\d)"`).FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
		}
	}
	for _, c := range Codes {
		if !used[c.ID] {
			t.Errorf("%s is never reported", c.ID)
		}
		delete(used, c.ID)
	}
	for id := range used {
		if !slices.ContainsFunc(Codes, func(c Code) bool { return c.ID == id }) {
			t.Errorf("%s is not in the table", id)
		}
	}
}
