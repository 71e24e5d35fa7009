package store

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

func TestCuts(t *testing.T) {
	for _, tt := range []struct {
		rows   int64
		shards int
		by     string
		want   []Range
	}{
		{0, 3, catalog.ByBlocks, []Range{{0, 0}}},
		{2, 3, catalog.ByBlocks, []Range{{0, 1}, {1, 2}}},
		{10, 3, catalog.ByRows, []Range{{0, 3}, {3, 6}, {6, 10}}},
		{100, 2, catalog.ByBlocks, []Range{{0, 48}, {48, 100}}},
		{1_000_000, 4, catalog.ByBlocks, []Range{{0, 1 << 18}, {1 << 18, 2 << 18}, {2 << 18, 3 << 18}, {3 << 18, 1_000_000}}}, // leaves of folds by key
		{1 << 20, 4, catalog.ByBlocks, []Range{{0, 1 << 18}, {1 << 18, 2 << 18}, {2 << 18, 3 << 18}, {3 << 18, 1 << 20}}},
		{1_000_000_000, 3, catalog.ByBlocks, []Range{{0, 10 << 25}, {10 << 25, 20 << 25}, {20 << 25, 1_000_000_000}}},
	} {
		got, err := Cuts(tt.rows, tt.shards, tt.by)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%d rows in %d by %s: %v, %v, expected %v", tt.rows, tt.shards, tt.by, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		rows   int64
		shards int
		by     string
	}{{1, 0, catalog.ByRows}, {-1, 1, catalog.ByRows}, {1, 1, "columns"}, {1, 1, ""}, {1, 1, "hash(x)"}} {
		if _, err := Cuts(tt.rows, tt.shards, tt.by); err == nil {
			t.Errorf("%d rows in %d by %q: expected an error", tt.rows, tt.shards, tt.by)
		}
	}
}

func TestCutsCoverEvenly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.OneOf(rapid.Int64Range(0, 5000), rapid.Int64Range(0, math.MaxInt64)).Draw(t, "rows")
		shards := rapid.IntRange(1, 50).Draw(t, "shards")
		by := rapid.SampledFrom([]string{catalog.ByBlocks, catalog.ByRows}).Draw(t, "by")
		cuts, err := Cuts(rows, shards, by)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(len(cuts))
		if n != max(1, min(int64(shards), rows)) {
			t.Fatalf("%d shards", n)
		}
		at := int64(0)
		for i, r := range cuts {
			off, most, least := r.Hi-r.Lo-rows/n, int64(1), int64(1)
			if by == catalog.ByBlocks {
				most, least = most+rows/n/8, least+rows/n/2
			}
			if r.Lo != at || off < -least || off > most {
				t.Fatalf("shard %d has rows %v, the mean is %d", i, r, rows/n)
			}
			if at = r.Hi; i < len(cuts)-1 && by == catalog.ByBlocks && rows/n >= 1<<20 && at%65536 != 0 {
				t.Fatalf("a cut of a large table is at %d", at)
			}
		}
		if at != rows {
			t.Fatalf("%d of %d rows are covered", at, rows)
		}
	})
}

// The hash is part of the format of sets: it must not change.
func TestShardOf(t *testing.T) {
	for _, tt := range []struct {
		v    int64
		want int
	}{{0, 0}, {1, 789}, {-1, 67}, {42, 962}, {math.MinInt64, 50}} {
		if got := ShardOf(tt.v, 1000); got != tt.want {
			t.Errorf("%d belongs to shard %d of 1000, expected %d", tt.v, got, tt.want)
		}
	}
}
