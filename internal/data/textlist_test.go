package data

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// writeFiles writes text files under a new folder; the ending says how they are packed.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		b := []byte(text)
		if ext := filepath.Ext(name); ext == ".gz" || ext == ".zst" {
			b = packed(ext, b)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rowsOf are the texts of a column by row; "<null>" where there is none.
func rowsOf(t *testing.T, src Source, name string) []string {
	t.Helper()
	i, err := Lookup(src, name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Encode(t.Context(), src, []int{i}, []bool{false})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := list[0]
	if !slices.IsSorted(c.Texts) {
		t.Errorf("%s: the dictionary %q is not in order", name, c.Texts)
	}
	read := Reading(src, nil, map[int]*Coded{i: c}, nil)
	codes, valid, err := tryReadAll(read, Want{Column: i, Kind: num.I64, Option: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for row, code := range view[int64](codes) {
		if valid[row] == 0 {
			out = append(out, "<null>")
			continue
		}
		out = append(out, c.Texts[code])
	}
	return out
}

func expectTexts(t *testing.T, src Source, name string, want ...string) {
	t.Helper()
	if got := rowsOf(t, src, name); !slices.Equal(got, want) {
		t.Errorf("%s of %s: %q, expected %q", name, src.Path(), got, want)
	}
}

// Text is the same in lists of files, packed or not, in folders, in lines of JSON and in dialects.
func TestTextInFiles(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"origin=SFO/month=01/a.csv":                        "n,carrier\n1,UA\n2,\"A\"\"A\"\n",
		"origin=JFK/month=02/b.csv.gz":                     "carrier,n\nZZ,3\n,4\n",
		"origin=__HIVE_DEFAULT_PARTITION__/month=10/c.csv": "n,carrier\n5,UA\n",
	})
	src := openList(t, dir)
	typed, err := Typed(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Source{src, typed} {
		expectTexts(t, s, "carrier", "ZZ", "<null>", "UA", `A"A`, "UA")
		expectTexts(t, s, "origin", "JFK", "JFK", "SFO", "SFO", "<null>")
		expectTexts(t, s, "month", "02", "02", "01", "01", "10")
	}
	lines := writeFiles(t, map[string]string{
		"a.jsonl":     `{"s": "x\u00e9\"", "n": 1}` + "\n" + `{"n": 2}` + "\n" + `{"s": null}` + "\n",
		"b.jsonl.zst": `{"s": "", "n": 3}` + "\n",
	})
	expectTexts(t, openList(t, lines), "s", "xé\"", "<null>", "<null>", "")
	dialects := writeFiles(t, map[string]string{"a.csv": "s;n\nNA;1\n'it''s';2\n1.234,5;3\n"})
	src, err = OpenSpec(t.Context(), Several([]string{filepath.Join(dialects, "a.csv")}, Options{Separator: ';', Quote: '\'', Decimal: ',', Thousands: '.', NA: []string{"NA"}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	expectTexts(t, src, "s", "<null>", "it's", "1.234,5")
}

// What is no text is named by its file and line.
func TestTextRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"s": "x"}` + "\n" + `{"s": 5}`:            "expected text (Str), found 5",
		`{"s": "x"}` + "\n" + `{"s": ["y"]}`:        "expected text (Str), found [\"y\"]",
		`{"s": "x"}` + "\n" + `{"s":"a", "s":"b"}`:  "expected one field `s`, found two",
		`{"s": "x"}` + "\n" + `{"s": "` + "\xff\"}": "expected text in UTF-8",
	} {
		dir := writeFiles(t, map[string]string{"a.jsonl": `{"s": "first"}`, "b.jsonl": text})
		_, err := Encode(t.Context(), openList(t, dir), []int{0}, []bool{false})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, want) || e.Line != 2 || filepath.Base(e.Path) != "b.jsonl" {
			t.Errorf("%s: %v", text, err)
		}
	}
	dir := writeFiles(t, map[string]string{"a.csv": "s\nx\n", "b.csv": "s\ny\n\xff\n"})
	_, err := Encode(t.Context(), openList(t, dir), []int{0}, []bool{false})
	var e *Error
	if !errors.As(err, &e) || e.Row != 1 || filepath.Base(e.Path) != "b.csv" {
		t.Errorf("not UTF-8: %v", err)
	}
}

// Dates, times and decimals are read wherever text is.
func TestMeaningsInFiles(t *testing.T) {
	date, decimal := meaning.Meaning{Sort: meaning.Date}, meaning.Meaning{Sort: meaning.Decimal, Digits: 9, Places: 2}
	stamp := meaning.Meaning{Sort: meaning.Timestamp}
	for name, files := range map[string]map[string]string{
		"list":  {"day=2001-03-14/a.csv": "when,at,price\n1970-01-02,1970-01-01T00:00:01Z,1.5\n", "day=__HIVE_DEFAULT_PARTITION__/b.csv.gz": "price,when,at\n2,,\n"},
		"jsonl": {"day=2001-03-14/a.jsonl": `{"when": "1970-01-02", "at": "1970-01-01T00:00:01Z", "price": 1.5}` + "\n", "day=__HIVE_DEFAULT_PARTITION__/b.jsonl.gz": `{"price": "2.00", "when": null, "at": null}` + "\n"},
	} {
		src := openList(t, writeFiles(t, files))
		means := map[int]meaning.Meaning{}
		for column, m := range map[string]meaning.Meaning{"when": date, "at": stamp, "price": decimal, "day": date} {
			i, err := Lookup(src, column)
			if err != nil {
				t.Fatal(err)
			}
			means[i] = m
		}
		read := Reading(src, means, nil, nil)
		for column, want := range map[string][2]int64{"when": {1, 0}, "at": {1e6, 0}, "price": {150, 200}, "day": {11395, 0}} {
			i, _ := Lookup(read, column)
			c := read.Columns()[i]
			w := Want{Column: i, Kind: c.Kind, Option: true, Means: c.Means}
			if err := Check(read, []Want{w}); err != nil {
				t.Fatalf("%s, %s: %v", name, column, err)
			}
			values, valid, err := tryReadAll(read, w)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, column, err)
			}
			wide := make([]byte, 16)
			convert(wide, Want{Kind: num.I64}, values, c.Kind)
			got := view[int64](wide)
			at, other := 0, 1 // the folder of missing values comes first, or last
			if strings.Contains(Files(src)[0], nullKey) {
				at, other = 1, 0
			}
			if got[at] != want[0] || got[other] != want[1] || valid[at] != 1 || valid[other] != 1 && column == "price" || valid[other] != 0 && column != "price" {
				t.Errorf("%s, %s: %v %v, expected %v", name, column, got, valid, want)
			}
		}
	}
}

// However rows are spread over files of any format, their dictionary and codes are those of all rows.
func TestTextListIsTheTable(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		ext := rapid.SampledFrom([]string{".csv", ".parquet", ".arrow", ".jsonl", ".csv.gz", ".jsonl.zst"}).Draw(t, "format")
		words := []string{"a", "été", `q"uo,te`, "line\nend", "12", "true", "NaN", "null", "2001-03-14", " "}
		rows := rapid.SliceOfN(rapid.IntRange(-1, len(words)-1), 1, 60).Draw(t, "rows")
		sub, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		for lo, n := 0, 0; lo < len(rows); n++ {
			hi := min(len(rows), lo+rapid.IntRange(1, 40).Draw(t, "part"))
			c := OutColumn{Name: "s", Kind: num.U8, Means: meaning.Meaning{Sort: meaning.Text}, Texts: words}
			for _, r := range rows[lo:hi] {
				c.Values, c.Valid = append(c.Values, byte(max(r, 0))), append(c.Valid, byte(1-min(max(-r, 0), 1)))
			}
			other := OutColumn{Name: "n", Kind: num.U8, Values: c.Values}
			writePacked(t, filepath.Join(sub, "part-"+string(rune('a'+n))+ext), &Output{Rows: int64(hi - lo), Columns: []OutColumn{c, other}})
			lo = hi
		}
		src, err := OpenSpec(t.Context(), Several([]string{sub}, Options{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		list, err := Encode(t.Context(), src, []int{0}, []bool{false})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, r := range rows {
			if r >= 0 {
				want = append(want, words[r])
			}
		}
		slices.Sort(want)
		if want = slices.Compact(want); len(want) == 0 {
			want = []string{""}
		}
		got := list[0]
		if !slices.Equal(got.Texts, want) {
			t.Fatalf("the dictionary is %q, expected %q", got.Texts, want)
		}
		codes, valid, err := got.Rows(0, int64(len(rows)))
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			if some := valid == nil || valid[i] == 1; some != (r >= 0) || some && got.Texts[codes[i]] != words[r] {
				t.Fatalf("row %d: %v, expected %d", i, got, r)
			}
		}
	})
}

// A time of day in seconds is written in a unit that all formats have.
func TestRewriteTimes(t *testing.T) {
	b := array.NewTime32Builder(memory.DefaultAllocator, &arrow.Time32Type{Unit: arrow.Second})
	b.AppendValues([]arrow.Time32{0, 30600}, nil)
	a := b.NewArray()
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "t", Type: a.DataType()}}, nil), []arrow.Array{a}, 2)
	src := FromArrow(rec)
	for _, ext := range []string{".arrow", ".parquet", ".csv"} {
		to := filepath.Join(t.TempDir(), "x"+ext)
		if _, err := Rewrite(t.Context(), src, Target{Path: to}, nil, nil); err != nil {
			t.Fatal(err)
		}
		rows, err := Head(t.Context(), mustOpen(t, to), 2)
		if err != nil || rows[0][0] != "00:00:00" || rows[1][0] != "08:30:00" {
			t.Errorf("%s: %v, %v", ext, rows, err)
		}
	}
}
