package syntax

import (
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// typ parses a type.
func (p *parser) typ() Type { return p.typeIn(true) }

// typeIn parses a type; with angles false a `<` belongs to the type only
// where one must follow, because in `x as u8 < y` it compares.
func (p *parser) typeIn(angles bool) Type {
	start := p.tok.start
	if !p.enter() {
		return p.badType()
	}
	defer p.leave()
	switch p.tok.kind {
	case Amp:
		p.next()
		p.noMutRef()
		return &RefType{Elem: p.typeIn(angles), Span: p.from(start)}
	case AndAnd:
		p.split(Amp)
		return &RefType{Elem: p.typeIn(angles), Span: p.from(start)}
	case LBracket:
		return p.arrayType()
	case LParen:
		return p.tupleType()
	case Ident:
		return p.namedType(angles)
	case Star:
		p.report("S23", p.here(), "there are no pointers", "expected a type", "write the type alone, or & before it")
		p.next()
		return p.typeIn(angles)
	}
	p.expected("a type", "one of i8…i64, u8…u64, f32, f64, bool, idx<N>, [T; N], (A, B) or a record")
	return p.badType()
}

// badType stands for a type that is not there.
func (p *parser) badType() Type {
	at := diag.Span{Start: p.tok.start, End: p.tok.start}
	return &NamedType{Span: at, Path: []Name{{Span: at}}}
}

// noMutRef explains `&mut`.
func (p *parser) noMutRef() {
	if !p.at(KwMut) {
		return
	}
	p.report("S23", p.here(), "nothing is changed in place", "arrays are values; a function returns the new one", "leave `mut` out; a changed copy is a value of its own")
	p.next()
}

// placeText is the place whose `@` is next.
func (p *parser) placeText() string {
	end := p.i + 2
	if p.ahead(2) == LParen {
		end = p.closing(p.i+2) + 1
	}
	return p.span(p.i, max(end, p.i+1))
}

// noPlace explains a place where none may stand.
func (p *parser) noPlace() {
	if p.panicking || !p.at(At) {
		return
	}
	at := p.tok.start
	p.report("S32", p.here(), "places stand at parameters and results only", "expected no place here", "leave `"+p.placeText()+"` out; a parameter or result may have it")
	if pl := p.placeOpt(); pl != nil {
		pl.Span.Start = at
	}
}

func (p *parser) namedType(angles bool) Type {
	start := p.tok.start
	t := &NamedType{Path: p.path("a type")}
	last := t.Path[len(t.Path)-1].Text
	if p.at(Lt) && (angles || takesArgs(last)) {
		t.Args = p.typeArgs()
	}
	t.Span = p.from(start)
	return t
}

// typeArgs parses `<…>` at the `<`.
func (p *parser) typeArgs() []TypeArg {
	open := p.tok.start
	p.next()
	args := []TypeArg{}
	p.list(open, Gt, func() { args = append(args, p.typeArg()) })
	return args
}

// typeArg decides by the first tokens whether a type or a size stands here;
// a bare name is a size.
func (p *parser) typeArg() TypeArg {
	if p.typeAhead() {
		return TypeArg{Type: p.typ()}
	}
	return TypeArg{Size: p.size()}
}

func (p *parser) typeAhead() bool {
	switch p.tok.kind {
	case Amp, AndAnd, LBracket:
		return true
	case LParen:
		return p.tupleAhead()
	case Ident:
		n := 1
		for p.ahead(n) == PathSep && p.ahead(n+1) == Ident {
			n += 2
		}
		return p.ahead(n) == Lt
	}
	return false
}

// tupleAhead tells `(A, B)` and `()` from a size in parentheses.
func (p *parser) tupleAhead() bool {
	if p.ahead(1) == RParen {
		return true
	}
	depth := 0
	for n := 0; ; n++ {
		switch p.ahead(n) {
		case LParen, LBracket, LBrace:
			depth++
		case RParen, RBracket, RBrace:
			depth--
			if depth == 0 {
				return false
			}
		case Comma:
			if depth == 1 {
				return true
			}
		case EOF, Semi:
			return false
		}
	}
}

func (p *parser) tupleType() Type {
	start := p.tok.start
	p.next()
	t := &TupleType{}
	comma := p.list(start, RParen, func() { t.Elems = append(t.Elems, p.typ()) })
	if len(t.Elems) == 1 && !comma {
		return t.Elems[0] // (T) is T
	}
	t.Span = p.from(start)
	return t
}

func (p *parser) arrayType() Type {
	start := p.tok.start
	p.next()
	t := &ArrayType{Elem: p.typ()}
	if !p.panicking && p.got(Semi) {
		p.list(start, RBracket, func() { t.Dims = append(t.Dims, p.dim(start, t.Elem)) })
		if len(t.Dims) == 0 {
			p.report("S07", p.from(start), "expected a size after `;`", "no size is given", "[f32; N]")
		}
	} else {
		p.closeList(start, RBracket)
	}
	t.Span = p.from(start)
	return t
}

func (p *parser) dim(array int, elem Type) Dim {
	start := p.tok.start
	d := Dim{}
	if p.got(Question) {
		n := Name{Span: p.here()}
		if p.at(RBracket) || p.at(Comma) {
			p.expected("the size's name after `?`", p.openSize(array, elem, "K"))
		} else {
			n = p.name("the size's name after `?`")
		}
		d.Dyn = &n
		if !p.panicking && !p.got(Le) {
			p.expected("`<=` and the size's bound", p.openSize(array, elem, n.Text))
		}
		if p.panicking {
			d.Size = &BadExpr{p.from(start)}
			d.Span = p.from(start)
			return d
		}
	}
	d.Size = p.size()
	d.Span = p.from(start)
	return d
}

// openSize is what to write for an array whose size is known only at run time and has no bound here: a parameter's size is
// known at the call, and elsewhere the size follows from the value. The array begins with the bracket there.
func (p *parser) openSize(array int, elem Type, name string) string {
	text, end := p.text[elem.Where().Start:elem.Where().End], p.find(p.i, RBracket)
	if strings.Contains(text, "\n") || end < 0 {
		return ""
	}
	if p.at(Comma) { // elements are rows
		text = "[" + text + "; " + strings.TrimSpace(p.text[p.tok.end:p.toks[end].start]) + "]"
	}
	if p.inParams {
		text += "; " + name
	}
	text = "[" + text + "]"
	return instead(p.text[array:p.toks[end].end], text, text)
}

// size parses a size expression: sums and products, so that a `>` behind it
// closes the list it stands in.
func (p *parser) size() Expr {
	if !p.enter() {
		return &BadExpr{p.here()}
	}
	defer p.leave()
	saved := p.noRecord
	p.noRecord = true
	x := p.binary(precSum)
	p.noRecord = saved
	return x
}

// takesArgs reports a type that has arguments, also behind `as`.
func takesArgs(name string) bool {
	switch name {
	case "idx", "Option", "Timestamp", "Duration", "Decimal":
		return true
	}
	return false
}
