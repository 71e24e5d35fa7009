package data

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// csvAs converts text to a file of a name.
func csvAs(t *testing.T, path, text string) string {
	t.Helper()
	from := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(from, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Rewrite(context.Background(), mustOpen(t, from), Target{Path: path}, nil, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// A column without values has the type of nulls in the files that have such a type, with rows and without.
func TestValuelessColumnsStaySo(t *testing.T) {
	for _, ext := range []string{".parquet", ".arrow"} {
		for rows, text := range []string{"k,s\n", "k,s\n1,\n", "k,s\n1,\n2,\n"} {
			src := mustOpen(t, csvAs(t, filepath.Join(t.TempDir(), "x"+ext), text))
			c := src.Columns()[1]
			if !c.Unknown || !c.Nullable || src.Rows() != int64(rows) || src.Columns()[0].Unknown != (rows == 0) {
				t.Errorf("%s: %q: %+v", ext, text, src.Columns())
			}
			for _, w := range []Want{{Kind: num.F64}, {Kind: num.I64, Means: meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Micro}}, {Kind: num.Bool}} {
				w.Column, w.Option = 1, true
				if _, valid := readAll(t, src, w); slices.Contains(valid, 1) {
					t.Errorf("%s: %q: %v", ext, text, valid)
				}
				w.Option = false
				if _, _, err := tryReadAll(src, w); (err == nil) != (rows == 0) || err != nil && !strings.Contains(err.Error(), "row 0: column `s`") {
					t.Errorf("%s: %q: %v", ext, text, err)
				}
			}
			coded, err := Encode(context.Background(), src, []int{1}, []bool{false})
			if err != nil {
				t.Fatal(err)
			}
			if texts := textsOf(t, coded[0], rows); slices.ContainsFunc(texts, func(s string) bool { return s != "null" }) {
				t.Errorf("%s: %q: %q", ext, text, texts)
			}
		}
	}
}

// In a list of files a column without values is what it is in the others, wherever they stand.
func TestValuelessColumnsInLists(t *testing.T) {
	dir := t.TempDir()
	void := csvAs(t, filepath.Join(dir, "void.parquet"), "k,v\n1,\n2,\n")
	none := csvAs(t, filepath.Join(dir, "none.arrow"), "k,v\n")
	for value, typ := range map[string]string{"x": "Option<Str>", "7": "Option<i64>", "1.5": "Option<f64>", "2024-03-05": "Option<Date>", "12:30:01": "", "true": ""} {
		for _, ext := range []string{".parquet", ".arrow"} {
			full := csvAs(t, filepath.Join(dir, "full"+ext), "k,v\n3,"+value+"\n")
			for _, paths := range [][]string{{void, full}, {full, void}, {none, void, full}, {void, full, none}} {
				src, err := OpenSpec(t.Context(), Several(paths, Options{}), nil)
				if err != nil {
					t.Fatal(value, paths, err)
				}
				one := mustOpen(t, full).Columns()[1]
				one.Nullable = true
				c := src.Columns()[1]
				if c.Type() != one.Type() || typ != "" && c.Type() != typ || c.Unknown {
					t.Errorf("%s %v: %s", value, paths, c.Type())
				}
				var want []string
				for _, p := range paths {
					want = append(want, map[string][]string{void: {"", ""}, full: {value}}[p]...)
				}
				out := filepath.Join(dir, "out.csv")
				if _, err := Rewrite(context.Background(), src, Target{Path: out}, []string{"k"}, nil); err != nil {
					t.Fatal(value, paths, err)
				}
				got, err := os.ReadFile(out)
				lines := strings.ReplaceAll("v\n"+strings.Join(want, "\n")+"\n", "\n\n", "\n\"\"\n")
				if lines = strings.ReplaceAll(lines, "\n\n", "\n\"\"\n"); err != nil || strings.ReplaceAll(string(got), ".000000", "") != lines {
					t.Errorf("%s %v: %q, wanted %q", value, paths, got, lines)
				}
				src.Close()
			}
		}
	}
	// The file that an error names is one that has the type.
	a, b := csvAs(t, filepath.Join(dir, "a.parquet"), "k,v\n3,x\n"), csvAs(t, filepath.Join(dir, "b.parquet"), "k,v\n3,4\n")
	if _, err := OpenSpec(t.Context(), Several([]string{void, a, b}, Options{}), nil); err == nil || !strings.Contains(err.Error(), "it is i64 here, and Str in "+a) {
		t.Error(err)
	}
}
