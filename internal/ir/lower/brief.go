package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: reductions over the same slots, or a top-k, which are few in the run at hand, and little work for each. Out: one kernel of one outer
// index, instead of one for the leaves and one that joins them: a launch is most of what such a reduction takes. Invariant: the fold
// has the canonical order of leaves either way.

// BriefSlots is up to how many slots are few: several leaves, which take less time than a thread takes to wake.
const BriefSlots = 4 * num.Leaf

// brief reports that reductions of a group are over few slots.
func (l *lowering) brief(group []*graph.Node) bool {
	if !l.opt.Brief || l.opt.Partials || !l.declares(group[0].Args[0]) {
		return false
	}
	work := 0
	for _, n := range group {
		work += l.walked(n.Args[0])
	}
	return work <= dear
}

// declares reports an array as long as a declared size, which Options.Brief speaks of.
func (l *lowering) declares(n *graph.Node) bool {
	name, ok := n.Type.Size.IsVar()
	return ok && slices.ContainsFunc(l.g.Sizes, func(s graph.SizeParam) bool { return s.Name == name })
}

// walked is the work for an element of n, with what is computed as it is walked over.
func (l *lowering) walked(n *graph.Node) int {
	if n.Op != graph.Map && n.Op != graph.Filter || l.mat[n] != nil {
		return 0
	}
	work := l.use[n].cost
	for _, a := range n.Args {
		work += l.walked(a)
	}
	return work
}

// briefly computes reductions in one go.
func (l *lowering) briefly(group []*graph.Node) error {
	outs := make([][]source, len(group))
	for i, n := range group {
		outs[i] = l.buffersFor(l.nameOf(n), n.Type)
	}
	slots := group[0].Args[0].Type.Size
	err := l.kernel("reduce "+l.names(group), func(k *kern) {
		rs := k.reductionsOf(group)
		vs := k.foldAll(rs, k.b.Int(0), k.sizeValue(slots), slots)
		for i, r := range rs {
			n := len(r.outs())
			k.store(group[i].Type, k.finish(r, vs[:n]), k.attach(group[i].Type, outs[i], kernel.Write))
			vs = vs[n:]
		}
	})
	for i, n := range group {
		l.mat[n] = outs[i]
	}
	return err
}
