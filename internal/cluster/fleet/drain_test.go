package fleet

import (
	"reflect"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// TestOnlyAt: shards of which a node has the only replica that can be reached.
func TestOnlyAt(t *testing.T) {
	const p, a, dead = 1, 2, 9
	of := func(assigned int, replicas ...catalog.Peer) catalog.Shard {
		return catalog.Shard{Assigned: make([]catalog.Peer, assigned), Replicas: replicas}
	}
	alone := catalog.Set{Name: "alone", Shards: []catalog.Shard{of(1, p), of(1, a)}}
	lost := catalog.Set{Name: "lost", Shards: []catalog.Shard{of(2, p, dead), of(2, p), of(2, p, a)}}
	twice := catalog.Set{Name: "twice", Shards: []catalog.Shard{of(2, p, a), of(1, a)}}
	for _, c := range []struct {
		sets []catalog.Set
		want Only
	}{
		{[]catalog.Set{twice}, Only{Lost: true}},
		{[]catalog.Set{alone, twice, lost}, Only{Shards: 3, Sets: []string{"alone", "lost"}}},
		{[]catalog.Set{lost, twice}, Only{Shards: 2, Sets: []string{"lost"}, Lost: true}},
	} {
		v := &catalog.View{Nodes: []catalog.Node{{Peer: p}, {Peer: a, Draining: true}}, Sets: c.sets}
		if got := OnlyAt(v, p); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v, expected %+v", got, c.want)
		}
	}
}

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
