package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// unsigned is the unsigned kind of the same width.
func unsigned(k num.Kind) num.Kind {
	switch k.Size() {
	case 1:
		return num.U8
	case 2:
		return num.U16
	case 4:
		return num.U32
	}
	return num.U64
}

// orderKey maps a scalar to an unsigned integer of the same order: sign bits
// are turned, negative floats turned over, and NaN goes to the top.
func (k *kern) orderKey(v kernel.Value) kernel.Value {
	kind := k.b.Kind(v)
	u := unsigned(kind)
	top := k.b.Const(u, 1<<(8*u.Size()-1))
	switch {
	case kind == num.Bool:
		return k.b.Convert(v, num.U8, false)
	case kind.IsSigned():
		return k.b.Wrap(num.Xor, k.b.Bitcast(v, u), top)
	case kind.IsFloat():
		bits := k.b.Bitcast(v, u)
		negative := k.b.Wrap(num.Ge, bits, top)
		key := k.b.Select(negative, k.b.Wrap(num.Not, bits), k.b.Wrap(num.Or, bits, top))
		return k.b.Select(k.b.Wrap(num.Ne, v, v), k.b.Const(u, num.Canon(u, ^uint64(0))), key)
	}
	return v
}

// fromOrderKey is the scalar of a kind whose order key is given. There is one NaN.
func (k *kern) fromOrderKey(key kernel.Value, kind num.Kind) kernel.Value {
	u := unsigned(kind)
	top := k.b.Const(u, 1<<(8*u.Size()-1))
	switch {
	case kind == num.Bool:
		return k.b.Wrap(num.Ne, key, k.b.Const(u, 0))
	case kind.IsSigned():
		return k.b.Bitcast(k.b.Wrap(num.Xor, key, top), kind)
	case kind.IsFloat():
		bits := k.b.Select(k.b.Wrap(num.Ge, key, top), k.b.Wrap(num.Xor, key, top), k.b.Wrap(num.Not, key))
		nan := k.b.Wrap(num.Eq, key, k.b.Const(u, num.Canon(u, ^uint64(0))))
		return k.b.Select(nan, k.b.Const(kind, num.Canon(kind, ^uint64(0))), k.b.Bitcast(bits, kind))
	}
	return key
}

// radix is a stable sort by bytes of the key, of integers by those of what it exceeds the least by, least significant first,
// between two halves of scratch memory. A byte that is the same in all integers is passed over, so that
// those of a narrow range take as few passes as they differ in bytes.
type radix struct {
	keys, index, counts int // regions: 2n keys, 2n slots, 256 counts for each byte; no slots (-1) where a key is the element
	n                   size.Poly
	half                kernel.Value // where the second half starts
	end                 kernel.Value // slots in use
	u                   num.Kind
	least               kernel.Value // of all keys; None of floats
	side                kernel.Value // the half where the sorted keys are in the end
}

const buckets = 256

// sort orders an array by its key.
func (k *kern) sort(n *graph.Node, e *env) val {
	t := n.Args[0].Type
	src := k.node(n.Args[0], e)
	if src.arr.back == nil {
		src = k.keep(nil, t, src)
	}
	r := k.radixOf(src.arr.n, unsigned(n.Blocks[0].Results[0].Type.KindOf()), byItself(n))
	k.ranks(n, e, src.arr, r)
	k.count(r)
	k.passes(r)
	if r.index < 0 {
		return k.unkeyed(n, r)
	}
	return k.permuted(n, src.arr, r)
}

// passes sorts by all bytes. Floats hardly ever agree in one, so theirs are known to end where they began.
func (k *kern) passes(r *radix) {
	passes := int64(r.u.Size())
	if r.least == kernel.None {
		k.loop(k.b.Int(0), k.b.Int(passes), nil, nil, func(p kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			k.places(r, p)
			k.spread(r, p, k.b.Wrap(num.Rem, p, k.b.Int(2)))
			return nil, kernel.None
		})
		r.side = k.b.Int(passes % 2)
		return
	}
	side := []kernel.Carry{{Kind: num.I64, Bounded: true, Bound: size.Const(2)}}
	r.side = k.loop(k.b.Int(0), k.b.Int(passes), side, []kernel.Value{k.b.Int(0)}, func(p kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		next := k.branch(k.b.Wrap(num.Lt, k.places(r, p), r.end),
			func() []kernel.Value { return []kernel.Value{k.spread(r, p, c[0])} },
			func() []kernel.Value { return c })
		return []kernel.Value{k.bound(next[0], size.Const(2))}, kernel.None
	})[0]
}

// ranks stores all order keys, and finds the least where that may save passes: of integers.
func (k *kern) ranks(n *graph.Node, e *env, src *array, r *radix) {
	r.least = kernel.None
	if !n.Blocks[0].Results[0].Type.KindOf().IsInt() {
		k.each(k.b.Int(0), r.end, r.n, func(i kernel.Value) {
			k.slotScope(i, func() { k.rank(n, e, src, r, i) })
		})
		return
	}
	least, greatest := []kernel.Carry{{Kind: r.u}}, k.b.Const(r.u, num.Canon(r.u, ^uint64(0)))
	r.least = k.loop(k.b.Int(0), r.end, least, []kernel.Value{greatest}, func(i kernel.Value, c []kernel.Value) (next []kernel.Value, _ kernel.Value) {
		k.inside(r.n, func() {
			k.slotScope(i, func() { next = []kernel.Value{k.b.Wrap(num.Min, c[0], k.rank(n, e, src, r, i))} })
		})
		return next, kernel.None
	})[0]
}

// rank stores the order key of slot i, and gives it.
func (k *kern) rank(n *graph.Node, e *env, src *array, r *radix, i kernel.Value) kernel.Value {
	key := k.orderKey(k.body(n.Blocks[0], e, val{s: i, safe: true}, k.element(src, i).v)[0].s)
	if n.Desc {
		key = k.b.Wrap(num.Not, key)
	}
	k.b.Store(r.keys, i, key)
	if r.index >= 0 {
		k.b.Store(r.index, i, k.b.Convert(i, k.k.Regions[r.index].Elem, false))
	}
	return key
}

// byItself reports that a sort is of numbers or bools by their own order: a key tells its element.
func byItself(n *graph.Node) bool {
	b, elem := n.Blocks[0], n.Args[0].Type.Elem()
	if b.Results[0] != b.Params[len(b.Params)-1] {
		return false
	}
	return elem.Kind == graph.Scalar
}

func (k *kern) radixOf(n size.Poly, u num.Kind, keysOnly bool) *radix {
	most := k.capacity(n)
	r := &radix{keys: k.scratch(u, most.MulConst(2)), index: -1, n: most, half: k.sizeValue(most), end: k.sizeValue(n), u: u}
	if !keysOnly {
		r.index = k.scratch(k.l.storedKind(graph.IndexOf(most)), most.MulConst(2))
	}
	r.counts = k.scratch(num.I64, size.Const(buckets*int64(u.Size())))
	return r
}

// digit is byte p of a key.
func (k *kern) digit(r *radix, key, p kernel.Value) kernel.Value {
	if r.least != kernel.None {
		key = k.b.Wrap(num.Sub, key, r.least)
	}
	shift := k.b.Convert(k.b.Wrap(num.Mul, p, k.b.Int(8)), r.u, false)
	d := k.b.Convert(k.b.Wrap(num.Shr, key, shift), num.I64, false)
	return k.bound(k.b.Wrap(num.And, d, k.b.Int(buckets-1)), size.Const(buckets))
}

// place is where the count of a digit of byte p is.
func (k *kern) place(p, digit kernel.Value) kernel.Value {
	return k.b.Wrap(num.Add, k.b.Wrap(num.Mul, p, k.b.Int(buckets)), digit)
}

// count counts the digits of all bytes in one walk.
func (k *kern) count(r *radix) {
	zero, passes := k.b.Int(0), int64(r.u.Size())
	all := size.Const(buckets * passes)
	k.each(zero, k.b.Int(buckets*passes), all, func(j kernel.Value) { k.b.Store(r.counts, j, zero) })
	k.each(zero, r.end, r.n, func(i kernel.Value) {
		key := k.b.Load(r.keys, i)
		for p := range passes {
			at := k.place(k.b.Int(p), k.digit(r, key, k.b.Int(p)))
			k.b.Store(r.counts, at, k.b.Wrap(num.Add, k.b.Load(r.counts, at), k.b.Int(1)))
		}
	})
}

// places turns the counts of byte p into the places where its digits begin, and gives the greatest count.
func (k *kern) places(r *radix, p kernel.Value) (most kernel.Value) {
	carry := []kernel.Carry{{Kind: num.I64}, {Kind: num.I64}} // slots before a digit; the greatest count
	zero := k.b.Int(0)
	return k.loop(zero, k.b.Int(buckets), carry, []kernel.Value{zero, zero}, func(j kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		at := k.place(p, j)
		n := k.b.Load(r.counts, at)
		k.b.Store(r.counts, at, c[0])
		return []kernel.Value{k.b.Wrap(num.Add, c[0], n), k.b.Wrap(num.Max, c[1], n)}, kernel.None
	})[1]
}

// spread moves every key to its digit's next place in the other half, which it gives.
func (k *kern) spread(r *radix, p, side kernel.Value) kernel.Value {
	other := k.b.Wrap(num.Sub, k.b.Int(1), side)
	from, to := k.b.Wrap(num.Mul, side, r.half), k.b.Wrap(num.Mul, other, r.half)
	k.each(k.b.Int(0), r.end, r.n, func(i kernel.Value) {
		at := k.b.Wrap(num.Add, from, i)
		key := k.b.Load(r.keys, at)
		d := k.place(p, k.digit(r, key, p))
		pos := k.b.Load(r.counts, d)
		k.b.Store(r.counts, d, k.b.Wrap(num.Add, pos, k.b.Int(1)))
		dest := k.b.Wrap(num.Add, to, k.bound(pos, r.n))
		k.b.Store(r.keys, dest, key)
		if r.index >= 0 {
			k.b.Store(r.index, dest, k.b.Load(r.index, at))
		}
	})
	return other
}

// permuted stores the elements in sorted order.
func (k *kern) permuted(n *graph.Node, src *array, r *radix) val {
	out := k.space(n, n.Type)
	base := k.b.Wrap(num.Mul, r.side, r.half)
	k.each(k.b.Int(0), r.end, r.n, func(i kernel.Value) {
		j := k.b.Convert(k.b.Load(r.index, k.b.Wrap(num.Add, base, i)), num.I64, false)
		inner := out
		inner.off = i
		k.store(n.Type.Elem(), k.element(src, k.bound(j, r.n)).v, inner)
	})
	return k.backed(n.Type, out)
}

// unkeyed stores the elements that the sorted keys tell, from the half where they are.
func (k *kern) unkeyed(n *graph.Node, r *radix) val {
	out := k.space(n, n.Type)
	base := k.b.Wrap(num.Mul, r.side, r.half)
	k.each(k.b.Int(0), r.end, r.n, func(i kernel.Value) {
		key := k.b.Load(r.keys, k.b.Wrap(num.Add, base, i))
		if n.Desc {
			key = k.b.Wrap(num.Not, key)
		}
		inner := out
		inner.off = i
		k.store(n.Type.Elem(), val{s: k.fromOrderKey(key, n.Type.Elem().KindOf())}, inner)
	})
	return k.backed(n.Type, out)
}
