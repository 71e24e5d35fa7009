package kernel

import "github.com/godwit-run/godwit/internal/ir/num"

// In: a kernel and one of its regions. Out: what counts the elements that it appends there, as a filter does. Invariant: a run that begins
// with a count of 0 has stored every element below the count that it ends with. Where it is not said that a kernel appends, nothing follows.

// Appends is the number of the kernel's state that counts what it stores to a region: each store is to the place that the count says, and the
// count is then one more.
func Appends(k *Kernel, region int) (state int, ok bool) {
	if k.Regions[region].Access != Write || len(k.Body.Params) < 3+len(k.State) {
		return 0, false
	}
	a := appending{region: region, def: map[Value]*Instr{}}
	k.Body.Each(func(in *Instr) {
		for _, v := range in.Out {
			a.def[v] = in
		}
	})
	for s := range k.State {
		if a.stores(&k.Body) > 0 && a.counts(&k.Body, k.Body.Params[3+s], k.Body.Results[s]) {
			return s, true
		}
	}
	return 0, false
}

// appending is a region that may be appended to.
type appending struct {
	region int
	def    map[Value]*Instr
}

// counts reports that a block goes from one count to another by what it appends, and stores nothing else to the region.
func (a *appending) counts(b *Block, from, to Value) bool {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		switch n := a.storesOf(in); {
		case n == 0:
		case n < a.stores(b):
			return false // the count between two of them is not followed
		case in.Code == Store:
			return a.is(in.Args[0], from) && a.follows(to, from)
		default:
			return a.inside(in, from, to)
		}
	}
	return to == from
}

// inside is counts of the blocks of an instruction.
func (a *appending) inside(in *Instr, from, to Value) bool {
	for j, v := range in.Out {
		if v != to {
			continue
		}
		if in.Code == If {
			return a.counts(&in.Blocks[0], from, in.Blocks[0].Results[j]) && a.counts(&in.Blocks[1], from, in.Blocks[1].Results[j])
		}
		b := &in.Blocks[0]
		return in.Code == For && in.Args[2+j] == from && a.counts(b, b.Params[1+j], b.Results[j])
	}
	return false
}

// is reports that a place is the count, if it lies in bounds; with one that does not a run ends beyond them.
func (a *appending) is(place, count Value) bool {
	if in := a.def[place]; in != nil && in.Code == Bound {
		place = in.Args[0]
	}
	return place == count
}

// follows reports that a value is a count and one more.
func (a *appending) follows(v, count Value) bool {
	in := a.def[v]
	if in == nil || in.Code != Arith || in.Op != num.Add || in.Kind != num.I64 {
		return false
	}
	for j, arg := range in.Args {
		one := a.def[in.Args[1-j]]
		if arg == count && one != nil && one.Code == Const && one.Bits == 1 {
			return true
		}
	}
	return false
}

// stores is how many stores to the region a block has.
func (a *appending) stores(b *Block) (n int) {
	for i := range b.Instrs {
		n += a.storesOf(&b.Instrs[i])
	}
	return n
}

func (a *appending) storesOf(in *Instr) (n int) {
	if in.Code == Store && in.Region == a.region {
		n++
	}
	for j := range in.Blocks {
		n += a.stores(&in.Blocks[j])
	}
	return n
}
