package kernel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var accessNames = [accesses]string{"read", "write", "readwrite", "scratch"}

func (a Access) String() string {
	if a >= accesses {
		return "badaccess"
	}
	return accessNames[a]
}

// Text writes k for people; ParseText reads it back.
func Text(k *Kernel) string {
	var p printer
	p.header(k)
	p.blockLines(&k.Body, "end")
	return p.String()
}

// InstrText is the first line of one instruction, as Text has it.
func InstrText(in *Instr) string {
	var p printer
	p.head(in)
	return p.String()
}

type printer struct {
	strings.Builder
	depth int
}

func (p *printer) line(format string, args ...any) {
	p.WriteString(strings.Repeat("  ", p.depth))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *printer) header(k *Kernel) {
	p.line("kernel")
	for i, s := range k.Sizes {
		p.line("size %s %d..%d", sizeName(i), s.Lo, s.Hi)
	}
	for _, s := range k.Scalars {
		if s.Kind.IsInt() {
			p.line("scalar %s %d..%d%s", s.Kind, s.Lo, s.Hi, below(s.Bounded, s.Bound))
		} else {
			p.line("scalar %s", s.Kind)
		}
	}
	for _, r := range k.Regions {
		p.line("region %s %s %s%s", r.Access, r.Elem, r.Len, below(r.Bounded, r.Bound))
	}
	p.line("sites %d", k.Sites)
	p.line("outer %s", k.Outer)
	p.line("grain %s", k.Grain)
	p.line("count %s", k.Count)
	for _, s := range k.State {
		p.line("state %s r%d", s.Kind, s.Region)
	}
	p.line("body%s", names(k.Body.Params))
}

func below(is bool, bound size.Poly) string {
	if !is {
		return ""
	}
	return " < " + bound.String()
}

func name(v Value) string { return "v" + strconv.Itoa(int(v)) }

// names lists values, each after a space.
func names(vs []Value) string {
	var b strings.Builder
	for _, v := range vs {
		b.WriteString(" " + name(v))
	}
	return b.String()
}

func (p *printer) blockLines(b *Block, end string) {
	p.depth++
	for i := range b.Instrs {
		p.instr(&b.Instrs[i])
	}
	p.line("%s%s", end, names(b.Results))
	p.depth--
}

func (p *printer) instr(in *Instr) {
	p.WriteString(strings.Repeat("  ", p.depth))
	p.head(in)
	p.WriteByte('\n')
	for i := range in.Blocks {
		if i > 0 {
			p.line("} else {")
		}
		p.blockLines(&in.Blocks[i], "yield")
	}
	if len(in.Blocks) > 0 {
		p.line("}")
	}
}

func (p *printer) head(in *Instr) {
	if len(in.Out) > 0 {
		p.WriteString(strings.TrimPrefix(names(in.Out), " ") + " = ")
	}
	switch in.Code {
	case Const:
		fmt.Fprintf(p, "const %s %s", in.Kind, constText(in.Kind, in.Bits))
	case SizeOf, Positive:
		fmt.Fprintf(p, "%s %s", in.Code, in.Poly)
	case ScalarArg:
		fmt.Fprintf(p, "scalar %d", in.Index)
	case Arith:
		fmt.Fprintf(p, "%s %s%s", in.Op, in.Kind, names(in.Args))
	case Convert, Bitcast:
		fmt.Fprintf(p, "%s %s %s%s", in.Code, in.From, in.Kind, names(in.Args))
	case Select:
		fmt.Fprintf(p, "select %s%s", in.Kind, names(in.Args))
	case Load, Store:
		fmt.Fprintf(p, "%s r%d%s", in.Code, in.Region, names(in.Args))
	case Bound:
		fmt.Fprintf(p, "bound%s < %s", names(in.Args), in.Poly)
	case If:
		fmt.Fprintf(p, "if%s {", names(in.Args))
	case For:
		p.loop(in)
	case Fold:
		p.fold(in)
	default:
		p.WriteString(in.Code.String() + names(in.Args))
	}
	if in.Site != NoSite {
		fmt.Fprintf(p, " site %d", in.Site)
	}
	if in.At != None {
		p.WriteString(" at " + name(in.At))
	}
}

// span is the first parameter of a loop and its range.
func (p *printer) span(in *Instr) string {
	if len(in.Blocks) != 1 || len(in.Args) < 2 || len(in.Blocks[0].Params) != 1+len(in.Carry) || len(in.Args) != 2+len(in.Carry) {
		return "malformed"
	}
	return fmt.Sprintf("%s in %s..%s", name(in.Blocks[0].Params[0]), name(in.Args[0]), name(in.Args[1]))
}

func (p *printer) loop(in *Instr) {
	span := p.span(in)
	p.WriteString("for " + span)
	if span == "malformed" {
		return
	}
	if in.Stop {
		p.WriteString(" stop")
	}
	for i, c := range in.Carry {
		fmt.Fprintf(p, ", %s %s%s = %s", name(in.Blocks[0].Params[1+i]), c.Kind, below(c.Bounded, c.Bound), name(in.Args[2+i]))
	}
	p.WriteString(" {")
}

func (p *printer) fold(in *Instr) {
	p.WriteString("fold " + p.span(in))
	if in.Tree {
		p.WriteString(" tree")
	}
	for _, a := range in.Accs {
		fmt.Fprintf(p, ", %s %s", a.Op, a.Kind)
	}
	p.WriteString(" {")
}

// constText writes floats by their bits, so that nothing is rounded, and
// says in a comment what they are.
func constText(k num.Kind, bits uint64) string {
	switch {
	case k.IsFloat():
		return fmt.Sprintf("%#x (%g)", bits, num.ToFloat(k, bits))
	case k.IsSigned():
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}
