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
	at := int64(bits) << (64 - k.Bits()) >> (64 - k.Bits())
	return !x.ranged || at >= x.least && at <= x.most
}

// intervalProgram is instructions on floats and integers of one width, of which some values are given.
type intervalProgram struct {
	b           *bounds
	real, whole num.Kind
	kinds       []num.Kind
	list        []*kernel.Instr
	given       int
}

func drawIntervals(rng *rand.Rand) *intervalProgram {
	p := &intervalProgram{b: &bounds{known: map[kernel.Value]interval{}}, real: num.F64, whole: num.I64}
	if rng.IntN(2) == 0 {
		p.real, p.whole = num.F32, num.I32
	}
	add := func(k num.Kind, x interval) {
		p.b.known[kernel.Value(len(p.kinds))] = x
		p.kinds = append(p.kinds, k)
	}
	add(num.Bool, point(num.Bool, uint64(rng.IntN(2))))
	for range 3 {
		lo, hi := p.reals(rng)
		add(p.real, interval{lo: lo, hi: hi})
		add(p.whole, point(p.whole, num.Canon(p.whole, uint64(p.integer(rng)))))
		least := p.integer(rng)
		add(p.whole, ranged(least, max(least, p.integer(rng))))
	}
	p.given = len(p.kinds)
	for range 8 {
		in := p.draw(rng)
		p.b.take(in)
		p.kinds, p.list = append(p.kinds, in.Kind), append(p.list, in)
	}
	return p
}

// reals are the ends of an interval of floats.
func (p *intervalProgram) reals(rng *rand.Rand) (lo, hi float64) {
	most := 1020
	if p.real == num.F32 {
		most = 124
	}
	round := func(x float64) float64 { return num.ToFloat(p.real, num.FromFloat(p.real, x)) }
	lo = round(math.Ldexp(1+rng.Float64(), rng.IntN(2*most)-most))
	_, greatest := normals(p.real)
	hi = round(min(greatest, lo*[]float64{1, 1.5, 1e9, 1e200}[rng.IntN(4)]))
	if rng.IntN(4) == 0 {
		return -hi, -lo
	}
	return lo, hi
}

// integer is near an end of the kind, or near the bits of a float, or small.
func (p *intervalProgram) integer(rng *rand.Rand) int64 {
	m, most := mantissa(p.real), int64(p.whole.MaxInt())
	one := int64(num.FromFloat(p.real, 1))
	list := []int64{0, 1, 20, int64(m), 1023, -1, -1023, 1 << m, 1<<m - 1, one, int64(num.FromFloat(p.real, math.Inf(1))), most, p.whole.MinInt(), most/2 + 1, -most / 2}
	return list[rng.IntN(len(list))]
}

// draw is an instruction on earlier values.
func (p *intervalProgram) draw(rng *rand.Rand) *kernel.Instr {
	of := func(k num.Kind) kernel.Value {
		for {
			if v := rng.IntN(len(p.kinds)); p.kinds[v] == k {
				return kernel.Value(v)
			}
		}
	}
	in := &kernel.Instr{Site: kernel.NoSite, Kind: p.whole, From: p.whole, Out: []kernel.Value{kernel.Value(len(p.kinds))}}
	switch rng.IntN(8) {
	case 0:
		in.Code, in.Kind, in.Args = kernel.Bitcast, p.real, []kernel.Value{of(p.whole)}
	case 1:
		in.Code, in.From, in.Args = kernel.Bitcast, p.real, []kernel.Value{of(p.real)}
	case 2:
		in.Code, in.Kind, in.Args = kernel.Convert, p.real, []kernel.Value{of(p.whole)}
	case 3:
		in.Code, in.Op, in.Args = kernel.Arith, []num.Op{num.Add, num.Sub, num.And, num.Shr, num.Mul}[rng.IntN(5)], []kernel.Value{of(p.whole), of(p.whole)}
	case 4:
		in.Kind = []num.Kind{p.real, p.whole}[rng.IntN(2)]
		in.Code, in.Args = kernel.Select, []kernel.Value{of(num.Bool), of(in.Kind), of(in.Kind)}
	case 5:
		in.Code, in.Kind, in.Op, in.Args = kernel.Arith, p.real, num.Neg, []kernel.Value{of(p.real)}
	case 6:
		in.Code, in.Kind, in.Op, in.Args = kernel.Arith, p.real, num.Fma, []kernel.Value{of(p.real), of(p.real), of(p.real)}
	default:
		in.Code, in.Kind, in.Op, in.Args = kernel.Arith, p.real, []num.Op{num.Add, num.Sub, num.Mul, num.Div}[rng.IntN(4)], []kernel.Value{of(p.real), of(p.real)}
	}
	return in
}

// values draws what is given.
func (p *intervalProgram) values(rng *rand.Rand) []uint64 {
	vals := make([]uint64, len(p.kinds))
	for v := range p.given {
		x := p.b.known[kernel.Value(v)]
		switch {
		case p.kinds[v].IsFloat():
			vals[v] = num.FromFloat(p.real, min(x.hi, max(x.lo, []float64{x.lo, x.hi, x.lo + (x.hi-x.lo)*rng.Float64()}[rng.IntN(3)])))
		case x.exact:
			vals[v] = x.bits
		default:
			at := uint64(x.least) + rng.Uint64N(uint64(x.most-x.least)|1)
			if rng.IntN(2) == 0 {
				at = uint64([]int64{x.least, x.most}[rng.IntN(2)])
			}
			vals[v] = num.Canon(p.whole, at)
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
	case kernel.Select:
		if args[0] != 0 {
			return args[1]
		}
		return args[2]
	}
	r, _ := num.Apply(in.Op, in.Kind, args)
	return r
}
