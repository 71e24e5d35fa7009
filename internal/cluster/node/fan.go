package node

import (
	"errors"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// fan is a tree in flight: a task whose pieces run here and at other nodes.
type fan struct {
	held  *held
	parts []part
	outs  int   // operands that are Out
	open  int   // parts without an answer
	bytes int64 // of the answers in flight
}

// part is some of a tree's pieces: one that runs here, or those that another
// node sees to.
type part struct {
	child  *child // nil if it runs here
	answer *parcel.Answer
}

// child is a request of this node's own.
type child struct {
	fan         *fan
	part        int
	number      uint64
	to          catalog.Peer
	incarnation int64 // of the life of that node which has it
}

// spreadable tells why a tree cannot be cut into its pieces.
func spreadable(t *parcel.Tree) error {
	if t.Task.Keep != nil {
		return errors.New("the pieces of a fan end where they are said to, and not where they have kept enough; use a run")
	}
	for i, o := range t.Task.Operands {
		if o.How == parcel.InOut {
			return fmt.Errorf("operand %d of a fan is in and out, which pieces that run at the same time cannot share; use a run", i)
		}
	}
	return nil
}

// spread cuts a tree into parts and starts them. What is not this node's own
// goes on in at most two halves.
func (c *Core) spread(h *held, t *parcel.Tree) {
	var own, foreign []parcel.Piece
	for _, p := range t.Pieces {
		owner := c.holder(&p, t.Task.Set)
		if owner == 0 {
			f := c.nowhere(t.Task.Set, int(p.Shard))
			f.Detail = fmt.Sprintf("outer indices %d to %d of node %d: %s", p.Lo, p.Hi, p.Owner, f.Detail)
			c.unspread(h, f)
			return
		}
		if p.Owner = owner; owner == c.self {
			own = append(own, p)
		} else {
			foreign = append(foreign, p)
		}
	}
	if len(foreign) > 0 && h.Hops == 0 {
		c.unspread(h, &parcel.Failure{Reason: parcel.HopsSpent, Set: t.Task.Set, Shard: -1, Detail: fmt.Sprintf(
			"%d pieces belong to other nodes, but the parcel may not be forwarded any more", len(foreign))})
		return
	}
	f := &fan{held: h, outs: t.Outs()}
	h.req.fan = f
	for _, half := range [][]parcel.Piece{foreign[:(len(foreign)+1)/2], foreign[(len(foreign)+1)/2:]} {
		if len(half) > 0 {
			c.delegate(f, t, half)
		}
	}
	mine := parcel.Tree{Task: t.Task, Pieces: own}
	for i := range own {
		c.own(f, mine.Piece(i))
	}
}

// unspread fails a tree of which nothing was started.
func (c *Core) unspread(h *held, f *parcel.Failure) {
	c.fail(h.req, h.Code, f)
	c.release(h)
	c.settle(h.req)
}

// holder is who runs a piece: its owner, else, or if that is this node and it lacks the
// shard, a live replica of its shard, this node first; 0 if there is none.
func (c *Core) holder(p *parcel.Piece, id uint32) catalog.Peer {
	if p.Owner == c.self {
		if !c.lacks(id, int(p.Shard)) {
			return c.self
		}
	} else if _, alive := c.view.Node(p.Owner); alive && c.usable(p.Owner) {
		return p.Owner
	}
	set, ok := c.view.Set(id)
	if !ok || int64(p.Shard) >= int64(len(set.Shards)) {
		return 0
	}
	if c.holds(set, int(p.Shard)) {
		return c.self
	}
	return c.other(set, int(p.Shard))
}

// own starts a piece here.
func (c *Core) own(f *fan, t *parcel.Task) {
	f.held.refs++
	c.do(f.held, len(f.parts), f.held.compute(t))
	f.parts = append(f.parts, part{})
	f.open++
}

// delegate sends pieces to the owner of the first. Kernels do not travel along;
// who lacks one asks.
func (c *Core) delegate(f *fan, t *parcel.Tree, pieces []parcel.Piece) {
	some := parcel.Tree{Task: t.Task, Pieces: pieces, For: f.held.client.peer}
	some.Task.Partial.Kernel = nil
	to := pieces[0].Owner
	c.lastChild++
	k := &child{fan: f, part: len(f.parts), number: c.lastChild, to: to, incarnation: c.incarnation(to)}
	c.children[k.number] = k
	f.parts = append(f.parts, part{child: k})
	f.open++
	h := f.held
	header := parcel.Header{Kind: parcel.Fan, Flags: h.Flags & parcel.Builtin, Hops: h.Hops - 1, Left: c.left(h.req),
		Request: k.number, Caller: c.self, Code: h.Code}
	c.send(to, parcel.Fan, some.Append(header.Append(make([]byte, 0, len(h.raw)), nil)))
}

// childAnswered takes a Result or Fail, which only requests of this node's own
// have.
func (c *Core) childAnswered(from catalog.Peer, h *parcel.Header, raw, payload []byte) {
	k := c.children[h.Request]
	if h.Caller != c.self || k == nil || k.to != from {
		c.counts.dropped[unexpected]++
		return
	}
	delete(c.children, k.number)
	f := k.fan
	f.parts[k.part].child = nil
	var failed *parcel.Failure
	if h.Kind == parcel.Fail {
		var err error
		if failed, err = parcel.ReadFailure(payload); err != nil {
			failed = &parcel.Failure{Reason: parcel.Internal, Node: from, Shard: -1, Detail: "its failure cannot be read: " + err.Error()}
		}
		c.abort(f, failed)
		return
	}
	a, err := parcel.ReadAnswer(payload)
	if err != nil {
		c.abort(f, &parcel.Failure{Reason: parcel.Internal, Node: from, Shard: -1, Detail: "its answer cannot be read: " + err.Error()})
		return
	}
	if c.bytes+int64(len(raw)) > c.limits.Bytes {
		c.abort(f, &parcel.Failure{Reason: parcel.Busy, Node: c.self, Shard: -1, Retry: uint32(c.limits.Retry), Detail: fmt.Sprintf(
			"the rows of node %d do not fit: %d bytes are in hand, the limit is %d", from, c.bytes, c.limits.Bytes)})
		return
	}
	f.bytes += int64(len(raw))
	c.weigh(f.held, int64(len(raw)))
	a.Hops++
	c.join(f, k.part, a)
	c.settle(f.held.req)
}

// abort ends a fan with the failure of a part.
func (c *Core) abort(f *fan, failed *parcel.Failure) {
	h := f.held
	failed.States = nil
	c.deny(h.Caller, &parcel.Header{Request: h.Request, Caller: h.Caller, Code: h.Code, Left: c.left(h.req)}, failed)
	c.drop(h.req)
}

// childrenLost fails a fan that waits for a child which cannot answer.
func (c *Core) childrenLost(f *fan, lost func(*child) bool) {
	for _, p := range f.parts {
		if p.child != nil && lost(p.child) {
			c.abort(f, &parcel.Failure{Reason: parcel.Unreachable, Node: p.child.to, Shard: -1,
				Detail: fmt.Sprintf("node %d was lost while it worked on a part", p.child.to)})
			return
		}
	}
}

// join takes the answer of a part, and after the last one answers the whole.
func (c *Core) join(f *fan, i int, a *parcel.Answer) {
	f.parts[i].answer = a
	if f.open--; f.open > 0 {
		return
	}
	whole, err := f.whole()
	if err != nil {
		c.fail(f.held.req, f.held.Code, &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: err.Error()})
		return
	}
	if c.finish(f.held, whole); f.held.req.fan != nil {
		c.fold(f)
	}
}

// fold ends a fan: children are told, and what it holds is given up.
func (c *Core) fold(f *fan) {
	h := f.held
	h.req.fan = nil
	for _, p := range f.parts {
		if p.child != nil {
			delete(c.children, p.child.number)
			c.sendBare(p.child.to, parcel.Header{Kind: parcel.Cancel, Hops: h.Hops, Left: c.left(h.req), Request: p.child.number, Caller: c.self}, nil)
		}
	}
	c.weigh(f.held, -f.bytes)
	c.release(h)
}
