package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// parts splits a value into its scalars, with their types, and its arrays.
// join puts it together again from equally many.
func parts(t *graph.Type, v val, scalar func(*graph.Type, val), arr func(*graph.Type, val)) {
	switch t.Kind {
	case graph.Tuple:
		for i, e := range t.Elems {
			parts(e, v.fields[i], scalar, arr)
		}
	case graph.Option:
		scalar(graph.BoolType, v.fields[0])
		parts(t.Elem(), v.fields[1], scalar, arr)
	case graph.Array:
		arr(t, v)
	default:
		scalar(t, v)
	}
}

func join(t *graph.Type, scalar func(*graph.Type) val, arr func(*graph.Type) val) val {
	switch t.Kind {
	case graph.Tuple:
		var out val
		for _, e := range t.Elems {
			out.fields = append(out.fields, join(e, scalar, arr))
		}
		return out
	case graph.Option:
		return val{fields: []val{scalar(graph.BoolType), join(t.Elem(), scalar, arr)}}
	case graph.Array:
		return arr(t)
	}
	return scalar(t)
}

// shape is the types of a value's scalars and arrays in order.
func shape(t *graph.Type) (scalars, arrays []*graph.Type) {
	join(t, func(t *graph.Type) val { scalars = append(scalars, t); return val{} },
		func(t *graph.Type) val { arrays = append(arrays, t); return val{} })
	return scalars, arrays
}

// ifNode computes one side. Array results of both sides lie in the same
// memory.
func (k *kern) ifNode(n *graph.Node, e *env) val {
	if v, ok := k.chosen(n, e); ok {
		return v
	}
	cond := k.node(n.Args[0], e).s
	_, arrays := shape(n.Type)
	mem, taken := k.choiceSpace(n, e, arrays)
	safe := true
	side := func(b *graph.Block) func() []kernel.Value {
		return func() []kernel.Value {
			var out []kernel.Value
			var vs []val
			parts(n.Type, k.body(b, e)[0],
				func(_ *graph.Type, v val) { out, safe = append(out, v.s), safe && v.safe },
				func(_ *graph.Type, v val) { vs = append(vs, v) })
			k.storeAll(arrays, vs, mem, taken)
			return out
		}
	}
	vs := k.branch(cond, side(n.Blocks[0]), side(n.Blocks[1]))
	s, a := 0, 0
	return join(n.Type,
		func(*graph.Type) val { s++; return val{s: vs[s-1], safe: safe} },
		func(t *graph.Type) val { a++; return k.backed(t, mem[a-1]) })
}

// loopNode is a loop inside a kernel. Carried scalars are values; a carried
// array stays in one memory, into which the next one is copied at the end of
// a turn that has not made it there.
func (k *kern) loopNode(n *graph.Node, e *env) val {
	c := k.carrying(n.Type)
	c.start(k, n, e, n.Args[2:])
	lo, hi := k.node(n.Args[0], e).s, k.node(n.Args[1], e).s
	first, end := lo, hi
	if k.doubt == everything {
		first, end = k.b.Int(0), k.turns(n, lo, hi)
	} else {
		end = k.capTurns(n, lo, hi)
	}
	count := k.b.At == kernel.None && k.l.use[n].faults && first != k.b.Int(0)
	vs := k.loop(first, end, c.carry, c.init, func(i kernel.Value, cs []kernel.Value) ([]kernel.Value, kernel.Value) {
		turn, number := val{s: i, safe: n.HasPoly}, i
		if count {
			number = k.b.Wrap(num.Sub, i, first)
		}
		if k.doubt == everything {
			turn = val{s: k.b.Wrap(num.Add, lo, i)}
		}
		params := append([]val{turn}, c.value(k, n.Type, cs).fields...)
		var next []kernel.Value
		stop := kernel.None
		k.slotScope(number, func() {
			out := k.body(n.Blocks[0], e, params...)
			next = c.next(k, n.Type, out)
			if n.Stop {
				stop = out[len(out)-1].s
			}
		})
		return next, stop
	})
	return c.value(k, n.Type, vs)
}

// capTurns makes the bound on a loop's turns evident where its end is
// computed.
func (k *kern) capTurns(n *graph.Node, lo, hi kernel.Value) kernel.Value {
	switch n.Args[1].Op {
	case graph.Const, graph.SizeVal, graph.Param:
		return hi
	}
	return k.b.Wrap(num.Min, hi, k.b.Wrap(num.Add, lo, k.sizeValue(mostTurns(n))))
}

// turns is how many turns a loop has, in a form that bounds it whatever lo and hi are: a
// start that was loaded is known to verify as any integer. What the checker knows makes
// the smallest of the three hi - lo.
func (k *kern) turns(n *graph.Node, lo, hi kernel.Value) kernel.Value {
	left := k.b.Select(k.b.Wrap(num.Lt, lo, hi), k.b.Wrap(num.Sub, hi, lo), k.b.Int(0))
	return k.b.Wrap(num.Min, left, k.sizeValue(mostTurns(n)))
}

func mostTurns(n *graph.Node) size.Poly {
	if n.Max > 0 {
		return size.Const(n.Max)
	}
	return n.MaxPoly
}

// carrier is what a loop carries: scalars, and the memory of arrays.
type carrier struct {
	carry  []kernel.Carry
	init   []kernel.Value
	arrays []*graph.Type
	now    []backing // of the arrays
}

func (k *kern) carrying(t *graph.Type) *carrier {
	c := &carrier{}
	scalars, arrays := shape(t)
	c.arrays = arrays
	for _, s := range scalars {
		carry := kernel.Carry{Kind: s.KindOf()}
		if s.Kind == graph.Index && k.isPositive(k.capacity(s.Bound)) && !k.isDynamic(s.Bound) {
			carry.Bounded, carry.Bound = true, k.poly(s.Bound)
		}
		c.carry = append(c.carry, carry)
	}
	return c
}

// scalar keeps the promise of a bounded carried index.
func (c *carrier) scalar(k *kern, j int, t *graph.Type, v val) kernel.Value {
	if c.carry[j].Bounded && !k.trusts(v) {
		return k.bound(v.s, t.Bound)
	}
	return v.s
}

// value is the carried tuple at the start of a turn or after the loop.
func (c *carrier) value(k *kern, t *graph.Type, vs []kernel.Value) val {
	s, a := 0, 0
	return join(t,
		func(t *graph.Type) val {
			s++
			return val{s: vs[s-1], safe: c.carry[s-1].Bounded || t.Kind != graph.Index}
		},
		func(t *graph.Type) val { a++; return k.backed(t, c.now[a-1]) })
}

// next brings the arrays of the next turn to where the present ones lie, and
// gives the scalars.
func (c *carrier) next(k *kern, t *graph.Type, out []val) []kernel.Value {
	var scalars []kernel.Value
	var arrays []val
	for j, e := range t.Elems {
		parts(e, out[j],
			func(t *graph.Type, v val) { scalars = append(scalars, c.scalar(k, len(scalars), t, v)) },
			func(_ *graph.Type, v val) { arrays = append(arrays, v) })
	}
	c.move(k, arrays)
	return scalars
}
