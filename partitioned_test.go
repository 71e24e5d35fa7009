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
