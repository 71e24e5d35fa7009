package caller

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// TestAvoid: of the replicas of a shard those are preferred that are not slow, and where all are, whose turn it is.
func TestAvoid(t *testing.T) {
	slow := map[catalog.Peer]bool{}
	c := New(catalog.FirstClient, Options{Avoid: func(p catalog.Peer) bool { return slow[p] }})
	view := &catalog.View{Revision: 1, Nodes: []catalog.Node{{Peer: 1, Name: "a"}, {Peer: 2, Name: "b"}, {Peer: 3, Name: "c"}},
		Sets: []catalog.Set{{ID: 1, Name: "s", Rows: 1, Shards: []catalog.Shard{{Hi: 1, Replicas: []catalog.Peer{1, 2, 3}}, {Replicas: []catalog.Peer{1}}}}}}
	c.Step(0, &Learned{View: view})
	for _, x := range []struct {
		slow  []catalog.Peer
		shard int
		turn  int
		want  catalog.Peer
	}{{nil, 0, 0, 1}, {nil, 0, 1, 2}, {[]catalog.Peer{1}, 0, 0, 2}, {[]catalog.Peer{1, 2}, 0, 0, 3}, {[]catalog.Peer{3}, 0, 2, 1}, {[]catalog.Peer{1, 2, 3}, 0, 1, 2}, {[]catalog.Peer{1}, 1, 0, 1}} {
		clear(slow)
		for _, p := range x.slow {
			slow[p] = true
		}
		if got := c.choose(&view.Sets[0], x.shard, x.turn, 0); got != x.want {
			t.Errorf("%v are slow, shard %d, turn %d: node %d, expected %d", x.slow, x.shard, x.turn, got, x.want)
		}
	}
}
