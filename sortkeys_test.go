package godwit

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// keyed is a row with keys of several kinds, of which many are equal.
type keyed struct {
	A *int64
	B float64
	S string
	D int32
	I int64
}

// TestSortByKeys: keys of several parts, in either direction, give the order that Go's stable sort gives, on every engine.
func TestSortByKeys(t *testing.T) {
	total := func(a, b float64) int { // NaN above all, -0 below +0
		word := func(f float64) int64 {
			if math.IsNaN(f) {
				return math.MaxInt64
			}
			w := int64(math.Float64bits(f))
			if w < 0 {
				w ^= math.MaxInt64
			}
			return w
		}
		return cmp.Compare(word(a), word(b))
	}
	option := func(a, b *int64, values func(a, b int64) int) int {
		switch {
		case a == nil || b == nil:
			return cmp.Compare(btoi(a == nil), btoi(b == nil))
		}
		return values(*a, *b)
	}
	up, down := cmp.Compare[int64], func(a, b int64) int { return cmp.Compare(b, a) }
	for _, c := range []struct {
		text string
		less func(a, b keyed) int
		most int
	}{
		{"x.sort(|r| (r.s, r.d))", func(a, b keyed) int { return cmp.Or(cmp.Compare(a.S, b.S), cmp.Compare(a.D, b.D)) }, -1},
		{"x.sort(|r| (Reverse(r.b), r.s, r.a))", func(a, b keyed) int {
			return cmp.Or(total(b.B, a.B), cmp.Compare(a.S, b.S), option(a.A, b.A, up))
		}, -1},
		{"x.sort_desc(|r| r.a)", func(a, b keyed) int { return option(a.A, b.A, down) }, -1},
		{"x.sort(|r| Reverse(r.a))", func(a, b keyed) int { return option(a.A, b.A, down) }, -1},
		{"x.sort_desc(|r| (r.b, Reverse((r.d, r.s))))", func(a, b keyed) int {
			return cmp.Or(total(b.B, a.B), cmp.Compare(a.D, b.D), cmp.Compare(a.S, b.S))
		}, -1},
		{"x.top_k::<7>(|r| (r.b, Reverse(r.d)))", func(a, b keyed) int { return cmp.Or(total(b.B, a.B), cmp.Compare(a.D, b.D)) }, 7},
		{"x.top_k::<3>(|r| (r.a, r.s))", func(a, b keyed) int { return cmp.Or(option(a.A, b.A, down), cmp.Compare(b.S, a.S)) }, 3},
		{"x.top_k::<400>(|r| Reverse(r.d))", func(a, b keyed) int { return cmp.Compare(a.D, b.D) }, 400},
		{"x.top_k::<2>(|r| r.a.map(|v| (v % 2, v)))", func(a, b keyed) int {
			return option(a.A, b.A, func(a, b int64) int { return cmp.Or(cmp.Compare(b%2, a%2), cmp.Compare(b, a)) })
		}, 2},
	} {
		f := mustFunc(t, "record K { a: Option<i64>, b: f64, s: Str, d: i32, i: i64 }\nfn f(x: &[K; N]) -> [K] { "+c.text+" }")
		for _, n := range []int{0, 1, 5, 300, 1500} {
			in := randomKeys(n)
			want := slices.Clone(in)
			slices.SortStableFunc(want, c.less)
			if c.most >= 0 {
				want = want[:min(n, c.most)]
			}
			for _, engine := range []string{"interp", "wasm", "auto"} {
				res, err := f.Call(context.Background(), Args{"x": in}, WithEngine(engine))
				if err != nil {
					t.Fatalf("%s of %d: %v", c.text, n, err)
				}
				var out []keyed
				if err := res.Slice(&out); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(places(out), places(want)) {
					t.Errorf("%s of %d on %s is in another order: %v, expected %v", c.text, n, engine, first(places(out)), first(places(want)))
				}
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func randomKeys(n int) []keyed {
	floats := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1.5, -1.5}
	out := make([]keyed, n)
	for i := range out {
		k := keyed{B: floats[rand.IntN(len(floats))], S: string(rune('a' + rand.IntN(4))), D: int32(rand.IntN(9) - 4), I: int64(i)}
		if v := []int64{math.MinInt64, math.MaxInt64, -3, 0, 2}[rand.IntN(5)]; rand.IntN(4) > 0 {
			k.A = &v
		}
		out[i] = k
	}
	return out
}

func places(rows []keyed) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = r.I
	}
	return out
}

func first(x []int64) []int64 { return x[:min(len(x), 10)] }
