package syntax

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// The formatter builds a layout: text with places where lines may break. A
// group is laid flat if it fits in the line, and broken at all its own breaks
// otherwise. After Wadler, A prettier printer (2003), with the trailing
// comments of the prettier tool.

const lineWidth = 100

type layoutKind uint8

const (
	layText    layoutKind = iota
	layCat                // kids one after the other
	laySpace              // a space, or a line break
	laySoft               // nothing, or a line break
	layHard               // always a line break
	layBlank              // a line break and an empty line
	layNest               // kids, 4 columns further in
	layAlign              // kids, broken lines starting at the present column
	layGroup              // kids, flat if they fit
	layTail               // text held back to the end of the line: a comment
	layIfBreak            // text only if the group around it is broken
)

type layout struct {
	kind layoutKind
	text string
	kids []*layout
	hard bool // holds a forced line break, so groups around it break
	// body: holds a block that may break. What depends on hard beyond groups
	// must depend on body too, or a block broken for want of space would be
	// laid out differently the next time, when it is known to be broken.
	body bool
}

var (
	space = &layout{kind: laySpace}
	soft  = &layout{kind: laySoft}
	hard  = &layout{kind: layHard, hard: true}
	blank = &layout{kind: layBlank, hard: true}
)

func text(s string) *layout { return &layout{kind: layText, text: s} }

// tail holds a comment back to the end of the line, and breaks the groups
// around it, so that the line does end there.
func tail(s string) *layout { return &layout{kind: layTail, text: s, hard: true} }

func ifBreak(s string) *layout { return &layout{kind: layIfBreak, text: s} }

func compose(kind layoutKind, kids []*layout) *layout {
	l := &layout{kind: kind, kids: kids}
	for _, k := range kids {
		l.hard = l.hard || k.hard
		l.body = l.body || k.body
	}
	return l
}

func cat(kids ...*layout) *layout   { return compose(layCat, kids) }
func nest(kids ...*layout) *layout  { return compose(layNest, kids) }
func align(kids ...*layout) *layout { return compose(layAlign, kids) }
func group(kids ...*layout) *layout { return compose(layGroup, kids) }

// piece is a layout to print, at an indentation, flat or broken.
type piece struct {
	l      *layout
	indent int
	flat   bool
}

type layouter struct {
	out   []byte
	col   int
	pad   int // indentation not written yet
	tails []string
}

// render prints a layout.
func (l *layout) render() string {
	r := &layouter{}
	stack := []piece{{l, 0, false}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = r.print(top, stack[:len(stack)-1])
	}
	r.newline(0, false)
	return string(r.out)
}

// print prints one piece, or puts its parts on the stack.
func (r *layouter) print(p piece, stack []piece) []piece {
	switch l := p.l; l.kind {
	case layText:
		r.write(l.text)
	case layTail:
		r.tails = append(r.tails, l.text)
	case layIfBreak:
		if !p.flat {
			r.write(l.text)
		}
	case laySpace, laySoft:
		switch {
		case !p.flat:
			r.newline(p.indent, false)
		case l.kind == laySpace:
			r.write(" ")
		}
	case layHard, layBlank:
		r.newline(p.indent, l.kind == layBlank)
	case layGroup:
		flat := p.flat && !l.hard || !l.hard && r.fits(piece{cat(l.kids...), p.indent, true}, stack)
		return push(stack, l.kids, piece{nil, p.indent, flat})
	case layNest:
		return push(stack, l.kids, piece{nil, p.indent + 4, p.flat})
	case layAlign:
		return push(stack, l.kids, piece{nil, r.col, p.flat})
	case layCat:
		return push(stack, l.kids, p)
	}
	return stack
}

func push(stack []piece, kids []*layout, like piece) []piece {
	for i := len(kids) - 1; i >= 0; i-- {
		stack = append(stack, piece{kids[i], like.indent, like.flat})
	}
	return stack
}

func (r *layouter) write(s string) {
	if s == "" {
		return
	}
	r.margin()
	r.out = append(r.out, s...)
	r.col += utf8.RuneCountInString(s)
}

// margin writes the indentation when the line turns out not to be empty.
func (r *layouter) margin() {
	for ; r.pad > 0; r.pad-- {
		r.out = append(r.out, ' ')
	}
}

// newline ends the line with the comments held back for it; a second one
// takes a line of its own.
func (r *layouter) newline(indent int, empty bool) {
	if r.pad == 0 {
		r.out = bytes.TrimRight(r.out, " ")
	}
	for i, t := range r.tails {
		switch {
		case i > 0:
			r.out = append(r.out, '\n')
			r.out = append(r.out, strings.Repeat(" ", indent)...)
		case r.pad > 0:
			r.margin()
		case len(r.out) > 0 && r.out[len(r.out)-1] != '\n':
			r.out = append(r.out, ' ')
		}
		r.out = append(r.out, t...)
	}
	r.tails = r.tails[:0]
	r.out = append(r.out, '\n')
	if empty {
		r.out = append(r.out, '\n')
	}
	r.col, r.pad = indent, indent
}

// fits reports whether p and what follows it up to the next possible break
// end within the line.
func (r *layouter) fits(p piece, rest []piece) bool {
	left := lineWidth - r.col
	todo := []piece{p}
	for left >= 0 {
		if len(todo) == 0 {
			if len(rest) == 0 {
				return true
			}
			todo = append(todo, rest[len(rest)-1])
			rest = rest[:len(rest)-1]
		}
		top := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch l := top.l; l.kind {
		case layText:
			left -= utf8.RuneCountInString(l.text)
		case layIfBreak:
			if !top.flat {
				left -= utf8.RuneCountInString(l.text)
			}
		case laySpace, laySoft:
			if !top.flat {
				return true
			}
			if l.kind == laySpace {
				left--
			}
		case layHard, layBlank:
			return true
		case layTail:
		default:
			todo = push(todo, l.kids, top)
		}
	}
	return false
}
