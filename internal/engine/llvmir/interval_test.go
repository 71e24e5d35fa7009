package llvmir

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestIntervalsHoldValues runs random instructions on numbers out of intervals: what comes out must lie in the interval that is said of it.
func TestIntervalsHoldValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for turn := range 20000 {
		p := drawIntervals(rng)
		for range 8 {
			vals := p.values(rng)
			for _, in := range p.list {
				vals[in.Out[0]] = evaluated(in, vals)
				if k := in.Kind; !p.b.known[in.Out[0]].holds(k, vals[in.Out[0]]) {
					t.Fatalf("turn %d: %s %v of %v gives %#x, which is not in %+v", turn, in.Op, k, in.Args, vals[in.Out[0]], p.b.known[in.Out[0]])
				}
			}
		}
	}
}

// holds reports that a value of kind k is one of an interval's.
func (x interval) holds(k num.Kind, bits uint64) bool {
	if x.exact && bits != x.bits && !(k.IsFloat() && num.ToFloat(k, bits) == num.ToFloat(k, x.bits)) {
		return false
	}
	if k.IsFloat() {
		f := num.ToFloat(k, bits)
		return f != f && x.nan || f >= x.lo && f <= x.hi
	}
	return !x.ranged || int64(bits) >= x.least && int64(bits) <= x.most
}

// intervalProgram is instructions on i64 and f64, of which some values are given.
type intervalProgram struct {
	b     *bounds
	kinds []num.Kind
	list  []*kernel.Instr
	given int
}

func drawIntervals(rng *rand.Rand) *intervalProgram {
	p := &intervalProgram{b: &bounds{known: map[kernel.Value]interval{}}}
	add := func(k num.Kind, x interval) {
		p.b.known[kernel.Value(len(p.kinds))] = x
		p.kinds = append(p.kinds, k)
	}
	for range 3 {
		lo := math.Ldexp(1+rng.Float64(), rng.IntN(2040)-1020)
		add(num.F64, interval{lo: lo, hi: lo * []float64{1, 1.5, 1e9, 1e200}[rng.IntN(4)]})
		ints := []int64{0, 1, 20, 52, 1023, -1, -1023, 1 << 52, 1<<52 - 1, 0x3ff << 52, 0x7fe << 52, math.MaxInt64, math.MinInt64, 1 << 62, -1 << 62}
		add(num.I64, point(num.I64, uint64(ints[rng.IntN(len(ints))])))
		least := ints[rng.IntN(len(ints))]
		most := max(least, ints[rng.IntN(len(ints))])
		add(num.I64, ranged(least, most))
	}
	p.given = len(p.kinds)
	of := func(k num.Kind) kernel.Value {
		for {
			if v := rng.IntN(len(p.kinds)); p.kinds[v] == k {
				return kernel.Value(v)
			}
		}
	}
	for range 8 {
		in := &kernel.Instr{Site: kernel.NoSite, Kind: num.I64, From: num.I64, Out: []kernel.Value{kernel.Value(len(p.kinds))}}
		switch rng.IntN(5) {
		case 0:
			in.Code, in.Kind, in.Args = kernel.Bitcast, num.F64, []kernel.Value{of(num.I64)}
		case 1:
			in.Code, in.From, in.Args = kernel.Bitcast, num.F64, []kernel.Value{of(num.F64)}
		case 2:
			in.Code, in.Kind, in.Args = kernel.Convert, num.F64, []kernel.Value{of(num.I64)}
		case 3:
			in.Code, in.Op, in.Args = kernel.Arith, []num.Op{num.Add, num.Sub, num.And, num.Shr, num.Mul}[rng.IntN(5)], []kernel.Value{of(num.I64), of(num.I64)}
		default:
			in.Code, in.Kind, in.Op, in.Args = kernel.Arith, num.F64, []num.Op{num.Add, num.Sub, num.Mul, num.Div}[rng.IntN(4)], []kernel.Value{of(num.F64), of(num.F64)}
		}
		p.b.take(in)
		p.kinds, p.list = append(p.kinds, in.Kind), append(p.list, in)
	}
	return p
}

// values draws what is given.
func (p *intervalProgram) values(rng *rand.Rand) []uint64 {
	vals := make([]uint64, len(p.kinds))
	for v := range p.given {
		x := p.b.known[kernel.Value(v)]
		switch {
		case p.kinds[v].IsFloat():
			vals[v] = num.FromFloat(num.F64, min(x.hi, max(x.lo, []float64{x.lo, x.hi, x.lo + (x.hi-x.lo)*rng.Float64()}[rng.IntN(3)])))
		case x.exact:
			vals[v] = x.bits
		default:
			vals[v] = uint64(x.least) + rng.Uint64N(uint64(x.most-x.least)|1)
			if rng.IntN(2) == 0 {
				vals[v] = uint64([]int64{x.least, x.most}[rng.IntN(2)])
			}
		}
	}
	return vals
}

func evaluated(in *kernel.Instr, vals []uint64) uint64 {
	args := make([]uint64, len(in.Args))
	for i, v := range in.Args {
		args[i] = vals[v]
	}
	switch in.Code {
	case kernel.Bitcast:
		return num.Canon(in.Kind, args[0])
	case kernel.Convert:
		r, _ := num.Convert(in.From, in.Kind, args[0])
		return r
	}
	r, _ := num.Apply(in.Op, in.Kind, args)
	return r
}
