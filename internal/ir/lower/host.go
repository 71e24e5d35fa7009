package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// block turns the nodes of a block that the host executes into steps. Nodes
// that are fused, and scalars that cannot fault, wait until a kernel needs
// them.
func (l *lowering) block(b *graph.Block) error {
	for i, n := range b.Nodes {
		if _, done := l.mat[n]; done || !l.use[n].live {
			continue
		}
		if err := l.hostNode(n, b.Nodes[i+1:]); err != nil {
			return err
		}
	}
	return nil
}

func (l *lowering) hostNode(n *graph.Node, later []*graph.Node) error {
	switch {
	case l.waits(n):
		return nil
	case n.Op == graph.Reduce && !l.small(n):
		group := l.together(n, later)
		if l.brief(group) {
			return l.briefly(group)
		}
		return l.reductions(group)
	case n.Op == graph.KeyedReduce && !l.small(n):
		return l.keyedReductions(l.together(n, later))
	case n.Op == graph.Loop && l.shares(n):
		return l.rows(n)
	case n.Op == graph.Loop && arrayWork(n) && !l.oneKernel(n):
		return l.hostLoop(n)
	case n.Op == graph.If && arrayWork(n):
		return l.hostBranch(n)
	case n.Op == graph.TopK && !l.small(n) && l.most(n.Poly) <= mostCandidates:
		if l.brief([]*graph.Node{n}) {
			return l.topBriefly(n)
		}
		return l.topK(n)
	case l.sequential(n):
		if n.Op == graph.TopK {
			if l.sharable++; l.shared {
				return l.topShared(n)
			}
		}
		return l.sequence(n)
	case n.Op == graph.Limit:
		return l.limit(n)
	case n.Op == graph.Compact || n.Op == graph.TopK && n.Defines != "":
		return l.defining(n)
	case (n.Op == graph.Map || n.Op == graph.Filter) && masked(n):
		return l.maskedMap(n)
	}
	if srcs, ok := l.column(n); ok {
		l.mat[n] = srcs
		return nil
	}
	if done, err := l.mapAndFold(n, later); done || err != nil {
		return err
	}
	out, err := l.compute(n)
	l.mat[n] = out
	return err
}

// column gives the input that a map is a column of.
func (l *lowering) column(n *graph.Node) ([]source, bool) {
	if n.Op != graph.Map || len(n.Args) != 1 || !n.Type.Elem().IsScalar() {
		return nil, false
	}
	field, path := n.Blocks[0].Results[0], []*graph.Node(nil)
	for field.Op == graph.Get {
		field, path = field.Args[0], append(path, field)
	}
	srcs, ok := l.component(n.Args[0])
	if !ok || field != n.Blocks[0].Params[1] {
		return nil, false
	}
	for _, get := range slices.Backward(path) {
		lo, hi := leafRange(get.Args[0].Type, get.Field)
		srcs = srcs[lo:hi]
	}
	return srcs, len(srcs) == 1 && srcs[0].buffer >= 0 && l.s.Buffers[srcs[0].buffer].Input != nil
}

// waits reports that n is computed inside the kernels that need it.
func (l *lowering) waits(n *graph.Node) bool {
	u := l.use[n]
	switch n.Op {
	case graph.Map, graph.Filter:
		return u.fused(n)
	case graph.Param, graph.Const, graph.SizeVal, graph.MakeTuple, graph.Get, graph.Some, graph.Nothing, graph.IsSome, graph.Unwrap:
		return true
	case graph.Arith, graph.Cast, graph.Bits, graph.Clamp, graph.Wrap, graph.Check, graph.At:
		return !u.faults
	case graph.If:
		return !u.faults && !arrayWork(n) && !hasArray(n.Type)
	case graph.Update:
		return l.opens(n)
	}
	return false
}

func masked(n *graph.Node) bool { return n.Type.Kind == graph.Array && n.Type.Masked }

// arrayWork reports that a loop or branch contains array operations, each of
// which deserves a kernel.
func arrayWork(n *graph.Node) bool {
	found := hasArray(n.Type)
	for _, b := range n.Blocks {
		b.Walk(func(m *graph.Node) bool {
			found = found || m.Op >= graph.Map && m.Op <= graph.TopK
			return !found
		})
	}
	return found
}

// small reports a reduction over so few slots that one leaf holds them: it
// is done by one kernel in one go.
func (l *lowering) small(n *graph.Node) bool {
	_, hi := l.facts.Bounds(n.Args[0].Type.Size)
	return hi <= num.Leaf
}

// fill computes n into buffers: in parallel if it can be, otherwise by one
// worker.
func (l *lowering) fill(n *graph.Node, out []source) error {
	if n.Op == graph.MakeTuple && hasArray(n.Type) {
		for i, a := range n.Args {
			lo, hi := leafRange(n.Type, i)
			if err := l.fill(a, out[lo:hi]); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case l.inParallel(n):
		return l.parallel(n, out)
	case n.Op == graph.Sort && !l.small(n):
		if l.sharable++; l.shared {
			return l.sortShared(n, out)
		}
	}
	return l.solo(n, out)
}

// inParallel reports an array whose elements are independent.
func (l *lowering) inParallel(n *graph.Node) bool {
	return n.Type.Kind == graph.Array && (n.Op == graph.Map || l.isAlias(n))
}

// isAlias reports an array that is known already and only needs copying.
func (l *lowering) isAlias(n *graph.Node) bool {
	_, ok := l.component(n)
	return ok
}

// parallel stores the elements of a dense array, grain by grain.
func (l *lowering) parallel(n *graph.Node, out []source) error {
	return l.kernel("map "+l.nameOf(n), func(k *kern) {
		k.over(n.Type.Size, l.grain(n))
		k.elementsOf(n, out, kernel.Write)
	})
}

// elementsOf stores the elements of the grain.
func (k *kern) elementsOf(n *graph.Node, out []source, access kernel.Access) backing {
	a := k.node(n, k.root).arr
	dst := k.attach(n.Type, out, access)
	fill := func(lo, hi kernel.Value) {
		k.each(lo, hi, n.Type.Size, func(i kernel.Value) {
			k.slotScope(i, func() {
				inner := dst
				inner.off = i
				k.store(n.Type.Elem(), k.element(a, i).v, inner)
			})
		})
	}
	if c := cutOf(n); c != nil {
		k.halves(c, fill)
	} else {
		fill(k.lo, k.hi)
	}
	return dst
}

// grain is the number of elements that one outer index computes: few when an
// element is much work.
func (l *lowering) grain(n *graph.Node) int64 {
	if u := l.use[n]; u != nil && (u.cost >= 100 || n.Type.Elem().Kind == graph.Array) {
		return 16
	}
	return num.Leaf
}

// solo computes a node in one kernel of one outer index.
func (l *lowering) solo(n *graph.Node, out []source) error {
	return l.kernel(opName(n)+" "+l.nameOf(n), func(k *kern) {
		dst := k.attach(n.Type, out, kernel.Write)
		k.emitInto(n, n.Type, dst)
	})
}

// emitInto computes n so that it lies in dst.
func (k *kern) emitInto(n *graph.Node, t *graph.Type, dst backing) {
	_, known := k.l.mat[n]
	carries := n.Op == graph.Loop || n.Op == graph.Fold
	if (inPlace(n) || carries && hasArray(t)) && !known {
		for _, r := range dst.regions {
			k.k.Regions[r].Access = kernel.ReadWrite
		}
		k.target[n] = &dst
		v := k.emit(n, k.root)
		k.root.val[n] = v
		if carries {
			k.storeRest(t, v, dst)
		}
		return
	}
	k.store(t, k.node(n, k.root), dst)
}

// inPlace lists the operations that build their result where it shall lie.
func inPlace(n *graph.Node) bool {
	switch n.Op {
	case graph.KeyedReduce, graph.Scan, graph.Scatter, graph.Update, graph.Sort, graph.TopK:
		return true
	}
	return false
}

func opName(n *graph.Node) string {
	switch n.Op {
	case graph.Reduce:
		return "reduce"
	case graph.KeyedReduce:
		return "keyed reduce"
	case graph.Fold:
		return "fold in order"
	case graph.Scan:
		return "scan"
	case graph.Scatter:
		return "scatter"
	case graph.Update:
		return "update"
	case graph.Sort:
		return "sort"
	case graph.TopK:
		return "top-k"
	case graph.Loop:
		return "loop"
	}
	return "compute"
}

// maskedMap stores a masked array that several operations need.
func (l *lowering) maskedMap(n *graph.Node) error {
	dense := graph.ArrayOf(n.Type.Elem(), n.Type.Size)
	pairs := maskedType(dense)
	out := l.buffersFor(l.nameOf(n), pairs)
	err := l.kernel("filter "+l.nameOf(n), func(k *kern) {
		k.over(n.Type.Size, num.Leaf)
		v := k.emit(n, k.root)
		dst := k.attach(pairs, out, kernel.Write)
		k.each(k.lo, k.hi, n.Type.Size, func(i kernel.Value) {
			k.slotScope(i, func() { k.storeSlot(dense, v.arr, dst, i) })
		})
	})
	l.mat[n] = out
	return err
}

// defining computes an array whose run-time size becomes known with it.
func (l *lowering) defining(n *graph.Node) error {
	count := l.buffer(n.Defines, num.I64, size.Const(1))
	most := n.Args[0].Type.Size
	if n.Op == graph.TopK {
		most = n.Poly
	}
	full := graph.ArrayOf(n.Type.Elem(), most)
	out := l.buffersFor(l.nameOf(n), full)
	err := l.kernel(opName(n)+" "+l.nameOf(n), func(k *kern) {
		dst := k.attach(full, out, kernel.Write)
		c := k.region(count, size.Const(1), kernel.Write)
		for _, r := range dst.regions {
			k.k.Regions[r].Access = kernel.ReadWrite
		}
		k.target[n] = &dst
		k.emit(n, k.root)
		k.b.Store(c, k.b.Int(0), k.dynamic[n.Defines])
	})
	l.mat[n] = out
	l.define(n, count, most)
	return err
}

// limit finds how many elements are taken. They stay where they are; of an array that is nowhere
// yet, only they are computed.
func (l *lowering) limit(n *graph.Node) error {
	src, ok := l.component(n.Args[0])
	lazy := !ok && l.waits(n.Args[0])
	if !ok && !lazy {
		src = l.buffersFor(l.nameOf(n), n.Args[0].Type)
		if err := l.fill(n.Args[0], src); err != nil {
			return err
		}
	}
	most := n.Args[0].Type.Size
	count := l.buffer(n.Defines, num.I64, size.Const(1))
	err := l.kernel("count of "+l.nameOf(n), func(k *kern) {
		v := k.limited(k.node(n.Args[1], k.root).s, most)
		k.b.Store(k.region(count, size.Const(1), kernel.Write), k.b.Int(0), v)
	})
	l.mat[n] = src
	l.define(n, count, most)
	if err == nil && lazy && l.use[n].isRead() {
		err = l.firsts(n)
	}
	return err
}

// firsts computes the elements that are taken of an array that is nowhere yet.
func (l *lowering) firsts(n *graph.Node) error {
	out := l.buffersFor(l.nameOf(n), n.Type)
	delete(l.mat, n)
	err := l.kernel("map "+l.nameOf(n), func(k *kern) {
		k.over(n.Type.Size, l.grain(n))
		if cuttable(n.Args[0]) {
			k.shorten(n.Args[0], n.Type.Size)
		}
		whole := k.node(n.Args[0], k.root).arr
		dst := k.attach(n.Type, out, kernel.Write)
		k.each(k.lo, k.hi, n.Type.Size, func(i kernel.Value) {
			k.slotScope(i, func() {
				inner := dst
				inner.off = i
				k.store(n.Type.Elem(), k.element(whole, i).v, inner)
			})
		})
	})
	l.mat[n] = out
	return err
}

// shorten has a map that is nowhere yet walk over the first elements of its arrays.
func (k *kern) shorten(n *graph.Node, most size.Poly) {
	for _, arg := range n.Args {
		if srcs, ok := k.l.component(arg); ok {
			t := graph.ArrayOf(arg.Type.Elem(), most)
			k.root.val[arg] = k.backed(t, k.attach(t, srcs, kernel.Read))
		} else if arg.Op == graph.Map {
			k.shorten(arg, most)
		}
	}
}

func (l *lowering) most(p size.Poly) int64 {
	_, hi := l.facts.Bounds(p)
	return min(hi, graph.MaxSize)
}

// together finds later reductions over the same slots that need nothing
// which is not computed yet, so that one kernel does them all.
func (l *lowering) together(n *graph.Node, later []*graph.Node) []*graph.Node {
	group := []*graph.Node{n}
	for _, m := range later {
		if _, done := l.mat[m]; done || !l.use[m].live || m.Op != n.Op {
			continue
		}
		if m.Args[0].Type.Size.Equal(n.Args[0].Type.Size) && l.ready(m) && sameLeaf(n, m) {
			group = append(group, m)
		}
	}
	return group
}

// sameLeaf reports that m may have the leaves of n, two keyed reductions: integers do
// not care, floats need the leaf length of their own width.
func sameLeaf(n, m *graph.Node) bool {
	return n.Op != graph.KeyedReduce || !ordered(m) || width(n).Equal(width(m))
}

// longLeaves reports that leaves may have more than the least number of slots.
func (l *lowering) longLeaves(n *graph.Node) bool {
	return num.KeyedLeaf(l.most(width(n))) > minKeyedLeaf
}

func ordered(n *graph.Node) bool {
	leaf := graph.Leaves(n.Blocks[0].Results[1].Type)[0]
	op, kind := n.Monoid.Fold(leaf.Type.KindOf())
	return op.IsOrdered(kind)
}

func width(n *graph.Node) size.Poly {
	return n.Poly.Mul(volume(graph.Leaves(n.Blocks[0].Results[1].Type)[0].Dims))
}

// ready reports that everything n is computed from is there, or waits and is
// itself ready.
func (l *lowering) ready(n *graph.Node) bool {
	local, sizes := map[*graph.Node]bool{}, map[string]bool{}
	for _, b := range n.Blocks {
		b.Walk(func(m *graph.Node) bool { local[m], sizes[m.Defines] = true, true; return true })
	}
	check := func(m *graph.Node) bool {
		if !l.sized(m, sizes) {
			return false
		}
		if local[m] {
			return true
		}
		if _, done := l.mat[m]; done {
			return true
		}
		return l.waits(m) && l.ready(m)
	}
	lacks := func(m *graph.Node) bool { return !check(m) }
	return !slices.ContainsFunc(n.Args, lacks) && !slices.ContainsFunc(n.Blocks, func(b *graph.Block) bool { return b.Uses(lacks) })
}

// columnUnder is the input that an array is, or begins as; -1 if there is none.
func (l *lowering) columnUnder(n *graph.Node) int {
	for n.Op == graph.Limit {
		n = n.Args[0]
	}
	srcs, ok := l.component(n)
	if !ok {
		srcs, ok = l.column(n)
	}
	if !ok || len(srcs) != 1 || srcs[0].buffer < 0 || l.s.Buffers[srcs[0].buffer].Input == nil {
		return -1
	}
	return srcs[0].buffer
}

// define makes a size known from here on, which a launch has put into a buffer.
func (l *lowering) define(n *graph.Node, buffer int, most size.Poly) {
	l.facts.Hi[n.Defines] = l.most(most)
	delete(l.unset, n.Defines)
	l.add(&schedule.SetSize{Name: n.Defines, Buffer: buffer, Max: most, Likely: n.Likely, Among: n.Among, Column: l.columnUnder(n.Args[0])})
}

// sized reports that the sizes which a node speaks of are known where the next step goes.
func (l *lowering) sized(n *graph.Node, local map[string]bool) bool {
	known := func(p size.Poly) bool {
		return !slices.ContainsFunc(p.Vars(), func(name string) bool { return l.unset[name] && !local[name] })
	}
	ok := known(n.Poly)
	for _, leaf := range graph.Leaves(n.Type) {
		ok = ok && !slices.ContainsFunc(leaf.Dims, func(p size.Poly) bool { return !known(p) }) && (leaf.Type.Kind != graph.Index || known(leaf.Type.Bound))
	}
	return ok
}
