package simulate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// refusal is what a node has told a client: that it lacks a shard. The client does not send it
// anything about the shard again until a view makes that doubtful.
type refusal struct {
	node catalog.Peer
	name name
}

// forgotten is after what time a client may ask again without a reason.
const forgotten = 29 * second

// hear notes what a parcel for the client says, if the client's view says otherwise.
func (c *client) hear(b []byte) {
	p, err := parcel.Decode(b)
	if err != nil || p.Kind != parcel.Fail {
		return
	}
	f, err := parcel.ReadFailure(p.Payload)
	if err != nil || f.Reason != parcel.NoShard || f.Set == 0 || f.Shard < 0 {
		return
	}
	c.w.counts.Refusals++
	if set, ok := c.view.Set(f.Set); ok && slices.Contains(set.Shards[f.Shard].Replicas, f.Node) {
		c.refused[refusal{f.Node, name{f.Set, int(f.Shard)}}] = c.w.now
	}
}

// relearn forgets what a view makes doubtful.
func (c *client) relearn(v *catalog.View) {
	if c.view != nil && v.Older(c.view) {
		return
	}
	c.view = v
	for r := range c.refused {
		set, _ := v.Set(r.name.set)
		_, alive := v.Node(r.node)
		if !alive || !slices.Contains(set.Shards[r.name.shard].Replicas, r.node) || v.Revision > 0 && c.lives[r.node] != v.Nodes[c.at(v, r.node)].Incarnation {
			delete(c.refused, r)
		}
	}
	for _, n := range v.Nodes {
		c.lives[n.Peer] = n.Incarnation
	}
}

func (c *client) at(v *catalog.View, p catalog.Peer) int {
	return slices.IndexFunc(v.Nodes, func(n catalog.Node) bool { return n.Peer == p })
}

// check holds what the client sends against what it was told.
func (c *client) check(s *caller.Send) {
	p, err := parcel.Decode(s.Bytes)
	if err != nil {
		return
	}
	about := func(to catalog.Peer, set uint32, shard int) {
		if at, ok := c.refused[refusal{to, name{set, shard}}]; ok && c.w.now-at < forgotten {
			c.w.fail("%s sends a %s about shard %d of set %d to node %d, which has said that it lacks it", c.name, p.Kind, shard, set, to)
		}
	}
	switch p.Kind {
	case parcel.Read:
		if g, err := parcel.ReadGather(p.Payload); err == nil {
			about(s.To, g.Set, c.w.tables[g.Set-1].set.ShardOf(g.Lo))
		}
	case parcel.Fan:
		if t, err := parcel.ReadTree(p.Payload); err == nil {
			for _, x := range t.Pieces {
				about(x.Owner, t.Task.Set, int(x.Shard))
			}
		}
	case parcel.Walk:
		if b := new(parcel.Batch); parcel.ReadBatch(b, p.Payload) == nil {
			for i := range b.States {
				about(s.To, b.Set, c.w.tables[b.Set-1].set.ShardOf(b.Want(i)))
			}
		}
	}
}
