package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a map over arrays that lie in buffers. Out: a launch that stores its elements where those of one of the arrays
// were, if nobody reads that array afterwards: half of the memory, and no fresh pages. Invariant: the kernel loads
// of that array only the element that it stores next.

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
		case ok && len(at) == 1 && l.memory.home[a] == &l.g.Body && owned(l.s, at) && l.sameForm(at[0].buffer, n) && l.dies(at[0].buffer, n):
			list = append(list, at[0])
		}
	}
	return list
}

// sameForm reports that a buffer is what n would get.
func (l *lowering) sameForm(buffer int, n *graph.Node) bool {
	b, leaf := &l.s.Buffers[buffer], graph.Leaves(n.Type)[0]
	return b.Kind == l.storedKind(leaf.Type) && !b.Bounded && b.Len.Equal(volume(leaf.Dims))
}

// dies reports that n is the last who reads a buffer.
func (l *lowering) dies(buffer int, n *graph.Node) bool {
	known := map[*graph.Node]bool{n: false}
	for _, x := range l.g.Body.Nodes[l.memory.place[n]+1:] {
		if l.use[x].live && l.needs(x, buffer, known) {
			return false
		}
	}
	return !l.needs(l.g.Body.Results[0], buffer, known)
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
		inner := slices.Clone(x.Args)
		for _, b := range x.Blocks {
			inner = append(append(inner, b.Nodes...), b.Results...)
		}
		does = slices.ContainsFunc(inner, func(y *graph.Node) bool { return l.needs(y, buffer, known) })
	}
	known[x] = does
	return does
}
