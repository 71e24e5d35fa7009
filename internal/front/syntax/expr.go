package syntax

import "github.com/godwit-run/godwit/internal/front/diag"

// Binding strengths, as in Rust. `as` and the unary operators bind tighter
// than all of them, `..` weaker.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precSum
	precProduct
)

var precedence = [tokens]int8{
	OrOr: precOr, AndAnd: precAnd,
	Eq: precCompare, Ne: precCompare, Lt: precCompare, Le: precCompare, Gt: precCompare, Ge: precCompare,
	Pipe: precBitOr, Caret: precBitXor, Amp: precBitAnd, Shl: precShift, Shr: precShift,
	Plus: precSum, Minus: precSum, WrapAdd: precSum, WrapSub: precSum, SatAdd: precSum,
	Star: precProduct, Slash: precProduct, Percent: precProduct, WrapMul: precProduct,
}

// expr parses a whole expression.
func (p *parser) expr() Expr {
	if !p.enter() {
		return &BadExpr{p.here()}
	}
	defer p.leave()
	start := p.tok.start
	return p.rangeTail(start, p.binary(precOr))
}

// freely parses with parse where record literals are allowed again.
func (p *parser) freely(parse func() Expr) Expr {
	saved := p.noRecord
	p.noRecord = false
	x := parse()
	p.noRecord = saved
	return x
}

// head parses the expression between if, match or for and the `{`.
func (p *parser) head() Expr {
	saved := p.noRecord
	p.noRecord = true
	x := p.equality(p.expr())
	p.noRecord = saved
	if n, ok := lastName(x); ok && p.at(LBrace) && p.ahead(1) == Ident && (p.ahead(2) == Colon || p.ahead(2) == Comma) {
		p.report("S26", n, "a record stands in parentheses here", "the `{` after it opens the body", "("+p.span(p.i-1, p.closing(p.i)+1)+")")
		p.skipGroup()
	}
	return x
}

// lastName gives the name an expression ends with.
func lastName(x Expr) (diag.Span, bool) {
	switch x := x.(type) {
	case *NameExpr:
		return x.Span, true
	case *Binary:
		return lastName(x.Y)
	}
	return diag.Span{}, false
}

// equality explains `=` where a condition was meant.
func (p *parser) equality(x Expr) Expr {
	if p.panicking || !p.at(SetTo) {
		return x
	}
	at := p.here()
	start, left, reported := x.Where().Start, p.prevEnd, len(p.out.Messages)
	p.report("S14", at, "`=` gives a value; `==` compares", "expected `==`", "")
	p.next()
	y := p.expr()
	if len(p.out.Messages) > reported && p.out.Messages[reported].Code == "S14" {
		p.out.Messages[reported].Help = p.text[start:left] + " == " + p.text[y.Where().Start:max(p.prevEnd, y.Where().Start)]
	}
	return &Binary{Span: p.from(start), OpSpan: at, Op: Eq, X: x, Y: y}
}

// stmtExpr parses an expression at the start of a statement. One that begins
// with a block ends with it, as in Rust, unless a `.` follows; ended tells.
func (p *parser) stmtExpr() (x Expr, ended bool) {
	start := p.tok.start
	if !p.at(KwIf) && !p.at(KwMatch) && !p.at(LBrace) {
		return p.expr(), false
	}
	x = p.primary()
	if p.panicking || !p.at(Dot) {
		return x, true
	}
	x = p.castTail(start, p.postfix(start, x))
	return p.rangeTail(start, p.binaryTail(start, x, precOr)), false
}

func (p *parser) rangeTail(start int, lo Expr) Expr {
	if p.panicking || !p.at(DotDot) {
		return lo
	}
	dots := p.here()
	p.next()
	x := &RangeExpr{Lo: lo}
	switch {
	case p.at(SetTo):
		p.report("S25", diag.Span{Start: dots.Start, End: p.tok.end}, "ranges leave their end out", "there is no `..=`", p.text[start:dots.Start]+"..n + 1")
		p.next()
		x.Hi = p.binary(precOr)
	case !p.startsExpr():
		p.report("S25", dots, "a range has both ends", "expected an expression after `..`", p.openEnd(start, dots.End))
		x.Hi = &BadExpr{p.from(p.prevEnd)}
	default:
		x.Hi = p.binary(precOr)
	}
	x.Span = p.from(start)
	if p.at(DotDot) && !p.panicking {
		p.fail("S25", p.here(), "a range has two ends", "a third `..` part makes no sense", p.text[x.Span.Start:x.Span.End])
	}
	return x
}

// startsExpr reports whether an expression can begin here.
func (p *parser) startsExpr() bool {
	switch p.tok.kind {
	case Ident, Int, Float, Moment, Text, KwTrue, KwFalse, LParen, LBracket, Minus, Bang, Amp, AndAnd, Pipe, OrOr, KwIf, KwMatch, Illegal, Star, Plus:
		return true
	case LBrace:
		return !p.noRecord
	}
	return false
}

// binary parses operators that bind at least as tightly as least.
func (p *parser) binary(least int8) Expr {
	start := p.tok.start
	return p.binaryTail(start, p.cast(), least)
}

func (p *parser) binaryTail(start int, x Expr, least int8) Expr {
	links := 0
	for !p.panicking {
		if precCompare >= least && p.foreignCompare(start, x) {
			return &BadExpr{p.from(start)}
		}
		op := p.operator()
		prec := precedence[op]
		if prec == 0 || prec < least || p.compound() {
			break
		}
		b := &Binary{OpSpan: p.here(), Op: op, X: x}
		if prec == precCompare {
			p.chained(b)
		}
		if p.at(Ident) {
			p.report("S17", p.here(), "`"+p.word()+"` is written `"+op.String()+"`", "expected an operator", p.text[start:p.prevEnd]+" "+op.String()+" …")
		}
		p.next()
		b.Y = p.binary(prec + 1)
		b.Span = p.from(start)
		x = b
		if !p.link(&links) {
			break
		}
	}
	return x
}

// operator is the current token, or the operator a word stands for.
func (p *parser) operator() Token {
	if p.tok.kind == Ident && p.tok.end-p.tok.start <= 3 && !p.firstOnLine() {
		switch p.word() {
		case "and":
			return AndAnd
		case "or":
			return OrOr
		}
	}
	return p.tok.kind
}

// power explains `a ** b` at its second star.
func (p *parser) power() {
	at := diag.Span{Start: p.toks[p.i-1].start, End: p.tok.end}
	help := "write `.powf(` before the power, and `)` after it"
	if p.ahead(1) == Int {
		of := p.text[at.Start:p.toks[p.i+1].end]
		help = instead(of, ".powi::<"+p.textOf(p.i+1)+">()", help)
	}
	p.report("S23", at, "there is no `**`", "powers are operations of floats", help)
	p.next()
}

// chained explains `a < b < c`.
func (p *parser) chained(b *Binary) {
	if l, ok := b.X.(*Binary); ok && precedence[l.Op] == precCompare {
		left, mid := p.text[l.Span.Start:l.Span.End], p.text[l.Y.Where().Start:l.Y.Where().End]
		p.report("S19", b.OpSpan, "comparisons do not chain", "the left side is a bool already", left+" && "+mid+" "+b.Op.String()+" …")
	}
}

// cast parses `x as T`, which binds tighter than any binary operator and
// weaker than the unary ones: -x as u8 is (-x) as u8.
func (p *parser) cast() Expr {
	start := p.tok.start
	return p.castTail(start, p.unary())
}

func (p *parser) castTail(start int, x Expr) Expr {
	links := 0
	for p.at(KwAs) && !p.panicking && p.link(&links) {
		p.next()
		c := &Cast{X: x, Type: p.typeIn(false)}
		c.Span = p.from(start)
		x = c
	}
	return x
}

func (p *parser) unary() Expr {
	start := p.tok.start
	switch p.tok.kind {
	case Minus, Bang, Amp, AndAnd, Star, Plus:
		if !p.enter() {
			return &BadExpr{p.here()}
		}
		defer p.leave()
		return p.prefixed(start)
	case Pipe, OrOr:
		return p.closure()
	case Ident:
		if p.word() == "not" && (p.ahead(1) == Ident || p.ahead(1) == KwTrue || p.ahead(1) == KwFalse) {
			return p.notExpr(start)
		}
	}
	return p.postfix(start, p.primary())
}

// notExpr explains `not x`, which denies a whole comparison.
func (p *parser) notExpr(start int) Expr {
	at, reported := p.here(), len(p.out.Messages)
	p.report("S17", at, "`not` is written `!`", "expected an operator", "")
	p.next()
	from := p.tok.start
	x := p.binary(precCompare)
	if len(p.out.Messages) > reported && p.out.Messages[reported].Code == "S17" {
		text := p.text[from:max(p.prevEnd, from)]
		if _, whole := x.(*Binary); whole {
			text = "(" + text + ")"
		}
		p.out.Messages[reported].Help = "!" + text
	}
	return &Unary{Span: p.from(start), Op: Bang, X: x}
}

// prefixed parses an operator and its operand.
func (p *parser) prefixed(start int) Expr {
	op := p.tok.kind
	switch op {
	case AndAnd:
		p.split(Amp)
	case Plus:
		p.plusPlus()
		p.next()
		return p.unary()
	case Star:
		if p.i > 0 && p.toks[p.i-1].kind == Star && p.toks[p.i-1].end == p.tok.start {
			p.power()
			return p.unary()
		}
		p.report("S23", p.here(), "there are no pointers to follow", "`&x` means x", "leave the `*` out")
		p.next()
		return p.unary()
	default:
		p.next()
	}
	if op == Amp {
		p.noMutRef()
	}
	x := p.unary()
	if op == Amp || op == AndAnd {
		return &BorrowExpr{Span: p.from(start), X: x}
	}
	return &Unary{Span: p.from(start), Op: op, X: x}
}

// plusPlus explains a `+` before an operand, at the `+`.
func (p *parser) plusPlus() {
	if p.i > 1 && p.toks[p.i-1].kind == Plus {
		p.increment("+")
		return
	}
	p.report("S28", p.here(), "there is no `+` before a number", "", "leave it out")
}

// increment explains `i++` and `i--`.
func (p *parser) increment(op string) {
	name := p.textOf(p.i - 2)
	p.fail("S28", p.here(), "there is no `"+op+op+"`", "", name+" "+op+"= 1;")
}

// postfix parses what may follow an operand: fields, calls and indices.
func (p *parser) postfix(start int, x Expr) Expr {
	links := 0
	for !p.panicking {
		switch p.tok.kind {
		case Dot:
			x = p.dot(start, x)
		case LBracket:
			x = p.index(start, x)
		case LParen:
			x = p.call(start, x)
		case Question:
			p.report("S35", p.here(), "there is no `?` operator", "", p.choiceMeant())
			p.panicking = true
		default:
			return x
		}
		if !p.link(&links) {
			break
		}
	}
	return x
}

func (p *parser) dot(start int, x Expr) Expr {
	p.next()
	if p.at(Int) {
		switch x.(type) {
		case *IntLit, *FloatLit:
			p.report("S03", p.from(start), "a number has no fields", "", p.text[start:p.prevEnd-1]+"."+p.word())
		}
		n := Name{p.here(), p.word()}
		p.next()
		return &Field{Span: p.from(start), X: x, Name: n}
	}
	what := "a field or method name after `.`"
	if n, ok := x.(*IntLit); ok && !p.at(Ident) {
		p.fail("S03", p.from(start), "a float has digits on both sides of the point", "expected a digit after `.`", n.Text+".0")
		return x
	}
	if p.at(Quoted) || p.tok.kind.IsKeyword() && p.ahead(1) != LParen {
		n := p.fieldName(what)
		return &Field{Span: p.from(start), X: x, Name: n}
	}
	if p.at(KwWhere) {
		p.fail("S07", p.here(), "rows are chosen by `filter`", "`where` stands in the head of a function", "filter")
		return x
	}
	n := p.name(what)
	if p.panicking || !p.at(LParen) && !(p.at(PathSep) && p.ahead(1) == Lt) {
		return &Field{Span: p.from(start), X: x, Name: n}
	}
	c := &MethodCall{Receiver: x, Name: n}
	if p.got(PathSep) {
		c.TypeArgs = p.typeArgs()
	}
	if !p.panicking && !p.at(LParen) {
		p.expected("`(` and the arguments", "")
	}
	if !p.panicking {
		c.Args = p.args()
	}
	c.Span = p.from(start)
	return c
}

// args parses `(a, b)`.
func (p *parser) args() []Expr {
	open := p.tok.start
	saved := p.noRecord
	p.noRecord = false
	p.next()
	var list []Expr
	p.list(open, RParen, func() { list = append(list, p.equality(p.expr())) })
	p.noRecord = saved
	return list
}

func (p *parser) call(start int, x Expr) Expr {
	f, ok := x.(*NameExpr)
	at := p.from(start)
	args := p.args()
	if !ok {
		p.report("S24", at, "only functions are called", "this is a value", appliedMeant(p.text, x, args))
		return &BadExpr{p.from(start)}
	}
	return &Call{Span: p.from(start), Func: f, Args: args}
}

func (p *parser) index(start int, x Expr) Expr {
	open := p.tok.start
	p.next()
	i := p.freely(func() Expr { return p.inIndex(diag.Span{Start: start, End: open}) })
	if p.at(Comma) && !p.panicking {
		p.report("S36", p.here(), "there is one index in each bracket", "expected `]`", "write `][`")
		p.panicking = true
	}
	p.closeList(open, RBracket)
	return &Index{Span: p.from(start), X: x, I: i}
}
