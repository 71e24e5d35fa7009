package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: comparisons, records and literals as other languages write them. Out: a message with the same
// in this one. The operands have been parsed, so that a help has them whole.

// foreignCompare explains a comparison by a word or sign of other languages, behind its left side x.
// Nothing is parsed further then.
func (p *parser) foreignCompare(start int, x Expr) bool {
	if p.firstOnLine() {
		return false
	}
	switch {
	case p.at(Lt) && p.ahead(1) == Gt && p.toks[p.i+1].start == p.tok.end:
		at := p.here()
		at.End++
		p.fail("S17", at, "`<>` is written `!=`", "expected an operator", "write `!=`")
		return true
	case p.at(KwIn):
		p.next()
		p.within(start, x, false)
		return true
	case !p.at(Ident):
		return false
	}
	switch word := p.word(); {
	case word == "not" && p.ahead(1) == KwIn:
		p.next()
		p.next()
		p.within(start, x, true)
	case word == "is":
		p.isNull(start, x)
	case word == "like" && p.ahead(1) == Text:
		p.next()
		text, _ := unquoteText(p.word())
		p.next()
		p.foreign(start, "there is no operator `like`", LikeMeant(p.operandText(x), text))
	case word == "between":
		p.next()
		lo := p.binary(precBitOr)
		if p.panicking || !p.at(Ident) || p.word() != "and" {
			p.foreign(start, "there is no operator `between`", p.sourceOf(x)+" >= … && "+p.sourceOf(x)+" <= …")
			return true
		}
		p.next()
		hi := p.binary(precBitOr)
		left := p.sourceOf(x)
		p.foreign(start, "there is no operator `between`", left+" >= "+p.sourceOf(lo)+" && "+left+" <= "+p.sourceOf(hi))
	default:
		return false
	}
	return true
}

// foreign reports what has been parsed from start on.
func (p *parser) foreign(start int, text, help string) {
	if strings.Contains(help, "\n") {
		help = "" // the operands are more than a line
	}
	p.fail("S07", p.from(start), text, "no operator of the language", help)
}

func (p *parser) sourceOf(x Expr) string { return p.text[x.Where().Start:x.Where().End] }

// operandText is an expression as what a `.` may follow.
func (p *parser) operandText(x Expr) string {
	switch x.(type) {
	case *Binary, *Unary, *Cast:
		return "(" + p.sourceOf(x) + ")"
	}
	return p.sourceOf(x)
}

// within explains `x in y`, from y on.
func (p *parser) within(start int, x Expr, not bool) {
	from := p.tok.start
	y := p.rangeTail(from, p.binary(precBitOr))
	if p.panicking {
		return
	}
	if inner := denied(x); inner != nil {
		x, not = inner, !not
	}
	p.foreign(start, "there is no operator `in`", WithinMeant(p.text, x, y, not))
}

// denied is what a `!` stands before; nil for other expressions.
func denied(x Expr) Expr {
	if u, ok := x.(*Unary); ok && u.Op == Bang {
		return u.X
	}
	return nil
}

// WithinMeant asks whether x is in y: one of some literals, in a range, or an element of an array. Both stand in text.
func WithinMeant(text string, x, y Expr, not bool) string {
	of := func(x Expr) string { return text[x.Where().Start:x.Where().End] }
	sign, yes, no := "", "true", "false"
	if not {
		sign, yes, no = "!", "false", "true"
	}
	for {
		p, ok := y.(*ParenExpr)
		if !ok {
			break
		}
		y = p.X
	}
	var list []Expr
	switch y := y.(type) {
	case *RangeExpr:
		if not {
			return fmt.Sprintf("(%s < %s || %s >= %s)", of(x), of(y.Lo), of(x), of(y.Hi))
		}
		return fmt.Sprintf("%s >= %s && %s < %s", of(x), of(y.Lo), of(x), of(y.Hi))
	case *TupleExpr: // as SQL writes it
		list = y.Elems
	case *ArrayExpr:
		list = y.Elems
	}
	var literals []string
	for _, e := range list {
		switch e := e.(type) {
		case *IntLit, *TextLit, *MomentLit:
			literals = append(literals, of(e))
		}
	}
	switch {
	case len(literals) > 0 && len(literals) == len(list):
		return fmt.Sprintf("match %s { %s => %s, _ => %s }", of(x), strings.Join(literals, " | "), yes, no)
	case len(list) > 0:
		var all []string
		for _, e := range list {
			all = append(all, of(x)+" == "+of(e))
		}
		return sign + "(" + strings.Join(all, " || ") + ")"
	}
	return fmt.Sprintf("%s%s.any(|e| e == %s)", sign, of(y), of(x))
}

// isNull explains `x is null` and `x is not null`.
func (p *parser) isNull(start int, x Expr) {
	p.next()
	test := ".is_none()"
	if p.at(Ident) && p.word() == "not" {
		p.next()
		test = ".is_some()"
	}
	switch strings.ToLower(p.word()) {
	case "null", "none", "na", "nan", "nil":
		p.next()
		sign := ""
		if inner := denied(x); inner != nil {
			x, sign = inner, "!"
		}
		p.foreign(start, "there is no operator `is`", sign+p.operandText(x)+test)
	default:
		p.foreign(start, "there is no operator `is`", p.sourceOf(x)+" == …")
	}
}

// LikeMeant is the test of a text for a pattern of SQL.
func LikeMeant(x, pattern string) string {
	inside := strings.Trim(pattern, "%")
	first, last := strings.HasPrefix(pattern, "%"), strings.HasSuffix(pattern, "%")
	switch {
	case strings.ContainsAny(inside, "%_"):
		return "there are no patterns; a literal is looked for by starts_with, ends_with and contains"
	case first && last:
		return x + ".contains(" + quoteText(inside) + ")"
	case last:
		return x + ".starts_with(" + quoteText(inside) + ")"
	case first:
		return x + ".ends_with(" + quoteText(inside) + ")"
	}
	return x + " == " + quoteText(inside)
}

// restMeant explains `R { a: 1, ..r }` at the dots: a copy of r is changed. The record begins at start, its brace at open.
func (p *parser) restMeant(start, open int) {
	first := p.i
	for first > 0 && p.toks[first].start > open {
		first--
	}
	end := p.closing(first)
	rest := p.span(p.i+1, end)
	help := "{ let mut x = r; x.a = …; x }"
	if end > 0 && isName(rest) {
		name := "x"
		if rest == "x" {
			name = "y"
		}
		help = "{ let mut " + name + " = " + rest + "; "
		for i := first + 1; i < p.i; {
			comma := p.find(i, Comma)
			colon := p.find(i, Colon)
			if comma < 0 || comma > p.i {
				break
			}
			field, value := p.textOf(i), p.textOf(i)
			if colon > 0 && colon < comma {
				value = p.span(colon+1, comma)
			}
			help += name + "." + field + " = " + value + "; "
			i = comma + 1
		}
		help += name + " }"
	}
	at := p.here()
	if end > 0 {
		at.Start, at.End = start, p.toks[end].end
	}
	if strings.Contains(help, "\n") {
		help = "{ let mut x = r; x.a = …; x }"
	}
	p.fail("S07", at, "a record names all its fields", "change a copy of the other record", help)
}

// suffixMeant is the help for a number whose suffix is no type, from where it begins.
func (p *parser) suffixMeant(start int, digits, suffix string) string {
	if strings.HasSuffix(strings.TrimSpace(p.text[:start]), ".truncate(") {
		if help := intervalMeant(digits, suffix); help != "" {
			return help
		}
	}
	return spanMeant(digits, suffix)
}

// intervalMeant is the help for an argument of truncate; "" where it means what such a suffix means anywhere.
func intervalMeant(digits, suffix string) string {
	n := digits
	switch strings.TrimSuffix(strings.ToLower(suffix), "s") {
	case "m":
		return n + "min"
	case "w", "week":
		if n == "1" {
			return "week"
		}
		return "counted from 1970-01-01, a Thursday:\n" + spanMeant(n, "week")
	case "month", "mon", "mo":
		return map[string]string{"1": "month", "3": "quarter", "12": "year"}[n]
	case "quarter", "q":
		return map[string]string{"1": "quarter", "4": "year"}[n]
	case "year", "yr", "y":
		return map[string]string{"1": "year"}[n]
	}
	return ""
}

// spanMeant is what time is counted in elsewhere.
func spanMeant(digits, suffix string) string {
	n, err := strconv.ParseInt(strings.ReplaceAll(digits, "_", ""), 10, 32)
	unit := strings.TrimSuffix(strings.ToLower(suffix), "s")
	switch unit {
	case "month", "quarter", "year", "mon", "yr":
		return "months and years differ in length, and are not added; x.truncate(month) is the first of a month, and days are added: + 30day"
	}
	for _, u := range []struct {
		name, as string
		times    int64
	}{{"week", "day", 7}, {"w", "day", 7}, {"hour", "h", 1}, {"hr", "h", 1}, {"minute", "min", 1}, {"second", "s", 1}, {"sec", "s", 1}, {"milli", "ms", 1}} {
		if unit == u.name && err == nil {
			return strconv.FormatInt(n*u.times, 10) + u.as
		}
	}
	return digits
}

// nearestMoment is the date or timestamp nearest to one whose month or day does not exist, or else an example.
func nearestMoment(text, example string) string {
	if !digitsAt(text, "dddd-dd-dd") {
		return example
	}
	year, _ := strconv.Atoi(text[:4])
	month, _ := strconv.Atoi(text[5:7])
	day, _ := strconv.Atoi(text[8:10])
	month = min(max(month, 1), 12)
	last := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	fixed := fmt.Sprintf("%04d-%02d-%02d%s", year, month, min(max(day, 1), last), text[10:])
	m := meaning.Meaning{Sort: meaning.Date}
	if len(fixed) > 10 {
		m = meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Micro}
	}
	if _, why := m.Parse([]byte(fixed)); why != "" {
		return example
	}
	return fixed
}
