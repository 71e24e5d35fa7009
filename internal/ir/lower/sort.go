package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the slots first..first+count of an array, at most most of them. Out: their order keys in stable order, with the slots
// that they are of, in one half of scratch memory. Invariant: whatever way a sort takes, by how many there are and by how
// their keys differ, the order is the same: it is total for slots.
//
//	few slots ──────────────────────────────────────────► straighten
//	many ──► radix by leading digits of what differs ──► straighten ──► more than it mends? radix by all digits

// sorter is a sort inside a kernel.
type sorter struct {
	k      *kern
	n      *graph.Node
	e      *env
	src    *array
	first  kernel.Value // slot
	count  kernel.Value
	most   size.Poly
	u      num.Kind
	keys   int // 2·most of them, in halves
	index  int // 2·most slots, in halves; -1 where a key is the element
	counts int // two tables of buckets, or one of keys
	half   kernel.Value
	base   kernel.Value // where the first half begins
	stored bool         // keys lie in the second half already, since they take more to compute than to load
}

// sort orders an array by its key.
func (k *kern) sort(n *graph.Node, e *env) val {
	src := k.sortable(n, e)
	s := k.sorter(n, e, src, k.b.Int(0), k.sizeValue(src.n), src.n)
	s.keys = k.scratch(s.u, s.most.MulConst(2))
	if !byItself(n) {
		s.index = k.scratch(k.l.slotKind(s.most), s.most.MulConst(2))
	}
	side := s.sort()
	out := k.space(n, n.Type)
	k.each(k.b.Int(0), s.count, src.n, func(i kernel.Value) {
		inner := out
		inner.off = i
		k.store(n.Type.Elem(), s.element(side, i), inner)
	})
	return k.backed(n.Type, out)
}

// sortable is the array that a node sorts, of which elements can be asked for again and again.
func (k *kern) sortable(n *graph.Node, e *env) *array {
	src := k.node(n.Args[0], e)
	if src.arr.back == nil && !src.arr.cheap {
		src = k.keep(nil, n.Args[0].Type, src)
	}
	return src.arr
}

// sorter is a sort that has no memory for keys and slots yet.
func (k *kern) sorter(n *graph.Node, e *env, src *array, first, count kernel.Value, most size.Poly) *sorter {
	most = k.capacity(most)
	s := &sorter{k: k, n: n, e: e, src: src, first: first, count: count, most: most, u: unsigned(n.Blocks[0].Results[0].Type.KindOf()), index: -1, base: kernel.None}
	s.counts = k.scratch(num.I64, size.Const(max(2*buckets, table)))
	s.half = k.sizeValue(most)
	u := k.l.use[n]
	s.stored = u.faults || u.cost > 3
	return s
}

// slotKind is how slots of an array of so many elements lie in memory.
func (l *lowering) slotKind(n size.Poly) num.Kind { return l.storedKind(graph.IndexOf(n)) }

// sort gives the half in which the keys lie in order.
func (s *sorter) sort() kernel.Value {
	k := s.k
	if s.stored {
		s.each(func(i kernel.Value) { k.b.Store(s.keys, s.at(k.b.Int(1), i), s.compute(i)) })
	}
	few := k.b.Wrap(num.Le, s.count, k.b.Int(farthest+1))
	side := k.branch(few, func() []kernel.Value {
		s.each(func(i kernel.Value) { s.put(s.begin(i), s.key(i), s.slot(i)) })
		s.straighten(k.b.Int(0))
		return []kernel.Value{k.b.Int(0)}
	}, func() []kernel.Value { return []kernel.Value{s.radix()} })
	return k.bound(side[0], size.Const(2))
}

// each runs body for all slots, counted from the first.
func (s *sorter) each(body func(i kernel.Value)) { s.k.each(s.k.b.Int(0), s.count, s.most, body) }

// at is where place i of a half is.
func (s *sorter) at(side, i kernel.Value) kernel.Value {
	return s.begin(s.k.b.Wrap(num.Add, s.k.b.Wrap(num.Mul, side, s.half), i))
}

// begin is where place i of the first half is.
func (s *sorter) begin(i kernel.Value) kernel.Value {
	if s.base == kernel.None {
		return i
	}
	return s.k.b.Wrap(num.Add, s.base, i)
}

// slot is the slot of place i before anything is sorted.
func (s *sorter) slot(i kernel.Value) kernel.Value { return s.k.b.Wrap(num.Add, s.first, i) }

// put stores a key and its slot.
func (s *sorter) put(at, key, slot kernel.Value) {
	s.k.b.Store(s.keys, at, key)
	if s.index >= 0 {
		s.k.b.Store(s.index, at, s.k.b.Convert(slot, s.k.k.Regions[s.index].Elem, false))
	}
}

// move copies a key, which is given, and its slot.
func (s *sorter) move(from, to, key kernel.Value) {
	s.k.b.Store(s.keys, to, key)
	if s.index >= 0 {
		s.k.b.Store(s.index, to, s.k.b.Load(s.index, from))
	}
}

// key is the order key of slot i, counted from the first.
func (s *sorter) key(i kernel.Value) kernel.Value {
	if s.stored {
		return s.k.b.Load(s.keys, s.at(s.k.b.Int(1), i))
	}
	return s.compute(i)
}

func (s *sorter) compute(i kernel.Value) (key kernel.Value) {
	k, slot := s.k, s.slot(i)
	k.slotScope(slot, func() {
		key = k.orderKey(k.body(s.n.Blocks[0], s.e, val{s: slot, safe: true}, k.element(s.src, slot).v)[0].s)
	})
	return s.turned(key)
}

// turned is a key for the order that is wanted, and turned back.
func (s *sorter) turned(key kernel.Value) kernel.Value {
	if s.n.Desc {
		return s.k.b.Wrap(num.Not, key)
	}
	return key
}

// element is the element that belongs at place i.
func (s *sorter) element(side, i kernel.Value) val {
	if s.index >= 0 {
		return s.taken(s.k.b.Load(s.index, s.at(side, i)))
	}
	return s.told(s.k.b.Load(s.keys, s.at(side, i)))
}

// taken is the element of a slot that was stored.
func (s *sorter) taken(slot kernel.Value) val {
	k := s.k
	return k.element(s.src, k.bound(k.b.Convert(slot, num.I64, false), s.src.n)).v
}

// told is the element that a key tells.
func (s *sorter) told(key kernel.Value) val {
	return val{s: s.k.fromOrderKey(s.turned(key), s.n.Type.Elem().KindOf())}
}

// farthest is how many places straighten moves a key at most.
const farthest = 32

// straighten moves every key that is less than one before it to where it belongs, and its slot. It gives up, which it tells, at a
// key that belongs farther away; all keys are there then, and equal ones in the order in which they were.
func (s *sorter) straighten(side kernel.Value) (gaveUp kernel.Value) {
	k := s.k
	carry := []kernel.Carry{{Kind: s.u}, {Kind: num.Bool}} // the greatest key so far
	init := []kernel.Value{k.b.Const(s.u, 0), k.b.Const(num.Bool, 0)}
	return k.loop(k.b.Int(0), s.count, carry, init, func(i kernel.Value, c []kernel.Value) (next []kernel.Value, stop kernel.Value) {
		k.inside(s.most, func() {
			key := k.b.Load(s.keys, s.at(side, i))
			next = k.branch(k.b.Wrap(num.Lt, key, c[0]),
				func() []kernel.Value { return []kernel.Value{c[0], s.insert(side, i, key)} },
				func() []kernel.Value { return []kernel.Value{key, k.b.Const(num.Bool, 0)} })
		})
		return next, next[1]
	})[1]
}

// insert moves the key at place i to before those that are greater, and tells whether it has not come far enough.
func (s *sorter) insert(side, i, key kernel.Value) (short kernel.Value) {
	k := s.k
	slot := i
	if s.index >= 0 {
		slot = k.b.Load(s.index, s.at(side, i))
	}
	carry := []kernel.Carry{{Kind: num.I64}, {Kind: num.Bool}}
	end := k.loop(k.b.Int(0), k.b.Int(farthest), carry, []kernel.Value{i, k.b.Const(num.Bool, 1)}, func(_ kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		to := k.bound(c[0], s.most)
		from := k.bound(k.b.Wrap(num.Max, k.b.Wrap(num.Sub, to, k.b.Int(1)), k.b.Int(0)), s.most) // of a single slot verify knows no greatest
		old := k.b.Load(s.keys, s.at(side, from))
		greater := k.b.Wrap(num.Gt, old, key)
		k.branch(greater, func() []kernel.Value {
			s.move(s.at(side, from), s.at(side, to), old)
			return nil
		}, func() []kernel.Value { return nil })
		more := k.b.Wrap(num.And, greater, k.b.Wrap(num.Gt, from, k.b.Int(0)))
		return []kernel.Value{k.b.Select(greater, from, to), more}, k.b.Wrap(num.Not, more)
	})
	s.put(s.at(side, k.bound(end[0], s.most)), key, slot)
	return end[1]
}
