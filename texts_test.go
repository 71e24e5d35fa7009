package godwit_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

func containsText(text, part string) bool       { return strings.Contains(text, part) }
func replaceAll(text, old, fresh string) string { return strings.ReplaceAll(text, old, fresh) }

// function compiles a program and takes a function of it.
func function(t *testing.T, src, name string) *godwit.Func {
	t.Helper()
	p, err := godwit.Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTexts runs operations on text on both engines.
func TestTexts(t *testing.T) {
	ports := []string{"SFO", "JFK", "LAX", "SFO", "été"}
	for _, c := range []struct {
		src  string
		args godwit.Args
		want string
	}{
		{`fn f(s: &[Str; N]) -> i64 { s.count(|e| e == "SFO") }`, godwit.Args{"s": ports}, "2"},
		{`fn f(s: &[Str; N]) -> (i64, i64, i64, i64, i64) { (s.count(|e| e != "JFK"), s.count(|e| e < "LAX"), s.count(|e| e <= "LAX"), s.count(|e| e > "M"), s.count(|e| "M" < e)) }`, godwit.Args{"s": ports}, "[4,1,2,3,3]"},
		{`fn f(s: &[Str; N]) -> i64 { s.count(|e| e == "none") + s.count(|e| e < "") + s.count(|e| e >= "zz") }`, godwit.Args{"s": ports}, "1"},
		{`fn f(s: &[Str; N]) -> ([bool; N], [bool; N], [bool; N]) { (s.starts_with("J"), s.ends_with("O"), s.map(|e| e.contains("A"))) }`, godwit.Args{"s": ports},
			"[[false,true,false,false,false],[true,false,false,true,false],[false,false,true,false,false]]"},
		{`fn f(s: &[Str; N]) -> ([i64; N], [Str; N], [Str; N]) { (s.map(|e| e.len()), s.lower(), s.upper()) }`, godwit.Args{"s": ports},
			`[[3,3,3,3,3],["sfo","jfk","lax","sfo","été"],["SFO","JFK","LAX","SFO","ÉTÉ"]]`},
		{`fn f(s: &[Str; N]) -> ([Str; N], [Str; N], [Str; N], i64) { (s.trim(), s.map(|e| e.trim_start()), s.trim_end(), s.group_by(|e| e.trim().upper()).count().len()) }`,
			godwit.Args{"s": []string{" a ", "a", "\u00a0a\t", "", " \n"}}, `[["a","a","a","",""],["a ","a","a\t","",""],[" a","a","` + "\u00a0" + `a","",""],2]`},
		{`fn f(x: i64) -> (Str, bool) { let a = [" b ", "b"]; (a[x.clamp_idx()].trim(), a[0].trim() == a[1]) }`, godwit.Args{"x": int64(0)}, `["b",true]`},
		{`fn f(s: &[Str; N]) -> [Str; N] { s.sort() }`, godwit.Args{"s": ports}, `["JFK","LAX","SFO","SFO","été"]`},
		{`fn f(s: &[Str; N]) -> (Str, Str, idx<N>) { (s.min(), s.max(), s.argmin()) }`, godwit.Args{"s": ports}, `["JFK","été",1]`},
		{`fn f(s: &[Str; N]) -> ([Str], [i64], [i64; N]) { (s.texts(), s.group_by(|e| e).count(), s.map(|e| e.code() as i64)) }`, godwit.Args{"s": ports},
			`[["JFK","LAX","SFO","été"],[1,1,2,1],[2,0,1,2,3]]`},
		{`fn f(s: &[Str; N]) -> [i64] { s.histogram() }`, godwit.Args{"s": ports}, `[1,1,2,1]`},
		{`fn f(s: &[Str; N], v: &[i64; N]) -> [i64] { v.group_by(s).sum() }`, godwit.Args{"s": ports, "v": []int64{1, 2, 3, 4, 5}}, `[2,3,5,5]`},
		{`fn f(s: &[Str; N], t: &[Str; N]) -> (i64, i64) { (s.zip(t).count(|(a, b)| a == b), s.zip(t).count(|(a, b)| a < b)) }`,
			godwit.Args{"s": ports, "t": []string{"SFO", "Z", "A", "SFP", ""}}, `[1,2]`},
		{`fn f(s: &[Str; N], key: Str) -> i64 { s.count(|e| e == key) }`, godwit.Args{"s": ports, "key": "SFO"}, `2`},
		{`fn f(s: &[Str; N], key: Str) -> i64 { s.count(|e| e == key) }`, godwit.Args{"s": ports, "key": "absent"}, `0`},
		{`fn f(s: &[Str; N]) -> [Str; N] { s.map(|e| if e < "K" { "early" } else { e }) }`, godwit.Args{"s": ports}, `["SFO","early","LAX","SFO","été"]`},
		{`fn f(s: &[Str; N]) -> [Str; N] { s.map(|e| match e { "SFO" | "LAX" => "west", "JFK" => "east", _ => "other" }) }`, godwit.Args{"s": ports}, `["west","east","west","west","other"]`},
		{`fn f(x: i64) -> (Str, bool) { let a = ["b", "a", "c"]; (a[x.clamp_idx()], a[0] < a[1]) }`, godwit.Args{"x": int64(1)}, `["a",false]`},
		{`fn f(s: &[Option<Str>; N]) -> ([Str; N], i64) { (s.map(|e| e.or("none")), s.count(|e| e.is_some())) }`, godwit.Args{"s": []*string{&ports[0], nil}}, `[["SFO","none"],1]`},
		{`fn f(s: &[Option<Str>; N]) -> ([Str; N], i64) { (s.map(|e| e.or("none")), s.count(|e| e.is_some())) }`, godwit.Args{"s": []*string{nil, nil}}, `[["none","none"],0]`},
		{`fn f(s: &[Option<Str>; N]) -> [(Option<Str>, i64)] { s.map(|e| if e.is_none() { e } else { Some("there") }).group_by(|t| t).agg(|g| (g.key(), g.count())) }`,
			godwit.Args{"s": []*string{&ports[0], nil, &ports[1]}}, `[["there",2],[null,1]]`},
		{`fn f(s: &[Option<Str>; N]) -> [Option<Str>] { s.map(|e| { let (t, _) = if e.is_none() { (Some("none"), 1) } else { (e, 2) }; t }).distinct() }`,
			godwit.Args{"s": []*string{&ports[0], nil, &ports[0]}}, `["SFO","none"]`},
		{`fn f(s: &[Str; N]) -> [Option<Str>] { s.map(|e| match e { "SFO" => Some("west"), "JFK" => Some(e), _ => None }).sort() }`, godwit.Args{"s": ports}, `["JFK","west","west",null,null]`},
		{"record R { s: Str, i: idx<9> }\nfn f(s: &[Str; N]) -> [Str] { let rows = s.map(|e| R { s: e, i: e.len().clamp_idx() }); (0..N).map(|i| { let p = if i > 0 { rows.get(i - 1) } else { None }; p.map(|q| q.s).or(\"first\") }).sort() }",
			godwit.Args{"s": ports}, `["JFK","LAX","SFO","SFO","first"]`},
		{`fn f(s: &[Option<Str>; N]) -> [Option<Str>; N] { s }`, godwit.Args{"s": []*string{nil, nil}}, `[null,null]`},
		{"record R { code: Str, n: i64 }\nfn one(r: R) -> bool { r.code == \"b\" }\npub fn f(r: &[R; N]) -> ([R; ?M <= N], i64) { (r.filter(|e| one(e)).map(|e| R { code: e.code.upper(), n: e.n }), r.count(|e| one(e))) }",
			godwit.Args{"r": []struct {
				Code string
				N    int64
			}{{"b", 1}, {"a", 2}}}, `[[{"code":"B","n":1}],1]`},
		{`fn pick(a: Str, b: Str) -> Str { if a < b { a } else { b } }` + "\n" + `pub fn f(s: &[Str; N]) -> [Str; N] { s.map(|e| pick(e, "M")) }`, godwit.Args{"s": ports}, `["M","JFK","LAX","M","M"]`},
		{`fn f(s: &[Str; N]) -> (i64, [Str]) { (s.count(|e| e == "x"), s.texts()) }`, godwit.Args{"s": []string{}}, `[0,[]]`},
		{`fn f(x: bool) -> Str { if x { "yes" } else { "no" } }`, godwit.Args{"x": true}, `"yes"`},
	} {
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, c.src, c.args, engine); got != c.want {
				t.Errorf("%s, %s: got %s, want %s", c.src, engine, got, c.want)
			}
		}
	}
}

// flightsText is a program that a user may begin with.
const flightsText = `record Flight { date: Date, origin: Str, delay: Option<i64> }
pub fn from_sfo(f: &[Flight; N]) -> [f64; 12] {
    f.filter(|r| r.origin == "SFO" && r.delay.is_some()).group_by::<12>(|r| r.date.month() - 1).mean(|r| r.delay.or(0))
}
record Port { origin: Str, flights: i64 }
pub fn ports(f: &[Flight; N]) -> [Port] {
    f.group_by(|r| r.origin).agg(|g| Port { origin: g.key(), flights: g.count() })
}
pub fn all(f: &[Flight; N]) -> [Flight; N] { f }
`

// TestFlights runs it over the same rows in all formats. Columns that nobody declares do not matter.
func TestFlights(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "f.csv")
	text := "date,carrier,origin,delay,when\n2001-01-14,AA,SFO,20,noon\n2001-01-15,UA,JFK,,x\n2001-03-01,\"U,A\",SFO,5,\n2001-03-02,AA,SFO,10,y\n2001-04-02,AA,LAX,,z\n"
	if err := os.WriteFile(csv, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{csv}
	res, err := function(t, flightsText, "all").Call(context.Background(), godwit.Args{"f": godwit.File(csv)})
	if err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".arrow", ".parquet"} {
		paths = append(paths, filepath.Join(dir, "f"+ext))
		if err := res.WriteFile(paths[len(paths)-1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range paths {
		for _, engine := range []string{"interp", "wasm"} {
			for name, want := range map[string]string{
				"from_sfo": `[20.0,"NaN",7.5,"NaN","NaN","NaN","NaN","NaN","NaN","NaN","NaN","NaN"]`,
				"ports":    `[{"origin":"JFK","flights":1},{"origin":"LAX","flights":1},{"origin":"SFO","flights":3}]`,
			} {
				res, err := function(t, flightsText, name).Call(context.Background(), godwit.Args{"f": godwit.File(path)}, godwit.WithEngine(engine))
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if got := string(res.JSON()); got != want {
					t.Errorf("%s of %s, %s: %s, expected %s", name, path, engine, got, want)
				}
			}
		}
	}
	type flight struct {
		Date   time.Time
		Origin string
		Delay  *int64
	}
	rows, err := godwit.As[[]flight](res)
	if err != nil || len(rows) != 5 || rows[0].Date != time.Date(2001, 1, 14, 0, 0, 0, 0, time.UTC) || rows[1].Origin != "JFK" || rows[1].Delay != nil || *rows[2].Delay != 5 {
		t.Errorf("%v %v", rows, err)
	}
	again, err := function(t, flightsText, "ports").Call(context.Background(), godwit.Args{"f": rows})
	if err != nil || !strings.Contains(string(again.JSON()), `{"origin":"SFO","flights":3}`) {
		t.Error(again, err)
	}
	back, err := function(t, flightsText, "ports").Call(context.Background(), godwit.Args{"f": res})
	if err != nil || string(back.JSON()) != string(again.JSON()) {
		t.Error(back, err)
	}
}

// TestTextsWithoutRows: a dictionary has the texts of its column where nothing but the dictionary is asked for, whatever else of the
// rows is read; a column is read where an index into an empty table makes it be.
func TestTextsWithoutRows(t *testing.T) {
	const record = "record R { s: Str, k: i64, o: Option<Str> }\n"
	dir := t.TempDir()
	csv, none := filepath.Join(dir, "x.csv"), filepath.Join(dir, "none.csv")
	for path, text := range map[string]string{csv: "s,k,o\nb,1,x\na,2,\nc,3,y\na,4,x\n", none: "s,k,o\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ body, want, empty string }{
		{"[Str] { t.map(|r| r.s).texts() }", `["a","b","c"]`, `[]`},
		{"[Str] { t.group_by(|r| r.s).keys() }", `["a","b","c"]`, `[]`},
		{"i64 { t.group_by(|r| r.s).count().len() }", `3`, `0`},
		{"[Str] { t.filter(|r| r.k > 1).map(|r| r.s).texts() }", `["a","b","c"]`, `[]`},
		{"[Str] { t.group_by(|r| r.s).agg(|g| g.key()) }", `["a","b","c"]`, `[]`},
		{"[Str] { t.map(|r| r.s.upper()).texts() }", `["A","B","C"]`, `[]`},
		{`[Str] { t.map(|r| r.o.or("mm")).texts() }`, `["mm","x","y"]`, `["mm"]`},
		{"[bool] { t.map(|r| r.s).texts().map(|s| s.contains(\"a\")) }", `[true,false,false]`, `[]`},
		{"[i64] { let by = t.index_by(|r| r.s); t.map(|r| (r.k, by.has(r.s))).map(|(k, _)| k) }", `[1,2,3,4]`, `[]`},
	} {
		f := fn(t, record+"fn f(t: &[R; N]) -> "+c.body)
		for _, engine := range []string{"interp", "wasm"} {
			for path, want := range map[string]string{csv: c.want, none: c.empty} {
				r, err := f.Call(t.Context(), godwit.Args{"t": godwit.File(path)}, godwit.WithEngine(engine))
				if err != nil || string(r.JSON()) != want {
					t.Errorf("%s on %s: %s, %v, want %s", c.body, engine, r.JSON(), err, want)
				}
			}
		}
	}
}

// TestAccumulatedTexts: what a fold carries has the texts of its start and of all that its closure gives, in tuples and records too. Where it starts with
// None, it has those of the closure alone.
func TestAccumulatedTexts(t *testing.T) {
	const records = "record E { place: Option<Str>, other: Option<Str>, name: Str, k: i64 }\nrecord A { last: Option<Str>, n: i64 }\n"
	x, y, z, w := "x", "y", "z", "w"
	rows := []struct {
		Place, Other *string
		Name         string
		K            int64
	}{{&x, nil, "aa", 1}, {nil, &y, "bb", 2}, {&z, &w, "cc", 3}, {nil, nil, "dd", 4}}
	for _, c := range []struct{ body, want string }{
		{"[Option<Str>; N] { e.scan(None, |a, r| if r.place.is_some() { r.place } else { a }) }", `["x","x","z","z"]`},
		{"[Option<Str>; N] { e.scan(None::<Str>, |a, r| if r.place.is_some() { r.place } else { a }) }", `["x","x","z","z"]`},
		{"Option<Str> { e.filter(|r| r.k > 1).fold(None, |a, r| if a.is_some() { a } else { r.place }) }", `"z"`},
		{"Option<Str> { e.filter(|r| r.k > 9).fold(None, |a, r| if a.is_some() { a } else { r.place }) }", `null`},
		{"(Option<Str>, i64) { e.fold((None, 0), |a, r| { let (s, n) = a; (if r.place.is_some() { r.place } else { s }, n + 1) }) }", `["z",4]`},
		{"A { e.fold(A { last: None, n: 0 }, |a, r| A { last: if r.place.is_some() { r.place } else { a.last }, n: a.n + 1 }) }", `{"last":"z","n":4}`},
		{"[A; N] { e.scan(A { last: None, n: 0 }, |a, r| A { last: match r.place { Some(p) => Some(p), None => a.last }, n: a.n + 1 }) }",
			`[{"last":"x","n":1},{"last":"x","n":2},{"last":"z","n":3},{"last":"z","n":4}]`},
		{`[Str; N] { e.scan(None, |a, r| if r.place.is_some() { r.place } else { a }).map(|s| s.or("none")) }`, `["x","x","z","z"]`},
		{`[Str] { e.scan(None, |a, r| if r.place.is_some() { r.place } else { a }).map(|s| s.or("none")).texts() }`, `["none","x","z"]`},
		{"[i64; N] { e.scan((None, 0), |a, r| (if r.other.is_some() { r.other } else { a.0 }, a.1 + r.k)).map(|p| p.0.map(|t| t.len()).or(-1) + p.1) }", `[0,4,7,11]`},
		{"[Option<Str>; N] { e.scan(None, |a, r| if r.k == 1 { r.place } else if r.k == 2 { r.other } else { a }) }", `["x","y","y","y"]`},
		{`[Option<Str>; N] { e.scan(None, |a, r| if r.k == 1 { Some("one") } else if r.k == 2 { Some(r.name) } else { a }) }`, `["one","bb","bb","bb"]`},
		{`Str { e.fold("", |a, r| if r.k == 1 { r.name } else { a }) }`, `"aa"`},
		{`Str { e.fold("start", |a, r| if r.k > 9 { r.name } else { a }) }`, `"start"`},
		{"Option<i64> { e.fold(None, |a, r| if r.k > 1 { Some(r.k) } else { a }) }", `4`},
		{"i64 { e.fold(None, |a, r| if r.k > 1 { Some(r.k) } else { a }).or(0) }", `4`},
		{"[Option<Str>; N] { e.map(|r| if r.k > 1 { None } else { r.place }) }", `["x",null,null,null]`},
	} {
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, records+"fn f(e: &[E; N]) -> "+c.body, godwit.Args{"e": rows}, engine); got != c.want {
				t.Errorf("%s on %s: %s, want %s", c.body, engine, got, c.want)
			}
		}
	}
}

// TestEndsOfNoGroups: no row, no group, whatever the key is and whatever is asked of the groups. Groups of known keys are there all the same.
func TestEndsOfNoGroups(t *testing.T) {
	const record = "record R { s: Str, o: Option<Str>, k: i64 }\nrecord D { s: Str, city: Str }\n"
	rows := []struct {
		S string
		O *string
		K int64
	}{{"b", nil, 1}, {"a", nil, 2}}
	other := []struct{ S, City string }{{"a", "x"}, {"c", "y"}}
	for _, c := range []struct{ body, want string }{
		{"[(Str, i64)] { t.filter(|r| r.k > most).group_by(|r| r.s).agg(|g| (g.key(), g.first().k)) }", `[]`},
		{"[i64] { t.filter(|r| r.k > most).group_by(|r| r.s).agg(|g| 1 / g.last().k) }", `[]`},
		{"[i64] { t.filter(|r| r.k > most).group_by(|r| r.s).first().map(|r| 1 / r.k) }", `[]`},
		{"[R] { t.filter(|r| r.k > most).group_by(|r| r.s.upper()).last() }", `[]`},
		{`[R] { t.filter(|r| r.k > most).group_by(|r| r.o.or("")).last() }`, `[]`},
		{`[R] { t.filter(|r| r.k > most).group_by(|r| if r.k > 1 { "late" } else { "early" }).first() }`, `[]`},
		{`[R] { t.take(most - 9).group_by(|r| "all").last() }`, `[]`},
		{"[(Str, i64)] { let by = d.index_by(|r| r.s); t.filter(|r| r.k == 1).join(by, |r| r.s).group_by(|(_, c)| c.city).agg(|g| { let (r, _) = g.last(); (g.key(), r.k) }) }", `[]`},
		{"[R] { t.filter(|r| r.k > most).group_by(|r| (r.s, 0)).last() }", `[]`},
		{"[R] { t.filter(|r| r.k > most).group_by(|r| r.k > 1).last() }", `[]`},
		{"[Option<i64>; 2] { t.filter(|r| r.k > most).group_by::<2>(|r| r.k % 2).last().map(|r| r.map(|v| v.k)) }", `[null,null]`},
		{"[i64; 2] { (0..2).map(|i| t.filter(|r| r.k > 1 + most * (1 - i)).group_by(|r| r.s).last().len()) }", `[0,1]`},
		{"[(Str, i64)] { t.filter(|r| r.k > 1).group_by(|r| r.s).agg(|g| (g.key(), g.last().k + g.first().k)) }", `[["a",4]]`},
	} {
		source := record + "fn f(t: &[R; N], d: &[D; M], most: i64) -> " + c.body
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, source, godwit.Args{"t": rows, "d": other, "most": int64(9)}, engine); got != c.want {
				t.Errorf("%s on %s: %s, want %s", c.body, engine, got, c.want)
			}
		}
	}
}

// TestIndexOverNothing: a table whose texts are looked up in an empty one is read, though nothing asks what was found.
func TestIndexOverNothing(t *testing.T) {
	const record = "record R { s: Str, k: i64 }\n"
	dir := t.TempDir()
	csv := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(csv, []byte("s,k\nb,1\na,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	some, none := filepath.Join(dir, "some.arrow"), filepath.Join(dir, "none.arrow")
	for path, which := range map[string]string{some: "true", none: "r.k > 9"} {
		if _, err := fn(t, record+"fn f(r: &[R; N]) -> [R] { r.filter(|r| "+which+") }").Call(t.Context(), godwit.Args{"r": godwit.File(csv)}, godwit.WithFile(path)); err != nil {
			t.Fatal(err)
		}
	}
	f := fn(t, record+"fn f(t: &[R; N], u: &[R; M]) -> [i64] { let by = u.index_by(|r| r.s); t.map(|r| (r.k, by.has(r.s))).map(|(k, _)| k) }")
	for _, engine := range []string{"interp", "wasm"} {
		for _, c := range []struct{ t, u, want string }{{some, none, "[1,2]"}, {none, some, "[]"}, {none, none, "[]"}} {
			r, err := f.Call(t.Context(), godwit.Args{"t": godwit.File(c.t), "u": godwit.File(c.u)}, godwit.WithEngine(engine))
			if err != nil || string(r.JSON()) != c.want {
				t.Errorf("%s: %s, %v, want %s", engine, r.JSON(), err, c.want)
			}
		}
	}
}
