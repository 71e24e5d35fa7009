package wasm

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/kernel/kerneltest"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
)

// TestEveryOperationInBlocks runs the operations in grains that are long
// enough for vector code.
func TestEveryOperationInBlocks(t *testing.T) {
	b := newBench(t)
	for _, c := range kerneltest.Every() {
		if len(c.Sizes) != 2 {
			continue
		}
		grain := int64(333)
		c.Kernel.Grain = size.Const(grain)
		c.Outer = (c.Sizes[0] + grain - 1) / grain
		c.Sizes[1] = c.Outer
		if err := b.agree(c); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// straight draws kernels of one or two straight loops over many elements.
type straight struct {
	t    *rapid.T
	b    *kernel.Builder
	k    *kernel.Kernel
	pool []kernel.Value
	i    kernel.Value
	in   int // input regions come first
}

func (d *straight) pick(label string, kind num.Kind) kernel.Value {
	var vs []kernel.Value
	for _, v := range d.pool {
		if d.b.Kind(v) == kind {
			vs = append(vs, v)
		}
	}
	if len(vs) == 0 || rapid.IntRange(0, 7).Draw(d.t, label) == 0 {
		return d.b.Const(kind, rapid.SampledFrom(kerneltest.Edges(kind)).Draw(d.t, label))
	}
	return vs[len(vs)-1-rapid.IntRange(0, min(len(vs)-1, 4)).Draw(d.t, label)]
}

func (d *straight) kind() num.Kind {
	return rapid.SampledFrom(kerneltest.Kinds()).Draw(d.t, "kind")
}

func (d *straight) step() {
	d.b.Site, d.b.At = kernel.NoSite, kernel.None
	if rapid.IntRange(0, 3).Draw(d.t, "site") == 0 {
		d.b.Site = rapid.IntRange(0, 1).Draw(d.t, "which")
		if rapid.Bool().Draw(d.t, "placed") {
			d.b.At = d.i
		}
	}
	v := kernel.None
	switch rapid.IntRange(0, 10).Draw(d.t, "step") {
	case 10:
		v = d.gather()
	case 0, 1:
		r := rapid.IntRange(0, d.in-1).Draw(d.t, "region")
		v = d.b.Load(r, d.b.Wrap(num.Add, d.i, d.b.Int(rapid.Int64Range(0, 2).Draw(d.t, "shift"))))
	case 2:
		r := rapid.IntRange(0, d.in-1).Draw(d.t, "region")
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
		k := rapid.SampledFrom(kerneltest.Kinds()).Filter(op.Takes).Draw(d.t, "kind")
		args := []kernel.Value{d.pick("x", k)}
		if op.Arity() == 2 {
			args = append(args, d.pick("y", k))
		}
		v = d.b.Checked(op, args...)
	}
	if v != kernel.None {
		d.pool = append(d.pool, v)
	}
}

// gather loads from an index that is data.
func (d *straight) gather() kernel.Value {
	r := rapid.IntRange(0, d.in-1).Draw(d.t, "region")
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

func (d *straight) body(i kernel.Value) {
	d.i = i
	d.pool = append(d.pool, i)
	for range rapid.IntRange(1, 12).Draw(d.t, "steps") {
		d.step()
	}
}

func drawStraight(t *rapid.T) *kerneltest.Case {
	n := rapid.Int64Range(0, 400).Draw(t, "n")
	if rapid.IntRange(0, 5).Draw(t, "long") == 0 {
		n += rapid.SampledFrom([]int64{3700, 4096, 8192, 9000}).Draw(t, "more")
	}
	parts := rapid.Int64Range(1, 3).Draw(t, "parts")
	s0, s1, s2 := kernel.SizeVar(0), kernel.SizeVar(1), kernel.SizeVar(2)
	k := &kernel.Kernel{
		Sizes: []kernel.Size{{Lo: 0, Hi: 1 << 30}, {Lo: 1, Hi: 1000}, {Lo: 0, Hi: 1 << 30}},
		Outer: s2, Grain: s1, Count: s0, Sites: 2,
		Scalars: []kernel.Scalar{{Kind: num.F32}, {Kind: num.I64, Hi: 100}, {Kind: num.Bool}},
	}
	d := &straight{t: t, k: k}
	grain := (n + parts - 1) / max(parts, 1)
	grain = max(grain, 1)
	c := &kerneltest.Case{Name: "straight", Kernel: k, Outer: (n + grain - 1) / grain}
	c.Sizes = []int64{n, grain, c.Outer}
	region := func(kind num.Kind, length size.Poly, count int64, access kernel.Access) int {
		k.Regions = append(k.Regions, kernel.Region{Elem: kind, Len: length, Access: access})
		var bytes []byte
		for range count {
			bits := num.Canon(kind, rapid.Uint64().Draw(t, "bits"))
			if access == kernel.Write {
				bits = 0
			}
			bytes = binary.LittleEndian.AppendUint64(bytes, bits)[:len(bytes)+kind.Size()]
		}
		c.Regions = append(c.Regions, bytes)
		return len(k.Regions) - 1
	}
	d.in = rapid.IntRange(1, 4).Draw(t, "inputs")
	for range d.in {
		kind := d.kind()
		k.Regions = append(k.Regions, kernel.Region{Elem: kind, Len: s0.AddConst(2)})
		c.Regions = append(c.Regions, drawElements(t, kind, n+2))
	}
	table := d.kind()
	k.Regions = append(k.Regions, kernel.Region{Elem: table, Len: size.Const(256)})
	c.Regions = append(c.Regions, drawElements(t, table, 256))
	b, o, lo, hi := kernel.NewBuilder(k)
	d.b = b
	for i := range k.Scalars {
		d.pool = append(d.pool, b.ScalarArg(i))
	}
	c.Scalars = []uint64{num.FromFloat(num.F32, 1.5), 7, 1}
	outer := len(d.pool)
	if rapid.Bool().Draw(t, "map") {
		inPlace := rapid.IntRange(0, 3).Draw(t, "in place") == 0
		b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			if inPlace {
				kind := d.kind()
				k.Regions = append(k.Regions, kernel.Region{Elem: kind, Len: s0, Access: kernel.ReadWrite})
				c.Regions = append(c.Regions, drawElements(t, kind, n))
				d.pool = append(d.pool, b.Load(len(k.Regions)-1, i))
				d.body(i)
				b.Store(len(k.Regions)-1, i, d.pick("stored", kind))
				return nil, kernel.None
			}
			d.body(i)
			for range rapid.IntRange(1, 2).Draw(t, "outputs") {
				kind := d.kind()
				v := d.pick("stored", kind)
				b.Store(region(kind, s0, n, kernel.Write), i, v)
			}
			return nil, kernel.None
		})
		d.pool = d.pool[:outer]
	}
	var accs []kernel.Acc
	for range rapid.IntRange(0, 3).Draw(t, "accumulators") {
		op := rapid.SampledFrom(foldOps).Draw(t, "fold")
		accs = append(accs, kernel.Acc{Op: op, Kind: rapid.SampledFrom(kerneltest.Kinds()).Filter(op.Takes).Draw(t, "kind")})
	}
	fold := func() []kernel.Value {
		return b.Fold(lo, hi, false, accs, func(i kernel.Value) (vs []kernel.Value) {
			d.body(i)
			for _, a := range accs {
				vs = append(vs, d.folded(a))
			}
			return vs
		})
	}
	if len(accs) > 0 && rapid.Bool().Draw(t, "nested") {
		var into []int
		for _, a := range accs {
			for _, out := range a.Outs() {
				into = append(into, region(out, size.Const(2), 2, kernel.Write))
			}
		}
		b.For(b.Int(0), b.Int(2), nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			for j, r := range fold() {
				b.Store(into[j], i, r)
			}
			return nil, kernel.None
		})
	} else if len(accs) > 0 {
		for _, r := range fold() {
			b.Store(region(b.Kind(r), s2, c.Outer, kernel.Write), o, r)
		}
	}
	c.Kernel = b.Finish()
	return c
}

// folded draws what an accumulator folds, often converted or counted.
func (d *straight) folded(a kernel.Acc) kernel.Value {
	v := d.pick("folded", a.Kind)
	if a.Kind == num.Bool {
		return v
	}
	d.b.Site = kernel.NoSite
	switch rapid.IntRange(0, 5).Draw(d.t, "converted") {
	case 0, 1:
		v = d.b.Convert(d.pick("from", d.kind()), a.Kind, false)
	case 2:
		v = d.b.Convert(d.pick("from", num.Bool), a.Kind, false)
	case 3:
		one, _ := num.Convert(num.Bool, a.Kind, 1)
		v = d.b.Select(d.pick("cond", num.Bool), d.b.Const(a.Kind, one), d.b.Const(a.Kind, 0))
	}
	return v
}

func drawElements(t *rapid.T, kind num.Kind, n int64) []byte {
	edges := kerneltest.Edges(kind)
	seed := rapid.Uint64().Draw(t, "seed")
	mild := rapid.IntRange(0, 2).Draw(t, "mild") > 0
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

func TestStraightLoops(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		if err := b.agree(drawStraight(t)); err != nil {
			t.Fatal(err)
		}
	})
}
