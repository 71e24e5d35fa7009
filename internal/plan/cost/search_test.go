package cost_test

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/plan/cost"
)

// How often a loop turns that data ends follows from what it goes through.
func TestEnds(t *testing.T) {
	const n = 4096
	x, y := data.FromSlice(make([]int64, n)), data.FromSlice(make([]int64, 1<<20))
	entered := "where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000>"
	for name, c := range map[string]struct {
		source string
		want   float64 // turns of the inner loop, each of which but the last divides
	}{
		"a limit": {"fn f(x: &[i64; N], y: &[i64; M]) -> [i64; N] " + entered + " { x.map(|v| { let mut a = v; for _ in 0..500 { if a <= 1 { break; } a = a / (v | 1); } a }) }",
			n * (cost.Limited(500) - 1)},
		"a long limit": {"fn f(x: &[i64; N], y: &[i64; M]) -> [i64; N] " + entered + " { x.map(|v| { let mut a = v; for _ in 0..100_000 { if a <= 1 { break; } a = a / (v | 1); } a }) }",
			n * (cost.Limited(100_000) - 1)},
		"a search for each of many": {"fn f(x: &[i64; N], y: &[i64; M]) -> [i64; N] " + entered + " { x.map(|v| { let mut a = 0; for j in 0..M { if y[j] == v { break; } a = a ^ (y[j] / (v | 1)); } a }) }",
			n * 15},
		"back to the beginning": {"fn f(x: &[i64; N], y: &[i64; M]) -> [i64; N] " + entered + " { let mut z = x; for i in 0..N { let mut a = 0; for j in 0..i { if z[j] == i { break; } a = a ^ (x[j] / (x[i] | 1)); } z[i] = a; } z }",
			n * n / 4},
	} {
		t.Run(name, func(t *testing.T) {
			m := mix(t, c.source, 32, x, y)
			got := m.Counts[cost.Divide].One
			if math.Abs(got/c.want-1) > 0.05 {
				t.Errorf("%v divisions, want %v", got, c.want)
			}
			if !m.Guessed {
				t.Error("nothing is said to be guessed")
			}
		})
	}
}

// A limit says little of when a loop ends: more turns than its root, fewer than its half.
func TestLimited(t *testing.T) {
	for _, most := range []float64{20, 64, 500, 1e6} {
		if got := cost.Limited(most); got < math.Sqrt(most) || got > most/2 {
			t.Errorf("of at most %v turns %v are expected", most, got)
		}
	}
	for _, most := range []float64{0, 1} {
		if got := cost.Limited(most); got != most {
			t.Errorf("of at most %v turns %v are expected", most, got)
		}
	}
}
