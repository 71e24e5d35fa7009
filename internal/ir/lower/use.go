package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// usage is what decides whether an array is fused into its consumers.
type usage struct {
	streams int // uses that walk over all slots in order
	walkers []*graph.Node
	others  int  // indexed, captured by a nested body, carried, …
	ats     int  // those of others that are indexed
	live    bool // needed for the result, or may fault
	cost    int  // instructions per element, roughly
	faults  bool // it or its body can fault
	// deep says that it can fault, or a map or filter that it walks over, straight or by way of others: to
	// compute some of its elements only might lose the fault of another.
	deep bool
	// faultyRows says that it has rows that can fault, and that somebody does not walk over them all, who would lose
	// the faults if they were computed where they are needed.
	faultyRows bool
	// ahead says that it is stored though it need not be, so that threads share it.
	ahead bool
	// again says that all who walk over it compute it, however much work it is.
	again bool
	// sparse says that all who walk over it compute it, though it can fault: it is filtered, of more slots than arrays have.
	sparse bool
	// indexed says that its elements are computed where somebody asks for some of them.
	indexed bool
	// picked says that one use wants one of its elements, or its first ones, once.
	picked bool
}

// dear is the cost above which an element is not computed twice.
const dear = 8

// analyse counts uses. A node is live when something live uses it or when it
// can fault.
func analyse(g *graph.Graph) map[*graph.Node]*usage {
	a := analysis{use: map[*graph.Node]*usage{}, home: map[*graph.Node]*graph.Block{}, defines: map[string]*graph.Node{}}
	a.declare(&g.Body)
	a.block(&g.Body, true)
	for n, u := range a.use {
		u.faultyRows = u.deep && len(n.Type.Elems) > 0 && !a.walkedThrough(n)
		u.sparse = a.isSparse(n)
	}
	return a.use
}

type analysis struct {
	use     map[*graph.Node]*usage
	home    map[*graph.Node]*graph.Block
	defines map[string]*graph.Node // run-time sizes
}

func (a *analysis) declare(b *graph.Block) {
	for _, p := range b.Params {
		a.use[p], a.home[p] = &usage{}, b
	}
	for _, n := range b.Nodes {
		for _, inner := range n.Blocks {
			a.declare(inner)
		}
		if n.Defines != "" {
			a.defines[n.Defines] = n
		}
		a.use[n], a.home[n] = &usage{faults: n.AnyFault(), cost: a.cost(n), deep: n.AnyFault() || a.overFaults(n)}, b
	}
}

// overFaults reports that n walks over a map or filter that can fault.
func (a *analysis) overFaults(n *graph.Node) bool {
	return slices.ContainsFunc(n.Args, func(arg *graph.Node) bool {
		return (arg.Op == graph.Map || arg.Op == graph.Filter) && a.use[arg].deep
	})
}

// walkedThrough reports that whoever walks over an array of rows walks over the rows as well. What is the result of a
// body is for the array of such results to answer.
func (a *analysis) walkedThrough(n *graph.Node) bool {
	if n.Type.Kind != graph.Array || n.Type.Elem().Kind != graph.Array {
		return true
	}
	for _, w := range a.use[n].walkers {
		for j, arg := range w.Args {
			if arg != n {
				continue
			}
			row := rowOf(w, j)
			if row == nil || a.use[row].streams == 0 || !a.walkedThrough(row) {
				return false
			}
		}
	}
	return true
}

// rowOf is the parameter that stands for an element of w's argument j; nil if there is no such.
func rowOf(w *graph.Node, j int) *graph.Node {
	if !walks(w, j) || len(w.Blocks) == 0 || w.Op != graph.Map && w.Op != graph.Filter && w.Op != graph.Reduce && w.Op != graph.KeyedReduce {
		return nil
	}
	if p := w.Blocks[0].Params; 1+j < len(p) {
		return p[1+j]
	}
	return nil
}

// cost estimates the work for one element of a map or filter, or for a
// scalar operation.
func (a *analysis) cost(n *graph.Node) int {
	if len(n.Blocks) == 0 {
		switch {
		case n.Op == graph.Reduce || n.Op == graph.TopK || n.Op == graph.Compact:
			return 100
		case n.Op == graph.Arith && (n.Num == num.Div || n.Num == num.Sqrt):
			return 6
		case n.Op == graph.Arith || n.Op == graph.Cast:
			return 1
		}
		return 0
	}
	c := 0
	for _, b := range n.Blocks {
		for _, m := range b.Nodes {
			c += a.use[m].cost
		}
	}
	if n.Op != graph.Map && n.Op != graph.Filter && n.Op != graph.If {
		c += 100
	}
	return c
}

// block marks what is live, backwards. stream says that a result that is an
// array is walked over by whoever asked for the block (the body of a map).
func (a *analysis) block(b *graph.Block, stream bool) {
	for _, r := range b.Results {
		a.mark(r, b, stream)
	}
	for i := len(b.Nodes) - 1; i >= 0; i-- {
		n := b.Nodes[i]
		u := a.use[n]
		if u.faults {
			u.live = true
		}
		if !u.live {
			continue
		}
		a.sizes(n.Poly)
		a.sizesOf(n.Type)
		for j, arg := range n.Args {
			a.mark(arg, b, walks(n, j))
			if n.Op == graph.At && j == 0 {
				a.use[arg].ats++
			}
			a.use[arg].picked = j == 0 && (n.Op == graph.At || n.Op == graph.Limit && cuttable(arg)) && a.home[arg] == b
			a.use[arg].walkers = append(a.use[arg].walkers, n)
		}
		for _, inner := range n.Blocks {
			a.block(inner, n.Op == graph.Map)
		}
	}
}

// sizes makes the operations live that define a polynomial's run-time sizes.
func (a *analysis) sizes(p size.Poly) {
	for _, name := range p.Vars() {
		if n, ok := a.defines[name]; ok {
			a.use[n].live = true
		}
	}
}

func (a *analysis) sizesOf(t *graph.Type) {
	a.sizes(t.Size)
	a.sizes(t.Bound)
	for _, e := range t.Elems {
		a.sizesOf(e)
	}
}

func (a *analysis) mark(n *graph.Node, from *graph.Block, stream bool) {
	u := a.use[n]
	u.live = true
	if stream && a.home[n] == from {
		u.streams++
	} else {
		u.others++
	}
}

// walks reports that n visits all slots of its j-th argument in order.
func walks(n *graph.Node, j int) bool {
	switch n.Op {
	case graph.Map:
		return true
	case graph.Filter, graph.Reduce, graph.KeyedReduce, graph.Compact, graph.Scan, graph.Sort, graph.TopK, graph.Fold:
		return j == 0
	case graph.Scatter:
		return j == 1
	}
	return false
}

// fused reports that the elements of n are computed where they are needed.
func (u *usage) fused(n *graph.Node) bool {
	if n.Op != graph.Map && n.Op != graph.Filter || u.faultyRows || u.ahead {
		return false
	}
	switch {
	case !u.isRead():
		return false // it is there for its faults
	case u.others == 1 && u.streams == 0 && u.picked && n.Op == graph.Map:
		return !u.deep
	case u.others > 0 && u.indexed:
		return true
	case u.others > 0:
		return !u.faults && u.cost <= 3 && !reads(n)
	case u.streams > 1:
		return !u.faults && (u.cost <= dear || u.again) || u.sparse || u.oneKernel()
	}
	return true
}

// isRead reports that somebody wants elements of an array; else it is there for its size, or for faults.
func (u *usage) isRead() bool { return u.streams+u.others > 0 }

// cuttable reports a map whose first elements need only the first elements of what it walks
// over: no body looks at these arrays in another way.
func cuttable(n *graph.Node) bool {
	walked := map[*graph.Node]bool{}
	var bodies []*graph.Block
	var visit func(*graph.Node)
	visit = func(n *graph.Node) {
		for _, arg := range n.Args {
			walked[arg] = true
			if arg.Op == graph.Map {
				visit(arg)
			}
		}
		bodies = append(bodies, n.Blocks...)
	}
	visit(n)
	known := map[*graph.Node]bool{}
	looks := func(m *graph.Node) bool { return walked[m] || elementOf(m, walked, known) }
	return n.Op == graph.Map && !slices.ContainsFunc(bodies, func(b *graph.Block) bool { return b.Uses(looks) })
}

// elementOf reports a scalar that waits until a kernel needs it, and is then made of elements of one of these arrays.
// What waits with it, maps among it, counts.
func elementOf(n *graph.Node, arrays, known map[*graph.Node]bool) bool {
	if is, ok := known[n]; ok {
		return is
	}
	switch n.Op {
	case graph.At, graph.Map, graph.Filter, graph.Arith, graph.Cast, graph.Bits, graph.Clamp, graph.Wrap, graph.Check, graph.If, graph.MakeTuple, graph.Get, graph.Some, graph.IsSome, graph.Unwrap:
	default:
		return false
	}
	known[n] = false // while it is looked at
	made := func(a *graph.Node) bool { return arrays[a] || elementOf(a, arrays, known) }
	known[n] = slices.ContainsFunc(n.Args, made) || slices.ContainsFunc(n.Blocks, func(b *graph.Block) bool { return b.Uses(made) })
	return known[n]
}

// reads reports that a body looks into an array.
func reads(n *graph.Node) bool {
	if len(n.Args) > 0 {
		return true
	}
	found := false
	n.Blocks[0].Walk(func(m *graph.Node) bool {
		found = found || m.Op == graph.At
		return !found
	})
	return found
}

// oneKernel reports that all walks are reductions that will share a kernel
// and so compute each element once.
func (u *usage) oneKernel() bool {
	if len(u.walkers) < u.streams {
		return false // one of the walkers is the consumer of a body's result
	}
	for _, w := range u.walkers {
		if w.Op != u.walkers[0].Op || w.Op != graph.Reduce && w.Op != graph.KeyedReduce {
			return false
		}
	}
	return true
}
