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

// A loop from one place that data tells to another goes through its row: all rows together are what there is.
func TestRows(t *testing.T) {
	const rows, all = 1000, 100_000
	start, x := data.FromSlice(make([]int64, rows)), data.FromSlice(make([]int64, all))
	source := "fn f(start: &[i64; N], x: &[i64; M]) -> [i64; N] where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> " +
		"{ start.map(|s| { let mut a = 0; for j in s.clamp_idx::<M>()..(s +% 100).clamp_idx::<M>() { a = (a ^ x[j]) / (s | 1); } a }) }"
	m := mix(t, source, 32, start, x)
	if got := m.Counts[cost.Divide].One; math.Abs(got/all-1) > 0.05 {
		t.Errorf("%v divisions, want %v", got, all)
	}
	if !m.Guessed {
		t.Error("nothing is said to be guessed")
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
