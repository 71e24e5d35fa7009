package syntax

import (
	"strings"

	"github.com/godwit-run/godwit/diag"
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
// comments before, behind and between them, up to the position end. Where
// gaps is given, empty lines are kept, and gaps adds more before an entry.
type column struct {
	f     *formatter
	gaps  func(i int) bool
	parts []*layout
	// first: nothing stands above yet. closed: the line has ended with a
	// comment. loose: the next entry needs an empty line above, or a comment
	// that belonged to the one before would become its documentation.
	first, closed, loose bool
}

func (f *formatter) column(entries []entry, end int, gaps func(i int) bool) []*layout {
	c := &column{f: f, gaps: gaps, first: true}
	for i, e := range entries {
		c.between(f.before(e.span.Start), i)
		c.add(e.span.Start, i, e.lay())
		c.closed = false
		for _, inner := range f.before(e.span.End) {
			if !c.closed {
				c.tail(inner)
				continue
			}
			c.line(hard, text(inner.Text))
			c.loose = true
		}
	}
	c.between(f.before(end), -1)
	return c.parts
}

// between adds comments, the first at the end of the present line if that is
// where it stood. i is the entry that follows, or -1.
func (c *column) between(comments []Comment, i int) {
	for _, m := range comments {
		if !c.closed && !ownLine(c.f.text, m.Span.Start) {
			c.tail(m)
			continue
		}
		if c.closed && !ownLine(c.f.text, m.Span.Start) {
			c.loose = true
		}
		c.add(m.Span.Start, i, text(m.Text))
		c.closed = true
		i = -1 // the gap belongs above the comment, not between it and the entry
	}
	if i < 0 && len(comments) > 0 {
		return
	}
}

func (c *column) tail(m Comment) {
	c.parts = append(c.parts, tail(m.Text))
	c.closed = true
}

// add adds a line, with an empty one above it where one was or one must be.
func (c *column) add(pos, i int, l *layout) {
	gap := hard
	if !c.first && c.gaps != nil && (c.loose || c.f.blankAbove(pos) || i > 0 && !c.commented() && c.gaps(i)) {
		gap = blank
	}
	c.line(gap, l)
	c.loose = false
}

// commented reports whether the line above is a comment of its own.
func (c *column) commented() bool {
	n := len(c.parts)
	return n > 0 && c.parts[n-1].comment
}

func (c *column) line(gap, l *layout) {
	c.parts = append(c.parts, gap, l)
	c.first = false
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
