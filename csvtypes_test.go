package godwit_test

import (
	"testing"

	"github.com/godwit-run/godwit"
)

// A program that runs on a CSV runs on the data set that was loaded with ?types= from it, and with rows that are added.
func TestDataSetsOfDeclaredTypes(t *testing.T) {
	c := started(t, 3)
	const options = "?types=amt:Decimal<10,2>,t:Time,du:Duration,zip:i64,f:f32"
	src := "record R { amt: Decimal<10, 2>, t: Time, du: Option<Duration>, zip: i64, f: f32 }\nfn f(r: &[R; N]) -> ([R; N], Decimal<10, 2>) { (r.map(|e| e), r.map(|e| e.amt).sum()) }"
	in := csvOf(t, "amt,t,du,zip,f\n12.5,08:30:00,90min,00501,0.1\n3,09:00:01.25,,10001,2\n")
	stored(t, c, in+options, "tt", godwit.LoadOptions{Shards: 2})
	if got, want := typesOf(t, c, "tt"), "amt: Decimal<10, 2>, t: Time, du: Option<Duration<us>>, zip: i64, f: f32"; got != want {
		t.Errorf("stored as %s, want %s", got, want)
	}
	f := function(t, src, "f")
	onFile, err := f.Call(t.Context(), godwit.Args{"r": godwit.File(in)})
	if err != nil {
		t.Fatal(err)
	}
	table, err := godwit.OpenFiles(t.Context(), godwit.FileOptions{Types: []string{"amt:Decimal<10,2>", "t:Time", "du:Duration", "zip:i64"}}, in)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	asked, err := f.Call(t.Context(), godwit.Args{"r": table})
	if err != nil || string(asked.JSON()) != string(onFile.JSON()) {
		t.Errorf("%v, %v, want %s", asked, err, onFile.JSON())
	}
	onSet, err := f.Call(t.Context(), godwit.Args{"r": godwit.DataSet("tt")}, godwit.WithCluster(c))
	if err != nil || string(onSet.JSON()) != string(onFile.JSON()) {
		t.Errorf("%v, %v, want %s", onSet, err, onFile.JSON())
	}
	more := csvOf(t, "amt,t,du,zip,f\n1,00:00:00,1h,00007,1\n")
	stored(t, c, more, "tt", godwit.LoadOptions{Append: true})
	stored(t, c, more+options, "tt", godwit.LoadOptions{Append: true})
	stored(t, c, more+"?types=amt:Decimal<12,3>,zip:u8,t:Time,du:Duration<ns>,f:f64", "tt", godwit.LoadOptions{Append: true, Widen: true})
	if got, want := typesOf(t, c, "tt"), "amt: Decimal<12, 3>, t: Time, du: Option<Duration<ns>>, zip: i64, f: f64"; got != want {
		t.Errorf("stored as %s, want %s", got, want)
	}
	for _, tt := range []struct{ text, options, want, help string }{
		{"amt,t,du,zip,f\n1,x,1h,1,1\n", "?types=t:Time", ":2:3: column `t`: expected a time such as 08:30:00, found \"x\"", "?types=t:Str"},
		{"amt,t,du,zip,f\n1,1h,1h,1,1\n", "?types=t:Duration", "column `t`: expected Time, found Duration<us>, as ?types= says", "?types=t:Time"},
	} {
		_, err := c.Load(t.Context(), csvOf(t, tt.text)+tt.options, "tt", godwit.LoadOptions{Append: true})
		if err == nil || !containsText(err.Error(), tt.want) || !containsText(help(err), tt.help) {
			t.Errorf("%s: %v, help %s, want %s", tt.options, err, help(err), tt.want)
		}
	}
}

// The message about a data set whose column has another type says how to load it, which then works.
func TestHelpToLoadTypes(t *testing.T) {
	c := started(t, 1)
	in := csvOf(t, "amt,t,zip,n\n12.5,08:30:00,00501,1\n3,09:00:01,10001,2\n")
	stored(t, c, in, "tt", godwit.LoadOptions{})
	for _, tt := range []struct{ field, msg, option string }{
		{"t: Time", "column `t`: expected Time, found Str", "?types=t:Time"},
		{"zip: i64", "column `zip`: expected numbers (i64), found text", "?types=zip:i64"},
		{"amt: Decimal<10, 2>", "column `amt`: expected Decimal<10, 2>, found f64", "?types=amt:Decimal<10,2>"},
		{"n: Decimal<10, 2>", "column `n`: expected Decimal<10, 2>, found i64", "?types=n:Decimal<10,2>"},
		{"n: Str", "column `n`: expected text (Str), found i64", "?types=n:Str"},
	} {
		f := function(t, "record R { "+tt.field+" }\nfn f(r: &[R; N]) -> [R; N] { r.map(|e| e) }", "f")
		_, err := f.Call(t.Context(), godwit.Args{"r": godwit.DataSet("tt")}, godwit.WithCluster(c))
		if err == nil || !containsText(err.Error(), tt.msg) || !containsText(help(err), "with that type: "+tt.option+" behind the names of the files, and --replace") {
			t.Errorf("%s: %v, help %s", tt.field, err, help(err))
		}
		stored(t, c, in+tt.option, "again", godwit.LoadOptions{Replace: true})
		if _, err := f.Call(t.Context(), godwit.Args{"r": godwit.DataSet("again")}, godwit.WithCluster(c)); err != nil {
			t.Errorf("%s after %s: %v", tt.field, tt.option, err)
		}
	}
}
