package caller

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// learn takes a new view. A node that is gone from it, or has begun a new life,
// has lost what it had in hand and the kernels that it knew.
func (c *Core) learn(v *catalog.View) {
	if c.view != nil && v.Older(c.view) {
		return
	}
	old := c.view
	c.view = v
	c.before = old
	c.lessons++
	c.forget(old, v)
	c.relearn(v)
	for i := range v.Nodes {
		n := &v.Nodes[i]
		a := c.meet(n.Peer)
		a.name, a.gone, a.left = n.Name, false, 0
		if a.incarnation != n.Incarnation {
			if a.incarnation != 0 {
				clear(a.codes)
			}
			a.incarnation = n.Incarnation
		}
	}
	dead := ended(old, v)
	for _, p := range dead {
		if _, again := v.Node(p); !again {
			c.meet(p).left = max(c.now, 1)
		}
	}
	for _, op := range c.inOrder() {
		op.tries = 0 // what has failed may work now, or never
		for _, p := range dead {
			if c.ops[op.id] == op {
				c.lostBy(op, p)
			}
		}
		if c.ops[op.id] == op {
			op.work.learned(op)
		}
	}
	c.before = nil
}

// maxRemoved is how many names of removed sets are kept for messages.
const maxRemoved = 1024

// forget notes the names of sets that a later view has no more.
func (c *Core) forget(old, v *catalog.View) {
	if old == nil {
		return
	}
	for i := range old.Sets {
		if _, there := v.Set(old.Sets[i].ID); there {
			continue
		}
		if c.removed == nil || len(c.removed) >= maxRemoved {
			c.removed = map[uint32]string{}
		}
		c.removed[old.Sets[i].ID] = old.Sets[i].Name
	}
}

// ended lists the nodes of a view whose life is over in a later one.
func ended(old, v *catalog.View) []catalog.Peer {
	if old == nil {
		return nil
	}
	var list []catalog.Peer
	for i := range old.Nodes {
		was := &old.Nodes[i]
		if is, ok := v.Node(was.Peer); !ok || is.Incarnation != was.Incarnation {
			list = append(list, was.Peer)
		}
	}
	return list
}

// name is a node's name by the last view that had it.
func (c *Core) name(p catalog.Peer) string {
	if a, ok := c.nodes[p]; ok && a.name != "" {
		return a.name
	}
	if p == 0 {
		return ""
	}
	if c.view != nil {
		for _, a := range c.view.Away {
			if a.Peer == p {
				return a.Name
			}
		}
	}
	return fmt.Sprintf("#%d", p)
}

// setOf finds a data set in the newest view.
func (c *Core) setOf(id uint32) (*catalog.Set, *Error) {
	if c.view == nil {
		return nil, &Error{Reason: parcel.Unreachable, Shard: -1, Detail: "no view of the cluster has arrived yet; connect first"}
	}
	s, ok := c.view.Set(id)
	if !ok {
		if name := c.removed[id]; name != "" {
			return nil, &Error{Reason: parcel.NoShard, Shard: -1, Gone: true, Detail: fmt.Sprintf("@%s was removed or replaced while it was read: run it again", name)}
		}
		// Of a view that came and went while others were learned nothing is known here. Numbers are not used again, so another try is right.
		return nil, &Error{Reason: parcel.NoShard, Shard: -1, Gone: true, Detail: fmt.Sprintf("the cluster has no data set %d at revision %d; it may have been removed", id, c.view.Revision)}
	}
	return s, nil
}
