package suspend_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/suspend"
)

// Regions of drawn kernels.
const (
	starts  = iota // i64 by id, index of a row
	queries        // i64 by id
	next           // far: i64, index of a row
	costs          // far: i64
	triples        // far: three i64 a row, each index of a row
	pairs          // far: two f64 a row
	nearby         // i64, index of a row
	answers        // written: i64 by id
	written        // written: f64 by id
)

var drawnFar = suspend.Widths{next: 1, costs: 1, triples: 3, pairs: 2}

// drawing makes a random kernel that has a suspendable form.
type drawing struct {
	t     *rapid.T
	b     *kernel.Builder
	id    kernel.Value
	rows  size.Poly
	far   bool // far loads are possible here
	steps int  // statements left
}

// pool is the values at hand.
type pool struct{ ints, rows, floats, bools []kernel.Value }

func drawKernel(t *rapid.T) *kernel.Kernel {
	ids, outer, rows := kernel.SizeVar(0), kernel.SizeVar(1), kernel.SizeVar(2)
	grain := rapid.SampledFrom([]int64{1, 1, 3}).Draw(t, "grain")
	k := &kernel.Kernel{
		Sizes:   []kernel.Size{{Hi: 1 << 30}, {Hi: 1 << 30}, {Lo: 1, Hi: 1 << 30}},
		Scalars: []kernel.Scalar{{Kind: num.U8, Hi: 6}, {Kind: num.I64, Lo: -20, Hi: 20}},
		Sites:   12,
		Outer:   outer, Grain: size.Const(grain), Count: ids,
		Regions: []kernel.Region{
			{Elem: num.I64, Len: ids, Bounded: true, Bound: rows},
			{Elem: num.I64, Len: ids},
			{Elem: num.I64, Len: rows, Bounded: true, Bound: rows},
			{Elem: num.I64, Len: rows},
			{Elem: num.I64, Len: rows.MulConst(3), Bounded: true, Bound: rows},
			{Elem: num.F64, Len: rows.MulConst(2)},
			{Elem: num.I64, Len: rows, Bounded: true, Bound: rows},
			{Elem: num.I64, Len: ids, Access: kernel.Write},
			{Elem: num.F64, Len: ids, Access: kernel.Write},
		},
	}
	slots := grain > 1 || rapid.Bool().Draw(t, "slots")
	if !slots {
		k.Outer = ids
	}
	b, o, lo, hi := kernel.NewBuilder(k)
	d := &drawing{t: t, b: b, rows: rows, steps: 24, id: o}
	if slots {
		b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			d.id = i
			d.one()
			return nil, kernel.None
		})
	} else {
		d.one()
	}
	return b.Finish()
}

// one is what is done for one id.
func (d *drawing) one() {
	d.b.At = d.id
	p := pool{
		rows:   []kernel.Value{d.b.Load(starts, d.id)},
		ints:   []kernel.Value{d.b.Load(queries, d.id), d.b.ScalarArg(1), d.b.Int(2)},
		floats: []kernel.Value{d.b.Const(num.F64, num.FromFloat(num.F64, 1.5))},
		bools:  []kernel.Value{d.b.Const(num.Bool, 1)},
	}
	d.far = d.chance("before", 2)
	p = d.statements(p, d.less("pre", 4), 0)
	d.far = true
	if d.chance("loop", 6) {
		p = d.loop(p)
	}
	d.far = d.chance("after", 2)
	p = d.statements(p, d.less("post", 4), 0)
	d.far = true
	d.b.Store(answers, d.id, d.b.Wrap(num.Add, d.load(costs, d.row(p)), d.int(p)))
	d.b.Store(written, d.id, d.float(p))
}

func (d *drawing) less(what string, n int) int     { return rapid.IntRange(0, n-1).Draw(d.t, what) }
func (d *drawing) chance(what string, of int) bool { return d.less(what, of) > 0 }

func (d *drawing) of(vs []kernel.Value) kernel.Value {
	return vs[len(vs)-1-min(d.less("value", 4), len(vs)-1)]
}
func (d *drawing) int(p pool) kernel.Value   { return d.of(p.ints) }
func (d *drawing) row(p pool) kernel.Value   { return d.of(p.rows) }
func (d *drawing) float(p pool) kernel.Value { return d.of(p.floats) }

func (d *drawing) load(region int, at kernel.Value) kernel.Value { return d.b.Load(region, at) }

// element is an index into a region with rows of width elements.
func (d *drawing) element(p pool, width int64) kernel.Value {
	at := d.b.Wrap(num.Mul, d.row(p), d.b.Int(width))
	switch d.less("element", 3) {
	case 0:
		return d.b.Wrap(num.Add, at, d.b.Int(int64(d.less("offset", int(width)))))
	case 1:
		return d.b.Wrap(num.Add, at, d.unfaulted(d.int(p), size.Const(width)))
	}
	return d.unfaulted(d.int(p), d.rows.MulConst(width))
}

func (d *drawing) unfaulted(v kernel.Value, bound size.Poly) kernel.Value {
	d.b.Site = kernel.NoSite
	return d.b.Bound(v, bound)
}

func (d *drawing) site() { d.b.Site = d.less("site", 12) }

func (d *drawing) loop(p pool) pool {
	lo, hi := d.b.Int(int64(d.less("lo", 3))), d.b.Int(int64(d.less("hi", 9)))
	if d.chance("scalar", 2) {
		hi = d.b.Convert(d.b.ScalarArg(0), num.I64, false)
	}
	carry := []kernel.Carry{{Kind: num.I64, Bounded: true, Bound: d.rows}, {Kind: num.I64}, {Kind: num.F64}}
	init := []kernel.Value{d.row(p), d.int(p), d.float(p)}
	out := d.b.For(lo, hi, carry, init, func(i kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		q := p
		q.rows, q.ints, q.floats = with(p.rows, c[0]), with(with(p.ints, i), c[1]), with(p.floats, c[2])
		q = d.statements(q, 1+d.less("turn", 7), 0)
		stop := kernel.None
		if d.chance("stops", 2) {
			stop = d.of(q.bools)
		}
		return []kernel.Value{d.load(next, d.row(q)), d.int(q), d.float(q)}, stop
	})
	p.rows, p.ints, p.floats = with(p.rows, out[0]), with(p.ints, out[1]), with(p.floats, out[2])
	return p
}

func with(vs []kernel.Value, v kernel.Value) []kernel.Value { return append(vs[:len(vs):len(vs)], v) }

func (d *drawing) statements(p pool, n, depth int) pool {
	for ; n > 0 && d.steps > 0; n-- {
		d.steps--
		d.statement(&p, depth)
	}
	return p
}

func (d *drawing) statement(p *pool, depth int) {
	kind := d.less("statement", 13)
	if !d.far && kind < 5 {
		kind += 5
	}
	switch kind {
	case 0, 1:
		p.rows = with(p.rows, d.load(next, d.row(*p)))
	case 2:
		p.ints = with(p.ints, d.load(costs, d.row(*p)))
	case 3:
		p.rows = with(p.rows, d.load(triples, d.element(*p, 3)))
	case 4:
		p.floats = with(p.floats, d.b.Wrap(num.Add, d.float(*p), d.load(pairs, d.element(*p, 2))))
	case 5:
		p.rows = with(p.rows, d.load(nearby, d.row(*p)))
	case 6:
		d.site()
		p.rows = with(p.rows, d.b.Bound(d.int(*p), d.rows))
	case 7:
		d.site()
		p.ints = with(p.ints, d.b.Checked(rapid.SampledFrom([]num.Op{num.Add, num.Mul, num.Sub, num.Div}).Draw(d.t, "op"), d.int(*p), d.row(*p)))
	case 8:
		p.bools = with(p.bools, d.b.Wrap(rapid.SampledFrom([]num.Op{num.Lt, num.Eq, num.Ge}).Draw(d.t, "op"), d.int(*p), d.row(*p)))
	case 9:
		d.site()
		d.b.Fault(d.of(p.bools))
	case 10:
		sum := d.b.Fold(d.b.Int(0), d.b.Int(3), false, []kernel.Acc{{Op: kernel.FoldAdd, Kind: num.I64}}, func(i kernel.Value) []kernel.Value {
			return []kernel.Value{d.b.Wrap(num.Mul, d.b.Wrap(num.Add, i, d.int(*p)), d.load(nearby, d.row(*p)))}
		})
		p.ints = with(p.ints, sum[0])
	default:
		if depth < 2 {
			d.branch(p, depth)
		}
	}
}

func (d *drawing) branch(p *pool, depth int) {
	side := func() []kernel.Value {
		q := d.statements(*p, 1+d.less("side", 4), depth+1)
		return []kernel.Value{d.row(q), d.int(q), d.float(q)}
	}
	out := d.b.If(d.of(p.bools), side, side)
	p.rows, p.ints, p.floats = with(p.rows, out[0]), with(p.ints, out[1]), with(p.floats, out[2])
}

func drawProblem(t *rapid.T) (*problem, *suspend.Batch) {
	k := drawKernel(t)
	p := &problem{k: k, far: drawnFar, sizes: []int64{rapid.Int64Range(0, 6).Draw(t, "ids"), 0, rapid.Int64Range(1, 12).Draw(t, "rows")}}
	grain, _ := k.Grain.Const()
	p.sizes[1] = (p.sizes[0] + grain - 1) / grain
	p.rows = p.sizes[2]
	p.outer, _ = kernel.EvalPoly(k.Outer, p.sizes)
	p.scalars = []uint64{uint64(rapid.IntRange(0, 6).Draw(t, "scalar")), uint64(rapid.Int64Range(-20, 20).Draw(t, "scalar"))}
	for _, r := range k.Regions {
		p.regions = append(p.regions, contents(t, r, p.sizes))
	}
	return p, batch(t, k, drawnFar)
}

func TestDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, b := drawProblem(t)
		agrees(t, p, b, interpret, interpret)
	})
}

func TestDrawnCompiled(t *testing.T) {
	run := compiled(t, engine.Wasm)
	rapid.Check(t, func(t *rapid.T) {
		p, b := drawProblem(t)
		agrees(t, p, b, interpret, run)
	})
}
