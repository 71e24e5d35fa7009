package syntax

import (
	"strconv"
	"unicode/utf8"
)

// expr lays out an expression, behind the comments that stand before it. A
// block takes those inside instead.
func (f *formatter) expr(x Expr) *layout {
	if _, ok := x.(*Block); ok {
		return f.bare(x)
	}
	return f.led(x.Where().Start, func() *layout { return f.bare(x) })
}

func (f *formatter) bare(x Expr) *layout {
	switch x := x.(type) {
	case *IntLit:
		return text(written(x.Text, strconv.FormatUint(x.Value, 10)+x.Suffix))
	case *FloatLit:
		return text(written(x.Text, strconv.FormatFloat(x.Value, 'g', -1, 64)+x.Suffix))
	case *BoolLit:
		return text(strconv.FormatBool(x.Value))
	case *MomentLit:
		return text(x.Text)
	case *TextLit:
		return text(written(x.Text, quoteText(x.Value)))
	case *NameExpr:
		return f.nameExpr(x)
	case *Unary:
		return cat(text(x.Op.String()), f.expr(x.X))
	case *BorrowExpr:
		return cat(text("&"), f.expr(x.X))
	case *Binary:
		return f.binary(x)
	case *Cast:
		return cat(f.expr(x.X), text(" as "), f.typ(x.Type))
	case *RangeExpr:
		return cat(f.expr(x.Lo), text(".."), f.expr(x.Hi))
	case *Call:
		return cat(f.nameExpr(x.Func), f.args(x.Args, x.Span.End))
	case *MethodCall, *Field, *Index:
		return f.chain(x)
	case *Closure:
		return f.closure(x)
	}
	return f.enclosed(x)
}

// enclosed lays out the expressions that stand between brackets of their own.
func (f *formatter) enclosed(x Expr) *layout {
	switch x := x.(type) {
	case *ParenExpr:
		if f.pending(x.Span.End) {
			inside := f.column(f.exprEntries([]Expr{x.X}), x.Span.End, nil)
			return cat(text("("), nest(inside...), hard, text(")"))
		}
		return group(text("("), nest(soft, f.expr(x.X)), soft, text(")"))
	case *TupleExpr:
		if len(x.Elems) == 1 && !f.pending(x.Span.End) {
			return cat(text("("), f.expr(x.Elems[0]), text(",)"))
		}
		return f.list("(", soft, f.exprEntries(x.Elems), ")", x.Span.End)
	case *ArrayExpr:
		return f.array(x)
	case *RepeatExpr:
		parts := []*layout{text("["), f.expr(x.Value), text("; ")}
		for i, d := range x.Dims {
			if i > 0 {
				parts = append(parts, text(", "))
			}
			parts = append(parts, f.expr(d))
		}
		return cat(append(parts, text("]"))...)
	case *RecordExpr:
		return f.recordExpr(x)
	case *If:
		return f.ifExpr(x)
	case *Match:
		return f.match(x)
	case *Block:
		l := f.block(x, false)
		return bodied(group(l))
	}
	return text("?")
}

// written prefers a literal's own spelling.
func written(s, value string) string {
	if s != "" {
		return s
	}
	return value
}

func pathText(path []Name) string {
	s := path[0].Text
	for _, n := range path[1:] {
		s += "::" + n.Text
	}
	return s
}

func (f *formatter) nameExpr(x *NameExpr) *layout {
	l := text(pathText(x.Path))
	if len(x.Args) > 0 {
		l = cat(l, text("::"), f.typeArgs(x.Args))
	}
	return l
}

func (f *formatter) exprEntries(list []Expr) []entry {
	entries := make([]entry, 0, len(list))
	for _, x := range list {
		entries = append(entries, entry{x.Where(), func() *layout { return f.expr(x) }})
	}
	return entries
}

// args lays out `(a, b)`. A last closure with a block keeps hold of the
// parentheses, so that only the block breaks.
func (f *formatter) args(list []Expr, end int) *layout {
	entries := f.exprEntries(list)
	if !blockClosureLast(list) || f.pending(end) && !f.pendingInside(list[len(list)-1], end) {
		return f.list("(", soft, entries, ")", end)
	}
	parts := []*layout{text("(")}
	for i, e := range entries {
		if i > 0 {
			parts = append(parts, text(", "))
		}
		parts = append(parts, e.lay())
	}
	return cat(append(parts, text(")"))...)
}

// pendingInside reports whether all comments up to end stand inside x.
func (f *formatter) pendingInside(x Expr, end int) bool {
	s := x.Where()
	for _, m := range f.comments[f.next:] {
		if at := m.Span.Start; at >= end {
			break
		} else if at < s.Start || at >= s.End {
			return false
		}
	}
	return true
}

func blockClosureLast(args []Expr) bool {
	if len(args) == 0 {
		return false
	}
	c, ok := args[len(args)-1].(*Closure)
	if ok {
		_, ok = c.Body.(*Block)
	}
	return ok
}

// array lays out an array; one of numbers alone fills its lines.
func (f *formatter) array(x *ArrayExpr) *layout {
	entries := f.exprEntries(x.Elems)
	if f.pending(x.Span.End) || len(entries) < 2 || !allLiterals(x.Elems) {
		return f.list("[", soft, entries, "]", x.Span.End)
	}
	parts := []*layout{soft}
	for i, e := range entries {
		if i == 0 {
			parts = append(parts, e.lay(), text(","))
		} else if i < len(entries)-1 {
			parts = append(parts, group(space, e.lay(), text(",")))
		} else {
			parts = append(parts, group(space, e.lay()), ifBreak(","))
		}
	}
	return group(text("["), nest(parts...), soft, text("]"))
}

func allLiterals(list []Expr) bool {
	for _, x := range list {
		if u, ok := x.(*Unary); ok {
			x = u.X
		}
		switch x.(type) {
		case *IntLit, *FloatLit, *BoolLit, *MomentLit, *TextLit:
		default:
			return false
		}
	}
	return true
}

func (f *formatter) recordExpr(x *RecordExpr) *layout {
	var entries []entry
	for _, v := range x.Fields {
		entries = append(entries, entry{v.Span, func() *layout {
			if v.Value == nil {
				return text(f.fieldText(v.Name))
			}
			return cat(text(f.fieldText(v.Name)+": "), f.expr(v.Value))
		}})
	}
	return f.list(pathText(x.Path)+" {", space, entries, "}", x.Span.End)
}

func (f *formatter) closure(x *Closure) *layout {
	parts := []*layout{text("|")}
	for i, m := range x.Params {
		if i > 0 {
			parts = append(parts, text(", "))
		}
		parts = append(parts, f.pattern(m.Pattern))
		if m.Type != nil {
			parts = append(parts, text(": "), f.typ(m.Type))
		}
	}
	return cat(append(parts, text("| "), f.expr(x.Body))...)
}

// binary lays out a row of operators of one strength; a long one breaks
// before each operator.
func (f *formatter) binary(x *Binary) *layout {
	row := []*Binary{x}
	for {
		l, ok := row[len(row)-1].X.(*Binary)
		if !ok || precedence[l.Op] != precedence[x.Op] {
			break
		}
		row = append(row, l)
	}
	first := f.expr(row[len(row)-1].X)
	var parts []*layout
	for i := len(row) - 1; i >= 0; i-- {
		b := row[i]
		comments := f.before(b.Y.Where().Start)
		gap := space
		if len(comments) > 0 {
			parts = append(parts, f.commentLines(comments)...)
			gap = hard
		}
		parts = append(parts, gap, text(b.Op.String()+" "), f.expr(b.Y))
	}
	return group(first, nest(parts...))
}

// link is one call of a chain with the fields and indices behind it.
type link struct {
	comments []Comment
	lay      *layout
	hugs     bool // ends with a closure of a block
}

// chain lays out a row of method calls, fields and indices. On one line if it
// fits; else one call a line, under the first dot if the row begins with a
// short name.
func (f *formatter) chain(x Expr) *layout {
	base, ops := unchain(x)
	head := f.expr(base)
	var links []link
	for _, op := range ops {
		l := f.link(op)
		if _, call := op.(*MethodCall); call {
			links = append(links, l)
		} else if n := len(links); n > 0 {
			links[n-1].lay, links[n-1].hugs = cat(links[n-1].lay, l.lay), false
		} else {
			head = cat(head, l.lay)
		}
	}
	commented := false
	for _, l := range links {
		commented = commented || len(l.comments) > 0
	}
	if len(links) == 0 || len(links) == 1 && !commented {
		for _, l := range links {
			head = cat(head, l.lay)
		}
		return head
	}
	if !commented && hugging(head, links) {
		for _, l := range links {
			head = cat(head, l.lay)
		}
		return head
	}
	return f.broken(base, head, links)
}

// broken lays out the links below each other where they do not fit.
func (f *formatter) broken(base Expr, head *layout, links []link) *layout {
	under := len(links[0].comments) == 0 && shortName(base) && len(head.kids) == 0
	var parts []*layout
	for i, l := range links {
		parts = append(parts, f.commentLines(l.comments)...)
		switch {
		case len(l.comments) > 0:
			parts = append(parts, hard)
		case i > 0 || !under:
			parts = append(parts, soft)
		}
		parts = append(parts, l.lay)
	}
	if under {
		return group(head, align(parts...))
	}
	return group(head, nest(parts...))
}

// unchain takes a chain apart into what it begins with and the operations on
// it, first to last.
func unchain(x Expr) (base Expr, ops []Expr) {
	for {
		switch o := x.(type) {
		case *MethodCall:
			ops, x = append(ops, o), o.Receiver
		case *Field:
			ops, x = append(ops, o), o.X
		case *Index:
			ops, x = append(ops, o), o.X
		default:
			for i, j := 0, len(ops)-1; i < j; i, j = i+1, j-1 {
				ops[i], ops[j] = ops[j], ops[i]
			}
			return x, ops
		}
	}
}

func (f *formatter) link(op Expr) link {
	switch op := op.(type) {
	case *MethodCall:
		l := link{comments: f.before(op.Name.Span.Start), hugs: blockClosureLast(op.Args)}
		l.lay = text("." + op.Name.Text)
		if len(op.TypeArgs) > 0 {
			l.lay = cat(l.lay, text("::"), f.typeArgs(op.TypeArgs))
		}
		l.lay = cat(l.lay, f.args(op.Args, op.Span.End))
		return l
	case *Field:
		return link{lay: text("." + f.fieldText(op.Name))}
	case *Index:
		return link{lay: cat(text("["), f.expr(op.I), text("]"))}
	}
	return link{}
}

// hugging reports whether a chain is short up to a last closure whose block
// may break instead of the chain.
func hugging(head *layout, links []link) bool {
	if !links[len(links)-1].hugs {
		return false
	}
	width := 0
	for i := -1; i < len(links)-1; i++ {
		l := head
		if i >= 0 {
			l = links[i].lay
		}
		if l.hard || l.body {
			return false
		}
		width += l.width()
	}
	return width <= 60
}

// width is the number of columns of a layout laid flat.
func (l *layout) width() int {
	n := 0
	switch l.kind {
	case layText:
		n = utf8.RuneCountInString(l.text)
	case laySpace:
		n = 1
	}
	for _, k := range l.kids {
		n += k.width()
	}
	return n
}

// shortName reports whether calls can be aligned behind an expression.
func shortName(x Expr) bool {
	n, ok := x.(*NameExpr)
	return ok && len(n.Path) == 1 && len(n.Args) == 0 && len(n.Path[0].Text) <= 12
}

func (f *formatter) typ(t Type) *layout {
	switch t := t.(type) {
	case *RefType:
		return cat(text("&"), f.typ(t.Elem))
	case *NamedType:
		l := text(pathText(t.Path))
		if len(t.Args) > 0 {
			l = cat(l, f.typeArgs(t.Args))
		}
		return l
	case *TupleType:
		parts := []*layout{text("(")}
		for i, e := range t.Elems {
			if i > 0 {
				parts = append(parts, text(", "))
			}
			parts = append(parts, f.typ(e))
		}
		if len(t.Elems) == 1 {
			parts = append(parts, text(","))
		}
		return cat(append(parts, text(")"))...)
	case *ArrayType:
		return f.arrayType(t)
	}
	return text("?")
}

func (f *formatter) arrayType(t *ArrayType) *layout {
	parts := []*layout{text("["), f.typ(t.Elem)}
	for i, d := range t.Dims {
		if i == 0 {
			parts = append(parts, text("; "))
		} else {
			parts = append(parts, text(", "))
		}
		if d.Dyn != nil {
			parts = append(parts, text("?"+d.Dyn.Text+" <= "))
		}
		parts = append(parts, f.expr(d.Size))
	}
	return cat(append(parts, text("]"))...)
}

func (f *formatter) typeArgs(args []TypeArg) *layout {
	parts := []*layout{text("<")}
	for i, a := range args {
		if i > 0 {
			parts = append(parts, text(", "))
		}
		if a.Type != nil {
			parts = append(parts, f.typ(a.Type))
		} else {
			parts = append(parts, f.expr(a.Size))
		}
	}
	return cat(append(parts, text(">"))...)
}
