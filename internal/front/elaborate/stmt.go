package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// block elaborates a block whose value is used.
func (e *elab) block(b *syntax.Block, want *graph.Type) *graph.Node {
	mark := len(e.vars)
	defer func() { e.vars = e.vars[:mark] }()
	for i, s := range b.Stmts {
		if x := lostValue(b, i); x != nil {
			e.expr(x, nil)
			continue
		}
		if inner := lostBlock(b, i); inner != nil {
			return e.block(inner, want)
		}
		e.stmt(s)
		if e.fr.loop != nil && breaks(s) {
			e.errorf(s.Where(), "T26", "`break` cannot leave a block that gives a value").
				Note("the value would be missing").Help("assign to a variable instead:\nlet mut y = …;\nif … { break; }\ny = …;")
			return nil
		}
	}
	if b.Value != nil {
		return e.expr(b.Value, want)
	}
	if !endsBadly(b) {
		m := e.errorf(blockEnd(b), "T13", "this block gives no value").Note("expected a value at its end")
		if len(b.Stmts) > 0 {
			if s, ok := b.Stmts[len(b.Stmts)-1].(*syntax.ExprStmt); ok {
				if semi := e.semicolonAfter(s.X.Where()); semi.End > semi.Start {
					m.m.Span = semi
				}
				m.Help("leave the `;` out")
				return nil
			}
			if s, ok := b.Stmts[len(b.Stmts)-1].(*syntax.Assign); ok {
				m.Help("end it with the variable:\n%s", e.text(s.Target.Where()))
				return nil
			}
		}
		m.Help("end it with an expression without `;`")
	}
	return nil
}

// lostValue is the last statement's expression if a `;` after it is what a block lacks its value for,
// which is said there; nil for others.
func lostValue(b *syntax.Block, i int) syntax.Expr {
	s, ok := b.Stmts[i].(*syntax.ExprStmt)
	if !ok || b.Value != nil || i < len(b.Stmts)-1 {
		return nil
	}
	switch s.X.(type) {
	case *syntax.If, *syntax.Match, *syntax.Block, *syntax.ParenExpr, *syntax.BadExpr:
		return nil
	}
	return s.X
}

// semicolonAfter is where the `;` behind an expression stands; empty if something else comes first.
func (e *elab) semicolonAfter(at diag.Span) diag.Span {
	src := e.fr.src.Text
	end := at.End
	for end < len(src) && strings.ContainsRune(" \t\r\n", rune(src[end])) {
		end++
	}
	if end < len(src) && src[end] == ';' {
		return diag.Span{Start: end, End: end + 1}
	}
	return diag.Span{}
}

// lostBlock is the last statement if it is a block that lacks its value for a `;` as well, which is said there.
func lostBlock(b *syntax.Block, i int) *syntax.Block {
	s, ok := b.Stmts[i].(*syntax.ExprStmt)
	if !ok || b.Value != nil || i < len(b.Stmts)-1 {
		return nil
	}
	inner, ok := s.X.(*syntax.Block)
	if n := 0; ok && inner.Value == nil && len(inner.Stmts) > 0 {
		if n = len(inner.Stmts) - 1; lostValue(inner, n) != nil || lostBlock(inner, n) != nil {
			return inner
		}
	}
	return nil
}

// endsBadly reports a block whose end the parser has complained about.
func endsBadly(b *syntax.Block) bool {
	if len(b.Stmts) == 0 {
		return b.Span.End-b.Span.Start < 2
	}
	s, ok := b.Stmts[len(b.Stmts)-1].(*syntax.ExprStmt)
	if !ok {
		return false
	}
	_, bad := s.X.(*syntax.BadExpr)
	return bad
}

// unitBlock elaborates a block for its assignments.
func (e *elab) unitBlock(b *syntax.Block) {
	mark := len(e.vars)
	e.stmtsFrom(b, 0)
	e.vars = e.vars[:mark]
}

// stmtsFrom elaborates the statements from number i on. After one that may
// break the loop, the rest stands in an If.
func (e *elab) stmtsFrom(b *syntax.Block, i int) {
	for ; i < len(b.Stmts); i++ {
		s := b.Stmts[i]
		e.stmt(s)
		if e.fr.loop == nil || !breaks(s) || i+1 == len(b.Stmts) && b.Value == nil {
			continue
		}
		if _, always := s.(*syntax.Break); always {
			e.errorf(nextSpan(b, i), "T26", "nothing after `break` is reached").Note("the loop has ended").Help("if … { break; }")
			return
		}
		rest := i + 1
		e.conditional(s.Where(), e.stopped(), func() {}, func() { e.unitRest(b, rest) })
		return
	}
	if b.Value != nil {
		e.unit(b.Value)
	}
}

func (e *elab) unitRest(b *syntax.Block, i int) {
	mark := len(e.vars)
	e.stmtsFrom(b, i)
	e.vars = e.vars[:mark]
}

func (e *elab) stmt(s syntax.Stmt) {
	if e.full {
		return
	}
	switch s := s.(type) {
	case *syntax.Let:
		e.let(s)
	case *syntax.Const:
		e.constStmt(s)
	case *syntax.Assign:
		e.assign(s)
	case *syntax.For:
		e.forStmt(s)
	case *syntax.Break:
		e.breakStmt(s)
	case *syntax.ExprStmt:
		e.unit(s.X)
	}
}

func (e *elab) let(s *syntax.Let) {
	var want *graph.Type
	if s.Type != nil {
		want = e.typeExpr(s.Type)
	}
	if s.Type != nil && want == nil { // the value could only be judged wrongly
		e.trial(func() { e.exprOrGroup(s.Value, nil) })
		e.bindPattern(s.Pattern, s.Mut, nil)
		return
	}
	n := e.letValue(s, want)
	if s.Mut {
		n = e.dense(n)
	}
	e.bindPattern(s.Pattern, s.Mut, n)
}

func (e *elab) letValue(s *syntax.Let, want *graph.Type) *graph.Node {
	if s.Type != nil {
		return e.value(s.Value, want)
	}
	l := e.softLet(s)
	want = e.settledType(s.Value, l)
	var n *graph.Node
	if _, single := s.Pattern.(*syntax.NamePattern); single && !s.Mut {
		n = e.fixGroup(e.exprOrGroup(s.Value, want))
	} else {
		n = e.expr(s.Value, want)
	}
	e.soften(s.Value, n, l)
	return n
}

// bindPattern binds the names of a pattern to the parts of a value. A nil
// value still binds them, so that their uses are silent.
func (e *elab) bindPattern(p syntax.Pattern, mut bool, n *graph.Node) {
	switch p := p.(type) {
	case *syntax.NamePattern:
		if mut || p.Mut {
			n = e.dense(n)
		}
		e.bind(p.Name, mut || p.Mut, n)
	case *syntax.TuplePattern:
		if n != nil && (n.Type.Kind != graph.Tuple || len(n.Type.Elems) != len(p.Elems)) {
			e.errorf(p.Span, "T16", "this pattern does not fit the value").
				Note("%d names for %s", len(p.Elems), n.Type).Help("%s", e.namedPattern(n.Type, p.Elems))
			n = nil
		}
		for i, sub := range p.Elems {
			var part *graph.Node
			if n != nil {
				part = e.get(n, i, sub.Where())
			}
			e.bindPattern(sub, mut, part)
		}
	}
}

func (e *elab) assign(s *syntax.Assign) {
	name := rootOf(s.Target)
	if name == nil {
		e.badTarget(s)
		return
	}
	v := e.lookup(name.Path[0].Text)
	if v == nil {
		e.noTarget(name, s)
		return
	}
	whole := s.Target == syntax.Expr(name)
	if !e.assignable(v, s) {
		if whole {
			e.expr(s.Value, v.typ)
		}
		return
	}
	index := len(e.vars) - 1
	for e.vars[index].name != v.name {
		index--
	}
	var n *graph.Node
	if whole {
		n = e.assigned(s, v)
	} else {
		n = e.updated(s, v)
	}
	v = &e.vars[index] // e.vars may have moved
	if n == nil {
		if whole {
			v.n = nil
		}
		return
	}
	v.n = e.keepType(n, v, s)
}

// assigned is the new value of a variable that is assigned to as a whole.
func (e *elab) assigned(s *syntax.Assign, v *variable) *graph.Node {
	if s.Op == syntax.SetTo {
		return e.expr(s.Value, v.typ)
	}
	if v.n == nil {
		e.expr(s.Value, nil)
		return nil
	}
	return e.binary(compound(s), v.typ)
}

// compound is the operation of `x op= y`.
func compound(s *syntax.Assign) *syntax.Binary {
	span := s.Span
	span.End = s.Value.Where().End
	return &syntax.Binary{Span: span, OpSpan: span, Op: s.Op, X: s.Target, Y: s.Value}
}

// keepType makes the new value one of the variable's type.
func (e *elab) keepType(n *graph.Node, v *variable, s *syntax.Assign) *graph.Node {
	n = e.dense(n)
	if n == nil || v.typ == nil {
		return n
	}
	if e.settle(v.soft, v.typ, n.Type) {
		return nil
	}
	if e.fr.loop != nil && n.Type.Kind == graph.Array && v.typ.Kind == graph.Array && !e.sameType(n.Type, v.typ) && !e.coercible(n.Type, v.typ) &&
		types.Innermost(n.Type).Equal(types.Innermost(v.typ)) {
		e.grows(n, v, s)
		return nil
	}
	saved := e.once
	e.once = e.fr.loop == nil
	defer func() { e.once = saved }()
	return e.coerce(n, v.typ, s.Value.Where())
}

// grows reports a loop variable that changes its size.
func (e *elab) grows(n *graph.Node, v *variable, s *syntax.Assign) {
	text := "`%s` changes its size on each turn"
	diff := n.Type.Size.Sub(v.typ.Size)
	switch {
	case diff.Equal(v.typ.Size):
		text = "`%s` doubles on each turn, so its size has no bound"
	case e.proves(diff):
		text = "`%s` grows on each turn, so its size has no bound"
	}
	e.errorf(s.Value.Where(), "T03", text, v.name).
		Note("%s goes in, %s comes out", v.typ, n.Type).
		Help("loop variables must keep their size. To build an output, use map:\nlet y = (0..N).map(|i| …);")
}

func (e *elab) assignable(v *variable, s *syntax.Assign) bool {
	switch {
	case v.lambda != e.lambda:
		e.errorf(s.Span, "O04", "a closure cannot assign to `%s`", v.name).
			Note("declared outside of the closure").
			Help("use a loop: for e in x { %s }\nor a fold: x.fold(init, |a, e| …)", e.text(s.Span))
		return false
	case !v.mut:
		e.errorf(s.Span, "O03", "`%s` cannot be assigned to", v.name).Note("declared without `mut`").
			Help("%s", e.letMut(v.name))
		return false
	}
	return true
}

func (e *elab) badTarget(s *syntax.Assign) {
	if t, ok := s.Target.(*syntax.TupleExpr); ok && s.Op == syntax.SetTo {
		text := "let t = " + e.text(s.Value.Where()) + ";"
		for i, part := range t.Elems {
			text += " " + e.text(part.Where()) + " = t." + itoa(i) + ";"
		}
		e.errorf(s.Target.Where(), "O05", "only a variable, or a part of one, can be assigned to").Note("this is a tuple").
			Help("assign its parts one by one:\n%s", text)
		e.expr(s.Value, nil)
		return
	}
	root := targetRoot(s.Target).Where()
	e.errorf(s.Target.Where(), "O05", "only a variable, or a part of one, can be assigned to").Note("this is a value without a name").
		Help("give it a name first:\nlet mut x = %s; x%s", e.text(root), e.text(diag.Span{Start: root.End, End: s.Span.End}))
	e.expr(s.Value, nil)
}

func (e *elab) noTarget(name *syntax.NameExpr, s *syntax.Assign) {
	if _, isSize := e.fr.sizes[name.Path[0].Text]; isSize {
		e.errorf(s.Span, "O03", "`%s` cannot be assigned to", name.Path[0].Text).Note("it is a size").
			Help("let mut n = %s;", name.Path[0].Text)
	} else if d := e.resolver().first(name.Path[0].Text); d != nil {
		e.errorf(s.Span, "O03", "`%s` cannot be assigned to", d.name).Note("it is %s", declWords[d.kind]).
			Help("let mut x = …;")
	} else {
		e.unknownName(name.Path[0])
	}
	e.expr(s.Value, nil)
}

// blockEnd is a block's closing brace.
func blockEnd(b *syntax.Block) diag.Span {
	return diag.Span{Start: max(b.Span.End-1, b.Span.Start), End: b.Span.End}
}

// nextSpan is where the statement after number i stands, or the value.
func nextSpan(b *syntax.Block, i int) diag.Span {
	if i+1 < len(b.Stmts) {
		return b.Stmts[i+1].Where()
	}
	return b.Value.Where()
}
