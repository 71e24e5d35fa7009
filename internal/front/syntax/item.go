package syntax

import (
	"sort"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// items parses declarations up to closer, which it leaves.
func (p *parser) items(closer Token) []Item {
	var items []Item
	for !p.at(EOF) && !p.at(closer) {
		before := p.i
		items = p.item(items)
		if p.panicking || p.i == before {
			if p.i == before && !p.at(EOF) {
				p.next()
			}
			p.syncItem(closer)
		}
	}
	return items
}

// item parses one declaration and appends it; a `use` of several names
// appends several.
func (p *parser) item(items []Item) []Item {
	start, doc := p.tok.start, p.doc()
	at := p.here()
	fused := p.got(Fused)
	pub := p.got(KwPub)
	if fused && !p.at(KwFn) {
		p.report("S07", at, "`#[fused]` belongs to a function", "expected `fn` after it, found "+p.found(), "leave it out")
	}
	switch p.tok.kind {
	case KwFn:
		f := p.fn(start, doc, pub)
		f.Fused = fused
		return append(items, f)
	case KwRecord:
		p.next()
		return append(items, p.record(start, doc, pub))
	case KwConst:
		p.next()
		return append(items, p.constant(start, doc, pub))
	case KwMod:
		return append(items, p.mod(start, pub))
	case KwUse:
		if pub {
			p.report("S07", diag.Span{Start: start, End: start + 3}, "`use` is not exported", "`pub` may stand before fn, record, const and mod", "leave `pub` out")
		}
		return p.use(items, start)
	}
	if rec := p.foreignItem(start, doc, pub); rec != nil {
		return append(items, rec)
	}
	return items
}

// foreignItem explains what does not begin an item. A struct is read as the
// record that was meant.
func (p *parser) foreignItem(start int, doc []Comment, pub bool) Item {
	word := p.word()
	switch {
	case p.at(RBrace):
		p.fail("S10", p.here(), "this `}` closes nothing", "no `{` is open here", "leave it out")
		p.next()
		p.panicking = false
	case p.at(Ident) && word == "struct":
		p.report("S15", p.here(), "records are declared with `record`", "expected `record`", "write `record`")
		p.next()
		return p.record(start, doc, pub)
	case p.at(Ident) && isForeignItem(word):
		p.fail("S16", p.here(), "there is no `"+word+"`", "expected fn, record, const, mod or use", "write functions that take the record:\nfn area(r: Rect) -> f32 { r.width * r.height }")
	case p.at(Ident) && (word == "def" || word == "func" || word == "function"):
		p.fail("S06", p.here(), "functions are declared with `fn`", "expected `fn`", "write `fn`")
	case p.at(KwLet):
		p.fail("S06", p.here(), "`let` stands inside functions", "expected fn, record, const, mod or use", "write `const`")
	case p.at(Semi):
		p.fail("S06", p.here(), "no `;` is needed here", "expected fn, record, const, mod or use", "leave it out")
	default:
		p.fail("S06", p.here(), "expected an item, found "+p.found(), "expected fn, record, const, mod or use", "put it into a function:\nfn main() -> f32 { … }")
	}
	return nil
}

func isForeignItem(w string) bool {
	switch w {
	case "enum", "impl", "trait", "type", "static", "class", "interface", "extern", "unsafe", "import", "async", "union":
		return true
	}
	return false
}

// textOf is the text of the token at index i, clipped to the last.
func (p *parser) textOf(i int) string {
	t := p.toks[min(i, len(p.toks)-1)]
	return p.text[t.start:t.end]
}

// doc gives the `///` lines directly above the current token.
func (p *parser) doc() []Comment {
	end := sort.Search(len(p.comments), func(i int) bool { return p.comments[i].Span.Start > p.tok.start })
	first, below := end, p.tok.start
	for first > 0 {
		c := p.comments[first-1]
		if c.Span.Start < p.prevEnd || !strings.HasPrefix(c.Text, "///") ||
			strings.Count(p.text[c.Span.End:below], "\n") != 1 || !ownLine(p.text, c.Span.Start) {
			break
		}
		first, below = first-1, c.Span.Start
	}
	if first == end {
		return nil
	}
	return p.comments[first:end:end]
}

// ownLine reports whether only white space stands before pos on its line.
func ownLine(text string, pos int) bool {
	line := strings.TrimPrefix(text[strings.LastIndexByte(text[:pos], '\n')+1:pos], "\ufeff")
	return strings.TrimSpace(line) == ""
}

// fn parses from the keyword on; start is where a `pub` before it began.
func (p *parser) fn(start int, doc []Comment, pub bool) *Func {
	defer func(s, c int) { p.suspect, p.itemColumn = s, c }(p.suspect, p.itemColumn)
	p.suspect, p.itemColumn = -1, p.column(start)
	p.next()
	f := &Func{Doc: doc, Pub: pub}
	f.Name = p.name("the function's name")
	if p.at(Lt) {
		f.Generics = p.generics()
	}
	p.inParams = true
	f.Params = p.params()
	p.inParams = false
	if p.got(Arrow) && !p.panicking {
		f.Result = p.typ()
		f.Place = p.placeOpt()
	}
	if (p.at(Ident) || p.at(LBracket)) && f.Result == nil && !p.panicking {
		p.report("S07", p.here(), "a `->` is missing before the result's type", "expected `->`, found "+p.found(), "-> "+p.word())
		f.Result, f.Place = p.typ(), p.placeOpt()
	}
	if p.at(KwWhere) && !p.panicking {
		p.next()
		f.Where = p.where()
	}
	if p.at(KwEnsures) && !p.panicking {
		p.next()
		f.Ensures = p.ensures()
	}
	f.Body = p.fnBody(f.Name.Text)
	f.Span = p.from(start)
	return f
}

// fnBody parses the body, after an error in the head too, so that what is
// wrong inside is reported in the same run.
func (p *parser) fnBody(name string) *Block {
	for p.panicking && !p.at(LBrace) && !p.at(EOF) && !p.startsItem() && !p.at(Semi) && !p.at(RBrace) {
		p.next()
	}
	if p.at(LBrace) {
		p.panicking = false
		return p.block()
	}
	at := p.here()
	empty := &Block{Span: diag.Span{Start: at.Start, End: at.Start}}
	switch p.tok.kind {
	case Semi, EOF, KwFn, KwRecord, KwConst, KwMod, KwUse, KwPub, RBrace:
		p.report("S11", at, "`"+name+"` has no body", "expected `{`, found "+p.found(), "{ … }")
		p.got(Semi)
		p.panicking = false
	case SetTo:
		p.fail("S11", at, "a function's body stands in braces", "expected `{`, found `=`", "{ … }")
	default:
		p.expected("`{` and the function's body", "")
	}
	return empty
}

func (p *parser) generics() []Generic {
	open := p.tok.start
	p.next()
	var list []Generic
	p.list(open, Gt, func() {
		g := Generic{Name: p.name("a generic's name")}
		if !p.panicking && p.got(Colon) {
			g.Kind = p.name("a kind: Size, Num, Int, Float, Ord, Any or Place")
		} else {
			p.report("S27", g.Name.Span, "`"+g.Name.Text+"` needs a kind", "expected `: Size`, `: Num`, `: Int`, `: Float`, `: Ord`, `: Any` or `: Place`", g.Name.Text+": Size")
		}
		g.Span = p.from(g.Name.Span.Start)
		list = append(list, g)
	})
	return list
}

func (p *parser) params() []Param {
	open := p.tok.start
	if p.panicking || !p.want(LParen, " and the parameters") {
		return nil
	}
	var list []Param
	p.list(open, RParen, func() { list = append(list, p.param()) })
	return list
}

func (p *parser) param() Param {
	if p.at(KwMut) {
		p.report("S23", p.here(), "parameters do not change", "arrays are values", "leave `mut` out; to change a copy, begin with let mut "+p.textOf(p.i+1)+" = "+p.textOf(p.i+1)+";")
		p.next()
	}
	if p.at(Amp) && p.textOf(p.i+1) == "self" || p.atWord("self") {
		p.fail("S16", p.here(), "there are no methods of records", "expected a parameter's name", "r: Rect")
	}
	m := Param{Name: p.name("a parameter's name")}
	switch {
	case p.panicking:
	case p.got(Colon):
		m.Type = p.typ()
		m.Place = p.placeOpt()
	case p.at(Ident), p.at(Amp), p.at(LBracket):
		p.report("S07", p.here(), "a `:` is missing before the type", "expected `:`, found "+p.found(), m.Name.Text+": "+p.word())
		m.Type = p.typ()
		m.Place = p.placeOpt()
	default:
		p.report("S21", m.Name.Span, "`"+m.Name.Text+"` needs a type", "expected `: type` after the name", m.Name.Text+": f32")
	}
	m.Span = p.from(m.Name.Span.Start)
	return m
}

// placeOpt parses `@ place` if it is there.
func (p *parser) placeOpt() *Place {
	if p.panicking || !p.got(At) {
		return nil
	}
	pl := &Place{Name: p.name("a place: Disk, RAM, Far, GPU(k), Node(k) or Cluster")}
	if p.at(LParen) && !p.panicking {
		pl.Args = p.args()
	}
	pl.Span = p.from(pl.Name.Span.Start)
	return pl
}

func (p *parser) record(start int, doc []Comment, pub bool) *Record {
	r := &Record{Doc: doc, Pub: pub, Name: p.name("the record's name")}
	open := p.tok.start
	if p.panicking || !p.want(LBrace, " and the record's fields") {
		r.Span = p.from(start)
		return r
	}
	p.list(open, RBrace, func() {
		f := FieldDecl{Name: p.fieldName("a field's name")}
		if !p.panicking && p.want(Colon, " and the field's type") {
			f.Type = p.typ()
			p.noPlace()
		}
		f.Span = p.from(f.Name.Span.Start)
		r.Fields = append(r.Fields, f)
	})
	r.Span = p.from(start)
	return r
}

func (p *parser) constant(start int, doc []Comment, pub bool) *Const {
	c := &Const{Doc: doc, Pub: pub, Name: p.name("the constant's name")}
	if !p.panicking && p.got(Colon) {
		c.Type = p.typ()
		p.noPlace()
	}
	if !p.panicking && p.want(SetTo, " and the constant's value") {
		c.Value = p.expr()
	} else {
		c.Value = &BadExpr{p.from(p.prevEnd)}
	}
	if !p.panicking && !p.got(Semi) {
		p.missingSemi("const")
	}
	c.Span = p.from(start)
	return c
}

func (p *parser) mod(start int, pub bool) *Mod {
	p.next()
	m := &Mod{Pub: pub, Name: p.name("the module's name")}
	open := p.tok.start
	if p.panicking || !p.want(LBrace, " and the module's items") || !p.enter() {
		m.Span = p.from(start)
		return m
	}
	m.Items = p.items(RBrace)
	p.leave()
	if !p.got(RBrace) {
		p.unclosed(open, RBrace)
	}
	m.Span = p.from(start)
	return m
}

// use parses `use a::b as c;` or `use a::{b, c as d};`. The items of one
// group share one span, by which the formatter knows them.
func (p *parser) use(items []Item, start int) []Item {
	p.next()
	prefix := []Name{p.name("a module's name")}
	var uses []*Use
	for !p.panicking && p.at(PathSep) && uses == nil {
		p.next()
		switch {
		case p.at(LBrace):
			uses = p.useGroup(prefix)
		case p.at(Star):
			p.fail("S37", p.here(), "names are imported one by one", "expected a name", "use "+p.text[prefix[0].Span.Start:p.tok.start]+"{a, b};")
		default:
			prefix = append(prefix, p.name("a name after `::`"))
		}
	}
	if uses == nil {
		uses = []*Use{{Path: prefix, As: p.alias()}}
	}
	if !p.panicking && !p.got(Semi) {
		p.missingSemi("use")
	}
	for _, u := range uses {
		u.Span = p.from(start)
		items = append(items, u)
	}
	return items
}

func (p *parser) useGroup(prefix []Name) []*Use {
	open := p.tok.start
	p.next()
	uses := []*Use{}
	p.list(open, RBrace, func() {
		leaf := p.name("a name")
		path := append(prefix[:len(prefix):len(prefix)], leaf)
		uses = append(uses, &Use{Path: path, As: p.alias()})
	})
	return uses
}

func (p *parser) alias() *Name {
	if p.panicking || !p.got(KwAs) {
		return nil
	}
	n := p.name("the name after `as`")
	return &n
}
