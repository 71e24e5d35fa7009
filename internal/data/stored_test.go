package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// How much there is to decode is known without reading: of one file, of several, and of columns that lie together.
func TestStoredOf(t *testing.T) {
	const rows = 5000
	dir := t.TempDir()
	a, b := make([]byte, 8*rows), make([]byte, 8*rows)
	for i := range rows {
		a[8*i], b[8*i], b[8*i+1] = byte(i%50), byte(i), byte(i>>8)
	}
	for _, file := range []string{"x0.csv", "x1.csv", "x0.parquet", "x1.parquet", "x.jsonl", "x.arrow"} {
		out := &Output{Rows: rows, Columns: []OutColumn{{Name: "a", Kind: num.I64, Values: a}, {Name: "b", Kind: num.I64, Values: b}}}
		if err := Write(filepath.Join(dir, file), out); err != nil {
			t.Fatal(err)
		}
	}
	length := func(files ...string) (n float64) {
		for _, f := range files {
			st, err := os.Stat(filepath.Join(dir, f))
			if err != nil {
				t.Fatal(err)
			}
			n += float64(st.Size())
		}
		return n
	}
	for _, c := range []struct {
		spec, form  string
		rows        float64
		least, most float64 // bytes of both columns
		together    bool
	}{
		{"x0.csv", "csv", rows, 2 * length("x0.csv"), 2 * length("x0.csv"), true},
		{"x0.csv x1.csv", "csv", 2 * rows, 2 * length("x0.csv", "x1.csv"), 2 * length("x0.csv", "x1.csv"), true},
		{"x.jsonl", "jsonl", rows, 2 * length("x.jsonl"), 2 * length("x.jsonl"), true},
		{"x0.parquet", "parquet zstd", rows, length("x0.parquet") / 4, length("x0.parquet"), false},
		{"x0.parquet x1.parquet", "parquet zstd", 2 * rows, length("x0.parquet", "x1.parquet") / 4, length("x0.parquet", "x1.parquet"), false},
	} {
		var paths []string
		for _, name := range strings.Fields(c.spec) {
			paths = append(paths, filepath.Join(dir, name))
		}
		src := openList(t, paths...)
		bytes := 0.0
		for i := range 2 {
			st, ok := StoredOf(src, i)
			if !ok || st.Form != c.form || st.Values != c.rows || st.Together != c.together {
				t.Errorf("%s: %+v %v", c.spec, st, ok)
			}
			bytes += st.Bytes
		}
		if bytes < c.least || bytes > c.most {
			t.Errorf("%s: %v bytes, expected %v to %v", c.spec, bytes, c.least, c.most)
		}
		if _, ok := StoredOf(src, 2); ok {
			t.Errorf("%s has a third column", c.spec)
		}
	}
	src, err := Open(filepath.Join(dir, "x.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if st, ok := StoredOf(src, 0); ok {
		t.Error(fmt.Sprintf("%+v", st), "lies as it is computed with")
	}
}

// Of many files most are closed, also while others are read: what they hold is as in those that are open.
func TestStoredOfManyFiles(t *testing.T) {
	dir := t.TempDir()
	const files, rows = openFiles + 40, 500
	var paths []string
	want := 0.0
	for i := range files {
		values := make([]int64, rows)
		for j := range values {
			values[j] = int64(j*i) * 7919
		}
		path := filepath.Join(dir, fmt.Sprintf("x%d.parquet", i))
		if err := Write(path, &Output{Rows: rows, Columns: []OutColumn{{Name: "a", Kind: num.I64, Values: bytesOf(values)}}}); err != nil {
			t.Fatal(err)
		}
		one, ok := StoredOf(mustOpen(t, path), 0)
		if !ok {
			t.Fatal(path)
		}
		want += one.Bytes
		paths = append(paths, path)
	}
	src := openList(t, paths...)
	done := make(chan error, 1)
	go func() {
		_, _, err := tryReadAll(src, Want{Kind: num.I64})
		done <- err
	}()
	for range 100 {
		st, ok := StoredOf(src, 0)
		if !ok || st.Form != "parquet zstd" || st.Values < 0.999*files*rows || st.Values > 1.001*files*rows || st.Bytes < 0.8*want || st.Bytes > 1.2*want {
			t.Fatalf("%+v %v, wanted about %v bytes of %d values", st, ok, want, files*rows)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
