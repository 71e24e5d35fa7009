package godwit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortOfNumbers: numbers and bools that are sorted by themselves come back with their bits, whether
// on an engine or by the interpreter: both zeros, both infinities, one NaN, the least and the greatest.
func TestSortOfNumbers(t *testing.T) {
	sortsLike(t, "f64", math.Float64bits, math.NaN(), -math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64, -1.5)
	sortsLike(t, "f32", math.Float32bits, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1e-45, -1e-45, 2.5)
	sortsLike(t, "i64", same[int64], math.MinInt64, math.MaxInt64, -1, 0, 1, 255, 256)
	sortsLike(t, "i32", same[int32], math.MinInt32, math.MaxInt32, -1, 0, 1)
	sortsLike(t, "i16", same[int16], math.MinInt16, math.MaxInt16, -1, 0, 1)
	sortsLike(t, "i8", same[int8], math.MinInt8, math.MaxInt8, -1, 0, 1)
	sortsLike(t, "u64", same[uint64], math.MaxUint64, 0, 1, 1<<63)
	sortsLike(t, "u32", same[uint32], math.MaxUint32, 0, 1, 1<<31)
	sortsLike(t, "u16", same[uint16], math.MaxUint16, 0, 1)
	sortsLike(t, "u8", same[uint8], 255, 0, 1, 128)
	sortsLike(t, "bool", same[bool], true, false)
}

// TestSortOfNarrowRanges: integers of which some bytes, or all, are the same in all keys, so that a sort ends in
// either half of its memory.
func TestSortOfNarrowRanges(t *testing.T) {
	sortsLike(t, "i64", same[int64], -1, 0, 1)
	sortsLike(t, "i64", same[int64], -300, 300, 7)
	sortsLike(t, "i64", same[int64], 1<<40, 1<<40+1<<16, 1<<40+1<<16+5)
	sortsLike(t, "u32", same[uint32], 1<<31, 1<<31+70_000, 1<<31+255)
	sortsLike(t, "i16", same[int16], 5)
	sortsLike(t, "u8", same[uint8], 9)
}

func same[T any](v T) T { return v }

func sortsLike[T any, B comparable](t *testing.T, kind string, bits func(T) B, some ...T) {
	t.Helper()
	for _, text := range []string{
		"fn f(x: &[%s; N]) -> [%s; N] { x.sort() }",
		"fn f(x: &[%s; N]) -> [%s; N] { x.sort_desc() }",
	} {
		f := mustFunc(t, fmt.Sprintf(text, kind, kind))
		for _, n := range []int{0, 1, 2, 300, 5000} {
			in := make([]T, n)
			for i := range in {
				in[i] = some[rand.IntN(len(some))]
			}
			var want [][]B
			for _, engine := range []string{"interp", "wasm", "auto"} {
				res, err := f.Call(context.Background(), Args{"x": in}, WithEngine(engine))
				if err != nil {
					t.Fatal(err)
				}
				var out []T
				if err := res.Slice(&out); err != nil {
					t.Fatal(err)
				}
				got := make([]B, len(out))
				for i, v := range out {
					got[i] = bits(v)
				}
				if want = append(want, got); !slices.Equal(got, want[0]) {
					t.Errorf("%s of %d %s on %s differs from the interpreter", text[24:], n, kind, engine)
				}
			}
		}
	}
}

// TestSortOfClusters: keys that their leading digits do not tell apart, some in order and some far from it, come in order all the same, and with
// their slots: the sort that goes by leading digits falls back on all of them.
func TestSortOfClusters(t *testing.T) {
	alone := mustFunc(t, "fn f(x: &[f64; N]) -> [f64; N] { x.sort() }")
	keyed := mustFunc(t, "fn f(x: &[f64; N]) -> [i64; N] { x.enumerate().sort(|(_, e)| e).map(|(i, _)| i as i64) }")
	r := rand.New(rand.NewPCG(3, 5))
	for name, key := range map[string]func(i, n int) float64{
		"close together, beside one far away": func(i, n int) float64 {
			if i == n/2 {
				return -1e300
			}
			return 1 + float64(r.IntN(n))*0x1p-52
		},
		"close together, backwards": func(i, n int) float64 { return 1 - float64(i)*0x1p-53 },
		"a few values":              func(int, int) float64 { return float64(r.IntN(3)) },
		"all the same":              func(int, int) float64 { return 2.5 },
		"in order but for the last": func(i, n int) float64 { return float64((i + 1) % n) },
		"every magnitude":           func(int, int) float64 { return math.Ldexp(r.Float64()-0.5, r.IntN(2000)-1000) },
	} {
		for _, n := range []int{31, 32, 33, 34, 63, 64, 65, 511, 513, 2047, 2049, 20_000} {
			x, order := make([]float64, n), make([]int64, n)
			for i := range x {
				x[i], order[i] = key(i, n), int64(i)
			}
			slices.SortStableFunc(order, func(a, b int64) int { return cmp.Compare(x[a], x[b]) })
			for _, engine := range []string{"wasm", "auto"} {
				res, err := alone.Call(context.Background(), Args{"x": x}, WithEngine(engine))
				if err != nil {
					t.Fatal(err)
				}
				sorted, err := As[[]float64](res)
				if err != nil || !slices.IsSorted(sorted) || sorted[0] != x[order[0]] || sorted[n-1] != x[order[n-1]] {
					t.Fatalf("%s, %d: %v is not in order (%v)", name, n, sorted[:min(n, 40)], err)
				}
				if res, err = keyed.Call(context.Background(), Args{"x": x}, WithEngine(engine)); err != nil {
					t.Fatal(err)
				}
				if got, err := As[[]int64](res); err != nil || !slices.Equal(got, order) {
					t.Fatalf("%s, %d: the order is %v (%v)", name, n, got[:min(n, 40)], err)
				}
			}
		}
	}
}
