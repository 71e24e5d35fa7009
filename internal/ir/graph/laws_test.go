package graph

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// lawCase is a fold over x: [(f32, i64); N] with accumulator p[1] and element
// p[2]. In source, the text of the operator stands at its node.
type lawCase struct {
	name   string
	source string
	init   func(b *Builder) *Node
	body   func(b *Builder, p []*Node) *Node
	ops    string // operations after the passes; "" when it must stay
	reason string
}

func initF32(b *Builder) *Node  { return b.Float(num.F32, 2) }
func initI64(b *Builder) *Node  { return b.Int(num.I64, 7) }
func initBool(b *Builder) *Node { return b.Bool(true) }

var lawCases = []lawCase{
	{"sum", "a + e.0", initF32, func(b *Builder, p []*Node) *Node { return b.Arith(num.Add, p[1], b.Get(p[2], 0)) }, "sum add", ""},
	{"sum the other way", "e.0 + a", initF32, func(b *Builder, p []*Node) *Node { return b.Arith(num.Add, b.Get(p[2], 0), p[1]) }, "sum add", ""},
	{"product of an expression", "a * (e.0 - e.0)", initF32, func(b *Builder, p []*Node) *Node {
		e := b.Get(p[2], 0)
		return b.Arith(num.Mul, p[1], b.Arith(num.Sub, e, e))
	}, "product mul", ""},
	{"wrapping", "a +% e.1", initI64, func(b *Builder, p []*Node) *Node { return b.Arith(num.Add, p[1], b.Get(p[2], 1)) }, "wrap_sum add", ""},
	{"least", "a.min(e.1)", initI64, func(b *Builder, p []*Node) *Node { return b.Arith(num.Min, p[1], b.Get(p[2], 1)) }, "min min", ""},
	{"bits", "a ^ e.1", initI64, func(b *Builder, p []*Node) *Node { return b.Arith(num.Xor, p[1], b.Get(p[2], 1)) }, "bit_xor xor", ""},
	{"number of the slot", "a +% i", initI64, func(b *Builder, p []*Node) *Node { return b.Arith(num.Add, p[1], p[0]) }, "wrap_sum add", ""},
	{"and", "a && e.1 > 0", initBool, func(b *Builder, p []*Node) *Node {
		return b.If(p[1], func() *Node { return b.Arith(num.Gt, b.Get(p[2], 1), b.Int(num.I64, 0)) }, func() *Node { return b.Bool(false) })
	}, "all and", ""},
	{"or the other way", "e.1 > 0 || a", initBool, func(b *Builder, p []*Node) *Node {
		return b.If(b.Arith(num.Gt, b.Get(p[2], 1), b.Int(num.I64, 0)), func() *Node { return b.Bool(true) }, func() *Node { return p[1] })
	}, "any or", ""},
	{"nested tuple", "(a.0 + e.0, (a.1.0.max(e.1), a.1.1))",
		func(b *Builder) *Node { return b.Tuple(initF32(b), b.Tuple(initI64(b), initI64(b))) },
		func(b *Builder, p []*Node) *Node {
			rest := b.Get(p[1], 1)
			most := b.Arith(num.Max, b.Get(p[2], 1), b.Get(rest, 0))
			return b.Tuple(b.Arith(num.Add, b.Get(p[1], 0), b.Get(p[2], 0)), b.Tuple(most, b.Get(rest, 1)))
		}, "sum max add max", ""},
	{"shared expression", "(a.0 + e.0 * e.0, a.1.max(e.0 * e.0))",
		func(b *Builder) *Node { return b.Tuple(initF32(b), initF32(b)) },
		func(b *Builder, p []*Node) *Node {
			e := b.Get(p[2], 0)
			sq := b.Arith(num.Mul, e, e)
			return b.Tuple(b.Arith(num.Add, b.Get(p[1], 0), sq), b.Arith(num.Max, b.Get(p[1], 1), sq))
		}, "sum max add max", ""},
	{"nothing changes", "a", initI64, func(b *Builder, p []*Node) *Node { return p[1] }, "const", ""},
	{"fault inside the expression", "a +% (e.1 / e.1)", initI64, func(b *Builder, p []*Node) *Node {
		e := b.Get(p[2], 1)
		return b.Arith(num.Add, p[1], b.Checked(num.Div, e, e))
	}, "wrap_sum add", ""},

	{"checked", "a + e.1", initI64, func(b *Builder, p []*Node) *Node { return b.Checked(num.Add, p[1], b.Get(p[2], 1)) }, "", "`a + e.1` is checked"},
	{"difference", "a - e.0", initF32, func(b *Builder, p []*Node) *Node { return b.Arith(num.Sub, p[1], b.Get(p[2], 0)) }, "", "`a - e.0` is not associative"},
	{"twice", "a + a * e.0", initF32, func(b *Builder, p []*Node) *Node {
		return b.Arith(num.Add, p[1], b.Arith(num.Mul, p[1], b.Get(p[2], 0)))
	}, "", "`a + a * e.0` uses the accumulator twice"},
	{"average", "(a + e.0) * 0.5", initF32, func(b *Builder, p []*Node) *Node {
		return b.Arith(num.Mul, b.Arith(num.Add, p[1], b.Get(p[2], 0)), b.Float(num.F32, 0.5))
	}, "", "does not take the accumulator itself"},
	{"last", "e.0", initF32, func(b *Builder, p []*Node) *Node { return b.Get(p[2], 0) }, "", "`e.0` replaces the accumulator"},
	{"swapped", "(a.1, a.0)", func(b *Builder) *Node { return b.Tuple(initI64(b), initI64(b)) }, func(b *Builder, p []*Node) *Node {
		return b.Tuple(b.Get(p[1], 1), b.Get(p[1], 0))
	}, "", "is not a lawful operator"},
	{"choice", "if a > e.1 { a } else { e.1 }", initI64, func(b *Builder, p []*Node) *Node {
		e := b.Get(p[2], 1)
		return b.If(b.Arith(num.Gt, p[1], e), func() *Node { return p[1] }, func() *Node { return e })
	}, "", "`if a > e.1 { a } else { e.1 }` is not a lawful operator"},
	{"fault skipped by and", "a && e.1 / e.1 > 0", initBool, func(b *Builder, p []*Node) *Node {
		return b.If(p[1], func() *Node {
			e := b.Get(p[2], 1)
			return b.Arith(num.Gt, b.Checked(num.Div, e, e), b.Int(num.I64, 0))
		}, func() *Node { return b.Bool(false) })
	}, "", "can fault and is evaluated only when needed"},
	{"unused fault of the accumulator", "a +% e.1; a / 2", initI64, func(b *Builder, p []*Node) *Node {
		b.Checked(num.Div, p[1], b.Int(num.I64, 2))
		return b.Arith(num.Add, p[1], b.Get(p[2], 1))
	}, "", "can fault and uses the accumulator"},
	{"fault inside a fold of the accumulator", "a +% e.1; …", initI64, func(b *Builder, p []*Node) *Node {
		n := size.Const(3)
		b.Map(n, func(q []*Node) *Node { return b.Checked(num.Div, q[0], p[1]) })
		return b.Arith(num.Add, p[1], b.Get(p[2], 1))
	}, "", "can fault and uses the accumulator"},
}

func (c *lawCase) graph(masked bool) *Graph {
	b := NewBuilder("f", diag.NewSource("f.gw", c.source))
	b.Pos = diag.Span{Start: 0, End: len(c.source)}
	n := b.Size("N", 0, 100)
	x := b.Param("x", ArrayOf(TupleOf(f32, I64Type), n))
	if masked {
		x = b.Filter(x, func(p []*Node) *Node { return b.Arith(num.Gt, b.Get(p[1], 1), b.Int(num.I64, 0)) })
	}
	return b.Return(b.Fold(x, c.init(b), func(p []*Node) *Node { return c.body(b, p) }))
}

func TestRecognize(t *testing.T) {
	var all strings.Builder
	for _, c := range lawCases {
		for _, masked := range []bool{false, true} {
			g := c.graph(masked)
			if err := Optimize(g, true); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, Print(g))
			}
			if !masked {
				all.WriteString("## " + c.name + ": " + c.source + "\n" + Print(g) + "\n")
			}
			c.check(t, g)
		}
	}
	golden(t, "laws", all.String())
}

func (c *lawCase) check(t *testing.T, g *Graph) {
	t.Helper()
	text := Print(g)
	if stays := strings.Contains(text, "= fold"); stays != (c.ops == "") {
		t.Errorf("%s: fold stays: %v\n%s", c.name, stays, text)
	}
	for _, op := range strings.Fields(c.ops) {
		if !strings.Contains(text, " "+op+" ") {
			t.Errorf("%s: no %s in\n%s", c.name, op, text)
		}
	}
	if !strings.Contains(text, c.reason) {
		t.Errorf("%s: no reason %q in\n%s", c.name, c.reason, text)
	}
}

func TestLaws(t *testing.T) {
	for m := SumOf; m < monoids; m++ {
		for k := num.Bool; k <= num.F64; k++ {
			elem := ScalarOf(k)
			if !m.Takes(elem) {
				continue
			}
			op, in := m.Fold(k)
			if !op.Valid() || !op.Takes(in) {
				t.Errorf("%s on %s folds by %s on %s", m, k, op, in)
			}
			if l := m.Law(k); l.Canonical == l.Associative {
				t.Errorf("%s on %s: %s", m, k, l)
			}
		}
	}
}
