package plan_test

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/plan"
)

// TestLoads: what travels, in cases that can be counted by hand. Whether that is what happens, the simulation says (TestWhatIf of package simulate).
func TestLoads(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want *plan.Load
	}{
		{"rows in pieces of two columns", plan.FetchRows(2*10_000, 2, 1, 1000, 4), &plan.Load{Bytes: 20_000, Parcels: 20, Hops: 5, Flows: 4}},
		{"a piece for each shard", plan.FetchRows(80, 1, 8, 1000, 2), &plan.Load{Bytes: 80, Parcels: 8, Hops: 4, Flows: 2}},
		{"one shard", (&plan.Sent{Shards: 1, Pieces: 1, Fixed: 10, Back: 5, Open: 64}).Load(), &plan.Load{Bytes: 15, Hops: 1, Flows: 1}},
		{"more pieces than are open", (&plan.Sent{Shards: 2, Pieces: 130, Fixed: 10, Back: 5, Open: 64}).Load(), &plan.Load{Bytes: 1305, Parcels: 129, Hops: 3, Flows: 64}},
		{"one piece after the other", (&plan.Sent{Shards: 3, Pieces: 3, Open: 1}).Load(), &plan.Load{Parcels: 2, Hops: 3, Flows: 1}},
		{"a tree of one", (&plan.Sent{Shards: 1, Pieces: 1, Back: 8, Tree: true}).Load(), &plan.Load{Bytes: 8, Hops: 1}},
		{"a tree of three", (&plan.Sent{Shards: 3, Pieces: 3, Fixed: 7, Back: 30, Tree: true}).Load(), &plan.Load{Bytes: 7 + 30 + 2*7 + 20, Hops: 2}},
		{"a walk", (&plan.Walked{States: 1, Shards: 4, Bytes: 8, First: 8, Moves: 6}).Load(), &plan.Load{Bytes: 8 + 48 + 8, Hops: 4}},
		{"a walk within one shard", (&plan.Walked{States: 5, Shards: 1, Bytes: 8, First: 40, Moves: 0}).Load(), &plan.Load{Bytes: 80, Hops: 1}},
		{"a walk that is brought rows", (&plan.Brought{States: 1, Shards: 4, Columns: 2, Rounds: 10, Row: 16, Together: 100}).Load(), &plan.Load{Bytes: 320, Parcels: 10, Hops: 10}},
		{"two after the other", (&plan.Brought{States: 2, Shards: 1, Columns: 1, Rounds: 10, Row: 8, Together: 1}).Load(), &plan.Load{Bytes: 320, Hops: 20}},
	} {
		for i, pair := range [][2]float64{{c.got.Bytes, c.want.Bytes}, {c.got.Parcels, c.want.Parcels}, {c.got.Hops, c.want.Hops}, {c.got.Flows, c.want.Flows}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s: %+v, expected %+v (%d)", c.name, c.got, c.want, i)
				break
			}
		}
	}
}
