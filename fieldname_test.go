package godwit_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestColumnsOfAnyName: a program names columns that are reserved words, or no names of the language; so does
// what it writes.
func TestColumnsOfAnyName(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(in, []byte("in,dep delay (min.),2020,fn,ok\n1,10,5,true,7\n2,20,6,false,8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := fn(t, "record R { `in`: i64, `dep delay (min.)`: f64, `2020`: i32, `fn`: bool, `ok`: i64 }\n"+
		"record S { `where`: f64, `a, b`: i64, c: bool }\n"+
		"fn f(r: &[R; N]) -> [S; N] { r.map(|r| S { `where`: r.`dep delay (min.)` + (r.`2020` as f64), `a, b`: r.`in` + r.ok, c: r.`fn` }) }")
	for _, ext := range []string{"csv", "parquet", "arrow"} {
		res, err := f.Call(context.Background(), godwit.Args{"r": godwit.File(in)})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out."+ext)
		if err := res.WriteFile(out); err != nil {
			t.Fatal(err)
		}
		again := fn(t, "record S { `where`: f64, `a, b`: i64 }\nfn f(s: &[S; N]) -> (f64, i64) { (s.map(|s| s.`where`).sum(), s.map(|s| s.`a, b`).sum()) }")
		got, err := again.Call(context.Background(), godwit.Args{"s": godwit.File(out)})
		if err != nil {
			t.Fatal(err)
		}
		if string(got.JSON()) != "[41.0,18]" {
			t.Errorf("%s: %s", ext, got.JSON())
		}
		if want := `[{"where":15.0,"a, b":8,"c":true},{"where":26.0,"a, b":10,"c":false}]`; string(res.JSON()) != want {
			t.Errorf("%s, expected %s", res.JSON(), want)
		}
	}
	// As a value of the command line.
	one := fn(t, "record R { `in`: i64, `a b`: i64 }\nfn f(r: R) -> i64 { r.`in` + r.`a b` }")
	for _, text := range []string{"{in: 1, `a b`: 2}", `{"in": 1, "a b": 2}`} {
		if got, err := one.Call(context.Background(), godwit.Args{"r": godwit.Text(text)}); err != nil || string(got.JSON()) != "3" {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, help := range map[string]string{
		"record R { in: i64 }\nfn f(r: &[R; N]) -> i64 { 0 }":                    "`in`",
		"record R { a: i64 }\nfn f(r: &[R; N]) -> i64 { r.map(|r| r.in).sum() }": "`in`",
		"record R { `a: i64 }\nfn f(r: &[R; N]) -> i64 { 0 }":                    "backtick",
		"record R { `a?`: i64 }\nfn f(r: &[R; N]) -> i64 { 0 }":                  "another name",
		"record R { a: i64 }\nfn `f g`(r: &[R; N]) -> i64 { 0 }":                 "name",
	} {
		_, err := godwit.Compile(text)
		if err == nil || !strings.Contains(err.Error(), help) {
			t.Errorf("%s: %v, expected a word about %s", text, err, help)
		}
	}
}
