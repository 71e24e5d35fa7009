package syntax

import "github.com/godwit-run/godwit/internal/front/diag"

// primary parses an operand without what follows it.
func (p *parser) primary() Expr {
	switch p.tok.kind {
	case Int, Float:
		return p.number()
	case Moment:
		return p.moment(p.span(p.i, p.i+1))
	case Text:
		return p.textLit()
	case KwTrue, KwFalse:
		x := &BoolLit{p.here(), p.at(KwTrue)}
		p.next()
		return x
	case Ident:
		return p.nameExpr()
	case LParen:
		return p.paren()
	case LBracket:
		return p.array()
	case LBrace:
		return p.block()
	case KwIf:
		return p.ifExpr()
	case KwMatch:
		return p.match()
	case Illegal: // reported by the scanner; it stood for a value
		x := &BadExpr{p.here()}
		p.next()
		return x
	}
	return p.noExpr()
}

// noExpr explains a token that begins no expression. A token that may be
// wanted by what surrounds the expression stays.
func (p *parser) noExpr() Expr {
	x := &BadExpr{diag.Span{Start: p.tok.start, End: p.tok.start}}
	switch {
	case p.at(KwLet):
		p.fail("S30", p.here(), "`let` is not a condition", "expected an expression", p.matchMeant())
	case p.at(KwFor):
		p.fail("S07", p.here(), "a `for` has no value", "expected an expression", "(0..n).map(|i| …)")
	case p.at(KwBreak):
		p.fail("S07", p.here(), "`break` stands alone", "expected an expression", "if done { break; }")
	case p.at(KwFn):
		p.fail("S29", p.here(), "functions have names", "expected an expression", "|x| …")
	case p.i > 2 && p.toks[p.i-1].kind == Minus && p.toks[p.i-2].kind == Minus:
		p.i--
		p.increment("-")
		p.i++
	default:
		p.expected("an expression", "")
	}
	return x
}

// nameExpr parses a name, a call's name with a turbofish, or a record.
func (p *parser) nameExpr() Expr {
	start := p.tok.start
	if p.ahead(1) == Bang && p.toks[p.i+1].start == p.tok.end && (p.ahead(2) == LParen || p.ahead(2) == LBracket) {
		word := p.word()
		p.fail("S31", p.here(), "there are no macros", "`"+word+"!` is not part of the language", p.macroMeant())
		return &BadExpr{p.here()}
	}
	x := &NameExpr{Path: p.path("a name")}
	if p.panicking {
		return x
	}
	if p.at(PathSep) {
		p.next()
		x.Args = p.typeArgs()
	} else if p.at(LBrace) && !p.noRecord {
		return p.recordExpr(start, x.Path)
	}
	x.Span = p.from(start)
	return x
}

func (p *parser) recordExpr(start int, path []Name) Expr {
	open := p.tok.start
	p.next()
	r := &RecordExpr{Path: path}
	p.list(open, RBrace, func() {
		if p.at(DotDot) {
			p.restMeant(start, open)
			return
		}
		f := FieldValue{Name: p.fieldName("a field's name")}
		if !p.panicking && p.got(Colon) {
			f.Value = p.freely(p.expr)
		}
		f.Span = p.from(f.Name.Span.Start)
		r.Fields = append(r.Fields, f)
	})
	r.Span = p.from(start)
	return r
}

// paren parses `(x)` and tuples.
func (p *parser) paren() Expr {
	start := p.tok.start
	saved := p.noRecord
	p.noRecord = false
	p.next()
	var list []Expr
	comma := p.list(start, RParen, func() { list = append(list, p.equality(p.expr())) })
	p.noRecord = saved
	if len(list) == 1 && !comma {
		return &ParenExpr{Span: p.from(start), X: list[0]}
	}
	return &TupleExpr{Span: p.from(start), Elems: list}
}

// array parses `[a, b]` and `[x; N, M]`.
func (p *parser) array() Expr {
	start := p.tok.start
	saved := p.noRecord
	p.noRecord = false
	defer func() { p.noRecord = saved }()
	p.next()
	if p.at(RBracket) {
		p.next()
		return &ArrayExpr{Span: p.from(start)}
	}
	first := p.expr()
	if !p.panicking && p.got(Semi) {
		r := &RepeatExpr{Value: first}
		p.list(start, RBracket, func() { r.Dims = append(r.Dims, p.expr()) })
		if len(r.Dims) == 0 {
			p.report("S07", p.from(start), "expected a size after `;`", "no size is given", "[0.0; N]")
		}
		r.Span = p.from(start)
		return r
	}
	a := &ArrayExpr{Elems: []Expr{first}}
	if !p.panicking && p.got(Comma) {
		p.list(start, RBracket, func() { a.Elems = append(a.Elems, p.expr()) })
	} else {
		p.closeList(start, RBracket)
	}
	a.Span = p.from(start)
	return a
}

// closure parses `|a, (b, c): T| body`.
func (p *parser) closure() Expr {
	start := p.tok.start
	c := &Closure{}
	if !p.got(OrOr) {
		p.next()
		p.list(start, Pipe, func() {
			m := ClosureParam{Pattern: p.closurePattern()}
			if !p.panicking && p.got(Colon) {
				m.Type = p.typ()
			}
			c.Params = append(c.Params, m)
		})
	}
	if p.at(Arrow) && !p.panicking {
		p.report("S07", p.here(), "a closure's result has no written type", "expected the closure's body", "leave `-> …` out")
		p.next()
		p.typ()
	}
	if p.panicking {
		c.Body = &BadExpr{p.here()}
	} else {
		c.Body = p.equality(p.expr())
	}
	c.Span = p.from(start)
	return c
}

// closurePattern is pattern, with an explanation of `|&x|`.
func (p *parser) closurePattern() Pattern {
	if p.at(Amp) {
		p.report("S23", p.here(), "there are no pointers to take apart", "`&x` means x", "leave the `&` out")
		p.next()
	}
	return p.pattern()
}

// ifExpr parses `if … { … } else …`. A row of else-ifs counts as nesting, for
// so deep is its tree.
func (p *parser) ifExpr() Expr {
	start := p.tok.start
	if !p.enter() {
		return &BadExpr{p.here()}
	}
	defer p.leave()
	p.next()
	x := &If{Cond: p.head()}
	if p.panicking {
		p.toBlock()
	}
	p.isThen = p.at(LBrace)
	x.Then = p.blockAfter("the condition", "if … { … }")
	if !p.panicking {
		x.Else = p.elseTail()
	}
	x.Span = p.from(start)
	return x
}

func (p *parser) elseTail() Expr {
	if p.at(Ident) {
		switch w := p.word(); w {
		case "elif", "elsif", "elseif":
			p.report("S17", p.here(), "`"+w+"` is written `else if`", "expected `else`", "else if … { … }")
			return p.ifExpr()
		}
	}
	switch {
	case !p.got(KwElse):
		return nil
	case p.at(KwIf):
		return p.ifExpr()
	}
	return p.blockAfter("`else`", "else { … }")
}
