package caller

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// Fan runs a task beside many shards. The pieces travel as one tree to the owner of the
// first, which passes the others on. When a piece fails and something new was learned about
// who lacks what, the whole tree is cut again around it; otherwise each piece is sent alone.
type Fan struct {
	ID   ID
	Code Code
	More []Code // as in Ask
	// Tree has the pieces without owners, which are chosen here.
	Tree *parcel.Tree
	Left int64
}

func (*Fan) input() {}

// fanning is a Fan in hand.
type fanning struct {
	c       *Core
	in      *Fan
	root    catalog.Peer   // who has the tree
	owners  []catalog.Peer // of pieces, ascending, each once
	lessons int64          // Core.lessons when the tree was cut
	sent    int            // times, of this cut
	waiting bool           // to be cut anew when the timer is due

	answers []*parcel.Answer // of pieces that were sent for themselves; nil for a tree
	missing int
}

func (c *Core) fan(in *Fan) {
	op := &operation{id: in.ID, kind: parcel.Fan, codes: append([]Code{in.Code}, in.More...)}
	op.work = &fanning{c: c, in: in}
	c.begin(op, in.Left)
}

func (w *fanning) begin(op *operation) {
	if len(w.in.Tree.Pieces) == 0 {
		w.c.end(op, w.c.refuse("a fan has at least one piece"))
		return
	}
	for i := range w.in.Tree.Pieces { // the caller's tree may have been sent before
		w.in.Tree.Pieces[i].Owner = 0
	}
	w.cut(op)
}

// cut gives each piece an owner and sends the tree under a new number.
func (w *fanning) cut(op *operation) {
	c := w.c
	set, err := c.setOf(w.in.Tree.Task.Set)
	if err != nil {
		c.end(op, err)
		return
	}
	w.owners = w.owners[:0]
	for i := range w.in.Tree.Pieces {
		p := &w.in.Tree.Pieces[i]
		if int64(p.Shard) >= int64(len(set.Shards)) {
			c.end(op, c.refuse(fmt.Sprintf("`%s` has shards 0 to %d, not %d", set.Name, len(set.Shards)-1, p.Shard)))
			return
		}
		owner := c.choose(set, int(p.Shard), 0, op.tries)
		if owner == 0 {
			if err := c.nobody(op, set, int(p.Shard)); err != nil {
				c.end(op, err)
				return
			}
			op.tries++
			w.later(op, c.backoff(op))
			return
		}
		c.moved(op, p.Owner, owner)
		p.Owner = owner
		w.owners = insert(w.owners, owner)
	}
	c.recall(op)
	c.depart(op)
	w.root, w.lessons, w.sent, w.waiting = w.in.Tree.Pieces[0].Owner, c.lessons, 0, false
	w.send(op)
}

func (w *fanning) send(op *operation) {
	if w.sent++; w.sent > 1 || len(op.trips) > 1 {
		op.tries++
		op.stats.Retries++
	}
	if w.c.post(op, w.root, w.in.Tree) {
		w.c.wakeAt(op, w.c.now+w.c.patience(op.tries))
	}
}

// later cuts the tree anew after a while.
func (w *fanning) later(op *operation, wait int64) {
	w.waiting = true
	w.c.wakeAt(op, w.c.now+wait)
}

// due cuts anew, or sends the tree once more as it is: it may have been lost on its way, and
// is recognised if it was not.
func (w *fanning) due(op *operation) {
	switch {
	case w.answers != nil:
	case !w.waiting && w.sent%2 == 1 && w.lessons == w.c.lessons:
		w.send(op)
	default:
		w.cut(op)
	}
}

func (w *fanning) answered(op *operation, from catalog.Peer, request uint64, a *parcel.Answer) {
	op.settle(request, from)
	for _, p := range w.owners {
		op.heard(p)
	}
	w.c.deliver(op, a)
}

func (w *fanning) failed(op *operation, from catalog.Peer, request uint64, f *parcel.Failure) {
	c := w.c
	op.settle(request, from)
	if w.answers != nil || request != op.request() || w.waiting {
		return // of an earlier cut
	}
	switch f.Reason {
	case parcel.Busy:
		op.tries++
		w.later(op, max(int64(f.Retry)+c.jitter(op, int64(f.Retry)/2), c.backoff(op)))
	case parcel.NoCode:
		if err := c.wants(op, from, f); err != nil {
			c.end(op, err)
			return
		}
		w.later(op, c.backoff(op))
	case parcel.NoShard, parcel.Unreachable, parcel.Cancelled:
		switch {
		case c.lessons == w.lessons:
			w.part(op)
		case f.Reason == parcel.NoShard: // there are only so many replicas
			w.cut(op)
		default:
			w.later(op, c.backoff(op))
		}
	default:
		c.end(op, c.failure(f))
	}
}

// lost cuts anew if the tree's first node was lost, or another for which there is a
// replacement; else who passed pieces on there notices, too.
func (w *fanning) lost(op *operation, p catalog.Peer) {
	if w.answers != nil || w.waiting || !slices.Contains(w.owners, p) {
		return
	}
	if p == w.root || w.replaced(p) {
		w.later(op, w.c.backoff(op))
	}
}

// replaced reports whether every piece of a node would get another owner now.
func (w *fanning) replaced(p catalog.Peer) bool {
	set, err := w.c.setOf(w.in.Tree.Task.Set)
	return err == nil && !slices.ContainsFunc(w.in.Tree.Pieces, func(x parcel.Piece) bool {
		if x.Owner != p {
			return false
		}
		other := w.c.choose(set, int(x.Shard), 0, 0)
		return other == p || other == 0
	})
}

// learned goes on if a replica was waited for.
func (w *fanning) learned(op *operation) {
	if _, err := w.c.setOf(w.in.Tree.Task.Set); err != nil {
		w.c.end(op, err)
	} else if w.waiting && w.answers == nil {
		w.cut(op)
	}
}

// part sends every piece for itself, to whoever has its shard.
func (w *fanning) part(op *operation) {
	c, t := w.c, w.in.Tree
	c.recall(op)
	w.answers, w.missing = make([]*parcel.Answer, len(t.Pieces)), len(t.Pieces)
	c.wakeAt(op, op.deadline)
	for i := range t.Pieces {
		piece := t.Piece(i)
		in := &Ask{ID: c.inner(), Kind: parcel.Run, Code: w.in.Code, More: w.in.More, Payload: piece.Append(nil),
			Set: t.Task.Set, Shard: int(t.Pieces[i].Shard), Left: op.deadline - c.now}
		part := c.askingAfter(in, t.Pieces[i].Owner)
		part.done = func(a *parcel.Answer, err *Error) { w.ended(op, part, i, a, err) }
		op.parts = append(op.parts, part)
		if c.begin(part, in.Left); c.ops[op.id] != op {
			return // a part has ended it
		}
	}
}

// firstInner is the least number of operations that are parts of others; users' are below.
const firstInner ID = 1 << 63

// inner is the number of an operation that is part of another.
func (c *Core) inner() ID {
	c.inners++
	return firstInner + c.inners
}

// ended takes the end of a piece, and after the last one delivers all rows.
func (w *fanning) ended(op, part *operation, i int, a *parcel.Answer, err *Error) {
	op.stats.add(&part.stats)
	if err != nil {
		w.c.end(op, err)
		return
	}
	w.answers[i] = a
	if w.missing--; w.missing > 0 {
		return
	}
	all := walkAnswer{}
	whole := &parcel.Answer{}
	for _, a := range w.answers {
		whole.Columns, whole.Extents = append(whole.Columns, a.Columns...), append(whole.Extents, a.Extents...)
		all.merge(a)
	}
	whole.Faults, whole.Hops, whole.Steps, whole.Micros = all.faults, all.hops, all.steps, all.micros
	w.c.deliver(op, whole)
}

func (s *Stats) add(o *Stats) {
	s.Parcels += o.Parcels
	s.Bytes += o.Bytes
	s.CodeBytes += o.CodeBytes
	s.Answers += o.Answers
	s.Received += o.Received
	s.Retries += o.Retries
	s.Hops = max(s.Hops, o.Hops)
	for _, r := range o.Replaced {
		s.replace(r)
	}
	for _, p := range o.Nodes {
		s.Nodes = insert(s.Nodes, p)
	}
}

// gathers names those whose pieces the root waits for, of which each may be the one that is silent; "" if there are none.
func (w *fanning) gathers() string {
	var names []string
	for _, p := range w.owners {
		if p != w.root {
			names = append(names, w.c.name(p))
		}
	}
	return strings.Join(names, ", ")
}

func (w *fanning) expired(op *operation) (catalog.Peer, string) {
	if w.answers == nil {
		if others := w.gathers(); others != "" { // it may be one of them for which it waits
			return 0, fmt.Sprintf("no answer within the deadline from %s, which gathers what %s compute; `godwit status` tells which of them are silent", w.c.name(w.root), others)
		}
		return w.root, "no answer within the deadline"
	}
	var who []catalog.Peer
	for i, part := range op.parts {
		if to := part.work.(*asking).to; w.answers[i] == nil && to != 0 {
			who = insert(who, to)
		}
	}
	detail := fmt.Sprintf("%d of %d pieces are missing", w.missing, len(w.answers))
	if len(who) == 1 {
		return who[0], detail
	}
	var names []string
	for _, p := range who {
		names = append(names, w.c.name(p))
	}
	if names != nil {
		detail += ", of " + strings.Join(names, ", ")
	}
	return 0, detail
}
