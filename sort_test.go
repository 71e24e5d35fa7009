package godwit

import (
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
