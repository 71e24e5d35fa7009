package kernel

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a kernel and one of its regions. Out: whether a run of all outer indices stores every element of
// it, so that what was there before is never seen. Invariant: where it says so that holds for all
// sizes; where it does not, nothing follows.

// Fills reports a region that the kernel does not load and of which each outer index stores all elements of its
// slots: one to a slot, in one loop or fold or in two loops around a cut, or a row of them, or those of several loops. Or the only outer index stores
// all before it does anything else with the region.
func Fills(k *Kernel, region int) bool {
	r := &k.Regions[region]
	if r.Access != Write && r.Access != ReadWrite || len(k.Body.Params) < 3 {
		return false
	}
	if k.Outer.Equal(size.Const(1)) && fillsFirst(k, region) {
		return true
	}
	if r.Access != Write {
		return false
	}
	f := newFilling(region)
	lo, hi := k.Body.Params[1], k.Body.Params[2]
	for i := range k.Body.Instrs {
		in := &k.Body.Instrs[i]
		f.note(in)
		f.edge(in, lo, hi)
		if f.half(k, in, lo, hi) {
			return true
		}
		if in.Code != For && in.Code != Fold || in.Stop || in.Args[0] != lo || in.Args[1] != hi {
			continue
		}
		if k.Count.Equal(r.Len) && f.slot(&in.Blocks[0]) {
			return true
		}
		if row, ok := f.row(&in.Blocks[0]); ok && k.Count.Mul(row).Equal(r.Len) {
			return true
		}
	}
	return k.Count.Equal(r.Len) && stretches(k, region)
}

// filling is what is known of values while a kernel is looked at.
type filling struct {
	region  int
	size    map[Value]size.Poly // values that are a size or constant
	product map[Value][2]Value
	// A walk over a grain in two loops, up to a cut and from there on.
	ends, begins map[Value]Value // the ends of the one and the beginnings of the other, with their cuts
	below        map[Value]bool  // the cuts up to which all slots of the grain are stored
}

func newFilling(region int) *filling {
	return &filling{region: region, size: map[Value]size.Poly{}, product: map[Value][2]Value{}, ends: map[Value]Value{}, begins: map[Value]Value{}, below: map[Value]bool{}}
}

// fillsFirst reports a kernel whose first instruction that touches the region is a loop that stores all of it, and loads none.
func fillsFirst(k *Kernel, region int) bool {
	f := newFilling(region)
	for i := range k.Body.Instrs {
		in := &k.Body.Instrs[i]
		f.note(in)
		if loads, stores := touches(in, region); loads || stores {
			return !loads && f.whole(in, k.Regions[region].Len)
		}
	}
	return false
}

func touches(in *Instr, region int) (loads, stores bool) {
	in.Each(func(x *Instr) {
		loads = loads || x.Code == Load && x.Region == region
		stores = stores || x.Code == Store && x.Region == region
	})
	return loads, stores
}

// whole reports a loop that stores so many elements, from the first one on, one in a turn or a row.
func (f *filling) whole(in *Instr, length size.Poly) bool {
	if in.Code != For || in.Stop {
		return false
	}
	from, begins := f.size[in.Args[0]]
	n, known := f.size[in.Args[1]]
	if !begins || !from.Equal(size.Const(0)) || !known {
		return false
	}
	if n.Equal(length) && f.slot(&in.Blocks[0]) {
		return true
	}
	row, ok := f.row(&in.Blocks[0])
	// Of two numbers below 0, which no loop has turns for, the product is above.
	return ok && n.Mul(row).Equal(length) && (n.Positive() || row.Positive())
}

// edge notes where a loop on one side of a cut ends or begins.
func (f *filling) edge(in *Instr, lo, hi Value) {
	if in.Code != Arith || in.Kind != num.I64 {
		return
	}
	switch {
	case in.Op == num.Min && in.Args[0] == hi:
		f.ends[in.Out[0]] = in.Args[1]
	case in.Op == num.Max && in.Args[0] == lo:
		f.begins[in.Out[0]] = in.Args[1]
	}
}

// half reports a loop that stores the slots of a grain from a cut on, where another before it stores those up to the cut.
func (f *filling) half(k *Kernel, in *Instr, lo, hi Value) bool {
	if in.Code != For || in.Stop || !k.Count.Equal(k.Regions[f.region].Len) || !f.slot(&in.Blocks[0]) {
		return false
	}
	if cut, ok := f.ends[in.Args[1]]; ok && in.Args[0] == lo {
		f.below[cut] = true
	}
	cut, ok := f.begins[in.Args[0]]
	return ok && in.Args[1] == hi && f.below[cut]
}

func (f *filling) note(in *Instr) {
	switch {
	case in.Code == SizeOf:
		f.size[in.Out[0]] = in.Poly
	case in.Code == Const && in.Kind == num.I64:
		f.size[in.Out[0]] = size.Const(int64(in.Bits))
	case in.Code == Arith && in.Op == num.Mul && in.Kind == num.I64:
		f.product[in.Out[0]] = [2]Value{in.Args[0], in.Args[1]}
	}
}

// slot reports that a loop's turn i stores element i.
func (f *filling) slot(b *Block) bool {
	for i := range b.Instrs {
		if in := &b.Instrs[i]; in.Code == Store && in.Region == f.region && in.Args[0] == b.Params[0] {
			return true
		}
	}
	return false
}

// row reports that a loop's turn i stores elements i·n + j for all j from 0 to n.
func (f *filling) row(b *Block) (n size.Poly, ok bool) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		f.note(in)
		if in.Code != For || in.Stop {
			continue
		}
		from, begins := f.size[in.Args[0]]
		n, known := f.size[in.Args[1]]
		if begins && from.Equal(size.Const(0)) && known && f.element(&in.Blocks[0], b.Params[0], in.Args[1]) {
			return n, true
		}
	}
	return n, false
}

// element reports that a loop's turn j stores element i·n + j.
func (f *filling) element(b *Block, i, n Value) bool {
	sums := map[Value]bool{}
	for at := range b.Instrs {
		in := &b.Instrs[at]
		f.note(in)
		if in.Code == Arith && in.Op == num.Add && in.Args[1] == b.Params[0] && f.product[in.Args[0]] == [2]Value{i, n} {
			sums[in.Out[0]] = true
		}
		if in.Code == Store && in.Region == f.region && sums[in.Args[0]] {
			return true
		}
	}
	return false
}
