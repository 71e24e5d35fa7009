package lower

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// node is the value of a node: known in this evaluation, computed by an
// earlier kernel, or emitted now.
func (k *kern) node(n *graph.Node, e *env) val {
	if v, ok := e.find(n); ok {
		return v
	}
	// Nodes of nested blocks are emitted in order, so n is the host's: it is
	// invariant, and emitted before everything else.
	var v val
	k.b.Outside(0, func() {
		at, elements, positive := k.b.At, k.elements, k.positive
		k.b.At, k.elements, k.positive = kernel.None, k.elements[:1], nil // what loops around show is not known there
		v = k.host(n)
		k.b.At, k.elements, k.positive = at, elements, positive
	})
	k.root.val[n] = v
	return v
}

func (k *kern) host(n *graph.Node) val {
	srcs, ok := k.l.mat[n]
	switch {
	case !ok:
		return k.emit(n, k.root)
	case masked(n):
		dense := graph.ArrayOf(n.Type.Elem(), n.Type.Size)
		return k.backedMasked(dense, k.reading(maskedType(dense), srcs))
	}
	return k.backed(n.Type, k.reading(n.Type, srcs))
}

// reading gives the kernel read access to computed leaves.
func (k *kern) reading(t *graph.Type, srcs []source) backing {
	return k.attach(t, srcs, kernel.Read)
}

func (k *kern) attach(t *graph.Type, srcs []source, access kernel.Access) backing {
	b := backing{scalars: srcs, off: kernel.None}
	for i, leaf := range graph.Leaves(t) {
		r, n := -1, volume(leaf.Dims)
		if srcs[i].buffer >= 0 {
			r = k.region(srcs[i].buffer, n, access)
		}
		b.regions, b.lens = append(b.regions, r), append(b.lens, n)
	}
	return b
}

// body evaluates a nested block with the given parameters.
func (k *kern) body(b *graph.Block, e *env, params ...val) []val {
	e = e.inner()
	for i, p := range b.Params {
		v := params[i]
		if u := k.l.use[p]; v.arr != nil && !v.arr.cheap && u.streams+u.others > 1 {
			v = k.keep(nil, p.Type, v)
		}
		e.val[p] = v
	}
	for _, n := range b.Nodes {
		u := k.l.use[n]
		if !u.live {
			continue
		}
		v := k.emit(n, e)
		if k.l.memory.kept[n] {
			v = k.own(n.Type, v)
		}
		if n.Type.Kind == graph.Array && v.arr.back == nil && !u.fused(n) {
			v = k.settle(n, v)
		}
		e.val[n] = v
	}
	out := make([]val, len(b.Results))
	for i, r := range b.Results {
		out[i] = k.node(r, e)
	}
	return out
}

// settle stores an array that is not fused into its consumers.
func (k *kern) settle(n *graph.Node, v val) val {
	if v.arr.masked == nil {
		if v.arr.cheap {
			return v
		}
		return k.keep(n, n.Type, v)
	}
	dense := graph.ArrayOf(n.Type.Elem(), n.Type.Size)
	b := k.space(nil, maskedType(dense))
	k.storeMasked(dense, v.arr, b)
	return k.backedMasked(dense, b)
}

// emit computes a node. Scalars are computed here and now; maps and filters
// give arrays that compute their elements when asked.
func (k *kern) emit(n *graph.Node, e *env) val {
	switch n.Op {
	case graph.Const:
		return val{s: k.b.Const(n.Type.KindOf(), n.Bits), safe: true}
	case graph.SizeVal:
		return val{s: k.sizeValue(n.Poly), safe: true}
	case graph.Arith:
		return k.arith(n, e)
	case graph.Cast:
		x := k.node(n.Args[0], e)
		return val{safe: x.safe, s: k.site(n, func() kernel.Value { return k.b.Convert(x.s, n.Type.KindOf(), n.Checked) })}
	case graph.Bits:
		return val{s: k.b.Bitcast(k.node(n.Args[0], e).s, n.Type.KindOf())}
	case graph.If:
		return k.ifNode(n, e)
	case graph.MakeTuple:
		var out val
		for _, a := range n.Args {
			out.fields = append(out.fields, k.node(a, e))
		}
		return out
	case graph.Get:
		return k.node(n.Args[0], e).fields[n.Field]
	case graph.Some:
		return val{fields: []val{{s: k.b.Const(num.Bool, 1)}, k.node(n.Args[0], e)}}
	case graph.Nothing:
		return k.zero(n.Type)
	case graph.IsSome:
		return k.node(n.Args[0], e).fields[0]
	case graph.Unwrap:
		return k.unwrap(n.Type, k.node(n.Args[0], e))
	case graph.Clamp, graph.Wrap, graph.Check:
		return k.limit(n, e)
	case graph.At:
		return k.at(n, e)
	case graph.Map:
		return val{arr: k.mapArray(n, e)}
	case graph.Filter:
		return val{arr: k.filterArray(n, e)}
	case graph.Reduce:
		return k.reduce(n, e)
	case graph.KeyedReduce:
		return k.keyedReduce(n, e)
	case graph.Compact:
		return k.compact(n, e)
	case graph.Limit:
		return k.limitArray(n, e)
	case graph.Fold:
		return k.foldNode(n, e)
	case graph.Scan:
		return k.scan(n, e)
	case graph.Scatter:
		return k.scatter(n, e)
	case graph.Update:
		return k.updateNode(n, e)
	case graph.Sort:
		return k.sort(n, e)
	case graph.TopK:
		return k.topK(n, e)
	case graph.Loop:
		return k.loopNode(n, e)
	}
	panic(fmt.Sprintf("lower: no rule for operation %d", n.Op))
}

func (k *kern) arith(n *graph.Node, e *env) val {
	out := val{safe: true}
	args := make([]kernel.Value, len(n.Args))
	for i, a := range n.Args {
		x := k.node(a, e)
		args[i], out.safe = x.s, out.safe && x.safe
	}
	out.s = k.site(n, func() kernel.Value {
		if n.Checked {
			return k.b.Checked(n.Num, args...)
		}
		return k.b.Wrap(n.Num, args...)
	})
	if (n.Num == num.Div || n.Num == num.Rem) && n.Type.KindOf() == num.I64 {
		k.divided[out.s] = division{n.Num, args[0], args[1]}
	}
	return out
}

// unwrap is the value of an option, or zero: what lies behind an absent
// value must not show.
func (k *kern) unwrap(t *graph.Type, o val) val {
	return k.selectVal(t, o.fields[0].s, o.fields[1], k.zero(t))
}

// selectVal chooses between two values already computed.
func (k *kern) selectVal(t *graph.Type, cond kernel.Value, yes, no val) val {
	switch t.Kind {
	case graph.Tuple, graph.Option:
		types := t.Elems
		if t.Kind == graph.Option {
			types = []*graph.Type{graph.BoolType, t.Elem()}
		}
		var out val
		for i, e := range types {
			out.fields = append(out.fields, k.selectVal(e, cond, yes.fields[i], no.fields[i]))
		}
		return out
	case graph.Array:
		return val{arr: &array{n: t.Size, elem: t.Elem(), at: func(i kernel.Value) val {
			return k.selectVal(t.Elem(), cond, k.element(yes.arr, i).v, k.element(no.arr, i).v)
		}}}
	}
	return val{s: k.b.Select(cond, yes.s, no.s), safe: yes.safe && no.safe}
}

// limit turns an integer into an index by clamping, wrapping or checking.
func (k *kern) limit(n *graph.Node, e *env) val {
	x := k.node(n.Args[0], e).s
	if k.withinCut(n) {
		return val{s: x, safe: true}
	}
	p := k.capacity(n.Poly)
	if n.Site >= 0 && !k.isPositive(p) {
		none := k.b.Wrap(num.Le, k.sizeValue(n.Poly), k.b.Int(0))
		if n.Op != graph.Check {
			k.site(n, func() kernel.Value { k.b.Fault(none); return none })
		}
	}
	v := k.guardOr(p, func() kernel.Value {
		size := k.sizeValue(n.Poly)
		switch n.Op {
		case graph.Clamp:
			last := k.b.Wrap(num.Sub, size, k.b.Int(1))
			x = k.b.Wrap(num.Min, k.b.Wrap(num.Max, x, k.b.Int(0)), last)
		case graph.Wrap:
			x = k.b.Wrap(num.Rem, x, size)
			x = k.b.Select(k.b.Wrap(num.Lt, x, k.b.Int(0)), k.b.Wrap(num.Add, x, size), x)
		default:
			return k.site(n, func() kernel.Value { return k.b.Bound(x, k.poly(p)) })
		}
		return k.bound(x, n.Poly)
	}, func() kernel.Value {
		if n.Op == graph.Check { // there is no index at all
			k.site(n, func() kernel.Value { k.b.Fault(k.b.Const(num.Bool, 1)); return kernel.None })
		}
		return k.b.Int(0)
	})
	return val{s: v, safe: k.isPositive(p)}
}

// at is an element of an array, or a row of it.
func (k *kern) at(n *graph.Node, e *env) val {
	a, i := k.node(n.Args[0], e).arr, k.node(n.Args[1], e)
	if k.trusts(i) && !k.isDynamic(a.n) {
		return k.element(a, i.s).v
	}
	return k.guardVal(a.n, n.Type, a.cheap, func() val { return k.element(a, k.bound(i.s, a.n)).v })
}

// mapArray is the array whose elements the body computes.
func (k *kern) mapArray(n *graph.Node, e *env) *array {
	out := &array{n: n.Type.Size, elem: n.Type.Elem(), cheap: k.l.use[n].cost <= 3 && !k.l.use[n].faults}
	args := make([]*array, len(n.Args))
	for j, arg := range n.Args {
		args[j] = k.node(arg, e).arr
		out.cheap = out.cheap && args[j].cheap
	}
	index := func(i kernel.Value) val { return val{s: i, safe: true} }
	if len(args) == 1 && args[0].masked != nil {
		out.masked = func(i kernel.Value) (kernel.Value, func() val) {
			s := k.element(args[0], i)
			return s.set, func() val { return k.body(n.Blocks[0], e, index(i), s.elem())[0] }
		}
		return out
	}
	out.at = func(i kernel.Value) val {
		params := []val{index(i)}
		for _, a := range args {
			params = append(params, k.element(a, i).v)
		}
		return k.body(n.Blocks[0], e, params...)[0]
	}
	return out
}

// filterArray is a masked view of its argument.
func (k *kern) filterArray(n *graph.Node, e *env) *array {
	src := k.node(n.Args[0], e).arr
	test := func(i kernel.Value, v val) kernel.Value {
		return k.body(n.Blocks[0], e, val{s: i, safe: true}, v)[0].s
	}
	out := &array{n: n.Type.Size, elem: n.Type.Elem(), cheap: src.cheap && k.l.use[n].cost <= 3 && !k.l.use[n].faults}
	out.masked = func(i kernel.Value) (kernel.Value, func() val) {
		s := k.element(src, i)
		if src.masked == nil {
			return test(i, s.v), func() val { return s.v }
		}
		set := k.branch(s.set,
			func() []kernel.Value { return []kernel.Value{test(i, s.elem())} },
			func() []kernel.Value { return []kernel.Value{k.b.Const(num.Bool, 0)} })[0]
		return set, s.elem
	}
	return out
}

// maskedType is how a masked array lies in memory: each slot's mask and
// element.
func maskedType(dense *graph.Type) *graph.Type {
	return graph.ArrayOf(graph.TupleOf(graph.BoolType, dense.Elem()), dense.Size)
}

// storeMasked writes a masked array; elements that are not set stay as they
// are.
func (k *kern) storeMasked(dense *graph.Type, a *array, b backing) {
	k.each(k.b.Int(0), k.sizeValue(dense.Size), dense.Size, func(i kernel.Value) {
		k.slotScope(i, func() { k.storeSlot(dense, a, b, i) })
	})
}

func (k *kern) storeSlot(dense *graph.Type, a *array, b backing, i kernel.Value) {
	s := k.element(a, i)
	inner := backing{regions: b.regions[:1], lens: b.lens[:1], off: i}
	k.store(graph.BoolType, val{s: s.set}, inner)
	inner.regions, inner.lens = b.regions[1:], b.lens[1:]
	k.branch(s.set, func() []kernel.Value {
		k.store(dense.Elem(), s.elem(), inner)
		return nil
	}, func() []kernel.Value { return nil })
}

// backedMasked is a masked array that lies in memory.
func (k *kern) backedMasked(dense *graph.Type, b backing) val {
	pairs := k.backed(maskedType(dense), b).arr
	return val{arr: &array{n: dense.Size, elem: dense.Elem(), cheap: true, back: &b, masked: func(i kernel.Value) (kernel.Value, func() val) {
		v := k.element(pairs, i).v
		return v.fields[0].s, func() val { return v.fields[1] }
	}}}
}
