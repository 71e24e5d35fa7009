package elaborate

import (
	"math"
	"math/bits"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// bounds is what is known of an integer: the interval it lies in, and sizes
// that it is at least and at most. A u64 whose hi is MaxInt64 may be larger.
//
// Bounds describe the value a node really has, also after a fault: what may
// have wrapped around keeps only the interval of its type.
type bounds struct {
	lo, hi int64
	// declared says that the interval comes from sizes, constants and
	// declared Ranges, and not from the width of a type alone.
	declared bool
	los, his []size.Poly // never constants: those are lo and hi
}

// maxSymbols bounds the sizes kept on each side.
const maxSymbols = 3

func constBounds(k num.Kind, v uint64) *bounds {
	c := int64(v)
	if k == num.U64 && c < 0 {
		return &bounds{lo: math.MaxInt64, hi: math.MaxInt64}
	}
	return &bounds{lo: c, hi: c, declared: true}
}

func natural(k num.Kind) bounds {
	return bounds{lo: k.MinInt(), hi: int64(min(k.MaxInt(), math.MaxInt64))}
}

// boundsOf gives what is known of an integer or index.
func (e *elab) boundsOf(n *graph.Node) *bounds {
	i := e.of(n)
	if i.bounds == nil {
		b := e.typeBounds(n.Type)
		i.bounds = &b
	}
	return i.bounds
}

func (e *elab) typeBounds(t *graph.Type) bounds {
	if t.Kind != graph.Index {
		return natural(t.Num)
	}
	last := t.Bound.AddConst(-1)
	_, hi := e.g.Facts.Bounds(last)
	b := bounds{lo: 0, hi: max(hi, 0), declared: true}
	if _, ok := last.Const(); !ok {
		b.his = []size.Poly{last}
	}
	return b
}

// exact gives the size that the integer is equal to.
func (b *bounds) exact() (size.Poly, bool) {
	if b.lo == b.hi && b.declared {
		return size.Const(b.lo), true
	}
	for _, l := range b.los {
		for _, h := range b.his {
			if l.Equal(h) {
				return l, true
			}
		}
	}
	return size.Poly{}, false
}

// uppers and lowers are the sides as sizes, the interval's end included.
func (b *bounds) uppers() []size.Poly {
	if b.hi == math.MaxInt64 {
		return b.his
	}
	return append(b.his[:len(b.his):len(b.his)], size.Const(b.hi))
}

func (b *bounds) lowers() []size.Poly {
	if b.lo == math.MinInt64 {
		return b.los
	}
	return append(b.los[:len(b.los):len(b.los)], size.Const(b.lo))
}

// typed adds to b what the type of an index says.
func (e *elab) typed(t *graph.Type, b *bounds) *bounds {
	if t.Kind != graph.Index {
		return b
	}
	own := e.typeBounds(t)
	return &bounds{lo: max(b.lo, own.lo), hi: min(b.hi, own.hi), declared: true, los: b.los, his: join(own.his, b.his)}
}

// within reports that the integer is shown to be in 0..p.
func (e *elab) within(b *bounds, p size.Poly) bool {
	return e.notNegative(b) && e.below(b, p)
}

func (e *elab) notNegative(b *bounds) bool {
	if b.lo >= 0 {
		return true
	}
	for _, l := range b.los {
		if e.proves(l) {
			return true
		}
	}
	return false
}

func (e *elab) below(b *bounds, p size.Poly) bool {
	for _, h := range b.uppers() {
		if e.proves(p.Sub(h).AddConst(-1)) {
			return true
		}
	}
	return false
}

// hull holds whichever of two values it is.
func hull(a, b *bounds) *bounds {
	return &bounds{lo: min(a.lo, b.lo), hi: max(a.hi, b.hi), declared: a.declared && b.declared}
}

// tighten adds the interval that the sizes imply to r. Without it, sums of
// sizes could not be shown to fit.
func (e *elab) tighten(r *bounds) {
	for _, h := range r.his {
		if _, hi := e.g.Facts.Bounds(h); hi < r.hi {
			r.hi = hi
		} else if r.hi > graph.MaxSize && e.proves(size.Const(graph.MaxSize).Sub(h)) {
			r.hi = graph.MaxSize
		}
	}
	for _, l := range r.los {
		if lo, _ := e.g.Facts.Bounds(l); lo > r.lo {
			r.lo = lo
		}
	}
}

// arithBounds gives what is known of a op b, and whether the result surely
// fits the kind, so that the operation cannot overflow.
func (e *elab) arithBounds(op num.Op, k num.Kind, a, b *bounds) (r bounds, fits bool) {
	switch op {
	case num.Add, num.Sub, num.Mul:
		return e.ringBounds(op, k, a, b)
	case num.Div:
		return e.quotient(k, a, b)
	case num.Rem:
		return e.remainder(k, a, b), b.lo > 0 || b.hi < 0
	case num.Min, num.Max:
		return e.extreme(op, a, b), true
	case num.Shl, num.Shr:
		return shiftBounds(op, k, a, b)
	case num.And, num.Or, num.Xor:
		return maskBounds(op, k, a, b), true
	case num.SatAdd:
		r, fits = e.ringBounds(num.Add, k, a, b)
		if !fits {
			r = natural(k)
		}
		return r, true
	}
	return natural(k), false
}

// ringBounds is the interval and the sizes of a sum, difference or product.
func (e *elab) ringBounds(op num.Op, k num.Kind, a, b *bounds) (bounds, bool) {
	r := bounds{lo: math.MinInt64, hi: math.MaxInt64, declared: a.declared && b.declared}
	lo, hi, loOK, hiOK := interval(op, a, b)
	if k == num.U64 && (a.hi == math.MaxInt64 || b.hi == math.MaxInt64) {
		hiOK = false
	}
	if loOK {
		r.lo = lo
	}
	if hiOK {
		r.hi = hi
	}
	if e.symbolic(&r, op, a, b) {
		e.tighten(&r)
		loOK, hiOK = loOK || r.lo > math.MinInt64, hiOK || r.hi < math.MaxInt64
	}
	if !loOK || !hiOK || r.lo < k.MinInt() || uint64(max(r.hi, 0)) > k.MaxInt() {
		return natural(k), false
	}
	return r, true
}

// interval does the exact interval arithmetic; an end that does not fit an
// int64 is not ok.
func interval(op num.Op, a, b *bounds) (lo, hi int64, loOK, hiOK bool) {
	switch op {
	case num.Add:
		lo, loOK = add64(a.lo, b.lo)
		hi, hiOK = add64(a.hi, b.hi)
		return lo, hi, loOK, hiOK
	case num.Sub:
		lo, loOK = sub64(a.lo, b.hi)
		hi, hiOK = sub64(a.hi, b.lo)
		return lo, hi, loOK, hiOK
	}
	loOK, hiOK = true, true
	lo, hi = math.MaxInt64, math.MinInt64
	for _, x := range [2]int64{a.lo, a.hi} {
		for _, y := range [2]int64{b.lo, b.hi} {
			p, ok := mul64(x, y)
			switch {
			case ok:
				lo, hi = min(lo, p), max(hi, p)
			case (x < 0) == (y < 0):
				hiOK = false
			default:
				loOK = false
			}
		}
	}
	return lo, hi, loOK, hiOK
}

// symbolic fills in the sizes that bound the result; it reports false when
// neither operand has any.
func (e *elab) symbolic(r *bounds, op num.Op, a, b *bounds) bool {
	if len(a.los)+len(a.his)+len(b.los)+len(b.his) == 0 {
		return false
	}
	switch op {
	case num.Add:
		r.los = cross(a.lowers(), b.lowers(), size.Poly.Add)
		r.his = cross(a.uppers(), b.uppers(), size.Poly.Add)
	case num.Sub:
		r.los = cross(a.lowers(), b.uppers(), size.Poly.Sub)
		r.his = cross(a.uppers(), b.lowers(), size.Poly.Sub)
	default:
		if !e.notNegative(a) || !e.notNegative(b) {
			return false
		}
		// What is above a number that is not negative is not negative either.
		r.his = cross(a.uppers(), b.uppers(), mulSmall)
		r.los = cross(nonNegative(e, a.lowers()), nonNegative(e, b.lowers()), mulSmall)
	}
	return true
}

// nonNegative keeps the sizes that are shown to be at least 0: a product of
// lower bounds is a lower bound of the product only for those.
func nonNegative(e *elab, list []size.Poly) []size.Poly {
	var out []size.Poly
	for _, p := range list {
		if e.proves(p) {
			out = append(out, p)
		}
	}
	return out
}

func mulSmall(p, q size.Poly) size.Poly {
	if p.Degree()+q.Degree() > 4 {
		return size.Const(math.MaxInt64).Add(size.Const(1)) // overflowed: dropped
	}
	return p.Mul(q)
}

// cross combines each of one list with each of the other, up to maxSymbols
// results, none of them constant.
func cross(a, b []size.Poly, f func(p, q size.Poly) size.Poly) []size.Poly {
	var out []size.Poly
	for _, p := range a {
		for _, q := range b {
			r := f(p, q)
			if _, isConst := r.Const(); isConst || !types.Small(r) {
				continue
			}
			if out = append(out, r); len(out) == maxSymbols {
				return out
			}
		}
	}
	return out
}

func (e *elab) quotient(k num.Kind, a, b *bounds) (bounds, bool) {
	if b.lo <= 0 && b.hi >= 0 {
		return natural(k), false
	}
	if b.hi < 0 {
		// Rare enough to know only that it does not overflow.
		return natural(k), a.lo > k.MinInt() || b.hi < -1
	}
	r := bounds{lo: math.MaxInt64, hi: math.MinInt64, declared: a.declared}
	for _, x := range [2]int64{a.lo, a.hi} {
		for _, y := range [2]int64{b.lo, b.hi} {
			r.lo, r.hi = min(r.lo, x/y), max(r.hi, x/y)
		}
	}
	if k == num.U64 && a.hi == math.MaxInt64 {
		r.hi = math.MaxInt64
	}
	if k == num.U64 && b.hi == math.MaxInt64 {
		r.lo = 0
	}
	if b.lo == b.hi && e.notNegative(a) {
		for _, h := range a.his {
			r.his = append(r.his, e.quotientOf(h, b.lo))
		}
		for _, l := range nonNegative(e, a.los) {
			r.los = append(r.los, e.quotientOf(l, b.lo))
		}
	}
	return r, true
}

func (e *elab) remainder(k num.Kind, a, b *bounds) bounds {
	if k == num.U64 && b.hi == math.MaxInt64 {
		return bounds{lo: 0, hi: a.hi}
	}
	most := max(magnitude(b.lo), magnitude(b.hi)) - 1
	if b.lo <= 0 && b.hi >= 0 {
		most = max(most, 0) // by zero gives 0
	}
	r := bounds{lo: -most, hi: most, declared: b.declared || a.declared}
	if a.lo >= 0 {
		r.lo = 0
		r.hi = min(r.hi, a.hi)
	} else {
		r.lo = max(r.lo, a.lo)
	}
	if b.lo >= 1 {
		for _, h := range b.his {
			r.his = append(r.his, h.AddConst(-1))
		}
	}
	return r
}

func magnitude(v int64) int64 {
	if v == math.MinInt64 {
		return math.MaxInt64
	}
	return max(v, -v)
}

// extreme is min or max: an upper bound of either operand bounds a minimum,
// a lower bound must hold for both.
func (e *elab) extreme(op num.Op, a, b *bounds) bounds {
	if op == num.Min {
		return bounds{lo: min(a.lo, b.lo), hi: min(a.hi, b.hi), declared: a.declared || b.declared,
			los: e.common(a, b, 1), his: join(a.his, b.his)}
	}
	return bounds{lo: max(a.lo, b.lo), hi: max(a.hi, b.hi), declared: a.declared && b.declared,
		los: join(a.los, b.los), his: e.common(a, b, -1)}
}

// common gives the sizes of one operand that also bound the other, from
// below for sign 1 and from above for sign -1.
func (e *elab) common(a, b *bounds, sign int64) []size.Poly {
	var out []size.Poly
	pick := func(x, y *bounds) {
		from, over := x.los, y.lowers()
		if sign < 0 {
			from, over = x.his, y.uppers()
		}
		for _, p := range from {
			for _, q := range over {
				if len(out) < maxSymbols && e.proves(q.Sub(p).MulConst(sign)) {
					out = append(out, p)
					break
				}
			}
		}
	}
	pick(a, b)
	pick(b, a)
	return out
}

func join(a, b []size.Poly) []size.Poly {
	out := append(a[:len(a):len(a)], b...)
	return out[:min(len(out), maxSymbols)]
}

func shiftBounds(op num.Op, k num.Kind, a, b *bounds) (bounds, bool) {
	fits := b.lo >= 0 && b.hi < int64(k.Bits())
	if fits && op == num.Shr && a.lo < 0 {
		return bounds{lo: a.lo >> uint(b.lo), hi: max(a.hi>>uint(b.lo), a.hi>>uint(b.hi)), declared: a.declared}, true
	}
	if !fits || a.lo < 0 || k == num.U64 && a.hi == math.MaxInt64 {
		r := natural(k)
		if fits && op == num.Shr && a.lo >= 0 && b.lo > 0 {
			r = bounds{lo: 0, hi: int64(uint64(math.MaxUint64) >> uint(b.lo))}
		}
		return r, fits
	}
	if op == num.Shr {
		return bounds{lo: a.lo >> uint(b.hi), hi: a.hi >> uint(b.lo), declared: a.declared}, true
	}
	if bits.Len64(uint64(a.hi))+int(b.hi) >= k.Bits() {
		return natural(k), true
	}
	return bounds{lo: a.lo << uint(b.lo), hi: a.hi << uint(b.hi), declared: a.declared && b.declared}, true
}

func maskBounds(op num.Op, k num.Kind, a, b *bounds) bounds {
	open := func(x *bounds) bool { return k == num.U64 && x.hi == math.MaxInt64 }
	switch {
	case op == num.And && b.lo >= 0 && !open(b):
		if a.lo >= 0 && !open(a) {
			return bounds{lo: 0, hi: min(a.hi, b.hi), declared: a.declared || b.declared}
		}
		return bounds{lo: 0, hi: b.hi, declared: b.declared}
	case op == num.And && a.lo >= 0 && !open(a):
		return bounds{lo: 0, hi: a.hi, declared: a.declared}
	case a.lo >= 0 && b.lo >= 0 && !open(a) && !open(b):
		return bounds{lo: 0, hi: int64(1)<<bits.Len64(uint64(max(a.hi, b.hi))) - 1, declared: a.declared && b.declared}
	}
	return natural(k)
}

func add64(a, b int64) (int64, bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

func sub64(a, b int64) (int64, bool) {
	s := a - b
	return s, (a^b)&(a^s) >= 0
}

func mul64(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	if p/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, false
	}
	return p, true
}
