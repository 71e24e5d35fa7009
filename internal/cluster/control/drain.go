package control

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// drainRecord marks a node that is to be drained. It is not under the node's lease, so that
// it outlives restarts.
type drainRecord struct {
	Format int `json:"format"`
}

// UnknownError says that no node ever had a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no node %q, and never was", e.Name)
}

func (g *registry) Drain(ctx context.Context, name string, on bool) error {
	const what = "mark a node"
	start := time.Now()
	ctx, cancel := g.bounded(ctx)
	defer cancel()
	recs, _, err := g.rec.read(ctx, nameKey(name))
	if err != nil {
		return g.failed(what, start, err)
	}
	if len(recs) == 0 {
		return &UnknownError{name}
	}
	var n nameRecord
	if err := decode(recs[0].key, recs[0].value, &n, &n.Format); err != nil {
		return g.failed(what, start, err)
	}
	mark := change{key: numbered(drainPrefix, uint32(n.Peer))}
	if on {
		mark.value = encode(drainRecord{format})
	}
	if !on {
		// A node that is not alive when its mark is taken back is not waited for any more.
		absent := condition{key: numbered(nodePrefix, uint32(n.Peer))}
		forgotten, _, err := g.rec.commit(ctx, []condition{absent}, []change{mark, {key: numbered(knownPrefix, uint32(n.Peer))}})
		if forgotten || err != nil {
			return g.failed(what, start, err)
		}
	}
	_, _, err = g.rec.commit(ctx, nil, []change{mark})
	return g.failed(what, start, err)
}

// drain notes a mark in the view's nodes, and in those that join later.
func (b *builder) drain(r record) error {
	n, err := numberOf(drainPrefix, r.key)
	if err != nil {
		return err
	}
	var d drainRecord
	if r.value != nil {
		if err := decode(r.key, r.value, &d, &d.Format); err != nil {
			return err
		}
		b.draining[catalog.Peer(n)] = true
	} else {
		delete(b.draining, catalog.Peer(n))
	}
	for i := range b.nodes {
		b.nodes[i].Draining = b.draining[b.nodes[i].Peer]
	}
	return nil
}
