package fleet

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

func TestDrainingOf(t *testing.T) {
	const leaving, draining, a, b, dead = 1, 2, 3, 4, 9
	view := func(assigned int, replicas ...catalog.Peer) *catalog.View {
		return &catalog.View{
			Nodes: []catalog.Node{{Peer: leaving}, {Peer: draining, Draining: true}, {Peer: a}, {Peer: b}},
			Sets:  []catalog.Set{{ID: 1, Shards: []catalog.Shard{{Assigned: make([]catalog.Peer, assigned), Replicas: replicas}}}},
		}
	}
	for _, c := range []struct {
		name     string
		assigned int
		replicas []catalog.Peer
		shards   int
		done     bool
	}{
		{"it holds nothing", 1, []catalog.Peer{a}, 0, true},
		{"it alone", 1, []catalog.Peer{leaving}, 1, false},
		{"another one, too", 1, []catalog.Peer{leaving, a}, 1, true},
		{"one that is drained, too, does not count", 1, []catalog.Peer{leaving, draining}, 1, false},
		{"one that is dead does not count", 1, []catalog.Peer{leaving, dead}, 1, false},
		{"one copy of two is missing", 2, []catalog.Peer{leaving, a}, 1, false},
		{"both copies are elsewhere", 2, []catalog.Peer{leaving, a, b}, 1, true},
		{"more copies than there are nodes", 4, []catalog.Peer{leaving, a, b}, 1, true},
	} {
		e := DrainingOf(view(c.assigned, c.replicas...), leaving)
		if e.Shards != c.shards || e.Done() != c.done || e.Others != 2 {
			t.Errorf("%s: %+v, done %v; expected %d shards, done %v", c.name, e, e.Done(), c.shards, c.done)
		}
	}
}
