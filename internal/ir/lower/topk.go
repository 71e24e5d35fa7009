package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// topper keeps the best elements of an array so far, best first, with their
// keys. Elements come in order, and one that is as good as another goes
// behind it; so an array, or the best of each of its parts in order, give the
// same.
type topper struct {
	k    *kern
	t    *graph.Type
	most size.Poly
	keys int
	out  backing
}

func (k *kern) topper(n *graph.Node, out backing) *topper {
	q := &topper{k: k, t: n.Type.Elem(), most: n.Poly, out: out}
	if out.keys != nil { // they outlast the grain
		q.keys = k.region(out.keys[0].buffer, n.Poly, kernel.ReadWrite)
	} else {
		q.keys = k.scratch(topKey(n), n.Poly)
	}
	return q
}

// topKey is the kind of the keys that are compared.
func topKey(n *graph.Node) num.Kind { return unsigned(n.Blocks[0].Results[0].Type.KindOf()) }

// bestOf is an array of as many elements as a top-k gives at most.
func bestOf(n *graph.Node) *graph.Type { return graph.ArrayOf(n.Type.Elem(), n.Poly) }

// topK is a TopK inside a kernel.
func (k *kern) topK(n *graph.Node, e *env) val {
	src := k.node(n.Args[0], e).arr
	q := k.topper(n, k.space(n, bestOf(n)))
	k.walk(src, oneCount, []kernel.Value{k.b.Int(0)}, q.taking(n, e))
	if n.Defines != "" {
		k.define(n.Defines, k.b.Wrap(num.Min, k.sizeValue(n.Poly), k.sizeValue(src.n)), n.Poly)
	}
	return k.backed(n.Type, q.out)
}

// oneCount is carried: the number of elements so far.
var oneCount = []kernel.Carry{{Kind: num.I64}}

// taking offers each slot that is visited.
func (q *topper) taking(n *graph.Node, e *env) visitor {
	k := q.k
	return func(i kernel.Value, elem val, c []kernel.Value) []kernel.Value {
		key := k.orderKey(k.body(n.Blocks[0], e, val{s: i, safe: true}, elem)[0].s)
		k.guardDo(q.most, func() { q.offer(key, elem, c[0]) })
		return []kernel.Value{q.more(c[0])}
	}
}

// skimmed is how many slots skim looks at in one go: some vectors, and few against those that hold one of the best.
const skimmed = 64

// skim offers the slots lo..hi, and gives the number of elements. Once there are enough, nearly all slots hold worse ones than the
// last; so it takes the greatest key of some dozens first, which goes by vectors, and leaves them where that is no better.
func (q *topper) skim(src *array, lo, hi kernel.Value, n *graph.Node, e *env) []kernel.Value {
	k, none := q.k, []kernel.Value{q.k.b.Int(0)}
	if src.masked != nil || src.back == nil && !src.cheap || k.l.use[n].faults || k.l.keyWork(n) > dear || !k.isPositive(k.capacity(q.most)) {
		return k.walkPart(src, lo, hi, oneCount, none, q.taking(n, e))
	}
	last := k.b.Wrap(num.Sub, k.sizeValue(q.most), k.b.Int(1))
	slots := k.b.Wrap(num.Max, k.b.Wrap(num.Sub, hi, lo), k.b.Int(0))
	blocks := k.b.Wrap(num.Div, k.b.Wrap(num.Add, slots, k.b.Int(skimmed-1)), k.b.Int(skimmed))
	// Of a quotient no bound over the sizes is known, by which steps are admitted; there are at most as many as slots.
	end := k.b.Wrap(num.Min, k.b.Wrap(num.Add, lo, blocks), hi)
	return k.loop(lo, end, oneCount, none, func(b kernel.Value, c []kernel.Value) (next []kernel.Value, _ kernel.Value) {
		from := k.b.Wrap(num.Add, lo, k.b.Wrap(num.Mul, k.b.Wrap(num.Sub, b, lo), k.b.Int(skimmed)))
		to := k.b.Wrap(num.Min, k.b.Wrap(num.Add, from, k.b.Int(skimmed)), hi)
		greatest := k.fold(from, to, false, []kernel.Acc{{Op: num.FoldMax, Kind: topKey(n)}}, func(i kernel.Value) (key []kernel.Value) {
			k.inside(src.n, func() {
				key = []kernel.Value{k.orderKey(k.body(n.Blocks[0], e, val{s: i, safe: true}, k.element(src, i).v)[0].s)}
			})
			return key
		})[0]
		room := k.b.Wrap(num.Lt, c[0], k.sizeValue(q.most))
		better := k.b.Wrap(num.Gt, greatest, k.b.Load(q.keys, k.bound(last, q.most)))
		return k.branch(k.b.Wrap(num.Or, room, better),
			func() []kernel.Value { return k.walkPart(src, from, to, oneCount, c, q.taking(n, e)) },
			func() []kernel.Value { return c }), kernel.None
	})
}

// keyWork is the work for the key of an element.
func (l *lowering) keyWork(n *graph.Node) (work int) {
	for _, m := range n.Blocks[0].Nodes {
		work += l.use[m].cost
	}
	return work
}

// more is the number of elements after an offer.
func (q *topper) more(count kernel.Value) kernel.Value {
	return q.k.b.Wrap(num.Min, q.k.b.Wrap(num.Add, count, q.k.b.Int(1)), q.k.sizeValue(q.most))
}

// offer inserts an element if fewer than k are there or it beats the last,
// and tells whether it did.
func (q *topper) offer(key kernel.Value, elem val, count kernel.Value) kernel.Value {
	k := q.k
	last := k.b.Wrap(num.Sub, k.sizeValue(q.most), k.b.Int(1))
	room := k.b.Wrap(num.Lt, count, k.sizeValue(q.most))
	better := k.b.Wrap(num.Gt, key, k.b.Load(q.keys, k.bound(last, q.most)))
	taken := k.b.Wrap(num.Or, room, better)
	k.branch(taken, func() []kernel.Value {
		pos := q.shift(key, k.b.Wrap(num.Min, count, last))
		at := k.bound(pos, q.most)
		k.b.Store(q.keys, at, key)
		k.store(q.t, elem, q.place(at))
		return nil
	}, func() []kernel.Value { return nil })
	return taken
}

// shift moves worse elements down by one from position pos on and gives the
// position that becomes free.
func (q *topper) shift(key, pos kernel.Value) kernel.Value {
	k := q.k
	return k.loop(k.b.Int(0), k.sizeValue(q.most), oneCount, []kernel.Value{pos}, func(_ kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		at := k.bound(c[0], q.most)
		before := k.bound(k.b.Wrap(num.Max, k.b.Wrap(num.Sub, at, k.b.Int(1)), k.b.Int(0)), q.most)
		old := k.b.Load(q.keys, before)
		move := k.b.Wrap(num.And, k.b.Wrap(num.Gt, at, k.b.Int(0)), k.b.Wrap(num.Gt, key, old))
		k.branch(move, func() []kernel.Value {
			k.b.Store(q.keys, at, old)
			k.store(q.t, k.backed(q.t, q.place(before)), q.place(at))
			return nil
		}, func() []kernel.Value { return nil })
		next := k.b.Select(move, before, at)
		return []kernel.Value{next}, k.b.Wrap(num.Not, move)
	})[0]
}

// place is where element at lies.
func (q *topper) place(at kernel.Value) backing {
	b := q.out
	b.off = at
	return b
}

// candidates are the regions of rows of the best elements of parts of an
// array: K elements with their keys, and how many of them count.
type candidates struct {
	elems        backing
	keys, counts int
}

func (c *candidates) place(at kernel.Value) backing {
	b := c.elems
	b.off = at
	return b
}

// merge offers the elements of the rows lo..hi and gives how many there are. A
// row is left at its first element that comes too late.
func (q *topper) merge(from candidates, lo, hi kernel.Value) kernel.Value {
	k := q.k
	return k.loop(lo, hi, oneCount, []kernel.Value{k.b.Int(0)}, func(row kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		end := k.b.Wrap(num.Min, k.b.Load(from.counts, row), k.sizeValue(q.most))
		return k.loop(k.b.Int(0), end, oneCount, c, func(j kernel.Value, c []kernel.Value) (next []kernel.Value, stop kernel.Value) {
			k.inside(q.most, func() {
				at := k.flat(row, q.most, j)
				taken := q.offer(k.b.Load(from.keys, at), k.backed(q.t, from.place(at)), c[0])
				next, stop = []kernel.Value{q.more(c[0])}, k.b.Wrap(num.Not, taken)
			})
			return next, stop
		}), kernel.None
	})[0]
}

// put stores the elements as a row. Those that do not count are zero, so that
// rows do not depend on what was computed before.
func (q *topper) put(to candidates, row, count kernel.Value) {
	k := q.k
	k.each(k.b.Int(0), k.sizeValue(q.most), q.most, func(j kernel.Value) {
		at, counts := k.flat(row, q.most, j), k.b.Wrap(num.Lt, j, count)
		k.b.Store(to.keys, at, k.b.Select(counts, k.b.Load(q.keys, j), k.b.Const(k.k.Regions[q.keys].Elem, 0)))
		k.store(q.t, k.selectVal(q.t, counts, k.backed(q.t, q.place(j)), k.zero(q.t)), to.place(at))
	})
	k.b.Store(to.counts, row, count)
}

// topBuffers are the buffers of candidates.
type topBuffers struct {
	elems        []source
	keys, counts int
	widths       rows
}

func (l *lowering) topBuffers(n *graph.Node, most size.Poly) *topBuffers {
	c := &topBuffers{
		elems:  l.buffersFor("candidates", graph.ArrayOf(bestOf(n), most)),
		keys:   l.buffer("candidates' keys", topKey(n), most.Mul(n.Poly)),
		counts: l.buffer("candidates' count", num.I64, most),
	}
	c.widths = rows{c.keys: n.Poly, c.counts: size.Const(1)}
	for i, leaf := range graph.Leaves(bestOf(n)) {
		c.widths[c.elems[i].buffer] = volume(leaf.Dims)
	}
	return c
}

// attached gives a kernel access to that many rows of candidates.
func (c *topBuffers) attached(k *kern, count size.Poly, access kernel.Access) candidates {
	of := map[int]int{}
	for _, b := range c.all() {
		of[b] = k.regionOf(b, count.Mul(k.poly(c.widths[b])), access)
	}
	return c.in(of)
}

func (c *topBuffers) all() (list []int) {
	for _, s := range c.elems {
		list = append(list, s.buffer)
	}
	return append(list, c.keys, c.counts)
}

// in finds the candidates in the regions of buffers. Their positions have no
// lengths to be held to: they are proved as they are.
func (c *topBuffers) in(of map[int]int) candidates {
	r := candidates{keys: of[c.keys], counts: of[c.counts]}
	r.elems = backing{scalars: c.elems, lens: make([]size.Poly, len(c.elems)), proved: true}
	for _, s := range c.elems {
		r.elems.regions = append(r.elems.regions, of[s.buffer])
	}
	return r
}

// mostCandidates is the greatest K of a top-k by leaves. With more, a leaf
// spends its time on inserting what the leaf before has shown to be in vain,
// and one walk in order takes less.
const mostCandidates = 256

// topLeaf is the table width by whose keyed leaves a top-k goes. Inserting
// moves about K/2 elements for some K·log of a leaf, so slots grow with K²;
// up to 2^20 of them, so that leaves of a file still pass through windows.
func (l *lowering) topLeaf(n *graph.Node) size.Poly {
	k := l.most(n.Poly)
	return size.Const(min(k*k, 1<<14))
}

// topK finds the best elements of each leaf in parallel and then the best of
// these.
func (l *lowering) topK(n *graph.Node) error {
	f := leaves{slots: n.Args[0].Type.Size, width: l.topLeaf(n)}
	c := l.topBuffers(n, ceilDiv(f.slots, minKeyedLeaf))
	launch, err := l.candidates(n, c, func(k *kern) (length, count size.Poly) { return k.leaves(f) })
	if err != nil {
		return err
	}
	err = l.partial(launch, c.widths, func(k *kern, from, to map[int]int) {
		q := k.topper(n, k.space(nil, bestOf(n)))
		q.put(c.in(to), k.o, q.merge(c.in(from), k.lo, k.hi))
	})
	if err != nil {
		return err
	}
	return l.topped(n, func(out []source, count int) error { return l.best(n, c, f.count(), out, count) })
}

// topBriefly finds the best elements of few in one go.
func (l *lowering) topBriefly(n *graph.Node) error {
	return l.topped(n, func(out []source, count int) error {
		return l.kernel(opName(n)+" "+l.nameOf(n), func(k *kern) {
			src := k.node(n.Args[0], k.root).arr
			q := k.topper(n, k.attach(bestOf(n), out, kernel.ReadWrite))
			found := q.skim(src, k.b.Int(0), k.sizeValue(src.n), n, k.root)
			if count >= 0 {
				k.b.Store(k.region(count, size.Const(1), kernel.Write), k.b.Int(0), found[0])
			}
		})
	})
}

// candidates finds the best elements of each of so many stretches of that length.
func (l *lowering) candidates(n *graph.Node, c *topBuffers, stretches func(k *kern) (length, count size.Poly)) (launch *schedule.Launch, err error) {
	err = l.kernel("candidates of "+l.nameOf(n), func(k *kern) {
		length, count := stretches(k)
		k.k.Outer, k.k.Grain, k.k.Count = count, length, k.poly(n.Args[0].Type.Size)
		src := k.node(n.Args[0], k.root).arr
		q := k.topper(n, k.space(nil, bestOf(n)))
		found := q.skim(src, k.lo, k.hi, n, k.root)
		q.put(c.attached(k, count, kernel.Write), k.o, found[0])
		launch = k.launch
	})
	return launch, err
}

// topShared has each thread find the best elements of a part, and then the best of these.
func (l *lowering) topShared(n *graph.Node) error {
	return l.inParts(n, n.Args[0].Type.Size, func(p divided) error {
		c := l.topBuffers(n, p.count)
		if _, err := l.candidates(n, c, func(k *kern) (length, count size.Poly) { return k.poly(p.part), k.poly(p.count) }); err != nil {
			return err
		}
		return l.topped(n, func(out []source, count int) error { return l.best(n, c, schedule.SizeArg{Poly: p.count}, out, count) })
	}, func() error { return l.sequence(n) })
}

// topped makes the buffers of the best elements, and of how many there are where that is a size, and has them filled.
func (l *lowering) topped(n *graph.Node, fill func(out []source, count int) error) error {
	out, count := l.buffersFor(l.nameOf(n), bestOf(n)), -1
	if n.Defines != "" {
		count = l.buffer(n.Defines, num.I64, size.Const(1))
	}
	if err := fill(out, count); err != nil {
		return err
	}
	l.mat[n] = out
	if count >= 0 {
		l.define(n, count, n.Poly)
	}
	return nil
}

// best merges the candidates of all leaves.
func (l *lowering) best(n *graph.Node, c *topBuffers, leaves schedule.SizeArg, out []source, count int) error {
	return l.kernel(opName(n)+" "+l.nameOf(n), func(k *kern) {
		q := k.topper(n, k.attach(bestOf(n), out, kernel.ReadWrite))
		rows := k.foldedRows(leaves, c.keys)
		found := q.merge(c.attached(k, rows, kernel.Read), k.b.Int(0), k.b.SizeOf(rows))
		if count >= 0 {
			k.b.Store(k.region(count, size.Const(1), kernel.Write), k.b.Int(0), found)
		}
	})
}
