package godwit_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/godwit-run/godwit"
)

type manyKeys struct {
	A int64
	B int32
	C int64
	V int64
}

type manyTold struct {
	First, N, Sum int64
	A             int64
	B             int32
	C             int64
}

// manyOf is the oracle for groups by columns of manyKeys.
func manyOf(rows []manyKeys, key func(r manyKeys) [3]int64) (list []manyTold) {
	at := map[[3]int64]int{}
	for i, r := range rows {
		k := key(r)
		j, ok := at[k]
		if !ok {
			j, at[k] = len(list), len(list)
			list = append(list, manyTold{First: int64(i), A: r.A, B: r.B, C: r.C})
		}
		list[j].N, list[j].Sum = list[j].N+1, list[j].Sum+r.V
	}
	return list
}

// Groups are the same in whichever way their keys are found: by a table of their places, by numbers that are hashed, or by words, two by two; of few
// values and of many. Ranges are those that decide, at and beside their ends.
func TestWaysToNumberKeys(t *testing.T) {
	const source = `record Row { a: i64, b: i32, c: i64, v: i64 }
record Told { first: i64, n: i64, sum: i64, a: i64, b: i32, c: i64 }
fn rows(x: &[Row; N]) -> [(idx<N>, Row); N] { x.enumerate() }
fn one(x: &[Row; N]) -> [Told] { rows(x).group_by(|(_, r)| r.a).agg(|g| { let (i, r) = g.first(); Told { first: i as i64, n: g.count(), sum: g.sum(|(_, r)| r.v), a: g.key(), b: r.b, c: r.c } }) }
fn two(x: &[Row; N]) -> [Told] { rows(x).group_by(|(_, r)| (r.a, r.b)).agg(|g| { let (i, r) = g.first(); Told { first: i as i64, n: g.count(), sum: g.sum(|(_, r)| r.v), a: g.key().0, b: g.key().1, c: r.c } }) }
fn three(x: &[Row; N]) -> [Told] { rows(x).group_by(|(_, r)| (r.c, r.b, r.a)).agg(|g| { let (i, r) = g.first(); Told { first: i as i64, n: g.count(), sum: g.sum(|(_, r)| r.v), a: g.key().2, b: g.key().1, c: g.key().0 } }) }
`
	keys := map[string]func(r manyKeys) [3]int64{
		"one":   func(r manyKeys) [3]int64 { return [3]int64{r.A} },
		"two":   func(r manyKeys) [3]int64 { return [3]int64{r.A, int64(r.B)} },
		"three": func(r manyKeys) [3]int64 { return [3]int64{r.C, int64(r.B), r.A} },
	}
	rt, engines := enginesHere(t)
	p, err := godwit.Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const least = -1 << 63
	for k, c := range []struct {
		rows                    int
		from, step, values      int64 // of a, and of c
		fromB, valuesB, valuesC int64
	}{
		{rows: 0, values: 1, valuesB: 1, valuesC: 1},
		{rows: 1, from: least, step: 1, values: 1, fromB: -1 << 31, valuesB: 1, valuesC: 1},
		{rows: 3000, from: least, step: 1, values: 100, fromB: -1 << 31, valuesB: 10, valuesC: 9},    // few cells
		{rows: 3000, from: 1<<63 - 4096, step: 4095, values: 2, fromB: 5, valuesB: 1, valuesC: 1},    // as far apart as is few, or next to that
		{rows: 3000, from: -7, step: 10095, values: 2, fromB: 5, valuesB: 1, valuesC: 2},             // all cells of 3000 rows
		{rows: 3000, from: -7, step: 10096, values: 2, fromB: 5, valuesB: 1, valuesC: 2},             // one more
		{rows: 3000, from: -5, step: 1 << 20, values: 1000, fromB: -3, valuesB: 900, valuesC: 1000},  // cells that are hashed
		{rows: 3000, from: 0, step: 1<<62 - 1, values: 2, fromB: 0, valuesB: 1, valuesC: 1},          // the most that a number may span
		{rows: 3000, from: 0, step: 1 << 62, values: 2, fromB: -9, valuesB: 100, valuesC: 2000},      // more than that
		{rows: 3000, from: least, step: 1<<63 - 1, values: 3, fromB: -9, valuesB: 100, valuesC: 2},   // all that there are
		{rows: 30_000, from: 9, step: 1, values: 20_000, fromB: -9, valuesB: 2, valuesC: 1},          // many groups in few cells
		{rows: 30_000, from: 9, step: 1 << 40, values: 1 << 20, fromB: -9, valuesB: 2, valuesC: 500}, // many groups
	} {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		x := make([]manyKeys, c.rows)
		for i := range x {
			x[i] = manyKeys{c.from + c.step*r.Int64N(c.values), int32(c.fromB + r.Int64N(c.valuesB)), c.step * r.Int64N(c.valuesC), r.Int64N(1000) - 500}
		}
		for name, key := range keys {
			f, err := p.Func(name)
			if err != nil {
				t.Fatal(err)
			}
			want := manyOf(x, key)
			for _, engine := range engines {
				if engine == "interp" && c.rows > 3000 {
					continue
				}
				for _, threads := range []int{1, 3} {
					r, err := f.Call(t.Context(), godwit.Args{"x": x}, godwit.WithRuntime(rt), godwit.WithEngine(engine), godwit.WithThreads(threads))
					if err != nil {
						t.Fatal(engine, err)
					}
					got, err := godwit.As[[]manyTold](r)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%s of %+v on %s: %d groups, want %d: %s", name, c, engine, len(got), len(want), firstOther(got, want))
					}
				}
			}
		}
	}
}
