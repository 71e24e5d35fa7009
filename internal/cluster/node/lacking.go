package node

import (
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// A view is news of some time ago, and a node knows its own disk now. What it learns
// there comes in as Lacks and Holds, and overrides what any view says of this node: what
// it lacks is never resumed or run here but passed on to another replica, and what it
// holds is.

// Lacks says that this node does not hold a shard: its file was found to be damaged or
// missing. Why is told when no other replica is left.
type Lacks struct {
	Set   uint32
	Shard int
	Why   string
}

// Holds says that this node holds a shard, whole: it was made again.
type Holds struct {
	Set   uint32
	Shard int
}

func (*Lacks) input() {}
func (*Holds) input() {}

// shardName tells a shard from all others.
type shardName struct {
	set   uint32
	shard int
}

// onDisk is what a node found on its own disk of a shard. It stands until the node finds
// something else, or the set is no more.
type onDisk struct {
	holds bool
	why   string // it does not
}

// forgetSets forgets what is known of sets that the view does not have any more.
func (c *Core) forgetSets() {
	for n := range c.disk {
		if _, ok := c.view.Set(n.set); !ok {
			delete(c.disk, n)
		}
	}
}

// lacks reports that this node was found not to hold a shard.
func (c *Core) lacks(set uint32, shard int) bool {
	d, known := c.disk[shardName{set, shard}]
	return known && !d.holds
}

// holds reports whether this node holds a shard, by what it knows itself, else by the
// view.
func (c *Core) holds(set *catalog.Set, shard int) bool {
	if d, known := c.disk[shardName{set.ID, shard}]; known {
		return d.holds
	}
	return shard < len(set.Shards) && slices.Contains(set.Shards[shard].Replicas, c.self)
}

// other is a live replica of a shard on another node, 0 if none can be reached. A node
// that was found to lack a shard passes on only to those behind it in the order of the
// shard's replicas, which is the same for all: else two that lack it, and have not heard of
// each other, would pass states to and fro. Their caller knows both and goes to a third.
func (c *Core) other(set *catalog.Set, shard int) catalog.Peer {
	if shard >= len(set.Shards) {
		return 0
	}
	s, lacks := &set.Shards[shard], c.lacks(set.ID, shard)
	return c.view.Owner(s, func(p catalog.Peer) bool {
		return p != c.self && c.usable(p) && !(lacks && s.Before(p, c.self))
	})
}

// nowhere is the failure of what needs a shard of which no replica can be reached. If
// this node had one, it says what became of it, so that the caller does not come here again.
func (c *Core) nowhere(set uint32, shard int) *parcel.Failure {
	f := &parcel.Failure{Reason: parcel.Unreachable, Set: set, Shard: int32(shard),
		Detail: fmt.Sprintf("no live replica of shard %d of set %d%s can be reached", shard, set, c.inWords(set))}
	if d := c.disk[shardName{set, shard}]; c.lacks(set, shard) {
		f.Reason, f.Detail = parcel.NoShard, fmt.Sprintf("%s; and %s", d.why, f.Detail)
	} else if s, ok := c.view.Set(set); ok && shard < len(s.Shards) && slices.Contains(s.Shards[shard].Assigned, c.self) && !c.holds(s, shard) {
		f.Reason, f.Detail = parcel.NoShard, "it is not on this node; and "+f.Detail
	}
	return f
}

// inWords is the name of a set in parentheses, empty if it is not known.
func (c *Core) inWords(id uint32) string {
	set, ok := c.view.Set(id)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (%s)", set.Name)
}
