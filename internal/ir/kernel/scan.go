package kernel

import (
	"fmt"
	"strconv"
	"strings"
	"text/scanner"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A TextError says where a kernel's text is wrong.
type TextError struct {
	Line   int
	Reason string
}

func (e *TextError) Error() string { return fmt.Sprintf("kernel text, line %d: %s", e.Line, e.Reason) }

// textLine is the words of one line that are still to be read. Reading past
// the end gives "".
type textLine struct {
	number int
	words  []string
}

// splitLine cuts a line into words, numbers and marks. Comments are in
// parentheses or run from # to the end.
func splitLine(number int, text string) *textLine {
	text, _, _ = strings.Cut(text, "#")
	if before, after, ok := strings.Cut(text, "("); ok {
		_, rest, _ := strings.Cut(after, ")")
		text = before + rest
	}
	text = strings.ReplaceAll(text, "..", " @ ") // the scanner would take "0." for a number
	var s scanner.Scanner
	s.Init(strings.NewReader(text))
	s.Mode = scanner.ScanIdents | scanner.ScanInts
	s.Error = func(*scanner.Scanner, string) {}
	l := &textLine{number: number}
	for t := s.Scan(); t != scanner.EOF; t = s.Scan() {
		l.words = append(l.words, s.TokenText())
	}
	return l
}

func (l *textLine) fail(format string, args ...any) {
	panic(&TextError{l.number, fmt.Sprintf(format, args...)})
}

func (l *textLine) peek() string {
	if len(l.words) == 0 {
		return ""
	}
	return l.words[0]
}

func (l *textLine) word() string {
	w := l.peek()
	if w == "" {
		l.fail("the line ends too early")
	}
	l.words = l.words[1:]
	return w
}

// accept takes the next word if it is w.
func (l *textLine) accept(w string) bool {
	if l.peek() != w {
		return false
	}
	l.words = l.words[1:]
	return true
}

func (l *textLine) expect(w string) {
	if !l.accept(w) {
		l.fail("%q where %q belongs", l.peek(), w)
	}
}

func (l *textLine) end() {
	if len(l.words) > 0 {
		l.fail("%q after the end", l.words[0])
	}
}

// bits is an integer, with its sign, as 64 bits.
func (l *textLine) bits() uint64 {
	negative := l.accept("-")
	n, err := strconv.ParseUint(l.word(), 0, 64)
	if err != nil {
		l.fail("%v", err)
	}
	if negative {
		n = -n
	}
	return n
}

func (l *textLine) int() int64 { return int64(l.bits()) }

func (l *textLine) span() (lo, hi int64) {
	lo = l.int()
	l.expect("@")
	return lo, l.int()
}

func (l *textLine) kind() num.Kind {
	w := l.word()
	k, ok := num.ParseKind(w)
	if !ok {
		l.fail("%q is not a kind", w)
	}
	return k
}

func (l *textLine) region() int {
	w := l.word()
	n, err := strconv.Atoi(strings.TrimPrefix(w, "r"))
	if err != nil || n < 0 || w[0] != 'r' {
		l.fail("%q is not a region", w)
	}
	return n
}

// below reads the bound that may follow.
func (l *textLine) below() (bool, size.Poly) {
	if !l.accept("<") {
		return false, size.Poly{}
	}
	return true, l.poly()
}

func (l *textLine) poly() size.Poly {
	sign := int64(1)
	if l.accept("-") {
		sign = -1
	}
	p := l.polyTerm().MulConst(sign)
	for {
		switch {
		case l.accept("+"):
			p = p.Add(l.polyTerm())
		case l.accept("-"):
			p = p.Sub(l.polyTerm())
		default:
			return p
		}
	}
}

func (l *textLine) polyTerm() size.Poly {
	p := l.factor()
	for l.accept("*") {
		p = p.Mul(l.factor())
	}
	return p
}

func (l *textLine) factor() size.Poly {
	w := l.word()
	if i, ok := SizeIndex(w); ok {
		return SizeVar(i)
	}
	n, err := strconv.ParseInt(w, 0, 64)
	if err != nil {
		l.fail("%q is neither a size nor a number", w)
	}
	return size.Const(n)
}
