package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// walk visits the set slots of an array in order with carried values: a
// slot that is not set leaves them as they are.
func (k *kern) walk(a *array, carry []kernel.Carry, init []kernel.Value, visit visitor) []kernel.Value {
	if k.stream == nil {
		return k.walkPart(a, k.b.Int(0), k.sizeValue(a.n), carry, init, visit)
	}
	k.state = k.walkPart(a, k.lo, k.hi, carry, k.resume(carry), visit)
	return k.state
}

// visitor gives the next carried values.
type visitor func(i kernel.Value, elem val, c []kernel.Value) []kernel.Value

// walkPart is walk over the slots lo..hi.
func (k *kern) walkPart(a *array, lo, hi kernel.Value, carry []kernel.Carry, init []kernel.Value, visit visitor) []kernel.Value {
	return k.loop(lo, hi, carry, init, func(i kernel.Value, c []kernel.Value) (next []kernel.Value, _ kernel.Value) {
		k.inside(a.n, func() {
			k.slotScope(i, func() { next = k.visit(a, i, c, visit) })
		})
		return next, kernel.None
	})
}

// resume gives the state that the grain before left. The kernel's outermost
// walk takes it, once.
func (k *kern) resume(carry []kernel.Carry) []kernel.Value {
	init := make([]kernel.Value, len(carry))
	for j, c := range carry {
		init[j] = k.b.StateParam(c.Kind, k.stream[j])
		if c.Bounded {
			old := k.b.Site
			k.b.Site = kernel.NoSite
			init[j] = k.b.Bound(init[j], c.Bound)
			k.b.Site = old
		}
	}
	k.stream = nil
	return init
}

func (k *kern) visit(a *array, i kernel.Value, c []kernel.Value, visit visitor) []kernel.Value {
	s := k.element(a, i)
	if a.masked == nil {
		return visit(i, s.v, c)
	}
	return k.branch(s.set,
		func() []kernel.Value { return visit(i, s.elem(), c) },
		func() []kernel.Value { return c })
}

// accumulator carries the accumulator of a fold or scan as if it were a
// one-element tuple.
func (k *kern) accumulator(n *graph.Node, t *graph.Type, e *env) (*carrier, *graph.Type) {
	tuple := graph.TupleOf(t)
	c := k.carrying(tuple)
	c.start(k, n, e, n.Args[1:2])
	return c, tuple
}

// foldNode is a sequential fold.
func (k *kern) foldNode(n *graph.Node, e *env) val {
	c, tuple := k.accumulator(n, n.Type, e)
	a := k.node(n.Args[0], e).arr
	vs := k.walk(a, c.carry, c.init, func(i kernel.Value, elem val, cs []kernel.Value) []kernel.Value {
		out := k.body(n.Blocks[0], e, val{s: i, safe: true}, c.value(k, tuple, cs).fields[0], elem)
		return c.next(k, tuple, out[:1])
	})
	return c.value(k, tuple, vs).fields[0]
}

// scan is a fold that stores every accumulator.
func (k *kern) scan(n *graph.Node, e *env) val {
	t := n.Type.Elem()
	c, tuple := k.accumulator(n, t, e)
	a := k.node(n.Args[0], e).arr
	out := k.space(n, n.Type)
	k.walk(a, c.carry, c.init, func(i kernel.Value, elem val, cs []kernel.Value) []kernel.Value {
		next := k.body(n.Blocks[0], e, val{s: i, safe: true}, c.value(k, tuple, cs).fields[0], elem)[0]
		inner := out
		inner.off = i
		k.store(t, next, inner)
		return c.next(k, tuple, []val{next})
	})
	return k.backed(n.Type, out)
}

// compact moves the set elements of a masked array together.
func (k *kern) compact(n *graph.Node, e *env) val {
	a := k.node(n.Args[0], e).arr
	var out backing
	kept := k.stream == nil || k.target[n] != nil // else its kernel is there for their number
	if kept {
		out = k.space(n, graph.ArrayOf(n.Type.Elem(), a.n))
	}
	carry := []kernel.Carry{{Kind: num.I64}}
	count := k.walk(a, carry, []kernel.Value{k.b.Int(0)}, func(_ kernel.Value, elem val, c []kernel.Value) []kernel.Value {
		if kept {
			inner := out
			inner.off = k.bound(c[0], a.n)
			k.store(n.Type.Elem(), elem, inner)
		}
		return []kernel.Value{k.b.Wrap(num.Add, c[0], k.b.Int(1))}
	})
	k.define(n.Defines, k.b.Wrap(num.Min, count[0], k.sizeValue(a.n)), a.n)
	if !kept {
		return val{}
	}
	return k.backed(n.Type, out)
}

// define makes a run-time size known inside the kernel. A count that was carried is known
// to verify as any integer, so its least value is made evident too.
func (k *kern) define(name string, n kernel.Value, most size.Poly) {
	k.dynamic[name], k.most[name] = k.b.Wrap(num.Max, n, k.b.Int(0)), most
}

// limitArray is the first elements of an array, as many as a run-time
// number says.
func (k *kern) limitArray(n *graph.Node, e *env) val {
	a := k.node(n.Args[0], e).arr
	k.define(n.Defines, k.limited(k.node(n.Args[1], e).s, a.n), a.n)
	short := *a
	short.n = n.Type.Size
	return val{arr: &short}
}

// limited is min(max(v, 0), n).
func (k *kern) limited(v kernel.Value, n size.Poly) kernel.Value {
	return k.b.Wrap(num.Min, k.b.Wrap(num.Max, v, k.b.Int(0)), k.sizeValue(n))
}

// scatter updates the destination, or a copy of it, in order.
func (k *kern) scatter(n *graph.Node, e *env) val {
	dest, src := k.node(n.Args[0], e), k.node(n.Args[1], e).arr
	out, src := k.scatterInto(n, e, dest, src)
	t := n.Type.Elem()
	k.walk(src, nil, nil, func(i kernel.Value, elem val, _ []kernel.Value) []kernel.Value {
		kv := k.body(n.Blocks[0], e, val{s: i, safe: true}, elem)
		k.update(n, e, t, out, kv[0], kv[1])
		return nil
	})
	return k.backed(n.Type, out)
}

// update replaces element key of the array in out by what the second body
// makes of it.
func (k *kern) update(n *graph.Node, e *env, t *graph.Type, out backing, key, value val) {
	p := n.Type.Size
	apply := func(at kernel.Value) {
		inner := out
		inner.off = at
		next := k.body(n.Blocks[1], e, k.backed(t, inner), value)[0]
		k.store(t, k.own(t, next), inner)
	}
	if k.trusts(key) {
		apply(key.s)
		return
	}
	k.guardDo(p, func() { apply(k.bound(key.s, p)) })
}

// own moves the arrays of a value to scratch of their own, so that they may
// be computed from memory that is about to be overwritten.
func (k *kern) own(t *graph.Type, v val) val {
	var scalars, arrays []val
	parts(t, v,
		func(_ *graph.Type, v val) { scalars = append(scalars, v) },
		func(t *graph.Type, v val) { arrays = append(arrays, k.keep(nil, t, v)) })
	s, a := 0, 0
	return join(t,
		func(*graph.Type) val { s++; return scalars[s-1] },
		func(*graph.Type) val { a++; return arrays[a-1] })
}
