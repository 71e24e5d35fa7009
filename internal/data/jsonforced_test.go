package data

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A column of JSON that an option says is text is text, whatever stands there: what is no text is as it is written, in one file and in several.
func TestTextOfJSON(t *testing.T) {
	lines := "{\"t\":\"x\",\"n\":1}\n{\"t\":300}\n{\"t\":{\"b\": [1, \"\u00e9\"]}}\n{\"t\":null}\n{\"n\":2}\n{\"t\":true}\n{\"t\":\"\"}\n{\"t\":\"null\"}\n{\"t\":-1.50}\n"
	want := []string{"x", "300", "{\"b\": [1, \"\u00e9\"]}", "<null>", "<null>", "true", "", "null", "-1.50"}
	dir := writeFiles(t, map[string]string{"one/a.jsonl": lines, "list/a.json": "[" + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",\n") + "]", "two/a.jsonl": "{\"t\":7,\"n\":5}\n", "two/b.jsonl": lines})
	for folder, before := range map[string][]string{"one": nil, "list": nil, "two": {"7"}} {
		for _, option := range []string{"text=t", "types=t:Str", "text=%23" + "1"} {
			opt, err := ParseOptions(option)
			if err != nil {
				t.Fatal(err)
			}
			src, err := OpenSpec(t.Context(), Several([]string{dir + "/" + folder}, opt), nil)
			if err != nil {
				t.Fatalf("%s, %s: %v", folder, option, err)
			}
			typed, err := Typed(t.Context(), src, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []Source{src, typed} {
				if got := rowsOf(t, s, "t"); !slices.Equal(got, slices.Concat(before, want)) {
					t.Errorf("%s, %s: %q", folder, option, got)
				}
				if c := s.Columns()[0]; s == typed && c.Type() != "Option<Str>" {
					t.Errorf("%s, %s: %s", folder, option, c.Type())
				}
				for _, w := range []Want{{Kind: num.I64, Option: true}, {Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Date}, Option: true}} {
					if err := Check(s, []Want{w}); err == nil || !strings.Contains(err.Error(), "found text, as ?text= says") {
						t.Errorf("%s, %s: %v", folder, option, err)
					}
				}
			}
			if notes := Notes(typed, nil); len(notes) > 0 {
				t.Errorf("%s, %s: %q", folder, option, notes)
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// What is said of a column of JSON that nothing can be computed with names the way out, which works.
func TestWayOutOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		"{\"t\":{\"b\":1}}\n":              "expected a number, text, true, false or null, found",
		"{\"t\":[1]}\n{\"t\":2}\n":         "expected a number, text, true, false or null, found",
		"{\"t\":\"x\"}\n{\"t\":300}\n":     "found \"x\" among numbers, such as 300 on line 2",
		"{\"t\":true}\n{\"t\":300}\n":      "among true and false",
		"{\"t\":\"x\"}\n{\"t\":[\"y\"]}\n": "found \"[\\\"y\\\"]\"",
	} {
		path := writeFile(t, "x.jsonl", text)
		src, err := Typed(t.Context(), mustOpen(t, path), nil)
		if err != nil {
			t.Fatal(err)
		}
		note := strings.Join(Notes(src, nil), "\n")
		if !strings.Contains(note, want) || !strings.Contains(note, "?text=t") {
			t.Errorf("%s: %s", text, note)
		}
		src, err = OpenWith(path, Options{Text: []string{"t"}})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if got := rowsOf(t, src, "t"); len(got) != strings.Count(text, "\n") {
			t.Error(fmt.Sprint(got))
		}
	}
}
