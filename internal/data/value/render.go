package value

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// RenderOptions fit a rendering to a terminal; zero means the default.
type RenderOptions struct {
	Width int // columns, 100 by default
	Rows  int // most rows of a table, 20 by default; one more is shown, too
	// Fit, if set, leaves columns out of the middle of a table that is wider than Width. It says what shows them.
	Fit string
}

// Render writes a value for people: a scalar plainly, an array of scalars in
// a row and a matrix in rows, both with a line that says their type and size,
// an array of records as a table. What is long is cut in the middle.
func Render(v *Value, opt RenderOptions) string {
	if opt.Width <= 0 {
		opt.Width = 100
	}
	if opt.Rows <= 0 {
		opt.Rows = 20
	}
	r := &renderer{opt: opt}
	return strings.TrimRight(r.block(whole(v)), "\n")
}

type renderer struct{ opt RenderOptions }

// block renders what may take several lines.
func (r *renderer) block(v view) string {
	switch {
	case v.t.Kind == graph.Tuple && hasArray(v.t):
		return r.fields(v)
	case v.t.Kind != graph.Array:
		return r.line(v)
	}
	switch elem := v.t.Elem(); {
	case v.len() == 0:
		return "[]\n" + describe(v)
	case elem.Kind == graph.Tuple:
		return r.table(v) + describe(v)
	case elem.Kind == graph.Array:
		return r.matrix(v) + describe(v)
	}
	return r.wrapped(v) + "\n" + describe(v)
}

// maxWrapped is the most elements that are shown in several lines rather
// than cut to one.
const maxWrapped = 100

// wrapped writes an array of scalars in full over several lines if it is
// short enough.
func (r *renderer) wrapped(v view) string {
	if n := v.len(); n > maxWrapped || utf8.RuneCountInString(inline(v, n)) <= r.opt.Width {
		return r.line(v)
	}
	var b strings.Builder
	width := 0
	items := inlineItems(v, v.len())
	for i, item := range items {
		sep := ", "
		if i == len(items)-1 {
			sep = "]"
		}
		n := utf8.RuneCountInString(item) + len(sep)
		switch {
		case i == 0:
			b.WriteString("[")
			width = 1
		case width+n > r.opt.Width:
			b.WriteString("\n ")
			width = 1
		}
		b.WriteString(item + sep)
		width += n
	}
	return strings.ReplaceAll(b.String(), ", \n", ",\n")
}

func hasArray(t *graph.Type) bool {
	if t.Kind == graph.Array {
		return true
	}
	for _, e := range t.Elems {
		if hasArray(e) {
			return true
		}
	}
	return false
}

// fields renders a tuple with arrays one field a paragraph.
func (r *renderer) fields(v view) string {
	var b strings.Builder
	for i, e := range v.t.Elems {
		text := strings.TrimRight(r.block(v.field(i)), "\n")
		if e.Kind == graph.Array || hasArray(e) {
			text = "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
		} else {
			text = " " + text
		}
		fmt.Fprintf(&b, "%s:%s\n", v.t.FieldName(i), text)
	}
	return b.String()
}

// describe is the line under an array: its type.
func describe(v view) string {
	elem, dims := v.t, []string{}
	for d := v.depth; elem.Kind == graph.Array; d++ {
		n := int64(0)
		if len(v.cols) > 0 {
			n = v.cols[0].Dims[d]
		}
		dims = append(dims, fmt.Sprint(n))
		elem = elem.Elem()
	}
	return fmt.Sprintf("[%s; %s]\n", elem, strings.Join(dims, ", "))
}

// line renders a value in one line that fits the width if that is possible.
func (r *renderer) line(v view) string { return r.within(v, r.opt.Width) }

// edges are the numbers of elements tried at the front of an array that is
// too long; at its end stands half as many.
var edges = []int64{12, 8, 6, 4, 2, 1}

func (r *renderer) within(v view, width int) string {
	if s := inline(v, 2*edges[0]); utf8.RuneCountInString(s) <= width {
		return s
	}
	s := ""
	for _, e := range edges {
		if s = inline(v, e); utf8.RuneCountInString(s) <= width {
			break
		}
	}
	return s
}

// inline writes a value in source form; arrays of more than most elements
// are cut to most at the front and half of that at the end.
func inline(v view, most int64) string {
	switch v.t.Kind {
	case graph.Array:
		return "[" + strings.Join(inlineItems(v, most), ", ") + "]"
	case graph.Tuple:
		return inlineTuple(v, most)
	case graph.Option:
		if !v.present() {
			return "None"
		}
		return "Some(" + inline(v.inner(), most) + ")"
	}
	return v.text()
}

func inlineItems(v view, most int64) []string {
	var items []string
	n := v.len()
	front, back := n, int64(0)
	if n > most+most/2+1 {
		front, back = most, (most+1)/2
	}
	for i := range front {
		items = append(items, inline(v.elem(i), most))
	}
	if front == n {
		return items
	}
	items = append(items, "…")
	for i := n - back; i < n; i++ {
		items = append(items, inline(v.elem(i), most))
	}
	return items
}

func inlineTuple(v view, most int64) string {
	parts := make([]string, len(v.t.Elems))
	for i := range parts {
		parts[i] = inline(v.field(i), most)
		if len(v.t.Names) > 0 {
			parts[i] = v.t.Names[i] + ": " + parts[i]
		}
	}
	text := strings.Join(parts, ", ")
	if len(v.t.Names) > 0 {
		return strings.TrimLeft(v.t.Name+" { ", " ") + text + " }"
	}
	return "(" + text + ")"
}
