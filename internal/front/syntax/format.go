package syntax

import (
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// formatter builds the layout of a file. It walks the tree in the order of
// the text and hands out the comments as their positions are passed.
type formatter struct {
	text     string // of the source; "" for a tree made by hand
	comments []Comment
	next     int // the first comment not handed out
}

// Format gives a file's canonical text. The file must have parsed without
// errors. Formatting the result again changes nothing, and the result parses
// to the same tree with the same comments.
//
// Lines are at most 100 columns where that can be. What its author wrote on
// one line and fits there (a short function, a record, an if, a match, a loop
// with one statement) stays on one line, and what was broken stays broken.
func Format(file *File) string {
	f := &formatter{comments: file.Comments}
	if file.Source != nil {
		f.text = file.Source.Text
	}
	parts := f.items(file.Items, len(f.text)+1)
	if len(parts) == 0 {
		return ""
	}
	return cat(parts[1:]...).render() // without the line break before the first
}

// before hands out the comments that start before pos.
func (f *formatter) before(pos int) []Comment {
	from := f.next
	for f.pending(pos) {
		f.next++
	}
	return f.comments[from:f.next]
}

// pending reports whether a comment starts before pos.
func (f *formatter) pending(pos int) bool {
	return f.next < len(f.comments) && f.comments[f.next].Span.Start < pos
}

// oneLine reports whether the author wrote this on one line.
func (f *formatter) oneLine(s diag.Span) bool {
	return s.End > len(f.text) || !strings.Contains(f.text[s.Start:s.End], "\n")
}

// spaceBetween reports whether only white space stands between two positions.
func (f *formatter) spaceBetween(from, to int) bool {
	return strings.TrimSpace(f.text[from:min(to, len(f.text))]) == ""
}

// blankAbove reports whether an empty line stands above what begins at pos.
func (f *formatter) blankAbove(pos int) bool {
	if pos > len(f.text) {
		return false
	}
	lines := 0
	for n := pos; n > 0; n-- {
		switch f.text[n-1] {
		case '\n':
			lines++
		case ' ', '\t', '\r':
		default:
			return lines > 1
		}
	}
	return false
}

// entry is one of the things laid out below each other.
type entry struct {
	span diag.Span
	lay  func() *layout
}

// column lays entries out below each other, each after a line break, with the
// comments before, behind and between them.
type column struct {
	f *formatter
	// gaps, if not nil, keeps empty lines, and asks for one above entry i.
	gaps  func(i int) bool
	parts []*layout
	// An entry stands directly above; the line above ends with a comment.
	entry, closed bool
	// An empty line must follow, or a comment that belonged to the entry above
	// would become the documentation of the one below.
	loose bool
}

// column lays out entries and all comments up to the position end.
func (f *formatter) column(entries []entry, end int, gaps func(i int) bool) []*layout {
	c := &column{f: f, gaps: gaps}
	for i, e := range entries {
		c.above(f.before(e.span.Start), i, e.span.Start)
		c.line(c.gap(e.span.Start, i), e.lay())
		c.entry, c.closed = true, false
		c.inside(f.before(e.span.End), i+1 < len(entries), i+1)
	}
	c.above(f.before(end), len(entries), end)
	return c.parts
}

// above adds comments, the first at the end of the line above if that is
// where it stood. i is the entry that follows, at pos.
func (c *column) above(comments []Comment, i, pos int) {
	for n, m := range comments {
		own := ownLine(c.f.text, m.Span.Start)
		if !own && !c.closed {
			c.tail(m)
			continue
		}
		c.line(c.gap(m.Span.Start, i), text(m.Text))
		below := pos
		if n+1 < len(comments) {
			below = comments[n+1].Span.Start
		}
		c.entry, c.closed = false, true
		c.loose = strings.HasPrefix(m.Text, "///") && (!own || !c.f.spaceBetween(m.Span.End, below))
	}
}

// inside adds the comments inside an entry for which its layout had no place.
func (c *column) inside(comments []Comment, more bool, i int) {
	for _, m := range comments {
		if !c.closed {
			c.tail(m)
			continue
		}
		gap := hard
		if more && c.entry && c.gaps != nil && c.gaps(i) {
			gap = blank
		}
		c.line(gap, text(m.Text))
		c.entry, c.loose = false, strings.HasPrefix(m.Text, "///")
	}
}

func (c *column) tail(m Comment) {
	c.parts = append(c.parts, tail(m.Text))
	c.closed = true
}

// gap is what goes above entry i or a comment before it, at pos.
func (c *column) gap(pos, i int) *layout {
	switch {
	case c.gaps == nil || !c.begun():
	case c.loose, c.f.blankAbove(pos), c.entry && c.gaps(i):
		return blank
	}
	return hard
}

// begun reports whether a line has been laid out.
func (c *column) begun() bool { return c.entry || c.closed && len(c.parts) > 1 }

func (c *column) line(gap, l *layout) {
	c.parts = append(c.parts, gap, l)
	c.loose = false
}

// list lays out elements between brackets: on one line if they fit, else each
// on a line of its own. pad is soft or space: what stands inside the brackets.
func (f *formatter) list(open string, pad *layout, entries []entry, closer string, end int) *layout {
	if f.pending(end) {
		for i := range entries {
			lay := entries[i].lay
			entries[i].lay = func() *layout { return cat(lay(), text(",")) }
		}
		return cat(text(open), nest(f.column(entries, end, nil)...), hard, text(closer))
	}
	if len(entries) == 0 {
		return text(open + closer)
	}
	parts := []*layout{pad}
	for i, e := range entries {
		if i > 0 {
			parts = append(parts, text(","), space)
		}
		parts = append(parts, e.lay())
	}
	parts = append(parts, ifBreak(","))
	return group(text(open), nest(parts...), pad, text(closer))
}

// led lays out what lay gives behind the comments that stand before pos.
func (f *formatter) led(pos int, lay func() *layout) *layout {
	comments := f.before(pos)
	if len(comments) == 0 {
		return lay()
	}
	parts := f.commentLines(comments)
	parts = append(parts, hard, lay())
	return nest(parts...)
}

// commentLines puts comments behind the present line, the first at its end if
// that is where it stood.
func (f *formatter) commentLines(comments []Comment) []*layout {
	var parts []*layout
	for i, m := range comments {
		if i == 0 && !ownLine(f.text, m.Span.Start) {
			parts = append(parts, tail(m.Text))
		} else {
			parts = append(parts, hard, text(m.Text))
		}
	}
	return parts
}
