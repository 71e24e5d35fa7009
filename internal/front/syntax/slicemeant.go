package syntax

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// In: a part of an array as other languages cut it, x[1..], x[..3] or x[-3..]. Out: what to write for it: an index is one number here.

// openEnd is the help for a range without an upper end, from where it begins to behind its dots.
func (p *parser) openEnd(start, end int) string {
	lo := strings.TrimSpace(strings.TrimSuffix(p.text[start:end], ".."))
	at := p.indexed
	if at.End == 0 || !p.at(RBracket) || strings.TrimSpace(p.text[at.End+1:start]) != "" {
		return p.text[start:end] + "n"
	}
	x := p.text[at.Start:at.End]
	switch n, below := strings.CutPrefix(lo, "-"); {
	case below:
		return p.forSlice(x+".reverse().take("+n+").reverse()", end)
	case reaches(lo, p.sizeNamed(x)):
		return p.forSlice(x+".gather("+lo+".."+p.sizeNamed(x)+")", end)
	}
	return p.forSlice(x+".enumerate().filter(|(i, _)| i >= "+lo+").map(|(_, e)| e)", end)
}

// reaches reports that an array of a size that is a number has so many elements. One with a name may be smaller.
func reaches(lo, size string) bool {
	from, err := strconv.Atoi(lo)
	n, err2 := strconv.Atoi(size)
	return err == nil && err2 == nil && from <= n
}

// openBeginning parses a range without a lower end, which nothing has, and reports it.
func (p *parser) openBeginning() Expr {
	at, dots := p.indexed, p.here()
	p.next()
	from := p.tok.start
	if p.startsExpr() {
		p.binary(precOr)
	}
	x, hi := p.text[at.Start:at.End], strings.TrimSpace(p.text[from:max(p.prevEnd, from)])
	help := x
	if n, below := strings.CutPrefix(hi, "-"); below {
		help = x + ".take(" + x + ".len() - " + n + ")"
	} else if hi != "" {
		help = x + ".take(" + hi + ")"
	}
	p.report("S25", dots, "a range has both ends", "expected an expression before `..`", p.forSlice(help, p.prevEnd))
	return &BadExpr{p.from(dots.Start)}
}

// forSlice is a help in place of the array and its brackets, of which what is in them ends there.
func (p *parser) forSlice(help string, end int) string {
	whole := p.text[p.indexed.Start:end] + "]"
	if strings.ContainsAny(whole, "\n`") {
		return help
	}
	return "write `" + help + "` for `" + whole + "`"
}

// sizeNamed is the size of a parameter that is an array; "" where the text does not show it.
func (p *parser) sizeNamed(x string) string {
	if !regexp.MustCompile(`^\w+$`).MatchString(x) {
		return ""
	}
	found := regexp.MustCompile(`[(,]\s*`+x+`\s*:\s*&?\[[^\[\];{}()]*;\s*(\w+)\s*\]`).FindAllStringSubmatch(p.text[:p.indexed.Start], -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1]
}

// inIndex parses what stands in the brackets behind an array.
func (p *parser) inIndex(array diag.Span) Expr {
	before := p.indexed
	p.indexed = array
	defer func() { p.indexed = before }()
	if p.at(DotDot) && !p.panicking {
		return p.openBeginning()
	}
	return p.expr()
}
