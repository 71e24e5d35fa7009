package syntax

import (
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// block parses `{ … }`; the current token is the brace.
func (p *parser) block() *Block {
	open := p.tok.start
	b := &Block{}
	if !p.enter() {
		return b
	}
	defer p.leave()
	saved, then := p.noRecord, p.isThen
	p.noRecord, p.isThen = false, false
	p.next()
	for !p.blockEnd(then) {
		before := p.i
		p.stmt(b)
		if p.panicking {
			p.syncStmt()
		}
		if p.i == before && !p.at(EOF) {
			p.next()
		}
	}
	p.noRecord = saved
	p.closeBlock(open)
	b.Span = p.from(open)
	return b
}

// blockAfter is block with a message where there is none.
func (p *parser) blockAfter(what, help string) *Block {
	if p.at(LBrace) {
		if p.panicking {
			p.panicking = false // the head was wrong, the body is read again
		}
		return p.block()
	}
	p.expected("`{` after "+what, help)
	return &Block{Span: diag.Span{Start: p.tok.start, End: p.tok.start}}
}

// outside reports whether the current token begins an item that stands, by
// its indentation, outside the function: then a brace is missing before it. A
// constant may stand inside.
func (p *parser) outside() bool {
	return !p.at(KwConst) && p.startsItem() && p.firstOnLine() && p.column(p.tok.start) <= p.itemColumn
}

// blockEnd reports whether the block ends here, be it that its brace is
// missing before an item, or before an else if the block has an if.
func (p *parser) blockEnd(then bool) bool {
	return p.at(RBrace) || p.at(EOF) || p.outside() || then && p.at(KwElse)
}

// closeBlock consumes the closing brace, or says which opening one lacks it:
// the innermost whose block ended further out than it began, if there is one.
func (p *parser) closeBlock(open int) {
	if p.at(RBrace) {
		if p.suspect < 0 && p.firstOnLine() && p.column(p.tok.start) < p.column(open) {
			p.suspect = open
		}
		p.next()
		return
	}
	if p.unclosedAt == p.i {
		return
	}
	p.unclosedAt = p.i
	if p.suspect > open {
		open = p.suspect
		p.retract(open)
	}
	p.unclosed(open, RBrace)
}

// stmt parses one statement into b, or b's value.
func (p *parser) stmt(b *Block) {
	start := p.tok.start
	switch p.tok.kind {
	case Semi:
		p.next()
	case KwLet:
		b.Stmts = append(b.Stmts, p.let())
	case KwConst:
		p.next()
		b.Stmts = append(b.Stmts, p.constant(start, nil, false))
	case KwFor:
		b.Stmts = append(b.Stmts, p.forStmt())
	case KwBreak:
		p.next()
		p.semi("break")
		b.Stmts = append(b.Stmts, &Break{p.from(start)})
	case KwElse:
		p.fail("S39", p.here(), "this `else` belongs to no `if`", "no `if` block ends before it", "if … { … } else { … }")
		p.next()
	default:
		if p.startsItem() {
			p.innerItem()
		} else if !p.foreignStmt(b) {
			p.exprStmt(b)
		}
	}
}

// innerItem reads an item inside a function, to report what is wrong in it too.
func (p *parser) innerItem() {
	p.report("S29", p.here(), "`"+p.word()+"` stands outside of functions", "this is inside a function", "move it above the function")
	if p.enter() {
		p.item(nil)
		p.leave()
	}
}

// foreignStmt explains statements of other languages.
func (p *parser) foreignStmt(b *Block) bool {
	if !p.at(Ident) {
		return false
	}
	next := p.ahead(1)
	switch word := p.word(); word {
	case "return":
		p.returnStmt(b)
		return true
	case "while", "loop":
		if next == SetTo || next == Dot || next == Semi {
			return false
		}
		p.report("S12", p.here(), "there is no `"+word+"`: loops are bounded", "the number of turns must be known before the loop", p.loopMeant())
		p.next()
		if word == "while" {
			p.head()
		}
		p.blockAfter("the loop's head", "")
		return true
	case "continue":
		if next != Semi && next != RBrace {
			return false
		}
		p.report("S33", p.here(), "there is no `continue`", "", "if wanted { … }")
		p.next()
		p.got(Semi)
		return true
	case "var", "val", "auto", "int", "float":
		if next != Ident {
			return false
		}
		p.fail("S07", p.here(), "variables are declared with `let`", "expected `let` or `let mut`", "let mut "+p.textOf(p.i+1)+" = …;")
		return true
	}
	return false
}

func (p *parser) returnStmt(b *Block) {
	p.report("S13", p.here(), "there is no `return`", "a block's value is its last expression", "leave `return` and the `;` out; to leave a loop early, use break")
	p.next()
	if p.at(Semi) || p.at(RBrace) {
		p.got(Semi)
		return
	}
	x := p.expr()
	p.got(Semi)
	if p.at(RBrace) {
		b.Value = x
	}
}

func (p *parser) let() Stmt {
	start := p.tok.start
	p.next()
	s := &Let{Mut: p.got(KwMut)}
	s.Pattern = p.pattern()
	if !p.panicking && p.got(Colon) {
		s.Type = p.typ()
	}
	p.noPlace()
	if !p.panicking {
		s.Value = p.letValue(start)
	}
	if s.Value == nil {
		s.Value = &BadExpr{p.from(p.prevEnd)}
	}
	s.Span = p.from(start)
	return s
}

func (p *parser) letValue(start int) Expr {
	switch {
	case p.at(Eq):
		p.report("S14", p.here(), "`==` compares; `=` gives a value", "expected `=`", p.text[start:p.prevEnd]+" = …;")
		p.next()
	case p.got(SetTo):
	case p.at(Semi), p.firstOnLine(), p.endsStatement():
		_, typ, _ := strings.Cut(p.text[start:p.prevEnd], ":")
		p.report("S22", p.from(start), "a variable begins with a value", "expected `=` and a value", p.text[start:p.prevEnd]+" = "+zeroOf(typ)+";")
		p.got(Semi)
		return nil
	default:
		p.expected("`=`", "")
		return nil
	}
	x := p.expr()
	p.noPlace()
	p.semi("let")
	return x
}

func (p *parser) forStmt() Stmt {
	start := p.tok.start
	p.next()
	s := &For{Pattern: p.pattern()}
	if !p.panicking && !p.got(KwIn) {
		p.expected("`in`", "for i in 0..n { … }")
	}
	if p.panicking {
		s.Over = &BadExpr{p.here()}
		p.toBlock()
	} else {
		s.Over = p.head()
	}
	s.Body = p.blockAfter("the loop's range", "for i in 0..n { … }")
	s.Span = p.from(start)
	return s
}

// toBlock skips the rest of a broken head on this line, up to its block.
func (p *parser) toBlock() {
	for !p.at(LBrace) && !p.at(RBrace) && !p.at(EOF) && !p.firstOnLine() {
		p.next()
	}
}

// pattern parses a name, `mut` name or tuple of patterns.
func (p *parser) pattern() Pattern {
	start := p.tok.start
	if !p.at(LParen) {
		mut := p.got(KwMut)
		n := p.name("a name or `(a, b)`")
		return &NamePattern{Span: p.from(start), Mut: mut, Name: n}
	}
	if !p.enter() {
		return &TuplePattern{Span: p.here()}
	}
	defer p.leave()
	p.next()
	t := &TuplePattern{}
	comma := p.list(start, RParen, func() { t.Elems = append(t.Elems, p.pattern()) })
	if len(t.Elems) == 1 && !comma {
		return t.Elems[0]
	}
	t.Span = p.from(start)
	return t
}

// exprStmt parses an expression, an assignment, or the value of the block.
func (p *parser) exprStmt(b *Block) {
	start := p.tok.start
	x, ended := p.stmtExpr()
	if p.panicking {
		b.Stmts = append(b.Stmts, &ExprStmt{p.from(start), x})
		return
	}
	if op, ok := p.assignOp(); ok {
		s := &Assign{Target: x, Op: op, Value: p.expr()}
		p.semi("assignment")
		s.Span = p.from(start)
		b.Stmts = append(b.Stmts, s)
		return
	}
	switch {
	case p.blockEnd(true) && !(ended && valueless(x)):
		b.Value = x
		return
	case p.got(Semi), ended:
	default:
		p.missingSemi("expression")
	}
	b.Stmts = append(b.Stmts, &ExprStmt{p.from(start), x})
}

// assignOp consumes `=` or an operator with `=` directly behind it.
func (p *parser) assignOp() (Token, bool) {
	if p.got(SetTo) {
		return SetTo, true
	}
	if p.compound() {
		op := p.tok.kind
		p.next()
		p.next()
		return op, true
	}
	return EOF, false
}

// compound reports whether an operator such as `+=` comes next.
func (p *parser) compound() bool {
	prec := precedence[p.tok.kind]
	return prec > precCompare && p.ahead(1) == SetTo && p.toks[p.i+1].start == p.tok.end
}

// valueless reports whether an expression with a block has, by its form, no
// value, so that at a block's end it is a statement.
func valueless(x Expr) bool {
	switch x := x.(type) {
	case *Block:
		return x.Value == nil
	case *If:
		return x.Then.Value == nil && (x.Else == nil || valueless(x.Else))
	case *Match:
		for _, a := range x.Arms {
			if !valueless(a.Body) {
				return false
			}
		}
		return true
	}
	return false
}

// semi consumes the `;` after a statement, which may be left out only before
// the end of the block after break.
func (p *parser) semi(after string) {
	if p.panicking || p.got(Semi) || after == "break" && p.at(RBrace) {
		return
	}
	if after == "break" && p.at(Comma) {
		return // an arm of a match
	}
	p.missingSemi(after)
}

// missingSemi reports a `;` that is not there. If the next token begins a
// line or a statement that is all that is wrong.
func (p *parser) missingSemi(after string) {
	end := diag.Span{Start: p.prevEnd, End: p.prevEnd}
	switch {
	case p.at(RParen), p.at(RBracket):
		p.fail("S10", p.here(), "this "+p.found()+" closes nothing", "no bracket is open here", "leave it out")
	case p.firstOnLine(), p.endsStatement(), p.at(KwFor), p.at(KwIf), p.at(KwMatch), p.at(KwBreak):
		p.report("S08", end, "a `;` is missing after this "+after, "expected `;`", p.lineSoFar()+";")
	default:
		p.expected("`;` or an operator", "")
	}
}

// lineSoFar is the text of the previous token's line up to its end, for a
// help line; too long a line is cut.
func (p *parser) lineSoFar() string {
	_, col := p.src.Position(p.prevEnd)
	if col > 120 {
		return "…"
	}
	return strings.TrimLeft(p.text[p.prevEnd-col+1:p.prevEnd], " \t")
}
