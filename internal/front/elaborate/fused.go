package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In a function with #[fused], a product that is an operand of + or - and the
// products of a fold are added in one rounding. What is a product is a matter
// of the text, so that it does not depend on what is simplified later.

// isFused reports that the text at hand is that of a fused function.
func (e *elab) isFused() bool { return e.fr.isFused() }

func (fr *frame) isFused() bool {
	return fr.fuse || fr.d != nil && fr.d.fn != nil && fr.d.fn.Fused
}

// fusesPolys reports that elementary functions are to be made of fused multiply-adds: the
// user's text that leads to the text at hand is that of a fused function.
func (e *elab) fusesPolys() bool {
	fr := e.fr
	if fr.user != nil {
		fr = fr.user
	}
	return fr.isFused()
}

// isProduct reports a product as it is written, whatever its type.
func isProduct(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return isProduct(x.X)
	case *syntax.Binary:
		return x.Op == syntax.Star
	}
	return false
}

// givesProducts reports an array of products as it is written: a product of
// arrays, or a map whose closure ends in a product.
func givesProducts(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return givesProducts(x.X)
	case *syntax.MethodCall:
		if x.Name.Text == "iter" {
			return givesProducts(x.Receiver)
		}
		return x.Name.Text == "map" && len(x.Args) == 1 && endsInProduct(x.Args[0])
	}
	return isProduct(x)
}

// endsInProduct reports a closure whose value is a product as it is written.
func endsInProduct(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return endsInProduct(x.X)
	case *syntax.Closure:
		return endsInProduct(x.Body)
	case *syntax.Block:
		return x.Value != nil && endsInProduct(x.Value)
	}
	return isProduct(x)
}

// fusedSum is `a * b + c`, `a * b - c` or `c - a * b` in one rounding, nil
// where x is none of them or is in error. Of two products the right one is not
// rounded before.
func (e *elab) fusedSum(x *syntax.Binary, a, b *graph.Node) *graph.Node {
	s := &fusing{e: e, x: x}
	product, term := b, a
	switch {
	case !e.isFused() || x.Op != syntax.Plus && x.Op != syntax.Minus:
		return nil
	case isProduct(x.Y):
		s.minusProduct = x.Op == syntax.Minus
	case isProduct(x.X):
		product, term = a, b
		s.minusTerm = x.Op == syntax.Minus
	default:
		return nil
	}
	if !s.fits(product.Type, term.Type) || product.Type.Kind == graph.Array && !pairUp(product) {
		return nil
	}
	return s.sum(product, term)
}

// fusing is one such sum, element by element where there are arrays.
type fusing struct {
	e                       *elab
	x                       *syntax.Binary
	minusProduct, minusTerm bool
}

// fits reports that the operator is defined on floats of these types.
func (s *fusing) fits(a, b *graph.Type) bool {
	arrays := a.Kind == graph.Array && b.Kind == graph.Array
	switch {
	case arrays && !s.e.sameSize(a.Size, b.Size):
		return false
	case arrays:
		return s.fits(a.Elem(), b.Elem())
	case a.Kind == graph.Array:
		return s.fits(a.Elem(), b)
	case b.Kind == graph.Array:
		return s.fits(a, b.Elem())
	}
	return types.IsFloat(a) && types.IsFloat(b) && a.Num == b.Num
}

// sum takes a product of scalars, or pairs of factors.
func (s *fusing) sum(product, term *graph.Node) *graph.Node {
	e, at := s.e, s.x.OpSpan
	inArray, array := product.Type.Kind == graph.Array, term.Type.Kind == graph.Array
	switch {
	case inArray && array:
		both := []*graph.Node{e.dense(product), e.dense(term)}
		return e.mapOver(at, both, func(_ *graph.Node, v []*graph.Node) *graph.Node { return s.sum(v[0], v[1]) })
	case inArray:
		return e.mapEach(at, product, func(v *graph.Node) *graph.Node { return s.sum(v, term) })
	case array:
		return e.mapEach(at, term, func(v *graph.Node) *graph.Node { return s.sum(product, v) })
	}
	a, b := e.factors(product)
	switch {
	case s.minusProduct && b.Op == graph.Const:
		b = e.float(b.Type.Num, -num.ToFloat(b.Type.Num, b.Bits), at)
	case s.minusProduct:
		a = e.arith(num.Neg, at, a)
	}
	if s.minusTerm {
		term = e.arith(num.Neg, at, term)
	}
	return e.arith(num.Fma, at, a, b, term)
}

// factors are those of a product of scalars or of a pair.
func (e *elab) factors(n *graph.Node) (a, b *graph.Node) {
	if n.Type.Kind == graph.Tuple {
		return e.get(n, 0, n.Pos), e.get(n, 1, n.Pos)
	}
	return n.Args[0], n.Args[1]
}

// pairUp makes pairs of factors of the products that n, which nothing uses
// yet, is or has as elements; false if it has no products of floats.
func pairUp(n *graph.Node) bool {
	switch {
	case n.Op == graph.Arith && n.Num == num.Mul && types.IsFloat(n.Type):
		n.Op, n.Num, n.Type = graph.MakeTuple, num.NoOp, graph.TupleOf(n.Type, n.Type)
	case n.Op == graph.Map && pairUp(n.Blocks[0].Results[0]):
		t := graph.ArrayOf(n.Blocks[0].Results[0].Type, n.Type.Size)
		if n.Type.Masked {
			t = graph.MaskedOf(t)
		}
		n.Type = t
	default:
		return false
	}
	return true
}
