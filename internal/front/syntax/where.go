package syntax

import "github.com/godwit-run/godwit/internal/front/diag"

// clauseEnd reports whether the conditions end here.
func (p *parser) clauseEnd() bool {
	return p.panicking || p.at(LBrace) || p.at(KwEnsures) || p.at(EOF) || p.startsItem()
}

// where parses the conditions after `where`.
func (p *parser) where() []Clause {
	var list []Clause
	for !p.clauseEnd() {
		c := p.clause()
		if c != nil {
			list = append(list, c)
		}
		if !p.got(Comma) {
			break
		}
	}
	if list == nil && !p.panicking {
		p.expected("a condition after `where`", "where N: Range<1, 1_000_000>")
	}
	if !p.clauseEnd() {
		p.expected("`,` or `{`", "")
	}
	return list
}

func (p *parser) clause() Clause {
	start := p.tok.start
	if p.at(Ident) {
		switch p.ahead(1) {
		case Colon:
			return p.rangeClause()
		case Tilde:
			n := p.name("a size")
			p.next()
			c := &ExpectClause{Name: n, Value: p.size()}
			c.Span = p.from(start)
			return c
		}
	}
	c := &CompareClause{X: p.size()}
	if p.panicking {
		return nil
	}
	c.Op = p.tok.kind
	switch c.Op {
	case Lt, Le, Gt, Ge, Eq:
		p.next()
	default:
		p.fail("S34", p.here(), "this is not a condition on sizes", "expected `: Range<lo, hi>`, `<=`, `<`, `>=`, `>`, `==` or `~`", p.text[start:p.prevEnd]+": Range<1, 1_000_000>")
		return nil
	}
	c.Y = p.size()
	c.Span = p.from(start)
	return c
}

// rangeClause parses `N: Range<lo, hi>`.
func (p *parser) rangeClause() Clause {
	c := &RangeClause{Name: p.name("a size")}
	p.next()
	bad := func() Clause {
		p.fail("S34", p.here(), "only a range may follow `:` here", "expected `Range<lo, hi>`", c.Name.Text+": Range<1, 1_000_000>")
		return nil
	}
	if !p.atWord("Range") || p.ahead(1) != Lt {
		return bad()
	}
	p.next()
	open := p.tok.start
	p.next()
	n := 0
	p.list(open, Gt, func() {
		x := p.size()
		if n == 0 {
			c.Lo = x
		} else {
			c.Hi = x
		}
		n++
	})
	c.Span = p.from(c.Name.Span.Start)
	if p.panicking {
		return nil
	}
	if n != 2 {
		p.report("S34", c.Span, "a range has two ends, both included", "expected `Range<lo, hi>`", c.Name.Text+": Range<1, 1_000_000>")
		return nil
	}
	return c
}

// ensures parses the bounds after `ensures`.
func (p *parser) ensures() []Ensure {
	var list []Ensure
	for !p.clauseEnd() {
		if e, ok := p.ensure(); ok {
			list = append(list, e)
		}
		if !p.got(Comma) {
			break
		}
	}
	if list == nil && !p.panicking {
		p.expected("a bound after `ensures`", "ensures time <= 5 ms")
	}
	if !p.clauseEnd() {
		p.expected("`,` or `{`", "")
	}
	return list
}

func (p *parser) ensure() (e Ensure, ok bool) {
	e.What = p.name("`time` or `mem`")
	if p.panicking {
		return e, false
	}
	if !p.got(Le) {
		p.fail("S34", p.here(), "a bound is an upper one", "expected `<=`, found "+p.found(), e.What.Text+" <= 5 ms")
		return e, false
	}
	p.unitsAllowed = true
	e.Bound = p.size()
	p.unitsAllowed = false
	e.Unit = p.unit(e.Bound)
	e.Span = p.from(e.What.Span.Start)
	return e, !p.panicking
}

// unit takes the unit of a bound: the name behind it, or the suffix of its
// number, which the number loses.
func (p *parser) unit(bound Expr) string {
	if p.panicking {
		return ""
	}
	if p.at(Ident) {
		u := p.word()
		p.next()
		return u
	}
	var text, suffix *string
	var span *diag.Span
	switch x := bound.(type) {
	case *IntLit:
		text, suffix, span = &x.Text, &x.Suffix, &x.Span
	case *FloatLit:
		text, suffix, span = &x.Text, &x.Suffix, &x.Span
	default:
		return ""
	}
	u := *suffix
	if u == "" || isScalarName(u) {
		return ""
	}
	*text = (*text)[:len(*text)-len(u)]
	*suffix = ""
	span.End -= len(u)
	return u
}
