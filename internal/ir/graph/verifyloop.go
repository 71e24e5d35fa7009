package graph

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var blockRules = map[Op]func(*verifier, *Node) error{
	If: (*verifier).ifElse, Fold: (*verifier).fold, Scan: (*verifier).scan, Scatter: (*verifier).scatter, Update: (*verifier).update, Loop: (*verifier).loop,
}

// If: a Bool; two blocks without parameters that give the result's type. The
// sizes of that type are visible outside of both.
func (v *verifier) ifElse(n *Node) error {
	if err := v.wantArgs(n, 1); err != nil {
		return err
	}
	if err := v.wantScalar(n, 0, num.Bool); err != nil {
		return err
	}
	for i := range n.Blocks {
		if err := v.wantBlock(n, i, 1); err != nil {
			return err
		}
		if err := v.wantResult(n, i, 0, n.Type); err != nil {
			return err
		}
	}
	return nil
}

// Fold: an array, masked or not, and an accumulator of the result's type
// that the body keeps.
func (v *verifier) fold(n *Node) error {
	if err := v.wantArgs(n, 2); err != nil {
		return err
	}
	if err := v.wantArray(n, 0); err != nil {
		return err
	}
	if err := v.step(n, n.Type); err != nil {
		return err
	}
	return v.wantType(n, n.Args[1].Type)
}

// Scan: as Fold on a dense array; an array of accumulators of its size.
func (v *verifier) scan(n *Node) error {
	if err := v.wantArgs(n, 2); err != nil {
		return err
	}
	if err := v.wantDense(n, 0); err != nil {
		return err
	}
	acc := n.Args[1].Type
	if err := v.step(n, acc); err != nil {
		return err
	}
	return v.wantType(n, ArrayOf(acc, n.Args[0].Type.Size))
}

// step is the body of a sequential fold: (i, acc, e) to acc.
func (v *verifier) step(n *Node, acc *Type) error {
	a := n.Args[0].Type
	if acc.anyMasked() {
		return v.fail(n, "the accumulator is masked")
	}
	if err := v.wantBlock(n, 0, 1, IndexOf(a.Size), acc, a.Elem()); err != nil {
		return err
	}
	return v.wantResult(n, 0, 0, acc)
}

// Scatter: a dense array and an array, masked or not; the first block gives
// a key shown to be a place of the dense array, and a value; the second
// takes (old element, value) to a new element.
func (v *verifier) scatter(n *Node) error {
	if err := v.wantArgs(n, 2); err != nil {
		return err
	}
	if err := v.wantDense(n, 0); err != nil {
		return err
	}
	if err := v.wantArray(n, 1); err != nil {
		return err
	}
	d, from := n.Args[0].Type, n.Args[1].Type
	if err := v.wantBlock(n, 0, 2, IndexOf(from.Size), from.Elem()); err != nil {
		return err
	}
	key, value := n.Blocks[0].Results[0].Type, n.Blocks[0].Results[1].Type
	if key.Kind != Index || !v.facts.ProvesLe(key.Bound, d.Size) {
		return v.fail(n, "the key %s is not shown to be a place of %s", key, d)
	}
	if value.anyMasked() {
		return v.fail(n, "the value is masked")
	}
	if err := v.wantBlock(n, 1, 1, d.Elem(), value); err != nil {
		return err
	}
	if err := v.wantResult(n, 1, 0, d.Elem()); err != nil {
		return err
	}
	return v.wantType(n, d)
}

// Loop: two I64 and the carried values; the body takes the turn's number and
// them, and gives them again, with Stop followed by a Bool. The result is
// the tuple of them. With Poly the turn's number is an Index below it, so
// the limits must be constants or sizes shown to lie in 0..=Poly.
func (v *verifier) loop(n *Node) error {
	if len(n.Args) < 2 {
		return v.fail(n, "has no limits")
	}
	for i := range 2 {
		if err := v.wantScalar(n, i, num.I64); err != nil {
			return err
		}
	}
	i := I64Type
	if n.HasPoly {
		i = IndexOf(n.Poly)
		if !v.inRange(n.Args[0], n.Args[1], n.Poly) {
			return v.fail(n, "the limits are not shown to lie in 0..=%s", n.Poly)
		}
	}
	types := []*Type{i}
	for _, a := range n.Args[2:] {
		if a.Type.anyMasked() {
			return v.fail(n, "a carried value is masked")
		}
		types = append(types, a.Type)
	}
	return v.carried(n, types)
}

func (v *verifier) carried(n *Node, types []*Type) error {
	results := len(types) - 1
	if n.Stop {
		results++
	}
	if err := v.wantBlock(n, 0, results, types...); err != nil {
		return err
	}
	for j, t := range types[1:] {
		if err := v.wantResult(n, 0, j, t); err != nil {
			return err
		}
	}
	if n.Stop {
		if err := v.wantResult(n, 0, results-1, BoolType); err != nil {
			return err
		}
	}
	return v.wantType(n, TupleOf(types[1:]...))
}

func (v *verifier) inRange(lo, hi *Node, bound size.Poly) bool {
	a, ok := lo.sizeOf()
	if !ok || !v.facts.Proves(a) {
		return false
	}
	b, ok := hi.sizeOf()
	return ok && v.facts.ProvesLe(b, bound)
}

// sizeOf gives the value of a scalar that is known as a polynomial; an Index
// is known to be at most its bound only.
func (n *Node) sizeOf() (size.Poly, bool) {
	switch {
	case n.Op == Const && n.Type.KindOf() == num.I64:
		return size.Const(int64(n.Bits)), true
	case n.Op == SizeVal:
		return n.Poly, true
	case n.Op == Cast && n.Args[0].Type.IsScalar() && n.Args[0].Type.KindOf() == num.I64 && n.Type.KindOf() == num.I64:
		return n.Args[0].sizeOf()
	}
	return size.Poly{}, false
}
