package graph

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var arrayRules = map[Op]func(*verifier, *Node) error{
	Map: (*verifier).mapping, Filter: (*verifier).filter, Compact: (*verifier).compact, Limit: (*verifier).limit,
	Reduce: (*verifier).reduce, KeyedReduce: (*verifier).keyed, Sort: (*verifier).sort, TopK: (*verifier).topK,
}

// slots are the types of a body's parameters for the slots of arrays.
func (n *Node) slots(count size.Poly) []*Type { return slotTypes(count, n.Args...) }

// Map: arrays of the result's size; the body gives the result's element. A
// masked array is the only one, and then the result is masked.
func (v *verifier) mapping(n *Node) error {
	if n.Type.Kind != Array {
		return v.fail(n, "is no array")
	}
	masked := false
	for i, a := range n.Args {
		if err := v.wantArray(n, i); err != nil {
			return err
		}
		if !v.sameSize(a.Type.Size, n.Type.Size) {
			return v.fail(n, "argument %d has %s slots instead of %s", i, a.Type.Size, n.Type.Size)
		}
		masked = masked || a.Type.Masked
	}
	if masked && len(n.Args) != 1 {
		return v.fail(n, "takes a masked array beside others; it must be compacted first")
	}
	if masked != n.Type.Masked {
		return v.fail(n, "and its argument differ in being masked")
	}
	if err := v.wantBlock(n, 0, 1, n.slots(n.Type.Size)...); err != nil {
		return err
	}
	return v.wantResult(n, 0, 0, n.Type.Elem())
}

// Filter: an array, masked or not; the body gives a Bool; the result is the
// argument's type, masked.
func (v *verifier) filter(n *Node) error {
	if err := v.oneArray(n); err != nil {
		return err
	}
	a := n.Args[0].Type
	if err := v.wantBlock(n, 0, 1, n.slots(a.Size)...); err != nil {
		return err
	}
	if err := v.wantResult(n, 0, 0, BoolType); err != nil {
		return err
	}
	return v.wantType(n, MaskedOf(a))
}

// Compact: a masked array; dense, of the size it defines.
func (v *verifier) compact(n *Node) error {
	if err := v.oneArray(n); err != nil {
		return err
	}
	if !n.Args[0].Type.Masked {
		return v.fail(n, "argument 0 is not masked")
	}
	return v.wantType(n, ArrayOf(n.Args[0].Type.Elem(), size.Var(n.Defines)))
}

// Limit: a dense array and an I64; dense, of the size it defines.
func (v *verifier) limit(n *Node) error {
	if err := v.wantArgs(n, 2); err != nil {
		return err
	}
	if err := v.wantDense(n, 0); err != nil {
		return err
	}
	if err := v.wantScalar(n, 1, num.I64); err != nil {
		return err
	}
	return v.wantType(n, ArrayOf(n.Args[0].Type.Elem(), size.Var(n.Defines)))
}

// Reduce: an array of scalars, or pairs of them, that the monoid takes; the monoid's result. A
// minimum or maximum of Index elements that faults on nothing (it has a
// site) may be an Index of their bound, otherwise it is an I64. An extreme's
// place is an Index even of nothing, so it needs its site.
func (v *verifier) reduce(n *Node) error {
	if err := v.oneArray(n); err != nil {
		return err
	}
	a := n.Args[0].Type
	if !n.Monoid.Takes(a.Elem()) {
		return v.fail(n, "%s does not fold %s", n.Monoid, a.Elem())
	}
	elem := a.Elem()
	extreme := n.Monoid == MinOf || n.Monoid == MaxOf
	if extreme && elem.Kind == Index && n.Type.Kind == Index && n.Site >= 0 {
		return v.wantType(n, elem)
	}
	return v.wantType(n, n.Monoid.Result(elem, a.Size))
}

// KeyedReduce: an array; the body gives a key shown to be below Poly and a
// value, a scalar or array of scalars that the monoid takes (places of
// extremes excepted); an array of Poly combined values.
func (v *verifier) keyed(n *Node) error {
	if err := v.oneArray(n); err != nil {
		return err
	}
	if err := v.wantBlock(n, 0, 2, n.slots(n.Args[0].Type.Size)...); err != nil {
		return err
	}
	key, value := n.Blocks[0].Results[0].Type, n.Blocks[0].Results[1].Type
	switch {
	case key.Kind != Index || !v.facts.ProvesLe(key.Bound, n.Poly):
		return v.fail(n, "the key %s is not shown to be an idx<%s>", key, n.Poly)
	case value.anyMasked() || !n.Monoid.Takes(keyedScalar(value)) || n.Monoid == ArgMinOf || n.Monoid == ArgMaxOf || n.Monoid == FusedSum:
		return v.fail(n, "%s does not fold %s by key", n.Monoid, value)
	}
	return v.wantType(n, ArrayOf(n.Monoid.keyedResult(value), n.Poly))
}

// Sort: a dense array; the body gives a scalar; the argument's type.
func (v *verifier) sort(n *Node) error {
	if err := v.sortKey(n); err != nil {
		return err
	}
	return v.wantType(n, n.Args[0].Type)
}

// TopK: as Sort, but of Poly elements shown to be there, or of the run-time
// size that it defines.
func (v *verifier) topK(n *Node) error {
	if err := v.sortKey(n); err != nil {
		return err
	}
	a, k := n.Args[0].Type, n.Poly
	if n.Defines != "" {
		return v.wantType(n, ArrayOf(a.Elem(), size.Var(n.Defines)))
	}
	if !v.facts.ProvesLe(k, a.Size) {
		return v.fail(n, "%s elements are not shown to be among %s", k, a.Size)
	}
	return v.wantType(n, ArrayOf(a.Elem(), k))
}

func (v *verifier) sortKey(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	if err := v.wantDense(n, 0); err != nil {
		return err
	}
	if err := v.wantBlock(n, 0, 1, n.slots(n.Args[0].Type.Size)...); err != nil {
		return err
	}
	if key := n.Blocks[0].Results[0].Type; !key.IsScalar() {
		return v.fail(n, "the key is %s instead of a scalar", key)
	}
	return nil
}

func (v *verifier) oneArray(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	return v.wantArray(n, 0)
}
