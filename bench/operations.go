package main

// An operation is one of NumPy's, with the same as a program. Both take arrays by the names below.
//
//	x, y  n numbers of f64 in [-1, 1)      m     a matrix of n numbers of f64, as wide as it is high or a little wider
//	p     n numbers of f64 in (0, 2]       r, c  vectors of f64, as many as m has rows and columns
//	s, q  x, sorted, and n/10 others       k     n indices of x, in any order, some of them more than once
//	i     n integers of i64 in ±1000       h     n integers of i64 in 0..1000
type operation struct {
	name, source, numpy string
	rel                 float64 // results of floats may differ so much, relative to the greatest number in NumPy's
}

// Sums of floats are added up in orders of their own, so that rounding differs: by sums of 10⁷ numbers, at most.
const rounding = 1e-9

// function allows both sides what either promises for sin, exp and the like: 2 units of the last place each.
const function = 1e-15

var operations = []operation{
	{"add", `fn f(x: &[f64; N], y: &[f64; N]) -> [f64; N] { x + y }`, "x + y", 0},
	{"multiply and add", `fn f(x: &[f64; N], y: &[f64; N]) -> [f64; N] { x * 2.5 + y }`, "x * 2.5 + y", 0},
	{"sqrt", `fn f(p: &[f64; N]) -> [f64; N] { p.sqrt() }`, "numpy.sqrt(p)", 0},
	{"exp", `fn f(x: &[f64; N]) -> [f64; N] { x.exp() }`, "numpy.exp(x)", function},
	{"log", `fn f(p: &[f64; N]) -> [f64; N] { p.ln() }`, "numpy.log(p)", function},
	{"sin", `fn f(x: &[f64; N]) -> [f64; N] { x.sin() }`, "numpy.sin(x)", function},
	{"pow", `fn f(p: &[f64; N]) -> [f64; N] { p.map(|e| e.powf(1.7)) }`, "p ** 1.7", function},
	{"round", `fn f(x: &[f64; N]) -> [f64; N] { (x * 100.0).round_ties_even() }`, "numpy.rint(x * 100.0)", 0},
	{"clip", `fn f(x: &[f64; N]) -> [f64; N] { x.map(|e| e.clamp(-0.5, 0.5)) }`, "numpy.clip(x, -0.5, 0.5)", 0},
	{"where", `fn f(x: &[f64; N], y: &[f64; N]) -> [f64; N] { x.zip(y).map(|(a, b)| if a > 0.0 { a } else { b }) }`, "numpy.where(x > 0.0, x, y)", 0},
	{"i64 to f64", `fn f(i: &[i64; N]) -> [f64; N] { i.map(|e| e as f64) }`, "i.astype(numpy.float64)", 0},
	{"remainder, i64", `fn f(h: &[i64; N]) -> [i64; N] { h.map(|e| e % 7) }`, "h % 7", 0},
	{"sum", `fn f(x: &[f64; N]) -> f64 { x.sum() }`, "x.sum()", rounding},
	{"sum, i64", `fn f(i: &[i64; N]) -> i64 { i.sum() }`, "i.sum()", 0},
	{"mean", `fn f(x: &[f64; N]) -> f64 { x.mean() }`, "x.mean()", rounding},
	{"dot", `fn f(x: &[f64; N], y: &[f64; N]) -> f64 { x.dot(y) }`, "x @ y", rounding},
	{"maximum", `fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { x.max() }`, "x.max()", 0},
	{"argmax", `fn f(x: &[f64; N]) -> idx<N> where N: Range<1, 1_000_000_000> { x.argmax() }`, "x.argmax()", 0},
	{"count above", `fn f(x: &[f64; N]) -> i64 { x.count(|e| e > 0.5) }`, "numpy.count_nonzero(x > 0.5)", 0},
	{"sort", `fn f(x: &[f64; N]) -> [f64; N] { x.sort() }`, "numpy.sort(x)", 0},
	{"sort, i64", `fn f(i: &[i64; N]) -> [i64; N] { i.sort() }`, "numpy.sort(i)", 0},
	{"argsort", `fn f(x: &[f64; N]) -> [idx<N>; N] { (0..N).sort(|q| x[q]) }`, "numpy.argsort(x)", 0},
	{"partition, greatest 10", `fn f(x: &[f64; N]) -> [f64; ?K <= 10] { x.top_k::<10>() }`, "numpy.sort(numpy.partition(x, x.size - 10)[-10:])[::-1]", 0},
	{"cumsum", `fn f(x: &[f64; N]) -> [f64; N] { x.scan(0.0, |a, e| a + e) }`, "numpy.cumsum(x)", rounding},
	{"cumsum, i64", `fn f(i: &[i64; N]) -> [i64; N] { i.scan(0, |a, e| a +% e) }`, "numpy.cumsum(i)", 0},
	{"cumulative maximum", `fn f(x: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { x.scan(x[0], |a, e| a.max(e)) }`, "numpy.maximum.accumulate(x)", 0},
	{"diff", `fn f(x: &[f64; N]) -> [f64; N - 1] where N: Range<1, 1_000_000_000> { (1..N).map(|q| x[q] - x[q - 1]) }`, "numpy.diff(x)", 0},
	{"reverse", `fn f(x: &[f64; N]) -> [f64; N] { x.reverse() }`, "x[::-1].copy()", 0},
	{"concatenate", `fn f(x: &[f64; N], y: &[f64; N]) -> [f64; N + N] { concat(x, y) }`, "numpy.concatenate((x, y))", 0},
	{"compress", `fn f(x: &[f64; N]) -> [f64; ?K <= N] { x.filter(|e| e > 0.0) }`, "x[x > 0.0]", 0},
	{"take", `fn f(x: &[f64; N], k: &[idx<N>; N]) -> [f64; N] { x.gather(k) }`, "x.take(k)", 0},
	{"put", `fn f(x: &[f64; N], k: &[idx<N>; N], y: &[f64; N]) -> [f64; N] { x.scatter_with(k, y, |_, new| new) }`, "put(x, k, y)", 0},
	{"bincount", `fn f(h: &[i64; N]) -> [i64; 1000] { h.histogram::<1000>() }`, "numpy.bincount(h, minlength=1000)", 0},
	{"histogram", `fn f(x: &[f64; N]) -> [i64; 50] { x.histogram::<50>(|e| (((e + 1.0) * 25.0) as i64).clamp(0, 49)) }`, "numpy.histogram(x, 50, (-1.0, 1.0))[0]", 0},
	{"searchsorted", searchSource, "numpy.searchsorted(s, q)", 0},
	{"rolling minimum of 20", `fn f(x: &[f64; N]) -> [f64; N - 19] where N: Range<20, 1_000_000_000> { x.window::<20>().map(|w| w.min()) }`, "windows(x, 20).min(axis=1)", 0},
	{"rolling maximum of 20, i64", `fn f(i: &[i64; N]) -> [i64; N - 19] where N: Range<20, 1_000_000_000> { i.window::<20>().map(|w| w.max()) }`, "windows(i, 20).max(axis=1)", 0},
	{"rolling sum of 20, i64", `fn f(i: &[i64; N]) -> [i64; N - 19] where N: Range<20, 1_000_000_000> { i.window::<20>().map(|w| w.sum()) }`, "windows(i, 20).sum(axis=1)", 0},
	{"transposition", `fn f(m: &[f64; R, C]) -> [f64; C, R] { m.transpose() }`, "m.T.copy()", 0},
	{"sums of columns", `fn f(m: &[f64; R, C]) -> [f64; C] { m.sum() }`, "m.sum(axis=0)", rounding},
	{"sums of rows", `fn f(m: &[f64; R, C]) -> [f64; R] { m.map(|e| e.sum()) }`, "m.sum(axis=1)", rounding},
	{"maxima of columns", `fn f(m: &[f64; R, C]) -> [f64; C] where R: Range<1, 1_000_000>, C: Range<1, 1_000_000> { m.transpose().map(|e| e.max()) }`, "m.max(axis=0)", 0},
	{"maxima of rows", `fn f(m: &[f64; R, C]) -> [f64; R] where R: Range<1, 1_000_000>, C: Range<1, 1_000_000> { m.map(|e| e.max()) }`, "m.max(axis=1)", 0},
	{"matrix times vector", `fn f(m: &[f64; R, C], c: &[f64; C]) -> [f64; R] { m.matmul(c) }`, "m @ c", rounding},
	{"outer", `fn f(r: &[f64; R], c: &[f64; C]) -> [f64; R, C] { r.map(|a| c.map(|b| a * b)) }`, "numpy.outer(r, c)", 0},
}

// searchSource takes as many steps for each number as the longest array needs.
const searchSource = `fn f(s: &[f64; N], q: &[f64; M]) -> [i64; M] where N: Range<1, 1_000_000_000> {
    q.map(|e| {
        let mut lo = 0;
        let mut hi = N;
        for _ in 0..30 {
            if lo < hi {
                let mid = (lo + hi) / 2;
                if s[mid.clamp_idx()] < e { lo = mid + 1; } else { hi = mid; }
            }
        }
        lo
    })
}`
