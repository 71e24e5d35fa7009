package godwit_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit"
)

type spreadRow struct {
	K int64
	V float64
	I int64
	U uint64
}

const spreadHead = "record R { k: i64, v: f64, i: i64, u: u64 }\n"

// spreadRows are groups whose means are as far apart as may be: of large values, which differ little, of small ones, with a NaN, and of one row; integers are near both limits.
func spreadRows() (list []spreadRow) {
	r := rand.New(rand.NewPCG(5, 8))
	means := []float64{1e9, 1, -7e12, 0.1}
	for range 4000 {
		k := r.IntN(len(means))
		row := spreadRow{int64(k), means[k] + r.NormFloat64(), math.MaxInt64 - r.Int64N(1<<60), math.MaxUint64 - r.Uint64N(1<<60)}
		if k == 2 {
			row.I = math.MinInt64 + r.Int64N(1<<60)
		}
		list = append(list, row)
	}
	return append(list, spreadRow{4, 1, 1, 1}, spreadRow{4, math.NaN(), 2, 2}, spreadRow{4, 3, 3, 3}, spreadRow{5, 1e300, math.MaxInt64, 0}, spreadRow{6, 0.1, 7, 7}, spreadRow{6, 0.1, 7, 7}, spreadRow{6, 0.1, 7, 7})
}

// exactSpread is the variance and deviation of a population and of a sample, rounded at the end.
func exactSpread(list []float64) [4]float64 {
	sum, n := new(big.Float).SetPrec(2000), len(list)
	for _, v := range list {
		if v != v {
			return [4]float64{v, v, v, v}
		}
		sum.Add(sum, big.NewFloat(v))
	}
	mean, squares := new(big.Float).SetPrec(2000).Quo(sum, big.NewFloat(float64(n))), new(big.Float).SetPrec(2000)
	for _, v := range list {
		d := new(big.Float).SetPrec(2000).Sub(big.NewFloat(v), mean)
		squares.Add(squares, d.Mul(d, d))
	}
	over := func(n int) float64 {
		if n <= 0 {
			return math.NaN()
		}
		f, _ := new(big.Float).Quo(squares, big.NewFloat(float64(n))).Float64()
		return f
	}
	pop, samp := over(n), over(n-1)
	return [4]float64{pop, samp, math.Sqrt(pop), math.Sqrt(samp)}
}

// nearly reports the same number but for the last digits, or two NaNs.
func nearly(a, b float64) bool {
	return a != a && b != b || math.Abs(a-b) <= 1e-13*math.Abs(b)
}

// TestSpreads: variances and deviations are those of exact arithmetic but for the last digits, of arrays and of groups, several in one agg, of floats and of integers near
// the limits, and have the same bits on all engines. A NaN is in the way of its group alone; a sample of one has none.
func TestSpreads(t *testing.T) {
	rt, engines := enginesHere(t)
	rows := spreadRows()
	four := func(of, value string) string {
		text := ""
		for i, name := range []string{"var_pop", "var_samp", "stddev_pop", "stddev_samp"} {
			if i > 0 {
				text += ", "
			}
			text += of + "." + name + "(" + value + ")"
		}
		return "[" + text + "]"
	}
	values := map[string]func(spreadRow) float64{
		"|r| r.v": func(r spreadRow) float64 { return r.V },
		"|r| r.i": func(r spreadRow) float64 { return float64(r.I) },
		"|r| r.u": func(r spreadRow) float64 { return float64(r.U) },
		"|r| if r.i & 1 == 1 { Some(r.v) } else { None }": func(r spreadRow) float64 {
			if r.I&1 == 1 {
				return r.V
			}
			return math.Inf(1) // left out below
		},
	}
	for value, number := range values {
		var groups [7][]float64
		for _, r := range rows {
			if v := number(r); !math.IsInf(v, 0) {
				groups[r.K] = append(groups[r.K], v)
			}
		}
		var want [][4]float64
		for _, g := range groups {
			want = append(want, exactSpread(g))
		}
		for _, by := range []string{"f.group_by::<7>(|r| r.k)", "f.group_by(|r| (r.k, 1))", "f.filter(|r| r.k < 9).group_by(|r| r.k)"} {
			src := spreadHead + "fn f(f: &[R; N]) -> [(i64, [f64; 4])] { " + by + ".agg(|g| (g.min(|r| r.k), " + four("g", value) + ")).sort(|r| r.0) }"
			checkSpreads(t, rt, engines, src, rows, want, true)
		}
		const some = 4000 // those whose groups have no NaN
		var all []float64
		for _, r := range rows[:some] {
			if v := number(r); !math.IsInf(v, 0) {
				all = append(all, v)
			}
		}
		for _, of := range []string{"f", "f.filter(|r| r.k < 9)"} {
			checkSpreads(t, rt, engines, spreadHead+"fn f(f: &[R; N]) -> [f64; 4] { "+four(of, value)+" }", rows[:some], [][4]float64{exactSpread(all)}, false)
		}
	}
}

// checkSpreads runs a function that gives four numbers, or for each group a key and four.
func checkSpreads(t *testing.T, rt *godwit.Runtime, engines []string, src string, rows []spreadRow, want [][4]float64, groups bool) {
	t.Helper()
	f := fn(t, src)
	first := ""
	for _, engine := range engines {
		r, err := f.Call(t.Context(), godwit.Args{"f": rows}, godwit.WithRuntime(rt), godwit.WithEngine(engine))
		if err != nil {
			t.Fatal(err)
		}
		text := string(r.JSON())
		r.Close()
		if first == "" {
			first = text
		} else if text != first {
			t.Errorf("%s on %s: %s, expected %s", src, engine, text, first)
		}
		got := readSpreads(t, text, groups)
		if len(got) != len(want) {
			t.Fatalf("%s: %s", src, text)
		}
		for i, w := range want {
			for k := range w {
				if !nearly(got[i][k], w[k]) {
					t.Errorf("%s on %s: group %d has %v, expected %v", src, engine, i, got[i], w)
				}
			}
		}
	}
}

// readSpreads reads a result.
func readSpreads(t *testing.T, text string, groups bool) (list [][4]float64) {
	t.Helper()
	var fours [][4]any
	if groups {
		var pairs [][2]json.RawMessage
		if err := json.Unmarshal([]byte(text), &pairs); err != nil {
			t.Fatal(err, text)
		}
		fours = make([][4]any, len(pairs))
		for i, p := range pairs {
			if err := json.Unmarshal(p[1], &fours[i]); err != nil {
				t.Fatal(err, text)
			}
		}
	} else {
		fours = make([][4]any, 1)
		if err := json.Unmarshal([]byte(text), &fours[0]); err != nil {
			t.Fatal(err, text)
		}
	}
	for _, four := range fours {
		var row [4]float64
		for k, v := range four {
			row[k] = math.NaN()
			if v, ok := v.(float64); ok {
				row[k] = v
			}
		}
		list = append(list, row)
	}
	return list
}

// TestSpreadsOfLittle: of nothing, of equal values, of an infinity, and of arrays element by element.
func TestSpreadsOfLittle(t *testing.T) {
	rt, engines := enginesHere(t)
	for _, c := range []struct {
		body string
		x    []float64
		want string
	}{
		{"[f64; 4] { [x.var_pop(), x.var_samp(), x.stddev_pop(), x.stddev_samp()] }", nil, `["NaN","NaN","NaN","NaN"]`},
		{"[f64; 4] { [x.var_pop(), x.var_samp(), x.stddev_pop(), x.stddev_samp()] }", []float64{1e308}, `[0.0,"NaN",0.0,"NaN"]`},
		{"[f64; 4] { [x.var_pop(), x.var_samp(), x.stddev_pop(), x.stddev_samp()] }", []float64{1, math.Inf(1)}, `["NaN","NaN","NaN","NaN"]`},
		{"[f64; 4] { [x.var_pop(), x.var_samp(), x.stddev_pop(), x.stddev_samp()] }", []float64{2, 4, 4, 4, 5, 5, 7, 9}, `[4.0,4.571428571428571,2.0,2.138089935299395]`},
		{"[f64; 3] { x.group_by::<3>(|_| 1).var_samp() }", []float64{1, 2}, `["NaN",0.5,"NaN"]`},
		{"[f64; 2] { x.map(|e| [e, 10.0 * e]).var_pop() }", []float64{1, 3}, `[1.0,100.0]`},
		{"[[f64; 2]; 2] { x.group_by::<2>(|e| if e > 2.0 { 1 } else { 0 }).stddev_pop(|e| [e, 10.0 * e]) }", []float64{1, 3, 5}, `[[0.0,0.0],[1.0,10.0]]`},
		{"f64 { x.map(|e| e as f32).stddev_samp() }", []float64{16777216, 16777218}, `1.4142135623730951`},
		{"f64 { x.map(|e| [e, 1.0, 4.0]).map(|r| r.var_pop()).sum() }", []float64{1, 4}, `4.0`},
	} {
		f := fn(t, "fn f(x: &[f64; N]) -> "+c.body)
		for _, engine := range engines {
			r, err := f.Call(t.Context(), godwit.Args{"x": c.x}, godwit.WithRuntime(rt), godwit.WithEngine(engine))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(r.JSON()); got != c.want {
				t.Errorf("%s of %v on %s is %s, expected %s", c.body, c.x, engine, got, c.want)
			}
			r.Close()
		}
	}
}
