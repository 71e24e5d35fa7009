package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: a map that is stored and has leaves of its elements from an argument, as rows with the numbers of their groups have. Out: buffers
// for the other leaves alone. Invariant: what lies in an argument of the program is read there and copied nowhere.

// passing gives the leaves of a map's elements that are leaves of an argument's: they lie where the argument does. The others are nowhere
// yet. Only arguments of the program count: nothing is written over these.
func (l *lowering) passing(n *graph.Node) (out []source, ok bool) {
	if n.Op != graph.Map || masked(n) || l.returned[n] || n.Blocks[0].Results[0].Op != graph.MakeTuple {
		return nil, false
	}
	for _, field := range n.Blocks[0].Results[0].Args {
		srcs := make([]source, len(graph.Leaves(field.Type)))
		for i := range srcs {
			srcs[i].buffer = -1
		}
		if j := slices.Index(n.Blocks[0].Params, field) - 1; j >= 0 {
			if from, there := l.component(n.Args[j]); there && l.arguments(from) {
				srcs, ok = from, true
			}
		}
		out = append(out, srcs...)
	}
	return out, ok
}

// arguments reports that all this lies in arguments of the program.
func (l *lowering) arguments(srcs []source) bool {
	return !slices.ContainsFunc(srcs, func(s source) bool { return s.buffer < 0 || l.s.Buffers[s.buffer].Input == nil })
}

// computeRest stores the leaves of n that are nowhere yet.
func (l *lowering) computeRest(n *graph.Node, known []source) ([]source, error) {
	out, rest := slices.Clone(known), slices.Clone(known)
	for i, leaf := range graph.Leaves(n.Type) {
		if known[i].buffer >= 0 {
			rest[i] = source{buffer: -1}
			continue
		}
		rest[i].buffer = l.leafBuffer(l.nameOf(n), leaf)
		out[i] = rest[i]
	}
	return out, l.fill(n, rest)
}
