package elaborate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// oneMeaning is a program with arguments and the result that it must have. An
// argument is a list of numbers for each column of the parameter.
type oneMeaning struct {
	name  string
	text  string
	sizes map[string]int64
	args  [][]float64 // one per column
	want  string
}

// TestMeaning runs programs in the interpreter.
func TestMeaning(t *testing.T) {
	for _, c := range meanings {
		t.Run(c.name, func(t *testing.T) {
			if got := c.run(t); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func (c oneMeaning) run(t *testing.T) string {
	t.Helper()
	p, msgs := checkText(c.name+".gw", c.text)
	if err := msgs.Err(); err != nil {
		t.Fatal(err)
	}
	g, err := p.Graph("f")
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Verify(g); err != nil {
		t.Fatalf("%v\n%s", err, graph.Print(g))
	}
	plain := execute(t, g, c)
	if err := graph.Optimize(g, true); err != nil {
		t.Fatal(err)
	}
	if again := execute(t, g, c); again != plain {
		t.Errorf("after the passes it gives %s, before %s", again, plain)
	}
	return plain
}

func execute(t *testing.T, g *graph.Graph, c oneMeaning) string {
	t.Helper()
	at := 0
	var args []*value.Value
	for _, p := range g.Body.Params {
		v, err := value.New(p.Type, func(s string) (int64, bool) { n, ok := c.sizes[s]; return n, ok })
		if err != nil {
			t.Fatal(err)
		}
		for i := range v.Columns {
			col := v.Columns[i]
			for j, x := range c.args[at] {
				if col.Kind.IsFloat() {
					col.Set(int64(j), num.FromFloat(col.Kind, x))
				} else {
					col.Set(int64(j), uint64(int64(x)))
				}
			}
			at++
		}
		args = append(args, v)
	}
	r, fault, err := interp.Run(g, c.sizes, args, interp.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, graph.Print(g))
	}
	if fault != nil {
		s := g.Sites[fault.Site]
		line, col := g.Source.Position(s.Pos.Start)
		return fmt.Sprintf("fault: %s at %d:%d, index %d", s.Text, line, col, fault.Index)
	}
	return columns(r)
}

func columns(v *value.Value) string {
	var parts []string
	for _, c := range v.Columns {
		var elems []string
		for i := range c.Len() {
			elems = append(elems, strings.TrimSuffix(column.Text(c.Kind, c.At(i)), ".0"))
		}
		parts = append(parts, strings.Join(elems, " "))
	}
	return strings.Join(parts, " | ")
}

var meanings = []oneMeaning{
	{"sum", "fn f(v: &[f32]) -> f32 { v.sum() }", map[string]int64{"len(v)": 3}, [][]float64{{1, 2, 3.5}}, "6.5"},
	{"literals", "fn f(x: i16) -> i16 { 2 * x + 3 - (1 + 1) * x }", nil, [][]float64{{100}}, "3"},
	{"methods of elements", "fn f(x: &[f32; N, 2], n: &[i64; N]) -> ([f32; N, 2], [i64; N], [bool; N, 2], i64) { (x.abs().sqrt(), n.clamp(0, n.max()).abs(), (x / x).is_nan(), n.filter(|e| e != 0).sign().sum()) }", map[string]int64{"N": 3}, [][]float64{{4, -9, 0, 16, 1, 25}, {-3, 0, 7}}, "2 3 0 4 1 5 | 0 0 7 | false false true false false false | 0"},
	{"signs", "fn f(x: &[f64; N], n: &[i8; N], u: &[u8; N]) -> ([f64; N], [i8; N], [u8; N]) { (x.sign(), n.sign(), u.sign()) }", map[string]int64{"N": 3}, [][]float64{{-2.5, 0, 9}, {-128, 0, 5}, {255, 0, 1}}, "-1 0 1 | -1 0 1 | 1 0 1"},
	{"literals of elements", "fn f(n: i64) -> [f32; 2] { [0.25; 2].sqrt() }", nil, [][]float64{{0}}, "0.5 0.5"},
	{"flatten", "fn f(x: &[i64; N, 3]) -> ([i64; N * 3], [[i64; 2]; 6 * N], [i64; N, 3]) { (x.flatten(), x.map(|r| r.map(|e| [e, -e])).flatten().flatten().reshape::<6 * N / 2, 2>().flatten().reshape::<N * 3, 2>().map(|p| [p, p]).flatten(), x.flatten().reshape()) }", map[string]int64{"N": 2}, [][]float64{{1, 2, 3, 4, 5, 6}}, "1 2 3 4 5 6 | 1 -1 1 -1 2 -2 2 -2 3 -3 3 -3 4 -4 4 -4 5 -5 5 -5 6 -6 6 -6 | 1 2 3 4 5 6"},
	{"reshape", "fn f(x: &[i64; N, M]) -> ([i64; M, N], [i64; N, 1, M]) { (x.reshape(), x.reshape()) }", map[string]int64{"N": 2, "M": 3}, [][]float64{{1, 2, 3, 4, 5, 6}}, "1 2 3 4 5 6 | 1 2 3 4 5 6"},
	{"rows known at run time", "fn f(x: &[i64; N, M]) -> i64 where M >= 1 { x.filter(|r| r[0] > 1).flatten().fold(0, |a, e| 10 *% a +% e) }", map[string]int64{"N": 3, "M": 2}, [][]float64{{1, 2, 3, 4, 5, 6}}, "3456"},
	{"flat walk", "fn f(x: &[i64; N, M]) -> (i64, [i64; N * M]) { let mut s = 0; let n = N * M; for t in 0..n { s = 10 *% s +% x[t / M][t % M]; } (s, (0..n).map(|t| x[N - 1 - t / M][t % M])) }", map[string]int64{"N": 2, "M": 3}, [][]float64{{1, 2, 3, 4, 5, 6}}, "123456 | 4 5 6 1 2 3"},
	{"flat index", "fn f(x: &[i64; N * M], d: i64) -> [i64; N, M] { (0..N).map(|i| (0..M).map(|j| if d > 1 { x[i * M + j] % d } else { 0 })) }", map[string]int64{"N": 2, "M": 3}, [][]float64{{1, 2, 3, 4, 5, 6}, {4}}, "1 2 3 0 1 2"},
	{"strides", `fn f(x: &[i64; N], k: i64, a: i64, b: i64) -> (i64, [i64; (N + 1) / 2], [i64; ?M <= N], i64, i64, i64)
where k: Range<1, 4_000_000_000_000_000_000>, a: Range<-5, 50>, b: Range<-5, 50>
{
    let mut s = 0;
    for i in (0..N).step(3) { s = 10 *% s +% x[i]; }
    let mut t = 0;
    for i in (1..N).step(k) { t = 10 *% t +% x[i]; }
    let mut u = 0;
    for i in (a..b).step(4) { u = 10 *% u +% x.get(i).or(9); }
    (s, (0..N).step(2).map(|i| x[i]), (0..N).step(k).map(|i| x[i]), t, u, (2..N + 2).step(k).map(|i| x[i - 2]).fold(0, |a, e| 10 *% a +% e))
}`, map[string]int64{"N": 7, "?M": 0}, [][]float64{{1, 2, 3, 4, 5, 6, 7}, {3}, {-2}, {8}}, "147 | 1 3 5 7 | 1 4 7 | 25 | 937 | 147"},
	{"long strides", "fn f<N: Size>(k: i64) -> (i64, i64, i64, i64) where k: Range<1, 4_000_000_000_000_000_000> { let s = (0..N).step(k); let mut t = 0; for i in (0..N).step(k) { t += 1; } for i in (N..3).step(k) { t += 10; } (s.len(), s.sum(), (5..N + 5).step(k).sum(), t) }", map[string]int64{"N": 4}, [][]float64{{4e18}}, "1 | 0 | 5 | 1"},
	{"no strides", "fn f<N: Size>(k: i64) -> (i64, i64, i64) where k: Range<1, 9> { let s = (0..N).step(k); let mut t = 0; for i in (0..N).step(k) { t += 1; } (s.len(), (0..N).step(4).len(), t) }", map[string]int64{"N": 0}, [][]float64{{1}}, "0 | 0 | 0"},
	{"blocks", "fn f(x: &[i64; 4 * K, M]) -> i64 { let mut s = 0; for i in (0..4 * K).step(4) { for j in (0..M).step(2) { for l in j..(j + 2).min(M) { s = 3 *% s +% x[i][l] *% x[i + 3][l]; } } } s }", map[string]int64{"K": 1, "M": 3}, [][]float64{{1, 2, 3, 0, 0, 0, 0, 0, 0, 4, 5, 6}}, "84"},
	{"a chain of run-time sizes", "fn f(x: &[i64; N], y: &[i64; M]) -> [(i64, i64); ?K <= N] where N >= 1, M >= 1 { x.filter(|v| v > 0).window::<2>().map(|w| w.max()).zip_short(y) }", map[string]int64{"N": 4, "M": 2}, [][]float64{{5, -1, 3, 8}, {1, 2}}, "5 8 | 1 2"},
	{"zip_short", "fn f(x: &[i64; N], y: &[i64; M], z: &[i64; N + 1]) -> ([(i64, i64); ?K <= M], [(i64, i64); ?L <= N], [(i64, i64); N], i64) where N >= 2 { (x.zip_short(y), y.zip_short(x), z.zip_short(x), x.take::<2>().zip_short(x).map(|(a, b)| a * b).sum()) }", map[string]int64{"N": 3, "M": 2}, [][]float64{{1, 2, 3}, {4, 5}, {6, 7, 8, 9}}, "1 2 | 4 5 | 4 5 | 1 2 | 6 7 8 | 1 2 3 | 5"},
	{"few for a window", "fn f(x: &[i64; N], k: i64) -> ([i64; ?K <= N], i64, [[i64; 2]; ?L <= N], [i64; ?M <= N]) { let some = x.take(k); (some.window::<3>().map(|w| w.sum()), some.window::<1>().len(), x.filter(|e| e > 1).window::<2>(), some.window::<9>().map(|w| w[8])) }", map[string]int64{"N": 4}, [][]float64{{1, 2, 3, 4}, {2}}, " | 2 | 2 3 3 4 | "},
	{"map of an Option", "fn f(x: &[i64; N], k: i64) -> (Option<i64>, f32, Option<[i64; 2]>) { (x.get(k).map(|e| 100 / e), x.get(1).map(|e| 0.5).or(2.0), x.get(2).map(|e| [e, x.get(k).map(|d| d + e).or(7)])) }", map[string]int64{"N": 3}, [][]float64{{0, 2, 3}, {-1}}, "false | 0 | 0.5 | true | 3 7"},
	{"map of an Option faults", "fn f(x: &[i64; N]) -> Option<i64> { x.get(0).map(|e| 100 / e) }", map[string]int64{"N": 3}, [][]float64{{0, 2, 3}}, "fault: division by zero at 1:58, index -1"},
	{"constants inside", "fn f(x: &[i64; N], n: i8) -> ([i64; 6], i64, i8) { const K = 2 * 3 - 1; const WIDTH: i64 = K + 1; const ODD: bool = K % 2 == 1; const LEAST: i8 = -100; let y = [K; WIDTH]; (y, if ODD { x.map(|e| e *% K).sum() } else { 0 }, n.max(LEAST)) }", map[string]int64{"N": 2}, [][]float64{{1, 2}, {-128}}, "5 5 5 5 5 5 | 15 | -100"},
	{"stencil", "fn f(x: &[i64; N]) -> i64 { let mut s = 0; for i in 0..N - 1 { s = s + x[i + 1] * x[i]; } s }", map[string]int64{"N": 4}, [][]float64{{1, 2, 3, 4}}, "20"},
	{"update", "fn f(x: &[i64; N]) -> ([i64; N], [i64; N]) where N >= 2 { let mut a = x; let b = a; a[1] = a[0] + a[1]; a[0] -= a[1]; (a, b) }", map[string]int64{"N": 3}, [][]float64{{5, 7, 9}}, "-7 12 9 | 5 7 9"},
	{"update rows", "fn f(x: &[[i64; 2]; N]) -> [[i64; 2]; N] where N >= 2 { let mut a = x; a[0] = a[1]; a[1][0] *= 10; a[1] += 1; a }", map[string]int64{"N": 2}, [][]float64{{1, 2, 3, 4}}, "3 4 31 5"},
	{"update fields", "record P { x: i64, y: [i64; 3] } fn f(n: i64) -> P where n: Range<0, 9> { let mut p = P { x: n, y: [1, 2, 3] }; p.y[1] = 8; p.x += 1; let mut q = [p, p]; q[1].y[2] = 6; q[1].x = 0; p = q[1]; q[1].x = 7; p }", nil, [][]float64{{4}}, "0 | 1 8 6"},
	{"update in a loop", "fn f(k: &[idx<N>; M]) -> [i64; N] where N >= 1 { let mut x = [0; N]; for i in k { if i > 0 { x[i] += 1; if x[i] > 2 { break; } } } x }", map[string]int64{"N": 3, "M": 7}, [][]float64{{0, 1, 2, 1, 1, 2, 2}}, "0 3 1"},
	{"update faults", "fn f(x: &[i8; N]) -> [i8; N] where N >= 1 { let mut a = x; for i in 0..N { a[i] += 1; a[0] = 100 / a[i]; } a }", map[string]int64{"N": 3}, [][]float64{{1, 127, -1}}, "fault: i8 addition at 1:76, index 1"},
	{"flat", "fn f(x: &[i64; N * D]) -> [i64; N] { (0..N).map(|i| { let mut s = 0; for j in 0..D { s = s +% x[i * D + j]; } s }) }", map[string]int64{"N": 2, "D": 3}, [][]float64{{1, 2, 3, 4, 5, 6}}, "6 15"},
	{"break", "fn f(x: &[i64; N], stop: i64) -> (i64, i64) { let mut s = 0; let mut k = 0; for e in x { if e == stop { break; } s = s + e; k = k + 1; } (s, k) }", map[string]int64{"N": 5}, [][]float64{{1, 2, 3, 4, 5}, {4}}, "6 | 3"},
	{"break deep", `fn f(n: i64) -> (i64, i64)
where n: Range<0, 100>
{
    let mut a = 0;
    let mut b = 0;
    for i in 0..n {
        if i % 2 == 1 {
            a = a + 10;
            if i > 4 { b = b + 1; break; }
            a = a + 100;
        } else {
            b = b + 1000;
        }
        b = b + 10000;
    }
    (a, b)
}`, nil, [][]float64{{50}}, "230 | 53001"},
	{"nested loops", "fn f(n: i64) -> i64 where n: Range<0, 9> { let mut s = 0; for i in 0..n { for j in 0..i { if j == 3 { break; } s = s + 1; } } s }", nil, [][]float64{{6}}, "12"},
	{"filter chain", "fn f(x: &[i64; N]) -> ([i64; ?M <= N], i64, f64) { let y = x.filter(|e| e > 2).map(|e| e * e).filter(|e| e < 30); (y, y.count(), y.mean()) }", map[string]int64{"N": 6}, [][]float64{{1, 2, 3, 4, 5, 6}}, "9 16 25 | 3 | 16.666666666666668"},
	{"one mask", "fn f(x: &[i64; N]) -> i64 { let y = x.filter(|e| e > 2); let z = y.map(|e| e * 10); y.zip(z).map(|(a, b)| a * b).sum() + z[0.clamp_idx()] }", map[string]int64{"N": 4}, [][]float64{{1, 2, 3, 4}}, "280"},
	{"len of a filter", "fn f(x: &[i64; N]) -> i64 { let y = x.filter(|e| e % 2 == 0); let mut s = x.filter(|e| e > 2).len(); for i in 0..y.len() { s = s + y[i]; } s }", map[string]int64{"N": 5}, [][]float64{{1, 2, 3, 4, 5}}, "9"},
	{"groups", `record R { k: u8, v: f32 }
fn f(x: &[R; N]) -> ([f32; 3], [f32; 3], [i64; 3], [f32; 3])
{
    let g = x.group_by::<3>(|r| r.k);
    (g.sum(|r| r.v), g.mean(|r| r.v), g.count(), g.max(|r| r.v))
}`, map[string]int64{"N": 4}, [][]float64{{0, 2, 0, 2}, {1, 2, 4, 8}}, "5 -0 10 | 2.5 NaN 5 | 2 0 2 | 4 -inf 8"},
	{"key outside", "fn f(x: &[i32; N]) -> [i64; 4] { x.histogram::<4>() }", map[string]int64{"N": 4}, [][]float64{{0, 3, 4, 9}}, "fault: key outside 0..4 at 1:34, index 2"},
	{"masked groups", "fn f(x: &[i64; N]) -> [i64; 3] { x.filter(|e| e != 4).group_by::<3>(|e| e % 3).sum() }", map[string]int64{"N": 6}, [][]float64{{1, 2, 3, 4, 5, 6}}, "9 1 7"},
	{"inline", `fn norm(v: &[f64; D]) -> f64 { v.dot(v).sqrt() }
fn f(x: &[f64; N, D]) -> [f64; N] { x.map(|r| norm(r)) }`, map[string]int64{"N": 2, "D": 2}, [][]float64{{3, 4, 6, 8}}, "5 10"},
	{"generic", "fn twice<T: Num>(x: T) -> T { x + x }\nfn f(a: f32, b: u8) -> (f32, u8) { (twice(a), twice(b)) }", nil, [][]float64{{1.5}, {100}}, "3 | 200"},
	{"fault in a callee", "fn twice<T: Num>(x: T) -> T { x + x }\nfn f(v: &[u8; N]) -> [u8; N] { v.map(|e| twice(e)) }", map[string]int64{"N": 3}, [][]float64{{100, 200, 201}}, "fault: u8 addition at 1:33, index 1"},
	{"sizes of calls", "fn pairs(v: &[f64; M + 1]) -> [f64; M] { (0..M).map(|i| v[i + 1] - v[i]) }\nfn f(v: &[f64; N]) -> [f64; N - 1] where N >= 1 { pairs(v) }", map[string]int64{"N": 4}, [][]float64{{1, 4, 9, 16}}, "3 5 7"},
	{"equal sizes", "fn f(a: &[f64; N], b: &[f64; M]) -> [f64; N] where N == M { a + b * 2.0 }", map[string]int64{"N": 2}, [][]float64{{1, 2}, {10, 20}}, "21 42"},
	{"matmul", "fn f(a: &[f64; N, M], b: &[f64; M, P]) -> [f64; N, P] { a.matmul(b) }", map[string]int64{"N": 2, "M": 2, "P": 3}, [][]float64{{1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}}, "9 12 15 19 26 33"},
	{"matrix by vector", "fn f(a: &[f32; N, M], b: &[f32; M]) -> [f32; N] { a.matmul(b) }", map[string]int64{"N": 2, "M": 2}, [][]float64{{1, 2, 3, 4}, {5, 6}}, "17 39"},
	{"transpose", "fn f(a: &[i32; N, M]) -> [i32; M, N] { a.transpose() }", map[string]int64{"N": 2, "M": 3}, [][]float64{{1, 2, 3, 4, 5, 6}}, "1 4 2 5 3 6"},
	{"window", "fn f(a: &[i64; N]) -> [i64; N - 2] where N: Range<3, 100> { a.window::<3>().map(|w| w.sum()) }", map[string]int64{"N": 5}, [][]float64{{1, 2, 3, 4, 5}}, "6 9 12"},
	{"chunk", "fn f(a: &[i64; N]) -> [i64; N / 2] { a.chunk::<2>().map(|w| w[0] * w[1]) }", map[string]int64{"N": 5}, [][]float64{{1, 2, 3, 4, 5}}, "2 12"},
	{"take", "fn f(a: &[i64; N], n: i64) -> ([i64; ?A <= N], [i64; 2], [i64; ?B <= 4]) where N >= 2 { (a.take(n), a.take::<2>(), a.take::<4>()) }", map[string]int64{"N": 3}, [][]float64{{7, 8, 9}, {-2}}, " | 7 8 | 7 8 9"},
	{"concat", "fn f(a: &[i64; N], b: &[i64; M]) -> [i64; N + M] { concat(a, b).reverse() }", map[string]int64{"N": 2, "M": 0}, [][]float64{{7, 8}, {}}, "8 7"},
	{"array literals", "fn f(x: i32) -> ([i32; 3], [f32; 2, 2], [i32; 1]) { ([1, x, 3], [[1.0; 2], [2.5; 2]], [x]) }", nil, [][]float64{{9}}, "1 9 3 | 1 1 2.5 2.5 | 9"},
	{"sort", "fn f(x: &[f32; N]) -> ([f32; N], [f32; N], [f32; 2]) where N >= 2 { (x.sort(), x.sort_desc(|e| e.abs()), x.top_k::<2>()) }", map[string]int64{"N": 3}, [][]float64{{2, -5, 3}}, "-5 2 3 | -5 3 2 | 3 2"},
	{"argmin", "fn f(x: &[f32; N]) -> (idx<N>, idx<N>) { (x.argmin(), x.argmax(|e| e * e)) }", map[string]int64{"N": 3}, [][]float64{{2, -5, 3}}, "1 | 1"},
	{"empty minimum", "fn f(x: &[i32; N]) -> i32 { x.filter(|e| e > 5).min() }", map[string]int64{"N": 2}, [][]float64{{1, 2}}, "fault: minimum of nothing at 1:29, index -1"},
	{"scan", "fn f(x: &[i32; N]) -> [i64; N] { x.scan(0, |a, e| a + e as i64) }", map[string]int64{"N": 3}, [][]float64{{1, 2, 3}}, "1 3 6"},
	{"fold start", "fn f(x: &[f32; N]) -> (f32, f32, f64) { let (s, q) = x.fold((0.0, 1.0), |(s, q), e| (s + e, q * e)); (s, q, x.fold(0.0, |a, e| a + e as f64)) }", map[string]int64{"N": 3}, [][]float64{{1, 2, 4}}, "7 | 8 | 7"},
	{"lawful", "fn f(x: &[u8; N]) -> (u8, u8, bool) { (x.fold(0, |a, e| a +% e), x.fold(255, |a, e| a.min(e)), x.fold(true, |a, e| a && e > 3)) }", map[string]int64{"N": 3}, [][]float64{{200, 100, 5}}, "49 | 5 | true"},
	{"get", "fn f(x: &[i64; N], i: u64) -> (i64, bool) { (x.get(i).or(-1), x.get(i).is_some()) }", map[string]int64{"N": 3}, [][]float64{{5, 6, 7}, {-1}}, "-1 | false"},
	{"match", "fn f(x: &[i64; N], i: i64) -> i64 { match x.get(i) { Some(v) => match v { 5 | 6 => 1, -7 => 2, w => w }, None => -1 } }", map[string]int64{"N": 3}, [][]float64{{5, -7, 9}, {1}}, "2"},
	{"match bool", "fn f(x: i64) -> i64 { let mut y = 0; match x > 3 { true => { y = x; } false => {} } y }", nil, [][]float64{{7}}, "7"},
	{"wrap", "fn f(x: &[i64; N], i: i64) -> (i64, i64) { (x[i.wrap_idx()], x[i.clamp_idx()]) }", map[string]int64{"N": 3}, [][]float64{{5, 6, 7}, {-1}}, "7 | 5"},
	{"scatter", "fn f(d: &[i64; N], i: &[idx<N>; M], v: &[i64; M]) -> [i64; N] { d.scatter_with(i, v, |old, new| old + new) }", map[string]int64{"N": 3, "M": 3}, [][]float64{{1, 1, 1}, {2, 0, 2}, {10, 20, 30}}, "21 1 41"},
	{"gather", "fn f(d: &[i64; N], i: &[idx<N>; M]) -> [i64; M] { d.gather(i) }", map[string]int64{"N": 3, "M": 2}, [][]float64{{4, 5, 6}, {2, 0}}, "6 4"},
	{"short circuit", "fn f(a: i64, b: i64) -> (bool, bool) { (b != 0 && a / b > 1, b == 0 || a % b == 0) }", nil, [][]float64{{4}, {0}}, "false | true"},
	{"strict", "fn f(a: i64) -> i64 { let unused = 1 / a; 3 }", nil, [][]float64{{0}}, "fault: division by zero at 1:38, index -1"},
	{"statement if", "fn f(a: i64) -> i64 { if a > 5 { let b = 10 / (a - a); } 3 }", nil, [][]float64{{9}}, "fault: division by zero at 1:45, index -1"},
	{"array sums", "fn f(x: &[f32; N, D]) -> ([f32; D], [f32; D]) { (x.sum(), x.mean()) }", map[string]int64{"N": 2, "D": 3}, [][]float64{{1, 2, 3, 5, 6, 7}}, "6 8 10 | 3 4 5"},
	{"integer sums", "fn f(x: &[i8; N], y: &[u32; N], i: &[idx<N>; N]) -> (i64, u64, i64, f64) { (x.sum(), y.sum(), i.sum(), x.mean()) }", map[string]int64{"N": 3}, [][]float64{{100, 100, -1}, {4e9, 4e9, 4e9}, {0, 1, 2}}, "199 | 12000000000 | 3 | 66.33333333333333"},
	{"product", "fn f(x: &[i8; N], y: &[f32; N]) -> (i64, f32) { (x.product(), y.product()) }", map[string]int64{"N": 3}, [][]float64{{100, 100, -1}, {2, 3, 4}}, "-10000 | 24"},
	{"casts", "fn f(x: f64) -> (i8, u16, i64) { (x as i8, x as u16, (x as i64) * 2) }", nil, [][]float64{{100.9}}, "100 | 100 | 200"},
	{"bad cast", "fn f(x: &[f64; N]) -> [i8; N] { x.map(|e| e as i8) }", map[string]int64{"N": 2}, [][]float64{{1, 300}}, "fault: conversion of f64 to i8 at 1:43, index 1"},
	{"records", "record P { x: f32, n: (i64, bool) }\nfn f(a: &[P; N]) -> [P; N] { a.map(|p| P { n: (p.n.0 + 1, !p.n.1), x: -p.x }) }", map[string]int64{"N": 1}, [][]float64{{2}, {5}, {1}}, "-2 | 6 | false"},
	{"modules", "mod a { const K = 3; pub fn g(x: i64) -> i64 { x * K + b::h(x) } mod b { pub fn h(x: i64) -> i64 { x + K } } }\nuse a::g as gg;\nfn f(x: i64) -> i64 { gg(x) }", nil, [][]float64{{2}}, "11"},
	{"constants", "const W = 2 * 2;\nconst HALF: f32 = 1.0 / 2.0;\nfn f(x: &[f32; W]) -> [f32; W + 1] { let y = x * HALF; (0..W + 1).map(|i| y[i.min(W - 1).clamp_idx()]) }", nil, [][]float64{{2, 4, 6, 8}}, "1 2 3 4 4"},
	{"size generic", "fn f<K: Size>(x: f32) -> [f32; K] { [x; K] }", map[string]int64{"K": 2}, [][]float64{{2}}, "2 2"},
	{"shadowing", "fn f(x: i64) -> i64 { let y = x; let y = y + 1; { let y = 100; } y }", nil, [][]float64{{2}}, "3"},
	{"index ladder", "fn f(x: &[i64; N]) -> i64 where N: Range<4, 10> { x[0] + x[3] + x[1 + 1] + (1..4).map(|i| x[i]).sum() }", map[string]int64{"N": 4}, [][]float64{{1, 2, 3, 4}}, "17"},
	{"if in closure", "fn f(x: &[i64; N]) -> [i64; N] { x.map(|e| if e > 2 { let mut k = e; k = k * 2; k } else if e == 0 { -1 } else { 0 }) }", map[string]int64{"N": 3}, [][]float64{{3, 0, 1}}, "6 -1 0"},
	{"negate array", "fn f(x: &[f32; N, 2]) -> [f32; N, 2] { -x * 2.0 + x }", map[string]int64{"N": 1}, [][]float64{{1, -2}}, "-1 2"},
	{"softmax", "fn f(x: &[f64; N]) -> [f64; N] { x.softmax().map(|e| (e * 100.0).round()) }", map[string]int64{"N": 2}, [][]float64{{1000, 1000}}, "50 50"},
	{"option map", "fn f(x: &[Option<f32>; N]) -> f32 { x.map(|o| o.or(10.0)).sum() }", map[string]int64{"N": 2}, [][]float64{{1, 0}, {5, 7}}, "15"},
	{"zip loop", "fn f(x: &[f64; N], y: &[f64; N]) -> f64 { let mut s = 0.0; for (i, (a, b)) in x.zip(y).enumerate() { s += a * b * i as f64; } s }", map[string]int64{"N": 3}, [][]float64{{1, 2, 3}, {4, 5, 6}}, "46"},
	{"range of values", "fn f(lo: i32, hi: i32) -> i64 where lo: Range<-5, 5>, hi: Range<0, 50> { let mut s = 0; for i in lo..hi { s = s + i; } s }", nil, [][]float64{{-2}, {4}}, "3"},
	{"enumerate", "fn f(x: &[i64; N]) -> [i64; N] { x.enumerate().map(|(i, e)| e * i) }", map[string]int64{"N": 3}, [][]float64{{3, 4, 5}}, "0 4 10"},
	{"run-time sizes in loops", "fn f(x: &[i64; N]) -> i64 { let y = x.filter(|e| e > 1); let mut z = y; for _ in 0..3 { z = z.map(|e| e * 2); } z.sum() }", map[string]int64{"N": 3}, [][]float64{{1, 2, 3}}, "40"},
	{"compact once", "fn f(x: &[i64; N]) -> [i64; N] { let y = x.filter(|e| e > 1); x.map(|e| y.get(e - 1).or(0)) }", map[string]int64{"N": 3}, [][]float64{{1, 2, 3}}, "2 3 0"},
	{"callee masks", "fn big(x: &[i64; N]) -> [i64; ?M <= N] { x.filter(|e| e > 1) }\nfn f(x: &[i64; N]) -> (i64, [i64; ?M <= N]) { let y = big(x); (y.sum(), big(y)) }", map[string]int64{"N": 3}, [][]float64{{1, 2, 3}}, "5 | 2 3"},
	{"dyn parameter", "fn g(x: &[i64; ?M <= 8]) -> i64 { x.sum() + M }\nfn f(x: &[i64; 8]) -> i64 { g(x.filter(|e| e > 6)) + g(x) }", nil, [][]float64{{1, 2, 3, 4, 5, 6, 7, 8}}, "61"},
	{"powi", "fn f(x: f64) -> (f64, f64) { (x.powi::<5>(), x.powi::<0>()) }", nil, [][]float64{{2}}, "32 | 1"},
	{"none beside some", "fn f(x: &[f32; N], i: i64) -> (f32, f32) { let a = if i > 1 { None } else { Some(x[0.clamp_idx()]) }; let b = if i > 1 { None } else { x.get(i) }; (a.or(-1.0), b.or(-2.0)) }", map[string]int64{"N": 2}, [][]float64{{3, 4}, {1}}, "3 | 4"},
	{"literals beside values", "fn f(c: bool, x: f32, n: u8) -> ((f32, u8), f32, u8, [f32; 2]) { (if c { (0.0, 1) } else { (x, n) }, if c { 1.5 } else if !c { x } else { 2.5 }, match n { 0 => 7, 1 => n, _ => 9 }, if c { [0.0; 2] } else { [x, x] }) }", nil, [][]float64{{1}, {3}, {2}}, "0 | 1 | 1.5 | 9 | 0 0"},
	{"array of indices", "fn f(x: &[i64; N], i: idx<N>) -> [i64; 2] where N >= 1 { x.gather([i, 0]) }", map[string]int64{"N": 3}, [][]float64{{5, 6, 7}, {2}}, "7 5"},
	{"loop over a literal", "fn f(x: i64) -> i64 { let mut s = x; for e in [1, 2, 3] { s += e * s; } s }", nil, [][]float64{{1}}, "24"},
	{"sum::<fast>", "fn f(x: &[f32; N]) -> f32 { x.sum::<fast>() }", map[string]int64{"N": 2}, [][]float64{{1, 2}}, "3"},
	{"range as an array", "fn f(x: &[i64; N]) -> (i64, [i64; N]) { ((0..N).filter(|i| i % 2 == 0).count(), (0..N).zip(x).map(|(i, e)| i + e)) }", map[string]int64{"N": 3}, [][]float64{{5, 6, 7}}, "2 | 5 7 9"},
	{"grouped use", "mod m { pub fn a(x: i64) -> i64 { x + 1 } pub fn b(x: i64) -> i64 { x * 2 } pub record R { v: i64 } pub const C = 10; }\nuse m::{a, b as c, R, C};\nfn f(x: i64) -> i64 { let r = R { v: a(c(x)) }; r.v + C + m::C }", nil, [][]float64{{2}}, "25"},
	{"turbofish", "fn g<T: Num, K: Size>(x: T) -> [T; K] { [x; K] }\nfn f(x: u8) -> [u8; 2] { g::<u8, 2>(x) }", nil, [][]float64{{2}}, "2 2"},
	{"nested folds", "fn f(x: &[f32; N, M]) -> f32 { x.fold(0.0, |a, r| a + r.fold(1.0, |b, e| b * e)) }", map[string]int64{"N": 2, "M": 2}, [][]float64{{1, 2, 3, 4}}, "14"},
	{"quotients of sizes", "fn f(x: &[f32; N]) -> [f32; N / 2] { (0..N / 2).map(|i| x[i * 2] + x[i * 2 + 1]) }", map[string]int64{"N": 5}, [][]float64{{1, 2, 3, 4, 5}}, "3 7"},
	{"blocks", "fn f(x: &[f32; B * 4]) -> [f32; B] { (0..B).map(|b| { let mut s = 0.0f32; for j in 0..4 { s += x[b * 4 + j]; } s }) }", map[string]int64{"B": 2}, [][]float64{{1, 2, 3, 4, 5, 6, 7, 8}}, "10 26"},
	{"two sizes of a call", "fn pad(a: &[i64; P], b: &[i64; P * 2]) -> i64 where P > 0 { a.sum() + b[P + P - 1] }\nfn f(a: &[i64; N], b: &[i64; N + N]) -> i64 where N >= 1 { pad(a, b) }", map[string]int64{"N": 2}, [][]float64{{1, 2}, {3, 4, 5, 6}}, "9"},
	{"chained calls", "fn g(x: &[i64; N]) -> i64 where N >= 2 { x[1] }\nfn h(x: &[i64; M + 1]) -> i64 where M >= 3 { g(x) + x[M] }\nfn f(x: &[i64; K, L]) -> i64 where K >= 1, L >= 4 { h(x[0]) }", map[string]int64{"K": 1, "L": 4}, [][]float64{{1, 2, 3, 4}}, "6"},
	{"u64 indices", "fn f(x: &[i64; N], i: u64) -> (i64, i64, i64) { (x[i.clamp_idx()], x[i.wrap_idx()], x.histogram::<8>(|e| e)[7]) }", map[string]int64{"N": 3}, [][]float64{{5, 6, 7}, {-1}}, "7 | 5 | 1"},
	{"match in a loop", "fn f(x: &[i64; N]) -> i64 { let mut s = 0; for e in x { match e { 1 => { s += 10; } 2 => { break; } _ => { s += 1; } } } s }", map[string]int64{"N": 4}, [][]float64{{1, 5, 2, 1}}, "11"},
	{"tuple variables", "fn f(n: i64) -> (i64, i64) where n: Range<0, 90> { let (mut a, mut b) = (0, 1); for _ in 0..n { let c = a + b; a = b; b = c; } (a, b) }", nil, [][]float64{{10}}, "55 | 89"},
	{"masked top", "fn f(x: &[f32; N]) -> ([f32; ?M <= 2], idx<N>) { (x.filter(|e| e < 9.0).top_k::<2>(), x.argmax()) }", map[string]int64{"N": 4}, [][]float64{{1, 10, 5, 3}}, "5 3 | 1"},
	{"index sizes", "fn f(x: &[f32; N], i: &[idx<N>; M]) -> [i64; M] { i.map(|k| (k + 1) * 2 - k.min(3)) }", map[string]int64{"N": 9, "M": 2}, [][]float64{{}, {8, 1}}, "15 3"},
	{"fused", "#[fused]\nfn f(x: f64, c: f64) -> (f64, f64, f64, f64, f64) { (x * x - c, -c + x * x, c - x * x, (x * x) - c, x * x - x * x) }", nil, [][]float64{{tiny}, {square}}, "8.673617379884035e-19 | 8.673617379884035e-19 | -8.673617379884035e-19 | 8.673617379884035e-19 | -8.673617379884035e-19"},
	{"not fused", "fn f(x: f64, c: f64) -> (f64, f64, f64) { (x * x - c, -c + x * x, c - x * x) }", nil, [][]float64{{tiny}, {square}}, "0 | 0 | 0"},
	{"fused by text", "fn sq(x: f64) -> f64 { x * x }\n#[fused]\nfn g(x: f64, c: f64) -> f64 { x * x - c }\n#[fused]\nfn h(x: f64, c: f64) -> (f64, f64) { let p = x * x; (p - c, sq(x) - c) }\nfn f(x: f64, c: f64) -> (f64, (f64, f64), f64) { (g(x, c), h(x, c), x * x - c) }", nil, [][]float64{{tiny}, {square}}, "8.673617379884035e-19 | 0 | 0 | 0"},
	{"fused update", "#[fused]\nfn f(x: f64, c: f64) -> (f64, f64) { let mut s = -c; s += x * x; let mut t = [c; 2]; t[1] -= x * x; (s, t[1]) }", nil, [][]float64{{tiny}, {square}}, "8.673617379884035e-19 | -8.673617379884035e-19"},
	{"fused arrays", "#[fused]\nfn f(x: &[f64; N], c: &[f64; N], k: f64) -> ([f64; N], [f64; N], [f64; N], [f64; N, 1]) { (x * x - c, c - x * k, k * k - c, [[k; 1]; N] * x - c) }", map[string]int64{"N": 1}, [][]float64{{tiny}, {square}, {tiny}}, "8.673617379884035e-19 | -8.673617379884035e-19 | 8.673617379884035e-19 | 8.673617379884035e-19"},
	{"fused folds", "#[fused]\nfn f(x: &[f64; N], y: &[f64; N]) -> (f64, f64, f64, f64, [f64; 1], f64, f64) where N: Range<17, 17> { (x.dot(y), (x * y).sum(), x.zip(y).filter(|(a, b)| a != 7.0).map(|(a, b)| { let c = a; c * b }).sum(), x.zip(y).fold(0.0, |s, (a, b)| s + a * b), [x; 1].matmul(y), x.zip(y).mean(|(a, b)| a * b) * 17.0, x.zip(y).fold(0.0, |s, (a, b)| s - a * b)) }", map[string]int64{"N": 17}, [][]float64{seventeen(-square, tiny), seventeen(1, tiny)}, "8.673617379884035e-19 | 8.673617379884035e-19 | 8.673617379884035e-19 | 8.673617379884035e-19 | 8.673617379884035e-19 | 8.673617379884035e-19 | -8.673617379884035e-19"},
	{"folds not fused", "fn f(x: &[f64; N], y: &[f64; N]) -> (f64, f64, f64) where N: Range<17, 17> { (x.dot(y), (x * y).sum(), x.zip(y).fold(0.0, |s, (a, b)| s + a * b)) }", map[string]int64{"N": 17}, [][]float64{seventeen(-square, tiny), seventeen(1, tiny)}, "0 | 0 | 0"},
	{"integers in a fused function", "#[fused]\nfn f(x: &[i64; N], y: u8) -> (i64, i64, u8) { ((x * x).sum(), x[0.clamp_idx()] * 2 - 1, y * 2 + 1) }", map[string]int64{"N": 2}, [][]float64{{3, 4}, {5}}, "25 | 5 | 11"},
}

// square is tiny² but for its last part, which only one rounding keeps.
const tiny, square = 1 + 1.0/(1<<30), 1 + 1.0/(1<<29)

// seventeen has two values in the first of 16 lanes, and zeros.
func seventeen(first, last float64) []float64 {
	v := make([]float64, 17)
	v[0], v[16] = first, last
	return v
}
