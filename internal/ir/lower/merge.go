package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: runs of keys in order, two of which an outer index belongs to. Out: those keys of both that belong at its slots. Where it begins and
// ends in the two it finds by halving, so that outer indices need nothing of each other. Invariant: of equal keys those of the first run
// come first.
//
//	first run   |-------[ from … to )----|      both ends are taken from at the same time, up to the middle of the
//	second run  |---[ from … to )--------|      grain: the two do not wait for each other's loads

// merger merges the grain of an outer index.
type merger struct {
	k           *kern
	keys, index int       // regions; -1 where a key is the element
	most        size.Poly // their length
	// The two runs: where they begin, and how many keys they have.
	first, second run
	begin         kernel.Value // the slot of the first key of both
}

type run struct{ at, count kernel.Value }

// merger finds the runs that the outer index belongs to. In round 0 they are parts, afterwards each is two of the round before.
func (k *kern) merger(p *sharing, round kernel.Value) *merger {
	k.k.Outer, k.k.Grain, k.k.Count = k.poly(p.count.MulConst(schedule.GrainsOfPart)), k.poly(p.grain), k.poly(p.slots)
	m := &merger{k: k, index: -1, most: p.part.MulConst(2).Mul(p.count)}
	m.keys = k.region(p.keys, m.most, kernel.Read)
	if p.index >= 0 {
		m.index = k.region(p.index, m.most, kernel.Read)
	}
	sides, part := k.region(p.sides, p.count, kernel.Read), k.sizeValue(p.part)
	long := k.b.Wrap(num.Shl, part, round)
	pair := k.b.Wrap(num.Shl, k.b.Wrap(num.Div, k.b.Wrap(num.Shr, k.o, round), k.b.Int(2*schedule.GrainsOfPart)), k.b.Int(1))
	m.begin = k.b.Wrap(num.Mul, pair, long)
	of := func(number kernel.Value) run {
		plain := k.b.Wrap(num.Mul, number, long)
		half := k.b.Wrap(num.Mul, k.b.Load(sides, k.bound(number, p.count)), part)
		part := k.b.Wrap(num.Add, k.b.Wrap(num.Mul, plain, k.b.Int(2)), half)
		left := k.b.Wrap(num.Max, k.b.Wrap(num.Sub, k.sizeValue(p.slots), plain), k.b.Int(0))
		return run{k.b.Select(k.b.Wrap(num.Eq, round, k.b.Int(0)), part, plain), k.b.Wrap(num.Min, left, long)}
	}
	m.first, m.second = of(pair), of(k.b.Wrap(num.Add, pair, k.b.Int(1)))
	return m
}

// key is the key at a place of the regions.
func (m *merger) key(at kernel.Value) (key, place kernel.Value) {
	place = m.k.bound(at, m.most)
	return m.k.b.Load(m.keys, place), place
}

// split is how many keys of the first run are among the first d of both.
func (m *merger) split(d kernel.Value) kernel.Value {
	k, zero, one := m.k, m.k.b.Int(0), m.k.b.Int(1)
	least := k.b.Wrap(num.Max, k.b.Wrap(num.Sub, d, m.second.count), zero)
	most := k.b.Wrap(num.Min, d, m.first.count)
	carry := []kernel.Carry{{Kind: num.I64}, {Kind: num.I64}}
	return k.loop(zero, k.b.Int(62), carry, []kernel.Value{least, most}, func(_ kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		i := k.b.Wrap(num.Div, k.b.Wrap(num.Add, c[0], c[1]), k.b.Int(2))
		j := k.b.Wrap(num.Sub, k.b.Wrap(num.Sub, d, i), one)
		a, _ := m.key(k.b.Wrap(num.Add, m.first.at, i))
		b, _ := m.key(k.b.Wrap(num.Add, m.second.at, j))
		open := k.b.Wrap(num.Lt, c[0], c[1])
		among := k.b.Wrap(num.And, open, k.b.Wrap(num.Le, a, b)) // the key i of the first run is
		low := k.b.Select(among, k.b.Wrap(num.Add, i, one), c[0])
		high := k.b.Select(k.b.Wrap(num.And, open, k.b.Wrap(num.Not, among)), i, c[1])
		return []kernel.Value{low, high}, k.b.Wrap(num.Ge, low, high)
	})[0]
}

// ends are places in both runs, of the grain: from … to.
type ends struct{ from, to [2]kernel.Value }

// merge puts, for each slot of the grain, the key that belongs there, and its place.
func (m *merger) merge(put func(slot, key, place kernel.Value)) {
	k, zero, one := m.k, m.k.b.Int(0), m.k.b.Int(1)
	k.branch(k.b.Wrap(num.Lt, k.lo, k.hi), func() []kernel.Value {
		e := ends{m.places(k.lo), m.places(k.hi)}
		count := k.b.Wrap(num.Max, k.b.Wrap(num.Sub, k.hi, k.lo), zero)
		half := k.b.Wrap(num.Div, count, k.b.Int(2))
		last := k.b.Wrap(num.Sub, k.b.Wrap(num.Add, k.lo, count), one)
		front := func(t kernel.Value) func(key, place kernel.Value) {
			return func(key, place kernel.Value) { put(k.b.Wrap(num.Add, k.lo, t), key, place) }
		}
		both := func(bare bool) func() []kernel.Value {
			carry := []kernel.Carry{{Kind: num.I64}, {Kind: num.I64}, {Kind: num.I64}, {Kind: num.I64}}
			init := []kernel.Value{e.from[0], e.from[1], e.to[0], e.to[1]}
			return func() []kernel.Value {
				return k.loop(zero, half, carry, init, func(t kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
					least := m.least(e, bare, [2]kernel.Value{c[0], c[1]}, front(t))
					greatest := m.greatest(e, bare, [2]kernel.Value{c[2], c[3]}, func(key, place kernel.Value) { put(k.b.Wrap(num.Sub, last, t), key, place) })
					return []kernel.Value{least[0], least[1], greatest[0], greatest[1]}, kernel.None
				})[:2]
			}
		}
		at := k.branch(m.within(e), both(true), both(false))
		rest := k.b.Wrap(num.Sub, count, half) // one turn or none
		k.loop(half, rest, []kernel.Carry{{Kind: num.I64}, {Kind: num.I64}}, at, func(t kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
			next := m.least(e, false, [2]kernel.Value{c[0], c[1]}, front(t))
			return next[:], kernel.None
		})
		return nil
	}, func() []kernel.Value { return nil })
}

// within reports that both runs have keys before and behind those of the grain. As these are in order with them, nobody needs to look where
// the grain ends.
func (m *merger) within(e ends) kernel.Value {
	k := m.k
	end := func(r run) kernel.Value { return k.b.Wrap(num.Add, r.at, r.count) }
	first := k.b.Wrap(num.And, k.b.Wrap(num.Gt, e.from[0], m.first.at), k.b.Wrap(num.Lt, e.to[0], end(m.first)))
	second := k.b.Wrap(num.And, k.b.Wrap(num.Gt, e.from[1], m.second.at), k.b.Wrap(num.Lt, e.to[1], end(m.second)))
	return k.b.Wrap(num.And, first, second)
}

// places are those in both runs that a slot, or the end, of the grain stands for.
func (m *merger) places(slot kernel.Value) [2]kernel.Value {
	d := m.k.b.Wrap(num.Sub, slot, m.begin)
	i := m.split(d)
	return [2]kernel.Value{m.k.b.Wrap(num.Add, m.first.at, i), m.k.b.Wrap(num.Add, m.second.at, m.k.b.Wrap(num.Sub, d, i))}
}

// least takes the first key from the front of what is left of both runs; bare, where none of them ends.
func (m *merger) least(e ends, bare bool, at [2]kernel.Value, take func(key, place kernel.Value)) [2]kernel.Value {
	k := m.k
	a, first := m.key(at[0])
	b, second := m.key(at[1])
	chosen := k.b.Wrap(num.Lt, b, a) // of the second run
	if !bare {
		none, some := k.b.Wrap(num.Ge, at[0], e.to[0]), k.b.Wrap(num.Lt, at[1], e.to[1])
		chosen = k.b.Wrap(num.Or, none, k.b.Wrap(num.And, some, chosen))
	}
	take(k.b.Select(chosen, b, a), k.b.Select(chosen, second, first))
	step := k.b.Convert(chosen, num.I64, false)
	return [2]kernel.Value{k.b.Wrap(num.Sub, k.b.Wrap(num.Add, at[0], k.b.Int(1)), step), k.b.Wrap(num.Add, at[1], step)}
}

// greatest takes the last key from the back of what is left of both runs.
func (m *merger) greatest(e ends, bare bool, at [2]kernel.Value, take func(key, place kernel.Value)) [2]kernel.Value {
	k, one := m.k, m.k.b.Int(1)
	before := [2]kernel.Value{k.b.Wrap(num.Sub, at[0], one), k.b.Wrap(num.Sub, at[1], one)}
	a, first := m.key(before[0])
	b, second := m.key(before[1])
	chosen := k.b.Wrap(num.Lt, b, a) // of the first run
	if !bare {
		none, some := k.b.Wrap(num.Lt, before[1], e.from[1]), k.b.Wrap(num.Ge, before[0], e.from[0])
		chosen = k.b.Wrap(num.Or, none, k.b.Wrap(num.And, some, chosen))
	}
	take(k.b.Select(chosen, a, b), k.b.Select(chosen, first, second))
	step := k.b.Convert(chosen, num.I64, false)
	return [2]kernel.Value{k.b.Wrap(num.Sub, at[0], step), k.b.Wrap(num.Add, before[1], step)}
}
