package generate

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// read is a column of integers of a file.
func read(t *testing.T, path, name string) []int64 {
	t.Helper()
	src, err := data.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	column := -1
	for i, c := range src.Columns() {
		if c.Name == name {
			column = i
		}
	}
	var all []int64
	for i, c := range src.Chunks() {
		values := make([]byte, 8*c.Rows())
		if _, err := src.Fill(context.Background(), i, []data.Want{{Column: column, Kind: num.I64}}, []data.Dest{{Values: values}}); err != nil {
			t.Fatal(err)
		}
		for ; len(values) > 0; values = values[8:] {
			all = append(all, int64(binary.LittleEndian.Uint64(values)))
		}
	}
	return all
}

func distinct(list []int64) map[int64]int {
	seen := map[int64]int{}
	for _, e := range list {
		seen[e]++
	}
	return seen
}

// The table of groups has as many groups as its rules say, and values between their bounds.
func TestGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.parquet")
	if err := Groups(t.Context(), path, 100_000, 100, 3); err != nil {
		t.Fatal(err)
	}
	for name, most := range map[string]int64{"id4": 100, "id5": 100, "id6": 1000, "v1": 5, "v2": 15} {
		list := read(t, path, name)
		seen := distinct(list)
		if len(list) != 100_000 || int64(len(seen)) != most || seen[1] == 0 || seen[most] == 0 {
			t.Errorf("%s: %d rows, %d different values, %d times 1, %d times %d", name, len(list), len(seen), seen[1], seen[most], most)
		}
	}
}

// Keys of the joins are once in the small side, at least once in the large one, and nine tenths of them in both.
func TestJoins(t *testing.T) {
	dir := t.TempDir()
	if err := Joins(t.Context(), dir, 20_000, 3); err != nil {
		t.Fatal(err)
	}
	for key, table := range map[string]string{"id3": "big", "id2": "medium"} {
		x, other := distinct(read(t, filepath.Join(dir, "x.parquet"), key)), distinct(read(t, filepath.Join(dir, table+".parquet"), key))
		both := 0
		for k, n := range other {
			if n != 1 {
				t.Errorf("%s has key %d %d times", table, k, n)
			}
			if x[k] > 0 {
				both++
			}
		}
		if len(x) != len(other) || both != len(x)*9/10 {
			t.Errorf("%s: %d keys in x, %d in %s, %d in both", key, len(x), len(other), table, both)
		}
	}
}
