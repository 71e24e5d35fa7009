package syntax

import (
	"cmp"
	"slices"

	"github.com/godwit-run/godwit/internal/front/diag"
)

const (
	// maxDepth bounds nesting, so that no input can exhaust the stack here or
	// in the passes behind the parser, which all recurse over the tree.
	maxDepth = 200
	// maxChain bounds a row of operators or calls, whose tree leans left and
	// is as deep as the row is long.
	maxChain = 2000
	// maxMessages is where a person has stopped reading.
	maxMessages = 100
)

// parser is a recursive-descent parser over the finished token slice.
type parser struct {
	*scanner
	i       int   // index of tok in toks
	tok     token // the token looked at
	prevEnd int   // where the token before tok ended
	depth   int
	out     *diag.List

	// panicking is set by a report and cleared where parsing is in step
	// again; in between nothing is reported and nothing is consumed in vain.
	panicking bool
	// noRecord holds in the head of if, match and for, where `{` opens the body.
	noRecord bool
	// unitsAllowed holds in an ensures bound, where 5ms is a number.
	unitsAllowed bool
	// itemColumn is how far the function being parsed is indented; an item no
	// further in than that stands outside of it.
	itemColumn int
	// inParams holds in the parameters of a function.
	inParams bool
	// indexed is the array in front of the brackets that are parsed; empty outside of brackets.
	indexed diag.Span
	// isThen is set for the block about to be parsed if an else may follow it.
	isThen bool
	// unclosedAt is the token where a brace was last found missing.
	unclosedAt int
	// suspect is an opening brace whose closing one, by its indentation,
	// belongs to another: the place to point at if one turns out missing.
	suspect int
}

// Parse parses one file. It always returns a tree, with BadExpr where it
// could not make sense of the text; what was wrong is added to msgs.
func Parse(src *diag.Source, msgs *diag.List) *File {
	own := new(diag.List)
	p := &parser{scanner: scan(src, own), out: own, suspect: -1, unclosedAt: -1}
	p.tok = p.toks[0]
	f := &File{Source: src, Items: p.items(EOF), Comments: p.comments}
	slices.SortStableFunc(own.Messages, func(a, b *diag.Message) int {
		return cmp.Compare(a.Span.Start, b.Span.Start)
	})
	msgs.Messages = append(msgs.Messages, own.Messages...)
	return f
}

// next moves to the next token; at the end it stays there.
func (p *parser) next() {
	p.prevEnd = p.tok.end
	if p.i < len(p.toks)-1 {
		p.i++
		p.tok = p.toks[p.i]
	}
}

// ahead is the kind of the token n places on.
func (p *parser) ahead(n int) Token {
	return p.toks[min(p.i+n, len(p.toks)-1)].kind
}

func (p *parser) at(k Token) bool { return p.tok.kind == k }

// got consumes a token of kind k if it is next.
func (p *parser) got(k Token) bool {
	if p.tok.kind == k {
		p.next()
		return true
	}
	return false
}

// want is got, and reports what stands there instead.
func (p *parser) want(k Token, context string) bool {
	if p.got(k) {
		return true
	}
	p.expected("`"+k.String()+"`"+context, "")
	return false
}

// word is the text of the current token.
func (p *parser) word() string { return p.text[p.tok.start:p.tok.end] }

// atWord reports whether the current token is the given name, which is not
// reserved.
func (p *parser) atWord(w string) bool { return p.tok.kind == Ident && p.word() == w }

// from is the span from start to the end of the token before the current one.
func (p *parser) from(start int) diag.Span {
	return diag.Span{Start: start, End: max(start, p.prevEnd)}
}

func (p *parser) here() diag.Span { return diag.Span{Start: p.tok.start, End: p.tok.end} }

// name consumes a name; what says which.
func (p *parser) name(what string) Name {
	if p.at(Ident) {
		n := Name{p.here(), p.word()}
		p.next()
		return n
	}
	if n, ok := p.reserved(what, func(word string) string { return word + "_" }); ok {
		return n
	}
	p.expected(what, "")
	return Name{Span: diag.Span{Start: p.tok.start, End: p.tok.start}}
}

// reserved takes a reserved word for a name if what follows it would follow a
// name. instead is what to write.
func (p *parser) reserved(what string, instead func(word string) string) (n Name, ok bool) {
	if !p.tok.kind.IsKeyword() || p.panicking {
		return n, false
	}
	switch p.ahead(1) {
	case Colon, Comma, SetTo, Dot, Semi, Pipe, LParen, RParen, RBrace, RBracket, KwIn, Plus, Minus, Star, Slash, Lt, Gt:
	default:
		return n, false
	}
	n = Name{p.here(), instead(p.word())}
	help := n.Text
	if p.at(KwMod) && p.ahead(1) == LParen { // as other languages write it
		help = "the remainder of a / b is written `a % b`"
	}
	p.report("S07", n.Span, "expected "+what+", found "+p.found(), "a reserved word", help)
	p.next()
	return n, true
}

// path consumes `a::b::c`. A `::<` is left for the caller.
func (p *parser) path(what string) []Name {
	path := []Name{p.name(what)}
	for p.at(PathSep) && p.ahead(1) != Lt && !p.panicking {
		p.next()
		path = append(path, p.name("a name after `::`"))
	}
	return path
}

// enter counts one level of nesting and reports false where it is too deep;
// parsing then stops at once, since all that follows would be a cascade.
func (p *parser) enter() bool {
	p.depth++
	if p.depth <= maxDepth {
		return true
	}
	p.stop("this is nested too deep", "more than 200 levels")
	return false
}

func (p *parser) leave() { p.depth-- }

// link counts one more operator or call in a row.
func (p *parser) link(n *int) bool {
	*n++
	if *n <= maxChain {
		return true
	}
	p.stop("this expression is too long", "more than 2000 operators or calls in a row")
	return false
}

// stop reports S20 and gives up on the rest of the file.
func (p *parser) stop(text, note string) {
	p.report("S20", p.here(), text, note, "name a part of it:\nlet part = …;")
	p.i = len(p.toks) - 1
	p.tok = p.toks[p.i]
	p.panicking = true
}

// split consumes the first byte of a token of two bytes.
func (p *parser) split(rest Token) {
	p.prevEnd = p.tok.start + 1
	p.tok = token{rest, p.tok.start + 1, p.tok.end}
	p.toks[p.i] = p.tok
}

// list parses elements parted by commas up to the closing token, the opening
// one (at open) being consumed already. A comma may stand at the end; it
// reports whether one does.
func (p *parser) list(open int, closer Token, elem func()) (trailing bool) {
	for !p.atClose(closer) && !p.at(EOF) {
		elem()
		trailing = false
		if p.panicking || !p.got(Comma) && !p.semiForComma(closer) {
			break
		}
		trailing = true
	}
	p.closeList(open, closer)
	return trailing
}

// semiForComma explains and consumes a `;` between braces, where it can only
// be meant to part the elements.
func (p *parser) semiForComma(closer Token) bool {
	if closer != RBrace || !p.at(Semi) {
		return false
	}
	p.report("S07", p.here(), "fields are parted by `,`", "expected `,`, found `;`", p.lineSoFar()+",")
	p.next()
	return true
}

// atClose is at, which for `>` also sees the one inside `>>` and `>=`.
func (p *parser) atClose(closer Token) bool {
	return p.at(closer) || closer == Gt && (p.at(Shr) || p.at(Ge))
}

// closeList consumes the closing token, looking for it if parsing is out of
// step.
func (p *parser) closeList(open int, closer Token) {
	switch {
	case p.panicking:
		p.skipToClose(closer)
	case p.got(closer):
	case closer == Gt && p.at(Shr):
		p.split(Gt)
	case closer == Gt && p.at(Ge):
		p.split(SetTo)
	case closer == Pipe && p.at(OrOr):
		p.split(Pipe)
	case p.endsStatement():
		p.unclosed(open, closer)
	default:
		p.expected("`,` or `"+closer.String()+"`", "")
		p.skipToClose(closer)
	}
}
