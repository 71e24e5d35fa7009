package node

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// cargo is states in flight, in order of their ids, and the parcels that brought
// them. All are of one request, and run the same loop.
type cargo struct {
	batch parcel.Batch
	from  []*held  // ascending by arrival, each once
	one   [1]*held // from, while it is one
	// inPlace says that the batch is from[0]'s payload, of which nothing was left
	// out or added: once the states are advanced in it, its bytes are
	// the parcel to pass on. firsts has the first byte of each column, to
	// notice if a column has been replaced.
	inPlace bool
	firsts  [8]*byte
	// What the run took that the states come from; zero if they have just arrived.
	steps  uint64
	micros parcel.Timing
}

// load makes the states of a parcel that was just read a cargo.
func (g *cargo) load(h *held) {
	g.one[0] = h
	g.from = g.one[:]
	if !inOrder(&g.batch) {
		g.batch = *sorted(&g.batch)
		return
	}
	g.inPlace = h.Flags&parcel.Carries == 0 && len(g.batch.Values) <= len(g.firsts) && g.batch.States > 0
	if g.inPlace {
		for i, v := range g.batch.Values {
			g.firsts[i] = &v[0]
		}
	}
}

// passable reports whether the bytes of the parcel are these states still.
func (g *cargo) passable() bool {
	if !g.inPlace {
		return false
	}
	for i, v := range g.batch.Values {
		if len(v) == 0 || &v[0] != g.firsts[i] {
			return false
		}
	}
	return true
}

// hops is how many forwards are left.
func (g *cargo) hops() uint16 {
	n := g.from[0].Hops
	for _, h := range g.from[1:] {
		n = min(n, h.Hops)
	}
	return n
}

// bytes is the length of the states.
func (g *cargo) bytes() int {
	n := 0
	for _, v := range g.batch.Values {
		n += len(v)
	}
	return n
}

// part is some of the states, in order. The parcels are held for it as well.
func (g *cargo) part(states []int) *cargo {
	p := &cargo{batch: *g.batch.Pick(states), from: slices.Clone(g.from), steps: g.steps, micros: g.micros}
	for _, h := range p.from {
		h.refs++
	}
	return p
}

// alike reports whether the states of two cargoes of one request may travel
// and run together.
func (g *cargo) alike(o *cargo) bool {
	a, b := &g.batch, &o.batch
	return g.from[0].Code == o.from[0].Code && g.from[0].Flags&parcel.Builtin == o.from[0].Flags&parcel.Builtin &&
		a.Set == b.Set && a.Keep == b.Keep &&
		slices.Equal(a.Sizes, b.Sizes) && slices.Equal(a.Scalars, b.Scalars) && slices.Equal(a.Columns, b.Columns) &&
		slices.Equal(a.Kinds, b.Kinds) && slices.EqualFunc(a.Near, b.Near, slices.Equal[[]byte])
}

// merge makes one cargo of several that are alike.
func (c *Core) merge(list []*cargo) *cargo {
	if len(list) == 1 {
		return list[0]
	}
	all := &cargo{batch: list[0].batch}
	all.batch.States = 0
	all.batch.Values = make([][]byte, len(all.batch.Kinds))
	for i := range all.batch.Values {
		size := 0
		for _, g := range list {
			size += len(g.batch.Values[i])
		}
		all.batch.Values[i] = make([]byte, 0, size)
	}
	for _, g := range list {
		all.batch.States += g.batch.States
		for i, v := range g.batch.Values {
			all.batch.Values[i] = append(all.batch.Values[i], v...)
		}
		all.batch.Faults = LeastFaults(all.batch.Faults, g.batch.Faults)
		all.from = append(all.from, g.from...)
	}
	if !inOrder(&all.batch) {
		all.batch = *sorted(&all.batch)
	}
	c.unite(all)
	return all
}

// unite lists each parcel once, and gives up the other references.
func (c *Core) unite(g *cargo) {
	slices.SortStableFunc(g.from, func(a, b *held) int { return cmp.Compare(a.number, b.number) })
	kept := g.from[:1]
	for _, h := range g.from[1:] {
		if h == kept[len(kept)-1] {
			c.release(h)
		} else {
			kept = append(kept, h)
		}
	}
	g.from = kept
}

// inOrder reports whether the ids ascend.
func inOrder(b *parcel.Batch) bool {
	for i := 1; i < b.States; i++ {
		if b.ID(i) < b.ID(i-1) {
			return false
		}
	}
	return true
}

// sorted is the batch in order of the ids.
func sorted(b *parcel.Batch) *parcel.Batch {
	order := make([]int, b.States)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.ID(i), b.ID(j)) })
	return b.Pick(order)
}

// encodedSize is at least the length of the batch's bytes, and mostly close.
func encodedSize(b *parcel.Batch) int {
	n := 64 + binary.MaxVarintLen64*(len(b.Sizes)+len(b.Scalars)+2*len(b.Columns)) + len(b.Kinds) + 2*binary.MaxVarintLen64*len(b.Faults)
	for _, r := range b.Near {
		n += len(r) + binary.MaxVarintLen64
	}
	for _, k := range b.Kinds {
		n += b.States * num.Kind(k).Size()
	}
	return n
}

// kept are the columns that belong to the answer.
func kept(b *parcel.Batch) [][]byte {
	columns := make([][]byte, 0, len(b.Values))
	for i, v := range b.Values {
		if b.Keep>>i&1 != 0 {
			columns = append(columns, v)
		}
	}
	return columns
}
