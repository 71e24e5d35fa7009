package progen

import (
	"math"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// sizes of most programs are small; a few cross a leaf of the canonical
// order, and one in many a leaf of a keyed fold.
func (w *writer) drawSize() int64 {
	if w.least > 0 {
		return rapid.Int64Range(w.least, 2*w.least).Draw(w.t, "long")
	}
	switch n := w.pick(40); {
	case n == 39:
		return rapid.Int64Range(65_000, 70_000).Draw(w.t, "huge")
	case n > 34:
		return rapid.Int64Range(4_000, 9_000).Draw(w.t, "large")
	case n > 31:
		return 1
	}
	return rapid.Int64Range(2, 70).Draw(w.t, "small")
}

// params draws the function's parameters and their values.
func (w *writer) params(p *Program) []string {
	n, m := w.drawSize(), w.drawSize()
	if n > 10_000 && w.least == 0 {
		m = min(m, 50)
	}
	p.Sizes["N"], p.Sizes["M"] = n, m
	dn, dm := dim{text: "N", value: n}, dim{text: "M", value: m}
	rec := &typ{form: record, name: "Row", elems: []*typ{scalarOf(num.I16), scalarOf(w.numberKind())}}
	w.records = []*typ{rec}
	types := []*typ{
		arrayOf(scalarOf(w.floatKind()), dn),
		arrayOf(scalarOf(w.intKind()), dn),
		arrayOf(indexOf(dn), dm),
		scalarOf(num.U32),
	}
	extra := []*typ{
		arrayOf(arrayOf(scalarOf(w.floatKind()), dim{text: "3", value: 3}), dm),
		arrayOf(rec, dn),
		arrayOf(scalarOf(num.Bool), dn),
		arrayOf(&typ{form: option, elems: []*typ{scalarOf(w.numberKind())}}, dm),
		arrayOf(scalarOf(w.numberKind()), dm),
		scalarOf(w.numberKind()),
		indexOf(dn),
	}
	for _, t := range extra {
		if w.chance(45) {
			types = append(types, t)
		}
	}
	var head []string
	for i, t := range types {
		name := w.fresh("p")
		if i == 3 {
			name = "steps"
		} else {
			w.vars = append(w.vars, variable{name, t})
		}
		head = append(head, name+": "+t.String())
		p.Params = append(p.Params, Param{name, w.columns(t, p.Sizes, nil, name == "steps")})
	}
	return head
}

func (w *writer) floatKind() num.Kind { return oneOf(w, num.F32, num.F64) }
func (w *writer) intKind() num.Kind {
	return oneOf(w, num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64)
}
func (w *writer) numberKind() num.Kind {
	if w.chance(50) {
		return w.floatKind()
	}
	return w.intKind()
}

// columns draws the leaves of a parameter. Values come from one generator
// per column, seeded once, so that long arrays cost one draw.
func (w *writer) columns(t *typ, sizes map[string]int64, dims []int64, steps bool) []Column {
	switch t.form {
	case array:
		return w.columns(t.elem(), sizes, append(dims[:len(dims):len(dims)], t.size.value), steps)
	case tuple, record:
		var out []Column
		for _, e := range t.elems {
			out = append(out, w.columns(e, sizes, dims, steps)...)
		}
		return out
	case option:
		present := w.columns(scalarOf(num.Bool), sizes, dims, steps)[0]
		value := w.columns(t.elem(), sizes, dims, steps)[0]
		for i, p := range present.Bits {
			value.Bits[i] *= p // what is absent is zero
		}
		return []Column{present, value}
	}
	c := Column{Kind: t.kind, Dims: dims}
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	r := splitmix(rapid.Uint64().Draw(w.t, "seed"))
	limit := uint64(6)
	if t.form == index {
		c.Kind, limit = num.I64, uint64(sizes[t.bound])
	}
	for range n {
		switch {
		case t.form == index || steps:
			c.Bits = append(c.Bits, r.next()%limit)
		default:
			c.Bits = append(c.Bits, r.scalar(t.kind))
		}
	}
	return []Column{c}
}

// random is a small generator whose whole state is its seed.
type random struct{ state uint64 }

func splitmix(seed uint64) *random { return &random{seed} }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// scalar is mostly a small value and now and then an extreme one.
func (r *random) scalar(k num.Kind) uint64 {
	x := r.next()
	switch {
	case k == num.Bool:
		return x & 1
	case k.IsFloat() && x%61 == 0:
		specials := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1e30, -1e-40}
		return num.FromFloat(k, specials[x/61%uint64(len(specials))])
	case k.IsFloat():
		return num.FromFloat(k, (float64(x>>11)/(1<<53)-0.5)*200)
	case x%1999 == 0:
		return num.Canon(k, r.next())
	case k.IsSigned():
		return num.Canon(k, uint64(int64(x%23)-11))
	}
	return x % 23
}
