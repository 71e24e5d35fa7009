package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// mayWrite notes that memory holds values that this kernel makes, and nothing
// else.
func (k *kern) mayWrite(b backing) {
	for _, r := range b.regions {
		k.writable[r] = true
	}
}

// take gives n the memory of v, one of its arrays, to write its own result
// into: where v has memory of this kernel that nobody reads after n. Nodes of
// the host are emitted when they are first needed, not in order, so they take
// nothing.
func (k *kern) take(n *graph.Node, e *env, v val, mem []root) (backing, bool) {
	if e == k.root || v.arr.back == nil || v.arr.masked != nil || v.arr.back.off != kernel.None {
		return backing{}, false
	}
	for _, r := range v.arr.back.regions {
		if !k.writable[r] {
			return backing{}, false
		}
	}
	return *v.arr.back, k.l.memory.dead(n, mem)
}

// lies reports that an array is what the memory b holds.
func lies(v val, b backing) bool {
	return v.arr.back != nil && v.arr.masked == nil && v.arr.back.off == b.off && slices.Equal(v.arr.back.regions, b.regions)
}

// updateNode changes one part of one element, of a copy of the array where
// someone still reads it.
func (k *kern) updateNode(n *graph.Node, e *env) val {
	array, part := k.node(n.Args[0], e), k.node(n.Args[1], e)
	indices := make([]val, len(n.Args)-2)
	for i, a := range n.Args[2:] {
		indices[i] = k.node(a, e)
	}
	mem := k.l.memory.roots(n.Args[0])[0]
	out, ok := k.take(n, e, array, mem)
	switch {
	case !ok:
		if out = k.space(n, n.Type); !lies(array, out) {
			k.store(n.Type, array, out)
		}
	case !rowOfSame(n) && meet(k.l.memory.add(nil, n.Args[1:2]), mem):
		part = k.own(n.Args[1].Type, part)
	}
	k.storePart(n.Type, part, out, n.Path, indices)
	return k.backed(n.Type, out)
}

// rowOfSame reports that a row becomes another row of the same array. It is stored element by
// element, each at the place in its row that it is read from, and two rows are the same memory
// or have none in common.
func rowOfSame(n *graph.Node) bool {
	row := n.Args[1]
	return row.Op == graph.At && row.Args[0] == n.Args[0] && len(n.Path) == 1 && n.Type.Elem().Kind == graph.Array
}

// storePart stores the part that a path leads to in the value at b.
func (k *kern) storePart(t *graph.Type, part val, b backing, path []int, indices []val) {
	if len(path) == 0 {
		k.store(t, part, b)
		return
	}
	if f := path[0]; f != graph.ByIndex {
		lo, hi := leafRange(t, f)
		k.storePart(t.Elems[f], part, backing{regions: b.regions[lo:hi], lens: b.lens[lo:hi], off: b.off}, path[1:], indices)
		return
	}
	element := func(at kernel.Value) {
		b.off = k.flat(b.off, t.Size, at)
		k.storePart(t.Elem(), part, b, path[1:], indices[1:])
	}
	if k.trusts(indices[0]) && !k.isDynamic(t.Size) {
		element(indices[0].s)
		return
	}
	k.guardDo(t.Size, func() { element(k.bound(indices[0].s, t.Size)) })
}

// fewSlots is up to how many slots are copied rather than an array that may be
// long.
const fewSlots = 64

// scatterInto is where a scatter works, and the source it takes. A source
// that reads the destination is computed before it changes.
func (k *kern) scatterInto(n *graph.Node, e *env, dest val, src *array) (backing, *array) {
	m := k.l.memory
	mem := m.roots(n.Args[0])[0]
	reads := meet(m.add(nil, n.Args[1:2]), mem)
	if !meet(m.blocksRead(n), mem) && (!reads || k.l.most(src.n) <= fewSlots) {
		if out, ok := k.take(n, e, dest, mem); ok {
			if reads {
				now := *src
				now.cheap = false
				src = k.settle(n.Args[1], val{arr: &now}).arr
			}
			return out, src
		}
	}
	out := k.space(n, n.Type)
	k.store(n.Type, dest, out)
	return out, src
}

// choiceSpace is the memory for the arrays that an if gives: that of an array
// which both sides go on from, or leave as it is, or else fresh memory. taken
// marks the former.
func (k *kern) choiceSpace(n *graph.Node, e *env, arrays []*graph.Type) (mem []backing, taken []bool) {
	m := k.l.memory
	for j, t := range arrays {
		b, ok := backing{}, false
		from := m.base(n, n.Blocks[0].Results[0], j)
		if from == m.base(n, n.Blocks[1].Results[0], j) && !m.inside(from.n, n) {
			if v, known := e.find(from.n); known {
				b, ok = k.take(n, e, partOf(from.n.Type, v, from.part), m.roots(from.n)[from.part])
			}
		}
		if ok = ok && !slices.ContainsFunc(mem, func(x backing) bool { return slices.Equal(x.regions, b.regions) }); !ok {
			b = k.space(nil, t)
		}
		mem, taken = append(mem, b), append(taken, ok)
	}
	return mem, taken
}

// partOf is array number part of a value.
func partOf(t *graph.Type, v val, part int) (found val) {
	parts(t, v, func(*graph.Type, val) {}, func(_ *graph.Type, v val) {
		if part == 0 {
			found = v
		}
		part--
	})
	return found
}

// storeAll stores arrays that do not lie where they shall; what was taken
// comes last, since the others may be read from it.
func (k *kern) storeAll(types []*graph.Type, vs []val, mem []backing, taken []bool) {
	for _, last := range []bool{false, true} {
		for j, v := range vs {
			if taken[j] == last && !lies(v, mem[j]) {
				k.store(types[j], v, mem[j])
			}
		}
	}
}

// storeRest stores what a loop or fold gives besides the arrays that it made
// in place.
func (k *kern) storeRest(t *graph.Type, v val, dst backing) {
	at := 0
	next := func(t *graph.Type) backing {
		n := len(graph.Leaves(t))
		b := backing{regions: dst.regions[at : at+n], lens: dst.lens[at : at+n], off: dst.off}
		at += n
		return b
	}
	parts(t, v,
		func(t *graph.Type, v val) { k.store(t, v, next(t)) },
		func(t *graph.Type, v val) {
			if b := next(t); !lies(v, b) {
				k.store(t, v, b)
			}
		})
}

// start brings the values that n begins with to where they are carried.
func (c *carrier) start(k *kern, n *graph.Node, e *env, inits []*graph.Node) {
	m := k.l.memory
	spare := k.spare(n)
	within := m.blocksRead(n)
	for i, a := range inits {
		j := 0
		others := slices.Concat(inits[:i], inits[i+1:])
		if spare != nil {
			k.openInto(a, spare[len(c.now):])
		}
		parts(a.Type, k.node(a, e),
			func(t *graph.Type, v val) { c.init = append(c.init, c.scalar(k, len(c.init), t, v)) },
			func(t *graph.Type, v val) {
				mem := m.roots(a)[j]
				j++
				var b backing
				ok := false
				if !meet(within, mem) && !meet(m.add(nil, others), mem) && !meet(slices.Concat(slices.Delete(slices.Clone(m.roots(a)), j-1, j)...), mem) {
					b, ok = k.take(n, e, v, mem)
				}
				if !ok {
					if spare == nil {
						b = k.space(nil, t)
					} else {
						b = spare[len(c.now)]
					}
					if !lies(v, b) {
						k.store(t, v, b)
					}
				}
				c.now = append(c.now, b)
			})
	}
}

// openInto lets the updates before a loop work where the loop will.
func (k *kern) openInto(n *graph.Node, spare []backing) {
	for n.Op == graph.Update && k.l.opens(n) {
		k.target[n] = &spare[0]
		n = n.Args[0]
	}
}

// spare is the memory that the arrays of n's result shall lie in, if n was
// given any.
func (k *kern) spare(n *graph.Node) (list []backing) {
	b, ok := k.target[n]
	if !ok || n.Op == graph.Scan {
		return nil
	}
	k.mayWrite(*b)
	at := 0
	join(n.Type,
		func(*graph.Type) val { at++; return val{} },
		func(t *graph.Type) val {
			end := at + len(graph.Leaves(t))
			list = append(list, backing{regions: b.regions[at:end], lens: b.lens[at:end], off: b.off})
			at = end
			return val{}
		})
	return list
}

// move brings the next arrays to where the present ones lie. One that was
// made there stays. One that is read from the present ones goes through
// memory of its own, so that all are complete before any is overwritten.
func (c *carrier) move(k *kern, next []val) {
	for j, v := range next {
		if !lies(v, c.now[j]) && !k.clearOf(v, c.now) {
			next[j] = k.keep(nil, c.arrays[j], v)
		}
	}
	for j, v := range next {
		if !lies(v, c.now[j]) {
			k.store(c.arrays[j], v, c.now[j])
		}
	}
}

// clearOf reports that an array lies in memory of this kernel that is none of
// these.
func (k *kern) clearOf(v val, these []backing) bool {
	b := v.arr.back
	if b == nil || v.arr.masked != nil {
		return false
	}
	for _, r := range b.regions {
		if !k.writable[r] || slices.ContainsFunc(these, func(x backing) bool { return slices.Contains(x.regions, r) }) {
			return false
		}
	}
	return true
}
