package godwit_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit"
)

// Whatever rules files out, the answer is that of all rows, faults among them: a term that faults does so on rows that a term behind it would rule out,
// and not on rows that one before it does.
func TestRuledOut(t *testing.T) {
	write := fn(t, `record R { k: i64, s: Str, day: Date, v: i32, x: f64, w: Option<i64>, n: i64 }
fn f(v: &[i64; N]) -> [R; N] { v.map(|i| R { k: i / 4000 - 3, s: ["ant", "bee", "cat", ""][(i / 5000 % 4).wrap_idx()], day: 2001-03-14 + (i / 4000) * 1day, v: ((i * 37 % 101) - 50) as i32, x: i as f64 / 800.0,
    w: if i % 3 == 0 { None } else { Some(i) }, n: i + 1 }) }`)
	values := make([]int64, 50_000)
	for i := range values {
		values[i] = int64(i)
	}
	dir, parts := t.TempDir(), []string{"k", "s", "day"}
	for _, by := range parts {
		if _, err := write.Call(t.Context(), godwit.Args{"v": values}, godwit.WithFile(filepath.Join(dir, by), by)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := write.Call(t.Context(), godwit.Args{"v": values}, godwit.WithFile(filepath.Join(dir, "one.parquet"))); err != nil {
		t.Fatal(err)
	}
	terms := []string{"r.k == 2", "r.k >= lo", "lo < r.k", "r.k < lo + 3", `r.s == "bee"`, `r.s < "bee"`, `"ant" < r.s`, `r.s != "cat"`, "r.s == q", "r.s <= q", `r.s == "none of them"`,
		"r.day >= 2001-03-20", "r.day == day", "r.v > -20", "r.x < 30.5", "r.x >= lo as f64", "r.w.is_some()", "r.w.or(3) > 10000",
		"100 / r.v < 3", "100 / r.n < 3", "100 / (r.k - lo) < 200", "r.s.contains(\"a\")"}
	ends := [][2]string{{".map(|r| r.v as i64).sum()", "i64"}, {".len()", "i64"}, {".map(|r| r.x).sum()", "f64"}, {".map(|r| 1000 / (r.k + 4)).sum()", "i64"},
		{".group_by(|r| r.s).agg(|g| (g.key(), g.count(), g.sum(|r| r.v)))", "[(Str, i64, i64)]"}, {".group_by::<20>(|r| (r.k + 3).clamp_idx::<20>()).sum(|r| r.x)", "[f64; 20]"},
		{".top_k::<3>(|r| r.x)", "[R]"}, {"", "[R]"}, {".mean(|r| r.x)", "f64"}, {".sort(|r| r.v)", "[R]"}, {".sum(|r| r.w)", "i64"}, {".count(|r| r.w.is_some())", "i64"},
		{".filter(|r| 100 / (r.v + 51) < 90).map(|r| r.n).sum()", "i64"}, {".any(|r| r.x > 30.0)", "bool"}}
	for cond, fault := range map[string]bool{"100 / r.v < 3 && r.k == 2": true, "100 / r.n < 3 && r.k == 2": false, "r.k == 20 && 100 / r.v < 3": false,
		"{ let few = 100 / r.v < 3; r.k == 2 && few }": true, "{ let few = 100 / r.n < 3; r.k == 2 && few }": false, "if r.k == 2 { true } else { let few = 100 / r.v < 3; false }": true, "if r.k == 2 { true } else { let few = 100 / r.n < 3; false }": false} {
		f := fn(t, "record R { k: i64, v: i32, n: i64 }\nfn f(rows: &[R; N]) -> i64 { rows.filter(|r| "+cond+").map(|r| r.n).sum() }")
		for _, engine := range []string{"interp", "auto"} {
			if _, err := f.Call(t.Context(), godwit.Args{"rows": godwit.File(filepath.Join(dir, "k"))}, godwit.WithEngine(engine)); (err != nil) != fault {
				t.Errorf("%s on %s: %v", cond, engine, err)
			}
		}
	}
	for _, end := range []string{".filter(|r| r.k == 2 && r.x > 1.0).len()", ".count(|r| r.k == 2 && r.x > 1.0)", ".any(|r| r.k == 2 && r.x > 100.0)", ".filter(|r| r.k == 2).filter(|r| r.x > 1.0).count()"} {
		f := fn(t, "record R { k: i64, x: f64 }\nfn f(rows: &[R; N]) -> "+map[bool]string{true: "bool", false: "i64"}[strings.HasPrefix(end, ".any")]+" { rows"+end+" }")
		args := godwit.Args{"rows": godwit.File(filepath.Join(dir, "k"))}
		all, err := f.Call(t.Context(), args, godwit.WithEngine("interp"))
		if err != nil {
			t.Fatal(err)
		}
		some, err := f.Call(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		if read, of := some.Stats().BytesRead, all.Stats().BytesRead; read > of/2 {
			t.Errorf("%s: %d of %d bytes were read", end, read, of)
		}
	}
	agreed, faults, unread := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom(terms), 1, 4).Draw(t, "terms")
		cond := strings.Join(list, " && ")
		if rapid.IntRange(0, 3).Draw(t, "let") == 0 {
			cond = "{ let first = " + list[0] + "; " + strings.Join(append(list[1:], "first"), " && ") + " }"
		}
		end := rapid.SampledFrom(ends).Draw(t, "end")
		text := fmt.Sprintf(`record R { k: i64, s: Str, day: Date, v: i32, x: f64, w: Option<i64>, n: i64 }
fn f(rows: &[R; N], lo: i64, q: Str, day: Date) -> %s { rows.filter(|r| %s)%s }`, end[1], cond, end[0])
		if fold := rapid.SampledFrom([]string{"", "", "", "count", "any", "all", "map"}).Draw(t, "fold"); fold != "" {
			text = fmt.Sprintf(`record R { k: i64, s: Str, day: Date, v: i32, x: f64, w: Option<i64>, n: i64 }
fn f(rows: &[R; N], lo: i64, q: Str, day: Date) -> %s { rows.%s(|r| %s)%s }`, map[string]string{"count": "i64", "any": "bool", "all": "bool", "map": "i64"}[fold], fold, cond,
				map[string]string{"map": ".count(|b| !b)"}[fold])
		}
		p, err := godwit.Compile(text)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		f, err := p.Func("f")
		if err != nil {
			t.Fatal(err)
		}
		where := rapid.SampledFrom(append(parts, "one.parquet")).Draw(t, "files")
		args := godwit.Args{"rows": godwit.File(filepath.Join(dir, where)), "lo": rapid.Int64Range(-5, 10).Draw(t, "lo"),
			"q": rapid.SampledFrom([]string{"bee", "ant", "", "aunt", "zebra"}).Draw(t, "q"), "day": rapid.SampledFrom([]string{"2001-03-16", "2001-03-21", "2002-01-01"}).Draw(t, "day")}
		want, wrong := f.Call(t.Context(), args, godwit.WithEngine("interp"))
		got, err := f.Call(t.Context(), args, godwit.WithEngine(rapid.SampledFrom([]string{"auto", "wasm"}).Draw(t, "engine")))
		switch {
		case wrong != nil || err != nil:
			if fmt.Sprint(wrong) != fmt.Sprint(err) {
				t.Fatalf("%s\n%v\nfound %v, wanted %v", text, args, err, wrong)
			}
			faults++
		case got.String() != want.String():
			t.Fatalf("%s\n%v\nfound %s, wanted %s", text, args, got, want)
		default:
			agreed++
			if got.Stats().BytesRead < want.Stats().BytesRead*3/4 {
				unread++
			}
		}
	})
	if agreed == 0 || faults == 0 || unread == 0 {
		t.Errorf("%d agree, %d faults, %d leave something unread", agreed, faults, unread)
	}
	t.Logf("%d agree, %d faults, %d leave something unread", agreed, faults, unread)
}
