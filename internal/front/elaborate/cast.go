package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: `v as T`. Out: a conversion, which is checked where the value is not shown to fit. Invariant: a value that fits keeps its value.

func (e *elab) castExpr(x *syntax.Cast) *graph.Node {
	t := e.typeExpr(x.Type)
	v := e.expr(x.X, nil)
	if t == nil || v == nil {
		return nil
	}
	return e.convert(x, v, t)
}

// convert is `v as t`.
func (e *elab) convert(x *syntax.Cast, v *graph.Node, t *graph.Type) *graph.Node {
	if types.IsMeant(v.Type) || types.IsMeant(t) {
		return e.convertMeant(x, v, t)
	}
	if t.Kind == graph.Index && types.IsInt(v.Type) {
		e.errorf(x.Span, "F06", "`as` does not make an index").Note("found %s", v.Type).
			Help("%s.clamp_idx::<%s>()", e.operand(x.X), t.Bound)
		return nil
	}
	if !v.Type.IsScalar() || t.Kind != graph.Scalar || t.Num == num.Bool && !types.IsBool(v.Type) || types.IsBool(v.Type) && types.IsFloat(t) {
		m := e.errorf(x.Span, "F06", "this cannot be converted").Note("%s as %s", v.Type, e.show(t))
		switch {
		case t.Kind == graph.Scalar && t.Num == num.Bool:
			m.Help("%s != 0", e.text(x.X.Where()))
		case types.IsBool(v.Type) && t.Kind == graph.Scalar:
			m.Help("%s as i64 as %s", e.operand(x.X), t)
		case v.Type.Kind == graph.Array && t.Kind == graph.Scalar:
			m.Help("%s.map(|e| e as %s)", e.operand(x.X), t)
		}
		return nil
	}
	return e.convertScalar(v, t, x.Span)
}

func (e *elab) convertScalar(v *graph.Node, t *graph.Type, at diag.Span) *graph.Node {
	from, to := v.Type.KindOf(), t.Num
	if v.Type.Kind == graph.Scalar && from == to {
		return v
	}
	n := e.cast(t, v, at)
	if !to.IsInt() {
		return n
	}
	if from == num.Bool {
		e.of(n).bounds = &bounds{lo: 0, hi: 1, declared: true}
		return n
	}
	if from.IsInt() {
		b := e.boundsOf(v)
		if e.fitsAs(b, from, to) {
			e.of(n).bounds = b
			return n
		}
	}
	if num.ConvertCanFault(from, to) {
		e.mayFault(n, graph.BadConvert, "conversion of "+from.String()+" to "+to.String())
	}
	return n
}

// fitsAs reports that an integer with these bounds keeps its value in kind to.
func (e *elab) fitsAs(b *bounds, from, to num.Kind) bool {
	if !num.ConvertCanFault(from, to) {
		return true
	}
	open := from == num.U64 && b.hi == natural(num.U64).hi
	low := b.lo >= to.MinInt() || to.MinInt() == 0 && e.notNegative(b)
	return low && !open && uint64(max(b.hi, 0)) <= to.MaxInt()
}
