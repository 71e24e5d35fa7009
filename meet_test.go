package godwit_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// someRows is a small table of texts and Options.
type someRow struct {
	A, B string
	N    int64
	D    *int64
}

func someRows() []someRow {
	at := func(n int64) *int64 { return &n }
	return []someRow{{"x", "y", 1, at(5)}, {"z", "x", 2, nil}, {"x", "", 3, at(-2)}, {"w", "w", 4, nil}, {"z", "q", 5, at(7)}, {"x", "z", 6, at(5)}}
}

const someRecord = "record S { a: Str, b: Str, n: i64, d: Option<i64> }\nrecord R { t: Str, o: Option<Str>, n: i64 }\nrecord G { a: Str, n: i64, s: i64, m: f64, lo: Option<i64>, hi: Option<i64>, md: f64 }\n"

// agreeOn calls functions on all engines, and compares what they give, as JSON.
func agreeOn(t *testing.T, record string, args godwit.Args, want map[string]string) {
	t.Helper()
	rt, engines := enginesHere(t)
	for body, want := range want {
		f := fn(t, record+body)
		for _, engine := range engines {
			res, err := f.Call(t.Context(), args, godwit.WithRuntime(rt), godwit.WithEngine(engine))
			if err != nil {
				t.Errorf("%s on %s: %v", body, engine, err)
				continue
			}
			if got := strings.TrimSpace(string(res.JSON())); got != want {
				t.Errorf("%s on %s gives\n%s, expected\n%s", body, engine, got, want)
			}
		}
	}
}

// Texts of different columns, and of the program, meet wherever values do.
func TestTextsMeet(t *testing.T) {
	agreeOn(t, someRecord, godwit.Args{"x": someRows()}, map[string]string{
		`fn f(x: &[S; N]) -> [R; N] { x.map(|r| if r.n > 3 { R { t: r.a, o: Some(r.b), n: 1 } } else { R { t: r.b, o: None, n: 2 } }) }`:        `[{"t":"y","o":null,"n":2},{"t":"x","o":null,"n":2},{"t":"","o":null,"n":2},{"t":"w","o":"w","n":1},{"t":"z","o":"q","n":1},{"t":"x","o":"z","n":1}]`,
		`fn f(x: &[S; N]) -> [(Str, Str); N] { x.map(|r| if r.n > 3 { (r.a, "late") } else { (r.b, "?") }) }`:                                   `[["y","?"],["x","?"],["","?"],["w","late"],["z","late"],["x","late"]]`,
		`fn f(x: &[S; N]) -> [Option<Str>; N] { x.map(|r| match r.n { 1 => Some(r.a), 2 => Some("two"), 3 => None, _ => Some(r.b) }) }`:         `["x","two",null,"w","q","z"]`,
		`fn f(x: &[S; N]) -> [Str; N + N] { concat(x.map(|r| r.a), x.map(|r| r.b)) }`:                                                           `["x","z","x","w","z","x","y","x","","w","q","z"]`,
		`fn f(x: &[S; N]) -> [(Str, Option<Str>)] { concat(x.map(|r| (r.a, Some(r.b))), x.filter(|r| r.n > 4).map(|r| (r.b, None))) }`:          `[["x","y"],["z","x"],["x",""],["w","w"],["z","q"],["x","z"],["q",null],["z",null]]`,
		`fn f(x: &[S; N]) -> [[(Str, i64); 3]; N] { x.map(|r| [(r.a, 1), (r.b, 2), ("x", 3)]) }`:                                                `[[["x",1],["y",2],["x",3]],[["z",1],["x",2],["x",3]],[["x",1],["",2],["x",3]],[["w",1],["w",2],["x",3]],[["z",1],["q",2],["x",3]],[["x",1],["z",2],["x",3]]]`,
		`fn f(x: &[S; N]) -> [[Str; 2]; N] { x.map(|r| if r.n > 3 { [r.a, r.b] } else { [r.b, "v"] }) }`:                                        `[["y","v"],["x","v"],["","v"],["w","w"],["z","q"],["x","z"]]`,
		`fn f(x: &[S; N]) -> [Str; ?K <= N] { x.map(|r| if r.n > 3 { (r.a, 1) } else { (r.b, 2) }).filter(|(t, _)| t == "x").map(|(t, _)| t) }`: `["x","x"]`,
	})
}

// Groups by text are those of texts that occur, in their order, however they are asked for.
func TestGroupsOfTexts(t *testing.T) {
	agreeOn(t, someRecord, godwit.Args{"x": someRows()}, map[string]string{
		`fn f(x: &[S; N]) -> [(Str, i64)] { x.filter(|r| r.n > 4).group_by(|r| r.a).agg(|g| (g.key(), g.sum(|r| r.n))) }`:                        `[["x",6],["z",5]]`,
		`fn f(x: &[S; N]) -> [(Str, i64)] { let g = x.filter(|r| r.n > 4).group_by(|r| r.a); g.keys().zip(g.sum(|r| r.n)) }`:                     `[["x",6],["z",5]]`,
		`fn f(x: &[S; N]) -> [i64] { let k = x.map(|r| r.a); x.map(|r| r.n).group_by(k).max() }`:                                                 `[4,6,5]`,
		`fn f(x: &[S; N]) -> [(i64, i64)] { let g = x.filter(|r| r.n > 1).group_by(|r| r.a); g.first().zip(g.last()).map(|(a, b)| (a.n, b.n)) }`: `[[4,4],[3,6],[2,5]]`,
		`fn f(x: &[S; N]) -> [i64] { let g = x.filter(|r| r.n > 4).group_by(|r| r.a); g.sum(|r| r.n).zip(g.count()).map(|(s, n)| s / n) }`:       `[6,5]`,
		`fn f(x: &[S; N]) -> [i64] { x.filter(|r| r.n > 9).group_by(|r| r.a).count() }`:                                                          `[]`,
		`fn f(x: &[S; N]) -> [i64] { x.filter(|r| r.n > 2).group_by(|r| r.b).count_distinct(|r| r.a) }`:                                          `[1,1,1,1]`,
		`fn f(x: &[S; N]) -> [Str] { x.filter(|r| r.n > 2).group_by(|r| r.b).top_k::<1>(|r| r.n).map(|r| r.b) }`:                                 `["","q","w","z"]`,
	})
}

// Folds of Options are of what there is.
func TestFoldsOfOptions(t *testing.T) {
	agreeOn(t, someRecord, godwit.Args{"x": someRows()}, map[string]string{
		`fn f(x: &[S; N]) -> [G] { x.group_by(|r| r.a).agg(|g| G { a: g.key(), n: g.count(), s: g.sum(|r| r.d), m: g.mean(|r| r.d), lo: g.min(|r| r.d), hi: g.max(|r| r.d), md: g.median(|r| r.d) }) }`: `[{"a":"w","n":1,"s":0,"m":"NaN","lo":null,"hi":null,"md":"NaN"},{"a":"x","n":3,"s":8,"m":2.6666666666666665,"lo":-2,"hi":5,"md":5.0},{"a":"z","n":2,"s":7,"m":7.0,"lo":7,"hi":7,"md":7.0}]`,
		`fn f(x: &[S; N]) -> (i64, f64, Option<i64>, Option<i64>, f64, f64) { (x.sum(|r| r.d), x.mean(|r| r.d), x.min(|r| r.d), x.max(|r| r.d), x.median(|r| r.d), x.quantile(0.25, |r| r.d)) }`:        `[15,3.75,-2,7,5.0,3.25]`,
		`fn f(x: &[S; N]) -> (i64, f64, Option<i64>) { let d = x.filter(|r| r.n == 2).map(|r| r.d); (d.sum(), d.mean(), d.max()) }`:                                                                     `[0,"NaN",null]`,
		`fn f(x: &[S; N]) -> (i64, i64) where N >= 1 { (x.sum(|r| r.n), x.max(|r| r.n * 2)) }`:                                                                                                          `[21,12]`,
		`fn f(x: &[S; N]) -> [Option<i64>] { x.group_by(|r| r.n % 2).max(|r| r.d) }`:                                                                                                                    `[7,5]`,
	})
}
