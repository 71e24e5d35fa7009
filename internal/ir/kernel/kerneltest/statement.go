package kerneltest

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func (d *drawing) statement() {
	all := []func(){d.arith, d.arith, d.arith, d.convert, d.bitcast, d.choose, d.load, d.load, d.store, d.store,
		d.size, d.scalar, d.positive, d.fault, d.bounded, d.branch, d.loop, d.fold, d.slotLoop, d.chase, d.grid, d.guarded}
	if d.depth >= 3 {
		all = all[:15]
	}
	d.site()
	oneOf(d.t, all, "statement")()
}

// site decides whether the next faults count, and where.
func (d *drawing) site() {
	d.b.Site, d.b.At = kernel.NoSite, kernel.None
	if d.pick(2, "checked") == 1 {
		d.b.Site = d.pick(d.k.Sites, "site")
		if vs := d.pool[num.I64]; d.pick(3, "placed") > 0 {
			d.b.At = vs[d.pick(len(vs), "place")]
		}
	}
}

func (d *drawing) arith() {
	op := num.Op(1 + d.pick(int(num.Fma), "op"))
	k := oneOf(d.t, filter(Kinds(), op.Takes), "kind")
	args := make([]kernel.Value, op.Arity())
	for i := range args {
		args[i] = d.value(k)
	}
	d.add(d.b.Checked(op, args...))
}

func (d *drawing) convert() {
	from, to := d.kind(), d.kind()
	if from != to && to != num.Bool {
		d.add(d.b.Convert(d.value(from), to, true))
	}
}

func (d *drawing) bitcast() {
	from, to := d.kind(), d.kind()
	if from != to && from != num.Bool && to != num.Bool && from.Size() == to.Size() {
		d.add(d.b.Bitcast(d.value(from), to))
	}
}

func (d *drawing) choose() {
	k := d.kind()
	d.add(d.b.Select(d.value(num.Bool), d.value(k), d.value(k)))
}

func (d *drawing) size()     { d.add(d.b.SizeOf(d.poly())) }
func (d *drawing) positive() { d.add(d.b.Positive(d.poly().Sub(size.Const(3)))) }
func (d *drawing) fault()    { d.b.Fault(d.value(num.Bool)) }

func (d *drawing) scalar() {
	i := d.pick(len(d.k.Scalars), "scalar")
	v := d.add(d.b.ScalarArg(i))
	if d.k.Scalars[i].Bounded {
		d.know(d.b.Convert(v, num.I64, false), d.k.Scalars[i].Bound)
	}
}

// poly is a positive length that regions have.
func (d *drawing) poly() size.Poly {
	s0, s1 := kernel.SizeVar(0), kernel.SizeVar(1)
	return oneOf(d.t, []size.Poly{s0, s1, s0.Mul(s1), size.Const(16)}, "length")
}

func (d *drawing) bounded() {
	p := d.poly()
	d.know(d.b.Bound(d.value(num.I64), p), p)
}

// below makes an index in 0..p, for a p that is at least 1.
func (d *drawing) below(p size.Poly) kernel.Value {
	if vs := d.index[p.String()]; len(vs) > 0 && d.pick(3, "old index") > 0 {
		return vs[d.pick(len(vs), "index")]
	}
	v, i64 := d.value(num.I64), func(n int64) kernel.Value { return d.b.Int(n) }
	switch d.pick(4, "index from") {
	case 0:
		v = d.b.Bound(v, p)
	case 1:
		v = d.b.Wrap(num.Min, d.b.Wrap(num.Max, v, i64(0)), d.b.Wrap(num.Sub, d.b.SizeOf(p), i64(1)))
	case 2:
		v = d.b.Wrap(num.Rem, d.b.Wrap(num.Max, v, i64(0)), d.b.SizeOf(p))
	default:
		v = i64(0)
	}
	d.know(v, p)
	return v
}

func (d *drawing) load() {
	r := oneOf(d.t, []int{rows, items, follow, columns, flags, update, scratch}, "region")
	if r == update && d.slot != kernel.None {
		d.add(d.b.Load(update, d.slot))
		return
	} else if r == update {
		r = scratch
	}
	v := d.b.Load(r, d.below(d.k.Regions[r].Len))
	if d.k.Regions[r].Bounded {
		d.add(v)
		d.know(d.b.Convert(v, num.I64, false), d.k.Regions[r].Bound)
		return
	}
	d.add(v)
}

func (d *drawing) store() {
	if d.slot == kernel.None {
		r := oneOf(d.t, []int{written, scratch}, "region")
		i := d.o
		if r == scratch {
			i = d.below(size.Const(16))
		}
		d.b.Store(r, i, d.value(d.k.Regions[r].Elem))
		return
	}
	r := oneOf(d.t, []int{slots, update, links}, "region")
	if r == links {
		d.b.Store(r, d.slot, d.b.Convert(d.below(kernel.SizeVar(1)), num.I32, false))
		return
	}
	d.b.Store(r, d.slot, d.value(d.k.Regions[r].Elem))
}

func (d *drawing) branch() {
	kinds := some(d.t, Kinds(), 0, 2, "results")
	half := func() (vs []kernel.Value) {
		d.inner(func() {
			d.body()
			for _, k := range kinds {
				vs = append(vs, d.value(k))
			}
		})
		return vs
	}
	for _, v := range d.b.If(d.value(num.Bool), half, half) {
		d.add(v)
	}
}

// guarded uses what only a branch on Positive knows: s0 > 3.
func (d *drawing) guarded() {
	p := kernel.SizeVar(0).AddConst(-3)
	d.b.If(d.b.Positive(p), func() []kernel.Value {
		d.inner(func() {
			i := d.b.Bound(d.value(num.I64), p)
			d.add(d.b.Load(items, d.b.Wrap(num.Add, i, d.b.Int(3))))
			d.body()
		})
		return nil
	}, func() []kernel.Value { return nil })
}

// loop goes over 0..p, carrying values of any kind.
func (d *drawing) loop() {
	p := d.poly()
	kinds := some(d.t, Kinds(), 0, 2, "carried")
	var carry []kernel.Carry
	var init []kernel.Value
	for _, k := range kinds {
		carry, init = append(carry, kernel.Carry{Kind: k}), append(init, d.value(k))
	}
	results := d.b.For(d.b.Int(0), d.b.SizeOf(p), carry, init, func(i kernel.Value, carried []kernel.Value) (next []kernel.Value, stop kernel.Value) {
		stop = kernel.None
		d.inner(func() {
			d.know(i, p)
			for _, v := range carried {
				d.add(v)
			}
			d.body()
			for _, k := range kinds {
				next = append(next, d.value(k))
			}
			if d.pick(3, "stop") == 0 {
				stop = d.value(num.Bool)
			}
		})
		return next, stop
	})
	for _, v := range results {
		d.add(v)
	}
}

// slotLoop visits the kernel's own slots, where it may store.
func (d *drawing) slotLoop() {
	if d.slot != kernel.None {
		return
	}
	d.b.For(d.lo, d.hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		d.inner(func() {
			d.slot = i
			d.know(i, kernel.SizeVar(0))
			d.store()
			d.body()
		})
		return nil, kernel.None
	})
}

// chase follows indices with a bounded carried value.
func (d *drawing) chase() {
	s0 := kernel.SizeVar(0)
	start := d.below(s0)
	last := d.b.For(d.b.Int(0), d.b.Int(int64(d.pick(8, "turns"))), []kernel.Carry{{Kind: num.I64, Bounded: true, Bound: s0}}, []kernel.Value{start},
		func(_ kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
			return []kernel.Value{d.b.Load(follow, c[0])}, kernel.None
		})
	d.know(last[0], s0)
}

// grid reads all of rows by row and column.
func (d *drawing) grid() {
	s0, s1 := kernel.SizeVar(0), kernel.SizeVar(1)
	d.b.For(d.b.Int(0), d.b.SizeOf(s0), nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		d.b.For(d.b.Int(0), d.b.SizeOf(s1), nil, nil, func(j kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			d.inner(func() {
				d.know(i, s0)
				d.know(j, s1)
				d.know(d.b.Wrap(num.Add, d.b.Wrap(num.Mul, i, d.b.SizeOf(s1)), j), s0.Mul(s1))
				d.depth++
				d.load()
				d.body()
				d.depth--
			})
			return nil, kernel.None
		})
		return nil, kernel.None
	})
}

func (d *drawing) fold() {
	p := d.poly()
	var accs []kernel.Acc
	for range 1 + d.pick(3, "accumulators") {
		op := num.FoldOp(1 + d.pick(int(num.FoldMulAdd), "fold"))
		accs = append(accs, kernel.Acc{Op: op, Kind: oneOf(d.t, filter(Kinds(), op.Takes), "kind")})
	}
	products := slices.ContainsFunc(accs, func(a kernel.Acc) bool { return a.Op == num.FoldMulAdd })
	results := d.b.Fold(d.b.Int(0), d.b.SizeOf(p), d.pick(2, "tree") == 1 && !products, accs, func(i kernel.Value) (values []kernel.Value) {
		d.inner(func() {
			d.know(i, p)
			d.body()
			for _, a := range accs {
				v := d.value(a.Kind)
				if a.Op == num.FoldMulAdd {
					v = d.b.Wrap(num.Mul, v, d.value(a.Kind))
				}
				values = append(values, v)
			}
		})
		return values
	})
	for _, a := range accs {
		d.add(results[0])
		if a.Op == num.FoldArgMin || a.Op == num.FoldArgMax {
			d.know(results[1], p)
		}
		results = results[a.Op.Words():]
	}
}
