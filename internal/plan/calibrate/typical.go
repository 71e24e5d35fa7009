package calibrate

// In: nothing. Out: programs such as people write, in which many classes come together. They say how far off an expected time is, and
// how far what was seen with other arguments carries.

// typical are programs whose launches run once.
func typical() []program {
	return []program{
		{"fn f(x: &[f64; N, N]) -> [f64; N, N] where N: Range<1, 20_000> { let mut a = x; for k in 0..N { for i in k + 1..N { a[i][k] = a[i][k] / (a[k][k] + 9.0); for j in k + 1..N { a[i][j] -= a[i][k] * a[k][j]; } } } a }",
			[]argument{{kind: "f64", n: 160}}, -1},
		{"fn f(x: &[f64; N, N]) -> [f64; N, N] where N: Range<3, 20_000> { let mut a = x; for _ in 0..2 { for i in 1..N - 1 { for j in 1..N - 1 { a[i][j] = 0.25 * (a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j]); } } } a }",
			[]argument{{kind: "f64", n: 300}}, -1},
		{"fn f(x: &[f32; N, N]) -> [f32; N - 2, N - 2] where N: Range<3, 20_000> { (0..N - 2).map(|i| (0..N - 2).map(|j| (x[i][j] + x[i][j + 1] + x[i + 1][j] + x[i + 2][j + 2]) / 4.0)) }",
			[]argument{{kind: "f32", n: 600}}, -1},
		{"fn f(a: &[u8; N], b: &[u8; N]) -> i64 where N: Range<1, 20_000> { let mut d = [[0; N + 1]; N + 1]; for i in 1..N + 1 { for j in 1..N + 1 { let c = if a[i - 1] == b[j - 1] { 0 } else { 1 }; d[i][j] = (d[i - 1][j] + 1).min(d[i][j - 1] + 1).min(d[i - 1][j - 1] + c); } } d[N][N] }",
			[]argument{{kind: "u8", n: 500, below: 4}, {kind: "u8", n: 500, below: 4}}, 0},
		{"fn f(p: &[i64; N]) -> i64 where N: Range<1, 1_000_000> { let mut r = [0; N + 1]; for j in 1..N + 1 { let mut q = 0; for i in 0..j { q = q.max(p[i] + r[j - 1 - i]); } r[j] = q; } r[N] }",
			[]argument{{kind: "i64", n: 1500}}, 0},
		{"fn f(x: &[f64; N, N]) -> [f64; N] where N: Range<1, 20_000> { let mut y = [1.0; N]; for i in 0..N { let mut s = y[i]; for j in 0..i { s -= x[i][j] * y[j]; } y[i] = s / (x[i][i] + 3.0); } y }",
			[]argument{{kind: "f64", n: 600}}, -1},
		{"fn f(d: &[i16; N], m: &[i16; N]) -> [f64; 32] " + ranged + " { d.zip(m).filter(|(d, _)| d > 300).group_by::<32>(|(_, m)| (m / 40).clamp(0, 31)).mean(|(d, _)| d as f64) }",
			[]argument{{kind: "i16", n: some}, {kind: "i16", n: some}}, 0},
		{"fn f(r: &[f64; M], c: &[idx<M>; N]) -> f64 where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { c.map(|i| r[i] * 0.5).sum() }",
			[]argument{{kind: "f64", n: some}, {kind: "u32", n: some, below: some}}, 0},
		{"fn f(x: &[f64; N], k: &[idx<N>; N]) -> [f64; N] " + ranged + " { let mut y = x; for j in 0..N { y[k[j]] += x[j]; } y }",
			[]argument{{kind: "f64", n: some}, {kind: "u32", n: some, below: some}}, 0},
		{"fn f(s: &[i64; N], q: &[i64; M]) -> [i64; M] where N: Range<1, 1_000_000_000> { q.map(|e| { let mut lo = 0; let mut hi = N; for _ in 0..20 { if lo < hi { let mid = (lo + hi) / 2; if s[mid.clamp_idx()] < e { lo = mid + 1; } else { hi = mid; } } } lo }) }",
			[]argument{{kind: "i64", n: some}, {kind: "i64", n: some / 16}}, 0},
		{"fn f(p: &[idx<N>; N], s: &[idx<N>; M]) -> [idx<N>; M] where N: Range<1, 1_000_000_000> { s.map(|a| { let mut at = a; for _ in 0..16 { at = p[at]; } at }) }",
			[]argument{{kind: "u32", n: some, below: some}, {kind: "u32", n: some / 16, below: some}}, 0},
		{"fn f(x: &[i64; N]) -> i64 " + ranged + " { x.map(|v| { let mut a = v; let mut n = 0; for _ in 0..500 { if a <= 1 { break; } a = if a % 2 == 0 { a / 2 } else { a *% 3 +% 1 }; n += 1; } n }).max() }",
			[]argument{{kind: "i64", n: some / 64}}, 0},
		{"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.map(|a| { let mut y = a + 1.0; for _ in 0..60 { let next = 0.5 * (y + a / y); if (next - y).abs() < 1e-9 * next { break; } y = next; } y }) }",
			[]argument{{kind: "f64", n: some / 16}}, 0},
		{"fn f(x: &[f64; N]) -> [f64; N - 9] where N: Range<10, 1_000_000_000> { x.window::<10>().map(|w| { let m = w.mean(); w.map(|e| (e - m) * (e - m)).sum().sqrt() }) }",
			[]argument{{kind: "f64", n: some / 4}}, 0},
		{"fn f(x: &[f32; N]) -> [f32; N - 7] where N: Range<8, 1_000_000_000> { x.window::<8>().map(|w| w.max()) }",
			[]argument{{kind: "f32", n: some}}, 0},
		{"fn f(x: &[f64; N]) -> [f64; ?K <= N] " + ranged + " { x.filter(|e| e > 0.9).map(|e| e.sqrt()) }",
			[]argument{{kind: "f64", n: some}}, 0},
		{"fn f(x: &[f64; N]) -> f64 " + ranged + " { x.map(|v| v.sin() * v.exp()).sum() }",
			[]argument{{kind: "f64", n: some / 4}}, 0},
		{"fn f(x: &[f32; N, 3]) -> [f32; N] " + ranged + " { x.map(|p| (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt()) }",
			[]argument{{kind: "f32", n: some / 2}}, 3},
		{"fn f(x: &[f32; N, 16]) -> [f32; N] where N: Range<8, 1_000_000_000> { x.map(|p| (0..8).map(|k| p.zip(x[k]).map(|(a, b)| (a - b) * (a - b)).sum()).min()) }",
			[]argument{{kind: "f32", n: some / 32}}, 16},
	}
}
