package cost_test

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

const ranged = "where N: Range<1, 1_000_000_000>"

// mix is what the heaviest launch of a program over slices does.
func mix(t *testing.T, source string, vectors int, in ...data.Source) *cost.Mix {
	t.Helper()
	return mixOn(t, source, llvmir.Target{Arch: "amd64", VectorBytes: vectors}.Engine(), in...)
}

// mixOn is mix for an engine.
func mixOn(t *testing.T, source string, on loops.Engine, in ...data.Source) *cost.Mix {
	t.Helper()
	p, err := compile.Check(diag.NewSource("t.gw", source))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	args := compile.Args{}
	for i := range in {
		args[f.Graph.Body.Params[i].Name] = compile.Table{Source: in[i]}
	}
	b, err := f.Bind(args)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	plan, err := b.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var best *cost.Mix
	work := -1.0
	schedule.Launches(plan.Schedule.Steps, func(l *schedule.Launch) {
		s, err := verify.Check(l.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		sizes := make([]int64, len(l.Sizes))
		for i := range l.Sizes {
			sizes[i], _ = l.Sizes[i].Eval(func(name string) (int64, bool) { n, ok := plan.Inputs.Sizes[name]; return n, ok })
		}
		m := cost.Of(s, sizes, cost.Given{}, on)
		sum := m.Chain.Cycles()
		for _, c := range m.Counts {
			sum += c.One + c.Vector
		}
		if sum > work {
			best, work = m, sum
		}
	})
	return best
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > want/100 {
		t.Errorf("%s: %v, expected about %v", what, got, want)
	}
}

const n = 1 << 16

// What a kernel does is counted as its source has it.
func TestCounts(t *testing.T) {
	x := data.FromSlice(make([]float32, n))
	m := mix(t, "fn f(x: &[f32; N]) -> [f32; N] "+ranged+" { x.map(|v| v * 2.0 + 1.0) }", 32, x)
	near(t, "products, sums and looks for a NaN in vectors of 8", m.Counts[cost.Float].Vector, 3*n/8)
	near(t, "loads and stores", m.Counts[cost.Near].Vector, 2*n/8)
	if m.Counts[cost.Float].One != 0 || m.Chain.Cycles() != 0 || m.Guessed {
		t.Errorf("%+v", m)
	}
	m = mix(t, "fn f(x: &[f32; N]) -> f32 "+ranged+" { x.fold(0.0, |a, e| a * 0.5 + e) }", 32, x)
	near(t, "a chain of a product and a sum", m.Chain.Cycles(), 8*n)
	at := data.FromSlice(make([]uint32, n))
	m = mix(t, "fn f(x: &[f32; N], at: &[idx<N>; N]) -> [f32; N] "+ranged+" { at.map(|i| x[i]) }", 32, x, at)
	random := 0.0
	for _, touch := range m.Touches {
		if touch.Pattern == cost.Random {
			random += touch.Count
		}
	}
	near(t, "accesses where data says", random, n)
	m = mix(t, "fn f(p: &[idx<N>; N], k: u32) -> idx<N> where N: Range<1, 1_000_000>, k: Range<0, 1000> { let mut i = p[0]; for _ in 0..k { i = p[i]; } i }", 32, at, data.FromSlice([]uint32{7}))
	if !m.Guessed {
		t.Error("the number of turns is an argument, but is not guessed")
	}
	for _, touch := range m.Touches {
		if touch.Pattern == cost.Chased {
			return
		}
	}
	t.Errorf("no access by reference: %+v", m.Touches)
}

// A scan by an exact operation waits once for each group of lanes, and joins them in as many steps as their number has bits.
func TestScanInLanes(t *testing.T) {
	x := data.FromSlice(make([]float64, n))
	const scan = "fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.scan(x[0], |a, e| a.max(e)) }"
	one, lanes := mix(t, scan, 16, x), mix(t, scan, 32, x)
	near(t, "a chain from group to group", lanes.Chain.Cycles(), one.Chain.Cycles()/4)
	near(t, "loads and stores", lanes.Counts[cost.Near].Vector, 2*n/4)
	near(t, "steps", lanes.Counts[cost.Simple].Vector, 6*n/4)
	if one.Counts[cost.Simple].Vector != 0 {
		t.Errorf("in vectors of two: %+v", one)
	}
}

// A transposition loads rows of a block, and zips them in as many steps as its side has bits.
func TestTurned(t *testing.T) {
	m := mix(t, "fn f(m: &[f64; R, C]) -> [f64; C, R] { m.transpose() }", 32, data.Rows("m", num.F64, []int64{256}, make([]byte, 8*n)))
	near(t, "loads and stores", m.Counts[cost.Near].Vector, 2*n/4)
	near(t, "steps, and a choice for NaN", m.Counts[cost.Simple].Vector, 3*n/4)
	if m.Counts[cost.Apart].One != 0 {
		t.Errorf("single elements: %+v", m)
	}
}

// More of anything takes longer, and no time is negative or no number.
func TestTimeGrows(t *testing.T) {
	mc := machine.Default()
	for _, source := range []string{
		"fn f(x: &[f64; N]) -> f64 " + ranged + " { x.sum() }",
		"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.softmax() }",
		"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.sort() }",
	} {
		for _, engine := range []string{"wasm", "native"} {
			before := 0.0
			for size := 1 << 10; size <= 1<<22; size *= 16 {
				m := mix(t, source, 32, data.FromSlice(make([]float64, size)))
				p := m.On(mc, engine, 1, nil)
				s := p.Time(mc.Engines[engine])
				if !(s.P10 > 0 && s.P10 <= s.P50 && s.P50 <= s.P90 && s.P90 < 1e12) {
					t.Errorf("%s, %s, %d: %+v of %+v", source, engine, size, s, p)
				}
				if s.P50 <= before {
					t.Errorf("%s, %s: %d elements take %v, fewer took %v", source, engine, size, s.P50, before)
				}
				before = s.P50
			}
		}
	}
}

// What a loop hands on through an array is a chain as if it were carried; what only says whether it goes on is none; and loops of outer
// indices that need nothing of each other overlap as far as a processor looks ahead.
func TestChains(t *testing.T) {
	x := data.FromSlice(make([]float64, n))
	i := data.FromSlice(make([]int64, n))
	m := mix(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { let mut a = x; for i in 1..N { a[i] = a[i - 1] * 0.5 + a[i]; } a }", 64, x)
	near(t, "a product and a sum handed on through an array", m.Chain.Cycles(), 8*n)
	const steps = "for _ in 0..20 { a = a * 0.7; }"
	m = mix(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { let mut a = 1.0; for e in x { a += e; "+steps+" } a }", 16, x)
	near(t, "loops that need each other", m.Chain.Cycles(), 21*4*n)
	m = mix(t, "fn f(x: &[i64; N]) -> [i64; N] "+ranged+" { x.map(|v| { let mut a = v; let mut n = 0; for _ in 0..40 { a = (a >> 1) ^ 3; n += 1; if a / 7 == 5 { break; } } n }) }", 16, i)
	near(t, "in each turn of a loop with a limit of 40 a shift and a choice of bits", m.Chain.Cycles(), 2*cost.Limited(40)*n)
	m = mix(t, "fn f(x: &[i64; N]) -> [i64; N] "+ranged+" { x.map(|v| { let mut a = v; for _ in 0..20 { a = (a >> 1) ^ 3; } a }) }", 16, i)
	if c := m.Chain.Cycles(); c > 20*2*n/2 || c < 20*2*n/200 {
		t.Errorf("loops that need nothing of each other: %v cycles, one after the other %v", c, 20*2*n)
	}
}

// The slots of all outer indices are one loop natively, in lanes though a group of slots has just as many.
func TestSlotsInLanes(t *testing.T) {
	m := mix(t, "fn f(x: &[f32; N]) -> [f32; N - 7] where N: Range<8, 1_000_000_000> { x.window::<8>().map(|w| w.max()) }", 64, data.FromSlice(make([]float32, n)))
	if m.Counts[cost.Near].One > 0 || m.Counts[cost.Outer].One > 1 {
		t.Errorf("%v loads one by one, %v outer indices", m.Counts[cost.Near].One, m.Counts[cost.Outer].One)
	}
	near(t, "loads and stores of 16", m.Counts[cost.Near].Vector, 9*n/16)
}

// Divisions are no vectors' work. Quotients by a number, and checked products outside of native lanes, need the upper half of a product.
func TestProductsAndQuotients(t *testing.T) {
	i := data.FromSlice(make([]int64, n))
	m := mix(t, "fn f(x: &[i64; N]) -> [i64; N] "+ranged+" { x.map(|v| v * 3) }", 64, i)
	near(t, "upper halves of products in lanes", m.Counts[cost.High].Vector, 0)
	near(t, "products in lanes", m.Counts[cost.Multiply].Vector, n/8)
	m = mixOn(t, "fn f(x: &[i64; N]) -> [i64; N] "+ranged+" { x.map(|v| v * 3) }", wasm.Lanes(), i)
	near(t, "upper halves on WebAssembly", m.Counts[cost.High].One+2*m.Counts[cost.High].Vector, n)
	m = mix(t, "fn f(x: &[i64; N]) -> [i64; N] "+ranged+" { x.map(|v| v / 7) }", 64, i)
	near(t, "upper halves of a quotient", m.Counts[cost.High].Vector, n/8)
	m = mix(t, "fn f(x: &[i64; N]) -> [i64; N] "+ranged+" { x.map(|v| v / 8) }", 64, i)
	near(t, "upper halves of shifts", m.Counts[cost.High].Vector, 0)
	m = mix(t, "fn f(x: &[i16; N]) -> [i16; N] "+ranged+" { x.map(|v| (v ^ 77) / (v & 15 | 1)) }", 64, data.FromSlice(make([]int16, n)))
	near(t, "quotients, each by itself", m.Counts[cost.Divide].Vector, n/8)
}

// What is counted is the ones of a mask, a byte to a value.
func TestCountsOfMasks(t *testing.T) {
	m := mix(t, "fn f(x: &[u8; N]) -> i64 "+ranged+" { x.count(|e| e == 10) }", 64, data.FromSlice(make([]uint8, n)))
	near(t, "comparisons, masks and what adds them up", m.Counts[cost.Simple].Vector, 3*n/64)
	near(t, "conversions", m.Counts[cost.Convert].Vector, 0)
}
