package data

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// fullDisk takes n bytes and then has no space left.
type fullDisk struct {
	w io.Writer
	n int
}

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) > d.n {
		n, _ := d.w.Write(b[:d.n])
		d.n = 0
		return n, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	d.n -= len(b)
	return d.w.Write(b)
}

// After a full disk the target is as it was, and nothing else is there.
func TestFullDisk(t *testing.T) {
	out := &Output{Rows: 50_000, Columns: []OutColumn{{Name: "x", Kind: num.F64, Values: sample(num.F64, 50_000)}}}
	for ext, format := range formats {
		for _, space := range []int{0, 1, 100, 30_000} {
			dir := t.TempDir()
			path := filepath.Join(dir, "x"+ext)
			if space > 1 {
				if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := replaceFile(path, func(w io.Writer) error { return encode(path, &fullDisk{w, space}, format.write, out) })
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), "no space left on device") {
				t.Errorf("%s: %v", ext, err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) > 1 || space <= 1 && len(entries) > 0 {
				t.Errorf("%s: %v %v", ext, entries, err)
			}
			if b, _ := os.ReadFile(path); space > 1 && string(b) != "before" {
				t.Errorf("%s: the target has changed", ext)
			}
		}
	}
}

func TestWriteRefusals(t *testing.T) {
	two := []OutColumn{{Name: "a", Kind: num.I8, Values: []byte{1}}, {Name: "b", Kind: num.I8, Values: []byte{2}}}
	nulls := []OutColumn{{Name: "a", Kind: num.I8, Values: []byte{1}, Valid: []byte{0}}}
	spread := []OutColumn{{Name: "v", Kind: num.I8, Dims: []int64{2}, Values: []byte{1, 2}}, {Name: "v_0", Kind: num.I8, Values: []byte{3}}}
	// The first row, which is missing, does not count.
	zeros := []OutColumn{{Name: "t", Kind: num.I8, Means: meaning.Meaning{Sort: meaning.Text}, Texts: []string{"a", "b\x00"}, Values: []byte{1, 1, 0}, Valid: []byte{0, 1, 1}}}
	for _, c := range []struct {
		file string
		out  Output
		want string
	}{
		{"x.npy", Output{Rows: 1, Columns: two}, ": an NPY file holds one array, the result has 2 columns"},
		{"x.npy", Output{Rows: 1, Columns: nulls}, ": column `a`: an NPY file cannot hold nulls"},
		{"x.csv", Output{Rows: 2, Columns: two}, ": column `a`: 2 rows need 2 bytes, 1 are given"},
		{"x.csv", Output{}, ": there are no columns to write"},
		{"x.csv", Output{Rows: 1, Columns: []OutColumn{two[0], two[0]}}, ": column `a`: two columns have this name"},
		{"x.csv", Output{Rows: 1, Columns: spread}, ": column `v_0`: an array becomes columns of its own in a CSV file, and one of `v` and one of `v_0` would both be called `v_0`"},
		{"x.csv", Output{Rows: 3, Columns: zeros}, ": row 1: column `t`: its text has a zero byte, which a CSV file cannot hold"},
		{"x.csv", Output{Rows: 1, Columns: []OutColumn{{Name: "a\x00", Kind: num.I8, Values: []byte{1}}}}, ": column `a\x00`: its name has a zero byte, which a CSV file cannot hold"},
		{"x.txt", Output{Rows: 1, Columns: two}, ": the file's format is not known by its extension"},
		{"no/dir/x.csv", Output{Rows: 1, Columns: two}, ": the file was not written: no such file or directory"},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		wantError(t, path, Write(path, &c.out), c.want)
	}
	dir := filepath.Join(t.TempDir(), "x.csv")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	wantError(t, dir, Write(dir, &Output{Rows: 1, Columns: two}), ": expected the name of a file, found a folder")
}

// A link stays a link, and the file keeps its permissions.
func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.csv"), filepath.Join(dir, "link.csv")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("SKIPPED:", err)
	}
	if err := Write(link, &Output{Rows: 1, Columns: []OutColumn{{Kind: num.I8, Values: []byte{5}}}}); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(target)
	if b, _ := os.ReadFile(target); err != nil || string(b) != "value\n5\n" || st.Mode().Perm() != 0o600 {
		t.Errorf("%q %v %v", b, st.Mode(), err)
	}
}

// A link stays a link also where its target is not there yet, and links in a circle are an error.
func TestWriteThroughLinksToNothing(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, to := range map[string]string{"first.csv": "second.csv", "second.csv": "folder/target.csv", "folder": "real", "one.csv": "other.csv", "other.csv": "one.csv"} {
		if err := os.Symlink(to, path(name)); err != nil {
			t.Skip("SKIPPED:", err)
		}
	}
	if err := os.Mkdir(path("real"), 0o700); err != nil {
		t.Fatal(err)
	}
	out := &Output{Rows: 1, Columns: []OutColumn{{Kind: num.I8, Values: []byte{5}}}}
	if err := Write(path("first.csv"), out); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path("real/target.csv")); err != nil || string(b) != "value\n5\n" {
		t.Errorf("%q %v", b, err)
	}
	if st, err := os.Lstat(path("first.csv")); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v (%v)", st.Mode(), err)
	}
	if err := Write(path("one.csv"), out); err == nil {
		t.Error("links in a circle were written through")
	}
}

func TestCSVNullAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	c := OutColumn{Name: "a,\"b\"", Kind: num.I8, Values: []byte{1, 0, 3}, Valid: []byte{1, 0, 1}}
	if err := Write(path, &Output{Rows: 3, Columns: []OutColumn{c}}); err != nil {
		t.Fatal(err)
	}
	src := mustOpen(t, path)
	i, err := Lookup(src, c.Name)
	if err != nil {
		t.Fatal(err)
	}
	got, valid := readAll(t, src, Want{Column: i, Kind: num.I8, Option: true})
	compareOption(t, c, got, valid)
}

// Floats are floats again when they are read, also where none has a fraction, and -0 keeps its sign.
func TestFloatsStayFloats(t *testing.T) {
	xs := []float64{1, 2, math.Copysign(0, -1), 0, 1e20, 1e21, 1 << 53, -3, math.Inf(-1)}
	small := make([]float32, len(xs))
	for i, x := range xs {
		small[i] = float32(x)
	}
	for _, ext := range []string{".csv", ".jsonl"} {
		path := filepath.Join(t.TempDir(), "x"+ext)
		out := &Output{Rows: int64(len(xs)), Columns: []OutColumn{{Name: "x", Kind: num.F64, Values: bytesOf(xs)}, {Name: "y", Kind: num.F32, Values: bytesOf(small)}}}
		if err := Write(path, out); err != nil {
			t.Fatal(err)
		}
		src, err := Typed(t.Context(), mustOpen(t, path), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range src.Columns() {
			if c.Type() != "f64" {
				t.Errorf("%s: column %d is %s", ext, i, c.Type())
			}
		}
		if got, _ := readAll(t, src, Want{Kind: num.F64}); !bytes.Equal(got, bytesOf(xs)) {
			t.Errorf("%s: %v", ext, view[float64](got))
		}
		if got, _ := readAll(t, src, Want{Column: 1, Kind: num.F32}); !bytes.Equal(got, bytesOf(small)) {
			t.Errorf("%s: %v", ext, view[float32](got))
		}
	}
}
