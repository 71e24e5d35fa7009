package cost

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: instructions that compute with indices. Out: for each value its middle, and by how much it
// changes from one turn of each loop around it to the next. Invariant: what is said of a value that depends on
// data is at most its middle.

// known is what is known of a value.
type known struct {
	mid     float64   // NaN if unknown
	stride  []float64 // by depth of loops, the outer index first
	carried bool      // on what a loop carries and loads by
	fixed   bool      // the same in every turn
	guessed bool      // one of several, or half of what it can be
	bent    bool      // not its strides alone: clamped, halved, …
	beside  bool      // beside what it was in the turn before, whatever data says
	levels  bool      // by which a loop loads, and among twice as many, or half, in the next turn
	depth   int       // of the loop in which what it depends on was loaded
}

func (k *known) along(depth int) float64 {
	if depth < len(k.stride) {
		return k.stride[depth]
	}
	return 0
}

// rests reports that a value is the same in all turns of the loop that carries o.
func (k *known) rests(o *known) bool { return k.fixed || k.depth < o.depth && k.along(o.depth) == 0 }

func sum(a, b []float64, factor float64) []float64 {
	out := make([]float64, max(len(a), len(b)))
	copy(out, a)
	for i, x := range b {
		out[i] += factor * x
	}
	return out
}

func scaled(a []float64, factor float64) []float64 { return sum(nil, a, factor) }

// either is what is known of a value that is one of two.
func either(a, b known) known {
	return known{mid: (a.mid + b.mid) / 2, stride: a.stride, carried: a.carried || b.carried,
		guessed: a.guessed || b.guessed || a.mid != b.mid, fixed: a.fixed && b.fixed, bent: true, beside: a.beside && b.beside, levels: a.levels || b.levels, depth: max(a.depth, b.depth)}
}

// chosen is the one of two values that a condition tells, where it is known, or either.
func chosen(cond, yes, no known) known {
	switch {
	case cond.fixed && !cond.guessed && cond.mid == 1:
		return yes
	case cond.fixed && !cond.guessed && cond.mid == 0:
		return no
	}
	return either(yes, no)
}

func constant(in *kernel.Instr) known {
	k := known{mid: math.NaN(), fixed: true}
	switch {
	case in.Kind.IsInt(), in.Kind == num.Bool:
		k.mid = float64(int64(in.Bits))
	case in.Kind == num.F64:
		k.mid = math.Float64frombits(in.Bits)
	case in.Kind == num.F32:
		k.mid = float64(math.Float32frombits(uint32(in.Bits)))
	}
	return k
}

// computed is what is known of an operation's result.
func computed(in *kernel.Instr, a, b known) known {
	r := known{mid: math.NaN(), carried: a.carried || b.carried, fixed: a.fixed && (len(in.Args) == 1 || b.fixed),
		guessed: a.guessed || b.guessed, bent: a.bent || b.bent, levels: a.levels || b.levels || a.carried && b.fixed && scaling(in.Op, b.mid), depth: max(a.depth, b.depth)}
	switch in.Op {
	case num.Add, num.Sub, num.Min, num.Max:
		r.beside = a.beside && (b.beside || b.rests(&a)) || b.beside && a.rests(&b)
	}
	switch in.Op {
	case num.Add, num.SatAdd:
		r.mid, r.stride = a.mid+b.mid, sum(a.stride, b.stride, 1)
	case num.Sub:
		r.mid, r.stride = a.mid-b.mid, sum(a.stride, b.stride, -1)
	case num.Mul:
		r.mid = a.mid * b.mid
		switch {
		case b.fixed:
			r.stride = scaled(a.stride, b.mid)
		case a.fixed:
			r.stride = scaled(b.stride, a.mid)
		default:
			r.bent = true
		}
	case num.Div, num.Shr:
		by := b.mid
		if in.Op == num.Shr {
			by = math.Exp2(b.mid)
		}
		if r.bent = true; b.fixed && by != 0 {
			r.mid, r.stride = a.mid/by, scaled(a.stride, 1/by)
		}
	case num.Shl:
		if b.fixed {
			r.mid, r.stride = a.mid*math.Exp2(b.mid), scaled(a.stride, math.Exp2(b.mid))
		}
	case num.Min, num.Max:
		r = extreme(in.Op, r, a, b)
	case num.Rem, num.And:
		r.bent, r.levels, r.stride = true, false, a.stride
	default:
		if in.Op.IsCompare() {
			r.mid = compared(in.Op, a.mid, b.mid)
		}
	}
	if in.Kind == num.Bool && !in.Op.IsCompare() {
		r.mid = logical(in.Op, a.mid, b.mid)
	}
	return r
}

// extreme is a clamp: it mostly leaves a value as it is.
func extreme(op num.Op, r, a, b known) known {
	if a.fixed {
		a, b = b, a
	}
	r.stride, r.bent = a.stride, r.bent || !r.fixed
	switch {
	case math.IsNaN(a.mid) && b.fixed:
		r.mid, r.guessed = b.mid/2, true
	case op == num.Min:
		r.mid = math.Min(a.mid, b.mid)
	default:
		r.mid = math.Max(a.mid, b.mid)
	}
	return r
}

// logical is 1 or 0, or NaN.
func logical(op num.Op, a, b float64) float64 {
	switch op {
	case num.And:
		return math.Min(a, b)
	case num.Or:
		return math.Max(a, b)
	case num.Not:
		return 1 - a
	}
	return math.NaN()
}

// compared is 1 or 0, or NaN.
func compared(op num.Op, a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	yes := map[num.Op]bool{num.Eq: a == b, num.Ne: a != b, num.Lt: a < b, num.Le: a <= b, num.Gt: a > b, num.Ge: a >= b}[op]
	if yes {
		return 1
	}
	return 0
}
