package graph

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Law is what is known of a fold operator on scalars of one kind: which
// rearrangements of its slots keep the result.
type Law struct {
	Associative bool // parts may be folded apart and joined
	Commutative bool // and joined in any order
	Idempotent  bool // and a slot may count twice
	Canonical   bool // only along the canonical tree of package num
}

// Law of the operator on elements of kind k. A float sum is associative in
// no order but that of its tree: parts must end at leaves.
func (m Monoid) Law(k num.Kind) Law {
	l := Law{Associative: true, Commutative: true}
	switch m {
	case NoMonoid:
		return Law{}
	case FusedSum:
		return Law{Canonical: true}
	case SumOf, Product:
		if k.IsFloat() {
			return Law{Canonical: true}
		}
	case MinOf, MaxOf, AllOf, AnyOf, BitAnd, BitOr, ArgMinOf, ArgMaxOf:
		l.Idempotent = true
	}
	return l
}

// String lists the laws in words.
func (l Law) String() string {
	switch {
	case l.Canonical:
		return "canonical order"
	case !l.Associative:
		return "in order"
	case l.Idempotent:
		return "any order, repeats allowed"
	}
	return "any order"
}

// Takes reports whether the operator folds elements of type t.
func (m Monoid) Takes(t *Type) bool {
	if m == FusedSum {
		return t.Kind == Tuple && len(t.Elems) == 2 && t.Elems[0].Equal(t.Elems[1]) && t.Elems[0].KindOf().IsFloat() && t.Elems[0].IsScalar()
	}
	if !t.IsScalar() {
		return false
	}
	k := t.KindOf()
	switch m {
	case SumOf, MinOf, MaxOf, ArgMinOf, ArgMaxOf:
		return k.IsInt() || k.IsFloat()
	case WrapSum, WrapProduct, BitAnd, BitOr:
		return k.IsInt()
	case BitXor:
		return k.IsInt() || k == num.Bool
	case Product:
		return k.IsFloat()
	case AllOf, AnyOf, CountOf:
		return k == num.Bool
	}
	return false
}

// Kind is the kind of scalar that a reduction of elements of type t works on.
func (m Monoid) Kind(t *Type) num.Kind {
	if m == FusedSum {
		return t.Elems[0].KindOf()
	}
	return t.KindOf()
}

// Result is the type that a reduction of elements of type t over that many
// slots has. A minimum of Index elements is an I64, because the identity is
// no Index; a Reduce that faults on nothing may narrow it back (its result
// is then 0).
func (m Monoid) Result(t *Type, slots size.Poly) *Type {
	k := m.Kind(t)
	switch m {
	case SumOf:
		switch {
		case k.IsFloat():
			return ScalarOf(k)
		case k.IsSigned():
			return I64Type
		}
		return ScalarOf(num.U64)
	case CountOf:
		return I64Type
	case ArgMinOf, ArgMaxOf:
		return IndexOf(slots)
	}
	return ScalarOf(k)
}

// Fold is the fold operator of package num behind the monoid and the kind of
// scalar it works on. CountOf folds its booleans as I64.
func (m Monoid) Fold(k num.Kind) (num.FoldOp, num.Kind) {
	switch m {
	case SumOf:
		switch {
		case k.IsFloat():
			return num.FoldAdd, k
		case k.IsSigned():
			return num.FoldAddWide, num.I64
		}
		return num.FoldAddWide, num.U64
	case CountOf:
		return num.FoldAdd, num.I64
	}
	return monoidFolds[m], k
}

var monoidFolds = [monoids]num.FoldOp{
	WrapSum: num.FoldAdd, Product: num.FoldMul, WrapProduct: num.FoldMul,
	MinOf: num.FoldMin, MaxOf: num.FoldMax, AllOf: num.FoldAnd, AnyOf: num.FoldOr,
	BitAnd: num.FoldAnd, BitOr: num.FoldOr, BitXor: num.FoldXor,
	ArgMinOf: num.FoldArgMin, ArgMaxOf: num.FoldArgMax, FusedSum: num.FoldMulAdd,
}

// NeedsElement reports that a reduction of nothing is a fault.
func (m Monoid) NeedsElement() bool {
	return m == MinOf || m == MaxOf || m == ArgMinOf || m == ArgMaxOf
}

// CanFault reports whether a Reduce of kind k can fault; a KeyedReduce gives
// identities to empty groups and faults on sums only.
func (m Monoid) CanFault(k num.Kind, keyed bool) bool {
	return m == SumOf && !k.IsFloat() || m.NeedsElement() && !keyed
}
