package cluster

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// sized is a table of which only the size is known.
type sized struct {
	data.Source
	rows int64
}

func (s sized) Rows() int64 { return s.rows }
func (s sized) Columns() []data.Column {
	return []data.Column{{Name: "a", Kind: num.I8}, {Name: "b", Kind: num.F64, Dims: []int64{2}}}
}

// TestShardsFor: equally many on each node, and none longer than nodes without native code reach.
func TestShardsFor(t *testing.T) {
	for _, c := range []struct {
		rows  int64
		nodes int
		want  int
	}{
		{0, 3, 3}, {1000, 1, 1}, {columnBytes / 16, 1, 1}, {columnBytes/16 + 1, 1, 2}, {columnBytes/16 + 1, 3, 3},
		{40 << 30 / 16, 5, 20}, {40<<30/16 + 1, 5, 25}, {5, 0, 1}, {1 << 50, 3, catalog.MaxShards},
	} {
		if got := shardsFor(sized{rows: c.rows}, c.nodes); got != c.want {
			t.Errorf("%d rows of 16 bytes on %d nodes: %d shards, expected %d", c.rows, c.nodes, got, c.want)
		}
	}
}
