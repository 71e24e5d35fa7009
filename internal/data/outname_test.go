package data

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A file that ends in .tsv has tabs, and is read back as what was written.
func TestTSVHasTabs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.tsv")
	texts := []string{"", "a,b", "a\tb", `say "x"`, "two\nlines", " ", "cr\rlf\r\n", "plain"}
	n := len(texts)
	codes, numbers := make([]byte, n), make([]byte, n)
	for i := range codes {
		codes[i], numbers[i] = byte(i), byte(3*i)
	}
	out := &Output{Rows: int64(n), Columns: []OutColumn{
		{Name: "te\txt", Kind: num.U8, Values: codes, Texts: texts, Means: meaning.Meaning{Sort: meaning.Text}},
		{Name: "a,b", Kind: num.U8, Values: numbers}}}
	if err := Write(path, out); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(raw), "\"te\txt\"\ta,b\n\t0\na,b\t3\n\"a\tb\"\t6\n") {
		t.Fatalf("%q %v", raw, err)
	}
	src := mustOpen(t, path)
	if cols := src.Columns(); len(cols) != 2 || cols[0].Name != "te\txt" || cols[1].Name != "a,b" {
		t.Fatal(cols)
	}
	got, _ := readAll(t, src, Want{Column: 1, Kind: num.U8})
	if string(got) != string(numbers) {
		t.Error(got)
	}
	coded, err := Encode(context.Background(), src, []int{0}, []bool{true})
	if err != nil {
		t.Fatal(err)
	}
	read := textsOf(t, coded[0], n)
	for i, want := range texts {
		if read[i] != want {
			t.Errorf("row %d: %q, wanted %q", i, read[i], want)
		}
	}
}

func TestNamesThatAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"x.csv.gz": "ends in .gz", "x.TSV.zst": "ends in .zst", "x.gz": "not known", "x.txt.gz": "not known", "x.arrows": "not known", "x": "not known", ".": "found a folder",
	} {
		path := filepath.Join(dir, name)
		err, _ := CheckName(path).(*Error)
		if err == nil || !strings.Contains(err.Msg, want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if said, ok := strings.CutPrefix(err.Help, "write "); ok {
			said, _, _ = strings.Cut(said, ",")
			if err := CheckName(said); err != nil || said != strings.TrimSuffix(path, filepath.Ext(path)) {
				t.Errorf("%s: its help is %q: %v", name, said, err)
			}
		}
		if said, ok := strings.CutPrefix(err.Help, "name a file in it: "); ok && CheckName(said) != nil {
			t.Errorf("%s: its help is %q: %v", name, said, err)
		}
	}
}

// textsOf are the texts of all rows; "null" where a row has none.
func textsOf(t *testing.T, c *Coded, n int) (texts []string) {
	codes, valid, err := c.Rows(0, int64(n))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		text := "null"
		if valid == nil || valid[i] != 0 {
			text = c.Texts[column.Get(c.Kind, codes, int64(i))]
		}
		texts = append(texts, text)
	}
	return texts
}
