package syntax

// block lays out `{ … }`. A block of at most one statement that was written
// on one line breaks with the group it stands in; always breaks it in any
// case.
func (f *formatter) block(b *Block, always bool) *layout {
	entries := f.stmts(b)
	if f.pending(b.Span.End) {
		return cat(text("{"), nest(f.column(entries, b.Span.End, keepGaps)...), hard, text("}"))
	}
	if len(entries) == 0 {
		return text("{}")
	}
	if always || len(entries) > 1 || !f.oneLine(b.Span) {
		return bodied(cat(text("{"), nest(f.column(entries, b.Span.End, keepGaps)...), hard, text("}")))
	}
	return bodied(cat(text("{"), nest(space, entries[0].lay()), space, text("}")))
}

// keepGaps keeps empty lines and adds none.
func keepGaps(int) bool { return false }

// bodied marks a layout as holding a block that may break.
func bodied(l *layout) *layout {
	l.body = true
	return l
}

func (f *formatter) stmts(b *Block) []entry {
	var list []entry
	for i, s := range b.Stmts {
		last := i == len(b.Stmts)-1 && b.Value == nil
		list = append(list, entry{s.Where(), func() *layout { return f.stmt(s, last) }})
	}
	if b.Value != nil {
		list = append(list, entry{b.Value.Where(), func() *layout { return f.expr(b.Value) }})
	}
	return list
}

func (f *formatter) stmt(s Stmt, last bool) *layout {
	switch s := s.(type) {
	case *Let:
		return f.let(s)
	case *Const:
		return f.constant(s)
	case *Assign:
		op := s.Op.String() + "="
		if s.Op == SetTo {
			op = "="
		}
		return cat(f.expr(s.Target), text(" "+op+" "), f.expr(s.Value), text(";"))
	case *For:
		return group(text("for "), f.pattern(s.Pattern), text(" in "), f.expr(s.Over), text(" "), f.block(s.Body, false))
	case *Break:
		return text("break;")
	case *ExprStmt:
		l := f.expr(s.X)
		if needsSemi(s.X, last) {
			l = cat(l, text(";"))
		}
		return l
	}
	return text("")
}

// needsSemi reports whether an expression statement ends with `;`: one that
// ends with its block does only where it would else be the block's value.
func needsSemi(x Expr, last bool) bool {
	switch x.(type) {
	case *If, *Match, *Block:
		return last && !valueless(x)
	}
	return true
}

func (f *formatter) let(s *Let) *layout {
	parts := []*layout{text("let ")}
	if s.Mut {
		parts = append(parts, text("mut "))
	}
	parts = append(parts, f.pattern(s.Pattern))
	if s.Type != nil {
		parts = append(parts, text(": "), f.typ(s.Type))
	}
	return cat(append(parts, text(" = "), f.expr(s.Value), text(";"))...)
}

func (f *formatter) pattern(p Pattern) *layout {
	switch p := p.(type) {
	case *NamePattern:
		if p.Mut {
			return text("mut " + p.Name.Text)
		}
		return text(p.Name.Text)
	case *TuplePattern:
		parts := []*layout{text("(")}
		for i, e := range p.Elems {
			if i > 0 {
				parts = append(parts, text(", "))
			}
			parts = append(parts, f.pattern(e))
		}
		if len(p.Elems) == 1 {
			parts = append(parts, text(","))
		}
		return cat(append(parts, text(")"))...)
	}
	return text("")
}

// ifParts lays out an if and its else-ifs without a group, so that they break
// together.
func (f *formatter) ifParts(x *If) []*layout {
	parts := []*layout{text("if "), f.expr(x.Cond), text(" "), f.block(x.Then, false)}
	switch e := x.Else.(type) {
	case nil:
	case *If:
		parts = append(append(parts, text(" else ")), f.ifParts(e)...)
	case *Block:
		parts = append(parts, text(" else "), f.block(e, false))
	default:
		parts = append(parts, text(" else "), f.expr(e))
	}
	return parts
}

func (f *formatter) ifExpr(x *If) *layout {
	l := group(f.ifParts(x)...)
	l.hard = l.hard || breakable(x) && !f.oneLine(x.Span)
	return bodied(l)
}

// breakable reports whether any block of an if holds something; an empty one
// stays on its line however it was written.
func breakable(x Expr) bool {
	switch x := x.(type) {
	case *If:
		return breakable(x.Then) || breakable(x.Else)
	case *Block:
		return len(x.Stmts) > 0 || x.Value != nil
	}
	return false
}

func (f *formatter) match(m *Match) *layout {
	head := []*layout{text("match "), f.expr(m.X), text(" {")}
	if len(m.Arms) == 0 && !f.pending(m.Span.End) {
		return cat(append(head, text("}"))...)
	}
	var entries []entry
	for i, a := range m.Arms {
		last := i == len(m.Arms)-1
		entries = append(entries, entry{a.Span, func() *layout { return f.arm(a, last) }})
	}
	if f.pending(m.Span.End) || !f.oneLine(m.Span) {
		body := nest(f.column(entries, m.Span.End, keepGaps)...)
		return bodied(cat(append(head, body, hard, text("}"))...))
	}
	parts := make([]*layout, 0, 2*len(entries))
	for _, e := range entries {
		parts = append(parts, space, e.lay())
	}
	return bodied(group(append(head, nest(parts...), space, text("}"))...))
}

func (f *formatter) arm(a Arm, last bool) *layout {
	var parts []*layout
	switch {
	case a.Some:
		parts = append(parts, text("Some("), f.pattern(a.Bind), text(")"))
	case a.None:
		parts = append(parts, text("None"))
	case a.Wild && a.Bind != nil:
		parts = append(parts, f.pattern(a.Bind))
	case a.Wild:
		parts = append(parts, text("_"))
	}
	for i, x := range a.Lit {
		if i > 0 {
			parts = append(parts, text(" | "))
		}
		parts = append(parts, f.expr(x))
	}
	parts = append(parts, text(" => "), f.expr(a.Body))
	if _, block := a.Body.(*Block); block {
		return cat(parts...)
	}
	if last {
		return cat(append(parts, ifBreak(","))...)
	}
	return cat(append(parts, text(","))...)
}
