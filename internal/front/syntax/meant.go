package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file writes what was probably meant, from the tokens around an error,
// so that a help can be followed to the letter. Where that takes several
// lines, or the tokens do not show it, the help stays general.

// span is the text of the tokens i to j, j left out.
func (p *parser) span(i, j int) string {
	if j <= i || j > len(p.toks) {
		return ""
	}
	return p.text[p.toks[i].start:p.toks[j-1].end]
}

// closing finds the token that closes the bracket at i, or -1.
func (p *parser) closing(i int) int {
	depth := 0
	for ; i < len(p.toks); i++ {
		switch p.toks[i].kind {
		case LParen, LBracket, LBrace:
			depth++
		case RParen, RBracket, RBrace:
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return -1
}

// opening finds the token that opens the bracket which i closes, or the first of all.
func (p *parser) opening(i int) int {
	depth := 0
	for ; i > 0; i-- {
		switch p.toks[i].kind {
		case RParen, RBracket, RBrace:
			depth++
		case LParen, LBracket, LBrace:
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return 0
}

// find is the first token of one of these kinds from i on that stands in no
// bracket of its own, or -1.
func (p *parser) find(i int, kinds ...Token) int {
	for ; i >= 0 && i < len(p.toks); i++ {
		k := p.toks[i].kind
		for _, want := range kinds {
			if k == want {
				return i
			}
		}
		switch k {
		case LParen, LBracket, LBrace:
			if i = p.closing(i); i < 0 {
				return -1
			}
		case RParen, RBracket, RBrace:
			return -1
		}
	}
	return -1
}

// instead is the help that puts one text in the place of another, or else if
// they are more than a line.
func instead(of, text, general string) string {
	if of == "" || text == "" || strings.ContainsAny(of+text, "\n`") {
		return general
	}
	return "write `" + text + "` for `" + of + "`"
}

// loopMeant is the bounded loop for a `while` or `loop`.
func (p *parser) loopMeant() string {
	general := "for _ in 0..1000 { if done { break; } … }"
	brace := p.find(p.i+1, LBrace)
	if brace < 0 {
		return general
	}
	head := "for _ in 0..1000 {"
	if cond := p.span(p.i+1, brace); cond != "" {
		head += " if !(" + cond + ") { break; }"
	}
	return "choose a number of turns that always suffices, as a size N where each turn takes one of N elements:\n" +
		instead(p.span(p.i, brace+1), head, general)
}

// matchMeant is the match for an `if let` of which the `let` is next.
func (p *parser) matchMeant() string {
	general := "match x { Some(v) => { … }, None => { … } }"
	set := p.find(p.i+1, SetTo)
	brace := p.find(set+1, LBrace)
	if p.i == 0 || p.toks[p.i-1].kind != KwIf || set < 0 || brace < 0 {
		return general
	}
	end := p.closing(brace) + 1
	if end <= 0 {
		return general
	}
	then, otherwise := p.span(brace, end), "{ }"
	if end < len(p.toks) && p.toks[end].kind == KwElse {
		from := end + 1
		for end < len(p.toks) && p.toks[end].kind == KwElse {
			if end = p.closing(p.find(end+1, LBrace)) + 1; end <= 0 {
				return general
			}
		}
		otherwise = p.span(from, end)
	}
	text := fmt.Sprintf("match %s { %s => %s, None => %s }", p.span(set+1, brace), p.span(p.i+1, set), then, otherwise)
	return instead(p.span(p.i-1, end), text, general)
}

// choiceMeant is the `if` for `cond ? a : b` at the `?`.
func (p *parser) choiceMeant() string {
	colon := p.find(p.i+1, Colon)
	end := p.find(colon+1, Semi, Comma, RParen, RBrace, RBracket)
	if colon < 0 || end < 0 {
		return "write `.or(…)`"
	}
	start := p.i
	for start > 0 && !opensOperand(p.toks[start-1].kind) {
		if start--; p.toks[start].kind == RParen || p.toks[start].kind == RBracket {
			start = p.opening(start)
		}
	}
	text := "if " + p.span(start, p.i) + " { " + p.span(p.i+1, colon) + " } else { " + p.span(colon+1, end) + " }"
	return instead(p.span(start, end), text, "if … { … } else { … }")
}

func opensOperand(k Token) bool {
	switch k {
	case LBrace, RBrace, LParen, LBracket, Semi, Comma, SetTo, FatArrow, Pipe:
		return true
	}
	return false
}

// macroMeant says what to do with `name!(…)`.
func (p *parser) macroMeant() string {
	end := p.closing(p.i+2) + 1
	if end <= 0 {
		return "leave it out"
	}
	inside := p.span(p.i+3, end-1)
	if p.word() == "vec" {
		return instead(p.span(p.i, end), "["+inside+"]", "[…]")
	}
	if end < len(p.toks) && p.toks[end].kind == Semi {
		end++
	}
	if text := p.span(p.i, end); !strings.ContainsAny(text, "\n`") {
		return "leave `" + text + "` out"
	}
	return "leave it out"
}

// patternsMeant lists the literals of a short range in a pattern, of which
// the `..` is next.
func (p *parser) patternsMeant() string {
	general := "_ => if x < 10 { … } else { … }"
	lo, err := strconv.Atoi(p.textOf(p.i - 1))
	at := p.i + 1
	last := 0
	if p.ahead(1) == SetTo { // ..=
		at, last = at+1, 1
	}
	hi, err2 := strconv.Atoi(p.textOf(at))
	if err != nil || err2 != nil || hi+last <= lo || hi-lo > 16 {
		return general
	}
	var all []string
	for n := lo; n < hi+last; n++ {
		all = append(all, strconv.Itoa(n))
	}
	return instead(p.span(p.i-1, at+1), strings.Join(all, " | "), general)
}

// appliedMeant is the value of a closure that is called, as a block.
func appliedMeant(text string, x Expr, args []Expr) string {
	general := "give the function a name: fn f(x: f32) -> f32 { … }"
	paren, ok := x.(*ParenExpr)
	if !ok {
		return general
	}
	c, ok := paren.X.(*Closure)
	if !ok || len(c.Params) != len(args) || len(args) != 1 {
		return general
	}
	src := func(a Expr) string { return text[a.Where().Start:a.Where().End] }
	at := c.Params[0].Pattern.Where()
	block := "{ let " + text[at.Start:at.End] + " = " + src(args[0]) + "; " + src(c.Body) + " }"
	if strings.Contains(block, "\n") {
		return general
	}
	return block
}

// zeroOf is the first value to try for a type.
func zeroOf(typ string) string {
	switch typ = strings.TrimSpace(typ); {
	case strings.HasPrefix(typ, "f"):
		return "0.0"
	case typ == "bool":
		return "false"
	case typ == "" || typ[0] == 'i' || typ[0] == 'u':
		return "0"
	}
	return "…"
}

// codeMeant is the help for a character, or text in single quotes. In a program that has text, one character is text as well.
func codeMeant(literal string, hasText bool) string {
	inside := strings.Trim(literal, `'"`)
	if c, n := utf8.DecodeRuneInString(inside); literal[0] == '\'' && n > 0 && n == len(inside) && !hasText {
		return fmt.Sprintf("write `%d`, its code", c)
	}
	return "write `" + quoteText(inside) + "`, in double quotes"
}
