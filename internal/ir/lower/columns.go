package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// columnGrain is how many columns are folded side by side. Their lanes, 128 bytes for each, take
// 8 KiB, which leaves most of a first-level cache of 32 KiB to what streams past them; a row of
// them is four lines of a cache, or more.
const columnGrain = 64

// wideGrain is how many are where the order does not count: each has one accumulator, and of a row they are 8 lines or more, which
// a processor fetches ahead by itself.
const wideGrain = 128

// columnFold is an accumulator of a fold of columns lo..hi side by side, row after row, each in
// its canonical order.
type columnFold struct {
	k       *kern
	acc     kernel.Acc
	leaves  size.Poly
	ordered bool
	words   []int // scratch of each word: a row of columns for each lane
	leafs   int   // scratch, where the order counts: a row of columns for each leaf
}

// foldsColumns is how many columns of a nest of a fold are folded side by side; 0 if they cannot be.
func (k *kern) foldsColumns() (grain int64) {
	n, ok := k.strided()
	if !ok || n.inner.Code != kernel.Fold || stores(&n.inner.Blocks[0]) {
		return 0
	}
	grain = wideGrain
	for _, acc := range n.inner.Accs {
		if acc.Op == num.FoldMulAdd || acc.Op.Scalar() == num.NoOp && acc.Op != num.FoldAddWide { // the first takes both factors
			return 0
		}
		if acc.Op.IsOrdered(acc.Kind) {
			grain = columnGrain
		}
	}
	if _, pure := k.before(n); !pure {
		return 0
	}
	return grain
}

// columns rewrites a nest with a fold, in a kernel made for it.
func (k *kern) columns(n *nest) bool {
	if k.sideBySide == 0 || !k.k.Grain.Equal(size.Const(k.sideBySide)) {
		return false
	}
	pre, _ := k.before(n)
	leaves := k.poly(ceilDiv(n.length, num.Leaf))
	var folds []*columnFold
	for _, acc := range n.inner.Accs {
		f := &columnFold{k: k, acc: acc, leaves: leaves, ordered: acc.Op.IsOrdered(acc.Kind)}
		f.start()
		folds = append(folds, f)
	}
	k.foldRows(n, pre, folds)
	k.b.Each(k.lo, k.hi, func(j kernel.Value) {
		to := map[kernel.Value]kernel.Value{n.j(): j}
		instrs := n.outer.Blocks[0].Instrs
		k.b.Copy(instrs[:n.at], to)
		out := n.inner.Out
		for _, f := range folds {
			for _, v := range f.result(k.b.Wrap(num.Sub, j, k.lo)) {
				to[out[0]], out = v, out[1:]
			}
		}
		k.b.Copy(instrs[n.at+1:], to)
	})
	return true
}

func stores(b *kernel.Block) (found bool) {
	b.Each(func(in *kernel.Instr) { found = found || in.Code == kernel.Store })
	return found
}

// foldRows walks over all rows, leaf by leaf.
func (k *kern) foldRows(n *nest, pre []kernel.Instr, folds []*columnFold) {
	length := n.inner.Args[1]
	k.b.Each(k.b.Int(0), k.b.SizeOf(folds[0].leaves), func(leaf kernel.Value) {
		for _, f := range folds {
			f.open()
		}
		first := k.b.Wrap(num.Mul, leaf, k.b.Int(num.Leaf))
		last := k.b.Wrap(num.Min, k.b.Wrap(num.Add, first, k.b.Int(num.Leaf)), length)
		k.b.Each(first, last, func(i kernel.Value) {
			k.b.Each(k.lo, k.hi, func(j kernel.Value) {
				to := map[kernel.Value]kernel.Value{n.j(): j, n.i(): i}
				k.b.Copy(pre, to)
				k.b.Copy(n.inner.Blocks[0].Instrs, to)
				for x, v := range kernel.Replaced(n.inner.Blocks[0].Results, to) {
					folds[x].add(i, k.b.Wrap(num.Sub, j, k.lo), v)
				}
			})
		})
		for _, f := range folds {
			f.close(leaf)
		}
	})
}

func (f *columnFold) lanes() int64 {
	if f.ordered {
		return int64(num.Lanes(f.acc.Kind))
	}
	return 1
}

// start makes the memory of a fold. The rows of leaves are filled, so that verify sees that none
// is loaded before it is stored.
func (f *columnFold) start() {
	for word, kind := range f.acc.Outs() {
		f.words = append(f.words, f.k.scratchOf(kind, size.Const(f.lanes()*f.k.sideBySide)))
		if !f.ordered {
			f.clear(f.words[word], word)
		}
	}
	if f.ordered {
		f.leafs = f.k.scratchOf(f.acc.Kind, f.leaves.MulConst(f.k.sideBySide))
		f.clear(f.leafs, 0)
	}
}

func (f *columnFold) clear(region, word int) {
	b := f.k.b
	r := f.k.k.Regions[region]
	identity := b.Const(r.Elem, f.acc.Op.Identity(f.acc.Kind, 0)[word])
	b.Each(b.Int(0), b.SizeOf(r.Len), func(t kernel.Value) { b.Store(region, t, identity) })
}

func (f *columnFold) open() {
	if f.ordered {
		f.clear(f.words[0], 0)
	}
}

// add takes the value of row i in a column, counted from the first.
func (f *columnFold) add(i, column, v kernel.Value) {
	b := f.k.b
	at := column
	if f.ordered {
		lane := b.Wrap(num.Rem, i, b.Int(f.lanes())) // leaves are multiples of lanes
		at = f.place(lane, column)
	}
	old := b.Load(f.words[0], at)
	if f.acc.Op != num.FoldAddWide {
		b.Store(f.words[0], at, f.combine(old, v))
		return
	}
	low, high := f.k.addWide(f.acc.Kind, v, old, b.Load(f.words[1], at))
	b.Store(f.words[0], at, low)
	b.Store(f.words[1], at, high)
}

func (f *columnFold) place(row, column kernel.Value) kernel.Value {
	b := f.k.b
	return b.Wrap(num.Add, b.Wrap(num.Mul, row, b.Int(f.k.sideBySide)), column)
}

func (f *columnFold) combine(left, right kernel.Value) kernel.Value {
	op := f.acc.Op.Scalar()
	return f.k.b.Wrap(op, left, right)
}

// close folds the lanes by halves and keeps the leaf's row.
func (f *columnFold) close(leaf kernel.Value) {
	if !f.ordered {
		return
	}
	b, lanes := f.k.b, f.words[0]
	for half := f.lanes() / 2; half > 0; half /= 2 {
		away := b.Int(half * f.k.sideBySide)
		b.Each(b.Int(0), away, func(t kernel.Value) {
			b.Store(lanes, t, f.combine(b.Load(lanes, t), b.Load(lanes, b.Wrap(num.Add, t, away))))
		})
	}
	b.Each(b.Int(0), b.Int(f.k.sideBySide), func(t kernel.Value) { b.Store(f.leafs, f.place(leaf, t), b.Load(lanes, t)) })
}

// result is what the fold of a column gives.
func (f *columnFold) result(column kernel.Value) (out []kernel.Value) {
	b := f.k.b
	if f.ordered {
		return b.Fold(b.Int(0), b.SizeOf(f.leaves), true, []kernel.Acc{f.acc}, func(leaf kernel.Value) []kernel.Value {
			return []kernel.Value{b.Load(f.leafs, f.place(leaf, column))}
		})
	}
	for _, r := range f.words {
		out = append(out, b.Load(r, column))
	}
	return out
}
