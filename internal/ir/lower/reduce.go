package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// reduction is one Reduce on its way into accumulators of a fold. An exact
// integer sum needs 128 bits unless its size rules overflow out.
type reduction struct {
	n    *graph.Node
	src  *array
	kind num.Kind // of the elements
	acc  kernel.Acc
	any  bool // a second accumulator finds whether any slot is set
}

func (k *kern) reduction(n *graph.Node, e *env) *reduction {
	r := &reduction{n: n, src: k.node(n.Args[0], e).arr, kind: n.Monoid.Kind(n.Args[0].Type.Elem())}
	r.acc = k.accOf(n.Monoid, r.kind, n.Args[0].Type.Size)
	r.any = n.CanFault() && n.Monoid.NeedsElement() && r.src.masked != nil
	return r
}

func (k *kern) accOf(m graph.Monoid, kind num.Kind, slots size.Poly) kernel.Acc {
	op, fold := m.Fold(kind)
	if op == num.FoldAddWide && k.fits(kind, slots) {
		op, fold = num.FoldAdd, num.I64
	}
	return kernel.Acc{Op: op, Kind: fold}
}

// fits reports that no sum of that many values of the kind leaves 63 bits.
func (k *kern) fits(kind num.Kind, slots size.Poly) bool {
	_, hi := k.l.facts.Bounds(slots)
	return kind.Bits() < 63 && hi > 0 && hi <= 1<<(63-kind.Bits())
}

func (r *reduction) accs() []kernel.Acc {
	if r.any {
		return []kernel.Acc{r.acc, {Op: num.FoldOr, Kind: num.Bool}}
	}
	return []kernel.Acc{r.acc}
}

func (r *reduction) outs() []num.Kind {
	outs := r.acc.Outs()
	if r.any {
		outs = append(outs, num.Bool)
	}
	return outs
}

// inputs gives, for slot i, what goes into each reduction's accumulators.
// Reductions over the same masked view share one branch.
func (k *kern) inputs(rs []*reduction, i kernel.Value) []kernel.Value {
	out := make([][]kernel.Value, len(rs))
	for j, r := range rs {
		if out[j] != nil {
			continue
		}
		s := k.element(r.src, i)
		if r.src.masked == nil {
			out[j] = k.folded(r, k.accInput(r, s.v))
			continue
		}
		k.maskedInputs(rs, out, i, s.set)
	}
	var flat []kernel.Value
	for _, vs := range out {
		flat = append(flat, vs...)
	}
	return flat
}

// maskedInputs fills in all reductions whose slot i is set under set.
func (k *kern) maskedInputs(rs []*reduction, out [][]kernel.Value, i, set kernel.Value) {
	var same []int
	for j, r := range rs {
		if out[j] == nil && r.src.masked != nil && k.element(r.src, i).set == set {
			same = append(same, j)
		}
	}
	vs := k.branch(set, func() []kernel.Value {
		var vs []kernel.Value
		for _, j := range same {
			vs = append(vs, k.accInput(rs[j], k.element(rs[j].src, i).elem())...)
		}
		return vs
	}, func() []kernel.Value {
		var vs []kernel.Value
		for _, j := range same {
			vs = append(vs, k.nothing(rs[j])...)
		}
		return vs
	})
	for _, j := range same {
		n := rs[j].factors()
		out[j], vs = k.folded(rs[j], vs[:n:n]), vs[n:]
		if rs[j].any {
			out[j] = append(out[j], set)
		}
	}
}

// accInput converts an element to the kind that is folded; of a pair it gives
// both factors.
func (k *kern) accInput(r *reduction, v val) []kernel.Value {
	if r.acc.Op == num.FoldMulAdd {
		return []kernel.Value{v.fields[0].s, v.fields[1].s}
	}
	return []kernel.Value{k.b.Convert(v.s, r.acc.Kind, false)}
}

// factors is how many values an accInput has.
func (r *reduction) factors() int {
	if r.acc.Op == num.FoldMulAdd {
		return 2
	}
	return 1
}

// nothing is the accInput of a slot that contributes nothing: the product of
// -0 and 1 is -0.
func (k *kern) nothing(r *reduction) []kernel.Value {
	id := k.identity(r.acc)
	if r.acc.Op == num.FoldMulAdd {
		return []kernel.Value{id, k.b.Const(r.acc.Kind, num.FromFloat(r.acc.Kind, 1))}
	}
	return []kernel.Value{id}
}

// folded is what goes into the accumulator of an accInput.
func (k *kern) folded(r *reduction, in []kernel.Value) []kernel.Value {
	if len(in) == 2 {
		return []kernel.Value{k.b.Wrap(num.Mul, in...)}
	}
	return in
}

// identity is the value that contributes nothing.
func (k *kern) identity(a kernel.Acc) kernel.Value {
	return k.b.Const(a.Kind, a.Op.Identity(a.Kind, 0)[0])
}

// finish turns the results of a reduction's accumulators into its value,
// reporting its faults.
func (k *kern) finish(r *reduction, vs []kernel.Value) val {
	n := r.n
	if r.acc.Op == num.FoldAddWide {
		return val{s: k.narrow(n, r.acc.Kind, vs[0], vs[1])}
	}
	if r.acc.Op == num.FoldArgMin || r.acc.Op == num.FoldArgMax {
		return k.finishArg(r, vs)
	}
	if n.Monoid.NeedsElement() && n.CanFault() {
		k.faultIfEmpty(r, vs)
	}
	return val{s: k.b.Convert(vs[0], n.Type.KindOf(), false)}
}

// faultIfEmpty reports a minimum of nothing.
func (k *kern) faultIfEmpty(r *reduction, vs []kernel.Value) {
	var empty kernel.Value
	switch {
	case r.any:
		empty = k.b.Wrap(num.Not, vs[len(vs)-1])
	case k.isPositive(r.n.Args[0].Type.Size):
		return
	default:
		empty = k.b.Wrap(num.Le, k.sizeValue(r.n.Args[0].Type.Size), k.b.Int(0))
	}
	k.site(r.n, func() kernel.Value { k.b.Fault(empty); return empty })
}

// finishArg is the index of an extreme, 0 when there is none.
func (k *kern) finishArg(r *reduction, vs []kernel.Value) val {
	if r.n.CanFault() {
		k.faultIfEmpty(r, vs)
	}
	p := r.n.Args[0].Type.Size
	v := k.guard(p, num.I64, func() kernel.Value { return k.bound(vs[1], p) })
	return val{s: v, safe: k.isPositive(k.capacity(p))}
}

// narrow checks that a 128-bit sum fits in 64 bits.
func (k *kern) narrow(n *graph.Node, kind num.Kind, low, high kernel.Value) kernel.Value {
	v := k.b.Bitcast(low, kind)
	want := k.b.Int(0)
	if kind == num.I64 {
		want = k.b.Wrap(num.Shr, v, k.b.Int(63))
	}
	if n.Site >= 0 {
		bad := k.b.Wrap(num.Ne, high, want)
		k.site(n, func() kernel.Value { k.b.Fault(bad); return bad })
	}
	return v
}

// reduce is a Reduce inside a kernel.
func (k *kern) reduce(n *graph.Node, e *env) val {
	r := k.reduction(n, e)
	vs := k.foldAll([]*reduction{r}, k.b.Int(0), k.sizeValue(n.Args[0].Type.Size), n.Args[0].Type.Size)
	return k.finish(r, vs)
}

// foldAll folds slots lo..hi into all accumulators of the reductions.
func (k *kern) foldAll(rs []*reduction, lo, hi kernel.Value, p size.Poly) []kernel.Value {
	var accs []kernel.Acc
	for _, r := range rs {
		accs = append(accs, r.accs()...)
	}
	return k.fold(lo, hi, false, accs, func(i kernel.Value) (in []kernel.Value) {
		k.inside(p, func() { k.slotScope(i, func() { in = k.inputs(rs, i) }) })
		return in
	})
}

// combineLeaves joins what the leaves of a reduction gave: load(j, leaf) is
// its j-th output for a leaf.
func (k *kern) combineLeaves(r *reduction, leaves size.Poly, load func(out int, leaf kernel.Value) kernel.Value) (vs []kernel.Value) {
	for _, acc := range r.accs() {
		first := len(vs)
		vs = append(vs, k.joinRows(acc, k.b.Int(0), k.b.SizeOf(leaves), func(word int, leaf kernel.Value) kernel.Value {
			return load(first+word, leaf)
		})...)
	}
	return vs
}
