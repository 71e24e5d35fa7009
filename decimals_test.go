package godwit_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestDecimals runs operations on decimals on both engines. A result that is a fault is its code.
func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		src  string
		args godwit.Args
		want string
	}{
		{"fn f(a: Decimal<10, 2>, b: Decimal<6, 2>) -> (Decimal<10, 2>, Decimal<10, 2>, bool, Decimal<18, 4>) { (a + b, a - b, a < b, a * b) }",
			godwit.Args{"a": "12.50", "b": "0.05"}, `["12.55","12.45",false,"0.6250"]`},
		{"fn f(a: Decimal<10, 2>) -> (Decimal<10, 2>, Decimal<10, 2>, bool, Decimal<10, 2>) { (a * 3, 2 * a, a >= 12.5, -a + 1) }", godwit.Args{"a": "12.50"}, `["37.50","25.00",true,"-11.50"]`},
		{"fn f(a: Decimal<10, 2>) -> (f64, i64, Decimal<18, 4>, Decimal<10, 2>) { (a as f64, a as i64, a as Decimal<18, 4>, 7 as Decimal<10, 2>) }", godwit.Args{"a": "-12.55"}, `[-12.55,-12,"-12.5500","7.00"]`},
		{"fn f(a: Decimal<18, 0>) -> Decimal<18, 0> { a * 1000 }", godwit.Args{"a": "999999999999999999"}, "R01"},
		{"fn f(a: &[Decimal<9, 1>; N]) -> (Decimal<9, 1>, Decimal<9, 1>, idx<N>, f64) { (a.sum(), a.max(), a.argmin(), a.map(|e| e as f64).mean()) }", godwit.Args{"a": []string{"0.5", "1.5", "-2"}}, `["0.0","1.5",2,0.0]`},
		{"fn f(a: &[Decimal<9, 1>; N]) -> [Decimal<9, 1>; 2] { a.group_by::<2>(|e| if e < 0.0 { 0 } else { 1 }).sum() }", godwit.Args{"a": []string{"0.1", "0.2", "-0.3"}}, `["-0.3","0.3"]`},
	} {
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, c.src, c.args, engine); got != c.want {
				t.Errorf("%s, %s: got %s, want %s", c.src, engine, got, c.want)
			}
		}
	}
	for _, c := range []struct{ src, want string }{
		{"fn f(a: Decimal<10, 2>, b: Decimal<10, 3>) -> bool { a < b }", "help: a as Decimal<18, 3> < b"},
		{"fn f(a: Decimal<10, 2>, b: Decimal<10, 2>) -> f64 { a / b }", "help: a as f64 / b as f64"},
		{"fn f(a: Decimal<10, 2>, b: f64) -> f64 { a * b }", "help: a as f64 * b"},
		{"fn f(a: Decimal<10, 2>, b: i64) -> bool { a < b }", "help: a < b as Decimal<10, 2>"},
		{"fn f(a: Decimal<10, 2>) -> bool { a < 0.125 }", "it has more than 2 digits behind the point"},
		{"fn f(a: Decimal<19, 2>) -> bool { true }", "`Decimal` takes two numbers"},
		{"fn f(a: &[Decimal<9, 2>; N]) -> f64 { a.mean() }", "help: .map(|e| e as f64).mean()"},
	} {
		if _, err := godwit.Compile(c.src); err == nil || !containsText(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.src, err, c.want)
		}
	}
}

// TestFilesOfDecimals writes decimals in each format, and reads them back.
func TestFilesOfDecimals(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(in, []byte("price,n\n12.5,1\n,2\n-0.05,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	src := "record R { price: Option<Decimal<8, 2>>, n: Decimal<4, 1> }\npub fn f(r: &[R; N]) -> [R; N] { r }\nrecord S { price: Option<Decimal<8, 1>> }\npub fn g(r: &[S; N]) -> i64 { r.count(|e| e.price.is_some()) + r.count(|e| e.price.or(0.0) > 1) }"
	want := `[{"price":"12.50","n":"1.0"},{"price":null,"n":"2.0"},{"price":"-0.05","n":"3.0"}]`
	for _, ext := range []string{".csv", ".arrow", ".parquet", ""} {
		res, err := function(t, src, "f").Call(context.Background(), godwit.Args{"r": godwit.File(in)})
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if got := string(res.JSON()); got != want {
			t.Fatalf("%s: %s, expected %s", in, got, want)
		}
		if ext == "" {
			break
		}
		in = filepath.Join(dir, "out"+ext)
		if err := res.WriteFile(in); err != nil {
			t.Fatal(err)
		}
	}
	_, err := function(t, src, "g").Call(context.Background(), godwit.Args{"r": godwit.File(in)})
	if err == nil || !containsText(err.Error(), "row 2: column `price`: expected Decimal<8, 1>, found -0.05, which does not fit") {
		t.Error(err)
	}
}

// Decimals of CSV that ?types= names are stored as such in a data set, and stay so when rows are added.
func TestDataSetsOfDecimals(t *testing.T) {
	c := started(t, 3)
	src := "record R { id: i64, amount: Decimal<18, 2> }\nfn f(r: &[R; N]) -> ([R; N], Decimal<18, 2>) { (r.map(|e| e), r.map(|e| e.amount).sum()) }"
	stored(t, c, csvOf(t, "id,amount\n1,0.1\n2,1234567890123456.78\n")+"?types=amount:Decimal", "money", godwit.LoadOptions{Shards: 2})
	stored(t, c, csvOf(t, "amount,id\n0.20,3\n5,4\n"), "money", godwit.LoadOptions{Append: true})
	if got, want := typesOf(t, c, "money"), "id: i64, amount: Decimal<18, 2>"; got != want {
		t.Errorf("stored as %s, want %s", got, want)
	}
	for _, strategy := range []godwit.Strategy{godwit.Fetch, godwit.Ship} {
		res, err := function(t, src, "f").Call(t.Context(), godwit.Args{"r": godwit.DataSet("money")}, godwit.WithCluster(c), godwit.WithStrategy(strategy))
		if err != nil {
			t.Fatal(err)
		}
		want := `[[{"id":1,"amount":"0.10"},{"id":2,"amount":"1234567890123456.78"},{"id":3,"amount":"0.20"},{"id":4,"amount":"5.00"}],"1234567890123462.08"]`
		if got := string(res.JSON()); got != want {
			t.Errorf("%s: %s, want %s", strategy, got, want)
		}
	}
	more := csvOf(t, "id,amount\n5,0.125\n")
	_, err := c.Load(t.Context(), more, "money", godwit.LoadOptions{Append: true})
	if err == nil || !containsText(err.Error(), "it has more than 2 digits behind the point; @money has Decimal<18, 2> there") || !containsText(help(err), "write ?types=amount:Decimal behind the name of the file, and --widen") {
		t.Error(err, help(err))
	}
	stored(t, c, csvOf(t, "id,amount\n1,0.1\n")+"?types=amount:Decimal", "small", godwit.LoadOptions{})
	stored(t, c, more+"?types=amount:Decimal", "small", godwit.LoadOptions{Append: true, Widen: true})
	if got, want := typesOf(t, c, "small"), "id: i64, amount: Decimal<18, 3>"; got != want {
		t.Errorf("stored as %s, want %s", got, want)
	}
}

// The rows of a data set are not converted: integers and floats are no decimals, and no times.
func TestNumbersOfDataSetsAreNotMeant(t *testing.T) {
	c := started(t, 1)
	stored(t, c, csvOf(t, "n,x\n5,0.5\n"), "s", godwit.LoadOptions{})
	for _, tt := range []struct{ field, want string }{
		{"n: Decimal<18, 2>", "help: declare it as i64, and convert it: `as Decimal<18, 2>`"},
		{"n: Timestamp", "column `n`: expected Timestamp<us>, found i64, and the rows of a data set are not converted"},
		{"x: Decimal<18, 2>", "help: declare it as f64; or, if its rows come from CSV, load all of them anew with that type: ?types=x:Decimal<18,2> behind the names of the files, and --replace"},
	} {
		src := "record R { " + tt.field + " }\nfn f(r: &[R; N]) -> [R; N] { r.map(|e| e) }"
		res, err := function(t, src, "f").Call(t.Context(), godwit.Args{"r": godwit.DataSet("s")}, godwit.WithCluster(c))
		if err == nil || !containsText(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v, want %s", tt.field, res, err, tt.want)
		}
	}
}

// TestDecimalsOfDataSetsAreNoNumbers: what stands for a decimal or a time of day is no number to a program over a data set, as it is none to one over the file.
func TestDecimalsOfDataSetsAreNoNumbers(t *testing.T) {
	c := started(t, 2)
	stored(t, c, csvOf(t, "p,t\n1.50,08:30\n2.25,09:00\n")+"?types=p:Decimal<10,2>,t:Time", "s", godwit.LoadOptions{})
	for _, typ := range []string{"f64", "f32", "i64", "i32", "u8", "bool", "idx<400>", "Option<f64>", "Option<i64>"} {
		for _, field := range []string{"p", "t"} {
			for _, src := range []struct{ text, set string }{
				{"record R { " + field + ": " + typ + " }\nfn f(r: &[R; N]) -> [R; N] { r.map(|e| e) }", "s"},
				{"fn f(r: &[" + typ + "; N]) -> [" + typ + "; N] { r.map(|e| e) }", "s#" + field},
			} {
				for _, strategy := range []godwit.Strategy{godwit.Fetch, godwit.Ship} {
					res, err := function(t, src.text, "f").Call(t.Context(), godwit.Args{"r": godwit.DataSet(src.set)}, godwit.WithCluster(c), godwit.WithStrategy(strategy))
					if err == nil || !containsText(err.Error(), "column `"+field+"`: expected numbers") {
						t.Errorf("%s, %s: %v, %v", field, typ, res, err)
					}
				}
			}
		}
	}
	for _, tt := range []struct{ typ, want string }{{"Decimal<10, 2>", `["1.50","2.25"]`}, {"Decimal<12, 2>", `["1.50","2.25"]`}, {"Decimal<9, 2>", ""}, {"Decimal<12, 3>", ""}} {
		src := "record R { p: " + tt.typ + " }\nfn f(r: &[R; N]) -> [" + tt.typ + "; N] { r.map(|e| e.p) }"
		res, err := function(t, src, "f").Call(t.Context(), godwit.Args{"r": godwit.DataSet("s")}, godwit.WithCluster(c))
		if (err == nil) != (tt.want != "") || err == nil && string(res.JSON()) != tt.want {
			t.Errorf("%s: %v, %v", tt.typ, res, err)
		}
	}
}
