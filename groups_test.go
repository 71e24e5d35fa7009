package godwit_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// engines are those that this machine has, with a runtime for them.
func enginesHere(t *testing.T) (*godwit.Runtime, []string) {
	t.Helper()
	list, opts := []string{"interp", "wasm"}, []godwit.Option{}
	if _, err := llvm.Load(); err == nil {
		list, opts = append(list, "native"), append(opts, godwit.WithCompiler(t.TempDir(), "/usr/bin/env", compilerChild+"=1", os.Args[0]))
	}
	rt := godwit.NewRuntime(opts...)
	t.Cleanup(func() { rt.Close() })
	return rt, list
}

type keyed struct {
	K int64
	L int32
	V float64
}

// keyedRows are rows whose keys are of so many values.
func keyedRows(r *rand.Rand, n int, values int64) []keyed {
	list := make([]keyed, n)
	for i := range list {
		list[i] = keyed{(r.Int64N(values) - values/3) * 0x9E3779B97F4A7C1, int32(r.Int64N(3)), float64(r.IntN(1000)) / 8}
	}
	return list
}

// groupTold is what a group has.
type groupTold struct {
	K      int64
	N      int64
	Sum    float64 // of integers over 8, so exact in any order
	Worst  float64
	Middle float64
	Ls     int64
	First  float64
	Last   float64
}

// groupsOf is the oracle: a map, and the order of first appearance.
func groupsOf(rows []keyed) (list []groupTold) {
	at := map[int64]int{}
	var values [][]float64
	var ls []map[int32]bool
	for _, r := range rows {
		i, ok := at[r.K]
		if !ok {
			i = len(list)
			at[r.K] = i
			list, values, ls = append(list, groupTold{K: r.K, First: r.V, Worst: math.Inf(-1)}), append(values, nil), append(ls, map[int32]bool{})
		}
		g := &list[i]
		g.N, g.Sum, g.Worst, g.Last = g.N+1, g.Sum+r.V, max(g.Worst, r.V), r.V
		values[i], ls[i][r.L] = append(values[i], r.V), true
	}
	for i := range list {
		sort.Float64s(values[i])
		q := 0.5 * float64(len(values[i])-1)
		low := int(q)
		list[i].Middle = values[i][low]
		if f := q - float64(low); f > 0 {
			list[i].Middle += (values[i][low+1] - values[i][low]) * f
		}
		list[i].Ls = int64(len(ls[i]))
	}
	return list
}

// Groups by keys that nobody knows, few and many, are those of a map, in the order in which they appear, on all engines.
func TestUnknownGroups(t *testing.T) {
	const source = `record Row { k: i64, l: i32, v: f64 }
record Told { k: i64, n: i64, sum: f64, worst: f64, middle: f64, ls: i64, first: f64, last: f64 }
fn f(x: &[Row; N]) -> [Told; ?G <= N] {
    x.group_by(|r| r.k).agg(|g| Told {
        k: g.key(), n: g.count(), sum: g.sum(|r| r.v), worst: g.max(|r| r.v), middle: g.median(|r| r.v), ls: g.count_distinct(|r| r.l),
        first: g.first().v, last: g.last().v,
    })
}`
	rt, engines := enginesHere(t)
	f := fn(t, source)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for k, c := range []struct {
		rows   int
		values int64
	}{{0, 1}, {1, 1}, {40, 7}, {30_000, 20}, {30_000, 2046}, {30_000, 2049}, {30_000, 20_000}, {5000, 1 << 30}} {
		rows := keyedRows(rand.New(rand.NewPCG(seed, uint64(k))), c.rows, c.values)
		want := groupsOf(rows)
		for _, engine := range engines {
			if engine == "interp" && c.rows > 5000 {
				continue
			}
			for _, threads := range []int{1, 3} {
				r, err := f.Call(t.Context(), godwit.Args{"x": rows}, godwit.WithRuntime(rt), godwit.WithEngine(engine), godwit.WithThreads(threads))
				if err != nil {
					t.Fatal(engine, err)
				}
				got, err := godwit.As[[]groupTold](r)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d rows of %d values on %s: %d groups, want %d: %s", c.rows, c.values, engine, len(got), len(want), firstOther(got, want))
				}
			}
		}
	}
}

func firstOther[T comparable](got, want []T) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("element %d is %v, not %v", i, got[i], want[i])
		}
	}
	return ""
}

// Keys that are equal in the language are one: NaN is one key, and -0 and +0 are; what differs in one part is another.
func TestKeysOfAllKinds(t *testing.T) {
	rt, engines := enginesHere(t)
	nan := math.NaN()
	for _, c := range []struct {
		source string
		args   godwit.Args
		want   string
	}{
		{"fn f(x: &[f64; N]) -> [f64] { x.distinct() }", godwit.Args{"x": []float64{nan, 0, math.Copysign(0, -1), 1, nan, 0}}, `["NaN",0.0,1.0]`},
		{"fn f(x: &[f32; N]) -> [f32] { x.distinct() }", godwit.Args{"x": []float32{0.5, 0, float32(math.Copysign(0, -1)), 0.5}}, `[0.5,0.0]`},
		{"fn f(x: &[u64; N]) -> [u64] { x.distinct() }", godwit.Args{"x": []uint64{math.MaxUint64, 1 << 63, math.MaxUint64, 0}}, `[18446744073709551615,9223372036854775808,0]`},
		{"fn f(x: &[i8; N]) -> [i8] { x.distinct() }", godwit.Args{"x": []int8{-1, 127, -128, -1}}, `[-1,127,-128]`},
		{"fn f(x: &[i8; N], y: &[i8; N]) -> [(i8, i8)] { x.zip(y).distinct() }", godwit.Args{"x": []int8{-1, 0, 1, -1}, "y": []int8{0, -1, 0, 0}}, `[[-1,0],[0,-1],[1,0]]`},
		{"fn f(x: &[bool; N]) -> [bool] { x.distinct() }", godwit.Args{"x": []bool{true, true, false}}, `[true,false]`},
		{"fn f(x: &[Option<i64>; N]) -> [Option<i64>] { x.distinct() }", godwit.Args{"x": godwit.Text("[Some(0), None, Some(1), None, Some(0)]")}, `[0,null,1]`},
		{"fn f(x: &[Str; N]) -> [Str] { x.zip(x).distinct().map(|(a, _)| a) }", godwit.Args{"x": []string{"b", "a", "b", ""}}, `["b","a",""]`},
		{"fn f(x: &[Date; N]) -> [Date] { x.distinct(|d| d.year()) }", godwit.Args{"x": godwit.Text("[2001-03-14, 1999-01-01, 2001-12-31]")}, `["2001-03-14","1999-01-01"]`},
		{"fn f(x: &[i64; N], k: &[i64; N]) -> [i64] { x.group_by(k.map(|e| e * 1_000_000)).sum() }", godwit.Args{"x": []int64{1, 2, 4}, "k": []int64{7, -7, 7}}, `[5,2]`},
		{"fn f(x: &[i64; N]) -> [(i64, i64, i64, bool)] { x.group_by(|e| (e, -e, e * e, e > 0)).keys() }", godwit.Args{"x": []int64{3, 2, 3, math.MaxInt32}}, `[[3,-3,9,true],[2,-2,4,true],[2147483647,-2147483647,4611686014132420609,true]]`},
		{"fn f(x: &[i64; N]) -> [Option<i64>; 3] { x.group_by::<3>(|e| e % 3).first() }", godwit.Args{"x": []int64{4, 3, 1}}, `[3,4,null]`},
		{"fn f(x: &[i64; N]) -> [idx<3>; 3] { x.group_by::<3>(|e| e % 3).keys() }", godwit.Args{"x": []int64{4}}, `[0,1,2]`},
		{"fn f(x: &[f64; N]) -> [f64; 4] { [x.median(), x.quantile(0.25), x.quantile(1.0), x.quantile(2.0)] }", godwit.Args{"x": []float64{4, 1, 2, 3}}, `[2.5,1.75,4.0,"NaN"]`},
		{"fn f(x: &[i64; N]) -> [i64] { x.group_by(|e| e % 3).top_k::<2>() }", godwit.Args{"x": []int64{5, 1, 9, 3, 7, 2, 6, 8}}, `[8,5,7,1,9,6]`},
		{"fn f(x: &[f64; N]) -> [f64] { x.group_by::<3>(|e| e.min(2.0).max(0.0) as i64).top_k::<1>(|e| -e) }", godwit.Args{"x": []float64{7, 0.5, 2, 0.25}}, `[0.25,2.0]`},
		{"fn f(x: &[i64; N]) -> [i64] { x.group_by(|e| e).top_k::<3>() }", godwit.Args{"x": []int64{}}, `[]`},
		{"fn f(x: &[i64; N]) -> [i64] { x.group_by(|e| e).top_k::<0>() }", godwit.Args{"x": []int64{4}}, `[]`},
		{"fn f(x: &[f64; N]) -> f64 { x.median() }", godwit.Args{"x": []float64{}}, `"NaN"`},
	} {
		f := fn(t, c.source)
		for _, engine := range engines {
			r, err := f.Call(t.Context(), c.args, godwit.WithRuntime(rt), godwit.WithEngine(engine))
			if err != nil {
				t.Errorf("%s on %s: %v", c.source, engine, err)
			} else if string(r.JSON()) != c.want {
				t.Errorf("%s on %s: %s, want %s", c.source, engine, r.JSON(), c.want)
			}
		}
	}
}

// Groups and indexes of each row, inside of closures and loops.
func TestGroupsInside(t *testing.T) {
	rt, engines := enginesHere(t)
	x := [][]int64{{1, 2, 3, 4, 1, 2, 3, 9}, {5, 5, 5, 5, 5, 5, 5, 6}, {1, 2, 3, 4, 5, 6, 7, 8}}
	for source, want := range map[string]string{
		"fn f(x: &[[i64; M]; N]) -> [i64; N] where M: Range<0, 65_536> { x.map(|r| r.group_by(|e| e).count().max()) }":                                                                            "[2,7,1]",
		"fn f(x: &[[i64; 8]; N]) -> [i64; N] { x.map(|r| r.group_by(|e| e).agg(|g| g.last() + g.key() * g.count()).sum()) }":                                                                      "[44,52,72]",
		"fn f(x: &[[i64; 8]; N]) -> [f64; N] { x.map(|r| r.group_by(|e| e).median().sum()) }":                                                                                                     "[19.0,11.0,36.0]",
		"fn f(x: &[[i64; 8]; N]) -> [i64; N] { x.map(|r| r.group_by(|e| e % 2).top_k::<1>().sum()) }":                                                                                             "[13,11,15]",
		"fn f(x: &[[i64; M]; N]) -> [i64; N] { x.map(|r| r.distinct().len()) }":                                                                                                                   "[5,2,8]",
		"fn f(x: &[[i64; M]; N]) -> [f64; N] { x.map(|r| r.median()) }":                                                                                                                           "[2.5,5.0,4.5]",
		"fn f(x: &[[i64; M]; N]) -> [i64; N] { x.map(|r| { let by = r.index_by(|e| e); r.count(|e| by.has(e + 1)) }) }":                                                                           "[6,7,7]",
		"fn f(x: &[[i64; M]; N]) -> i64 { let mut s = 0; for r in x { s += r.distinct().len(); } s }":                                                                                             "15",
		"fn f(x: &[[i64; 8]; N]) -> i64 { let mut s = 0; for r in x { if r[0] < 5 { s += r.group_by(|e| e).count().len(); } } s }":                                                                "13",
		"fn inner(d: &[i64; G], k: &[i64; 8]) -> i64 { k.group_by::<G>(|e| e.clamp_idx::<G>()).count().max() }\nfn f(x: &[[i64; 8]; N]) -> [i64; N] { x.map(|r| inner(r.filter(|e| e > 3), r)) }": "[8,7,5]",
	} {
		p, err := godwit.Compile(strings.ReplaceAll(source, "\\n", "\n"))
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		f, err := p.Func("f")
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range engines {
			r, err := f.Call(t.Context(), godwit.Args{"x": x}, godwit.WithRuntime(rt), godwit.WithEngine(engine))
			if err != nil {
				t.Errorf("%s on %s: %v", source, engine, err)
			} else if string(r.JSON()) != want {
				t.Errorf("%s on %s: %s, want %s", source, engine, r.JSON(), want)
			}
		}
	}
	for _, fold := range []string{"count().max()", "sum().max()", "top_k::<1>().len()", "median().len()", "count_distinct().sum()", "last().len()", "agg(|g| g.sum()).len()"} {
		_, err := godwit.Compile("fn f(x: &[[i64; M]; N]) -> [i64; N] { x.map(|r| r.group_by(|e| e)." + fold + ") }")
		if err == nil || !strings.Contains(err.Error(), "T07") || !strings.Contains(err.Error(), "where M: Range<0, 65_536>") {
			t.Errorf("%s of rows of any number: %v", fold, err)
		}
	}
}

// Rows that an index finds are those that a map finds; of equal keys the first row.
func TestLookups(t *testing.T) {
	const source = `record Row { k: i64, l: i32, v: f64 }
fn one(x: &[Row; N], d: &[Row; M]) -> [i64; N] { let by = d.index_by(|r| r.k); x.map(|r| by.get(r.k).map(|i| i as i64).or(-1)) }
fn two(x: &[Row; N], d: &[Row; M]) -> [i64; N] { let by = d.index_by(|r| (r.k, r.l)); x.map(|r| by.get((r.k, r.l)).map(|i| i as i64).or(-1)) }
fn three(x: &[Row; N], d: &[Row; M]) -> [i64; N] { let by = d.index_by(|r| (r.k, r.l as i64, r.k / 3)); x.map(|r| by.get((r.k, r.l as i64, r.k / 3)).map(|i| i as i64).or(-1)) }
fn before(x: &[Row; N], d: &[Row; M]) -> [i64; N] { let by = d.as_of(|r| r.k); x.map(|r| by.get(r.k).map(|i| i as i64).or(-1)) }
fn within(x: &[Row; N], d: &[Row; M]) -> [i64; N] { let by = d.as_of(|r| (r.l, r.k)); x.map(|r| by.get((r.l, r.k)).map(|i| i as i64).or(-1)) }
fn deep(x: &[Row; N], d: &[Row; M]) -> [i64; N] { let by = d.as_of(|r| (r.l, r.k / 2, r.k)); x.map(|r| by.get((r.l, r.k / 2, r.k)).map(|i| i as i64).or(-1)) }
fn count(x: &[Row; N], d: &[Row; M]) -> [i64; N] { let by = d.index_by(|r| r.k); x.map(|r| by.count(r.k)) }
fn pairs(x: &[Row; N], d: &[Row; M]) -> [i64] { let by = d.enumerate().index_by(|(_, r)| (r.k, r.l)); x.join_all::<30>(by, |r| (r.k, r.l)).map(|(_, (j, _))| j as i64) }
fn joined(x: &[Row; N], d: &[Row; M]) -> [(f64, f64)] { let by = d.index_by(|r| r.k); x.join(by, |r| r.k).map(|(a, b)| (a.v, b.v)) }`
	rt, engines := enginesHere(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for k, c := range []struct {
		x, d   int
		values int64
	}{{0, 0, 1}, {5, 0, 1}, {0, 5, 1}, {200, 100, 9}, {4000, 3000, 2000}, {4000, 3000, 1 << 40}, {3000, 1, 1}} {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		x, d := keyedRows(r, c.x, c.values), keyedRows(r, c.d, c.values)
		want := map[string][]int64{}
		var joined [][2]float64
		most := 0
		one, two := map[int64]int64{}, map[[2]int64]int64{}
		order := make([]int, len(d))
		for i, e := range d {
			order[i] = i
			if _, ok := one[e.K]; !ok {
				one[e.K] = int64(i)
			}
			if _, ok := two[[2]int64{e.K, int64(e.L)}]; !ok {
				two[[2]int64{e.K, int64(e.L)}] = int64(i)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d[a].K, d[b].K) })
		for _, e := range x {
			i, ok := one[e.K]
			if !ok {
				i = -1
			} else {
				joined = append(joined, [2]float64{e.V, d[i].V})
			}
			want["one"] = append(want["one"], i)
			if i, ok = two[[2]int64{e.K, int64(e.L)}]; !ok {
				i = -1
			}
			want["two"], want["three"] = append(want["two"], i), append(want["three"], i)
			n := sort.Search(len(order), func(j int) bool { return d[order[j]].K > e.K })
			last := int64(-1)
			if n > 0 {
				last = int64(order[n-1])
			}
			want["before"] = append(want["before"], last)
			within, deep, count, partners := int64(-1), int64(-1), int64(0), 0
			for _, j := range order {
				if d[j].L == e.L && d[j].K <= e.K {
					within = int64(j)
					if d[j].K/2 == e.K/2 {
						deep = int64(j)
					}
				}
				if d[j].K == e.K {
					count++
					if d[j].L == e.L {
						want["pairs"] = append(want["pairs"], int64(j))
						partners++
					}
				}
			}
			most = max(most, partners)
			want["within"], want["deep"], want["count"] = append(want["within"], within), append(want["deep"], deep), append(want["count"], count)
		}
		p, err := godwit.Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"one", "two", "three", "before", "within", "deep", "count", "pairs", "joined"} {
			f, err := p.Func(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, engine := range engines {
				res, err := f.Call(t.Context(), godwit.Args{"x": x, "d": d}, godwit.WithRuntime(rt), godwit.WithEngine(engine), godwit.WithThreads(2))
				if name == "pairs" && most > 30 {
					if err == nil || !strings.Contains(err.Error(), "R05") || !strings.Contains(err.Error(), "a key with more than 30 rows") {
						t.Fatalf("%s of %v on %s: %v", name, c, engine, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s of %v on %s: %v", name, c, engine, err)
				}
				if name == "joined" {
					var got []struct{ A, B float64 }
					if got, err = godwit.As[[]struct{ A, B float64 }](res); err != nil || len(got) != len(joined) {
						t.Fatalf("%v on %s: %d pairs, want %d (%v)", c, engine, len(got), len(joined), err)
					}
					for i := range got {
						if got[i].A != joined[i][0] || got[i].B != joined[i][1] {
							t.Fatalf("%v on %s: pair %d is %v, not %v", c, engine, i, got[i], joined[i])
						}
					}
					continue
				}
				if got, err := godwit.As[[]int64](res); err != nil || !slices.Equal(got, want[name]) {
					t.Fatalf("%s of %v on %s: %v %s", name, c, engine, err, firstOther(got, want[name]))
				}
			}
		}
	}
}

// An index is computed where it stands, asked or not: its keys' faults are those of that place.
func TestIndexIsStrict(t *testing.T) {
	rt, engines := enginesHere(t)
	for source, line := range map[string]string{
		"fn f(x: &[i64; N]) -> i64 {\n    let by = x.index_by(|e| 1 / e);\n    x.count(|e| e > 0)\n}":                                                    ":2:",
		"fn f(x: &[i64; N]) -> i64 {\n    let by = x.as_of(|e| 1 / e);\n    x.count(|e| e > 0)\n}":                                                       ":2:",
		"fn f(x: &[i64; N]) -> i64 {\n    let by = x.index_by(|e| 1 / e);\n    let s = x.map(|e| 7 / (e - 2)).sum();\n    s + x.count(|e| by.has(e))\n}": ":2:",
		"fn f(x: &[i64; N]) -> i64 {\n    let g = x.group_by(|e| 1 / e);\n    let s = x.map(|e| 7 / (e - 2)).sum();\n    s + g.count().max()\n}":         ":2:",
	} {
		f := fn(t, source)
		for _, engine := range engines {
			_, err := f.Call(t.Context(), godwit.Args{"x": []int64{0, 2}}, godwit.WithRuntime(rt), godwit.WithEngine(engine))
			if fault := (*godwit.Fault)(nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), line) {
				t.Errorf("%s on %s: %v, expected a fault on line %s", source, engine, err, line)
			}
		}
	}
}

// Quantiles between two numbers that are far apart, or infinite, are those of the straight line between them.
func TestQuantilesAtTheEdges(t *testing.T) {
	rt, engines := enginesHere(t)
	inf := math.Inf(1)
	for _, c := range []struct {
		v    []float64
		want float64
	}{{[]float64{inf, inf}, inf}, {[]float64{-inf, -inf, 1}, -inf}, {[]float64{-1.7e308, 1.7e308}, 0}, {[]float64{0.1, 0.1}, 0.1}, {[]float64{1, inf, inf}, inf}, {[]float64{1, 2}, 1.5}} {
		for _, engine := range engines {
			for _, src := range []string{"fn f(v: &[f64; N]) -> f64 { v.median() }", "fn f(v: &[f64; N]) -> f64 { v.group_by(|_| 7).median(|e| e).fold(0.0, |_, m| m) }"} {
				res, err := fn(t, src).Call(t.Context(), godwit.Args{"v": c.v}, godwit.WithRuntime(rt), godwit.WithEngine(engine))
				if err != nil {
					t.Fatal(err)
				}
				if got := math.Float64frombits(res.Value().Columns[0].At(0)); got != c.want {
					t.Errorf("%s: the median of %v is %v, expected %v", engine, c.v, got, c.want)
				}
			}
		}
	}
}

// TestQuantilesOfGroups: what halving finds is what sorting each group in Go gives, bit for bit: among many equals, NaNs, both zeros, infinities and groups of one.
func TestQuantilesOfGroups(t *testing.T) {
	rt, engines := enginesHere(t)
	r := rand.New(rand.NewPCG(3, 5))
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1e-300, -1e300}
	for round := range 6 {
		keys, values := make([]int64, 1+r.IntN(3000)), []float64{}
		groups := 1 + r.IntN(1+len(keys))
		for i := range keys {
			keys[i] = r.Int64N(int64(groups)) * r.Int64N(2)
			switch v := r.NormFloat64() * math.Pow(10, float64(r.IntN(9))); {
			case round%3 == 0:
				values = append(values, math.Round(math.Mod(v, 4)))
			case round%3 == 1 && r.IntN(3) == 0:
				values = append(values, odd[r.IntN(len(odd))])
			default:
				values = append(values, v)
			}
		}
		q := []float64{0, 0.5, 1, 0.3, 0.999, 0.25}[round]
		of := map[int64][]float64{}
		for i, k := range keys {
			of[k] = append(of[k], values[i])
		}
		var want []float64
		for _, k := range slices.Sorted(maps.Keys(of)) {
			want = append(want, between(of[k], q))
		}
		f := fn(t, "fn f(k: &[i64; N], v: &[f64; N], q: f64) -> [(i64, f64)] { k.zip(v).group_by(|r| r.0).agg(|g| (g.key(), g.quantile(q, |r| r.1))).sort(|r| r.0) }")
		for _, engine := range engines {
			res, err := f.Call(t.Context(), godwit.Args{"k": keys, "v": values, "q": q}, godwit.WithRuntime(rt), godwit.WithEngine(engine))
			if err != nil {
				t.Fatal(err)
			}
			got := res.Value().Columns[1]
			for i, w := range want {
				if x := math.Float64frombits(got.At(int64(i))); math.Float64bits(x) != math.Float64bits(w) && !(x != x && w != w) {
					t.Fatalf("%s, round %d: quantile %v of group %d is %v, expected %v", engine, round, q, i, x, w)
				}
			}
		}
	}
}

// between is a quantile of some numbers, by sorting them: -0 before 0, and NaN last.
func between(v []float64, q float64) float64 {
	slices.SortFunc(v, func(a, b float64) int {
		switch {
		case a != a || b != b:
			return cmp.Compare(btoi(a != a), btoi(b != b))
		case a == b:
			return cmp.Compare(btoi(math.Signbit(b)), btoi(math.Signbit(a)))
		}
		return cmp.Compare(a, b)
	})
	at := q * float64(len(v)-1)
	low := math.Floor(at)
	a, b := v[int(low)], v[min(int(low)+1, len(v)-1)]
	switch part := at - low; {
	case part == 0 || a == b:
		return a
	case !math.IsInf(b-a, 0) && b-a == b-a:
		return a + float64((b-a)*part) // not fused
	default:
		return float64(a*(1-part)) + float64(b*part)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestFewOfEachGroup: the few greatest elements of each group, which are put in their places one after the other, are the first of those
// that sorting all elements gives, whatever the kind of the key: NaN and both zeros, equals, groups that are empty or smaller.
func TestFewOfEachGroup(t *testing.T) {
	const sorted, record = 1000, "record R { i: i64, k: i64, a: f64, b: f32, c: u64, d: i8, e: bool, s: Str }\n"
	path := filepath.Join(t.TempDir(), "x.csv")
	var b strings.Builder
	b.WriteString("i,k,a,b,c,d,e,s\n")
	r := rand.New(rand.NewPCG(7, 11))
	floats := []string{"NaN", "inf", "-inf", "-0.0", "0.0", "1.5", "-1.5", "2.5", "1e-300"}
	for i := range 700 {
		fmt.Fprintf(&b, "%d,%d,%s,%s,%d,%d,%v,%s\n", i, r.IntN(40)*r.IntN(3), floats[r.IntN(len(floats))], floats[r.IntN(len(floats)-1)], []uint64{0, 1, 1 << 63, math.MaxUint64}[r.IntN(4)],
			r.IntN(256)-128, r.IntN(2) == 0, []string{"z", "a", "ab", "m"}[r.IntN(4)])
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	groups := []string{"x.group_by(|r| r.k)", "x.group_by::<100>(|r| r.k)", "x.filter(|r| r.i % 3 != 0).group_by(|r| (r.k, r.e))", "x.filter(|r| r.d > 0).group_by::<100>(|r| r.k)",
		"x.group_by::<100>(x.map(|r| r.k))", "x.group_by(x.map(|r| r.k))", "x.group_by(|r| r.s)", "x.filter(|r| r.i < 0).group_by(|r| r.k)"}
	keys := []string{"r.a", "r.b", "r.c", "r.d", "r.e", "r.s", "-r.i", "r.a * 0.0"}
	for n, group := range groups {
		for _, key := range slices.Concat(keys, keys)[n : n+3] {
			code := "r.k"
			if strings.Contains(group, "r.e)") {
				code = "r.k * 2 + if r.e { 1 } else { 0 }"
			}
			if strings.Contains(group, "r.s)") {
				code = "if r.s == \"a\" { 1 } else if r.s == \"ab\" { 2 } else if r.s == \"m\" { 3 } else { 4 }"
			}
			answer := func(k int, engine string) [][]int64 {
				f := fn(t, fmt.Sprintf("%sfn f(x: &[R; N]) -> [[i64; 2]] { %s.top_k::<%d>(|r| %s).map(|r| [%s, r.i]) }", record, group, k, key, code))
				res, err := f.Call(t.Context(), godwit.Args{"x": godwit.File(path)}, godwit.WithEngine(engine))
				if err != nil {
					t.Fatalf("%s %s: %v", group, key, err)
				}
				var list [][]int64
				if err := json.Unmarshal(res.JSON(), &list); err != nil {
					t.Fatal(err)
				}
				return list
			}
			all := answer(sorted, "wasm")
			for _, k := range []int{2, 64}[:1+len(key)%2] {
				var want [][]int64
				seen := map[int64]int{}
				for _, row := range all {
					if seen[row[0]]++; seen[row[0]] <= k {
						want = append(want, row)
					}
				}
				for _, engine := range []string{"interp", "wasm"} {
					if got := answer(k, engine); !slices.EqualFunc(got, want, slices.Equal) {
						t.Errorf("%s.top_k::<%d>(|r| %s) on %s: %v, expected %v", group, k, key, engine, got, want)
					}
				}
			}
		}
	}
}

// TestPairsUsedTwice: what is looked for anew by each who uses it is the same for all, and so are its faults.
func TestPairsUsedTwice(t *testing.T) {
	rows := make([]keyed, 300)
	for i := range rows {
		rows[i] = keyed{K: int64(i / 2), V: float64(i)}
	}
	const record = "record Row { k: i64, l: i32, v: f64 }\n"
	for _, c := range []struct {
		body string
		z    int64
		want string
	}{
		{"let by = x.index_by(|r| r.k); let j = x.join_all::<9>(by, |r| r.k); (j.len(), j.map(|(a, b)| (a.v * b.v) as i64).sum())", 0, "[600,17909950]"},
		{"let by = x.index_by(|r| r.k); let j = x.join_all::<9>(by, |r| r.k).map(|(a, b)| 1000 / (a.k - b.k + z)); (j.len(), j.sum() + j.scan(0, |s, e| s + e).max())", 4, "[600,300000]"},
		{"let by = x.index_by(|r| r.k); let j = x.join_all::<9>(by, |r| r.k).map(|(a, b)| 1000 / (a.k - b.k + z)); (j.len(), j.sum() + j.scan(0, |s, e| s + e).max())", 0, "R02"},
		{"let by = x.filter(|r| r.k < 0).index_by(|r| r.k); let j = x.join_all::<9>(by, |r| r.k).map(|(a, b)| 1000 / (a.k - b.k + z)); (j.len(), j.sum())", 0, "[0,0]"},
		{"let j = (0..N * N).map(|t| (x[t / N], x[t % N])).filter(|(a, b)| a.k + b.k == 77).map(|(a, b)| (a.k - b.k + 100) / z); (j.len(), j.sort().take(2).sum())", 1, "[312,46]"},
		{"let j = (0..N * N).map(|t| (x[t / N], x[t % N])).filter(|(a, b)| a.k + b.k == 77).map(|(a, b)| (a.k - b.k + 100) / z); (j.len(), j.sort().take(2).sum())", 0, "R02"},
		{"let j = (0..N * N).map(|t| (x[t / N], x[t % N])).filter(|(a, b)| a.k + b.k < 0).map(|(a, b)| (a.k - b.k + 100) / z); (j.len(), j.sum())", 0, "[0,0]"},
		{"let j = x.filter(|r| r.k > 50).map(|r| 1000 / (r.k - 60 * z)); (j.len(), 0)", 1, "R02"},
		{"let j = x.filter(|r| r.k > 50).map(|r| 1000 / (r.k - 60 * z)); (j.len(), 0)", 0, "[198,0]"},
	} {
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, record+"fn f(x: &[Row; N], z: i64) -> (i64, i64) { "+c.body+" }", godwit.Args{"x": rows, "z": c.z}, engine); got != c.want {
				t.Errorf("%s, z = %d, on %s: %s, want %s", c.body, c.z, engine, got, c.want)
			}
		}
	}
}

// TestAsOfUnsigned: as_of goes by a u64 in the order of such numbers, alone and behind equal parts.
func TestAsOfUnsigned(t *testing.T) {
	type row struct {
		S int64
		T uint64
	}
	rows := []row{{1, 5}, {1, math.MaxUint64}, {2, 1 << 63}, {1, 1}, {1, math.MaxInt64}}
	asked := []uint64{0, 4, 5, math.MaxInt64, 1 << 63, 1<<63 + 2, math.MaxUint64 - 1, math.MaxUint64}
	const records = "record R { s: i64, t: u64 }\nfn f(r: &[R; N], x: &[u64; M]) -> [i64; M] "
	for body, want := range map[string]string{
		"{ let by = r.as_of(|e| e.t); x.map(|e| by.get(e).map(|i| i as i64).or(-1)) }":             "[-1,3,0,4,2,2,2,1]",
		"{ let by = r.as_of(|e| (e.s, e.t)); x.map(|e| by.get((1, e)).map(|i| i as i64).or(-1)) }": "[-1,3,0,4,4,4,4,1]",
	} {
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, records+body, godwit.Args{"r": rows, "x": asked}, engine); got != want {
				t.Errorf("%s on %s: %s, want %s", body, engine, got, want)
			}
		}
	}
}

// TestGroupSumsByPlaces: groups of known keys, of an index and of one text take what a filter kept by its places before the filter, all others by those after.
func TestGroupSumsByPlaces(t *testing.T) {
	type row struct {
		S string
		V float64
	}
	r := rand.New(rand.NewPCG(3, 4))
	rows := make([]row, 70_000)
	for i := range rows {
		rows[i] = row{"a", (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(10)))}
	}
	const source = "record R { s: Str, v: f64 }\nfn f(r: &[R; N]) -> [f64; 7] {\n" +
		"let x = r.filter(|e| (e.v * 1000.0).fract().abs() < 0.5);\nlet d = x.zip(x).map(|(a, _)| a);\n" +
		"[x.group_by::<1>(|e| 0).sum(|e| e.v)[0], x.group_by(|e| 0.clamp_idx::<1>()).sum(|e| e.v)[0], x.group_by(|e| e.s).sum(|e| e.v).sum(), d.group_by::<1>(|e| 0).sum(|e| e.v)[0],\n" +
		"x.group_by(|e| (e.s, 0)).sum(|e| e.v).sum(), x.group_by(|e| e.s.len()).sum(|e| e.v).sum(), x.group_by(|e| e.s == \"a\").sum(|e| e.v).sum()] }"
	for _, engine := range []string{"interp", "wasm"} {
		var v []float64
		if err := json.Unmarshal([]byte(outcome(t, source, godwit.Args{"r": rows}, engine)), &v); err != nil {
			t.Fatal(err)
		}
		before, after := v[0], v[3]
		if before == after || v[1] != before || v[2] != before || v[4] != after || v[5] != after || v[6] != after {
			t.Errorf("%s: %v", engine, v)
		}
	}
}
