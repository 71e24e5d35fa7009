package lower

import (
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: scalars. Out: their order keys, unsigned integers of the same width. Invariant: keys are in the order of what they stand for, and
// equal only for equal bits, but for NaNs, which are one.

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
		nan := num.Canon(kind, ^uint64(0)) | 1<<(8*u.Size()-1) // what its bits would be turned to
		return k.b.Select(k.b.Wrap(num.Ne, v, v), k.b.Const(u, nan), key)
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
		return k.b.Bitcast(bits, kind)
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
