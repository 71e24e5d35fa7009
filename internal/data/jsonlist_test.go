package data

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Objects of a list, and objects over several lines, are rows as if each stood on a line of its own.
func TestListedObjects(t *testing.T) {
	for _, text := range []string{
		"[{\"a\":1},{\"a\":2}]",
		"\ufeff \n[\n  {\r\n \"a\": 1\r\n},\n\t{\"a\": 2}\n]\n\n",
		"{\n  \"a\": 1\n}\n{\n  \"a\": 2}",
		"{\n\"a\": 1} {\"a\": 2\n}",
	} {
		src := mustOpen(t, writeFile(t, "x.json", text))
		if got := ints(t, src, "a"); fmt.Sprint(got) != "[1 2]" {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, text := range []string{"[]", " [ \n ] "} {
		if src := mustOpen(t, writeFile(t, "x.json", text)); src.Rows() != 0 {
			t.Errorf("%q has %d rows", text, src.Rows())
		}
	}
}

// What is no list of objects is an error with its place.
func TestListedErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[1, 2]":                         ":1:2: expected an object, { …, found '1'",
		"[{\"a\":1}\n{\"a\":2}]":         ":2:1: expected `,` or the end of the list, found '{'",
		"[{\"a\":1},]":                   ":1:10: expected an object, { …, found ']'",
		"[{\"a\":1}] x":                  ":1:11: expected nothing behind the end of the list, found 'x'",
		"[{\"a\":1}][{\"a\":1}]":         ":1:10: expected nothing behind the end of the list, found '['",
		"[{\"a\":1},":                    ":1:9: expected the end of what begins before it, found the end of the file",
		"[{\"a\":[1":                     ":1:8: expected the end of what begins before it, found the end of the file",
		"[{\"a\":\"x\ny\"}]":             ":2:1: expected the end of a text, found the end of the line",
		"{\n\"a\":1}\n7":                 ":3:1: expected an object, { …, found '7'",
		"[{\"a\": 1},\n{\"a\": 1 2}]":    ":2:9: expected a comma or }, found \"2\"",
		"[{\"a\": 1},\n{\"a\":1}, null]": ":2:10: expected an object, { …, found 'n'",
	} {
		_, err := Open(writeFile(t, "x.json", text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// A field that is not what is wanted is named by its place in the file, wherever its object begins, and in whichever block of what is read.
func TestListedPlaces(t *testing.T) {
	blocks := "[" + strings.Repeat("{\"a\": 1,\n \"b\": 2}, ", csvBlockSize/10) + "\n\n {\"b\": 3, \"a\": \"x\"}]"
	for _, c := range []struct{ text, want string }{
		{"[\n  {\n    \"a\": 1,\n    \"b\": 2\n  },\n  {\n    \"a\": \"x\",\n    \"b\": 3\n  }\n]\n", ":7:10: column `a`"},
		{"[{\"a\":1,\"b\":2},\n{\"a\":2,\"b\":2},\r\n\n{\"a\":\"x\",\"b\":3}]", ":4:6: column `a`"},
		{"[{\"a\":1},{\"a\":2},{\"a\":\"x\"}]", ":1:23: column `a`"},
		{"{\n\"a\":1}\n {\"a\":\n\"x\"}", ":4:1: column `a`"},
		{blocks, fmt.Sprintf(":%d:16: column `a`", 3+csvBlockSize/10)},
	} {
		src := mustOpen(t, writeFile(t, "x.json", c.text))
		a, err := Lookup(src, "a")
		if err != nil {
			t.Fatal(err)
		}
		if c.text == blocks && len(src.Chunks()) < 2 {
			t.Fatal("the long list is one block")
		}
		if _, _, err = tryReadAll(src, Want{Column: a, Kind: num.I64}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, expected %s", c.text, err, c.want)
		}
		typed, err := Typed(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		if why := Unfit(typed, a); why == nil || !strings.Contains(why.Error(), strings.TrimSuffix(c.want, "`a`")) {
			t.Errorf("%.60q: by its types %v, expected %s", c.text, why, c.want)
		}
	}
	long := "[" + strings.Repeat("{\"a\": 1}, ", csvBlockSize/5) + "{\"a\": \"x\"}]"
	if _, _, err := tryReadAll(mustOpen(t, writeFile(t, "x.json", long)), Want{Kind: num.I64}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf(":1:%d: ", strings.Index(long, "\"x")+1)) {
		t.Errorf("in one long line: %v", err)
	}
}

// However objects are laid out and packed, they are the same rows.
func TestListedRandom(t *testing.T) {
	words := rapid.SampledFrom([]string{"", "x", "{", "]", "\"", "\\", "a,b", "é\n", "\u2028", "}{"})
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) map[string]any {
			m := map[string]any{"a": rapid.Int64Range(-9, 9).Draw(r, "a")}
			if rapid.Bool().Draw(r, "text") {
				m["s"] = words.Draw(r, "s")
			}
			if rapid.Bool().Draw(r, "list") {
				m["l"] = []any{words.Draw(r, "l"), map[string]any{"x": 1}}
			}
			return m
		}), 1, 40).Draw(r, "rows")
		var lines, spread bytes.Buffer
		for _, m := range rows {
			one, _ := json.Marshal(m)
			lines.Write(append(one, '\n'))
			over, _ := json.MarshalIndent(m, rapid.SampledFrom([]string{"", "\r"}).Draw(r, "before"), " ")
			spread.Write(over)
		}
		listed, _ := json.Marshal(rows)
		indented, _ := json.MarshalIndent(rows, "", "\t")
		want := textOfRows(t, writeFile(t, "x.jsonl", lines.String()))
		for how, b := range map[string][]byte{"in a list": listed, "in a list, indented": indented, "spread": spread.Bytes()} {
			name := "x.json"
			switch rapid.IntRange(0, 2).Draw(r, how) {
			case 1:
				var packed bytes.Buffer
				z := gzip.NewWriter(&packed)
				_, _ = z.Write(b)
				_ = z.Close()
				name, b = "x.json.gz", packed.Bytes()
			case 2:
				wide := []byte{0xff, 0xfe}
				for _, u := range utf16.Encode([]rune(string(b))) {
					wide = append(wide, byte(u), byte(u>>8))
				}
				b = wide
			}
			if got := textOfRows(t, writeFile(t, name, string(b))); got != want {
				r.Fatalf("%s: %s\nexpected %s", how, got, want)
			}
		}
	})
}

// textOfRows is the text of all rows of a file.
func textOfRows(t *testing.T, path string) string {
	t.Helper()
	src, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	rows, err := Head(t.Context(), src, src.Rows())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(fmt.Sprint(rows)), "") // nested objects are laid out as they were
}
