package data

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func openList(t testing.TB, names ...string) Source {
	t.Helper()
	src, err := OpenSpec(t.Context(), Several(names, Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func listError(t testing.TB, names ...string) *Error {
	t.Helper()
	src, err := OpenSpec(t.Context(), Several(names, Options{}), nil)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("expected an *Error, found %v, %v", src, err)
	}
	return e
}

// cutTable is rows lo to hi of a table.
func cutTable(out *Output, lo, hi int64) *Output {
	part := &Output{Rows: hi - lo}
	for _, c := range out.Columns {
		size := c.width() * int64(c.Kind.Size())
		c.Values = c.Values[lo*size : hi*size]
		if c.Valid != nil {
			c.Valid = c.Valid[lo:hi]
		}
		part.Columns = append(part.Columns, c)
	}
	return part
}

// A table cut anywhere into files of any format has the values of the table, in whatever order the columns of a file are, and
// what statistics rule out has none that matter.
func TestListIsTheTable(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		ext := rapid.SampledFrom([]string{".csv", ".parquet", ".arrow", ".jsonl", ".csv.gz", ".jsonl.zst"}).Draw(t, "format")
		rows := rapid.Int64Range(1, 400).Draw(t, "rows")
		whole := &Output{Rows: rows}
		for i := range rapid.IntRange(1, 4).Draw(t, "columns") {
			k := rapid.SampledFrom([]num.Kind{num.I8, num.I32, num.I64, num.F64, num.U16}).Draw(t, "kind")
			c := OutColumn{Name: fmt.Sprintf("c%d", i), Kind: k, Values: sample(k, int(rows))}
			if rapid.Bool().Draw(t, "nulls") {
				c.Valid = rapid.SliceOfN(rapid.ByteRange(0, 1), int(rows), int(rows)).Draw(t, "valid")
				clearNulls(c.Values, c.Valid, k.Size())
			}
			whole.Columns = append(whole.Columns, c)
		}
		sub, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for lo := int64(0); lo < rows || n == 0; n++ {
			hi := min(rows, lo+rapid.Int64Range(0, 200).Draw(t, "part"))
			part := cutTable(whole, lo, hi)
			if ext == ".parquet" || ext == ".arrow" { // whether there are nulls is part of a type there
				for i := range part.Columns {
					if part.Columns[i].Valid == nil || !part.Columns[i].HasNulls() {
						part.Columns[i].Valid = nil
					}
				}
			}
			if rapid.Bool().Draw(t, "turned") {
				slices.Reverse(part.Columns)
			}
			writePacked(t, filepath.Join(sub, fmt.Sprintf("part-%d%s", n, ext)), part)
			lo = hi
			if n > 20 {
				break
			}
		}
		src, err := OpenSpec(t.Context(), Several([]string{sub}, Options{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		for _, c := range whole.Columns {
			i, err := Lookup(src, c.Name)
			if err != nil {
				t.Fatal(err)
			}
			read := whole.Rows
			if src.Rows() < read {
				t.Skip("more parts than the test writes")
			}
			values, valid, err := tryReadAll(src, Want{Column: i, Kind: c.Kind, Option: true})
			if err != nil {
				t.Fatal(err)
			}
			want := c.Valid
			if want == nil {
				want = bytes.Repeat([]byte{1}, int(rows))
			}
			if !bytes.Equal(values, c.Values) || !bytes.Equal(valid, want) {
				t.Fatalf("%s: column %s differs", ext, c.Name)
			}
		}
		if err := src.Unchanged(); err != nil {
			t.Fatal(err)
		}
	})
}

// fataler is what tests and properties have in common.
type fataler interface{ Fatal(args ...any) }

// writePacked writes a table, compressed as its name says.
func writePacked(t fataler, path string, out *Output) {
	plain, ext := path, extension(path)
	if ext == ".gz" || ext == ".zst" {
		plain = strings.TrimSuffix(path, ext)
	}
	if err := Write(plain, out); err != nil {
		t.Fatal(err)
	}
	if plain == path {
		return
	}
	b, err := os.ReadFile(plain)
	if err == nil {
		err = os.WriteFile(path, packed(ext, b), 0o600)
	}
	if err == nil {
		err = os.Remove(plain)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestNaturalOrder(t *testing.T) {
	want := []string{"a", "a/b", "part-1", "part-01", "part-2", "part-10", "part-10b", "x=2/y", "x=10/a", "z"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	slices.SortFunc(want[2:4], strings.Compare)
	if !slices.Equal(got, want) {
		t.Error(got)
	}
}

// tree writes small files of one column and gives their folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func ints(t *testing.T, src Source, column string) []int64 {
	t.Helper()
	i, err := Lookup(src, column)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := readAll(t, src, Want{Column: i, Kind: num.I64})
	return view[int64](b)
}

// Names, patterns and folders mean these files, in this order.
func TestWhatNamesMean(t *testing.T) {
	dir := tree(t, map[string]string{
		"p-1.csv": "x\n1\n", "p-2.csv": "x\n2\n", "p-10.csv": "x\n10\n", "q.csv": "x\n5\n", "_SUCCESS": "", ".p-3.csv": "x\n3\n", "notes.txt": "hello",
		"a,b.csv": "x\n7\n", "w?.csv": "x\n8\n", "deep/er/r-1.csv": "x\n20\n", "deep/r-2.csv": "x\n21\n", "empty.csv": "",
	})
	t.Chdir(dir)
	for text, want := range map[string]string{
		"p-*.csv": "[1 2 10]", "p-?.csv": "[1 2]", "p-[12].csv": "[1 2]", "q.csv,p-1.csv": "[5 1]", "p-1*.csv,q.csv": "[1 10 5]", "a,b.csv": "[7]", `a\,b.csv,q.csv`: "[7 5]",
		"w?.csv": "[8]", `w\?.csv,q.csv`: "[8 5]", "deep": "[20 21]", "deep/": "[20 21]", "**/r-*.csv": "[20 21]", "deep/*.csv": "[21]", "./p-2.csv": "[2]", "p-1.csv,empty.csv,q.csv": "[1 5]",
		dir + "/p-*.csv": "[1 2 10]",
	} {
		s, ok, err := ParseSpec(text)
		if err != nil || !ok {
			t.Fatalf("%s: %v %v", text, ok, err)
		}
		src, err := OpenSpec(t.Context(), s, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := fmt.Sprint(ints(t, src, "x")); got != want {
			t.Errorf("%s: %s, expected %s", text, got, want)
		}
		src.Close()
	}
	for text, want := range map[string]string{
		"r-*.csv": "no file matches; looked in `.`: ", "nothere/*.csv": "there is no folder nothere", "q.csv,q.csv": "the file is in the list twice",
		"p-*.csv,p-2.csv": "in the list twice", "q.csv,nothere.csv": "no such file", "q.csv,": "a name in the list is empty", "deep/q*": "such as `er`, `r-2.csv`",
	} {
		s, ok, err := ParseSpec(text)
		if err == nil && ok {
			_, err = OpenSpec(t.Context(), s, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v, expected %s", text, ok, err, want)
		}
	}
	if e := listError(t, tree(t, map[string]string{"readme.md": "x"})); !strings.Contains(e.Msg, "no table in this folder") || !strings.Contains(e.Msg, "1 other file") {
		t.Error(e)
	}
	if e := listError(t, tree(t, map[string]string{"a.csv": "x\n1\n", "b.jsonl": "{\"x\":1}\n"})); !strings.Contains(e.Msg, "several formats") || !strings.HasSuffix(e.Help, "/*.jsonl'") || strings.Contains(e.Help, "**") {
		t.Error(e, e.Help)
	}
	for _, files := range []map[string]string{{"a.csv": "x\n1\n", "b/b.jsonl": "{\"x\":1}\n"}, {"b.csv": "x\n1\n", "a/a.jsonl": "{\"x\":1}\n"}, {"d/b.csv": "x\n1\n", "a/a.jsonl": "{\"x\":1}\n"}} {
		e := listError(t, tree(t, files))
		_, pattern, _ := strings.Cut(e.Help, "'")
		if src := openList(t, strings.TrimSuffix(pattern, "'")); src.Rows() != 1 {
			t.Errorf("%v: %s", files, e.Help)
		}
	}
}

// Columns that differ are an error that names the file and the column.
func TestListColumnsDiffer(t *testing.T) {
	write := func(dir, name string, cols ...OutColumn) {
		for i := range cols {
			cols[i].Values = make([]byte, 2*cols[i].width()*int64(cols[i].Kind.Size()))
		}
		writeTo(t, filepath.Join(dir, name), &Output{Rows: 2, Columns: cols})
	}
	for _, c := range []struct {
		what, want string
		cols       []OutColumn
	}{
		{"missing", "b.parquet: column `y`: the file has no such column", []OutColumn{{Name: "x", Kind: num.I32}}},
		{"more", "b.parquet: column `z`: the file has this column, and ", []OutColumn{{Name: "x", Kind: num.I32}, {Name: "y", Kind: num.F32}, {Name: "z", Kind: num.I8}}},
		{"type", "b.parquet: column `y`: it is f64 here, and f32 in ", []OutColumn{{Name: "x", Kind: num.I32}, {Name: "y", Kind: num.F64}}},
		{"shape", "b.parquet: column `y`: a row of it has the shape [2], and [] in ", []OutColumn{{Name: "x", Kind: num.I32}, {Name: "y", Kind: num.F32, Dims: []int64{2}}}},
	} {
		dir := t.TempDir()
		write(dir, "a.parquet", OutColumn{Name: "x", Kind: num.I32}, OutColumn{Name: "y", Kind: num.F32})
		write(dir, "b.parquet", c.cols...)
		if e := listError(t, dir); !strings.Contains(e.Error(), c.want) || e.Help == "" {
			t.Errorf("%s: %v (%s)", c.what, e, e.Help)
		}
	}
}

// Types of text are those of all files, and what does not go together is said with its file.
func TestListTypes(t *testing.T) {
	dir := tree(t, map[string]string{"a.csv": "x,y,z\n1,true,1\n", "b.csv": "x,y,z\n2.5,false,\n", "c.csv": "x,y,z\n3,7,2\n"})
	src, err := Typed(t.Context(), openList(t, dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	cols := src.Columns()
	if cols[0].Kind != num.F64 || cols[1].Means.Sort != meaning.Text || cols[2].Kind != num.I64 || !cols[2].Nullable || cols[0].Nullable {
		t.Errorf("%+v", cols)
	}
	if e := Unfit(src, 1); e == nil || !strings.Contains(e.Error(), "c.csv:2:3: column `y`: it is text (Str): found \"7\" among true and false, such as true on line 2 of ") {
		t.Error(e)
	}
	if got, _ := readAll(t, src, Want{Column: 0, Kind: num.F64}); fmt.Sprint(view[float64](got)) != "[1 2.5 3]" {
		t.Error(view[float64](got))
	}
}

// Folders named key=value are columns; statistics of folders rule files out without opening them.
func TestKeysOfFolders(t *testing.T) {
	dir := t.TempDir()
	for year := range 3 {
		for month := range 12 {
			p := filepath.Join(dir, fmt.Sprintf("year=%d/month=%d/word=w%d", 2000+year, month+1, month))
			if err := os.MkdirAll(p, 0o700); err != nil {
				t.Fatal(err)
			}
			writeTo(t, filepath.Join(p, "x.parquet"), &Output{Rows: 2, Columns: []OutColumn{{Name: "x", Kind: num.I16, Values: bytesOf([]int16{int16(year), int16(month)})}}})
		}
	}
	src := openList(t, dir)
	month := ints(t, src, "month")
	if year := ints(t, src, "year"); len(year) != 72 || year[0] != 2000 || year[71] != 2002 || month[2] != 2 || month[22] != 12 {
		t.Errorf("%v %v", year, month)
	}
	if i, err := Lookup(src, "word"); err != nil || src.Columns()[i].Kind.Valid() || Unfit(src, i) == nil {
		t.Error(i, err)
	}
	at, _ := Lookup(src, "month")
	if _, _, err := tryReadAll(src, Want{Column: at, Kind: num.I64, Bound: 12}); err == nil || !strings.Contains(err.Error(), "month=12") || !strings.Contains(err.Error(), "expected an index below 12, found 12") {
		t.Error(err)
	}
	preds := []Pred{{Column: at, Op: Gt, Int: 11}}
	pruned := src.Prune(preds)
	if n := len(slices.DeleteFunc(slices.Clone(pruned), func(b bool) bool { return !b })); n != 33 {
		t.Fatalf("%d of %d are ruled out", n, len(pruned))
	}
	x, _ := Lookup(src, "x")
	for chunk, c := range src.Chunks() {
		if !pruned[chunk] {
			continue
		}
		d := []Dest{{Values: make([]byte, 8*c.Rows())}, {Values: make([]byte, 2*c.Rows())}}
		if err := src.FillPruned(chunk, preds, []Want{{Column: at, Kind: num.I64}, {Column: x, Kind: num.I16}}, d); err != nil {
			t.Fatal(err)
		}
		if m := view[int64](d[0].Values); m[0] != month[c.Lo] || m[1] != month[c.Lo] {
			t.Errorf("chunk %d: %v", chunk, m)
		}
		// What Fill would refuse is refused.
		d[1] = Dest{Values: make([]byte, 2*c.Rows())}
		if err := src.FillPruned(chunk, preds, []Want{{Column: at, Kind: num.I64}, {Column: x, Kind: num.I16, Bound: 1}}, d); (err != nil) != (c.Lo >= 2) {
			t.Errorf("chunk %d: %v", chunk, err)
		}
	}
	if e := listError(t, filepath.Join(dir, "year=2000"), writeFile(t, "y.csv", "x\n1\n")); !strings.Contains(e.Msg, "its folders have the keys none") {
		t.Error(e)
	}
}

// Many files are read with few descriptors, by several goroutines, and one that was changed after it was counted is an error, whether
// it was open or not.
func TestManyFiles(t *testing.T) {
	const files = 10_000
	dir := t.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.csv", i)), fmt.Appendf(nil, "x\n%d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := descriptors(t)
	src := openList(t, dir)
	most := 0
	if src.Rows() != files {
		t.Fatal(src.Rows())
	}
	err := Each(t.Context(), files, func(i int) error {
		d := []Dest{{Values: make([]byte, 4)}}
		if _, err := src.Fill(t.Context(), i, []Want{{Kind: num.I32}}, d); err != nil {
			return err
		}
		if got := view[int32](d[0].Values)[0]; int(got) != i {
			return fmt.Errorf("row %d is %d", i, got)
		}
		if i%1000 == 0 {
			most = max(most, descriptors(t)-before)
		}
		return nil
	})
	if err != nil || most > openFiles+16 {
		t.Errorf("%v, %d descriptors", err, most)
	}
	for _, i := range []int{5, files - 1} { // at rest, and open
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.csv", i)), []byte("x\n77\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := src.Fill(t.Context(), i, []Want{{Kind: num.I32}}, []Dest{{Values: make([]byte, 4)}})
		if now := src.Unchanged(); now != nil { // which says more than what was read does
			err = now
		}
		var changed *ChangedError
		if !errors.As(err, &changed) {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

func descriptors(t testing.TB) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("SKIPPED:", err)
	}
	return len(list)
}

// The only file with rows is used where it lies.
func TestListOfOne(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "k=3"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "k=3", "x.arrow")
	writeTo(t, path, &Output{Rows: 2, Columns: []OutColumn{{Name: "x", Kind: num.I16, Values: bytesOf([]int16{5, 6})}}})
	src := openList(t, path)
	raw, ok := src.Raw(0)
	b := make([]byte, 4)
	if _, err := raw.ReadAt(b, 0); !ok || err != nil || !bytes.Equal(b, bytesOf([]int16{5, 6})) {
		t.Error(ok, b, err)
	}
	if got := ints(t, src, "k"); fmt.Sprint(got) != "[3 3]" || src.Path() != path {
		t.Error(got, src.Path())
	}
}

// TestTwiceInList: what the refusal of a file that is named twice offers works, to the letter.
func TestTwiceInList(t *testing.T) {
	t.Chdir(tree(t, map[string]string{"a b.csv": "x\n1\n2\n", "c.csv": "x\n5\n"}))
	for name, want := range map[string]string{"a b.csv": "[1 2 1 2]", "c.csv": "[5 5]"} {
		e := listError(t, name, name)
		_, command, ok := strings.Cut(e.Help, ": ")
		if !ok || !strings.Contains(e.Msg, "its rows would count twice") {
			t.Fatalf("%v: %s", e, e.Help)
		}
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", command, err, out)
		}
		spec, _, err := ParseSpec(name + ",again-" + name)
		if err != nil {
			t.Fatal(err)
		}
		src, err := OpenSpec(t.Context(), spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(ints(t, src, "x")); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
		src.Close()
	}
}
