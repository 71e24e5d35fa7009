package fleet

import (
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Draining is how far a node is that is being drained.
type Draining struct {
	Shards    int // that it holds
	Elsewhere int // of them, those of which there are enough copies without it
	Others    int // nodes that are alive and not being drained
}

// Done says that nothing is lost with the node.
func (e Draining) Done() bool { return e.Elsewhere == e.Shards }

// DrainingOf looks at what node p holds. A shard needs as many copies on others as it was loaded
// with, or one on each if there are not so many.
func DrainingOf(v *catalog.View, p catalog.Peer) (e Draining) {
	stays := func(q catalog.Peer) bool {
		n, alive := v.Node(q)
		return alive && !n.Draining && q != p
	}
	for i := range v.Nodes {
		if stays(v.Nodes[i].Peer) {
			e.Others++
		}
	}
	for i := range v.Sets {
		for j := range v.Sets[i].Shards {
			s := &v.Sets[i].Shards[j]
			if !slices.Contains(s.Replicas, p) {
				continue
			}
			have := 0
			for _, q := range s.Replicas {
				if stays(q) {
					have++
				}
			}
			e.Shards++
			if have >= max(1, min(len(s.Assigned), e.Others)) {
				e.Elsewhere++
			}
		}
	}
	return e
}
