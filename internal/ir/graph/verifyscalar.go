package graph

import "github.com/godwit-run/godwit/internal/ir/num"

var scalarRules = map[Op]func(*verifier, *Node) error{
	Const: (*verifier).constant, SizeVal: (*verifier).sizeVal, Spread: (*verifier).spread, Arith: (*verifier).arith, Cast: (*verifier).cast,
	Bits: (*verifier).bits, MakeTuple: (*verifier).makeTuple, Get: (*verifier).get, Some: (*verifier).some,
	Nothing: (*verifier).nothing, IsSome: (*verifier).isSome, Unwrap: (*verifier).unwrap,
	Clamp: (*verifier).toIndex, Wrap: (*verifier).toIndex, Check: (*verifier).toIndex, At: (*verifier).at,
}

// Const: no arguments; a scalar in canonical form, an Index below its bound.
func (v *verifier) constant(n *Node) error {
	switch {
	case len(n.Args) != 0:
		return v.fail(n, "a constant has arguments")
	case !n.Type.IsScalar():
		return v.fail(n, "a constant is no scalar")
	case !num.IsCanon(n.Type.KindOf(), n.Bits):
		return v.fail(n, "the bits %#x are no %s", n.Bits, n.Type)
	case n.Type.Kind == Index && (int64(n.Bits) < 0 || !v.facts.Proves(n.Type.Bound.AddConst(-1-int64(n.Bits)))):
		return v.fail(n, "the constant %d is not shown to be below %s", int64(n.Bits), n.Type.Bound)
	}
	return nil
}

// SizeVal: no arguments; I64, or an Index shown to be in its range.
func (v *verifier) sizeVal(n *Node) error {
	switch {
	case len(n.Args) != 0:
		return v.fail(n, "a size has arguments")
	case !n.Type.IsScalar() || n.Type.KindOf() != num.I64:
		return v.fail(n, "a size is an i64, not %s", n.Type)
	case n.Type.Kind == Index && !(v.facts.Proves(n.Poly) && v.facts.ProvesLt(n.Poly, n.Type.Bound)):
		return v.fail(n, "%s is not shown to be in 0..%s", n.Poly, n.Type.Bound)
	}
	return nil
}

// Spread: no arguments; Bool.
func (v *verifier) spread(n *Node) error {
	if len(n.Args) != 0 || !n.Type.Equal(BoolType) {
		return v.fail(n, "whether rows are spread is a bool without arguments, not %s", n.Type)
	}
	return nil
}

// Arith: as many scalars of one kind as the operation takes, an operation
// defined on that kind; Bool for comparisons, otherwise that kind. Index is
// a result where whoever built the node knows the bound. A checked operation
// that can fault has a site.
func (v *verifier) arith(n *Node) error {
	if !n.Num.Valid() {
		return v.fail(n, "there is no such operation")
	}
	if err := v.wantArgs(n, n.Num.Arity()); err != nil {
		return err
	}
	if !n.Args[0].Type.IsScalar() {
		return v.fail(n, "argument 0 is %s instead of a scalar", n.Args[0].Type)
	}
	k := n.Args[0].Type.KindOf()
	for i := range n.Args {
		if err := v.wantScalar(n, i, k); err != nil {
			return err
		}
	}
	switch {
	case !n.Num.Takes(k):
		return v.fail(n, "%s is not defined on %s", n.Num, k)
	case n.Num.IsCompare():
		return v.wantType(n, BoolType)
	case !n.Type.IsScalar() || n.Type.KindOf() != k:
		return v.fail(n, "has the type %s instead of %s", n.Type, k)
	case n.Checked && n.Num.CanFault(k) && n.Site < 0:
		return v.fail(n, "is checked but has no site")
	}
	return nil
}

// Cast: a scalar to a scalar; to Bool from Bool only, to an Index from what
// computes as I64 and is known to be in range by whoever built the node; the
// interpreter holds it to that. Checked has a site.
func (v *verifier) cast(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	from := n.Args[0].Type
	switch {
	case !from.IsScalar() || !n.Type.IsScalar():
		return v.fail(n, "converts %s to %s", from, n.Type)
	case n.Type.KindOf() == num.Bool && from.KindOf() != num.Bool:
		return v.fail(n, "converts %s to bool", from)
	case n.Type.Kind == Index && from.KindOf() != num.I64:
		return v.fail(n, "%s is no %s", from, n.Type)
	case n.Checked && n.Site < 0 && num.ConvertCanFault(from.KindOf(), n.Type.KindOf()):
		return v.fail(n, "is checked but has no site")
	}
	return nil
}

// Bits: a number to a number of the same width.
func (v *verifier) bits(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	from := n.Args[0].Type
	if !from.IsScalar() || n.Type.Kind != Scalar || from.KindOf().Bits() != n.Type.Num.Bits() || n.Type.Num == num.Bool {
		return v.fail(n, "reinterprets %s as %s", from, n.Type)
	}
	return nil
}

// MakeTuple: one argument of its type for each field. A field may be masked.
func (v *verifier) makeTuple(n *Node) error {
	if n.Type.Kind != Tuple {
		return v.fail(n, "is no tuple")
	}
	if err := v.wantArgs(n, len(n.Type.Elems)); err != nil {
		return err
	}
	for i, a := range n.Args {
		if !v.same(a.Type, n.Type.Elems[i]) {
			return v.fail(n, "field %d is %s instead of %s", i, a.Type, n.Type.Elems[i])
		}
	}
	return nil
}

// Get: a tuple that has the field; the field's type.
func (v *verifier) get(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	t := n.Args[0].Type
	if t.Kind != Tuple || n.Field < 0 || n.Field >= len(t.Elems) {
		return v.fail(n, "%s has no field %d", t, n.Field)
	}
	return v.wantType(n, t.Elems[n.Field])
}

// Some: an Option of the argument.
func (v *verifier) some(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	return v.wantType(n, OptionOf(n.Args[0].Type))
}

// Nothing: an Option.
func (v *verifier) nothing(n *Node) error {
	if n.Type.Kind != Option {
		return v.fail(n, "is no Option")
	}
	return v.wantArgs(n, 0)
}

// IsSome: Bool of an Option.
func (v *verifier) isSome(n *Node) error {
	if err := v.wantOption(n); err != nil {
		return err
	}
	return v.wantType(n, BoolType)
}

// Unwrap: the type inside an Option.
func (v *verifier) unwrap(n *Node) error {
	if err := v.wantOption(n); err != nil {
		return err
	}
	return v.wantType(n, n.Args[0].Type.Elem())
}

func (v *verifier) wantOption(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	if t := n.Args[0].Type; t.Kind != Option {
		return v.fail(n, "%s is no Option", t)
	}
	return nil
}

// Clamp, Wrap, Check: an I64 to an Index of a bound at least Poly.
func (v *verifier) toIndex(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	if err := v.wantScalar(n, 0, num.I64); err != nil {
		return err
	}
	if n.Type.Kind != Index || !v.facts.ProvesLe(n.Poly, n.Type.Bound) {
		return v.fail(n, "has the type %s instead of idx<%s>", n.Type, n.Poly)
	}
	return nil
}

// At: a dense array and an Index whose bound is shown to be at most its
// size; the element type.
func (v *verifier) at(n *Node) error {
	if err := v.wantArgs(n, 2); err != nil {
		return err
	}
	if err := v.wantDense(n, 0); err != nil {
		return err
	}
	a, i := n.Args[0].Type, n.Args[1].Type
	switch {
	case i.Kind != Index:
		return v.fail(n, "the index is %s", i)
	case !v.facts.ProvesLe(i.Bound, a.Size):
		return v.fail(n, "the index bound %s is not shown to be at most the size %s", i.Bound, a.Size)
	}
	return v.wantType(n, a.Elem())
}
