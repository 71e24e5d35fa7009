package data

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestGlance: numbers in memory and in files are about as a few of them, and those of which the file says it are as it says; of others nothing is said.
func TestGlance(t *testing.T) {
	const n = 100_000
	own, few := make([]int32, n), make([]int32, n)
	for i := range own {
		own[i], few[i] = int32(i-n/2), int32(i%10*7)
	}
	for _, c := range []struct {
		values []int32
		least  float64
		most   float64
		alike  bool
	}{{own, -n / 2, n/2 - 1, false}, {few, 0, 63, true}} {
		for _, file := range []string{"", "v.npy", "v.arrow", "v.parquet", "v.csv"} {
			src := FromSlice(c.values)
			if file != "" {
				bits, err := binary.Append(nil, binary.LittleEndian, c.values)
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), file)
				if err := Write(path, &Output{Rows: n, Columns: []OutColumn{{Name: "v", Kind: num.I32, Values: bits}}}); err != nil {
					t.Fatal(err)
				}
				if src, err = Open(path); err != nil {
					t.Fatal(err)
				}
			}
			g, ok := GlanceAt(src, 0)
			if ok != (file != "v.csv") {
				t.Errorf("%q: %t", file, ok)
			}
			near := (c.most - c.least) / 8
			if file == "v.parquet" {
				near = 0
			}
			if ok && (g.Least < c.least || g.Least > c.least+near || g.Greatest > c.most || g.Greatest < c.most-near || g.Looked != (file != "v.parquet") || g.Looked && g.Alike != c.alike) {
				t.Errorf("%q: %+v, expected %v to %v", file, g, c.least, c.most)
			}
			if _, ok := GlanceAt(src, 1); ok {
				t.Errorf("%q has one column", file)
			}
			_ = src.Close()
		}
	}
	if _, ok := GlanceAt(FromSlice([]float64{1}), 0); ok {
		t.Error("floats are no keys with cells")
	}
	if _, ok := GlanceAt(FromSlice([]int64(nil)), 0); ok {
		t.Error("there is nothing to look at")
	}
}
