package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a map over arrays that lie in buffers, or a loop or update that begins with such arrays. Out: a launch that
// stores its elements where those of one of the arrays were, or changes the arrays where they lie, if nobody reads
// them afterwards: less memory, no fresh pages, no copy. Invariant: a map's kernel loads of that array only the
// element that it stores next; nothing that a loop or update reads besides lies in the memory that it changes.

// overwrite computes n in the buffer of an array that it walks over; false if there is none such. Rows that other
// machines compute have buffers of their own.
func (l *lowering) overwrite(n *graph.Node, canonical bool) ([]source, bool) {
	if n.Op != graph.Map || l.opt.Partials {
		return nil, false
	}
	for _, old := range l.replaceable(n) {
		b := &l.s.Buffers[old.buffer]
		steps, was := len(*l.steps), b.Canonical
		b.Canonical = canonical
		if l.parallel(n, []source{old}) == nil && rightOrder((*l.steps)[steps].(*schedule.Launch), []source{old}) {
			return []source{old}, true
		}
		*l.steps, b.Canonical = (*l.steps)[:steps], was
	}
	return nil, false
}

// replaceable lists the buffers of arrays that n walks over, which are as n's would be, and which nobody reads after n. A
// loop's body has none: its next turn comes after.
func (l *lowering) replaceable(n *graph.Node) []source {
	if len(graph.Leaves(n.Type)) != 1 || l.memory.home[n] != &l.g.Body {
		return nil
	}
	return l.walkedLast(nil, n, n)
}

// walkedLast adds such buffers to a list that by walks over, perhaps by way of maps that wait.
func (l *lowering) walkedLast(list []source, by, n *graph.Node) []source {
	for _, a := range by.Args {
		at, ok := l.mat[a]
		switch {
		case !ok && a.Op == graph.Map && l.waits(a):
			list = l.walkedLast(list, a, n)
		case ok && len(at) == 1 && l.memory.home[a] == &l.g.Body && owned(l.s, at) && l.sameForm(at[0].buffer, graph.Leaves(n.Type)[0]) && l.dies(at[0].buffer, n):
			list = append(list, at[0])
		}
	}
	return list
}

// sameForm reports that a buffer is what a leaf would get.
func (l *lowering) sameForm(buffer int, leaf graph.Leaf) bool {
	b := &l.s.Buffers[buffer]
	return b.Kind == l.storedKind(leaf.Type) && !b.Bounded && b.Len.Equal(volume(leaf.Dims))
}

// changed gives buffers for n: those of arrays that it begins with where it may change them, new ones for the rest.
func (l *lowering) changed(n *graph.Node) (out []source) {
	begins := starts(n)
	if begins == nil {
		return l.buffersFor(l.nameOf(n), n.Type)
	}
	for i, start := range begins {
		part := n.Type
		if n.Op == graph.Loop {
			part = n.Type.Elems[i]
		}
		at, ok := l.startsAt(n, start, part)
		if !ok {
			at = l.buffersFor(l.nameOf(n), part)
		}
		out = append(out, at...)
	}
	return out
}

// starts lists the values that a node begins with and changes; none if it makes its result of others.
func starts(n *graph.Node) []*graph.Node {
	switch n.Op {
	case graph.Loop:
		return n.Args[2:]
	case graph.Fold:
		return n.Args[1:2]
	case graph.Update, graph.Scatter:
		return n.Args[:1]
	}
	return nil
}

// startsAt gives where a value lies that n begins with, if n may work there on one of type t.
func (l *lowering) startsAt(n, start *graph.Node, t *graph.Type) ([]source, bool) {
	at, ok := l.component(start)
	if !ok || l.opt.Partials || !l.onItsWay(n, start) || !hasArray(t) || masked(start) || !owned(l.s, at) {
		return nil, false
	}
	leaves := graph.Leaves(t)
	for i, was := range graph.Leaves(start.Type) {
		b := at[i].buffer
		if !l.sameForm(b, was) || !l.sameForm(b, leaves[i]) || !l.dies(b, n) || l.readsBesides(n, start, b) {
			return nil, false
		}
	}
	return at, true
}

// onItsWay reports that n and the value it begins with belong to the function's body, or to that of a loop which runs step by
// step: its next iteration reads what this one leaves.
func (l *lowering) onItsWay(n, start *graph.Node) bool {
	home := l.memory.home[n]
	if home != l.memory.home[start] {
		return false
	}
	owner := l.memory.owner[home]
	return owner == nil || owner.Op == graph.Loop && l.memory.home[owner] == &l.g.Body
}

// readsBesides reports that n reads a buffer otherwise than as the value that it begins with.
func (l *lowering) readsBesides(n, start *graph.Node, buffer int) bool {
	known := map[*graph.Node]bool{}
	began := false
	for _, a := range n.Args {
		if a == start && !began {
			began = true // it may be there twice
			continue
		}
		if l.needs(a, buffer, known) {
			return true
		}
	}
	return slices.ContainsFunc(n.Blocks, func(b *graph.Block) bool { return l.reads(b, buffer, known) })
}

// dies reports that n is the last who reads a buffer.
func (l *lowering) dies(buffer int, n *graph.Node) bool {
	known := map[*graph.Node]bool{n: false}
	home := l.memory.home[n]
	for _, x := range home.Nodes[l.memory.place[n]+1:] {
		if l.use[x].live && l.needs(x, buffer, known) {
			return false
		}
	}
	return !slices.ContainsFunc(home.Results, func(x *graph.Node) bool { return l.needs(x, buffer, known) })
}

// needs reports that x lies in a buffer, or reads it when it is computed.
func (l *lowering) needs(x *graph.Node, buffer int, known map[*graph.Node]bool) bool {
	if does, ok := known[x]; ok {
		return does
	}
	known[x] = false // while it is looked at
	does := false
	if at, ok := l.mat[x]; ok {
		does = slices.ContainsFunc(at, func(s source) bool { return s.buffer == buffer })
	} else {
		does = slices.ContainsFunc(x.Args, func(y *graph.Node) bool { return l.needs(y, buffer, known) }) ||
			slices.ContainsFunc(x.Blocks, func(b *graph.Block) bool { return l.reads(b, buffer, known) })
	}
	known[x] = does
	return does
}

// reads reports that a block needs a buffer.
func (l *lowering) reads(b *graph.Block, buffer int, known map[*graph.Node]bool) bool {
	return slices.ContainsFunc(slices.Concat(b.Nodes, b.Results), func(x *graph.Node) bool { return l.needs(x, buffer, known) })
}
