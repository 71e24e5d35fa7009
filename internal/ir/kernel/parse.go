package kernel

import (
	"slices"
	"strings"
	"unicode"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// ParseText reads what Text writes. It is for tests and people: values may
// have any names, and the result is numbered canonically. Errors are
// *TextError.
func ParseText(text string) (k *Kernel, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *TextError:
			k, err = nil, e
		default:
			panic(e)
		}
	}()
	p := &parser{k: new(Kernel), values: map[string]Value{}}
	for i, line := range strings.Split(text, "\n") {
		if l := splitLine(i+1, line); len(l.words) > 0 {
			p.lines = append(p.lines, l)
		}
	}
	p.lines = append(p.lines, &textLine{number: strings.Count(text, "\n") + 1})
	p.kernel()
	Renumber(p.k)
	return p.k, nil
}

type parser struct {
	k      *Kernel
	lines  []*textLine // the last one is empty and stays
	values map[string]Value
	depth  int
}

func (p *parser) line() *textLine { return p.lines[0] }

func (p *parser) next() {
	p.line().end()
	if len(p.lines) > 1 {
		p.lines = p.lines[1:]
	}
}

func (p *parser) kernel() {
	p.line().expect("kernel")
	p.next()
	for p.header() {
		p.next()
	}
	l := p.line()
	l.expect("body")
	for l.peek() != "" {
		p.k.Body.Params = append(p.k.Body.Params, p.define(l))
	}
	if len(p.k.Body.Params) != 3+len(p.k.State) {
		l.fail("the body has %d parameters, not %d", len(p.k.Body.Params), 3+len(p.k.State))
	}
	p.next()
	p.block(&p.k.Body, "end")
	if len(p.lines) > 1 {
		p.line().fail("%q after the end of the kernel", p.line().peek())
	}
}

// header reads one line before the body.
func (p *parser) header() bool {
	l, k := p.line(), p.k
	switch {
	case l.accept("size"):
		l.expect(sizeName(len(k.Sizes)))
		lo, hi := l.span()
		k.Sizes = append(k.Sizes, Size{lo, hi})
	case l.accept("scalar"):
		s := Scalar{Kind: l.kind()}
		if s.Kind.IsInt() {
			s.Lo, s.Hi = l.span()
			s.Bounded, s.Bound = l.below()
		}
		k.Scalars = append(k.Scalars, s)
	case l.accept("region"):
		r := Region{Access: Access(slices.Index(accessNames[:], l.peek()))}
		if r.Access >= accesses {
			l.fail("%q is not an access", l.peek())
		}
		l.word()
		r.Elem = l.kind()
		r.Len = l.poly()
		r.Bounded, r.Bound = l.below()
		k.Regions = append(k.Regions, r)
	case l.accept("sites"):
		k.Sites = int(l.int())
	case l.accept("outer"):
		k.Outer = l.poly()
	case l.accept("grain"):
		k.Grain = l.poly()
	case l.accept("count"):
		k.Count = l.poly()
	case l.accept("state"):
		k.State = append(k.State, State{l.kind(), l.region()})
	default:
		return false
	}
	return true
}

// define takes a name and gives its value a provisional number.
func (p *parser) define(l *textLine) Value {
	name := p.name(l)
	if _, ok := p.values[name]; ok {
		l.fail("%s is defined twice", name)
	}
	p.values[name] = Value(len(p.values))
	return p.values[name]
}

func (p *parser) name(l *textLine) string {
	w := l.word()
	if first := rune(w[0]); !unicode.IsLetter(first) && first != '_' {
		l.fail("%q is not a name", w)
	}
	return w
}

// use looks only at the order of the text, not at scopes: tests need kernels
// that break them.
func (p *parser) use(l *textLine) Value {
	name := p.name(l)
	v, ok := p.values[name]
	if !ok {
		l.fail("%s is not defined before this", name)
	}
	return v
}

func (p *parser) uses(l *textLine, n int) []Value {
	var vs []Value
	for range n {
		vs = append(vs, p.use(l))
	}
	return vs
}

func (p *parser) block(b *Block, end string) {
	p.depth++
	if p.depth > 2*MaxDepth {
		p.line().fail("blocks are nested too deep")
	}
	for !p.line().accept(end) {
		b.Instrs = append(b.Instrs, p.instr())
	}
	for p.line().peek() != "" {
		b.Results = append(b.Results, p.use(p.line()))
	}
	p.next()
	p.depth--
}

// instr reads one instruction with its blocks. The names of its results
// stand first but come into being last.
func (p *parser) instr() Instr {
	l := p.line()
	var results []string
	if slices.Contains(l.words, "=") {
		for !l.accept("=") {
			results = append(results, p.name(l))
		}
	}
	in := Instr{Site: NoSite, At: None}
	p.operation(l, &in)
	out := &textLine{number: l.number, words: results}
	for len(out.words) > 0 {
		in.Out = append(in.Out, p.define(out))
	}
	if len(in.Out) != outs(&in) {
		l.fail("%s gives %d values, not %d", in.Code, outs(&in), len(in.Out))
	}
	if k, derived := kindOf(p.k, &in); derived {
		in.Kind = k
	}
	return in
}

func (p *parser) operation(l *textLine, in *Instr) {
	word := l.word()
	if op, ok := num.ParseOp(word); ok {
		in.Code, in.Op, in.Kind = Arith, op, l.kind()
		in.Args = p.uses(l, op.Arity())
		p.site(l, in)
		return
	}
	in.Code = Code(slices.Index(codeNames[:], word))
	switch in.Code {
	case Const:
		in.Kind = l.kind()
		in.Bits = l.bits()
	case SizeOf, Positive:
		in.Poly = l.poly()
	case ScalarArg:
		if in.Index = int(l.int()); in.Index < 0 || in.Index >= len(p.k.Scalars) {
			l.fail("there is no scalar %d", in.Index)
		}
	case Convert, Bitcast:
		in.From, in.Kind, in.Args = l.kind(), l.kind(), p.uses(l, 1)
	case Select:
		in.Kind, in.Args = l.kind(), p.uses(l, 3)
	case Load, Store:
		if in.Region = l.region(); in.Region >= len(p.k.Regions) {
			l.fail("there is no region %d", in.Region)
		}
		in.Args = p.uses(l, map[Code]int{Load: 1, Store: 2}[in.Code])
	case Bound:
		in.Args = p.uses(l, 1)
		l.expect("<")
		in.Poly = l.poly()
	case Fault:
		in.Args = p.uses(l, 1)
	case If, For, Fold:
		p.nested(l, in)
		return
	default:
		l.fail("%q is not an instruction", word)
	}
	p.site(l, in)
}

func (p *parser) site(l *textLine, in *Instr) {
	if l.accept("site") {
		in.Site = int(l.int())
		if l.accept("at") {
			in.At = p.use(l)
		}
	}
	p.next()
}

func (p *parser) nested(l *textLine, in *Instr) {
	if in.Code == If {
		in.Args = p.uses(l, 1)
		in.Blocks = make([]Block, 2)
		p.open(l)
		p.block(&in.Blocks[0], "yield")
		p.line().expect("}")
		p.line().expect("else")
		p.open(p.line())
		p.block(&in.Blocks[1], "yield")
	} else {
		in.Blocks = make([]Block, 1)
		p.span(l, in)
		p.open(l)
		p.block(&in.Blocks[0], "yield")
	}
	p.line().expect("}")
	p.next()
}

func (p *parser) open(l *textLine) {
	l.expect("{")
	p.next()
}

// span reads the head of a loop: its variable, its range, and what it
// carries or accumulates.
func (p *parser) span(l *textLine, in *Instr) {
	variable := &textLine{number: l.number, words: []string{l.word()}}
	l.expect("in")
	in.Args = p.uses(l, 1)
	l.expect("@")
	in.Args = append(in.Args, p.use(l))
	in.Stop = in.Code == For && l.accept("stop")
	in.Tree = in.Code == Fold && l.accept("tree")
	var params []string
	for l.accept(",") {
		if in.Code == Fold {
			in.Accs = append(in.Accs, p.acc(l))
			continue
		}
		params = append(params, l.word())
		c := Carry{Kind: l.kind()}
		c.Bounded, c.Bound = l.below()
		l.expect("=")
		in.Carry = append(in.Carry, c)
		in.Args = append(in.Args, p.use(l))
	}
	in.Blocks[0].Params = []Value{p.define(variable)}
	for len(params) > 0 {
		in.Blocks[0].Params = append(in.Blocks[0].Params, p.define(&textLine{number: l.number, words: params[:1]}))
		params = params[1:]
	}
}

func (p *parser) acc(l *textLine) Acc {
	w := l.word()
	op, ok := num.ParseFoldOp(w)
	if !ok {
		l.fail("%q is not a fold operator", w)
	}
	return Acc{op, l.kind()}
}
