package cluster

import (
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// nodesOf is a view of nodes without data.
func nodesOf(n int) *catalog.View {
	v := &catalog.View{}
	for i := range n {
		v.Nodes = append(v.Nodes, catalog.Node{Peer: catalog.Peer(i + 1)})
	}
	return v
}

// Data sets of one shard spread over all nodes that are not drained, the next one on the emptiest.
func TestEmptiest(t *testing.T) {
	v := nodesOf(6)
	v.Nodes[3].Draining = true
	var on []catalog.Peer
	for range 10 {
		p := assigned(emptiest(v, false), 0, 1)[0]
		on = append(on, p)
		v.Sets = append(v.Sets, catalog.Set{Shards: []catalog.Shard{{Assigned: []catalog.Peer{p}, Replicas: []catalog.Peer{p}, Bytes: 100}}})
	}
	if want := []catalog.Peer{1, 2, 3, 5, 6, 1, 2, 3, 5, 6}; !slices.Equal(on, want) {
		t.Errorf("the shards are on %v, want %v", on, want)
	}
	v.Sets = append(v.Sets, catalog.Set{Shards: []catalog.Shard{{Assigned: []catalog.Peer{1}, Bytes: 1000}}}, catalog.Set{Shards: []catalog.Shard{{Assigned: []catalog.Peer{2}}}})
	if got, want := emptiest(v, false), []catalog.Peer{3, 5, 6, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
}

// Replicas of a shard are on different nodes, each node gets as many as others, and what a lost node did falls
// to all others.
func TestAssigned(t *testing.T) {
	for n := 1; n <= 6; n++ {
		nodes := emptiest(nodesOf(n), false)
		for replicas := 1; replicas <= n; replicas++ {
			count, second := map[catalog.Peer]int{}, map[catalog.Peer]bool{}
			for shard := range n * n {
				on := assigned(nodes, shard, replicas)
				for i, p := range on {
					count[p]++
					if slices.Contains(on[:i], p) {
						t.Fatalf("%d nodes, %d replicas: shard %d is on %v", n, replicas, shard, on)
					}
				}
				if replicas > 1 && on[0] == 1 {
					second[on[1]] = true
				}
			}
			for p, c := range count {
				if c != n*replicas {
					t.Errorf("%d nodes, %d replicas: node %d has %d, want %d", n, replicas, p, c, n*replicas)
				}
			}
			if replicas > 1 && len(second) != n-1 {
				t.Errorf("%d nodes: what node 1 did falls to %v", n, second)
			}
		}
	}
}
