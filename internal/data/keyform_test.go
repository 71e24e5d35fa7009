package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Words of folders are numbers where no two of them are the same number, and what options say.
func TestFormsOfKeys(t *testing.T) {
	for _, c := range []struct {
		words         string // with blanks between them
		options       string
		typ, note     string
		rows, refused string
	}{
		{words: "1 2 -3", typ: "i64", rows: "1 2 -3"},
		{words: "01 02 11", typ: "i64", note: "found 01 in the name of the folder, which is 1 then", rows: "1 2 11"},
		{words: "01 02 11", options: "text=k", typ: "Str", rows: "01 02 11"},
		{words: "01 02 11", options: "types=k:Str", typ: "Str", rows: "01 02 11"},
		{words: "01 02 11", options: "number=k", typ: "i64", rows: "1 2 11"},
		{words: "00501 501", typ: "Str", note: "?number=k", rows: "00501 501"},
		{words: "+1 01", typ: "Str", note: "?number=k", rows: "+1 01"},
		{words: "-0 00", typ: "Str", note: "?number=k", rows: "-0 00"},
		{words: "+1 1", typ: "Str", note: "?number=k", rows: "+1 1"},
		{words: "00501 501", options: "number=k", typ: "i64", rows: "501 501"},
		{words: "00501 501", options: "types=k:i64", typ: "i64", rows: "501 501"},
		{words: "2001-01-02 2001-03-04", options: "text=k", typ: "Str", rows: "2001-01-02 2001-03-04"},
		{words: "2001-01-02 2001-03-04", options: "number=k", refused: "an option says that `k` is numbers, and its folder has \"2001-01-02\""},
		{words: "1 2", options: "types=k:Date", refused: "expected Str or i64"},
		{words: "1 2", options: "text=x", refused: "there is no column `x`"},
		{words: "1 2", options: "text=k&skip=1", refused: "options were given that only CSV has, and the file is none: `skip`"},
	} {
		dir := t.TempDir()
		for i, w := range strings.Fields(c.words) {
			path := filepath.Join(dir, string(rune('a'+i)), "k="+w, "p.jsonl")
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("{\"n\": 1}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var opt Options
		var err error
		if c.options != "" {
			if opt, err = ParseOptions(c.options); err != nil {
				t.Fatal(err)
			}
		}
		open, err := OpenSpec(t.Context(), Several([]string{dir}, opt), nil)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s, %s: %v", c.words, c.options, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer open.Close()
		src, err := Typed(t.Context(), open, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := len(src.Columns()) - 1
		if got := src.Columns()[at].Type(); got != c.typ {
			t.Errorf("%s, %s: %s, wanted %s", c.words, c.options, got, c.typ)
		}
		if note := strings.Join(Notes(src, nil), "\n"); (note == "") != (c.note == "") || !strings.Contains(note, c.note) {
			t.Errorf("%s, %s: %s", c.words, c.options, note)
		}
		got := fmt.Sprint(rowsOf(t, src, "k"))
		if c.typ == "i64" {
			b, _, err := tryReadAll(src, Want{Column: at, Kind: num.I64})
			if err != nil {
				t.Fatal(err)
			}
			got = fmt.Sprint(view[int64](b))
		}
		if got != "["+c.rows+"]" {
			t.Errorf("%s, %s: %s, wanted %s", c.words, c.options, got, c.rows)
		}
	}
}
