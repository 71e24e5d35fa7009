package caller

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// What a call reads may be removed or replaced meanwhile: the error has its name.
func TestRemovedSet(t *testing.T) {
	c := New(catalog.FirstClient, Options{})
	node := catalog.Node{Peer: 1, Name: "n1", Incarnation: 1}
	set := catalog.Set{ID: 7, Name: "flights", Rows: 1, Shards: []catalog.Shard{{Hi: 1, Assigned: []catalog.Peer{1}, Replicas: []catalog.Peer{1}}}}
	c.Step(1, &Learned{View: &catalog.View{Revision: 1, Nodes: []catalog.Node{node}, Sets: []catalog.Set{set}}})
	c.Step(2, &Learned{View: &catalog.View{Revision: 2, Nodes: []catalog.Node{node}}})
	for id, want := range map[uint32]string{7: "@flights was removed or replaced while it was read: run it again", 8: "the cluster has no data set 8"} {
		var said error
		for _, e := range c.Step(3, &Ask{ID: ID(id), Kind: parcel.Read, Set: id, Left: 1000}) {
			if d, ok := e.(*Deliver); ok {
				said = d.Err
			}
		}
		if said == nil || !strings.Contains(said.Error(), want) {
			t.Errorf("of set %d: %v", id, said)
		}
	}
}
