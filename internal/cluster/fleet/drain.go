package fleet

import (
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/repair"
)

// Draining is how far a node is that is being drained.
type Draining struct {
	Shards    int // that it holds
	Elsewhere int // of them, those of which there are enough copies without it
	Others    int // nodes that are alive and not being drained
}

// Done says that nothing is lost with the node.
func (e Draining) Done() bool { return e.Elsewhere == e.Shards }

// Only is what no node that is alive has but one.
type Only struct {
	Shards int
	Sets   []string // that they are of
	Lost   bool     // each was given to more nodes, which are to have it again
}

// OnlyAt is what no node that is alive has but p.
func OnlyAt(v *catalog.View, p catalog.Peer) Only {
	other := func(q catalog.Peer) bool {
		_, alive := v.Node(q)
		return alive && q != p
	}
	o := Only{Lost: true}
	for i := range v.Sets {
		before := o.Shards
		for j := range v.Sets[i].Shards {
			if s := &v.Sets[i].Shards[j]; slices.Contains(s.Replicas, p) && !slices.ContainsFunc(s.Replicas, other) {
				o.Shards++
				o.Lost = o.Lost && repair.Missing(v, s) > 0
			}
		}
		if o.Shards > before {
			o.Sets = append(o.Sets, v.Sets[i].Name)
		}
	}
	return o
}

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
