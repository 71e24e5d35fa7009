package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// elab checks one function with all its calls and makes the graph of it in
// the same pass. A node stands for an expression's value; nil stands for the
// value of an expression whose error has been reported, and whatever gets
// one is silent and gives nil again, so that errors do not cascade.
type elab struct {
	p    *Program
	g    *graph.Graph
	msgs *diag.List

	slab []graph.Node
	info []info // by node ID
	cur  *scope
	vars []variable
	fr   *frame
	// lambda counts the closures around the point being elaborated.
	lambda int

	dynamic  int                    // run-time sizes so far
	limits   map[string][]size.Poly // what each of them is at most
	groups   map[string]bool        // those that are of groups of unknown keys
	steps    int                    // expressions elaborated
	full     bool
	factor   bool           // the operand being elaborated is one of a product
	indexing string         // the array of which a literal index is being checked, in text
	sides    [2]*graph.Type // of the two sides that were last reported to differ
	helping  bool           // a help is being written; see forHelp
	target   bool           // the index being checked is one of an assignment's target
	once     bool           // a variable is being set outside of loops
	// attempts counts the trials around the point being elaborated.
	attempts int
	inConst  bool                  // in the value of a constant inside of a function
	reverses map[*syntax.Call]bool // that stand in the key of a sort
	// settling says that uses may settle literals, and again that one did.
	settling, again bool

	prover  prove.Prover
	always  prove.Known // what holds in every run
	reads   map[same]*graph.Node
	tables  map[tableKey]*graph.Node      // long literals
	hidden  map[graph.Derived]*graph.Node // parameters that follow from dictionaries of text
	tired   bool                          // proofs have taken too long; no more are tried
	guarded int                           // proofs so far that may rest on what is known at one place only
	// thorough says that bounds that loops keep are looked for; trials counts these bodies.
	thorough bool
	// lacking says that something was not shown in the body of a function that is called.
	lacking bool
	trials  int
	beyond  []size.Poly // sizes that indices were not shown to be below
}

// scope is a block of the graph that is being filled.
type scope struct {
	outer *scope
	b     *graph.Block
	known prove.Known
	// either are lists of which all of one are at least 0 here, from a condition with ||.
	either [][]size.Poly
}

// info is what elaboration knows of a node besides its type.
type info struct {
	home   *scope
	bounds *bounds     // of an integer; nil: those of its type
	dense  *graph.Node // a masked array's Compact, once there is one
	mask   *mask       // of a masked array
	elem   *bounds     // of the elements of an array of integers; nil: those of their type
	group  *grouping   // a value that group_by made
	fault  graph.FaultKind
	text   string

	form  *size.Poly      // of an integer, once it was asked for
	fits  bool            // of arithmetic: the result is that of unbounded integers
	sides *[3]*graph.Node // of a value that an If gives: the condition, and both sides
	turn  *[2]*graph.Node // of a loop's variable: the ends of the range
	soft  *soft           // the literals that it has its type from
	// least and most are further bounds, of what a loop keeps.
	least, most []size.Poly
}

// mask is what the views that one filter leads to have in common: as many
// elements, at the same slots.
type mask struct {
	length    string // the number of elements, as a run-time size
	compacted bool   // some Compact defines that size
}

// Limits on one function with all its calls; see T18. Tests lower them.
var (
	maxNodes = 200_000
	maxSteps = 400_000
)

func newElab(p *Program, name string, src *diag.Source, msgs *diag.List) *elab {
	g := &graph.Graph{Name: name, Source: src}
	g.Facts.Lo, g.Facts.Hi = map[string]int64{}, map[string]int64{}
	e := &elab{p: p, g: g, msgs: msgs, info: make([]info, 1, 96), limits: map[string][]size.Poly{}}
	e.always = prove.Known{Facts: &size.Facts{Lo: g.Facts.Lo, Hi: g.Facts.Hi}}
	e.prover = prove.New(e.always.Facts, func() { e.tired = true })
	e.prover.More = func(p size.Poly) []size.Poly { return slices.Clip(e.relevant(p)) }
	e.reads, e.tables = map[same]*graph.Node{}, map[tableKey]*graph.Node{}
	e.cur = &scope{b: &g.Body, known: e.always}
	return e
}

// make allocates a node that stands in no block yet.
func (e *elab) make(op graph.Op, t *graph.Type, pos diag.Span, args []*graph.Node) *graph.Node {
	if len(e.slab) == 0 {
		e.slab = make([]graph.Node, 48)
	}
	n := &e.slab[0]
	e.slab = e.slab[1:]
	n.ID, n.Op, n.Type, n.Args, n.Pos, n.Site = len(e.info), op, t, args, e.where(pos), -1
	e.info = append(e.info, info{home: e.cur})
	return n
}

// where gives the position to record: inside a function from another file it
// is that of the call, because a graph has one source.
func (e *elab) where(pos diag.Span) diag.Span {
	if e.fr != nil && e.fr.moved {
		return e.fr.callPos
	}
	return pos
}

// add makes a node at the end of the open block.
func (e *elab) add(op graph.Op, t *graph.Type, pos diag.Span, args ...*graph.Node) *graph.Node {
	n := e.make(op, t, pos, args)
	e.cur.b.Nodes = append(e.cur.b.Nodes, n)
	if len(e.info) > maxNodes {
		e.tooLarge(pos)
	}
	return n
}

func (e *elab) of(n *graph.Node) *info { return &e.info[n.ID] }

// mayFault marks a node as one that can fault; finish gives it its number.
func (e *elab) mayFault(n *graph.Node, kind graph.FaultKind, text string) {
	n.Site = 0
	if n.Op == graph.Arith || n.Op == graph.Cast {
		n.Checked = true
	}
	i := e.of(n)
	i.fault, i.text = kind, text
}

// inBlock fills a new block with what f makes.
func (e *elab) inBlock(f func()) *graph.Block {
	s := &scope{outer: e.cur, b: new(graph.Block), known: e.cur.known}
	e.cur = s
	f()
	e.cur = s.outer
	return s.b
}

// param adds a parameter to the open block.
func (e *elab) param(t *graph.Type, pos diag.Span) *graph.Node {
	n := e.make(graph.Param, t, pos, nil)
	e.cur.b.Params = append(e.cur.b.Params, n)
	return n
}

// inScope makes f's nodes in an enclosing block, before the node that is
// being built there.
func (e *elab) inScope(s *scope, f func()) {
	saved := e.cur
	e.cur = s
	f()
	e.cur = saved
}

// bits is a constant of a scalar kind.
func (e *elab) bits(k num.Kind, bits uint64, pos diag.Span) *graph.Node {
	n := e.add(graph.Const, types.Scalars[k], pos)
	n.Bits = bits
	if k.IsInt() {
		e.of(n).bounds = constBounds(k, bits)
	}
	return n
}

func (e *elab) int(k num.Kind, v int64, pos diag.Span) *graph.Node {
	return e.bits(k, num.Canon(k, uint64(v)), pos)
}

func (e *elab) float(k num.Kind, v float64, pos diag.Span) *graph.Node {
	return e.bits(k, num.FromFloat(k, v), pos)
}

func (e *elab) bool(v bool, pos diag.Span) *graph.Node {
	if v {
		return e.bits(num.Bool, 1, pos)
	}
	return e.bits(num.Bool, 0, pos)
}

// sizeVal is the value of a size.
func (e *elab) sizeVal(p size.Poly, pos diag.Span) *graph.Node {
	if c, ok := p.Const(); ok {
		return e.int(num.I64, c, pos)
	}
	n := e.add(graph.SizeVal, graph.I64Type, pos)
	n.Poly, n.HasPoly = p, true
	lo, hi := e.g.Facts.Bounds(p)
	b := &bounds{lo: lo, hi: hi, declared: true, los: []size.Poly{p}, his: []size.Poly{p}}
	e.tighten(b) // products, which are no larger than arrays
	e.of(n).bounds = b
	return n
}

// arith is an operation that cannot fault.
func (e *elab) arith(op num.Op, pos diag.Span, args ...*graph.Node) *graph.Node {
	t := types.Computed(args[0].Type)
	if op.IsCompare() {
		t = graph.BoolType
	}
	n := e.add(graph.Arith, t, pos, args...)
	n.Num = op
	return n
}

// indexArith is an operation whose result is known to be an index.
func (e *elab) indexArith(op num.Op, bound size.Poly, pos diag.Span, args ...*graph.Node) *graph.Node {
	n := e.add(graph.Arith, graph.IndexOf(bound), pos, args...)
	n.Num = op
	return n
}

// cast converts to t without a fault.
func (e *elab) cast(t *graph.Type, n *graph.Node, pos diag.Span) *graph.Node {
	if t.Kind == graph.Scalar && n.Type.Kind == graph.Scalar && t.Num == n.Type.Num {
		return n
	}
	return e.add(graph.Cast, t, pos, n)
}

// tuple puts values side by side.
func (e *elab) tuple(pos diag.Span, args ...*graph.Node) *graph.Node {
	elems := make([]*graph.Type, len(args))
	for i, a := range args {
		elems[i] = a.Type
	}
	return e.add(graph.MakeTuple, graph.TupleOf(elems...), pos, args...)
}

// get is a field; that of a tuple just made is the value itself.
func (e *elab) get(n *graph.Node, field int, pos diag.Span) *graph.Node {
	if n.Op == graph.MakeTuple {
		return n.Args[field]
	}
	r := e.add(graph.Get, n.Type.Elems[field], pos, n)
	r.Field = field
	e.of(r).soft = e.of(n).soft.field(field)
	return r
}

// at is an element of a dense array.
func (e *elab) at(x, i *graph.Node, pos diag.Span) *graph.Node {
	r := e.add(graph.At, x.Type.Elem(), pos, x, i)
	e.of(r).soft, e.of(r).bounds = e.of(x).soft, e.of(x).elem
	return r
}

// elementOf is an element of x, for an operation that walks over x.
func (e *elab) elementOf(x *graph.Node, pos diag.Span) *graph.Node {
	v := e.param(x.Type.Elem(), pos)
	e.of(v).bounds = e.of(x).elem
	return v
}

// dense is x with its elements moved together. The Compact stands in the
// block where x does, so that every later use can share it.
func (e *elab) dense(x *graph.Node) *graph.Node {
	if x == nil || x.Type.Kind != graph.Array || !x.Type.Masked {
		return x
	}
	i := e.of(x)
	if i.dense == nil {
		var c *graph.Node
		name := e.compactedSize(i.mask)
		i = e.of(x)
		e.inScope(i.home, func() {
			c = e.add(graph.Compact, graph.ArrayOf(x.Type.Elem(), size.Var(name)), x.Pos, x)
		})
		c.Defines, c.Name = name, x.Name
		e.of(c).elem = e.of(x).elem
		e.of(x).dense = c
	}
	return e.of(x).dense
}

// compactedSize names the size that a new Compact defines. Only one can
// define the size of the mask; the others define sizes known to be equal.
func (e *elab) compactedSize(m *mask) string {
	if !m.compacted {
		m.compacted = true
		return m.length
	}
	name := e.newSize(size.Var(m.length))
	e.fact(size.Var(name).Sub(size.Var(m.length)))
	return name
}

// lengthOf is the size that an array has, or will have once compacted.
func (e *elab) lengthOf(x *graph.Node) size.Poly {
	if x.Type.Masked {
		return size.Var(e.of(x).mask.length)
	}
	return x.Type.Size
}

// newSize makes a run-time size that is at most each of the bounds. Where these are run-time
// sizes it is at most what they are: the prover does not follow long chains.
func (e *elab) newSize(bounds ...size.Poly) string {
	e.dynamic++
	name := "?" + itoa(e.dynamic)
	for i := 0; i < len(bounds); i++ {
		of, _ := bounds[i].IsVar()
		for _, b := range e.limits[of] {
			if !slices.ContainsFunc(bounds, b.Equal) {
				bounds = append(bounds, b)
			}
		}
	}
	e.limits[name] = bounds
	for _, b := range bounds {
		_, hi := e.g.Facts.Bounds(b)
		if old, ok := e.g.Facts.Hi[name]; !ok || hi < old {
			e.g.Facts.Hi[name] = min(max(hi, 0), graph.MaxSize)
		}
		e.g.Facts.NonNeg = append(e.g.Facts.NonNeg, b.Sub(size.Var(name)))
	}
	return name
}

func isDynamic(name string) bool { return len(name) > 0 && name[0] == '?' }

// hasDynamic reports that a type has a size known only at run time.
func hasDynamic(t *graph.Type) bool {
	return types.AnySize(t, func(p size.Poly) bool {
		return hasDynamicSize(p)
	})
}

func hasDynamicSize(p size.Poly) bool { return slices.ContainsFunc(p.Vars(), isDynamic) }

// hasDynamicArray reports an array in a type whose size is known only at run
// time; an index into such an array is as good an element as any.
func hasDynamicArray(t *graph.Type) bool {
	if t.Kind == graph.Array && hasDynamic(graph.ArrayOf(graph.BoolType, t.Size)) {
		return true
	}
	return slices.ContainsFunc(t.Elems, hasDynamicArray)
}

// mapOver makes a Map: f gives the element for a slot from its number and
// the elements of the arrays, all dense and of one size, or one masked.
func (e *elab) mapOver(pos diag.Span, arrays []*graph.Node, f func(i *graph.Node, elems []*graph.Node) *graph.Node) *graph.Node {
	return e.mapSlots(pos, arrays[0].Type.Size, arrays, f)
}

// tabulate makes an array of n elements from their numbers.
func (e *elab) tabulate(pos diag.Span, n size.Poly, f func(i *graph.Node) *graph.Node) *graph.Node {
	return e.mapSlots(pos, n, nil, func(i *graph.Node, _ []*graph.Node) *graph.Node { return f(i) })
}

func (e *elab) mapSlots(pos diag.Span, n size.Poly, arrays []*graph.Node, f func(i *graph.Node, elems []*graph.Node) *graph.Node) *graph.Node {
	var r *graph.Node
	b := e.inBlock(func() {
		i := e.param(graph.IndexOf(n), pos)
		e.assume(e.cur, []size.Poly{n.AddConst(-1)}) // there is an element
		elems := make([]*graph.Node, len(arrays))
		for j, a := range arrays {
			elems[j] = e.elementOf(a, pos)
			e.of(elems[j]).soft = e.of(a).soft
		}
		r = e.element(f(i, elems), pos)
		e.cur.b.Results = []*graph.Node{r}
	})
	if r == nil {
		return nil
	}
	m := e.add(graph.Map, graph.ArrayOf(r.Type, n), pos, arrays...)
	m.Blocks = []*graph.Block{b}
	e.of(m).soft = e.of(r).soft
	if len(arrays) == 1 && arrays[0].Type.Masked {
		m.Type.Masked = true
		e.of(m).mask = e.of(arrays[0]).mask
	}
	return m
}

// element makes sure that a value can be an element of an array.
func (e *elab) element(n *graph.Node, pos diag.Span) *graph.Node {
	n = e.dense(n)
	if n == nil {
		return nil
	}
	if hasDynamicArray(n.Type) {
		e.runtimeElement(n.Type, pos)
		return nil
	}
	return n
}

// mapEach is mapOver for one array.
func (e *elab) mapEach(pos diag.Span, x *graph.Node, f func(v *graph.Node) *graph.Node) *graph.Node {
	return e.mapOver(pos, []*graph.Node{x}, func(_ *graph.Node, v []*graph.Node) *graph.Node { return f(v[0]) })
}

// choose is a branch-free choice between two scalars, or an If in general.
func (e *elab) choose(pos diag.Span, cond *graph.Node, then, otherwise func() *graph.Node) *graph.Node {
	var a, b *graph.Node
	first := e.inBlock(func() { a = e.dense(then()); e.cur.b.Results = []*graph.Node{a} })
	second := e.inBlock(func() { b = e.dense(otherwise()); e.cur.b.Results = []*graph.Node{b} })
	if a == nil || b == nil {
		return nil
	}
	n := e.add(graph.If, a.Type, pos, cond)
	n.Blocks = []*graph.Block{first, second}
	if types.IsInt(a.Type) {
		e.joinBounds(n, cond, a, b)
	}
	return n
}
