// Package lower turns a graph into a schedule: it decides which array
// operations are computed inside their consumers (fused) and which get
// buffers of their own, and emits one kernel for each of the latter.
//
// The rule is one sentence: a map or filter is fused into the operation that
// walks over it, unless it is needed in several walks and dear, or is
// indexed at random; every reduction, keyed reduction and sequential
// operation is a kernel of its own, and reductions that walk over the same
// slots at the same time share one.
package lower

import (
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Options adapt a schedule to the arguments of a run.
type Options struct {
	// Stored gives the kind in which a column of an array argument lies in
	// memory; Invalid means the leaf's own kind. Only Index leaves differ.
	Stored func(param, leaf int) num.Kind
	// NonZero reports that a declared size is known to be at least 1.
	NonZero func(name string) bool
	// Short says that no argument of the run has more than ShortSlots elements. What many threads should share may then
	// be stored, since it takes little memory.
	Short bool
	// Brief says that none has more than BriefSlots. A fold over so few elements is over before a thread could help.
	Brief bool
	// Verify checks a finished kernel, which never changes from then on. A kernel whose indices it cannot
	// prove is emitted again with explicit bounds.
	Verify func(*kernel.Kernel) (*verify.Safe, error)
	// Partials asks for schedule.Partial of launches that write rows: for runs
	// whose arguments lie on other machines. It makes lowering dearer.
	Partials bool
}

// Lower makes the schedule of a graph.
func Lower(g *graph.Graph, opt Options) (*schedule.Schedule, error) {
	g = graph.Settle(g, opt.Partials)
	l, err := lower(g, opt, form{})
	if err != nil {
		return nil, err
	}
	opt = opt.settled(g)
	if l.sharable > 0 {
		l.s.Shared = other(g, opt, form{shared: true})
	}
	if len(l.held()) > 0 {
		l.s.Again = other(g, opt, form{again: true})
	}
	return l.s, nil
}

// form is which of the schedules of a graph is made; all give the same.
type form struct {
	shared bool // threads share sorts and the like
	again  bool // maps are computed again rather than held
}

// other makes another schedule when somebody asks for it.
func other(g *graph.Graph, opt Options, f form) func() (*schedule.Schedule, error) {
	return sync.OnceValues(func() (*schedule.Schedule, error) {
		l, err := lower(g, opt, f)
		if err != nil {
			return nil, err
		}
		if l.sharable > 0 && !f.shared {
			l.s.Shared = other(g, opt, form{shared: true, again: f.again})
		}
		return l.s, nil
	})
}

// settled are options that hold on to nothing of the arguments.
func (o Options) settled(g *graph.Graph) Options {
	kinds, some := map[[2]int]num.Kind{}, map[string]bool{}
	for i, p := range g.Body.Params {
		for j, leaf := range graph.Leaves(p.Type) {
			if leaf.Type.Kind == graph.Index && len(leaf.Dims) > 0 {
				kinds[[2]int{i, j}] = o.stored(i, j)
			}
		}
	}
	for _, s := range g.Sizes {
		some[s.Name] = o.NonZero != nil && o.NonZero(s.Name)
	}
	o.Stored = func(param, leaf int) num.Kind { return kinds[[2]int{param, leaf}] }
	o.NonZero = func(name string) bool { return some[name] }
	return o
}

func lower(g *graph.Graph, opt Options, f form) (l *lowering, err error) {
	start := time.Now()
	if l, err = lowered(g, opt, f); err == nil {
		l.s.Took = time.Since(start)
	}
	return l, err
}

func lowered(g *graph.Graph, opt Options, f form) (l *lowering, err error) {
	l = &lowering{
		g: g, opt: opt, form: f,
		s:   &schedule.Schedule{Name: g.Name},
		mat: map[*graph.Node][]source{}, byRow: map[*graph.Node]bool{},
		facts: raise(g, opt.NonZero), unset: map[string]bool{},
	}
	g.Body.Walk(func(n *graph.Node) bool {
		if n.Defines != "" {
			l.unset[n.Defines] = true
		}
		return true
	})
	for _, o := range g.SiteOrders() {
		l.s.Sites = append(l.s.Sites, schedule.Site{Group: o.Group, InLoop: o.Turns})
	}
	l.use, l.memory = analyse(g), memoryOf(g)
	if opt.Short && !opt.Partials {
		l.storeAheadOfKeys()
	}
	if !opt.Partials {
		l.storeAheadOfCompacts()
	}
	if f.again {
		l.holdNone()
	} else if opt.Partials {
		l.holdLittle()
	}
	l.returned = returned(g.Body.Results[0], map[*graph.Node]bool{})
	l.steps = &l.s.Steps
	for i, p := range g.Body.Params {
		l.param(i, p)
	}
	if err := l.block(&g.Body); err != nil {
		return nil, err
	}
	if err := l.result(g.Body.Results[0]); err != nil {
		return nil, err
	}
	return l, nil
}

type lowering struct {
	g        *graph.Graph
	opt      Options
	s        *schedule.Schedule
	facts    *size.Facts
	use      map[*graph.Node]*usage
	memory   *memory
	mat      map[*graph.Node][]source // what has been computed, by leaf
	steps    *[]schedule.Step         // where the next step goes
	byRow    map[*graph.Node]bool     // loops: what rowsApart found
	unset    map[string]bool          // run-time sizes that no step has set yet
	form                              // that is made
	sharable int                      // operations in order that threads can share
	// returned are the nodes of which the result is made.
	returned map[*graph.Node]bool
}

// returned adds to a set the nodes that n is made of.
func returned(n *graph.Node, set map[*graph.Node]bool) map[*graph.Node]bool {
	if n.Op == graph.MakeTuple {
		for _, a := range n.Args {
			returned(a, set)
		}
	}
	set[n] = true
	return set
}

// source is where a leaf of a computed value is: a buffer, or a scalar that
// the host passes.
type source struct {
	buffer int // -1: scalar
	scalar schedule.ScalarArg
	lo, hi int64 // range of a scalar
}

// raise copies the facts and adds that non-zero sizes are at least 1.
func raise(g *graph.Graph, nonZero func(string) bool) *size.Facts {
	f := &size.Facts{Lo: map[string]int64{}, Hi: map[string]int64{}, NonNeg: g.Facts.NonNeg}
	for k, v := range g.Facts.Lo {
		f.Lo[k] = v
	}
	for k, v := range g.Facts.Hi {
		f.Hi[k] = v
	}
	for _, s := range g.Sizes {
		if nonZero != nil && nonZero(s.Name) {
			f.Lo[s.Name] = max(f.Lo[s.Name], 1)
		}
		if _, ok := f.Hi[s.Name]; !ok {
			f.Hi[s.Name] = graph.MaxSize
		}
	}
	return f
}

// param makes the sources of a parameter's leaves.
func (l *lowering) param(i int, p *graph.Node) {
	info := l.g.ParamInfo[i]
	for j, leaf := range graph.Leaves(p.Type) {
		kind := leaf.Type.KindOf()
		if len(leaf.Dims) == 0 {
			src := source{buffer: -1, scalar: schedule.ScalarArg{From: schedule.FromParam, Param: i, Leaf: j}}
			src.lo, src.hi = kind.MinInt(), int64(min(kind.MaxInt(), 1<<63-1))
			if info.Ranged && p.Type.Kind != graph.Tuple {
				src.lo, src.hi = info.Lo, info.Hi
			}
			l.mat[p] = append(l.mat[p], src)
			continue
		}
		if leaf.Type.Kind == graph.Index {
			if k := l.opt.stored(i, j); k != num.Invalid {
				kind = k
			}
		}
		b := l.buffer(info.Name+leaf.Label(), kind, volume(leaf.Dims))
		buf := &l.s.Buffers[b]
		buf.Input = &schedule.Input{Param: i, Leaf: j, Rows: leaf.Dims[0]}
		if leaf.Type.Kind == graph.Index {
			buf.Bounded, buf.Bound = true, leaf.Type.Bound
		}
		l.mat[p] = append(l.mat[p], source{buffer: b})
	}
}

func (o *Options) stored(param, leaf int) num.Kind {
	if o.Stored == nil {
		return num.Invalid
	}
	return o.Stored(param, leaf)
}

// volume is the number of elements of a leaf.
func volume(dims []size.Poly) size.Poly {
	n := size.Const(1)
	for _, d := range dims {
		n = n.Mul(d)
	}
	return n
}

func (l *lowering) buffer(name string, k num.Kind, n size.Poly) int {
	l.s.Buffers = append(l.s.Buffers, schedule.Buffer{Name: name, Kind: k, Len: n})
	return len(l.s.Buffers) - 1
}

// buffersFor makes fresh buffers for all leaves of a type.
func (l *lowering) buffersFor(name string, t *graph.Type) []source {
	var out []source
	for _, leaf := range graph.Leaves(t) {
		out = append(out, source{buffer: l.leafBuffer(name, leaf)})
	}
	return out
}

func (l *lowering) leafBuffer(name string, leaf graph.Leaf) int {
	return l.buffer(name+leaf.Label(), l.storedKind(leaf.Type), volume(leaf.Dims))
}

// storedKind is how a computed leaf lies in memory. An index takes four
// bytes where its bound allows.
func (l *lowering) storedKind(t *graph.Type) num.Kind {
	if t.Kind != graph.Index {
		return t.Num
	}
	if _, hi := l.facts.Bounds(t.Bound); hi <= 1<<32 {
		return num.U32
	}
	return num.I64
}

func (l *lowering) add(s schedule.Step) { *l.steps = append(*l.steps, s) }

// result makes sure that every leaf of the result lies in a buffer that is
// not an argument's.
func (l *lowering) result(n *graph.Node) error {
	srcs, err := l.force(n)
	if err != nil {
		return err
	}
	for i, leaf := range graph.Leaves(n.Type) {
		b := srcs[i].buffer
		l.s.Result = append(l.s.Result, schedule.Column{Buffer: b, Kind: l.s.Buffers[b].Kind, Dims: leaf.Dims})
	}
	return nil
}

// force gives buffers, none of them an argument's, that hold all of n.
func (l *lowering) force(n *graph.Node) ([]source, error) {
	if srcs, ok := l.mat[n]; ok && owned(l.s, srcs) {
		return srcs, nil
	}
	if n.Op == graph.MakeTuple && hasArray(n.Type) {
		return l.forceAll(n.Args)
	}
	if srcs, ok := l.component(n); ok && owned(l.s, srcs) {
		return srcs, nil
	}
	return l.compute(n)
}

// compute gives buffers that hold n, those of an array that n replaces or changes or new ones. If they are the result's, n's
// kernel sees to their NaNs.
func (l *lowering) compute(n *graph.Node) ([]source, error) {
	canonical := l.returned[n] && l.inParallel(n)
	if out, ok := l.overwrite(n, canonical); ok {
		return out, nil
	}
	if out, ok := l.passing(n); ok {
		return l.computeRest(n, out)
	}
	out := l.changed(n)
	l.canonical(out, canonical)
	return out, l.fill(n, out)
}

func (l *lowering) forceAll(nodes []*graph.Node) (out []source, err error) {
	for _, n := range nodes {
		srcs, err := l.force(n)
		if err != nil {
			return nil, err
		}
		out = append(out, srcs...)
	}
	return out, nil
}

// component follows a chain of Get down to something computed.
func (l *lowering) component(n *graph.Node) ([]source, bool) {
	if srcs, ok := l.mat[n]; ok {
		return srcs, true
	}
	if n.Op != graph.Get {
		return nil, false
	}
	whole, ok := l.component(n.Args[0])
	if !ok {
		return nil, false
	}
	lo, hi := leafRange(n.Args[0].Type, n.Field)
	return whole[lo:hi], true
}

// leafRange gives the leaves that belong to one field of a tuple.
func leafRange(t *graph.Type, field int) (lo, hi int) {
	for i := range field {
		lo += len(graph.Leaves(t.Elems[i]))
	}
	return lo, lo + len(graph.Leaves(t.Elems[field]))
}

func owned(s *schedule.Schedule, srcs []source) bool {
	return !slices.ContainsFunc(srcs, func(x source) bool { return x.buffer < 0 || s.Buffers[x.buffer].Input != nil })
}

func hasArray(t *graph.Type) bool {
	return t.Kind == graph.Array || slices.ContainsFunc(t.Elems, hasArray)
}

// nameOf is what explain calls a node: the variable it is bound to, or its
// operation and line.
func (l *lowering) nameOf(n *graph.Node) string {
	if n.Name != "" {
		return n.Name
	}
	what := n.Op.String()
	if n.Monoid != graph.NoMonoid {
		what = n.Monoid.String()
	}
	if l.g.Source == nil {
		return what
	}
	line, _ := l.g.Source.Position(n.Pos.Start)
	return schedule.Unnamed(what, line)
}
