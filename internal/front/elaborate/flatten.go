package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// flatten is the elements of all rows, one after the other.
func (e *elab) flatten(c *methodUse) *graph.Node {
	if !e.matrix(c, c.recv) {
		return nil
	}
	rows := c.recv.Type
	from := []size.Poly{rows.Size, rows.Elem().Size}
	return e.reshaped(c, from, []size.Poly{from[0].Mul(from[1])})
}

// maxDims is how many sizes reshape takes in ::<…>.
const maxDims = 8

// reshape is the same elements, in the same order, in other rows: of the sizes in ::<…>, or of
// those that the context expects.
func (e *elab) reshape(c *methodUse) *graph.Node {
	to := c.sizes
	if len(to) == 0 && c.want != nil && !types.HasOpen(c.want) {
		to = dimsOf(c.want)
	}
	if len(to) == 0 {
		e.errorf(c.x.Name.Span, "T11", "the sizes of the result are not known").Note("expected ::<…>, or a context that says which").
			Help("%s.reshape::<4, 4>()", e.operand(c.x.Receiver))
		return nil
	}
	return e.reshaped(c, dimsOf(c.recv.Type), to)
}

// dimsOf lists the sizes of nested arrays, the outermost first.
func dimsOf(t *graph.Type) (dims []size.Poly) {
	for ; t.Kind == graph.Array; t = t.Elem() {
		dims = append(dims, t.Size)
	}
	return dims
}

func product(dims []size.Poly) size.Poly {
	p := size.Const(1)
	for _, d := range dims {
		p = p.Mul(d)
	}
	return p
}

// reshaped reads an array of rows with sizes from as one with sizes to. An element's number
// among all is the same in both; lower sees that and computes no quotient.
func (e *elab) reshaped(c *methodUse, from, to []size.Poly) *graph.Node {
	all, at := product(from), c.at()
	switch {
	case !e.sameSize(all, product(to)):
		e.errorf(at, "T06", "the sizes differ").Note("%s elements become %s", all, product(to)).
			Help("if they are always equal, declare it:\nwhere %s == %s", all, product(to))
		return nil
	case !e.atMostLargest(all):
		e.errorf(at, "T27", "this size is too large or too complicated").Note("found %s", all).Help("give the array a size of its own")
		return nil
	}
	return e.rows(c, to, nil, size.Const(1), func(number *graph.Node) *graph.Node {
		index := make([]*graph.Node, len(from))
		for i := len(from) - 1; i > 0; i-- {
			count := e.sizeVal(from[i], at)
			index[i] = e.indexArith(num.Rem, from[i], at, number, count)
			number = e.indexArith(num.Div, product(from[:i]), at, number, count)
		}
		index[0] = number
		v := c.recv
		for _, i := range index {
			v = e.at(v, i, at)
		}
		return v
	})
}

// rows makes nested arrays of the given sizes from the number of each element; number is that
// of the row so far, among count.
func (e *elab) rows(c *methodUse, dims []size.Poly, number *graph.Node, count size.Poly, f func(number *graph.Node) *graph.Node) *graph.Node {
	if len(dims) == 0 {
		return f(number)
	}
	at, all := c.at(), count.Mul(dims[0])
	return e.tabulate(at, dims[0], func(i *graph.Node) *graph.Node {
		next := i
		if number != nil {
			next = e.indexArith(num.Add, all, at, e.indexArith(num.Mul, all, at, number, e.sizeVal(dims[0], at)), i)
		}
		return e.rows(c, dims[1:], next, all, f)
	})
}
