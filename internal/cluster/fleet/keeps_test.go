package fleet

import (
	"reflect"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// TestOnlyAt: shards which a node has and no other node says it has, whatever the records say of that.
func TestOnlyAt(t *testing.T) {
	const p, a, dead = 1, 2, 9
	of := func(assigned int, replicas ...catalog.Peer) catalog.Shard {
		return catalog.Shard{Assigned: make([]catalog.Peer, assigned), Replicas: replicas}
	}
	alone := catalog.Set{ID: 1, Name: "alone", Shards: []catalog.Shard{of(1, p), of(1, a)}}
	lost := catalog.Set{ID: 2, Name: "lost", Shards: []catalog.Shard{of(2, p, dead), of(2, p), of(2, p, a)}}
	twice := catalog.Set{ID: 3, Name: "twice", Shards: []catalog.Shard{of(2, p, a), of(1, a)}}
	empty := catalog.Set{ID: 4, Name: "empty", Shards: []catalog.Shard{of(2, p, a)}} // a has begun anew, and the records do not know yet
	holds := map[holding]bool{{a, 1, 1}: true, {a, 2, 2}: true, {a, 3, 0}: true, {a, 3, 1}: true, {p, 1, 0}: true}
	for _, c := range []struct {
		sets []catalog.Set
		want Only
	}{
		{[]catalog.Set{twice}, Only{Lost: true}},
		{[]catalog.Set{alone, twice, lost}, Only{Shards: 3, Sets: []string{"alone", "lost"}}},
		{[]catalog.Set{lost, twice}, Only{Shards: 2, Sets: []string{"lost"}, Lost: true}},
		{[]catalog.Set{empty}, Only{Shards: 1, Sets: []string{"empty"}, Lost: true}},
	} {
		v := &catalog.View{Nodes: []catalog.Node{{Peer: p}, {Peer: a, Draining: true}, {Peer: dead}}, Sets: c.sets}
		if got := OnlyAt(v, p, holds); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v, expected %+v", got, c.want)
		}
	}
}
