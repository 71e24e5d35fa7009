package syntax

import "github.com/godwit-run/godwit/internal/front/diag"

// items lays out declarations below each other with an empty line between
// them, except in a row of uses or of constants.
func (f *formatter) items(items []Item, end int) []*layout {
	var entries []entry
	var firsts []Item
	for i := 0; i < len(items); {
		n := 1
		if u, ok := items[i].(*Use); ok {
			n = useGroupLen(u, items[i:])
		}
		run := items[i : i+n]
		entries = append(entries, entry{itemSpan(run[0]), func() *layout { return f.item(run) }})
		firsts = append(firsts, run[0])
		i += n
	}
	return f.column(entries, end, func(i int) bool {
		return i < len(firsts) && !together(firsts[i-1], firsts[i])
	})
}

func itemSpan(it Item) diag.Span {
	switch it := it.(type) {
	case *Func:
		return it.Span
	case *Record:
		return it.Span
	case *Const:
		return it.Span
	case *Mod:
		return it.Span
	case *Use:
		return it.Span
	}
	return diag.Span{}
}

// together reports whether two items need no empty line between them.
func together(a, b Item) bool {
	switch a.(type) {
	case *Use:
		_, ok := b.(*Use)
		return ok
	case *Const:
		_, ok := b.(*Const)
		return ok
	}
	return false
}

// useGroupLen counts the items that one `use a::{b, c};` stands for.
func useGroupLen(u *Use, rest []Item) int {
	n := 1
	for n < len(rest) && u.Span != (diag.Span{}) {
		next, ok := rest[n].(*Use)
		if !ok || next.Span != u.Span {
			break
		}
		n++
	}
	return n
}

func pubText(pub bool) string {
	if pub {
		return "pub "
	}
	return ""
}

func (f *formatter) item(run []Item) *layout {
	switch it := run[0].(type) {
	case *Func:
		return f.fn(it)
	case *Record:
		return f.record(it)
	case *Const:
		return f.constant(it)
	case *Mod:
		head := pubText(it.Pub) + "mod " + it.Name.Text + " {"
		if len(it.Items) == 0 && !f.pending(it.Span.End) {
			return text(head + "}")
		}
		return cat(text(head), nest(f.items(it.Items, it.Span.End)...), hard, text("}"))
	case *Use:
		return f.use(run)
	}
	return text("")
}

func (f *formatter) constant(it *Const) *layout {
	l := text(pubText(it.Pub) + "const " + it.Name.Text)
	if it.Type != nil {
		l = cat(l, text(": "), f.typ(it.Type))
	}
	return cat(l, text(" = "), f.expr(it.Value), text(";"))
}

func (f *formatter) use(run []Item) *layout {
	leaf := func(it Item) *layout {
		u := it.(*Use)
		s := u.Path[len(u.Path)-1].Text
		if u.As != nil {
			s += " as " + u.As.Text
		}
		return text(s)
	}
	u := run[0].(*Use)
	prefix := "use "
	for _, n := range u.Path[:len(u.Path)-1] {
		prefix += n.Text + "::"
	}
	if len(run) == 1 {
		return cat(text(prefix), leaf(u), text(";"))
	}
	var entries []entry
	for _, it := range run {
		n := it.(*Use).Path
		entries = append(entries, entry{n[len(n)-1].Span, func() *layout { return leaf(it) }})
	}
	return cat(f.list(prefix+"{", soft, entries, "}", u.Span.End), text(";"))
}

func (f *formatter) record(r *Record) *layout {
	var entries []entry
	for _, d := range r.Fields {
		entries = append(entries, entry{d.Span, func() *layout {
			return cat(text(f.fieldText(d.Name)+": "), f.typ(d.Type))
		}})
	}
	head := pubText(r.Pub) + "record " + r.Name.Text + " {"
	l := f.list(head, space, entries, "}", r.Span.End)
	l.hard = l.hard || !f.oneLine(r.Span) && len(entries) > 0
	return l
}

func (f *formatter) fn(fn *Func) *layout {
	if fn.Fused {
		return cat(text(fusedText), hard, f.plainFn(fn))
	}
	return f.plainFn(fn)
}

// plainFn is a function without its attribute.
func (f *formatter) plainFn(fn *Func) *layout {
	head := f.fnHead(fn)
	if len(fn.Where) == 0 && len(fn.Ensures) == 0 {
		return group(head, text(" "), f.block(fn.Body, false))
	}
	parts := []*layout{head}
	if len(fn.Where) > 0 {
		end := fn.Body.Span.Start
		if len(fn.Ensures) > 0 {
			end = fn.Ensures[0].Span.Start
		}
		parts = append(parts, hard, f.conditions("where", f.whereEntries(fn.Where), end))
	}
	if len(fn.Ensures) > 0 {
		parts = append(parts, hard, f.conditions("ensures", f.ensureEntries(fn.Ensures), fn.Body.Span.Start))
	}
	return cat(append(parts, hard, f.block(fn.Body, true))...)
}

func (f *formatter) fnHead(fn *Func) *layout {
	parts := []*layout{text(pubText(fn.Pub) + "fn " + fn.Name.Text)}
	if len(fn.Generics) > 0 {
		s := "<"
		for i, g := range fn.Generics {
			if i > 0 {
				s += ", "
			}
			s += g.Name.Text + ": " + g.Kind.Text
		}
		parts = append(parts, text(s+">"))
	}
	end := fn.Body.Span.Start
	if fn.Result != nil {
		end = fn.Result.Where().Start
	}
	var entries []entry
	for _, m := range fn.Params {
		entries = append(entries, entry{m.Span, func() *layout {
			return cat(text(m.Name.Text+": "), f.typ(m.Type), f.place(m.Place))
		}})
	}
	parts = append(parts, f.list("(", soft, entries, ")", end))
	if fn.Result != nil {
		parts = append(parts, text(" -> "), f.typ(fn.Result), f.place(fn.Place))
	}
	return cat(parts...)
}

func (f *formatter) place(pl *Place) *layout {
	if pl == nil {
		return text("")
	}
	l := text(" @ " + pl.Name.Text)
	if len(pl.Args) > 0 {
		l = cat(l, f.args(pl.Args, pl.Span.End))
	}
	return l
}

// conditions lays out a where or ensures clause: on one line if it was begun
// there and fits, else each condition on its own.
func (f *formatter) conditions(word string, entries []entry, end int) *layout {
	for i := range entries[:len(entries)-1] {
		lay := entries[i].lay
		entries[i].lay = func() *layout { return cat(lay(), text(",")) }
	}
	if f.pending(end) || f.lineBreakAbove(entries[0].span.Start) {
		return cat(text(word), nest(f.column(entries, end, nil)...))
	}
	parts := make([]*layout, 0, 2*len(entries))
	for _, e := range entries {
		parts = append(parts, space, e.lay())
	}
	return group(text(word), nest(parts...))
}

// lineBreakAbove reports whether pos is the first thing on its line.
func (f *formatter) lineBreakAbove(pos int) bool {
	return pos > 0 && pos <= len(f.text) && ownLine(f.text, pos)
}

func (f *formatter) whereEntries(clauses []Clause) []entry {
	var list []entry
	for _, c := range clauses {
		switch c := c.(type) {
		case *RangeClause:
			list = append(list, entry{c.Span, func() *layout {
				return cat(text(c.Name.Text+": Range<"), f.expr(c.Lo), text(", "), f.expr(c.Hi), text(">"))
			}})
		case *CompareClause:
			list = append(list, entry{c.Span, func() *layout {
				return cat(f.expr(c.X), text(" "+c.Op.String()+" "), f.expr(c.Y))
			}})
		case *ExpectClause:
			list = append(list, entry{c.Span, func() *layout {
				return cat(text(c.Name.Text+" ~ "), f.expr(c.Value))
			}})
		}
	}
	return list
}

func (f *formatter) ensureEntries(bounds []Ensure) []entry {
	var list []entry
	for _, e := range bounds {
		list = append(list, entry{e.Span, func() *layout {
			l := cat(text(e.What.Text+" <= "), f.expr(e.Bound))
			if e.Unit != "" {
				l = cat(l, text(" "+e.Unit))
			}
			return l
		}})
	}
	return list
}
