package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// fewKeyedLeaves is how many leaves of a keyed fold are as many outer indices as threads can share well.
const fewKeyedLeaves = 64

// ShortSlots is up to how many slots a keyed fold may have few leaves.
var ShortSlots = fewKeyedLeaves * minKeyedLeaf

// storeAheadOfKeys has maps stored that are much work for each element and that a keyed fold walks over: its leaves are long, so that
// one thread might do all the work, where the map alone has an outer index for a thousand elements or less.
func (l *lowering) storeAheadOfKeys() {
	for n, u := range l.use {
		if n.Op == graph.Map && !masked(n) && u.cost >= 100 && l.onlyForKeys(n) && l.memory.home[n] == &l.g.Body {
			u.ahead = true
		}
	}
}

// onlyForKeys reports that keyed folds alone walk over n, perhaps by way of maps.
func (l *lowering) onlyForKeys(n *graph.Node) bool {
	u := l.use[n]
	return u.others == 0 && u.streams > 0 && u.streams == len(u.walkers) && !slices.ContainsFunc(u.walkers, func(w *graph.Node) bool {
		return w.Op != graph.KeyedReduce && (w.Op != graph.Map || !l.onlyForKeys(w))
	})
}

// minKeyedLeaf is the least num.KeyedLeaf of all widths.
var minKeyedLeaf = num.KeyedLeaf(1)

// keyed is one KeyedReduce being computed into tables of accumulators: one
// row of width entries per leaf, and one table per word of an accumulator.
type keyed struct {
	n      *graph.Node
	src    *array
	e      *env
	value  *graph.Type // of what is combined; a scalar or an array of scalars
	acc    kernel.Acc
	groups size.Poly
	width  size.Poly // groups × scalars per value
	tables []int     // regions
	plain  bool      // tables are as they are read all the time: no bias
}

func (k *kern) keyed(n *graph.Node, e *env) *keyed {
	t := n.Blocks[0].Results[1].Type
	leaf := graph.Leaves(t)[0]
	q := &keyed{n: n, src: k.node(n.Args[0], e).arr, e: e, value: t, groups: n.Poly}
	q.acc = k.accOf(n.Monoid, leaf.Type.KindOf(), n.Args[0].Type.Size)
	q.width = n.Poly.Mul(volume(leaf.Dims))
	return q
}

// bias is what the low word of a sum of signed numbers has too much while a row is filled: it overflows only when the sum leaves
// 64 bits, and not whenever the sum changes its sign.
const bias = 1 << 63

func (q *keyed) biased() bool {
	return !q.plain && q.acc.Op == num.FoldAddWide && q.acc.Kind == num.I64
}

// clearRow sets a row of the tables to the identity, with the bias.
func (k *kern) clearRow(q *keyed, row kernel.Value) {
	k.each(k.b.Int(0), k.sizeValue(q.width), q.width, func(i kernel.Value) {
		at := k.flat(row, q.width, i)
		for w, r := range q.tables {
			bits := q.acc.Op.Identity(q.acc.Kind, 0)[w]
			if w == 0 && q.biased() {
				bits ^= bias
			}
			k.b.Store(r, at, k.b.Const(q.acc.Outs()[w], bits))
		}
	})
}

// settleRow takes the bias out of a row: it borrows from the high word where the low one has less.
func (k *kern) settleRow(q *keyed, row kernel.Value) {
	if !q.biased() {
		return
	}
	k.each(k.b.Int(0), k.sizeValue(q.width), q.width, func(i kernel.Value) {
		at, bias := k.flat(row, q.width, i), k.b.Const(num.U64, bias)
		low := k.b.Load(q.tables[0], at)
		borrow := k.b.Convert(k.b.Wrap(num.Lt, low, bias), num.I64, false)
		k.b.Store(q.tables[0], at, k.b.Wrap(num.Sub, low, bias))
		k.b.Store(q.tables[1], at, k.b.Wrap(num.Sub, k.b.Load(q.tables[1], at), borrow))
	})
}

// fillRow combines the slots lo..hi into a row of the tables of all qs,
// which walk over equally many slots.
func (k *kern) fillRow(qs []*keyed, row, lo, hi kernel.Value, p size.Poly) {
	for _, q := range qs {
		k.clearRow(q, row)
	}
	k.each(lo, hi, p, func(i kernel.Value) {
		k.slotScope(i, func() { k.fillSlots(qs, row, i) })
	})
	for _, q := range qs {
		k.settleRow(q, row)
	}
}

// fillSlots combines slot i; what stands under the same mask shares one
// branch.
func (k *kern) fillSlots(qs []*keyed, row, i kernel.Value) {
	for len(qs) > 0 {
		first := k.element(qs[0].src, i)
		if qs[0].src.masked == nil {
			k.fillKeyed(qs[0], row, i, first.v)
			qs = qs[1:]
			continue
		}
		var same, rest []*keyed
		for _, q := range qs {
			if q.src.masked != nil && k.element(q.src, i).set == first.set {
				same = append(same, q)
			} else {
				rest = append(rest, q)
			}
		}
		k.branch(first.set, func() []kernel.Value {
			for _, q := range same {
				k.fillKeyed(q, row, i, k.element(q.src, i).elem())
			}
			return nil
		}, func() []kernel.Value { return nil })
		qs = rest
	}
}

func (k *kern) fillKeyed(q *keyed, row, i kernel.Value, elem val) {
	out := k.body(q.n.Blocks[0], q.e, val{s: i, safe: true}, elem)
	key := out[0].s
	if !k.trusts(out[0]) {
		k.guardDo(q.groups, func() {
			k.combineValue(q, q.value, out[1], k.flat(row, q.groups, k.bound(key, q.groups)))
		})
		return
	}
	k.combineValue(q, q.value, out[1], k.flat(row, q.groups, key))
}

// combineValue combines a value into the table entries from flat position
// at on, element by element.
func (k *kern) combineValue(q *keyed, t *graph.Type, v val, at kernel.Value) {
	if t.Kind == graph.Array {
		k.each(k.b.Int(0), k.sizeValue(t.Size), t.Size, func(j kernel.Value) {
			k.combineValue(q, t.Elem(), k.element(v.arr, j).v, k.flat(at, t.Size, j))
		})
		return
	}
	x := k.b.Convert(v.s, q.acc.Kind, false)
	old := k.b.Load(q.tables[0], at)
	if q.acc.Op == num.FoldAddWide {
		k.addSeldom(q, x, old, at)
		return
	}
	k.b.Store(q.tables[0], at, k.b.Wrap(q.acc.Op.Scalar(), old, x))
}

// addWide adds x, of kind I64 or U64, to a 128-bit accumulator of which low and high are the words.
func (k *kern) addWide(kind num.Kind, x, low, high kernel.Value) (sum, top kernel.Value) {
	sum, change := k.carried(kind, x, low)
	return sum, k.b.Wrap(num.Add, high, change)
}

// carried adds x to a low word and gives by how much the high one changes: by -1, 0 or 1.
func (k *kern) carried(kind num.Kind, x, low kernel.Value) (sum, change kernel.Value) {
	y := k.b.Bitcast(x, num.U64)
	sum = k.b.Wrap(num.Add, low, y)
	change = k.b.Convert(k.b.Wrap(num.Lt, sum, y), num.I64, false)
	if kind == num.I64 {
		change = k.b.Wrap(num.Add, change, k.b.Wrap(num.Shr, x, k.b.Int(63)))
	}
	return sum, change
}

// addSeldom adds x to the entry at, of which old is the low word. The high word is touched only where it changes, which is seldom.
func (k *kern) addSeldom(q *keyed, x, old, at kernel.Value) {
	low, change := k.carried(q.acc.Kind, x, old)
	k.b.Store(q.tables[0], at, low)
	k.branch(k.b.Wrap(num.Ne, change, k.b.Int(0)), func() []kernel.Value {
		k.b.Store(q.tables[1], at, k.b.Wrap(num.Add, k.b.Load(q.tables[1], at), change))
		return nil
	}, func() []kernel.Value { return nil })
}

// entry combines one column of the tables over all rows and gives the
// finished scalar.
func (k *kern) entry(q *keyed, column kernel.Value, rows size.Poly) kernel.Value {
	vs := k.joinRows(q.acc, k.b.Int(0), k.b.SizeOf(rows), func(word int, row kernel.Value) kernel.Value {
		return k.b.Load(q.tables[word], k.flat(row, q.width, column))
	})
	if q.acc.Op != num.FoldAddWide {
		return vs[0]
	}
	return k.narrow(q.n, q.acc.Kind, vs[0], vs[1])
}

// leaves are those of slots for a table of so many entries.
type leaves struct {
	slots, width size.Poly
	short        bool
}

// length is how many slots one has.
func (f leaves) length() schedule.SizeArg {
	return schedule.SizeArg{Op: schedule.KeyedLeaf, KeyedBy: &f.width, Short: f.short}
}

// count is how many there are.
func (f leaves) count() schedule.SizeArg {
	return schedule.SizeArg{Op: schedule.KeyedLeaves, Poly: f.slots, KeyedBy: &f.width, Short: f.short}
}

// entries is how many entries the tables of all leaves have at most, width in each. Where leaves are for many machines it goes by how much longer than
// its table a leaf is; here one leaf is often all, and its table the result.
func (l *lowering) entries(f leaves, width size.Poly) size.Poly {
	least, slots := minKeyedLeaf, int64(num.KeyedSlots)
	if f.short {
		least, slots = num.Leaf, num.ShortKeyedSlots
	}
	if !l.opt.Partials || l.most(f.width) <= least/slots || !l.facts.Proves(f.width.Sub(width)) {
		return ceilDiv(f.slots, least).Mul(width)
	}
	return ceilDiv(f.slots, slots).Add(width)
}

// leaves gives their length and their number as kernel sizes.
func (k *kern) leaves(f leaves) (length, count size.Poly) {
	length = k.sizeArg(f.length())
	return length, k.sizeArg(f.count())
}

// keyedReduce is a KeyedReduce inside a kernel, with its tables in scratch.
func (k *kern) keyedReduce(n *graph.Node, e *env) val {
	q := k.keyed(n, e)
	slots := n.Args[0].Type.Size
	most := k.capacity(slots)
	_, hi := k.l.facts.Bounds(most)
	out := k.space(n, n.Type)
	if hi <= minKeyedLeaf {
		k.tablesFor(q, k.poly(k.capacity(q.width)))
		k.fillRow([]*keyed{q}, kernel.None, k.b.Int(0), k.sizeValue(slots), slots)
		k.eachEntry(q, out, func(i kernel.Value) kernel.Value {
			v := k.b.Load(q.tables[0], i)
			if q.acc.Op == num.FoldAddWide {
				return k.narrow(n, q.acc.Kind, v, k.b.Load(q.tables[1], i))
			}
			return v
		})
		return k.backed(n.Type, out)
	}
	length, count := k.leaves(leaves{slots: most, width: q.width})
	k.tablesFor(q, count.Mul(k.poly(q.width)))
	k.loop(k.b.Int(0), k.b.SizeOf(count), nil, nil, func(l kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		lo := k.b.Wrap(num.Mul, l, k.b.SizeOf(length))
		end := k.b.Wrap(num.Min, k.b.Wrap(num.Add, lo, k.b.SizeOf(length)), k.sizeValue(slots))
		k.fillRow([]*keyed{q}, l, lo, end, slots)
		return nil, kernel.None
	})
	k.eachEntry(q, out, func(i kernel.Value) kernel.Value { return k.entry(q, i, count) })
	return k.backed(n.Type, out)
}

// tablesFor makes tables of n entries, a polynomial over the kernel's sizes.
func (k *kern) tablesFor(q *keyed, n size.Poly) {
	for _, kind := range q.acc.Outs() {
		q.tables = append(q.tables, k.scratchOf(kind, n))
	}
}

// eachEntry stores the finished scalars of all table columns.
func (k *kern) eachEntry(q *keyed, out backing, value func(i kernel.Value) kernel.Value) {
	k.each(k.b.Int(0), k.sizeValue(q.width), q.width, func(i kernel.Value) {
		r := out.regions[0]
		k.b.Store(r, i, k.b.Convert(value(i), k.k.Regions[r].Elem, false))
	})
}
