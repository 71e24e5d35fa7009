package num

import "math/bits"

// Folder is the reference of every fold: it takes slots one at a time, in
// ascending order of their index, and combines them in the canonical order
// (see order.go) in memory that grows with the logarithm of their number.
// A slot that is left out counts as the identity.
type Folder struct {
	op    FoldOp
	kind  Kind
	first int64 // index of slot 0
	tree  bool  // every slot is a leaf
	lanes []Partial
	leaf  int64 // number of the leaf that the lanes belong to
	open  bool  // the lanes hold a slot
	// pending[l] is the root of a finished subtree of 2^l leaves that waits
	// for its right neighbour; there is one exactly where bit l of count, the
	// number of leaves so far, is set.
	pending [64]Partial
	count   uint64
}

// NewFolder starts a fold of values of kind k over indices from first on;
// tree asks for the pairwise order without leaves and lanes. Operators that
// do not depend on the order ignore it.
func NewFolder(op FoldOp, k Kind, tree bool, first int64) *Folder {
	f := &Folder{op: op, kind: k, first: first, tree: tree}
	if op.IsOrdered(k) && !tree {
		f.lanes = make([]Partial, Lanes(k))
	} else {
		f.lanes = make([]Partial, 1)
	}
	f.clearLanes()
	return f
}

// Reset starts the same fold anew, over indices from first on.
func (f *Folder) Reset(first int64) {
	f.first, f.leaf, f.count = first, 0, 0
	f.clearLanes()
}

func (f *Folder) clearLanes() {
	for i := range f.lanes {
		f.lanes[i] = f.op.Identity(f.kind, f.first)
	}
	f.open = false
}

// Add takes the slot with index i ≥ first, greater than all before.
func (f *Folder) Add(i int64, v uint64) {
	at := f.lane(i)
	*at = f.op.Combine(f.kind, *at, f.op.Lift(f.kind, i, v))
}

// AddProduct is Add for FoldMulAdd: the product of a and b is added to its lane
// without being rounded before.
func (f *Folder) AddProduct(i int64, a, b uint64) {
	at := f.lane(i)
	at[0] = EvalFma(f.kind, a, b, at[0])
}

// lane is where the slot with index i ≥ first goes, greater than all before.
func (f *Folder) lane(i int64) *Partial {
	slot := i - f.first
	leaf, lane := int64(0), int64(0)
	if f.op.IsOrdered(f.kind) {
		if f.tree {
			leaf = slot
		} else {
			leaf, lane = slot/Leaf, slot%Leaf%int64(len(f.lanes))
		}
	}
	if leaf != f.leaf {
		f.closeLeaf()
		f.leaf = leaf
	}
	f.open = true
	return &f.lanes[lane]
}

// closeLeaf folds the lanes by halves and gives the leaf to the tree.
func (f *Folder) closeLeaf() {
	if !f.open {
		return
	}
	f.skipTo(uint64(f.leaf))
	f.push(0, f.halves())
	f.clearLanes()
}

func (f *Folder) halves() Partial {
	for n := len(f.lanes) / 2; n > 0; n /= 2 {
		for j := range n {
			f.lanes[j] = f.op.Combine(f.kind, f.lanes[j], f.lanes[j+n])
		}
	}
	return f.lanes[0]
}

// push adds a finished subtree of 2^level leaves; count is a multiple of
// that.
func (f *Folder) push(level int, p Partial) {
	step := uint64(1) << level
	for ; f.count>>level&1 == 1; level++ {
		p = f.op.Combine(f.kind, f.pending[level], p)
	}
	f.pending[level] = p
	f.count += step
}

// skipTo fills the leaves that got no slot with the largest aligned subtrees
// of the identity.
func (f *Folder) skipTo(leaf uint64) {
	for f.count < leaf {
		level := bits.Len64(leaf-f.count) - 1
		if f.count != 0 {
			level = min(level, bits.TrailingZeros64(f.count))
		}
		f.push(level, f.op.Identity(f.kind, f.first))
	}
}

// Partial closes the fold: what is left over at each level moves up alone.
func (f *Folder) Partial() Partial {
	f.closeLeaf()
	r, any := f.op.Identity(f.kind, f.first), false
	for level := range f.pending {
		switch {
		case f.count>>level&1 == 0:
		case any:
			r = f.op.Combine(f.kind, f.pending[level], r)
		default:
			r, any = f.pending[level], true
		}
	}
	return r
}

// Result gives the results, one or two words; no slot may be added after.
func (f *Folder) Result() []uint64 {
	p := f.Partial()
	return append([]uint64(nil), p[:f.op.Words()]...)
}
