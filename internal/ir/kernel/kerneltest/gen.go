package kerneltest

import (
	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Regions of every generated kernel. The ones "of slots" are touched at the
// kernel's own slots only, as kernels without state must.
const (
	rows    = iota // read, s0·s1 elements
	items          // read, s0 elements
	follow         // read, s0 indices below s0
	columns        // read, s1 small indices below s1
	flags          // read, s1 bools
	slots          // write, s0 elements, of slots
	links          // write, s0 indices below s1, of slots
	update         // readwrite, s0 elements, of slots
	written        // write, one element per outer index
	scratch        // scratch, 16 elements
	states         // readwrite, one element: the first of the states
)

// Gen gives kernels with nested ifs, loops and folds, whose accesses are in
// bounds for reasons that verify must see.
func Gen() *rapid.Generator[*Case] { return rapid.Custom(draw) }

type drawing struct {
	t      *rapid.T
	k      *kernel.Kernel
	b      *kernel.Builder
	pool   map[num.Kind][]kernel.Value
	index  map[string][]kernel.Value // values known to be in 0..poly, by its text
	slot   kernel.Value              // the loop variable over lo..hi, or None
	lo, hi kernel.Value
	o      kernel.Value
	depth  int
	budget int
}

func draw(t *rapid.T) *Case {
	kind := func(label string) num.Kind { return oneOf(t, Kinds(), label) }
	s0, s1, s2 := kernel.SizeVar(0), kernel.SizeVar(1), kernel.SizeVar(2)
	grain := int64(1 + even(t, 5, "grain"))
	n, m := int64(1+even(t, 9, "s0")), int64(1+even(t, 5, "s1"))
	k := &kernel.Kernel{
		Sizes: []kernel.Size{{Lo: 1, Hi: 1 << 30}, {Lo: 1, Hi: 1000}, {Lo: 0, Hi: 1 << 30}},
		Outer: s2, Grain: size.Const(grain), Count: s0, Sites: 3,
		Scalars: []kernel.Scalar{{Kind: num.I64, Lo: -3, Hi: 5}, {Kind: num.I32, Lo: 0, Hi: 1 << 20, Bounded: true, Bound: s0}, {Kind: num.F32}, {Kind: num.Bool}, {Kind: num.F64}, {Kind: num.U64, Lo: 0, Hi: 9}},
		Regions: []kernel.Region{
			rows:    {Elem: kind("rows"), Len: s0.Mul(s1)},
			items:   {Elem: kind("items"), Len: s0},
			follow:  {Elem: num.I64, Len: s0, Bounded: true, Bound: s0},
			columns: {Elem: num.U8, Len: s1, Bounded: true, Bound: s1},
			flags:   {Elem: num.Bool, Len: s1},
			slots:   {Elem: kind("slots"), Len: s0, Access: kernel.Write},
			links:   {Elem: num.I32, Len: s0, Access: kernel.Write, Bounded: true, Bound: s1},
			update:  {Elem: kind("update"), Len: s0, Access: kernel.ReadWrite},
			written: {Elem: kind("written"), Len: s2, Access: kernel.Write},
			scratch: {Elem: kind("scratch"), Len: size.Const(16), Access: kernel.Scratch},
		},
	}
	d := &drawing{t: t, k: k, pool: map[num.Kind][]kernel.Value{}, index: map[string][]kernel.Value{}, slot: kernel.None, budget: oneOf(t, []int{5, 20, 40, 80}, "budget")}
	d.b, d.o, d.lo, d.hi = kernel.NewBuilder(k)
	var carried []num.Kind
	if even(t, 4, "sequential") == 3 {
		carried = some(t, Kinds(), 1, 3, "state")
	}
	for j, c := range carried {
		k.Regions = append(k.Regions, kernel.Region{Elem: c, Len: size.Const(1), Access: kernel.ReadWrite})
		d.add(d.b.StateParam(c, states+j))
	}
	for _, v := range []kernel.Value{d.o, d.lo, d.hi} {
		d.add(v)
	}
	for d.budget > 0 {
		d.body()
	}
	var next []kernel.Value
	for _, c := range carried {
		next = append(next, d.value(c))
	}
	// Not Finish, which would take away all that has no effect.
	k.Body.Results = next
	kernel.Renumber(k)
	c := &Case{Name: "drawn", Kernel: k, Sizes: []int64{n, m, (n + grain - 1) / grain}, Outer: (n + grain - 1) / grain}
	if !c.fill(t) {
		panic("kerneltest: no arguments for a kernel that was made for them")
	}
	return c
}

func drawBits(t *rapid.T, k num.Kind) uint64 {
	if rapid.Bool().Draw(t, "edge") {
		return oneOf(t, Edges(k), "value")
	}
	return num.Canon(k, rapid.Uint64().Draw(t, "bits"))
}

func (d *drawing) pick(n int, label string) int { return even(d.t, n, label) }

func (d *drawing) kind() num.Kind { return oneOf(d.t, Kinds(), "kind") }

func (d *drawing) add(v kernel.Value) kernel.Value {
	k := d.b.Kind(v)
	d.pool[k] = append(d.pool[k][:len(d.pool[k]):len(d.pool[k])], v)
	return v
}

// value finds or makes a value of a kind.
func (d *drawing) value(k num.Kind) kernel.Value {
	if vs := d.pool[k]; len(vs) > 0 && d.pick(4, "old value") > 0 {
		return vs[len(vs)-1-d.pick(min(len(vs), 6), "value")]
	}
	return d.add(d.b.Const(k, drawBits(d.t, k)))
}

// inner calls fill with what is visible now, and forgets what it adds.
func (d *drawing) inner(fill func()) {
	pool, index, slot := map[num.Kind][]kernel.Value{}, map[string][]kernel.Value{}, d.slot
	for k, vs := range d.pool {
		pool[k] = vs
	}
	for p, vs := range d.index {
		index[p] = vs
	}
	d.depth++
	fill()
	d.depth--
	d.pool, d.index, d.slot = pool, index, slot
}

func (d *drawing) know(v kernel.Value, p size.Poly) {
	name := p.String()
	d.index[name] = append(d.index[name][:len(d.index[name]):len(d.index[name])], v)
	d.add(v)
}

func (d *drawing) body() {
	for n := 1 + d.pick(6, "statements"); n > 0 && d.budget > 0; n-- {
		d.budget--
		d.statement()
	}
}
