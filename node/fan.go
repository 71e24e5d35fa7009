package node

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/parcel"
)

// fan is a tree in hand: a task whose pieces run here and at other nodes.
type fan struct {
	held  *held
	parts []part // in order of the pieces
	open  int    // parts without an answer
	bytes int64  // of the answers in hand
}

// part is some of a tree's pieces, which follow each other: one that runs here,
// or those that another node sees to.
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
	for i, o := range t.Task.Operands {
		if o.How == parcel.InOut {
			return fmt.Errorf("operand %d of a fan is in and out, which pieces that run at the same time cannot share; use a run", i)
		}
	}
	return nil
}

// spread cuts a tree into parts and starts them. What is not this node's own
// goes to at most two others for each gap between its own pieces: runs of
// pieces, and if there is but one run, its halves.
func (c *Core) spread(h *held, t *parcel.Tree) {
	owners := make([]catalog.Peer, len(t.Pieces))
	foreign := 0
	for i := range t.Pieces {
		p := &t.Pieces[i]
		if owners[i] = c.holder(p.Owner, t.Task.Set); owners[i] == 0 {
			c.fail(h.req, h.Code, &parcel.Failure{Reason: parcel.Unreachable, Set: t.Task.Set, Shard: -1, Detail: fmt.Sprintf(
				"node %d, which has outer indices %d to %d, cannot be reached, and nobody else has all of its shards", p.Owner, p.Lo, p.Hi)})
			c.release(h)
			c.settle(h.req)
			return
		}
		if owners[i] != c.self {
			foreign++
		}
	}
	if foreign > 0 && h.Hops == 0 {
		c.fail(h.req, h.Code, &parcel.Failure{Reason: parcel.HopsSpent, Set: t.Task.Set, Shard: -1, Detail: fmt.Sprintf(
			"%d pieces belong to other nodes, but the parcel may not be forwarded any more", foreign)})
		c.release(h)
		c.settle(h.req)
		return
	}
	f := &fan{held: h}
	h.req.fan = f
	for lo := 0; lo < len(owners); {
		hi := lo + 1
		if owners[lo] == c.self {
			c.own(f, t.Piece(lo))
		} else {
			for hi < len(owners) && owners[hi] != c.self {
				hi++
			}
			if mid := lo + (hi-lo+1)/2; hi-lo == foreign && mid < hi {
				c.delegate(f, t, owners, lo, mid)
				lo = mid
			}
			c.delegate(f, t, owners, lo, hi)
		}
		lo = hi
	}
}

// holder is who runs a piece: its owner, else a live node that holds all
// shards that the owner does, this one first; 0 if there is none.
func (c *Core) holder(owner catalog.Peer, id uint32) catalog.Peer {
	if owner == c.self {
		return owner
	}
	if _, alive := c.view.Node(owner); alive && c.usable(owner) {
		return owner
	}
	set, ok := c.view.Set(id)
	if !ok {
		return 0
	}
	if covers(set, c.self, owner) {
		return c.self
	}
	for _, n := range c.view.Nodes {
		if c.usable(n.Peer) && covers(set, n.Peer, owner) {
			return n.Peer
		}
	}
	return 0
}

// covers reports whether p holds all shards that q does.
func covers(set *catalog.Set, p, q catalog.Peer) bool {
	any := false
	for i := range set.Shards {
		if r := set.Shards[i].Replicas; slices.Contains(r, q) {
			any = true
			if !slices.Contains(r, p) {
				return false
			}
		}
	}
	return any
}

// own starts a piece here.
func (c *Core) own(f *fan, t *parcel.Task) {
	f.held.refs++
	c.work(f.held, len(f.parts), f.held.compute(t))
	f.parts = append(f.parts, part{})
	f.open++
}

// delegate sends pieces lo to hi to the holder of the first. Kernels do not
// travel along; who lacks one asks.
func (c *Core) delegate(f *fan, t *parcel.Tree, owners []catalog.Peer, lo, hi int) {
	some := parcel.Tree{Task: t.Task, Pieces: slices.Clone(t.Pieces[lo:hi])}
	some.Task.Partial.Kernel = nil
	for i := range some.Pieces {
		some.Pieces[i].Owner = owners[lo+i]
	}
	c.lastChild++
	k := &child{fan: f, part: len(f.parts), number: c.lastChild, to: owners[lo], incarnation: c.incarnation(owners[lo])}
	c.children[k.number] = k
	f.parts = append(f.parts, part{child: k})
	f.open++
	h := f.held
	header := parcel.Header{Kind: parcel.Fan, Flags: h.Flags & parcel.Builtin, Hops: h.Hops - 1, Left: c.left(h.req),
		Request: k.number, Caller: c.self, Code: h.Code}
	c.send(k.to, parcel.Fan, some.Append(header.Append(make([]byte, 0, len(h.raw)), nil)))
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
	c.bytes += int64(len(raw))
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
	c.bytes -= f.bytes
	c.release(h)
}

// whole puts the answers together in the order of the pieces, whatever the
// order in which they came.
func (f *fan) whole() (*parcel.Answer, error) {
	all := new(parcel.Answer)
	outs := len(f.parts[0].answer.Columns)
	for i := range f.parts {
		a := f.parts[i].answer
		if len(a.Columns) != outs || len(a.Extents) != outs {
			return nil, fmt.Errorf("part %d of %d answered %d columns with %d extents, the first one has %d columns",
				i, len(f.parts), len(a.Columns), len(a.Extents), outs)
		}
		all.Faults = leastFaults(all.Faults, a.Faults)
		all.Hops = max(all.Hops, a.Hops)
		all.Steps += a.Steps
		m := &all.Micros
		m.Queue, m.Verify = max(m.Queue, a.Micros.Queue), max(m.Verify, a.Micros.Verify)
		m.Compile, m.Run = max(m.Compile, a.Micros.Compile), max(m.Run, a.Micros.Run)
	}
	for out := range outs {
		if err := f.column(all, out); err != nil {
			return nil, err
		}
	}
	return all, nil
}

var errGap = errors.New("the rows of a fan's pieces do not follow each other; cut pieces at multiples of the block of the partial kernel")

// column puts the rows of one operand together. They must follow each other,
// since an answer has one extent for each column.
func (f *fan) column(all *parcel.Answer, out int) error {
	size := 0
	for i := range f.parts {
		size += len(f.parts[i].answer.Columns[out])
	}
	rows := make([]byte, 0, size)
	e := f.parts[0].answer.Extents[out]
	e.Count = 0
	for i := range f.parts {
		a := f.parts[i].answer
		if a.Extents[out].First != e.First+e.Count {
			return fmt.Errorf("%w: those of operand %d end at %d and go on at %d", errGap, out, e.First+e.Count, a.Extents[out].First)
		}
		e.Count += a.Extents[out].Count
		rows = append(rows, a.Columns[out]...)
	}
	all.Extents = append(all.Extents, e)
	all.Columns = append(all.Columns, rows)
	return nil
}

// leastFaults merges two lists by site, and keeps the least place of each.
func leastFaults(a, b []parcel.Fault) []parcel.Fault {
	if len(a)+len(b) == 0 {
		return nil
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y parcel.Fault) int {
		if x.Site != y.Site {
			return cmp.Compare(x.Site, y.Site)
		}
		return cmp.Compare(x.Place, y.Place)
	})
	return slices.CompactFunc(all, func(x, y parcel.Fault) bool { return x.Site == y.Site })
}
