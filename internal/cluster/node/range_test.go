package node

import (
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// TestShardsOutOfRange: a client's parcel names shards that a set does not have, and owners
// that do not exist. It is refused, and the node goes on.
func TestShardsOutOfRange(t *testing.T) {
	const client = catalog.FirstClient + 1
	for _, shard := range []uint32{3, 4000, 1<<31 - 1, 1<<32 - 1} {
		for _, owner := range []catalog.Peer{1, 2, 1000} {
			c := New(1, Limits{Parcels: 9, Bytes: 1 << 20, Steps: 1 << 20, Turns: 9, Codes: 9, CodeBytes: 1 << 20, Jobs: 9, Calls: 9, Retry: 9, RegionBytes: 1 << 20,
				ClientParcels: 9, ClientBytes: 1 << 20, ClientKernels: 9})
			c.Step(0, &Learned{View: &catalog.View{Revision: 1, Nodes: []catalog.Node{{Peer: 1, Incarnation: 1}}, Sets: []catalog.Set{{ID: 1, Name: "s", Rows: 9,
				Shards: []catalog.Shard{{Hi: 3, Assigned: []catalog.Peer{1}}, {Lo: 3, Hi: 6}, {Lo: 6, Hi: 9, Replicas: []catalog.Peer{1}}}}}}})
			tree := parcel.Tree{Task: parcel.Task{Set: 1}, Pieces: []parcel.Piece{{Owner: owner, Shard: shard, Hi: 5}}}
			p := parcel.Header{Kind: parcel.Fan, Flags: parcel.Builtin, Hops: 3, Left: 1000, Request: 1, Caller: client, Code: 1}
			failed := owner == 1 // what is this node's own by the parcel begins, and the job finds no shard
			for _, e := range c.Step(1, &Received{From: client, Bytes: tree.Append(p.Append(nil, nil))}) {
				if s, ok := e.(*Send); ok && s.To == client {
					h, _, _, err := parcel.ReadHeader(s.Bytes)
					failed = err == nil && h.Kind == parcel.Fail
				}
			}
			if !failed {
				t.Errorf("a piece of shard %d at node %d was not refused", shard, owner)
			}
			if s := c.Status(); s.Requests > 1 {
				t.Errorf("%d requests are in hand", s.Requests)
			}
		}
	}
}
