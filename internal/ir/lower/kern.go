package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// kern is one kernel under construction, with what its launch must pass.
type kern struct {
	l         *lowering
	k         *kernel.Kernel
	b         *kernel.Builder
	o         kernel.Value // outer index
	lo, hi    kernel.Value // slots of the grain
	launch    *schedule.Launch
	sizeIx    map[string]int
	scalarIx  map[schedule.ScalarArg]int
	siteIx    map[int]int
	regionsOf map[int][]int
	root      *env
	elements  []map[element]slot       // per open block: elements computed so far
	dynamic   map[string]kernel.Value  // run-time sizes defined inside the kernel
	most      map[string]size.Poly     // their upper bounds
	positive  []string                 // polynomials known ≥ 1 from loops around
	target    map[*graph.Node]*backing // where a node's result shall lie
	doubt     doubt
	divided   map[kernel.Value]division
	// fixedSizes is how many sizes, the first, keep their numbers.
	fixedSizes int
	// sideBySide is how many columns are folded together, if any are.
	sideBySide int64
	rollGrain  int64        // of a kernel whose folds over windows roll; 0 for any other
	cut        *cut         // of the map that is being emitted
	writable   map[int]bool // regions that hold values of this kernel only
	// A sequential kernel has its state in these regions between grains, and
	// this is the next state.
	stream []int
	state  []kernel.Value
}

// doubt says which indices get an explicit bound. A kernel that verify
// cannot prove is emitted again with more doubt; with everything in doubt
// there is always a proof.
type doubt int

const (
	nothing    doubt = iota // verify is expected to see what the checker saw
	suspicious              // indices loaded from memory or joined
	everything
)

// trusts reports that an index needs no bound.
func (k *kern) trusts(v val) bool {
	return k.doubt == nothing || k.doubt == suspicious && v.safe
}

// env maps the nodes of one evaluation of a block to their values.
type env struct {
	up  *env
	val map[*graph.Node]val
}

func (e *env) find(n *graph.Node) (val, bool) {
	for ; e != nil; e = e.up {
		if v, ok := e.val[n]; ok {
			return v, true
		}
	}
	return val{}, false
}

func (e *env) inner() *env { return &env{up: e, val: map[*graph.Node]val{}} }

// element names the i-th element of an array.
type element struct {
	a *array
	i kernel.Value
}

// kernel builds one kernel with fill and adds its launch.
func (l *lowering) kernel(label string, fill func(k *kern)) error {
	var err error
	for d := nothing; d <= everything; d++ {
		k := l.newKern(label, d)
		fill(k)
		if grain := k.foldsColumns(); grain > 0 {
			k = l.newKern(label, d)
			k.sideBySide = grain
			fill(k)
		}
		if grain := k.rollingGrain(); grain > 0 && k.sideBySide == 0 {
			k = l.newKern(label, d)
			k.rollGrain = grain
			fill(k)
		}
		k.close()
		if l.opt.Verify == nil && d == nothing {
			continue // without proofs an index that only seems fine stays guarded
		}
		if l.opt.Verify != nil {
			k.launch.Safe, err = l.opt.Verify(k.k)
		}
		if err == nil {
			l.add(k.launch)
			return nil
		}
	}
	return err
}

// close interchanges strided loops, lets folds over windows roll, ends the kernel and forgets the regions that it does not touch.
func (k *kern) close() {
	k.interchange()
	k.roll()
	k.foldStored()
	k.b.Finish(k.state...)
	var regions []int
	for _, r := range kernel.Trim(k.k) {
		regions = append(regions, k.launch.Regions[r])
	}
	k.launch.Regions = regions
	k.trimSizes()
}

// trimSizes forgets the sizes that only such regions had: a table may have more columns of text, each with a dictionary of its own size,
// than a kernel has sizes.
func (k *kern) trimSizes() {
	folds := k.launch.Folds
	kept := kernel.TrimSizes(k.k, func(i int) bool { return i < k.fixedSizes || folds != nil && i == folds.Size })
	sizes := make([]schedule.SizeArg, len(kept))
	for now, was := range kept {
		if sizes[now] = k.launch.Sizes[was]; folds != nil && was == folds.Size {
			folds.Size = now
		}
	}
	k.launch.Sizes = sizes
}

func (l *lowering) newKern(label string, d doubt) *kern {
	k := &kern{
		l: l, k: &kernel.Kernel{}, doubt: d,
		launch: &schedule.Launch{Label: label},
		sizeIx: map[string]int{}, scalarIx: map[schedule.ScalarArg]int{},
		siteIx: map[int]int{}, regionsOf: map[int][]int{},
		root: &env{val: map[*graph.Node]val{}}, elements: []map[element]slot{{}},
		dynamic: map[string]kernel.Value{}, most: map[string]size.Poly{},
		target: map[*graph.Node]*backing{}, writable: map[int]bool{},
		divided: map[kernel.Value]division{},
	}
	k.launch.Kernel = k.k
	one := size.Const(1)
	k.k.Outer, k.k.Grain, k.k.Count = one, one, one
	k.b, k.o, k.lo, k.hi = kernel.NewBuilder(k.k)
	return k
}

// over makes the kernel walk over n slots in grains of the given length;
// grains are independent.
func (k *kern) over(n size.Poly, grain int64) {
	if k.sideBySide > 0 {
		grain = k.sideBySide
	}
	if k.rollGrain > 0 {
		grain = k.rollGrain
	}
	k.k.Count = k.poly(n)
	k.k.Grain = size.Const(grain)
	k.k.Outer = k.poly(ceilDiv(n, grain))
}

// ceilDiv is ⌈n/by⌉.
func ceilDiv(n size.Poly, by int64) size.Poly { return size.Div(n.AddConst(by-1), by) }

// sizeArg makes a kernel size of a computed size.
func (k *kern) sizeArg(a schedule.SizeArg) size.Poly {
	key := itoa(int(a.Op)) + a.Poly.String()
	if a.KeyedBy != nil {
		key += "|" + a.KeyedBy.String()
	}
	if a.Short {
		key += "|short"
	}
	i, ok := k.sizeIx[key]
	if !ok {
		i = len(k.k.Sizes)
		k.sizeIx[key] = i
		k.addSize(a, k.rangeOf(a))
	}
	return kernel.SizeVar(i)
}

// addSize makes a kernel size that is shared with no other use.
func (k *kern) addSize(a schedule.SizeArg, within kernel.Size) size.Poly {
	k.k.Sizes = append(k.k.Sizes, within)
	k.launch.Sizes = append(k.launch.Sizes, a)
	return kernel.SizeVar(len(k.k.Sizes) - 1)
}

// rangeOf is what the kernel may assume of a size.
func (k *kern) rangeOf(a schedule.SizeArg) kernel.Size {
	lo, hi := k.l.facts.Bounds(a.Poly)
	lo, hi = max(lo, 0), min(max(hi, 0), graph.MaxSize)
	switch a.Op {
	case schedule.Plain:
		if lo < 1 && k.provesAlone(a.Poly) {
			lo = 1 // of a quotient; what isPositive relies on
		}
	case schedule.KeyedLeaves:
		lo = min(lo, 1)
	case schedule.KeyedLeaf:
		lo, hi = 1, graph.MaxSize
	}
	return kernel.Size{Lo: lo, Hi: hi}
}

// poly rewrites a polynomial over the function's sizes to one over the
// kernel's.
func (k *kern) poly(p size.Poly) size.Poly {
	return p.MapAtoms(func(atom size.Poly) size.Poly {
		return k.sizeArg(schedule.SizeArg{Op: schedule.Plain, Poly: atom})
	})
}

// capacity bounds a polynomial that may contain sizes defined inside the
// kernel: each is replaced by its upper bound.
func (k *kern) capacity(p size.Poly) size.Poly {
	for {
		again := false
		p = p.Subst(func(name string) (size.Poly, bool) {
			m, ok := k.most[name]
			again = again || ok
			return m, ok
		})
		if !again {
			return p
		}
	}
}

// sizeValue is the value of a size polynomial as an I64.
func (k *kern) sizeValue(p size.Poly) kernel.Value {
	if !k.isDynamic(p) {
		return k.b.SizeOf(k.poly(p))
	}
	sum := k.b.Int(0)
	p.Terms(func(coef int64, names []string, _ bool) {
		m := k.b.Int(coef)
		for _, name := range names {
			v, ok := k.dynamic[name]
			if !ok {
				v = k.b.SizeOf(k.poly(size.Var(name)))
			}
			m = k.b.Wrap(num.Mul, m, v)
		}
		sum = k.b.Wrap(num.Add, sum, m)
	})
	return sum
}

func (k *kern) isDynamic(p size.Poly) bool {
	for _, name := range p.Vars() {
		if _, ok := k.dynamic[name]; ok {
			return true
		}
	}
	return false
}

// region gives the kernel access to a buffer as n elements. A buffer that a
// kernel both reads and writes has one region.
func (k *kern) region(buffer int, n size.Poly, access kernel.Access) int {
	return k.regionOf(buffer, k.poly(n), access)
}

// regionOf is region with a length over the kernel's sizes.
func (k *kern) regionOf(buffer int, n size.Poly, access kernel.Access) int {
	for _, r := range k.regionsOf[buffer] {
		if !k.k.Regions[r].Len.Equal(n) {
			continue // the same memory seen as a shorter or longer array
		}
		if k.k.Regions[r].Access != access {
			k.k.Regions[r].Access = kernel.ReadWrite
		}
		return r
	}
	return k.addRegion(buffer, n, access)
}

func (k *kern) addRegion(buffer int, n size.Poly, access kernel.Access) int {
	buf := &k.l.s.Buffers[buffer]
	r := kernel.Region{Elem: buf.Kind, Len: n, Access: access, Bounded: buf.Bounded}
	if buf.Bounded {
		r.Bound = k.poly(buf.Bound)
	}
	k.k.Regions = append(k.k.Regions, r)
	k.launch.Regions = append(k.launch.Regions, buffer)
	k.regionsOf[buffer] = append(k.regionsOf[buffer], len(k.k.Regions)-1)
	return len(k.k.Regions) - 1
}

// scratch makes a region private to the kernel.
func (k *kern) scratch(kind num.Kind, n size.Poly) int {
	return k.scratchOf(kind, k.poly(k.capacity(n)))
}

// scratchOf is scratch with a length over the kernel's sizes.
func (k *kern) scratchOf(kind num.Kind, n size.Poly) int {
	k.k.Regions = append(k.k.Regions, kernel.Region{Elem: kind, Len: n, Access: kernel.Scratch})
	k.launch.Regions = append(k.launch.Regions, -1)
	return len(k.k.Regions) - 1
}

// scalarArg makes a kernel scalar of something the host passes.
func (k *kern) scalarArg(src source, t *graph.Type) kernel.Value {
	i, ok := k.scalarIx[src.scalar]
	if !ok {
		i = len(k.k.Scalars)
		k.scalarIx[src.scalar] = i
		s := kernel.Scalar{Kind: t.KindOf()}
		if s.Kind.IsInt() {
			s.Lo, s.Hi = src.lo, src.hi
		}
		if t.Kind == graph.Index {
			s.Bounded, s.Bound = true, k.poly(t.Bound)
		}
		k.k.Scalars = append(k.k.Scalars, s)
		k.launch.Scalars = append(k.launch.Scalars, src.scalar)
	}
	return k.b.ScalarArg(i)
}

// site lets the instructions that f emits report their faults as n's.
func (k *kern) site(n *graph.Node, f func() kernel.Value) kernel.Value {
	old := k.b.Site
	k.b.Site = k.siteOf(n.Site)
	v := f()
	k.b.Site = old
	return v
}

func (k *kern) siteOf(site int) int {
	if site < 0 {
		return kernel.NoSite
	}
	i, ok := k.siteIx[site]
	if !ok {
		i = k.k.Sites
		k.k.Sites++
		k.siteIx[site] = i
		k.launch.Sites = append(k.launch.Sites, site)
	}
	return i
}

// block opens a scope for elements computed inside a nested block.
func (k *kern) block(f func() []kernel.Value) []kernel.Value {
	k.elements = append(k.elements, map[element]slot{})
	out := f()
	k.elements = k.elements[:len(k.elements)-1]
	return out
}

// slotScope runs f with i, a slot or turn, as the place that faults are
// reported at, unless that of an operation around already is.
func (k *kern) slotScope(i kernel.Value, f func()) {
	old := k.b.At
	if old == kernel.None {
		k.b.At = i
	}
	f()
	k.b.At = old
}

// branch is an if over plain values.
func (k *kern) branch(cond kernel.Value, then, els func() []kernel.Value) []kernel.Value {
	return k.b.If(cond, func() []kernel.Value { return k.block(then) }, func() []kernel.Value { return k.block(els) })
}

// loop runs body for i in lo..hi with plain carried values.
func (k *kern) loop(lo, hi kernel.Value, carry []kernel.Carry, init []kernel.Value, body func(i kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value)) []kernel.Value {
	return k.b.For(lo, hi, carry, init, func(i kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		var stop kernel.Value
		next := k.block(func() []kernel.Value {
			var n []kernel.Value
			n, stop = body(i, c)
			return n
		})
		return next, stop
	})
}

// each runs body for every slot of lo..hi, in which p is known to be ≥ 1.
func (k *kern) each(lo, hi kernel.Value, p size.Poly, body func(i kernel.Value)) {
	k.loop(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		k.inside(p, func() { body(i) })
		return nil, kernel.None
	})
}

// inside runs f knowing that p ≥ 1.
func (k *kern) inside(p size.Poly, f func()) {
	k.positive = append(k.positive, p.String())
	f()
	k.positive = k.positive[:len(k.positive)-1]
}

// isPositive reports that p ≥ 1 is known where the next instruction goes.
func (k *kern) isPositive(p size.Poly) bool {
	if k.isDynamic(p) {
		return false
	}
	if k.l.facts.Proves(p.AddConst(-1)) && k.provesAlone(p) {
		return true
	}
	text := p.String()
	for _, q := range k.positive {
		if q == text {
			return true
		}
	}
	return false
}

// provesAlone reports that the ranges of sizes suffice, without the where
// clause's comparisons, which kernels do not know.
func (k *kern) provesAlone(p size.Poly) bool {
	plain := size.Facts{Lo: k.l.facts.Lo, Hi: k.l.facts.Hi}
	return plain.Proves(p.AddConst(-1))
}

// fold is a canonical fold.
func (k *kern) fold(lo, hi kernel.Value, tree bool, accs []kernel.Acc, body func(i kernel.Value) []kernel.Value) []kernel.Value {
	return k.b.Fold(lo, hi, tree, accs, func(i kernel.Value) []kernel.Value {
		return k.block(func() []kernel.Value { return body(i) })
	})
}
