package elaborate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// writer makes random integer expressions of one kind.
type exprWriter struct {
	r    *rand.Rand
	k    num.Kind
	vars []string
}

func (w *exprWriter) literal() string {
	most := []int64{0, 1, 2, 3, 7, 15, 31, 100, 127, 1 << 20, 1 << 40}
	v := most[w.r.IntN(len(most))]
	if uint64(v) > w.k.MaxInt() {
		v = int64(w.k.MaxInt())
	}
	if w.k.IsSigned() && w.r.IntN(4) == 0 {
		return fmt.Sprintf("(-%d%s)", v, w.k)
	}
	return fmt.Sprintf("%d%s", v, w.k)
}

func (w *exprWriter) expr(depth int) string {
	if depth == 0 || w.r.IntN(6) == 0 {
		if w.r.IntN(3) == 0 {
			return w.literal()
		}
		return w.vars[w.r.IntN(len(w.vars))]
	}
	x, y := w.expr(depth-1), w.expr(depth-1)
	switch op := w.r.IntN(16); op {
	case 12:
		return "(" + x + ").min(" + y + ")"
	case 13:
		return "(" + x + ").max(" + y + ")"
	case 14:
		return "(" + x + ").abs()"
	case 15:
		return "(if " + x + " < " + y + " { " + x + " } else { " + y + " })"
	default:
		ops := []string{"+", "-", "*", "/", "%", "+", "-", "&", "|", "^", "<<", ">>"}
		return "(" + x + " " + ops[op] + " " + y + ")"
	}
}

// TestBoundsHold compares what is claimed of integers with their values: on
// random expressions and arguments each value lies within its bounds, and no
// operation that is left unchecked overflows.
func TestBoundsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		kinds := []num.Kind{num.I8, num.U8, num.I16, num.I32, num.U32, num.I64, num.U64, num.I64, num.I64}
		k := kinds[r.IntN(len(kinds))]
		w := &exprWriter{r: r, k: k, vars: []string{"a", "b", "c"}}
		lo, hi := int64(r.IntN(50)), int64(50+r.IntN(70))
		if k.IsSigned() && r.IntN(2) == 0 {
			lo = -hi
		}
		head := fmt.Sprintf("fn f(a: %s, b: %s, c: %s", k, k, k)
		where := fmt.Sprintf("where a: Range<%d, %d>, b: Range<0, 9>", lo, hi)
		if k == num.I64 {
			w.vars = append(w.vars, "i", "N", "M")
			head += ", i: idx<N>, x: &[f32; N], y: &[f32; M]"
			where += ", N: Range<1, 1000>, M: Range<0, 500>, M <= N"
		}
		text := head + ") -> " + k.String() + " " + where + " { " + w.expr(4) + " }"
		checkBounds(t, r, text, k, lo, hi)
	}
}

func checkBounds(t *testing.T, r *rand.Rand, text string, k num.Kind, lo, hi int64) {
	t.Helper()
	msgs := new(diag.List)
	file := syntax.Parse(diag.NewSource("f.gw", text), msgs)
	p := Check([]*syntax.File{file}, msgs)
	if err := msgs.Err(); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	d := p.funcs[0]
	e := newElab(p, d.name, d.src, msgs)
	e.fr = &frame{d: d, mod: d.mod, src: d.src, sizes: map[string]size.Poly{}}
	e.declareSizes(d)
	e.params(d)
	e.ranges(d.fn)
	e.block(d.fn.Body, nil)
	for range 20 {
		n := 1 + r.Int64N(1000)
		sizes := map[string]int64{"N": n, "M": r.Int64N(min(n, 500) + 1)}
		lookup := func(name string) (int64, bool) { v, ok := sizes[name]; return v, ok }
		v := &evaluator{known: map[*graph.Node]result{}}
		bind := func(i int, x int64) {
			v.known[e.g.Body.Params[i]] = result{num.Canon(k, uint64(x)), true}
		}
		bind(0, lo+r.Int64N(hi-lo+1))
		bind(1, r.Int64N(10))
		bind(2, int64(r.Uint64())>>uint(r.IntN(64)))
		if k == num.I64 {
			bind(3, r.Int64N(n))
		}
		e.g.Body.Walk(func(m *graph.Node) bool {
			if m.Op == graph.SizeVal {
				x, _ := m.Poly.Eval(lookup)
				v.known[m] = result{uint64(x), true}
			}
			return true
		})
		e.reached(&e.g.Body, v, func(m *graph.Node) { e.holds(t, v, m, lookup, text) })
	}
}

// reached visits the nodes that a run evaluates.
func (e *elab) reached(b *graph.Block, v *evaluator, visit func(*graph.Node)) {
	for _, n := range b.Nodes {
		visit(n)
		if n.Op != graph.If {
			continue
		}
		if c, ok := v.left(n.Args[0]); ok {
			e.reached(n.Blocks[1-c&1], v, visit)
		}
	}
}

// holds checks one node. A checked operation that faults has no value that
// counts, but the bounds must still hold for what it leaves behind.
func (e *elab) holds(t *testing.T, v *evaluator, m *graph.Node, lookup func(string) (int64, bool), text string) {
	t.Helper()
	if m.Op != graph.Arith || m.Type.Kind != graph.Scalar || !m.Type.Num.IsInt() {
		return
	}
	var args [2]uint64
	for i, a := range m.Args {
		x, ok := v.left(a)
		if !ok {
			return
		}
		args[i] = x
	}
	k := m.Args[0].Type.KindOf()
	got, fault := num.Eval(m.Num, k, args[0], args[1])
	if fault && !m.Checked {
		t.Fatalf("%s: %s(%d, %d) faults unchecked", text, m.Num, int64(args[0]), int64(args[1]))
	}
	b := e.boundsOf(m)
	x := int64(got)
	if k == num.U64 && x < 0 {
		x = math.MaxInt64
	}
	bad := x < b.lo || x > b.hi
	for _, p := range b.los {
		q, ok := p.Eval(lookup)
		bad = bad || ok && x < q
	}
	for _, p := range b.his {
		q, ok := p.Eval(lookup)
		bad = bad || ok && x > q
	}
	if bad {
		t.Fatalf("%s: %s(%d, %d) = %d, claimed %d to %d, %v to %v", text, m.Num, int64(args[0]), int64(args[1]), x, b.lo, b.hi, b.los, b.his)
	}
}

// left is a node's value, or what a fault leaves behind.
func (v *evaluator) left(n *graph.Node) (uint64, bool) {
	if r, done := v.known[n]; done && r.ok {
		return r.bits, true
	}
	switch n.Op {
	case graph.Arith:
		var args [2]uint64
		for i, a := range n.Args {
			x, ok := v.left(a)
			if !ok {
				return 0, false
			}
			args[i] = x
		}
		x, _ := num.Eval(n.Num, n.Args[0].Type.KindOf(), args[0], args[1])
		v.known[n] = result{x, true}
		return x, true
	case graph.If:
		c, ok := v.left(n.Args[0])
		if !ok {
			return 0, false
		}
		return v.left(n.Blocks[1-c&1].Results[0])
	}
	return v.value(n)
}
