package cluster_test

import (
	"fmt"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestNoRows: outer indices that touch no row, because what they look at is behind the last one, go to a shard as well as the
// others, and all of a launch may be such.
func TestNoRows(t *testing.T) {
	b := newBed(t, 3)
	for _, rows := range []int64{1, 2, 5, 9, 64} {
		values := make([]byte, 4*rows)
		for i := range rows {
			column.Put(num.I32, values, i, uint64(7*i+3))
		}
		src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.I32, Stored: "i32"}}, rows, [][]byte{values}, nil)
		for _, shards := range []int{1, 2, 3} {
			set := fmt.Sprintf("v%d_%d", rows, shards)
			if err := b.load(src, set, cluster.LoadOptions{Shards: shards, By: "rows"}); err != nil {
				t.Fatal(err)
			}
			for _, ahead := range []int{1, 3, 40} {
				text := fmt.Sprintf("fn f(v: &[i32; N]) -> [i32; N] where N: Range<1, 100_000> { (0..(N)).map(|i| { let mut s = 6i32; for j in i + %d..(i + %d).min((N)) { s = s +%% v[j]; } s }) }", ahead, ahead+1)
				if _, err := b.agrees(text, src, set, b.Client.Beside(cluster.Ship)); err != nil {
					t.Errorf("%d rows in %d shards, %d ahead: %v", rows, shards, ahead, err)
				}
			}
		}
	}
}
