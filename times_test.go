package godwit_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// TestTimes runs operations on dates and times on both engines. A result that is a fault is its code.
func TestTimes(t *testing.T) {
	date, stamp := godwit.Text("2001-03-14"), godwit.Text("2001-03-14T08:30:45.25Z")
	for _, c := range []struct {
		src  string
		args godwit.Args
		want string
	}{
		{"fn f(d: Date) -> (i64, i64, i64, i64, i64, i64) { (d.year(), d.month(), d.day(), d.weekday(), d.day_of_year(), d.quarter()) }", godwit.Args{"d": date}, "[2001,3,14,2,73,1]"},
		{"fn f(d: Date) -> (Date, Date, Date, Date) { (d.truncate(week), d.truncate(month), d.truncate(quarter), d.truncate(year)) }", godwit.Args{"d": date},
			`["2001-03-12","2001-03-01","2001-01-01","2001-01-01"]`},
		{"fn f(d: Date) -> (Date, Date, Date, Duration<s>) { (d + 1day, d - 48h, d.add_days(-14), d - 2001-03-01) }", godwit.Args{"d": date},
			`["2001-03-15","2001-03-12","2001-02-28","P13D"]`},
		{"fn f(d: Date, n: Duration) -> Date { d + n }", godwit.Args{"d": date, "n": godwit.Text("1h")}, "R05"},
		{"fn f(d: Date, n: i64) -> Date { d.add_days(n) }", godwit.Args{"d": date, "n": int64(1) << 40}, "R04"},
		{"fn f(d: Date) -> (i64, i32, f64, Timestamp, Timestamp<s>) { (d as i64, d as i32, d as f64, d as Timestamp, d as Timestamp<s>) }", godwit.Args{"d": date},
			`[11395,11395,11395.0,"2001-03-14T00:00:00Z","2001-03-14T00:00:00Z"]`},
		{"fn f(t: Timestamp) -> (i64, i64, i64, Date, Time) { (t.hour(), t.minute(), t.second(), t.date(), t.time()) }", godwit.Args{"t": stamp}, `[8,30,45,"2001-03-14","08:30:45.250"]`},
		{"fn f(t: Timestamp) -> (Timestamp, Timestamp, Timestamp, Timestamp) { (t.truncate(second), t.truncate(minute), t.truncate(day), t.truncate(month)) }", godwit.Args{"t": stamp},
			`["2001-03-14T08:30:45Z","2001-03-14T08:30:00Z","2001-03-14T00:00:00Z","2001-03-01T00:00:00Z"]`},
		{"fn f(t: Timestamp<ms>) -> (Timestamp<ms>, Duration<ms>, bool) { (t + 250ms, t - 2001-03-14, t > 2001-03-14T08:30:45Z) }", godwit.Args{"t": stamp},
			`["2001-03-14T08:30:45.500Z","PT8H30M45.250S",true]`},
		{"fn f(t: Timestamp) -> (Timestamp<s>, Timestamp<ns>, i64) { (t as Timestamp<s>, t as Timestamp<ns>, t as Timestamp<ms> as i64) }", godwit.Args{"t": stamp},
			`["2001-03-14T08:30:45Z","2001-03-14T08:30:45.250Z",984558645250]`},
		{"fn f(t: Timestamp) -> (i64, Date, i64) { let u = t - 40000day; (u.hour(), u.date(), u.weekday()) }", godwit.Args{"t": stamp}, `[8,"1891-09-07",0]`},
		{"fn f(d: Duration) -> (Duration, Duration, Duration, Duration, f64, f64) { (d + 30min, -d, d * 2, d / 4, d.hours(), d.seconds()) }", godwit.Args{"d": godwit.Text("1h30min")},
			`["PT2H","-PT1H30M","PT3H","PT22M30S",1.5,5400.0]`},
		{"fn f(d: Duration) -> Duration { d * 4000000000 }", godwit.Args{"d": godwit.Text("1h30min")}, "R01"},
		{"fn f(t: Time) -> (i64, bool, Duration) { (t.hour(), t < 09:00:00, t - 08:00) }", godwit.Args{"t": godwit.Text("08:30")}, ""},
		{"fn f(t: Time) -> (i64, bool, Duration) { (t.hour(), t < 09:00:00, t - 08:00:00) }", godwit.Args{"t": godwit.Text("08:30")}, `[8,true,"PT30M"]`},
		{"fn f(n: i64) -> Time { n as Time }", godwit.Args{"n": int64(-1)}, "R05"},
		{"fn f(n: i64) -> (Date, Timestamp<s>, Duration<ms>) { (n as Date, n as Timestamp<s>, n as Duration<ms>) }", godwit.Args{"n": int64(-1)},
			`["1969-12-31","1969-12-31T23:59:59Z","-PT0.001S"]`},
		{"fn f(d: &[Date; N]) -> (Date, Date, idx<N>, [Date; N], i64) { (d.min(), d.max(), d.argmax(), d.sort_desc(), d.count(|e| e >= 2001-01-01)) }",
			godwit.Args{"d": []string{"2001-01-01", "1999-12-31", "2003-05-06"}}, `["1999-12-31","2003-05-06",2,["2003-05-06","2001-01-01","1999-12-31"],2]`},
		{"fn f(d: &[Duration; N]) -> (Duration, f64) { (d.sum(), d.map(|e| e.minutes()).mean()) }", godwit.Args{"d": []time.Duration{time.Hour, time.Minute}}, `["PT1H1M",30.5]`},
		{"fn f(d: &[Date; N]) -> [i64; 12] { d.histogram::<12>(|e| e.month() - 1) }", godwit.Args{"d": []string{"2001-01-01", "1999-12-31", "2003-01-06"}}, "[2,0,0,0,0,0,0,0,0,0,0,1]"},
		{"fn f(d: &[Date; N]) -> [Date; 2] { d.group_by::<2>(|e| e.year() % 2).max() }", godwit.Args{"d": []string{"2001-01-01", "1998-12-31", "2003-01-06"}}, `["1998-12-31","2003-01-06"]`},
		{"fn f(d: &[Option<Date>; N]) -> [Date; N] { d.map(|e| e.or(1970-01-01)) }", godwit.Args{"d": godwit.Text("[Some(2001-01-01), None]")}, `["2001-01-01","1970-01-01"]`},
		{"const START = 2001-03-01;\npub fn f(d: Date) -> bool { d >= START }", godwit.Args{"d": date}, "true"},
		{"fn f(d: Date) -> i64 { match d { 2001-03-14 | 2001-03-15 => 1, _ => 2 } }", godwit.Args{"d": date}, "1"},
		{"fn late<T: Ord>(a: T, b: T) -> T { a.max(b) }\npub fn f(d: Date) -> Date { late(d, 2002-01-01) }", godwit.Args{"d": date}, `"2002-01-01"`},
		{"fn f(d: Date) -> Date { let mut x = d; for i in 0..3 { x = x + 1day; } x }", godwit.Args{"d": date}, `"2001-03-17"`},
		{"fn f(d: &[Date; N]) -> [i64; N] { d.year() }", godwit.Args{"d": []string{"2001-01-01"}}, "[2001]"},
		{"fn f(d: &[Date; N]) -> Date { d.fold(1970-01-01, |a, e| a.max(e)) }", godwit.Args{"d": []string{"2001-01-01", "2000-01-01"}}, `"2001-01-01"`},
	} {
		if c.want == "" {
			if _, err := godwit.Compile(c.src); err == nil {
				t.Errorf("%s passes the checks", c.src)
			}
			continue
		}
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, c.src, c.args, engine); got != c.want {
				t.Errorf("%s, %s: got %s, want %s", c.src, engine, got, c.want)
			}
		}
	}
}

// TestCalendarOfPrograms compares parts of random days with those of package time.
func TestCalendarOfPrograms(t *testing.T) {
	type parts struct {
		Year, Month, Day, Weekday, OfYear int64
		Week, First                       time.Time
		Hour, Minute                      int64
	}
	p, err := godwit.Compile(`record Parts { year: i64, month: i64, day: i64, weekday: i64, of_year: i64, week: Timestamp<s>, first: Timestamp<s>, hour: i64, minute: i64 }
fn f(t: &[Timestamp<s>; N]) -> [Parts; N] {
    t.map(|e| Parts { year: e.year(), month: e.month(), day: e.day(), weekday: e.weekday(), of_year: e.day_of_year(), week: e.truncate(week), first: e.truncate(month), hour: e.hour(), minute: e.minute() })
}`)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	in := make([]time.Time, 5000)
	for i := range in {
		in[i] = time.Unix(r.Int64N(4e11)-2e11, 0).UTC()
	}
	for _, engine := range []string{"interp", "wasm"} {
		res, err := f.Call(context.Background(), godwit.Args{"t": in}, godwit.WithEngine(engine))
		if err != nil {
			t.Fatal(err)
		}
		out, err := godwit.As[[]parts](res)
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range in {
			monday := (int(at.Weekday()) + 6) % 7
			y, m, d := at.Date()
			want := parts{int64(y), int64(m), int64(d), int64(monday), int64(at.YearDay()),
				time.Date(y, m, d-monday, 0, 0, 0, 0, time.UTC), time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), int64(at.Hour()), int64(at.Minute())}
			if out[i] != want {
				t.Fatalf("%s: %v has the parts %v, expected %v", engine, at, out[i], want)
			}
		}
	}
}

// TestMeantHelps: what makes no sense on a date or text is refused in the words of its type, with what to write.
func TestMeantHelps(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"fn f(a: Date, b: Date) -> Date { a * b }", "error[F03]: `*` is not defined on these values\n --> program.gw:1:34\n  1 | fn f(a: Date, b: Date) -> Date { a * b }\n    |                                  ^^^^^ Date * Date\n  help: a as i64 * b as i64"},
		{"fn f(a: Str) -> Str { a + 1 }", "help: text becomes a number where it is read: declare the field as i64, or Option<i64>"},
		{"fn f(a: Date) -> Date { a + 1 }", "help: a.add_days(1)"},
		{"fn f(a: Date) -> Date { a + 90min }", "a Date moves by whole days"},
		{"fn f(a: Date, t: Timestamp) -> bool { a < t }", "help: (a as Timestamp<us>) < t"},
		{"fn f(a: Timestamp<s>, t: Timestamp) -> bool { a < t }", "help: a as Timestamp<us> < t"},
		{"fn f(a: Timestamp<s>, d: Duration) -> Timestamp<s> { a + d }", "help: a + d as Duration<s>"},
		{"fn f(a: Timestamp) -> Date { a as Date }", "help: a.date()"},
		{"fn f(a: Timestamp) -> Date { a }", "help: a.date()"},
		{"fn f(a: Date) -> i64 { a }", "help: a as i64"},
		{"fn f(a: i64) -> Date { a }", "help: a as Date"},
		{"fn f(a: Str) -> i64 { a }", "declare the field as i64, or Option<i64>"},
		{"fn f(a: Str) -> f64 { a as f64 }", "declare the field as f64, or Option<f64>"},
		{"fn f(a: &[Date; N]) -> f64 { a.mean() }", "help: .map(|e| e as i64).mean()"},
		{"fn f(a: &[Duration; N]) -> f64 { a.mean() }", "help: .map(|e| e.days()).mean()"},
		{"fn f(a: Date) -> Date { a.truncate(hour) }", "`truncate` takes the name of a unit"},
		{"fn f(a: Duration<s>) -> bool { a < 250ms }", "this literal does not fit its type"},
		{"fn f(a: Timestamp<m>) -> i64 { 1 }", "`Timestamp` takes one unit"},
		{"fn f(a: Date) -> bool { a == 2001-02-29 }", "month 2 of 2001 has no day 29"},
		{"fn f(a: &[Str; N], b: &[Str; N]) -> [bool; N] { a.zip(b).map(|(s, t)| s.starts_with(t)) }", "`starts_with` looks for a literal, or for an argument of type Str"},
		{"fn f(a: string) -> i64 { 1 }", "help: Str"},
		{"fn f(a: DateTime) -> i64 { 1 }", "help: Timestamp"},
		{"fn f(a: Date) -> i64 { a.mnth() }", "did you mean `month`?"},
		{"fn f(a: &[i64; N]) -> [i64; 8] { a.histogram(|e| e) }", "help: histogram::<8>(|e| e)"},
	} {
		_, err := godwit.Compile(c.src)
		if err == nil {
			t.Errorf("%s passes the checks", c.src)
		} else if text := err.Error(); !containsText(text, c.want) {
			t.Errorf("%s:\n%s\nexpected in it:\n%s", c.src, text, c.want)
		}
	}
}

// TestFilesOfTimes writes each meaning in each format, reads it back, and finds out what is wrong with bad input.
func TestFilesOfTimes(t *testing.T) {
	src := `record Row { day: Date, at: Timestamp<ms>, seen: Timestamp<s>, for: Duration, since: Option<Timestamp<ns>>, place: Str, note: Option<Str> }
pub fn f(r: &[Row; N]) -> [Row; N] { r }
pub fn days(d: &[Date; N]) -> [Date; N] { d }`
	src = replaceAll(src, "for: Duration", "`for`: Duration")
	dir := t.TempDir()
	text := "day,at,seen,for,since,place,note\n2001-03-14,2001-03-14T08:30:00.250Z,2001-03-14 08:30:00,90min,,SFO,\"a, \"\"b\"\"\"\n" +
		"-0044-03-15,1969-12-31T23:00:00-05:00,1600-01-01T00:00:00Z,PT-,2001-01-01T00:00:00.000000001Z,,\n"
	text = replaceAll(text, "PT-", "-PT0.5S")
	first := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(first, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := `[{"day":"2001-03-14","at":"2001-03-14T08:30:00.250Z","seen":"2001-03-14T08:30:00Z","for":"PT1H30M","since":null,"place":"SFO","note":"a, \"b\""},` +
		`{"day":"-0044-03-15","at":"1970-01-01T04:00:00Z","seen":"1600-01-01T00:00:00Z","for":"-PT0.500S","since":"2001-01-01T00:00:00.000000001Z","place":"","note":null}]`
	f := function(t, src, "f")
	for _, engine := range []string{"interp", "wasm"} {
		in := first
		for _, ext := range []string{".csv", ".arrow", ".parquet", ""} {
			res, err := f.Call(context.Background(), godwit.Args{"r": godwit.File(in)}, godwit.WithEngine(engine))
			if err != nil {
				t.Fatalf("%s: %v", in, err)
			}
			if got := string(res.JSON()); got != want {
				t.Fatalf("%s, %s:\n%s, expected\n%s", engine, in, got, want)
			}
			if ext != "" {
				in = filepath.Join(dir, engine+ext)
				if err := res.WriteFile(in); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	days := function(t, src, "days")
	npy := filepath.Join(dir, "d.npy")
	res, err := days.Call(context.Background(), godwit.Args{"d": []string{"2001-03-14", "1969-12-31"}})
	if err == nil {
		err = res.WriteFile(npy)
	}
	if err == nil {
		res, err = days.Call(context.Background(), godwit.Args{"d": godwit.File(npy)})
	}
	if err != nil || string(res.JSON()) != `["2001-03-14","1969-12-31"]` {
		t.Error(res, err)
	}
	for _, c := range []struct{ text, want string }{
		{"d\n2001-03-14\n2001-02-30\n", "bad.csv:3:1: column `d`: expected a date such as 2001-03-14, found \"2001-02-30\": month 2 of 2001 has no day 30"},
		{"d\n14.3.2001\n", "bad.csv:2:1: column `d`: expected a date such as 2001-03-14, found \"14.3.2001\""},
		{"d\n20010314\n", "expected a date such as 2001-03-14, found \"20010314\""},
		{"d,e\n,1\n", "bad.csv:2:1: column `d`: expected a value, found an empty field"},
	} {
		bad := filepath.Join(dir, "bad.csv")
		if err := os.WriteFile(bad, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := days.Call(context.Background(), godwit.Args{"d": godwit.File(bad)})
		if err == nil || !containsText(err.Error(), c.want) {
			t.Errorf("%q: %v, expected %s", c.text, err, c.want)
		}
	}
}

// TestUnitsOfFiles: what a file counts in another unit is converted, or refused where that would round.
func TestUnitsOfFiles(t *testing.T) {
	dir := t.TempDir()
	f := function(t, "pub fn f(t: &[Timestamp<ms>; N]) -> [Timestamp<ms>; N] { t }", "f")
	for _, c := range []struct{ ext, declared, in, want string }{
		{".arrow", "Timestamp<ns>", "2001-03-14T08:30:00.250Z", `["2001-03-14T08:30:00.250Z"]`},
		{".parquet", "Timestamp<ns>", "2001-03-14T08:30:00.250Z", `["2001-03-14T08:30:00.250Z"]`},
		{".npy", "Timestamp<s>", "2001-03-14T08:30:00Z", `["2001-03-14T08:30:00Z"]`},
		{".parquet", "Timestamp<s>", "2001-03-14T08:30:00Z", `["2001-03-14T08:30:00Z"]`},
		{".parquet", "Date", "2001-03-14", `["2001-03-14T00:00:00Z"]`},
		{".arrow", "Date", "2001-03-14", `["2001-03-14T00:00:00Z"]`},
		{".parquet", "Timestamp<us>", "2001-03-14T08:30:00.000250Z", "row 0: column `value`: expected Timestamp<ms>, found 2001-03-14T08:30:00.000250Z, which is no whole number of ms that fits"},
		{".arrow", "Duration<ms>", "5s", "column `value`: expected Timestamp<ms>, found Duration<ms> (duration[ms])"},
		{".arrow", "i64", "5", "column `value`: expected Timestamp<ms>, found i64 (int64)"},
		{".parquet", "Str", "abc", "column `value`: expected Timestamp<ms>, found text"},
	} {
		g := function(t, "pub fn g(t: &["+c.declared+"; N]) -> ["+c.declared+"; N] { t }", "g")
		path := filepath.Join(dir, "x"+c.ext)
		res, err := g.Call(context.Background(), godwit.Args{"t": godwit.Text("[" + c.in + "]")})
		if err == nil {
			err = res.WriteFile(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if res, err = f.Call(context.Background(), godwit.Args{"t": godwit.File(path)}); err != nil {
			got = err.Error()
		} else {
			got = string(res.JSON())
		}
		if !containsText(got, c.want) {
			t.Errorf("%s of %s: %s, expected %s", c.ext, c.declared, got, c.want)
		}
	}
}
