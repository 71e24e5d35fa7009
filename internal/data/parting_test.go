package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var awkwardWords = []string{"", ".", "..", " ", "a", "A", "a=b", "a/b", "100%", "%41", nullKey, "été", "\x00", "two\nlines", `back\slash`, "-", "true", "7", "2001-03-14", "a,b", "*?[x]", "日本"}

// drawKey draws a column that may part a table.
func drawKey(t *rapid.T, name string, rows int) OutColumn {
	c := OutColumn{Name: name, Kind: num.I64}
	few := rapid.IntRange(1, 5).Draw(t, "different")
	from, kinds := []meaning.Meaning{{}, {Sort: meaning.Text}, {Sort: meaning.Date}, {Sort: meaning.Time, Unit: meaning.Micro}, {Sort: meaning.Timestamp, Unit: meaning.Nano},
		{Sort: meaning.Duration, Unit: meaning.Milli}, {Sort: meaning.Decimal, Digits: 9, Places: 3}}, []num.Kind{num.Bool, num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64}
	switch c.Means = rapid.SampledFrom(from).Draw(t, "meaning"); c.Means.Sort {
	case meaning.None:
		c.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
	case meaning.Text:
		c.Texts = awkwardWords
	case meaning.Date:
		c.Kind = num.I32
	}
	c.Values = make([]byte, rows*c.Kind.Size())
	values := make([]uint64, few)
	for i := range values {
		switch {
		case c.Kind == num.Bool:
			values[i] = uint64(i & 1)
		case c.Texts != nil:
			values[i] = uint64(rapid.IntRange(0, len(c.Texts)-1).Draw(t, "text"))
		case c.Means.Sort == meaning.Time:
			values[i] = uint64(rapid.Int64Range(0, 86399_999999).Draw(t, "time"))
		case c.Means.Sort != meaning.None:
			values[i] = uint64(rapid.Int64Range(-999_999, 999_999).Draw(t, "value"))
		default:
			values[i] = rapid.Uint64().Draw(t, "value")
		}
	}
	for row := range rows {
		column.Put(c.Kind, c.Values, int64(row), values[rapid.IntRange(0, few-1).Draw(t, "which")])
	}
	if rapid.Bool().Draw(t, "option") {
		c.Valid = rapid.SliceOfN(rapid.ByteRange(0, 1), rows, rows).Draw(t, "valid")
	}
	return c
}

// wordsOf renders the rows of a column.
func wordsOf(c *OutColumn, rows int) (words []string) {
	for row := range rows {
		var line []byte
		if c.Valid != nil && c.Valid[row] == 0 {
			line = append(line, "null"...)
		} else {
			for j := range c.width() {
				line = append(appendElement(line, c, int64(row)*c.width()+j), ' ')
			}
		}
		words = append(words, string(line))
	}
	return words
}

// readColumn reads the column that c was written as.
func readColumn(t testing.TB, src Source, c *OutColumn) *OutColumn {
	at, err := Lookup(src, c.name())
	if err != nil {
		t.Fatal(err)
	}
	d := *c
	option := c.Valid != nil
	if c.Means.Sort != meaning.Text {
		d.Values, d.Valid = readAll(t, src, Want{Column: at, Kind: c.Kind, Option: option, Means: c.Means})
		if !option {
			d.Valid = nil
		}
		return &d
	}
	coded, err := Encode(context.Background(), src, []int{at}, []bool{option})
	if err != nil {
		t.Fatal(err)
	}
	codes, valid, err := coded[0].Rows(0, src.Rows())
	if err != nil {
		t.Fatal(err)
	}
	d.Kind, d.Values, d.Valid, d.Texts = coded[0].Kind, codes, valid, coded[0].Texts
	return &d
}

// partsOf gives the rows of the columns behind the first keys, by the values of these.
func partsOf(cols []*OutColumn, keys, rows int) map[string][]string {
	var words [][]string
	for _, c := range cols {
		words = append(words, wordsOf(c, rows))
	}
	parts := map[string][]string{}
	for row := range rows {
		var key, rest []string
		for i := range cols {
			if i < keys {
				key = append(key, words[i][row])
			} else {
				rest = append(rest, words[i][row])
			}
		}
		k := strings.Join(key, "|")
		parts[k] = append(parts[k], strings.Join(rest, "|"))
	}
	return parts
}

// What is read from a folder of parts is the table, and the rows of a part have their order, whatever parts it.
func TestPartsAreTheTable(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		ext := rapid.SampledFrom([]string{"", ".parquet", ".arrow", ".csv", ".tsv", ".jsonl"}).Draw(r, "ending")
		least := 0
		if ext == ".jsonl" { // without rows it has no columns
			least = 1
		}
		rows, keys := rapid.IntRange(least, 40).Draw(r, "rows"), rapid.IntRange(1, 3).Draw(r, "keys")
		out, by := &Output{Rows: int64(rows)}, []string(nil)
		for i := range keys {
			name := rapid.SampledFrom([]string{"k", "ke y", "k=", "k/é%", "_k", ".k", "%2Ek"}).Draw(r, "name") + decimal(int64(i))
			out.Columns, by = append(out.Columns, drawKey(r, name, rows)), append(by, name)
		}
		numbers := make([]int64, rows)
		for i := range numbers {
			numbers[i] = int64(i)
		}
		price := meaning.Meaning{Sort: meaning.Decimal, Digits: 18, Places: 2}
		out.Columns = append(out.Columns, OutColumn{Name: "row", Kind: num.I64, Values: bytesOf(numbers)},
			OutColumn{Name: "text", Kind: num.I64, Values: bytesOf(numbers), Texts: slices.Repeat([]string{"x", "y,z", `"q"`}, 20), Means: meaning.Meaning{Sort: meaning.Text}},
			OutColumn{Name: "price", Kind: num.I64, Values: bytesOf(numbers), Valid: rapid.SliceOfN(rapid.ByteRange(0, 1), rows, rows).Draw(r, "valid"), Means: price})
		if ext != ".jsonl" { // lists of JSON are not read
			out.Columns = append(out.Columns, OutColumn{Name: "pair", Kind: num.I16, Dims: []int64{2}, Values: bytesOf(numbers)[:4*rows]})
		}
		var cols []*OutColumn
		for i := range out.Columns {
			cols = append(cols, &out.Columns[i])
		}
		path := filepath.Join(dir, fmt.Sprint("x", rand.Uint64(), ext))
		if err := (Target{path, by}).Write(t.Context(), out); err != nil {
			r.Fatal(err)
		}
		src := openList(t, path)
		var read []*OutColumn
		for _, c := range cols {
			if c.Name == "pair" && (ext == ".csv" || ext == ".tsv") {
				continue
			}
			read = append(read, readColumn(t, src, c))
		}
		if ext == ".csv" || ext == ".tsv" {
			cols = cols[:len(cols)-1] // arrays are columns of their own
		}
		if src.Rows() != int64(rows) {
			r.Fatalf("%d rows, wanted %d", src.Rows(), rows)
		}
		got, want := partsOf(read, keys, rows), partsOf(cols, keys, rows)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			r.Fatalf("got %q\nwanted %q", got, want)
		}
		files := 0
		err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				files++
			}
			return err
		})
		if err != nil || files != max(1, len(want)) {
			r.Fatalf("%d files, wanted %d: %v", files, len(want), err)
		}
	})
}

// The same table is the same files, with the names that Hive gives.
func TestPartsAreTheSameFiles(t *testing.T) {
	dir := t.TempDir()
	const n = 5000
	codes, values := make([]byte, n), make([]byte, n)
	for i := range codes {
		codes[i], values[i] = byte(i%len(awkwardWords)), byte(i/7)
	}
	valid := slices.Repeat([]byte{1}, n)
	valid[0] = 0
	prices := make([]int64, n)
	prices[n-1] = 123456 // in one part there are more digits than were declared
	out := &Output{Rows: n, Columns: []OutColumn{{Name: "v", Kind: num.U8, Values: values, Valid: slices.Clone(valid)},
		{Name: "price", Kind: num.I64, Values: bytesOf(prices), Means: meaning.Meaning{Sort: meaning.Decimal, Digits: 3, Places: 2}},
		{Name: "a b#", Kind: num.U8, Values: codes, Valid: valid, Texts: awkwardWords, Means: meaning.Meaning{Sort: meaning.Text}}}}
	files := func(root string) map[string]string {
		found := map[string]string{}
		err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				b, err := os.ReadFile(filepath.Join(root, p))
				found[p] = string(b)
				return err
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	var first map[string]string
	for i := range 3 {
		path := filepath.Join(dir, fmt.Sprint(i))
		if i == 2 { // an empty folder is replaced
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := (Target{path, []string{"a b#"}}).Write(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		if got := files(path); i == 0 {
			first = got
		} else if len(got) != len(first) {
			t.Errorf("%d files, then %d", len(first), len(got))
		} else {
			for p, b := range got {
				if first[p] != b {
					t.Errorf("%s differs", p)
				}
			}
		}
	}
	for word, value := range map[string]string{"": "", "a=b": "a%3Db", "a/b": "a%2Fb", "100%": "100%25", "\x00": "%00", "two\nlines": "two%0Alines", `back\slash`: "back%5Cslash",
		"été": "été", "a,b": "a,b", " ": " ", "*?[x]": "%2A%3F%5Bx%5D", nullKey: "%5F_HIVE_DEFAULT_PARTITION__"} {
		if _, ok := first["a b%23="+value+"/part-0.parquet"]; !ok {
			t.Errorf("%q has no file %s", word, value)
		}
	}
	if len(first) != len(awkwardWords)+1 {
		t.Errorf("%d files", len(first))
	}
	for p := range first { // all have one type, whether there is a null or not
		if c := mustOpen(t, filepath.Join(dir, "0", p)).Columns(); c[0].Type() != "Option<u8>" || c[1].Type() != "Decimal<6, 2>" {
			t.Errorf("%s has other types: %s, %s", p, c[0].Type(), c[1].Type())
		}
	}
}

// Of many who write the same folder one does, and the others are told; nothing is mixed, and nothing is left.
func TestPartsOfOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			b := bytes.Repeat([]byte{byte(i)}, 300)
			keys := make([]byte, len(b))
			for k := range keys {
				keys[k] = byte(k % 100)
			}
			errs[i] = Target{path, []string{"k"}}.Write(t.Context(), &Output{Rows: int64(len(b)), Columns: []OutColumn{{Name: "k", Kind: num.U8, Values: keys}, {Name: "v", Kind: num.U8, Values: b}}})
		})
	}
	all.Wait()
	written := -1
	for i, err := range errs {
		if err == nil && written < 0 {
			written = i
		} else if err == nil || !strings.Contains(err.Error(), "the folder is not empty") {
			t.Errorf("writer %d: %v", i, err)
		}
	}
	got, _ := readAll(t, openList(t, path), Want{Kind: num.U8})
	if !bytes.Equal(got, bytes.Repeat([]byte{byte(written)}, 300)) {
		t.Errorf("writer %d wrote, found %v", written, got)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left %v, %v", list, err)
	}
}

func TestPartsThatAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", maxName)
	numbers := make([]int64, maxParts+1)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	small := &Output{Rows: 2, Columns: []OutColumn{{Name: "k", Kind: num.I64, Values: bytesOf(numbers[:2])}, {Name: "f", Kind: num.F64, Values: bytesOf([]float64{1, 2})},
		{Name: "l", Kind: num.I64, Dims: []int64{1}, Values: bytesOf(numbers[:2])}, {Name: "t", Kind: num.I64, Values: bytesOf(numbers[:2]), Texts: []string{"", long}, Means: meaning.Meaning{Sort: meaning.Text}}}}
	many := &Output{Rows: maxParts + 1, Columns: []OutColumn{{Name: "k", Kind: num.I64, Values: bytesOf(numbers)}, {Name: "v", Kind: num.I64, Values: bytesOf(numbers)}}}
	// The second row of its part is the fourth of the table.
	zero := &Output{Rows: 4, Columns: []OutColumn{{Name: "k", Kind: num.U8, Values: []byte{1, 2, 1, 2}}, {Name: "t", Kind: num.U8, Values: []byte{0, 0, 0, 1}, Texts: []string{"a", "\x00"}, Means: meaning.Meaning{Sort: meaning.Text}}}}
	full := tree(t, map[string]string{"full/a.csv": "x\n1\n", "file": "x"})
	for _, c := range []struct {
		path string
		by   string
		out  *Output
		want string
	}{
		{"x", "nothing", small, "there is no column `nothing`"},
		{"x", "f", small, "column `f`: it has floats"},
		{"x", "l", small, "column `l`: it is an array"},
		{"x", "t", small, "row 1: column `t`: a folder would have a name of 257 bytes"},
		{"x", "k,k", small, "twice"},
		{"x", "k,", small, "has no name"},
		{"x", "v,k", many, "parted by all"},
		{"x", "k", many, "the values of k would make more than 65536 folders, as the first 65537 rows show"},
		{"x.txt", "k", small, "not known"},
		{"x.csv.gz", "k", small, "ends in .gz"},
		{"x.npy", "k", small, "an NPY file holds"},
		{full + "/full", "k", small, "not empty"},
		{full + "/file", "k", small, "found a file"},
		{"no/x", "k", small, "no such file or directory"},
		{"x.csv", "k", zero, "row 3: column `t`: its text has a zero byte"},
	} {
		path := c.path
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		err := Target{path, strings.Split(c.by, ",")}.Write(t.Context(), c.out)
		if known := (*Error)(nil); !errors.As(err, &known) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s by %s: %v, wanted %q", c.path, c.by, err, c.want)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("%s by %s: left %v, %v", c.path, c.by, list, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := (Target{filepath.Join(dir, "x"), []string{"k"}}).Write(ended, small); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	old := filepath.Join(full, "old.csv")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Target{Path: old}).Write(ended, small); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if b, err := os.ReadFile(old); err != nil || string(b) != "old" {
		t.Errorf("%q %v", b, err)
	}
	if err := (Target{"-", []string{"k"}}).Check(); err == nil {
		t.Error("standard output is no folder")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("left %v, %v", list, err)
	}
}

// Words of folders have a type if all have it, and are what a program declares.
func TestTypesOfKeys(t *testing.T) {
	for words, want := range map[string]string{
		"1 7 -3": "i64", "01 07": "i64", "1 007 -3": "Str", "1 x": "Str", "true false": "bool", "true": "bool", "true 1": "Str", "2001-03-14 2020-01-01": "Date", "2001-03-14 1": "Str",
		"2001-03-14T08%3A30%3A00Z": "Timestamp<us>", nullKey: "Str", "true " + nullKey: "Option<bool>", "99999999999999999999": "Str", "18446744073709551615 7": "u64", "18446744073709551615 -7": "Str",
	} {
		files := map[string]string{}
		for _, w := range strings.Fields(words) {
			files["k="+w+"/a.csv"] = "v\n1\n"
		}
		dir := tree(t, files)
		src := openList(t, dir)
		c := src.Columns()[1]
		if got := c.Type(); got != want && got != "Option<"+want+">" {
			t.Errorf("%s: %s, wanted %s", words, got, want)
		}
		texts, err := Encode(t.Context(), src, []int{1}, []bool{true})
		if err != nil {
			t.Fatal(err)
		}
		got := textsOf(t, texts[0], len(files))
		slices.Sort(got)
		plain := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(words, "%3A", ":"), nullKey, "null"))
		slices.Sort(plain)
		if fmt.Sprint(got) != fmt.Sprint(plain) {
			t.Errorf("%s as text: %q", words, got)
		}
	}
}
