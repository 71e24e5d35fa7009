package syntax

import "github.com/godwit-run/godwit/internal/front/diag"

// match parses `match x { pattern => body, … }`.
func (p *parser) match() Expr {
	start := p.tok.start
	if !p.enter() {
		return &BadExpr{p.here()}
	}
	defer p.leave()
	p.next()
	m := &Match{X: p.head()}
	if p.panicking {
		p.toBlock()
	}
	open := p.tok.start
	if !p.at(LBrace) {
		p.expected("`{` and the arms", "match x { Some(v) => …, None => … }")
		m.Span = p.from(start)
		return m
	}
	p.panicking = false
	saved := p.noRecord
	p.noRecord = false
	p.next()
	m.Arms = p.arms(open)
	p.noRecord = saved
	m.Span = p.from(start)
	return m
}

func (p *parser) arms(open int) []Arm {
	var arms []Arm
	for !p.at(RBrace) && !p.at(EOF) && !p.outside() {
		a, ended := p.arm()
		arms = append(arms, a)
		if p.panicking {
			break
		}
		if p.got(Comma) || ended || p.at(RBrace) {
			continue
		}
		if p.firstOnLine() {
			at := diag.Span{Start: p.prevEnd, End: p.prevEnd}
			p.report("S07", at, "a `,` is missing after this arm", "expected `,`", p.lineSoFar()+",")
			continue
		}
		p.expected("`,` or `}`", "")
		break
	}
	if !p.panicking && !p.at(RBrace) {
		p.closeBlock(open)
	} else {
		p.closeList(open, RBrace)
	}
	return arms
}

// arm parses one arm; ended tells that its body needs no comma behind it.
func (p *parser) arm() (a Arm, ended bool) {
	start := p.tok.start
	p.armPattern(&a)
	a.Body = &BadExpr{p.here()}
	if !p.panicking && p.at(KwIf) {
		p.fail("S38", p.here(), "arms have no conditions", "expected `=>`", "=> if … { … } else { … }")
	}
	if !p.panicking && !p.got(FatArrow) {
		p.noFatArrow()
	}
	if !p.panicking {
		a.Body, ended = p.armBody()
	}
	a.Span = p.from(start)
	return a, ended
}

// noFatArrow reports a missing `=>` and skips what stands there for it.
func (p *parser) noFatArrow() {
	line := p.lineSoFar()
	text, note, help := "a `=>` is missing after the pattern", "expected `=>`, found "+p.found(), line+" => …"
	switch {
	case p.at(Arrow), p.at(SetTo), p.at(Colon):
		p.report("S18", p.here(), text, note, "write `=>`")
		p.next()
	case p.startsExpr():
		p.report("S18", p.here(), text, note, help)
	default:
		p.fail("S18", p.here(), text, note, help)
	}
}

// armBody parses an arm's body; a bare break or assignment becomes a block.
func (p *parser) armBody() (x Expr, ended bool) {
	start := p.tok.start
	if p.got(KwBreak) {
		at := p.from(start)
		return &Block{Span: at, Stmts: []Stmt{&Break{at}}}, false
	}
	x, ended = p.stmtExpr()
	if p.panicking {
		return x, ended
	}
	if op, ok := p.assignOp(); ok {
		s := &Assign{Target: x, Op: op, Value: p.expr()}
		s.Span = p.from(start)
		return &Block{Span: s.Span, Stmts: []Stmt{s}}, false
	}
	return x, ended
}

func (p *parser) armPattern(a *Arm) {
	switch {
	case p.at(Ident):
		p.namedArm(a)
	case p.at(Int), p.at(Float), p.at(Moment), p.at(Text), p.at(Minus), p.at(KwTrue), p.at(KwFalse):
		for {
			a.Lit = append(a.Lit, p.armLiteral())
			if p.panicking || !p.got(Pipe) {
				break
			}
		}
		if p.at(DotDot) {
			p.fail("S38", p.here(), "patterns have no ranges", "expected `=>` or `|`", p.patternsMeant())
		}
	case p.at(Illegal):
		p.panicking = true
		p.next()
	default:
		p.fail("S38", p.here(), "expected a pattern, found "+p.found(), "expected Some(x), None, a literal or _", "_ => …")
	}
}

func (p *parser) namedArm(a *Arm) {
	switch n := p.word(); {
	case n == "_":
		a.Wild = true
		p.next()
	case n == "None" && p.ahead(1) != PathSep:
		a.None = true
		p.next()
	case n == "Some" && p.ahead(1) == LParen:
		p.next()
		open := p.tok.start
		p.next()
		a.Some = true
		a.Bind = p.pattern()
		p.closeList(open, RParen)
	case p.ahead(1) == PathSep || p.ahead(1) == LParen || p.ahead(1) == LBrace:
		p.fail("S38", p.here(), "`"+n+"` is not a pattern", "expected Some(x), None, a literal or _", "Some(x) => …")
	default:
		a.Wild = true
		a.Bind = p.pattern()
	}
}

// armLiteral parses a number, possibly negated, or a bool.
func (p *parser) armLiteral() Expr {
	start := p.tok.start
	if p.at(Minus) && (p.ahead(1) == Int || p.ahead(1) == Float) {
		p.next()
		x := p.number()
		return &Unary{Span: p.from(start), Op: Minus, X: x}
	}
	switch p.tok.kind {
	case Int, Float, Moment, Text, KwTrue, KwFalse:
		return p.primary()
	}
	p.fail("S38", p.here(), "expected a literal, found "+p.found(), "expected a number, true, false, a date, a time or text", "")
	return &BadExpr{p.here()}
}
