package data

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Blanks before an opening quote and behind a closing one are no part of a field, nor of a name; those inside are.
func TestBlanksBesideQuotes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"x.csv":   "\"name\" , \"q,ty\" \nx, \"2\"\n \t\" y, \"\"z\"\t,3\n\"w\" ,  \"4\"  \r\n, \"5\"",
		"x.tsv":   "\"name\" \t\"q,ty\"\nx\t \"2\"\n \" y, \"\"z\" \t3\nw\t \"4\" \r\n\t\"5\" \n",
		"bar.csv": "name|  \"q,ty\"\nx|\"2\" \n\" y, \"\"z\" |3\nw|\t\"4\"\n|5\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		src := mustOpen(t, path)
		if cols := src.Columns(); len(cols) != 2 || cols[0].Name != "name" || cols[1].Name != "q,ty" {
			t.Fatalf("%s: %+v", name, cols)
		}
		if got, _ := readAll(t, src, Want{Column: 1, Kind: num.I8}); string(got) != "\x02\x03\x04\x05" {
			t.Errorf("%s: %v", name, got)
		}
		list, err := Encode(t.Context(), src, []int{0}, []bool{true})
		if err != nil || strings.Join(textsOf(t, list[0], 4), "|") != "x| y, \"z|w|" {
			t.Errorf("%s: %q, %v", name, list[0].Texts, err)
		}
	}
	for text, want := range map[string]string{"a,b\n1, 5\" pipe\"\n": "a quote inside of a field", "a,b\n1,\"2\" 3\n": "expected a comma", "a,b\n1, x \"2\"\n": "a quote inside"} {
		path := filepath.Join(dir, "bad.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := Open(path)
		if err == nil {
			_, err = Typed(t.Context(), src, nil)
			_ = src.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
