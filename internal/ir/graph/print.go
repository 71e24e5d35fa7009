package graph

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Print writes the graph for people and golden tests: one node a line,
// blocks indented below their node. Nodes are numbered in the order they are
// printed, so the text does not depend on the history of the graph.
func Print(g *Graph) string {
	p := newPrinter(g)
	p.header()
	p.body(&g.Body, "  ")
	return p.b.String()
}

type printer struct {
	b       strings.Builder
	g       *Graph
	numbers map[*Node]int
}

func newPrinter(g *Graph) *printer {
	p := &printer{g: g, numbers: map[*Node]int{}}
	g.Body.Walk(func(n *Node) bool {
		if _, again := p.numbers[n]; again {
			return false // a broken graph; the verifier says so
		}
		p.numbers[n] = len(p.numbers)
		return true
	})
	return p
}

func (p *printer) header() {
	params := make([]string, len(p.g.Body.Params))
	for i, n := range p.g.Body.Params {
		params[i] = fmt.Sprintf("%s %s: %s", p.ref(n), n.Name, n.Type)
		if i < len(p.g.ParamInfo) && p.g.ParamInfo[i].Place != (Place{}) {
			params[i] += " @ " + p.g.ParamInfo[i].Place.String()
		}
	}
	fmt.Fprintf(&p.b, "graph %s(%s)", p.g.Name, strings.Join(params, ", "))
	for _, r := range p.g.Body.Results {
		fmt.Fprintf(&p.b, " -> %s", r.Type)
	}
	if p.g.ResultPlace != (Place{}) {
		p.b.WriteString(" @ " + p.g.ResultPlace.String())
	}
	p.b.WriteByte('\n')
	for _, s := range p.g.Sizes {
		p.size(s)
	}
	for i, s := range p.g.Sites {
		fmt.Fprintf(&p.b, "  site %d: %s, %s%s\n", i, s.Kind, s.Text, p.position(s))
	}
}

func (p *printer) size(s SizeParam) {
	fmt.Fprintf(&p.b, "  size %s: %d..=%d", s.Name, s.Lo, s.Hi)
	if s.Expected != 0 {
		fmt.Fprintf(&p.b, " ~ %d", s.Expected)
	}
	p.b.WriteByte('\n')
}

func (p *printer) position(s Site) string {
	if p.g.Source == nil {
		return ""
	}
	line, col := p.g.Source.Position(s.Pos.Start)
	return fmt.Sprintf(" at %d:%d", line, col)
}

func (p *printer) body(b *Block, indent string) {
	for _, n := range b.Nodes {
		p.b.WriteString(indent + p.line(n))
		note := n.note()
		if note != "" {
			note = "  // " + note
		}
		for i, inner := range n.Blocks {
			p.b.WriteString(p.opening(n, i, inner) + note + "\n")
			p.body(inner, indent+"  ")
			p.b.WriteString(indent + "}")
			note = ""
		}
		p.b.WriteString(note + "\n")
	}
	p.b.WriteString(indent + "-> " + p.refs(b.Results) + "\n")
}

// opening is what stands before the body of block i.
func (p *printer) opening(n *Node, i int, b *Block) string {
	s := ""
	switch {
	case i > 0 && n.Op == If:
		s = " else"
	case i > 0:
		s = " update"
	}
	if len(b.Params) > 0 {
		params := make([]string, len(b.Params))
		for j, q := range b.Params {
			params[j] = p.ref(q)
			if q.Name != "" {
				params[j] += " " + q.Name
			}
			params[j] += ": " + q.Type.String()
		}
		s += " |" + strings.Join(params, ", ") + "|"
	}
	return s + " {"
}

// line is a node without its blocks.
func (p *printer) line(n *Node) string {
	s := p.ref(n)
	if n.Name != "" {
		s += " " + n.Name
	}
	s += " = " + n.Op.String()
	if d := n.detail(); d != "" {
		s += " " + d
	}
	if len(n.Args) > 0 {
		s += " " + p.refs(n.Args)
	}
	s += ": " + n.Type.String()
	if n.Site >= 0 {
		s += fmt.Sprintf(" !%d", n.Site)
	}
	return s
}

func (p *printer) ref(n *Node) string {
	if i, ok := p.numbers[n]; ok {
		return "%" + strconv.Itoa(i)
	}
	return "%?"
}

func (p *printer) refs(nodes []*Node) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = p.ref(n)
	}
	return strings.Join(parts, ", ")
}

// detail is what tells an operation apart besides arguments and type.
func (n *Node) detail() string {
	var parts []string
	switch n.Op {
	case Const:
		parts = append(parts, constText(n.Type, n.Bits))
	case Arith:
		parts = append(parts, n.Num.String())
	case Get:
		parts = append(parts, n.fieldText())
	case Update:
		parts = append(parts, n.pathText())
	case Reduce, KeyedReduce:
		parts = append(parts, n.Monoid.String())
	}
	if n.Checked {
		parts = append(parts, "checked")
	}
	if n.HasPoly {
		parts = append(parts, "<"+n.Poly.String()+">")
	}
	if n.Desc {
		parts = append(parts, "desc")
	}
	if n.Stop {
		parts = append(parts, "stop")
	}
	if n.Op == Loop {
		parts = append(parts, n.turnsText())
	}
	if n.Defines != "" {
		parts = append(parts, "?"+strings.TrimPrefix(n.Defines, "?"))
	}
	return strings.Join(parts, " ")
}

func (n *Node) fieldText() string {
	if len(n.Args) == 1 && n.Args[0] != nil && n.Args[0].Type != nil {
		return "." + n.Args[0].Type.FieldName(n.Field)
	}
	return fmt.Sprintf(".%d", n.Field)
}

func (n *Node) turnsText() string {
	if n.Max != 0 {
		return fmt.Sprintf("max %d", n.Max)
	}
	return "max " + n.MaxPoly.String()
}

// note is what explain wants to see: the laws of a reduction, or why there
// are none.
func (n *Node) note() string {
	switch n.Op {
	case Reduce:
		if t := n.Args[0].Type; t != nil && t.Kind == Array && n.Monoid.Takes(t.Elem()) {
			return n.Monoid.Law(n.Monoid.Kind(t.Elem())).String()
		}
	case KeyedReduce:
		if len(n.Blocks) == 1 && len(n.Blocks[0].Results) == 2 {
			return n.Monoid.Law(keyedScalar(n.Blocks[0].Results[1].Type).KindOf()).String()
		}
	case Fold, Scatter:
		if n.Reason != "" {
			return "in order: " + n.Reason
		}
	}
	return ""
}

func constText(t *Type, bits uint64) string {
	k := t.KindOf()
	switch {
	case k == num.Bool:
		return strconv.FormatBool(bits != 0)
	case k == num.F32:
		return strconv.FormatFloat(num.ToFloat(k, bits), 'g', -1, 32)
	case k == num.F64:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case k.IsSigned():
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}
