package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// In: a view of the cluster. Out: which nodes get the shards of a new data set, the same for the same
// view. Nodes that are drained get none, and far sets go to far nodes, others to the others.

// emptiest lists the nodes that may get shards, first those that were given the fewest bytes, of these those
// with the fewest shards.
func emptiest(v *catalog.View, far bool) []catalog.Peer {
	type weight struct{ bytes, shards int64 }
	has := map[catalog.Peer]weight{}
	for _, s := range v.Sets {
		for i := range s.Shards {
			for _, p := range s.Shards[i].Everyone() {
				has[p] = weight{has[p].bytes + s.Shards[i].Bytes, has[p].shards + 1}
			}
		}
	}
	var list []catalog.Peer
	for _, n := range v.Nodes {
		if !n.Draining && n.Far == far {
			list = append(list, n.Peer)
		}
	}
	slices.SortFunc(list, func(a, b catalog.Peer) int {
		return cmp.Or(cmp.Compare(has[a].bytes, has[b].bytes), cmp.Compare(has[a].shards, has[b].shards), cmp.Compare(a, b))
	})
	return list
}

// assigned are the nodes of a shard: the first in turn, and replicas on others. After each round through all
// nodes the replicas lie one node further on, so that what a node that is lost did falls to several.
func assigned(nodes []catalog.Peer, shard, replicas int) []catalog.Peer {
	n := len(nodes)
	list := []catalog.Peer{nodes[shard%n]}
	for r := range replicas - 1 {
		list = append(list, nodes[(shard+1+(r+shard/n)%(n-1))%n])
	}
	return list
}

// placement is who has which shard of a set that is being loaded.
type placement struct {
	mu   sync.Mutex
	set  *catalog.Set
	life map[catalog.Peer]int64 // of each node when the load began
	lost map[catalog.Peer]bool
}

func newPlacement(v *catalog.View, set *catalog.Set) *placement {
	p := &placement{set: set, life: map[catalog.Peer]int64{}, lost: map[catalog.Peer]bool{}}
	for _, n := range v.Nodes {
		p.life[n.Peer] = n.Incarnation
	}
	return p
}

// ended reports that a node has ended since the load began: it may be back, without what it was sent.
func (p *placement) ended(v *catalog.View, node catalog.Peer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, alive := v.Node(node)
	return !alive || n.Incarnation != p.life[node]
}

// of are the nodes of a shard.
func (p *placement) of(shard int) []catalog.Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.set.Shards[shard].Assigned)
}

// replace gives a shard to another node in place of one that has ended: of those that have the fewest shards
// of the set the emptiest.
func (p *placement) replace(v *catalog.View, shard int, gone catalog.Peer) (catalog.Peer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost[gone] = true
	count := map[catalog.Peer]int{}
	for i := range p.set.Shards {
		for _, q := range p.set.Shards[i].Assigned {
			count[q]++
		}
	}
	to := &p.set.Shards[shard].Assigned
	free := slices.DeleteFunc(emptiest(v, p.set.Far), func(q catalog.Peer) bool { return slices.Contains(*to, q) || p.lost[q] })
	if len(free) == 0 {
		return 0, fmt.Errorf("no other node is alive that could take it: %d replicas need as many nodes", len(*to))
	}
	next := slices.MinFunc(free, func(a, b catalog.Peer) int { return cmp.Compare(count[a], count[b]) })
	(*to)[slices.Index(*to, gone)] = next
	if n, alive := v.Node(next); alive {
		p.life[next] = n.Incarnation
	}
	return next, nil
}
