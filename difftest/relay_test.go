package difftest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// relays are programs of one launch that carries state, and whether threads hand it on.
var relays = []struct {
	name, source string
	handed       bool
}{
	{"sum that wraps", "fn f(x: &[i64; N], y: &[f64; N]) -> [i64; N] where N: Range<0, 100_000_000> { x.scan(7, |a, e| a +% e) }", true},
	{"checked sum", "fn f(x: &[i64; N], y: &[f64; N]) -> [i64; N] where N: Range<0, 100_000_000> { x.scan(0, |a, e| a + e) }", true},
	{"checked narrow sum", "fn f(x: &[i64; N], y: &[f64; N]) -> [i16; N] where N: Range<0, 100_000_000> { x.scan(0i16, |a, e| a + (e % 3) as i16) }", true},
	{"checked fold", "fn f(x: &[i64; N], y: &[f64; N]) -> i64 where N: Range<0, 100_000_000> { x.fold(0, |a, e| a + e) }", true},
	{"greatest float", "fn f(x: &[i64; N], y: &[f64; N]) -> [f64; N] where N: Range<0, 100_000_000> { y.scan(-3.0, |a, e| a.max(e)) }", true},
	{"filter", "fn f(x: &[i64; N], y: &[f64; N]) -> [i64; ?K <= N] where N: Range<0, 100_000_000> { x.filter(|e| e % 3 == 0) }", true},
	{"filtered records", "fn f(x: &[i64; N], y: &[f64; N]) -> [(i64, f64); ?K <= N] where N: Range<0, 100_000_000> { x.zip(y).filter(|(e, q)| q > 0.0) }", true},
	{"filtered rows", "fn f(x: &[i64; N], y: &[f64; N]) -> [([i64; 3], bool); ?K <= N] where N: Range<0, 100_000_000> { x.filter(|e| e % 3 == 0).map(|e| ([e, e / 2, 3], e > 4)) }", true},
	{"all are left out", "fn f(x: &[i64; N], y: &[f64; N]) -> [i64; ?K <= N] where N: Range<0, 100_000_000> { x.filter(|e| e % 3 == 7) }", true},
	{"sum of floats", "fn f(x: &[i64; N], y: &[f64; N]) -> [f64; N] where N: Range<0, 100_000_000> { y.scan(0.0, |a, e| a + e) }", false},
	{"what is added looks at the sum", "fn f(x: &[i64; N], y: &[f64; N]) -> [i64; N] where N: Range<0, 100_000_000> { x.scan(0, |a, e| if a > e { a +% 1 } else { a +% e }) }", false},
	{"the last one", "fn f(x: &[i64; N], y: &[f64; N]) -> [i64; N] where N: Range<0, 100_000_000> { x.scan(0, |a, e| if e > 0 { e } else { a }) }", false},
}

// TestRelays holds these to the interpreter for sizes of no grain, one, and several, and for sums that do not fit in the middle.
func TestRelays(t *testing.T) {
	f := &fleet{}
	defer f.close()
	faults := 0
	for _, c := range relays {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int64{0, 1, 4096, 4097, 5*4096 + 17} {
				for _, seed := range []uint64{1, 2, 3} {
					faults += held(t, f, c.source, n, seed, c.handed)
				}
			}
		})
	}
	if faults == 0 {
		t.Error("no program ended in a fault")
	}
}

// held runs a program in all settings. It gives 1 for one that ends in a fault.
func held(t *testing.T, f *fleet, source string, n int64, seed uint64, handed bool) (faults int) {
	t.Helper()
	p := &progen.Program{Source: source, Sizes: map[string]int64{"N": n}, Params: drawn(n, seed)}
	c, err := Prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	want, err := c.Oracle(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings() {
		got, err := c.Engine(context.Background(), f.engine(t, s.tier), s.threads, s.window)
		if err == nil {
			err = Same(want, got)
		}
		if err != nil {
			t.Fatalf("%s, N = %d, seed %d: %v", s, n, seed, err)
		}
		if want.Fault != nil {
			continue
		}
		// What begins on WebAssembly may be native code before its kernel of totals is, and then one thread has it.
		early := s.tier != engine.Native && service != nil
		if relayed, could := got.Relays > 0, handed && s.threads > 1 && n > 0; relayed != could && !(could && early) {
			t.Errorf("%s, N = %d: threads handed state on: %v", s, n, relayed)
		}
	}
	if want.Fault != nil {
		return 1
	}
	return 0
}

// drawn are the arguments of a program; where the seed is even, sums of x do not fit from the middle on.
func drawn(n int64, seed uint64) []progen.Param {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := make([]uint64, n), make([]uint64, n)
	for i := range n {
		x[i], y[i] = uint64(r.Int64N(2001)-900), math.Float64bits(r.NormFloat64())
		if seed%2 == 0 && i > n/2 && i%1000 < 3 {
			x[i] = math.MaxInt64 / 2
		}
		if r.IntN(5000) == 0 {
			y[i] = num.Canon(num.F64, math.Float64bits(math.NaN()))
		}
	}
	return []progen.Param{{Name: "x", Columns: []progen.Column{{Kind: num.I64, Dims: []int64{n}, Bits: x}}}, {Name: "y", Columns: []progen.Column{{Kind: num.F64, Dims: []int64{n}, Bits: y}}}}
}
