package graph

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// typeOf checks that a type is well formed: scalar kinds exist, sizes are in
// scope, elements are never masked, and what lies inside an array or Option
// has sizes that do not change from run to run of one body.
func (v *verifier) typeOf(n *Node, t *Type) error {
	if t == nil {
		return v.fail(n, "has no type")
	}
	switch t.Kind {
	case Scalar:
		if !t.Num.Valid() {
			return v.fail(n, "has no scalar kind")
		}
	case Index:
		return v.poly(n, t.Bound)
	case Tuple:
		if len(t.Names) != 0 && len(t.Names) != len(t.Elems) {
			return v.fail(n, "%d names for %d fields", len(t.Names), len(t.Elems))
		}
	case Array, Option:
		if len(t.Elems) != 1 {
			return v.fail(n, "has no element type")
		}
		if err := v.elem(n, t.Elem()); err != nil {
			return err
		}
		if err := v.poly(n, t.Size); err != nil {
			return err
		}
	default:
		return v.fail(n, "has a type of no kind")
	}
	for _, e := range t.Elems {
		if err := v.typeOf(n, e); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) elem(n *Node, t *Type) error {
	switch {
	case t == nil:
		return v.fail(n, "has no element type")
	case t.anyMasked():
		return v.fail(n, "has masked arrays as elements")
	}
	for _, leaf := range Leaves(t) {
		for _, d := range leaf.Dims {
			if slices.ContainsFunc(d.Vars(), func(name string) bool { return v.runtime[name] }) {
				return v.fail(n, "has elements of the run-time size %s", d)
			}
		}
	}
	return nil
}

// sameSize reports that two sizes are shown to be equal.
func (v *verifier) sameSize(a, b size.Poly) bool {
	return a.Equal(b) || v.facts.ProvesLe(a, b) && v.facts.ProvesLe(b, a)
}

// same reports that two types are the same for all sizes that the facts
// allow.
func (v *verifier) same(t, u *Type) bool {
	if t == nil || u == nil || t.Kind != u.Kind || t.Name != u.Name || len(t.Elems) != len(u.Elems) || t.Masked != u.Masked {
		return false
	}
	for i := range t.Elems {
		if !v.same(t.Elems[i], u.Elems[i]) {
			return false
		}
	}
	switch t.Kind {
	case Scalar:
		return t.Num == u.Num
	case Index:
		return v.sameSize(t.Bound, u.Bound)
	case Tuple:
		return slices.Equal(t.Names, u.Names)
	case Array:
		return v.sameSize(t.Size, u.Size)
	}
	return true
}

// want checks the number of arguments and that n has type t.
func (v *verifier) wantType(n *Node, t *Type) error {
	if !v.same(n.Type, t) {
		return v.fail(n, "has the type %s instead of %s", n.Type, t)
	}
	return nil
}

func (v *verifier) wantArgs(n *Node, count int) error {
	if len(n.Args) != count {
		return v.fail(n, "has %d arguments instead of %d", len(n.Args), count)
	}
	return nil
}

// wantScalar checks that argument i is a scalar computing in kind k.
func (v *verifier) wantScalar(n *Node, i int, k num.Kind) error {
	if t := n.Args[i].Type; !t.IsScalar() || t.KindOf() != k {
		return v.fail(n, "argument %d is %s instead of %s", i, t, k)
	}
	return nil
}

// wantArray checks that argument i is an array, masked or not.
func (v *verifier) wantArray(n *Node, i int) error {
	if t := n.Args[i].Type; t.Kind != Array {
		return v.fail(n, "argument %d is %s instead of an array", i, t)
	}
	return nil
}

// wantDense checks that argument i is an array without mask.
func (v *verifier) wantDense(n *Node, i int) error {
	if err := v.wantArray(n, i); err != nil {
		return err
	}
	if n.Args[i].Type.Masked {
		return v.fail(n, "argument %d is masked; it must be compacted first", i)
	}
	return nil
}

// wantBlock checks the parameters of block i and how many results it has.
func (v *verifier) wantBlock(n *Node, i, results int, params ...*Type) error {
	b := n.Blocks[i]
	if len(b.Params) != len(params) {
		return v.fail(n, "block %d has %d parameters instead of %d", i, len(b.Params), len(params))
	}
	for j, p := range b.Params {
		if !v.same(p.Type, params[j]) {
			return v.fail(n, "parameter %d of block %d is %s instead of %s", j, i, p.Type, params[j])
		}
	}
	if len(b.Results) != results {
		return v.fail(n, "block %d has %d results instead of %d", i, len(b.Results), results)
	}
	return nil
}

// wantResult checks the type of one result of a block.
func (v *verifier) wantResult(n *Node, i, j int, t *Type) error {
	if r := n.Blocks[i].Results[j]; !v.same(r.Type, t) {
		return v.fail(n, "result %d of block %d is %s instead of %s", j, i, r.Type, t)
	}
	return nil
}
