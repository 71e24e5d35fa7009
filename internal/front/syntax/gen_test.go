package syntax

import (
	"fmt"

	"pgregory.net/rapid"
)

// gen makes random trees of the kind the parser makes: with ParenExpr where
// precedence asks for it, and no positions.
type gen struct{ t *rapid.T }

func (g gen) n(limit int) int { return rapid.IntRange(0, limit-1).Draw(g.t, "n") }
func (g gen) bool() bool      { return g.n(2) == 0 }

func (g gen) word() string {
	words := []string{"a", "b", "x", "y", "N", "M", "total", "größe", "a_rather_long_name_for_a_variable"}
	return words[g.n(len(words))]
}

func (g gen) name() Name { return Name{Text: g.word()} }

func (g gen) path() []Name {
	if g.n(6) == 0 {
		return []Name{g.name(), g.name()}
	}
	return []Name{g.name()}
}

func many[T any](g gen, limit int, f func() T) []T {
	var list []T
	for range g.n(limit + 1) {
		list = append(list, f())
	}
	return list
}

func (g gen) file() *File {
	f := &File{}
	for range 1 + g.n(4) {
		f.Items = append(f.Items, g.item(2))
	}
	return f
}

func (g gen) item(depth int) Item {
	switch k := g.n(8); {
	case k == 0:
		u := &Use{Path: append(g.path(), g.name())}
		if g.bool() {
			n := g.name()
			u.As = &n
		}
		return u
	case k == 1 && depth > 0:
		return &Mod{Pub: g.bool(), Name: g.name(), Items: many(g, 2, func() Item { return g.item(depth - 1) })}
	case k == 2:
		return &Const{Pub: g.bool(), Name: g.name(), Type: g.typeOpt(), Value: g.expr(2, 0, false)}
	case k == 3:
		field := func() FieldDecl { return FieldDecl{Name: g.name(), Type: g.typ(1)} }
		return &Record{Pub: g.bool(), Name: g.name(), Fields: many(g, 3, field)}
	}
	return g.fn()
}

func (g gen) fn() *Func {
	kinds := []string{"Size", "Num", "Place"}
	f := &Func{Fused: g.n(3) == 0, Pub: g.bool(), Name: g.name(), Body: g.block(3 + g.n(3))}
	f.Generics = many(g, 2, func() Generic { return Generic{Name: g.name(), Kind: Name{Text: kinds[g.n(3)]}} })
	f.Params = many(g, 3, func() Param { return Param{Name: g.name(), Type: g.typ(2), Place: g.place()} })
	if g.n(8) > 0 {
		f.Result, f.Place = g.typ(2), g.place()
	}
	if g.bool() {
		f.Where = many(g, 3, g.clause)
	}
	if g.n(3) == 0 {
		units := []string{"", "ms", "MB"}
		f.Ensures = many(g, 2, func() Ensure { return Ensure{What: g.name(), Bound: g.size(1), Unit: units[g.n(3)]} })
	}
	return f
}

func (g gen) place() *Place {
	if g.n(3) > 0 {
		return nil
	}
	return &Place{Name: g.name(), Args: many(g, 2, func() Expr { return g.expr(0, 0, false) })}
}

func (g gen) clause() Clause {
	switch g.n(3) {
	case 0:
		return &RangeClause{Name: g.name(), Lo: g.size(1), Hi: g.size(1)}
	case 1:
		ops := []Token{Lt, Le, Gt, Ge, Eq}
		x := g.size(1)
		if _, block := leftmost(x).(*Block); block {
			x = &ParenExpr{X: x} // else it would be the body
		}
		return &CompareClause{Op: ops[g.n(5)], X: x, Y: g.size(1)}
	}
	return &ExpectClause{Name: g.name(), Value: g.size(0)}
}

func (g gen) typeOpt() Type {
	if g.bool() {
		return nil
	}
	return g.typ(2)
}

func (g gen) typ(depth int) Type {
	k := g.n(6)
	if depth == 0 {
		k = 0
	}
	switch k {
	case 2:
		return &RefType{Elem: g.typ(depth - 1)}
	case 3:
		return &TupleType{Elems: many(g, 3, func() Type { return g.typ(depth - 1) })}
	case 4, 5:
		return &ArrayType{Elem: g.typ(depth - 1), Dims: many(g, 2, g.dim)}
	case 1:
		t := &NamedType{Path: []Name{{Text: "idx"}}}
		t.Args = append(many(g, 1, func() TypeArg { return g.typeArg(depth - 1) }), g.typeArg(depth-1))
		return t
	}
	return &NamedType{Path: g.path()}
}

func (g gen) dim() Dim {
	d := Dim{Size: g.size(1)}
	if g.n(3) == 0 {
		n := g.name()
		d.Dyn = &n
	}
	return d
}

func (g gen) typeArg(depth int) TypeArg {
	if depth > 0 && g.bool() {
		t := g.typ(depth)
		if n, ok := t.(*NamedType); !ok || len(n.Args) > 0 {
			return TypeArg{Type: t}
		}
	}
	x := g.size(1)
	switch leftmost(x).(type) { // these begin types
	case *BorrowExpr, *ArrayExpr, *RepeatExpr, *TupleExpr:
		x = &ParenExpr{X: x}
	}
	return TypeArg{Size: x}
}

func (g gen) size(depth int) Expr { return g.expr(depth, precSum, true) }

// leftmost is the operand an expression's text begins with.
func leftmost(x Expr) Expr {
	switch o := x.(type) {
	case *Binary:
		return leftmost(o.X)
	case *Cast:
		return leftmost(o.X)
	case *RangeExpr:
		return leftmost(o.Lo)
	case *MethodCall:
		return leftmost(o.Receiver)
	case *Field:
		return leftmost(o.X)
	case *Index:
		return leftmost(o.X)
	}
	return x
}

func blockLike(x Expr) bool {
	switch x.(type) {
	case *If, *Match, *Block:
		return true
	}
	return false
}

func (g gen) block(depth int) *Block {
	b := &Block{}
	if depth <= 0 {
		if g.bool() {
			b.Value = g.leaf()
		}
		return b
	}
	b.Stmts = many(g, 3, func() Stmt { return g.stmt(depth) })
	if g.bool() {
		b.Value = g.stmtExpr(depth - 1)
		if blockLike(b.Value) && valueless(b.Value) {
			b.Value = &ParenExpr{X: b.Value}
		}
	}
	// The last statement is a value unless its form says otherwise.
	return b
}

// stmtExpr is an expression that may begin a statement.
func (g gen) stmtExpr(depth int) Expr {
	x := g.expr(depth, 0, false)
	if l := leftmost(x); l != x && blockLike(l) {
		return &ParenExpr{X: x}
	}
	return x
}

func (g gen) stmt(depth int) Stmt {
	switch g.n(7) {
	case 0, 1:
		return &Let{Mut: g.bool(), Pattern: g.plain(1), Type: g.typeOpt(), Value: g.expr(depth-1, 0, false)}
	case 2:
		ops := []Token{SetTo, SetTo, Plus, WrapMul, SatAdd, Shl, Pipe}
		x := g.stmtExpr(0)
		return &Assign{Target: &Index{X: &NameExpr{Path: g.path()}, I: x}, Op: ops[g.n(len(ops))], Value: g.expr(depth-1, 0, false)}
	case 3:
		return &For{Pattern: g.plain(1), Over: g.expr(1, 0, true), Body: g.block(depth - 1)}
	case 4:
		return &Break{}
	}
	return &ExprStmt{X: g.stmtExpr(depth - 1)}
}

func (g gen) plain(depth int) Pattern {
	if depth > 0 && g.n(3) == 0 {
		return &TuplePattern{Elems: many(g, 3, func() Pattern {
			p := g.plain(depth - 1)
			if n, ok := p.(*NamePattern); ok {
				n.Mut = g.n(4) == 0
			}
			return p
		})}
	}
	if g.n(4) == 0 {
		return &NamePattern{Name: Name{Text: "_"}}
	}
	return &NamePattern{Name: g.name()}
}

func (g gen) leaf() Expr {
	switch g.n(6) {
	case 0:
		n := uint64(g.n(1000))
		suffixes := []string{"", "u8", "i64"}
		s := suffixes[g.n(3)]
		return &IntLit{Text: fmt.Sprintf("%d%s", n, s), Value: n, Suffix: s}
	case 1:
		return &FloatLit{Text: "2.50f32", Value: 2.5, Suffix: "f32"}
	case 2:
		return &BoolLit{Value: g.bool()}
	}
	return &NameExpr{Path: g.path()}
}

// expr makes an expression that binds at least as tightly as level; with head
// set no record literal stands in the open.
func (g gen) expr(depth, level int, head bool) Expr {
	if depth <= 0 {
		return g.leaf()
	}
	switch k := g.n(10); {
	case k == 0 && level == 0:
		r := &RangeExpr{Lo: g.expr(depth-1, precOr, head), Hi: g.expr(depth-1, precOr, head)}
		if _, block := leftmost(r.Hi).(*Block); block && head {
			r.Hi = &ParenExpr{X: r.Hi} // else it would be the body
		}
		return r
	case k <= 2 && level == 0:
		param := func() ClosureParam { return ClosureParam{Pattern: g.plain(1), Type: g.closureType()} }
		return &Closure{Params: many(g, 2, param), Body: g.expr(depth-1, 0, head)}
	case k <= 4 && level <= precProduct:
		return g.binary(depth, level, head)
	case k == 5 && level <= precProduct+1:
		return &Cast{X: g.expr(depth-1, precProduct+1, head), Type: g.typ(1)}
	case k == 6 && level <= precProduct+2:
		x := g.expr(depth-1, precProduct+2, head)
		switch g.n(3) {
		case 0:
			return &BorrowExpr{X: x}
		case 1:
			return &Unary{Op: Bang, X: x}
		}
		return &Unary{Op: Minus, X: x}
	}
	return g.postfix(depth, head)
}

func (g gen) closureType() Type {
	if g.n(4) > 0 {
		return nil
	}
	return g.typ(1)
}

func (g gen) binary(depth, level int, head bool) Expr {
	var ops []Token
	for op, prec := range precedence {
		if prec > 0 && int(prec) >= level {
			ops = append(ops, Token(op))
		}
	}
	op := ops[g.n(len(ops))]
	prec := int(precedence[op])
	left := prec
	if prec == precCompare {
		left++
	}
	return &Binary{Op: op, X: g.expr(depth-1, left, head), Y: g.expr(depth-1, prec+1, head)}
}

func (g gen) args(depth int) []Expr {
	return many(g, 3, func() Expr { return g.expr(depth, 0, false) })
}

func (g gen) postfix(depth int, head bool) Expr {
	inner := func() Expr { return g.expr(depth-1, precProduct+3, head) }
	switch g.n(9) {
	case 0:
		return &Field{X: inner(), Name: g.name()}
	case 1:
		return &Index{X: inner(), I: g.expr(depth-1, 0, false)}
	case 2, 3, 4:
		m := &MethodCall{Receiver: inner(), Name: g.name(), Args: g.args(depth - 1)}
		if g.n(4) == 0 {
			m.TypeArgs = []TypeArg{g.typeArg(1)}
		}
		return m
	case 5:
		f := &NameExpr{Path: g.path()}
		if g.n(4) == 0 {
			f.Args = []TypeArg{g.typeArg(1)}
		}
		return &Call{Func: f, Args: g.args(depth - 1)}
	}
	return g.enclosed(depth-1, head)
}

func (g gen) enclosed(depth int, head bool) Expr {
	switch g.n(9) {
	case 0:
		return &TupleExpr{Elems: g.args(depth)}
	case 1:
		return &ArrayExpr{Elems: g.args(depth)}
	case 2:
		dims := append(g.args(depth), g.leaf())
		return &RepeatExpr{Value: g.expr(depth, 0, false), Dims: dims}
	case 3:
		if !head {
			return g.recordExpr(depth)
		}
	case 4, 5:
		return g.ifExpr(depth)
	case 6:
		return &Match{X: g.expr(depth, 0, true), Arms: many(g, 3, func() Arm { return g.arm(depth) })}
	case 7:
		return g.block(depth)
	}
	return &ParenExpr{X: g.expr(depth, 0, false)}
}

func (g gen) recordExpr(depth int) Expr {
	return &RecordExpr{Path: g.path(), Fields: many(g, 3, func() FieldValue {
		v := FieldValue{Name: g.name()}
		if g.bool() {
			v.Value = g.expr(depth, 0, false)
		}
		return v
	})}
}

func (g gen) ifExpr(depth int) Expr {
	x := &If{Cond: g.expr(depth, 0, true), Then: g.block(depth)}
	switch g.n(3) {
	case 0:
		x.Else = g.block(depth)
	case 1:
		if depth > 0 {
			x.Else = g.ifExpr(depth - 1)
		}
	}
	return x
}

func (g gen) arm(depth int) Arm {
	a := Arm{Body: g.stmtExpr(depth)}
	switch g.n(5) {
	case 0:
		a.Some, a.Bind = true, g.plain(1)
	case 1:
		a.None = true
	case 2:
		a.Wild = true
	case 3:
		a.Wild, a.Bind = true, &NamePattern{Name: g.name()}
	default:
		one := &IntLit{Text: "1", Value: 1}
		a.Lit = []Expr{one, &Unary{Op: Minus, X: one}, &BoolLit{}}[:1+g.n(3)]
	}
	return a
}
