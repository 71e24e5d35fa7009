package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the keys of a sorter. Out: the same in order, by digits of what each exceeds the least by, the last digit first. Invariant: a pass
// keeps the order of keys that agree in its digit; so keys may be sorted by their leading digits first, and by all of them
// afterwards where that was not enough.
//
//	bits of a key:  | the same in all | digit 2 | digit 1 | digit 0 |  left to straighten  |
//	                ^ width                                         ^ from

const (
	// digitBits is the most bits of a digit. A pass writes to as many places at a time as a digit has values: so many lines and
	// the counts fit into a first cache, twice as many do not.
	digitBits = 9
	buckets   = 1 << digitBits
	// tableBits is the most bits of keys that are counted, each for itself.
	tableBits = 11
	table     = 1 << tableBits
	// fewBits is the least that is worth a pass over some dozens of keys.
	fewBits = 4
	// mostPasses is beyond what memory holds: so many digits tell 2^60 keys apart.
	mostPasses = 8
)

// cuts are where keys are cut; all I64.
type cuts struct{ from, count, bits, mask kernel.Value }

// radix sorts many keys.
func (s *sorter) radix() kernel.Value {
	k := s.k
	least, width := s.spread()
	if s.index >= 0 {
		return s.digits(least, width)
	}
	dense := k.b.Wrap(num.And, k.b.Wrap(num.Le, width, k.b.Int(tableBits)), k.b.Wrap(num.Gt, s.count, k.b.Int(table)))
	return k.branch(dense, func() []kernel.Value { s.tabulate(least); return []kernel.Value{k.b.Int(0)} },
		func() []kernel.Value { return []kernel.Value{s.digits(least, width)} })[0]
}

// tabulate counts each key, of few different ones, and writes it so many times.
func (s *sorter) tabulate(least kernel.Value) {
	k, zero, one := s.k, s.k.b.Int(0), s.k.b.Int(1)
	at := func(key kernel.Value) kernel.Value {
		return k.b.Wrap(num.And, k.b.Convert(k.b.Wrap(num.Sub, key, least), num.I64, false), k.b.Int(table-1))
	}
	k.each(zero, k.b.Int(table), size.Const(table), func(j kernel.Value) { k.b.Store(s.counts, j, zero) })
	s.each(func(i kernel.Value) {
		d := at(s.key(i))
		k.b.Store(s.counts, d, k.b.Wrap(num.Add, k.b.Load(s.counts, d), one))
	})
	// Each turn writes a key or goes on to the next one. What is written in vain is overwritten.
	carry := []kernel.Carry{{Kind: num.I64}, {Kind: s.u}, {Kind: num.I64}} // places filled, the key, how many of it are left
	k.loop(zero, k.b.Wrap(num.Add, s.count, k.b.Int(table)), carry, []kernel.Value{zero, least, k.b.Load(s.counts, zero)}, func(_ kernel.Value, c []kernel.Value) (next []kernel.Value, stop kernel.Value) {
		k.guardDo(s.most, func() { k.b.Store(s.keys, s.begin(k.bound(c[0], s.most)), c[1]) })
		some := k.b.Wrap(num.Gt, c[2], zero)
		filled := k.b.Wrap(num.Add, c[0], k.b.Convert(some, num.I64, false))
		following := k.b.Wrap(num.Add, c[1], k.b.Const(s.u, 1))
		key, left := k.b.Select(some, c[1], following), k.b.Select(some, k.b.Wrap(num.Sub, c[2], one), k.b.Load(s.counts, at(following)))
		return []kernel.Value{filled, key, left}, k.b.Wrap(num.Ge, filled, s.count)
	})
}

// digits sorts by as many leading digits as tell most keys apart, and the rest by what is left to do.
func (s *sorter) digits(least, width kernel.Value) kernel.Value {
	k := s.k
	room := s.bitsOf(k.b.Convert(s.count, num.U64, false), 64)
	d := s.leading(width, room)
	s.clear(k.b.Int(0), d.mask)
	s.each(func(i kernel.Value) { s.add(k.b.Int(0), s.digit(d, k.b.Int(0), s.key(i), least)) })
	s.places(k.b.Int(0), d.mask)
	s.each(func(i kernel.Value) { s.pass(d, k.b.Int(0), least, s.key(i), s.slot(i), k.b.Int(0)) })
	side := s.passes(d, k.b.Int(1), least, k.b.Int(0))
	left := k.b.Wrap(num.Gt, d.from, k.b.Int(0))
	return k.branch(left, func() []kernel.Value {
		gaveUp := s.straighten(side)
		return k.branch(gaveUp, func() []kernel.Value { return []kernel.Value{s.whole(width, least, side)} },
			func() []kernel.Value { return []kernel.Value{side} })
	}, func() []kernel.Value { return []kernel.Value{side} })[0]
}

// whole sorts by all digits.
func (s *sorter) whole(width, least, side kernel.Value) kernel.Value {
	k := s.k
	d := cuts{from: k.b.Int(0), bits: k.b.Int(digitBits), mask: k.b.Int(buckets - 1)}
	d.count = k.bound(k.b.Wrap(num.Min, s.ceil(width, d.bits), k.b.Int(mostPasses)), size.Const(mostPasses+1))
	s.clear(k.b.Int(0), d.mask)
	s.each(func(i kernel.Value) {
		s.add(k.b.Int(0), s.digit(d, k.b.Int(0), k.b.Load(s.keys, s.at(side, i)), least))
	})
	return s.passes(d, k.b.Int(0), least, side)
}

// spread is the least key, and how many bits what others exceed it by has.
func (s *sorter) spread() (least, width kernel.Value) {
	k := s.k
	accs := []kernel.Acc{{Op: num.FoldMin, Kind: s.u}, {Op: num.FoldMax, Kind: s.u}}
	ends := k.fold(k.b.Int(0), s.count, false, accs, func(i kernel.Value) (keys []kernel.Value) {
		k.inside(s.most, func() { key := s.key(i); keys = []kernel.Value{key, key} })
		return keys
	})
	return ends[0], s.bitsOf(k.b.Wrap(num.Sub, ends[1], ends[0]), int64(s.u.Bits()))
}

// bitsOf is how many bits an unsigned integer of so many has without leading zeros.
func (s *sorter) bitsOf(v kernel.Value, bits int64) kernel.Value {
	k, kind := s.k, s.k.b.Kind(v)
	return k.loop(k.b.Int(0), k.b.Int(bits), oneCount, []kernel.Value{k.b.Int(0)}, func(j kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		some := k.b.Wrap(num.Ne, k.b.Wrap(num.Shr, v, k.b.Convert(j, kind, false)), k.b.Const(kind, 0))
		return []kernel.Value{k.b.Wrap(num.Add, c[0], k.b.Convert(some, num.I64, false))}, kernel.None
	})[0]
}

// leading are the digits to begin with: so many bits as tell apart as many keys as there are and some more, so that few share
// one; of floats also most of those of sign and exponent, which hardly differ. Where all bits take one pass more, it is all. A digit has
// as many bits as it may: a processor guesses which load waits for which store, and guesses worse where there are some dozens of counts.
func (s *sorter) leading(width, room kernel.Value) cuts {
	k := s.k
	spare := int64(3) // a key in eight shares them with another, if they are spread evenly
	switch s.n.Blocks[0].Results[0].Type.KindOf() {
	case num.F64:
		spare = 10
	case num.F32:
		spare = 7
	}
	widest := k.b.Wrap(num.Max, k.b.Wrap(num.Min, k.b.Wrap(num.Sub, room, k.b.Int(2)), k.b.Int(digitBits)), k.b.Int(fewBits))
	wanted := k.b.Wrap(num.Min, width, k.b.Wrap(num.Add, room, k.b.Int(spare)))
	some, all := s.ceil(wanted, widest), s.ceil(width, widest)
	whole := k.b.Wrap(num.Le, all, k.b.Wrap(num.Add, some, k.b.Int(1)))
	passes := k.b.Wrap(num.Max, k.b.Wrap(num.Min, k.b.Select(whole, all, some), k.b.Int(mostPasses)), k.b.Int(1))
	d := cuts{count: k.bound(passes, size.Const(mostPasses+1))}
	d.bits = widest
	d.from = k.b.Wrap(num.Max, k.b.Wrap(num.Sub, width, k.b.Wrap(num.Mul, d.count, d.bits)), k.b.Int(0))
	mask := k.b.Wrap(num.Sub, k.b.Wrap(num.Shl, k.b.Int(1), d.bits), k.b.Int(1))
	d.mask = k.bound(mask, size.Const(buckets))
	return d
}

// ceil is ⌈a/b⌉ of numbers that are not negative.
func (s *sorter) ceil(a, b kernel.Value) kernel.Value {
	b1 := s.k.b.Wrap(num.Sub, b, s.k.b.Int(1))
	return s.k.b.Wrap(num.Div, s.k.b.Wrap(num.Add, a, b1), b)
}

// digit is digit p of a key, and 0 beyond the last.
func (s *sorter) digit(d cuts, p, key, least kernel.Value) kernel.Value {
	k := s.k
	shift := k.b.Wrap(num.Min, k.b.Wrap(num.Add, d.from, k.b.Wrap(num.Mul, p, d.bits)), k.b.Int(int64(s.u.Bits()-1)))
	over := k.b.Wrap(num.Shr, k.b.Wrap(num.Sub, key, least), k.b.Convert(shift, s.u, false))
	return k.b.Wrap(num.And, k.b.Convert(over, num.I64, false), d.mask)
}

// bucket is where the count of a digit is in a table.
func (s *sorter) bucket(table, digit kernel.Value) kernel.Value {
	return s.k.b.Wrap(num.Add, s.k.b.Wrap(num.Mul, table, s.k.b.Int(buckets)), digit)
}

func (s *sorter) clear(table, mask kernel.Value) {
	k := s.k
	k.each(k.b.Int(0), k.b.Wrap(num.Add, mask, k.b.Int(1)), size.Const(buckets), func(j kernel.Value) {
		k.b.Store(s.counts, s.bucket(table, j), k.b.Int(0))
	})
}

// add counts a digit, and gives how many were there before.
func (s *sorter) add(table, digit kernel.Value) (before kernel.Value) {
	k, at := s.k, s.bucket(table, digit)
	before = k.b.Load(s.counts, at)
	k.b.Store(s.counts, at, k.b.Wrap(num.Add, before, k.b.Int(1)))
	return before
}

// places turns the counts of a table into the places where its digits begin, clears the other table, and gives the greatest count.
func (s *sorter) places(table, mask kernel.Value) (most kernel.Value) {
	k := s.k
	carry := []kernel.Carry{{Kind: num.I64}, {Kind: num.I64}} // places before a digit; the greatest count
	zero, other := k.b.Int(0), k.b.Wrap(num.Sub, k.b.Int(1), table)
	return k.loop(zero, k.b.Wrap(num.Add, mask, k.b.Int(1)), carry, []kernel.Value{zero, zero}, func(j kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		at := s.bucket(table, j)
		n := k.b.Load(s.counts, at)
		k.b.Store(s.counts, at, c[0])
		k.b.Store(s.counts, s.bucket(other, j), zero)
		return []kernel.Value{k.b.Wrap(num.Add, c[0], n), k.b.Wrap(num.Max, c[1], n)}, kernel.None
	})[1]
}

// passes sorts by the digits from p on what lies in a half, and gives the half where it lies in the end. The digits of p are counted, in table
// p mod 2. A digit in which all agree is passed over.
func (s *sorter) passes(d cuts, p, least, side kernel.Value) kernel.Value {
	k := s.k
	carry := []kernel.Carry{{Kind: num.I64, Bounded: true, Bound: size.Const(2)}}
	return k.loop(p, d.count, carry, []kernel.Value{side}, func(p kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		table := k.b.Wrap(num.Rem, p, k.b.Int(2))
		differ := k.b.Wrap(num.Lt, s.places(table, d.mask), s.count)
		next := k.branch(differ, func() []kernel.Value {
			other := k.b.Wrap(num.Sub, k.b.Int(1), c[0])
			s.each(func(i kernel.Value) {
				from := s.at(c[0], i)
				key := k.b.Load(s.keys, from)
				slot := i
				if s.index >= 0 {
					slot = k.b.Load(s.index, from)
				}
				s.pass(d, p, least, key, slot, other)
			})
			return []kernel.Value{other}
		}, func() []kernel.Value {
			s.each(func(i kernel.Value) { s.next(d, p, k.b.Load(s.keys, s.at(c[0], i)), least) })
			return c
		})
		return []kernel.Value{k.bound(next[0], size.Const(2))}, kernel.None
	})[0]
}

// pass puts a key at its digit's next place in a half, and counts its next digit.
func (s *sorter) pass(d cuts, p, least, key, slot, side kernel.Value) {
	k := s.k
	place := s.add(k.b.Wrap(num.Rem, p, k.b.Int(2)), s.digit(d, p, key, least))
	s.put(s.at(side, k.bound(place, s.most)), key, slot)
	s.next(d, p, key, least)
}

// next counts the digit after p. After the last one it is the first: nobody looks at it, and counts that differ do not wait for each other.
func (s *sorter) next(d cuts, p, key, least kernel.Value) {
	k := s.k
	q := k.b.Wrap(num.Add, p, k.b.Int(1))
	last := k.b.Wrap(num.Ge, q, d.count)
	s.add(k.b.Wrap(num.Rem, q, k.b.Int(2)), s.digit(d, k.b.Select(last, k.b.Int(0), q), key, least))
}
