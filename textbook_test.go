package godwit_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// The programs below are as the textbook has them: no index in them is clamped, and each is
// proved from the loops and conditions around it. The answers are computed in Go.

func TestTextbookStencils(t *testing.T) {
	x := []int64{3, 1, 4, 1, 5, 9, 2}
	n := len(x)
	want := slices.Clone(x)
	for i := 1; i < n-1; i++ {
		want[i] = x[i-1] - 2*x[i] + x[i+1]
	}
	one := fn(t, `fn f(x: &[i64; N]) -> [i64; N] {
		(0..N).map(|i| if i > 0 && i < N - 1 { x[i - 1] - 2 * x[i] + x[i + 1] } else { x[i] })
	}`)
	equal(t, call[[]int64](t, one, godwit.Args{"x": x}), want)

	grid := func(i, j int) int64 { return int64((i*7 + j*3) % 11) }
	var g [5][4]int64
	for i := range g {
		for j := range g[i] {
			g[i][j] = grid(i, j)
		}
	}
	plane := g
	for i := 1; i < 4; i++ {
		for j := 1; j < 3; j++ {
			plane[i][j] = g[i-1][j] + g[i+1][j] + g[i][j-1] + g[i][j+1]
		}
	}
	two := fn(t, `fn f(x: &[i64; N, M]) -> [i64; N, M] {
		(0..N).map(|i| (0..M).map(|j| if i == 0 || i == N - 1 || j == 0 || j == M - 1 { x[i][j] } else {
			x[i - 1][j] + x[i + 1][j] + x[i][j - 1] + x[i][j + 1]
		}))
	}`)
	equal(t, call[[5][4]int64](t, two, godwit.Args{"x": g}), plane)

	var cube [4][3][5]int64
	sum := int64(0)
	for i := range cube {
		for j := range cube[i] {
			for k := range cube[i][j] {
				cube[i][j][k] = grid(i*3+j, k)
			}
		}
	}
	for i := 1; i < 3; i++ {
		for j := 1; j < 2; j++ {
			for k := 1; k < 4; k++ {
				sum += cube[i-1][j][k] + cube[i+1][j][k] + cube[i][j-1][k] + cube[i][j+1][k] + cube[i][j][k-1] + cube[i][j][k+1]
			}
		}
	}
	three := fn(t, `fn f(x: &[i64; N, M, L]) -> i64 {
		let mut s = 0;
		for i in 1..N - 1 { for j in 1..M - 1 { for k in 1..L - 1 {
			s += x[i - 1][j][k] + x[i + 1][j][k] + x[i][j - 1][k] + x[i][j + 1][k] + x[i][j][k - 1] + x[i][j][k + 1];
		} } }
		s
	}`)
	equal(t, call[int64](t, three, godwit.Args{"x": cube}), sum)
}

func TestTextbookLinearAlgebra(t *testing.T) {
	a := [4][4]float64{{2, 1, -3, 5}, {4, 5, 1, 2}, {-1, 3, 8, 7}, {6, 2, 1, 4}}
	b := []float64{3, 5, -2, 7}
	n := len(b)
	lower, upper, symmetric := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		s := b[i]
		for j := range i {
			s -= a[i][j] * lower[j]
		}
		lower[i] = s / a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		s := b[i]
		for j := i + 1; j < n; j++ {
			s -= a[i][j] * upper[j]
		}
		upper[i] = s / a[i][i]
	}
	band := make([]float64, n)
	for i := range n {
		for j := range n {
			symmetric[i] += a[max(i, j)][min(i, j)] * b[j]
			if j >= i-1 && j <= i+1 {
				band[i] += a[i][j-i+1] * b[j]
			}
		}
	}
	args := godwit.Args{"a": a, "b": b}
	equal(t, call[[]float64](t, fn(t, `fn f(a: &[f64; N, N], b: &[f64; N]) -> [f64; N] {
		let mut x = [0.0; N];
		for i in 0..N {
			let mut s = b[i];
			for j in 0..i { s -= a[i][j] * x[j]; }
			let v = s / a[i][i];
			x = (0..N).map(|k| if k == i { v } else { x[k] });
		}
		x
	}`), args), lower)
	equal(t, call[[]float64](t, fn(t, `fn f(a: &[f64; N, N], b: &[f64; N]) -> [f64; N] {
		let mut x = [0.0; N];
		for k in 0..N {
			let i = N - 1 - k;
			let mut s = b[i];
			for j in i + 1..N { s -= a[i][j] * x[j]; }
			let v = s / a[i][i];
			x = (0..N).map(|k| if k == i { v } else { x[k] });
		}
		x
	}`), args), upper)
	equal(t, call[[]float64](t, fn(t, `fn f(a: &[f64; N, N], b: &[f64; N]) -> [f64; N] {
		(0..N).map(|i| {
			let mut s = 0.0;
			for j in 0..N { s += a[i.max(j)][i.min(j)] * b[j]; }
			s
		})
	}`), args), symmetric)
	banded := fn(t, `fn f<K: Size>(a: &[f64; N, 2 * K + 1], b: &[f64; N]) -> [f64; N] {
		(0..N).map(|i| {
			let mut s = 0.0;
			for j in (i - K).max(0)..(i + K + 1).min(N) { s += a[i][j - i + K] * b[j]; }
			s
		})
	}`)
	var rows [4][3]float64
	for i := range rows {
		copy(rows[i][:], a[i][:3])
	}
	equal(t, call[[]float64](t, banded, godwit.Args{"a": rows, "b": b, "K": 1}), band)
	minor := fn(t, `fn f(a: &[f64; N, N], k: idx<N>) -> [f64; N - 1, N - 1] where N >= 2 {
		(0..N - 1).map(|i| (0..N - 1).map(|j| a[i + 1][if j < k { j } else { j + 1 }]))
	}`)
	equal(t, call[[3][3]float64](t, minor, godwit.Args{"a": a, "k": 1}), [3][3]float64{{4, 1, 2}, {-1, 8, 7}, {6, 1, 4}})
}

func TestTextbookRecurrences(t *testing.T) {
	v := []int64{2, 2, 5, 5, 5, 1, 2}
	n := len(v)
	forward, backward := slices.Clone(v), slices.Clone(v)
	starts := int64(0)
	for i := range n {
		if i > 0 {
			forward[i] = 3*forward[i-1] + v[i]
			backward[n-1-i] = 2*backward[n-i] + v[n-1-i]
		}
		if i == 0 || v[i] != v[i-1] {
			starts++
		}
	}
	reversed := slices.Clone(v)
	slices.Reverse(reversed)
	args := godwit.Args{"v": v}
	equal(t, call[[]int64](t, fn(t, `fn f(v: &[i64; N]) -> [i64; N] {
		let mut x = (0..N).map(|i| v[i]);
		for i in 1..N { let e = 3 * x[i - 1] + v[i]; x = (0..N).map(|k| if k == i { e } else { x[k] }); }
		x
	}`), args), forward)
	equal(t, call[[]int64](t, fn(t, `fn f(v: &[i64; N]) -> [i64; N] {
		let mut x = (0..N).map(|i| v[i]);
		for k in 1..N {
			let i = N - 1 - k;
			let e = 2 * x[i + 1] + v[i];
			x = (0..N).map(|k| if k == i { e } else { x[k] });
		}
		x
	}`), args), backward)
	equal(t, call[int64](t, fn(t, `fn f(v: &[i64; N]) -> i64 { (0..N).filter(|i| i == 0 || v[i] != v[i - 1]).len() }`), args), starts)
	equal(t, call[[]int64](t, fn(t, `fn f(v: &[i64; N]) -> [i64; N] { (0..N).map(|i| v[N - 1 - i]) }`), args), reversed)
	flat := fn(t, `fn f<N: Size, M: Size>(x: &[i64; N * M]) -> [i64; M, N] { (0..M).map(|j| (0..N).map(|i| x[i * M + j])) }`)
	equal(t, call[[3][2]int64](t, flat, godwit.Args{"x": []int64{1, 2, 3, 4, 5, 6}, "N": 2, "M": 3}), [3][2]int64{{1, 4}, {2, 5}, {3, 6}})
	odd := fn(t, `fn f(x: &[i64; 2 * N]) -> [i64; N] { (0..N).map(|i| x[2 * i + 1]) }`)
	equal(t, call[[]int64](t, odd, godwit.Args{"x": []int64{1, 2, 3, 4, 5, 6}}), []int64{2, 4, 6})
}

func TestTextbookSearch(t *testing.T) {
	sorted := []int64{1, 3, 3, 7, 8, 12, 40}
	point := fn(t, `fn f(x: &[i64; N], key: i64) -> i64 {
		let mut lo: idx<N + 1> = 0;
		let mut hi: idx<N + 1> = N;
		for _ in 0..41 {
			if lo < hi {
				let mid = (lo + hi) / 2;
				if x[mid] < key { lo = mid + 1; } else { hi = mid; }
			}
		}
		lo + 0
	}`)
	for key := int64(0); key < 45; key += 3 {
		want, _ := slices.BinarySearch(sorted, key)
		equal(t, call[int64](t, point, godwit.Args{"x": sorted, "key": key}), int64(want))
	}
	median := fn(t, `fn f(x: &[i64; N]) -> i64 where N >= 1 { let s = x.sort(); s[N / 2] }`)
	equal(t, call[int64](t, median, godwit.Args{"x": []int64{9, 1, 7, 3}}), int64(7))
}

func TestTextbookTables(t *testing.T) {
	a, b := []byte("kitten sits"), []byte("sitting kit")
	n, m := len(a), len(b)
	lev, lcs := make([][]int64, n+1), make([][]int64, n+1)
	for i := range n + 1 {
		lev[i], lcs[i] = make([]int64, m+1), make([]int64, m+1)
		for j := range m + 1 {
			switch {
			case i == 0 || j == 0:
				lev[i][j] = int64(i + j)
			case a[i-1] == b[j-1]:
				lev[i][j], lcs[i][j] = lev[i-1][j-1], lcs[i-1][j-1]+1
			default:
				lev[i][j] = 1 + min(lev[i-1][j-1], lev[i-1][j], lev[i][j-1])
				lcs[i][j] = max(lcs[i-1][j], lcs[i][j-1])
			}
		}
	}
	args := godwit.Args{"a": a, "b": b}
	equal(t, call[int64](t, fn(t, `fn f(a: &[u8; N], b: &[u8; M]) -> i64 {
		let mut row = (0..M + 1).map(|j| j + 0);
		for i in 0..N {
			let mut next = (0..M + 1).map(|j| if j == 0 { i + 1 } else { 0 });
			for j in 1..M + 1 {
				let swap = if a[i] == b[j - 1] { 0 } else { 1 };
				let best = (row[j] + 1).min(next[j - 1] + 1).min(row[j - 1] + swap);
				next = (0..M + 1).map(|k| if k == j { best } else { next[k] });
			}
			row = next;
		}
		row[M]
	}`), args), lev[n][m])
	equal(t, call[int64](t, fn(t, `fn f(a: &[u8; N], b: &[u8; M]) -> i64 {
		let mut row = [0; M + 1];
		for i in 0..N {
			let mut next = [0; M + 1];
			for j in 1..M + 1 {
				let best = if a[i] == b[j - 1] { row[j - 1] + 1 } else { row[j].max(next[j - 1]) };
				next = (0..M + 1).map(|k| if k == j { best } else { next[k] });
			}
			row = next;
		}
		row[M]
	}`), args), lcs[n][m])
}

// TestLeastByMinusOne tells the quotient that does not fit from a division by zero.
func TestLeastByMinusOne(t *testing.T) {
	quotient := fn(t, `fn f(a: i64, b: i64) -> i64 { a / b }`)
	for _, engine := range []string{"interp", "wasm"} {
		for b, want := range map[int64]string{-1: "R01", 0: "R02"} {
			_, err := quotient.Call(t.Context(), godwit.Args{"a": int64(math.MinInt64), "b": b}, godwit.WithEngine(engine))
			var fault *godwit.Fault
			if !errors.As(err, &fault) || fault.Code != want {
				t.Errorf("%s: divided by %d: %v, want %s", engine, b, err, want)
			}
		}
	}
	equal(t, call[int64](t, quotient, godwit.Args{"a": int64(-7), "b": int64(-1)}), int64(7))
	remainder := fn(t, `fn f(a: i64, b: i64) -> i64 { a % b }`)
	equal(t, call[int64](t, remainder, godwit.Args{"a": int64(math.MinInt64), "b": int64(-1)}), int64(0))
}

// TestLiteralTable looks numbers up in a table that is written out.
func TestLiteralTable(t *testing.T) {
	table := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d, ", i*i%1009)
		}
		return "fn f(i: i64) -> i64 { [" + b.String() + "].get(i).or(-1) }"
	}
	f := fn(t, table(300))
	equal(t, call[int64](t, f, godwit.Args{"i": 299}), int64(299*299%1009))
	equal(t, call[int64](t, f, godwit.Args{"i": 300}), int64(-1))
	equal(t, call[int64](t, fn(t, table(5000)), godwit.Args{"i": 4999}), int64(4999*4999%1009))
}

// TestTextbookFlat walks over a matrix by the number of each element, and back.
func TestTextbookFlat(t *testing.T) {
	x := [3][4]int64{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}
	flat := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	args := godwit.Args{"x": x}
	for _, text := range []string{
		`fn f(x: &[i64; N, M]) -> [i64; N * M] { x.flatten() }`,
		`fn f(x: &[i64; N, M]) -> [i64; N * M] { (0..N * M).map(|t| x[t / M][t % M]) }`,
		`fn f(x: &[i64; N, M]) -> [i64; N * M] { let mut y = [0; N * M]; for t in 0..N * M { y[t] = x[t / M][t % M]; } y }`,
		`fn f(x: &[i64; N, M]) -> [i64; N * M] { let mut y = [0; N * M]; for i in 0..N { for j in 0..M { y[i * M + j] = x[i][j]; } } y }`,
		`fn f(x: &[i64; N, M]) -> [i64; N * M] { let y: [i64; M, N] = x.reshape(); y.flatten() }`,
	} {
		equal(t, call[[]int64](t, fn(t, text), args), flat)
	}
	equal(t, call[[4][3]int64](t, fn(t, `fn f(x: &[i64; N, M]) -> [i64; M, N] { x.reshape() }`), args), [4][3]int64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}})

	big := fn(t, `fn f<A: Size, B: Size>(k: i64) -> i64 { let mut s = k; for i in 0..A * B { s = s +% i; } s }`)
	for _, n := range []int64{1 << 21, 1 << 40} { // the second product does not even fit an i64
		_, err := big.Call(t.Context(), godwit.Args{"k": int64(1), "A": n, "B": n})
		if err == nil || !strings.Contains(err.Error(), "the program needs `A*B <= 1099511627776`") {
			t.Errorf("%d squared elements: %v", n, err)
		}
	}
}

// TestTextbookStrides steps over ranges, by constants, by numbers known at run time, and by
// ones so large that a sum with them would not fit.
func TestTextbookStrides(t *testing.T) {
	x := []int64{1, 2, 3, 4, 5, 6, 7}
	array := fn(t, `fn f(x: &[i64; N], k: i64) -> [i64; ?M <= N] where k: Range<1, 4_000_000_000_000_000_000> { (0..N).step(k).map(|i| x[i]) }`)
	loop := fn(t, `fn f(x: &[i64; N], a: i64, b: i64, k: i64) -> i64 where k: Range<1, 4_000_000_000_000_000_000>, a: Range<-9, 9>, b: Range<-9, 9> {
		let mut s = 0;
		for i in (a..b).step(k) { s = 10 *% s +% x.get(i).or(9); }
		s
	}`)
	for _, k := range []int64{1, 2, 3, 7, 8, 4e18} {
		want := []int64{}
		for i := int64(0); i < int64(len(x)); i += k {
			want = append(want, x[i])
		}
		equal(t, call[[]int64](t, array, godwit.Args{"x": x, "k": k}), want)
		for _, ends := range [][2]int64{{0, 7}, {-2, 5}, {3, 3}, {5, -5}, {6, 9}} {
			sum := int64(0)
			for i := ends[0]; i < ends[1]; i += k {
				if e := int64(9); i >= 0 && i < 7 {
					sum = 10*sum + x[i]
				} else {
					sum = 10*sum + e
				}
			}
			equal(t, call[int64](t, loop, godwit.Args{"x": x, "a": ends[0], "b": ends[1], "k": k}), sum)
		}
	}
	tiles := fn(t, `fn f(x: &[i64; N, M]) -> i64 {
		let mut s = 0;
		for i in (0..N).step(2) { for j in (0..M).step(3) {
			for k in i..(i + 2).min(N) { for l in j..(j + 3).min(M) { s = 3 *% s +% x[k][l]; } }
		} }
		s
	}`)
	m := [3][4]int64{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}
	s := int64(0)
	for _, e := range []int64{1, 2, 3, 5, 6, 7, 4, 8, 9, 10, 11, 12} {
		s = 3*s + e
	}
	equal(t, call[int64](t, tiles, godwit.Args{"x": m}), s)
}

// TestIntoStride looks one element of a strided walk up, which is computed where it is wanted.
func TestIntoStride(t *testing.T) {
	f := fn(t, `fn f(x: &[i64; N], i: i64) -> i64 where N: Range<1, 100_000> {
		(0..N).step(4).map(|k| x[k])[i.wrap_idx::<(N + 3) / 4>()]
	}`)
	equal(t, call[int64](t, f, godwit.Args{"x": []int64{3, 1, 4, 1, 5, 9}, "i": -1}), int64(5))
}
