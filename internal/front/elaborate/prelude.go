package elaborate

import (
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/prelude"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a call of an elementary function, or of one that finds groups. Out: the nodes of its body in package prelude, in
// place, as those of a user's function are. They bear the position of the user's call, and no
// names. They are operations that every engine has, so that all engines give the same
// bits, and none of them faults.

// preludeNames are the functions of one float and of two that are methods.
var preludeNames = [2]string{
	"exp exp2 exp_m1 sinh cosh tanh sigmoid ln log2 log10 ln_1p asinh acosh atanh sin cos tan asin acos atan cbrt round round_ties_even fract is_nan is_finite is_infinite",
	"powf atan2 hypot copysign",
}

// preludeModule has the items of the prelude, each from when it is needed.
var preludeModule = new(module)

func init() { preludeModule.load = preludeItem }

var preludeItems sync.Map // of names to *decl, which nothing changes any more

func preludeItem(name string) *decl {
	if d, ok := preludeItems.Load(name); ok {
		return d.(*decl)
	}
	item := prelude.Lookup(name)
	if item == nil {
		return nil
	}
	d := &decl{name: name, mod: preludeModule, src: item.Source}
	p := &Program{msgs: new(diag.List), scratch: new(diag.List)}
	switch tree := item.Tree.(type) {
	case *syntax.Func:
		d.kind, d.fn, d.state = funcDecl, tree, done
		p.head(d)
	case *syntax.Const:
		d.kind, d.con = constDecl, tree
		p.constant(d)
	}
	mustPass(name, p.msgs)
	kept, _ := preludeItems.LoadOrStore(name, d)
	return kept.(*decl)
}

func mustPass(name string, msgs *diag.List) {
	if err := msgs.Err(); err != nil {
		panic("the prelude's `" + name + "`: " + err.Error())
	}
}

// prelude calls a function on floats of one kind. For f32 that is NAME_f32, if there is one;
// a function of f64 that has none is computed in f64 and rounded.
func (e *elab) prelude(at diag.Span, name string, args ...*graph.Node) *graph.Node {
	k := args[0].Type.Num
	if k == num.F32 {
		if d := preludeItem(name + "_f32"); d != nil {
			return e.preludeCall(at, d, args)
		}
	}
	d := preludeItem(name)
	if k == num.F64 || len(d.sig.kinds) > 0 {
		return e.preludeCall(at, d, args)
	}
	wide := make([]*graph.Node, len(args))
	for i, x := range args {
		wide[i] = e.cast(types.Scalars[num.F64], x, at)
	}
	r := e.preludeCall(at, d, wide)
	if r == nil {
		return nil
	}
	return e.cast(types.Scalars[num.F32], r, at)
}

// preludeCall elaborates a function's body. What limits the text that a user writes does not
// count it; the number of nodes is limited as ever, and that is all that can be reported.
func (e *elab) preludeCall(at diag.Span, d *decl, args []*graph.Node) *graph.Node {
	if slices.Contains(args, nil) {
		return nil // which was reported
	}
	fr := e.calleeFrame(d, at)
	if fr.user == nil {
		fr.user = e.fr
	}
	for _, g := range d.sig.kinds {
		fr.types[g.name] = types.Scalars[args[0].Type.Num]
	}
	for i, p := range d.fn.Params {
		if n := sizeNamed(p.Type); n != "" && args[i].Type.Kind == graph.Array {
			fr.sizes[n] = args[i].Type.Size
		}
	}
	steps, softs := e.steps, make([]*soft, len(args))
	for i, x := range args {
		softs[i] = e.of(x).soft
	}
	r, inner := e.inline(fr, args, nil)
	e.steps = steps
	for i, x := range args {
		e.of(x).soft = softs[i]
	}
	if !e.full {
		mustPass(d.name, inner)
	} else if inner.Failed() {
		m := inner.Messages[0]
		e.errorf(at, m.Code, "%s", m.Text).Note("%s", m.Note).Help("%s", m.Help)
	}
	return r
}

// sizeNamed is N in &[T; N].
func sizeNamed(t syntax.Type) string {
	if r, ok := t.(*syntax.RefType); ok {
		t = r.Elem
	}
	a, ok := t.(*syntax.ArrayType)
	if !ok || len(a.Dims) != 1 {
		return ""
	}
	n, ok := a.Dims[0].Size.(*syntax.NameExpr)
	if !ok {
		return ""
	}
	return n.Path[0].Text
}

// callInPrelude is a call in the prelude's text. Literals and generic names have the type of the
// first argument; otherwise types are right as they are.
func (e *elab) callInPrelude(x *syntax.Call) *graph.Node {
	name := x.Func.Path[0].Text
	if name == "fuse" {
		return e.fuse(x.Args[0])
	}
	var want *graph.Type
	args := make([]*graph.Node, len(x.Args))
	for i, a := range x.Args {
		if args[i] = e.expr(a, want); args[i] == nil {
			return nil
		}
		if want = args[0].Type; want.Kind == graph.Array {
			want = nil
		}
	}
	switch name {
	case "bits":
		return e.floatBits(x.Span, args[0])
	case "from_bits":
		return e.fromBits(x.Span, args[0])
	default:
		return e.preludeCall(x.Span, preludeItem(name), args)
	}
}

// fuse is fuse(sum): a fused function's text, if the user's function is fused.
func (e *elab) fuse(sum syntax.Expr) *graph.Node {
	e.fr.fuse = e.fusesPolys()
	n := e.expr(sum, nil)
	e.fr.fuse = false
	return n
}

// floatBits looks at a float as the signed integer with its bits, fromBits the other way.
func (e *elab) floatBits(at diag.Span, x *graph.Node) *graph.Node {
	k := num.I64
	if x.Type.Num == num.F32 {
		k = num.I32
	}
	return e.add(graph.Bits, types.Scalars[k], at, x)
}

func (e *elab) fromBits(at diag.Span, x *graph.Node) *graph.Node {
	k := num.F64
	if x.Type.Num == num.I32 {
		k = num.F32
	}
	return e.add(graph.Bits, types.Scalars[k], at, x)
}

// poly is [c0, c1, …].poly(x): c0 + x·(c1 + x·(…)), of fused multiply-adds for a fused function.
func (e *elab) poly(c *syntax.ArrayExpr, m *syntax.MethodCall) *graph.Node {
	x := e.expr(m.Args[0], nil)
	if x == nil {
		return nil
	}
	var r *graph.Node
	for _, coefficient := range slices.Backward(c.Elems) {
		n := e.value(coefficient, x.Type)
		switch {
		case n == nil:
			return nil
		case r == nil:
			r = n
		case e.fusesPolys():
			r = e.arith(num.Fma, m.Span, x, r, n)
		default:
			r = e.arith(num.Add, m.Span, n, e.arith(num.Mul, m.Span, x, r))
		}
	}
	return r
}
