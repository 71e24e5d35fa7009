package syntax

import (
	"slices"
	"sort"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// report adds a message unless it would be a mere consequence of one before.
func (p *parser) report(code string, span diag.Span, text, note, help string) {
	if p.panicking || p.nearSkipped() || len(p.out.Messages) >= maxMessages {
		return
	}
	p.out.Add(&diag.Message{Code: code, Source: p.src, Span: span, Text: text, Note: note, Help: help})
}

// fail is report for the cases where parsing is out of step afterwards.
func (p *parser) fail(code string, span diag.Span, text, note, help string) {
	p.report(code, span, text, note, help)
	p.panicking = true
}

// nearSkipped reports whether the scanner has dropped something around the
// current token and said so.
func (p *parser) nearSkipped() bool {
	if len(p.skipped) == 0 {
		return false
	}
	from := 0
	if p.i > 0 {
		from = p.toks[p.i-1].start
	}
	n := sort.Search(len(p.skipped), func(i int) bool { return p.skipped[i].Start >= from })
	return n < len(p.skipped) && p.skipped[n].Start <= p.tok.end
}

// found names the current token for a message.
func (p *parser) found() string {
	switch p.tok.kind {
	case EOF:
		return "the end of the file"
	case Quoted:
		return p.word()
	case Ident, Int, Float:
		return "`" + p.word() + "`"
	}
	if p.tok.kind.IsKeyword() {
		return "the keyword `" + p.word() + "`"
	}
	return "`" + p.tok.kind.String() + "`"
}

// expected reports that something else stands where what should.
func (p *parser) expected(what, help string) {
	p.fail("S07", p.here(), "expected "+what+", found "+p.found(), "expected "+what, help)
}

// unclosed reports the bracket at open, which nothing closes. What follows is
// in step again, because the current token ends more than the bracket.
func (p *parser) unclosed(open int, closer Token) {
	opener := p.text[open : open+1]
	note := "no `" + closer.String() + "` before " + p.found()
	p.report("S09", diag.Span{Start: open, End: open + 1}, "this `"+opener+"` is never closed", note, "write `"+closer.String()+"` after it")
	if p.at(EOF) {
		p.panicking = true
	}
}

// retract drops the guesses at what was wrong behind a brace that turned out
// not to be closed.
func (p *parser) retract(open int) {
	p.out.Messages = slices.DeleteFunc(p.out.Messages, func(m *diag.Message) bool {
		return m.Span.Start > open && (m.Code == "S07" || m.Code == "S08")
	})
}

// endsStatement reports whether the current token shows that a bracket was
// forgotten, rather than a comma.
func (p *parser) endsStatement() bool {
	switch p.tok.kind {
	case EOF, Semi, RBrace, KwLet:
		return true
	}
	return p.startsItem()
}

// startsItem reports whether an item keyword comes next.
func (p *parser) startsItem() bool {
	switch p.tok.kind {
	case Fused, KwFn, KwRecord, KwConst, KwMod, KwUse, KwPub:
		return true
	}
	return false
}

// firstOnLine reports whether only white space or comments part the current
// token from the start of its line.
func (p *parser) firstOnLine() bool {
	return p.i == 0 || strings.Contains(p.text[p.prevEnd:p.tok.start], "\n")
}

// column is the number of bytes before the first token of the line of pos.
func (p *parser) column(pos int) int {
	_, col := p.src.Position(pos)
	start := pos - col + 1
	n := start
	for n < pos && (p.text[n] == ' ' || p.text[n] == '\t') {
		n++
	}
	return n - start
}

// skipGroup consumes an opening bracket and all up to its closing one.
func (p *parser) skipGroup() {
	depth := 0
	for !p.at(EOF) {
		switch p.tok.kind {
		case LParen, LBracket, LBrace:
			depth++
		case RParen, RBracket, RBrace:
			depth--
		}
		p.next()
		if depth == 0 || depth > 0 && p.startsItem() && p.firstOnLine() {
			return
		}
	}
}

// skipToClose looks for the closing token of the list being parsed. If it is
// there parsing is in step again behind it.
func (p *parser) skipToClose(closer Token) {
	for !p.at(EOF) {
		switch {
		case p.at(closer):
			p.next()
			p.panicking = false
			return
		case p.at(RParen), p.at(RBracket), p.at(RBrace), p.startsItem():
			return
		case closer != RBrace && (p.at(Semi) || p.at(KwLet)):
			return
		case closer == Gt && (p.at(LBrace) || p.at(SetTo)):
			return
		case p.at(LParen), p.at(LBracket), p.at(LBrace):
			p.skipGroup()
		default:
			p.next()
		}
	}
}

// syncStmt skips to where the next statement begins: behind a `;` or a block,
// at a keyword that begins statements, or before the `}`.
func (p *parser) syncStmt() {
	defer p.step()
	for !p.at(EOF) {
		switch p.tok.kind {
		case Semi:
			p.next()
			return
		case RBrace, KwLet, KwFor, KwBreak:
			return
		case KwIf, KwMatch:
			if p.firstOnLine() {
				return
			}
			p.next()
		case LBrace:
			p.skipGroup()
			if p.firstOnLine() && !p.at(Dot) && !p.at(KwElse) {
				return
			}
		case LParen, LBracket:
			p.skipGroup()
		default:
			if p.startsItem() {
				return
			}
			p.next()
		}
	}
}

// step ends the silence after a report, except at the end of the file, where
// all that is missing follows from the first thing missing.
func (p *parser) step() { p.panicking = p.at(EOF) && p.panicking }

// syncItem skips to the next item or, in a module, to its end.
func (p *parser) syncItem(closer Token) {
	defer p.step()
	for !p.at(EOF) && !p.startsItem() && !(closer == RBrace && p.at(RBrace)) {
		if p.at(LBrace) {
			p.skipGroup()
		} else {
			p.next()
		}
	}
}
