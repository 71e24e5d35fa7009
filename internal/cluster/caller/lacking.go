package caller

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// A node that does not hold a shard says so in a failure, which names the two. From then
// on nothing about the shard goes there: no ask, no state of a walk, no piece of a fan. That
// ends when a view shows that the node holds the shard again, after one in which it did not, when the
// node begins another life, or after Options.Forget, because views may be skipped.

// replica is a node's copy of a shard.
type replica struct {
	node  catalog.Peer
	set   uint32
	shard int
}

// lack is what is known of a replica that is not there.
type lack struct {
	incarnation int64  // of the life that said so
	since       int64  // when
	unsaid      bool   // a view since then, or the one at that time, does not name it
	why         string // in the node's words
}

// grace is for which part of Options.Wait after its life has ended a node is waited for
// as if it were alive: one that was cut off joins again within moments.
const grace = 5

// lacking takes note of a failure that names a replica which is not there.
func (c *Core) lacking(f *parcel.Failure) {
	if f.Reason != parcel.NoShard || f.Set == 0 || f.Shard < 0 || c.view == nil {
		return
	}
	r := replica{f.Node, f.Set, int(f.Shard)}
	k := &lack{incarnation: c.meet(f.Node).incarnation, since: c.now, why: f.Detail}
	set, ok := c.view.Set(r.set)
	if !ok || r.shard >= len(set.Shards) {
		return
	}
	k.unsaid = !slices.Contains(set.Shards[r.shard].Replicas, r.node)
	if !c.lacks(r.node, r.set, r.shard) {
		c.lessons++
	}
	c.lacked[r] = k
}

// lacks reports whether a node is known not to have a shard.
func (c *Core) lacks(p catalog.Peer, set uint32, shard int) bool {
	k := c.lacked[replica{p, set, shard}]
	return k != nil && c.now-k.since < c.opt.Forget
}

// relearn forgets what a new view makes doubtful of replicas that are not there.
func (c *Core) relearn(v *catalog.View) {
	for r, k := range c.lacked {
		set, ok := v.Set(r.set)
		n, alive := v.Node(r.node)
		switch {
		case !ok, r.shard >= len(set.Shards), c.now-k.since >= c.opt.Forget, alive && n.Incarnation != k.incarnation:
			delete(c.lacked, r)
		case !slices.Contains(set.Shards[r.shard].Replicas, r.node):
			k.unsaid = true
		case k.unsaid:
			delete(c.lacked, r)
		}
	}
}

// choose picks among the live replicas of a shard that are not known to be missing: by turn
// among those that can be reached now, else all in turn by the number of tries, because a
// connection may come back. If no node says that it holds the shard, those that were given it are
// asked: they may have started just now, and else they say why. 0 if there is none.
func (c *Core) choose(set *catalog.Set, shard, turn, tries int) catalog.Peer {
	s := &set.Shards[shard]
	if p := c.among(s.Replicas, set, shard, turn, tries); p != 0 {
		return p
	}
	return c.among(s.Assigned, set, shard, turn, tries)
}

func (c *Core) among(list []catalog.Peer, set *catalog.Set, shard, turn, tries int) catalog.Peer {
	var near, live []catalog.Peer
	for _, p := range list {
		if _, alive := c.view.Node(p); !alive || c.lacks(p, set.ID, shard) {
			continue
		}
		live = append(live, p)
		if !c.meet(p).gone {
			near = append(near, p)
		}
	}
	switch {
	case len(near) > 0:
		return c.quick(near, turn)
	case len(live) > 0:
		return live[tries%len(live)]
	}
	return 0
}

// quick is whose turn it is, or the next one after that which is not to be avoided.
func (c *Core) quick(list []catalog.Peer, turn int) catalog.Peer {
	first := list[turn%len(list)]
	if c.opt.Avoid == nil || len(list) == 1 || !c.opt.Avoid(first) {
		return first
	}
	for i := 1; i < len(list); i++ {
		if p := list[(turn+i)%len(list)]; !c.opt.Avoid(p) {
			return p
		}
	}
	return first
}

// nobody says how to go on when there is no replica of a shard to choose: nil to wait a moment
// for one that has just been lost, or the error.
func (c *Core) nobody(op *operation, set *catalog.Set, shard int) *Error {
	c.stuck(op)
	if c.now-op.since <= c.opt.Wait && slices.ContainsFunc(set.Shards[shard].Everyone(), func(p catalog.Peer) bool {
		a, ok := c.nodes[p]
		return ok && a.left != 0 && c.now-a.left < c.opt.Wait/grace && !c.lacks(p, set.ID, shard)
	}) {
		return nil
	}
	return c.unreachable(set, shard)
}

// stuck notes since when an operation has waited for what others lack. After a gap of 2×Wait it
// counts anew.
func (c *Core) stuck(op *operation) {
	if !op.stuck || c.now-op.last.at > 2*c.opt.Wait {
		op.stuck, op.since = true, c.now
	}
	op.last.at = c.now
}

// unreachable is the error for a shard without a replica that can be asked. It says of each
// what became of it.
func (c *Core) unreachable(s *catalog.Set, shard int) *Error {
	e := &Error{Reason: parcel.Unreachable, Set: s.Name, ID: s.ID, Texts: catalog.TextsOwner(c.view, s), Shard: shard}
	var dead, other []string
	for _, p := range s.Shards[shard].Everyone() {
		_, alive := c.view.Node(p)
		if e.Node == 0 || c.lacks(p, s.ID, shard) && e.Reason != parcel.NoShard {
			e.Node, e.Name = p, c.name(p)
		}
		switch {
		case c.lacks(p, s.ID, shard):
			e.Reason = parcel.NoShard
			other = append(other, fmt.Sprintf("%s: %s", c.name(p), c.lacked[replica{p, s.ID, shard}].why))
		case !alive:
			dead = append(dead, c.name(p))
		default:
			other = append(other, fmt.Sprintf("%s cannot be reached", c.name(p)))
		}
	}
	e.Detail = "no replica of the shard is left: " + strings.Join(other, "; ")
	switch {
	case len(other) == 0:
		e.Detail = "no node that holds the shard is alive: " + strings.Join(dead, ", ") + "; start one of them again"
	case len(dead) > 0:
		e.Detail += fmt.Sprintf("; not alive: %s; start one of them again", strings.Join(dead, ", "))
	default:
		e.Detail += "; load the data set again, with --replace"
	}
	return e
}
