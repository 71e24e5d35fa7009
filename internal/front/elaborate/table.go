package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: an array literal of nothing but numbers and bools, rows and tuples of them included.
// Out, if it is long: a parameter of the graph with its value (graph.ParamInfo.Literal),
// which whoever runs the graph binds like an argument. As code each element takes some 30
// bytes of a kernel and a comparison on the way to every other.

// maxWritten is up to how many numbers a literal is code.
const maxWritten = 256

// maxTable is how many numbers a literal may have. Tests lower it.
var maxTable = 1_000_000

// tableKey tells literals apart, and one literal that is wanted of several types.
type tableKey struct {
	x    *syntax.ArrayExpr
	want string
}

// plainNumbers counts the numbers of a literal; 0 if there is anything else in it.
func plainNumbers(x syntax.Expr) int {
	switch y := x.(type) {
	case *syntax.IntLit, *syntax.FloatLit, *syntax.BoolLit:
		return 1
	case *syntax.ParenExpr:
		return plainNumbers(y.X)
	case *syntax.Unary:
		switch y.X.(type) {
		case *syntax.IntLit, *syntax.FloatLit:
			if y.Op == syntax.Minus {
				return 1
			}
		}
	case *syntax.ArrayExpr:
		return allNumbers(y.Elems)
	case *syntax.TupleExpr:
		return allNumbers(y.Elems)
	}
	return 0
}

func allNumbers(list []syntax.Expr) int {
	all := 0
	for _, x := range list {
		n := plainNumbers(x)
		if n == 0 {
			return 0
		}
		all += n
	}
	return all
}

// table is a literal that is being read.
type table struct {
	e       *elab
	columns [][]uint64 // in the order of graph.Leaves
}

// tabled is a long literal of n numbers.
func (e *elab) tabled(x *syntax.ArrayExpr, n int, want *graph.Type) *graph.Node {
	if n > maxTable {
		e.errorf(x.Span, "T18", "this array is too long to be written out").Note("%d numbers, at most %d", n, maxTable).
			Help("store them in a file, and take it as an argument")
		return nil
	}
	key := tableKey{x: x}
	if want != nil {
		key.want = want.String()
	}
	if p := e.tables[key]; p != nil {
		return p
	}
	l := &table{e: e}
	t := l.read(x, want, 0)
	if t == nil {
		return nil
	}
	p := e.literalParam(x, t, l.columns)
	e.tables[key] = p
	return p
}

// literalParam makes a parameter that has its value.
func (e *elab) literalParam(x *syntax.ArrayExpr, t *graph.Type, columns [][]uint64) *graph.Node {
	root := e.cur
	for root.outer != nil {
		root = root.outer
	}
	line, _ := e.fr.src.Position(x.Span.Start)
	info := graph.ParamInfo{Name: "literal:" + itoa(int64(line)), Pos: e.where(x.Span), Text: t.String()}
	for j, leaf := range graph.Leaves(t) {
		c := column.Column{Kind: leaf.Type.KindOf()}
		for _, d := range leaf.Dims {
			n, _ := d.Const()
			c.Dims = append(c.Dims, n)
		}
		c.Data = make([]byte, c.Len()*int64(c.Kind.Size()))
		for i, bits := range columns[j] {
			c.Set(int64(i), bits)
		}
		info.Literal = append(info.Literal, c)
	}
	var p *graph.Node
	e.inScope(root, func() { p = e.param(t, x.Span) })
	p.Name = info.Name
	e.g.ParamInfo = append(e.g.ParamInfo, info)
	return p
}

// read appends the numbers of x to the columns from first on, and gives its type; nil after
// an error.
func (l *table) read(x syntax.Expr, want *graph.Type, first int) *graph.Type {
	switch y := x.(type) {
	case *syntax.ParenExpr:
		return l.read(y.X, want, first)
	case *syntax.ArrayExpr:
		return l.array(y, want, first)
	case *syntax.TupleExpr:
		t := &graph.Type{Kind: graph.Tuple}
		for i, part := range y.Elems {
			var w *graph.Type
			if want != nil && want.Kind == graph.Tuple && len(want.Elems) == len(y.Elems) {
				w = want.Elems[i]
			}
			p := l.read(part, w, first)
			if p == nil {
				return nil
			}
			t.Elems = append(t.Elems, p)
			first += len(graph.Leaves(p))
		}
		return t
	}
	return l.number(x, want, first)
}

// array reads elements that all have the type that is wanted, or that of the first that is
// not just a number.
func (l *table) array(x *syntax.ArrayExpr, want *graph.Type, first int) *graph.Type {
	t := elemWant(want)
	if t == nil || types.HasOpen(t) {
		lead := max(0, slices.IndexFunc(x.Elems, func(x syntax.Expr) bool { return !flexible(x) }))
		if t = (&table{e: l.e}).read(x.Elems[lead], t, 0); t == nil {
			return nil
		}
	}
	for _, el := range x.Elems {
		found := l.read(el, t, first)
		if found == nil {
			return nil
		}
		if !found.Equal(t) {
			l.e.mismatch(found, t, el.Where())
			return nil
		}
	}
	return graph.ArrayOf(t, size.Const(int64(len(x.Elems))))
}

// number reads one number; nothing is left of the nodes that show its value.
func (l *table) number(x syntax.Expr, want *graph.Type, column int) *graph.Type {
	e := l.e
	mark, steps := len(e.info), e.steps
	var n *graph.Node
	e.inBlock(func() {
		if n = e.expr(x, want); want != nil && !types.HasOpen(want) {
			n = e.coerce(n, want, x.Where())
		}
	})
	if n == nil {
		return nil
	}
	bits, ok := evaluate(n)
	if !ok {
		e.errorf(x.Where(), "F07", "this constant cannot be computed").Note("expected a number").Help("0")
		return nil
	}
	t := n.Type
	clear(e.info[mark:])
	e.info, e.steps = e.info[:mark], steps
	for len(l.columns) <= column {
		l.columns = append(l.columns, nil)
	}
	l.columns[column] = append(l.columns[column], bits)
	return t
}
