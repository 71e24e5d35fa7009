package godwit_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// A result goes to a folder parted by columns, as it comes and as it is, and the folder is an argument, also of calls that are predicted: it has more files
// than are open at a time.
func TestPartitionedResult(t *testing.T) {
	f := fn(t, `record R { k: i64, name: Str, v: Option<i64> }
fn f(r: &[R; N]) -> [R; N] { r }`)
	type row struct {
		K    int64
		Name string
		V    *int64
	}
	var rows []row
	for i := range int64(3000) {
		r := row{K: i * 7 % 100, Name: []string{"a/b", "", "c=d"}[i%3], V: &i}
		if i%11 == 0 {
			r.V = nil
		}
		rows = append(rows, r)
	}
	want := slices.Clone(rows)
	slices.SortStableFunc(want, func(a, b row) int { return cmp.Or(cmp.Compare(a.K, b.K), cmp.Compare(a.Name, b.Name)) })
	got := func(path string, opts ...godwit.Option) []row {
		t.Helper()
		r, err := f.Call(t.Context(), godwit.Args{"r": godwit.File(path)}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		list, err := godwit.As[[]row](r)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(list, func(a, b row) int { return cmp.Or(cmp.Compare(a.K, b.K), cmp.Compare(a.Name, b.Name)) })
		return list
	}
	dir := t.TempDir()
	whole, err := f.Call(t.Context(), godwit.Args{"r": rows})
	if err != nil {
		t.Fatal(err)
	}
	for path, write := range map[string]func(path string) error{
		"written": func(path string) error { return whole.WriteFile(path, "k", "name") },
		"called": func(path string) error {
			_, err := f.Call(t.Context(), godwit.Args{"r": rows}, godwit.WithFile(path, "k", "name"))
			return err
		},
	} {
		path = filepath.Join(dir, path)
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		equal(t, got(path), want)
		equal(t, got(path, godwit.WithPrediction("")), want)
		if _, err := f.Predict(t.Context(), godwit.Args{"r": godwit.File(path)}); err != nil {
			t.Error(err)
		}
		if err := write(path); err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Error(err)
		}
	}
	for by, want := range map[string]string{"x": "there is no column `x`", "k name v": "none is left", "k k": "twice"} {
		never := filepath.Join(dir, "never")
		_, err := f.Call(t.Context(), godwit.Args{"r": rows}, godwit.WithFile(never, strings.Fields(by)...))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("by %s: %v", by, err)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("left %v, %v", list, err)
	}
}

// Files whose folder says that no row of them is asked for are not read, whatever the program declares; the answers are those of all rows.
func TestPartitionsAreRuledOut(t *testing.T) {
	dir := t.TempDir()
	write := fn(t, `record R { day: Date, at: Timestamp<us>, k: i64, u: u64, v: i64 }
fn f(v: &[i64; N]) -> [R; N] { v.map(|x| R { day: 2001-03-14 + (x % 50) * 1day, at: 2001-03-14T08:30:00Z + (x % 50) * 1h, k: x % 50 - 7, u: (x % 50) as u64 +% 18446744073709551600, v: x }) }`)
	values := make([]int64, 50_000)
	for i := range values {
		values[i] = int64(i) * 7919 % 100_003
	}
	for _, by := range []string{"day", "at", "k", "u"} {
		if _, err := write.Call(t.Context(), godwit.Args{"v": values}, godwit.WithFile(filepath.Join(dir, by), by)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		by, typ, cond string
		rules         bool // files are ruled out
	}{
		{"day", "Date", "x.c == 2001-03-20", true}, {"day", "Date", "x.c > 2001-04-30", true}, {"day", "Str", `x.c == "2001-03-20"`, false},
		{"at", "Timestamp<us>", "x.c == 2001-03-14T14:30:00Z", true}, {"at", "Timestamp<ns>", "x.c == 2001-03-14T14:30:00Z", false}, {"at", "Timestamp<s>", "x.c < 2001-03-14T10:00:00Z", false},
		{"u", "u64", "x.c > 20", false}, {"u", "u64", "x.c < 3", false}, {"u", "u64", "x.c == 18446744073709551601", false},
		{"k", "i64", "x.c == -1", true}, {"k", "i16", "x.c >= 40", true}, {"k", "f64", "x.c < -5.5", false}, {"k", "Decimal<9, 2>", "x.c == 3.00", false}, {"k", "Str", `x.c == "-1"`, false},
	} {
		text := "record R { c: " + c.typ + ", v: i64 }\nfn f(r: &[R; N]) -> i64 { r.filter(|x| " + c.cond + ").map(|x| x.v).sum() }"
		text = strings.ReplaceAll(text, "c:", c.by+":")
		text = strings.ReplaceAll(text, "x.c ", "x."+c.by+" ")
		f, args := fn(t, text), godwit.Args{"r": godwit.File(filepath.Join(dir, c.by))}
		want, err := f.Call(t.Context(), args, godwit.WithEngine("interp"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Call(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() || got.String() == "0" {
			t.Errorf("%s as %s, %s: %s, wanted %s", c.by, c.typ, c.cond, got, want)
		}
		if few := got.Stats().BytesRead < 100_000; few != c.rules && c.typ != "Str" {
			t.Errorf("%s as %s, %s: %d bytes were read", c.by, c.typ, c.cond, got.Stats().BytesRead)
		}
	}
}
