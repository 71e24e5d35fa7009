package wasm

import (
	"encoding/binary"
	"slices"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// straight draws kernels of one or two straight loops over many elements.
type straight struct {
	t     *rapid.T
	b     *kernel.Builder
	k     *kernel.Kernel
	c     *kerneltest.Case
	pool  []kernel.Value
	kinds []num.Kind
	i     kernel.Value
	in    int // input regions come first
}

// draw draws from 0..n evenly; rapid's own ranges prefer small numbers.
func draw(t *rapid.T, n int, label string) int {
	return rapid.SampledFrom(numbers[:n]).Draw(t, label)
}

var numbers = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

func (d *straight) pick(label string, kind num.Kind) kernel.Value {
	var vs []kernel.Value
	for _, v := range d.pool {
		if d.b.Kind(v) == kind {
			vs = append(vs, v)
		}
	}
	if len(vs) == 0 || draw(d.t, 8, label) == 0 {
		return d.b.Const(kind, rapid.SampledFrom(kerneltest.Edges(kind)).Draw(d.t, label))
	}
	return vs[len(vs)-1-draw(d.t, min(len(vs), 5), label)]
}

// kind draws from the few kinds of this case, so that values meet.
func (d *straight) kind() num.Kind { return rapid.SampledFrom(d.kinds).Draw(d.t, "kind") }

// taking lists the kinds of this case that something is defined on, or all.
func (d *straight) taking(takes func(num.Kind) bool) []num.Kind {
	for _, from := range [][]num.Kind{d.kinds, kerneltest.Kinds()} {
		var kinds []num.Kind
		for _, k := range from {
			if takes(k) {
				kinds = append(kinds, k)
			}
		}
		if kinds != nil {
			return kinds
		}
	}
	return nil
}

func (d *straight) step() {
	d.b.Site, d.b.At = kernel.NoSite, kernel.None
	if draw(d.t, 4, "site") == 0 {
		d.b.Site = draw(d.t, 2, "which")
		if rapid.Bool().Draw(d.t, "placed") {
			d.b.At = d.i
		}
	}
	v := kernel.None
	switch draw(d.t, 12, "step") {
	case 11:
		if d.b.Site != kernel.NoSite {
			d.b.Fault(d.pick("cond", num.Bool))
		}
	case 10:
		v = d.gather()
	case 0, 1:
		r := draw(d.t, d.in, "region")
		v = d.b.Load(r, d.b.Wrap(num.Add, d.i, d.b.Int(rapid.Int64Range(0, 2).Draw(d.t, "shift"))))
	case 2:
		r := draw(d.t, d.in, "region")
		v = d.b.Load(r, d.i)
	case 3:
		k := d.kind()
		v = d.b.Select(d.pick("cond", num.Bool), d.pick("yes", k), d.pick("no", k))
	case 4:
		from, to := d.kind(), d.kind()
		if to != num.Bool {
			v = d.b.Convert(d.pick("from", from), to, true)
		}
	case 5:
		from, to := d.kind(), d.kind()
		if from != num.Bool && to != num.Bool && from.Size() == to.Size() {
			v = d.b.Bitcast(d.pick("from", from), to)
		}
	default:
		op := rapid.SampledFrom(allOps).Draw(d.t, "op")
		if scalarOps[op] && draw(d.t, 8, "scalar") > 0 {
			return
		}
		k := rapid.SampledFrom(d.taking(op.Takes)).Draw(d.t, "kind")
		var args []kernel.Value
		for _, name := range []string{"x", "y", "z"}[:op.Arity()] {
			args = append(args, d.pick(name, k))
		}
		v = d.b.Checked(op, args...)
	}
	if v != kernel.None {
		d.pool = append(d.pool, v)
	}
}

// gather loads from an index that is data.
func (d *straight) gather() kernel.Value {
	r := draw(d.t, d.in, "region")
	k := rapid.SampledFrom([]num.Kind{num.I64, num.I64, num.U32, num.U16, num.I8, num.U8}).Draw(d.t, "kind")
	index := d.pick("index", k)
	if k == num.U8 && rapid.Bool().Draw(d.t, "table") {
		return d.b.Load(d.in, d.b.Convert(index, num.I64, false))
	}
	return d.b.Load(r, d.b.Bound(d.b.Convert(index, num.I64, false), d.k.Regions[r].Len))
}

var allOps = func() (ops []num.Op) {
	for op := num.Add; op.Valid(); op++ {
		ops = append(ops, op)
	}
	return ops
}()

var foldOps = []num.FoldOp{num.FoldAdd, num.FoldAdd, num.FoldMul, num.FoldMin, num.FoldMax, num.FoldAnd, num.FoldOr,
	num.FoldXor, num.FoldArgMin, num.FoldArgMax, num.FoldAddWide, num.FoldAddWide}

// palettes are kinds that conversions in vectors go between.
var palettes = [][]num.Kind{{num.F32, num.F64}, {num.I32, num.F64}, {num.I64, num.F64}, {num.U64, num.F64}, {num.F32, num.I32},
	{num.F32, num.U32}, {num.F64, num.U32}, {num.U8, num.F32}, {num.I16, num.I64}, {num.U16, num.F64}, {num.I8, num.I16, num.I32},
	{num.I32, num.U32, num.I64}, {num.U8, num.I8}, {num.I32, num.I64, num.F32}, {num.I64, num.U64}}

// scalarOps are those that mostly keep a loop from being vectorised.
var scalarOps = map[num.Op]bool{num.Div: true, num.Rem: true, num.Shl: true, num.Shr: true, num.SatAdd: true}

func (d *straight) body(i kernel.Value) {
	d.i = i
	d.pool = append(d.pool, i)
	for range 1 + draw(d.t, 12, "steps") {
		d.step()
	}
}

// drawStraight draws a kernel with a loop that stores, a fold, or both.
func drawStraight(t *rapid.T) *kerneltest.Case {
	d := newStraight(t)
	b, o, lo, hi := kernel.NewBuilder(d.k)
	d.b = b
	for i := range d.k.Scalars {
		d.pool = append(d.pool, b.ScalarArg(i))
	}
	outer := len(d.pool)
	if rapid.Bool().Draw(t, "map") {
		b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			d.mapped(i)
			return nil, kernel.None
		})
		d.pool = d.pool[:outer]
	}
	var accs []kernel.Acc
	for range draw(t, 4, "accumulators") {
		op := rapid.SampledFrom(foldOps).Draw(t, "fold")
		accs = append(accs, kernel.Acc{Op: op, Kind: rapid.SampledFrom(d.taking(op.Takes)).Draw(t, "kind")})
	}
	if len(accs) > 0 {
		d.folds(accs, o, lo, hi)
	}
	d.c.Kernel = b.Finish()
	return d.c
}

// newStraight draws sizes and inputs.
func newStraight(t *rapid.T) *straight {
	n := int64(draw(t, 16, "n")*25 + draw(t, 16, "n"))
	if draw(t, 6, "long") == 0 {
		n += rapid.SampledFrom([]int64{3700, 4096, 8192, 9000}).Draw(t, "more")
	}
	parts := int64(1 + draw(t, 3, "parts"))
	grain := max(1, (n+parts-1)/parts)
	k := &kernel.Kernel{
		Sizes: []kernel.Size{{Lo: 0, Hi: 1 << 30}, {Lo: 1, Hi: 1000}, {Lo: 0, Hi: 1 << 30}},
		Outer: kernel.SizeVar(2), Grain: kernel.SizeVar(1), Count: kernel.SizeVar(0), Sites: 2,
		Scalars: []kernel.Scalar{{Kind: num.F32}, {Kind: num.I64, Hi: 100}, {Kind: num.Bool}},
	}
	d := &straight{t: t, k: k, c: &kerneltest.Case{Name: "straight", Kernel: k, Outer: (n + grain - 1) / grain}}
	d.c.Sizes = []int64{n, grain, d.c.Outer}
	d.c.Scalars = []uint64{num.FromFloat(num.F32, 1.5), 7, 1}
	d.kinds = append(slices.Clone(rapid.SampledFrom(palettes).Draw(t, "kinds")), num.Bool)
	if draw(t, 4, "any") == 0 {
		d.kinds = []num.Kind{d.kinds[0], rapid.SampledFrom(kerneltest.Kinds()).Draw(t, "kind"), num.Bool}
	}
	d.in = 1 + draw(t, 4, "inputs")
	for range d.in {
		d.region(d.kind(), kernel.SizeVar(0).AddConst(2), n+2, kernel.Read)
	}
	d.region(d.kind(), size.Const(256), 256, kernel.Read) // the table of gather
	return d
}

func (d *straight) region(kind num.Kind, length size.Poly, n int64, access kernel.Access) int {
	d.k.Regions = append(d.k.Regions, kernel.Region{Elem: kind, Len: length, Access: access})
	elements := make([]byte, n*int64(kind.Size()))
	if access != kernel.Write {
		elements = drawElements(d.t, kind, n)
	}
	d.c.Regions = append(d.c.Regions, elements)
	return len(d.k.Regions) - 1
}

// mapped draws a loop's body that stores, sometimes in place.
func (d *straight) mapped(i kernel.Value) {
	n, s0 := d.c.Sizes[0], kernel.SizeVar(0)
	if draw(d.t, 4, "in place") == 0 {
		kind := d.kind()
		r := d.region(kind, s0, n, kernel.ReadWrite)
		d.pool = append(d.pool, d.b.Load(r, i))
		d.body(i)
		d.b.Store(r, i, d.pick("stored", kind))
		return
	}
	d.body(i)
	for range 1 + draw(d.t, 2, "outputs") {
		kind := d.kind()
		v := d.pick("stored", kind)
		d.b.Store(d.region(kind, s0, n, kernel.Write), i, v)
	}
}

// folds draws a fold over the slots, sometimes inside another loop.
func (d *straight) folds(accs []kernel.Acc, o, lo, hi kernel.Value) {
	fold := func() []kernel.Value {
		return d.b.Fold(lo, hi, false, accs, func(i kernel.Value) (vs []kernel.Value) {
			d.body(i)
			for _, a := range accs {
				vs = append(vs, d.folded(a))
			}
			return vs
		})
	}
	length, n, nested := kernel.SizeVar(2), d.c.Outer, rapid.Bool().Draw(d.t, "nested")
	if nested {
		length, n = size.Const(2), 2
	}
	var into []int
	for _, a := range accs {
		for _, out := range a.Outs() {
			into = append(into, d.region(out, length, n, kernel.Write))
		}
	}
	store := func(at kernel.Value) {
		for j, r := range fold() {
			d.b.Store(into[j], at, r)
		}
	}
	if !nested {
		store(o)
		return
	}
	d.b.For(d.b.Int(0), d.b.Int(2), nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		store(i)
		return nil, kernel.None
	})
}

// folded draws what an accumulator folds, often converted or counted.
func (d *straight) folded(a kernel.Acc) kernel.Value {
	v := d.pick("folded", a.Kind)
	if a.Kind == num.Bool {
		return v
	}
	d.b.Site = kernel.NoSite
	switch draw(d.t, 6, "converted") {
	case 0, 1:
		v = d.b.Convert(d.pick("from", d.kind()), a.Kind, false)
	case 2:
		v = d.b.Convert(d.pick("from", num.Bool), a.Kind, false)
	case 3:
		if draw(d.t, 2, "masked") == 0 {
			return d.b.Select(d.pick("cond", num.Bool), d.b.Convert(d.pick("from", d.kind()), a.Kind, false), d.b.Const(a.Kind, 0))
		}
		one, _ := num.Convert(num.Bool, a.Kind, 1)
		v = d.b.Select(d.pick("cond", num.Bool), d.b.Const(a.Kind, one), d.b.Const(a.Kind, 0))
	}
	return v
}

func drawElements(t *rapid.T, kind num.Kind, n int64) []byte {
	edges := kerneltest.Edges(kind)
	seed := rapid.Uint64().Draw(t, "seed")
	mild := draw(t, 3, "mild") > 0
	var bytes []byte
	for range n {
		seed = seed*6364136223846793005 + 1442695040888963407
		v := num.Canon(kind, seed>>7)
		switch {
		case mild && kind.IsFloat():
			v = num.FromFloat(kind, float64(int64(seed)>>40)/1024)
		case mild && kind.IsInt():
			v = seed >> 60
		case seed>>50&3 == 0:
			v = edges[seed>>33%uint64(len(edges))]
		}
		bytes = binary.LittleEndian.AppendUint64(bytes, v)[:len(bytes)+kind.Size()]
	}
	return bytes
}
