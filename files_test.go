package godwit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit"
)

// listed writes the rows of a table as several files and gives their pattern, and one file with all.
func listed(t *testing.T, ext string, cuts []int, rows int) (pattern, whole string) {
	t.Helper()
	dir := t.TempDir()
	make := fn(t, `record R { a: i32, b: Option<f64>, k: i16 }
fn f(a: &[i32; N], from: i64) -> [R; N] { a.map(|e| R { a: e, b: if e % 7 == 3 { None } else { Some((e as f64) * 0.1) }, k: (e % 50) as i16 }) }`)
	write := func(path string, lo, hi int) {
		a := []int32{}
		for i := lo; i < hi; i++ {
			a = append(a, int32(i))
		}
		res, err := make.Call(t.Context(), godwit.Args{"a": a, "from": 0})
		if err != nil {
			t.Fatal(err)
		}
		if err := res.WriteFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for i, lo := range cuts {
		hi := rows
		if i+1 < len(cuts) {
			hi = cuts[i+1]
		}
		write(filepath.Join(dir, fmt.Sprintf("part-%d%s", i, ext)), lo, hi)
	}
	whole = filepath.Join(dir, "whole"+ext)
	write(whole, 0, rows)
	return filepath.Join(dir, "part-*"+ext), whole
}

// Programs over a list of files give what they give over one file with the same rows: with any number of threads, on every engine, with
// statistics and without, as values and in a file.
func TestListAsOneFile(t *testing.T) {
	funcs := []string{
		"fn f(t: &[R; N]) -> f64 { t.map(|r| r.b.or(0.5)).sum() }",
		"fn f(t: &[R; N]) -> [f64; 50] { t.filter(|r| r.a > 9_000).group_by::<50>(|r| r.k.clamp_idx::<50>()).mean(|r| r.b.or(1.0)) }",
		"fn f(t: &[R; N]) -> [i32; N] { t.map(|r| r.a).sort_desc() }",
		"fn f(t: &[R; N]) -> [i64; N] { t.map(|r| (r.a as i64) * 3 + (r.k as i64)) }",
		"fn f(t: &[R; N]) -> i64 where N >= 3 { t.map(|r| r.a as i64).window::<3>().map(|w| w[0] * w[2]).wrap_sum() }",
		"fn f(t: &[R; N]) -> i64 { let mut s = 0; for i in 0..N { s = s +% (t[i].a as i64) * (i as i64); } s }",
	}
	for _, ext := range []string{".parquet", ".csv", ".arrow", ".jsonl"} {
		rows := 12_345
		cuts := []int{0, 1, 1, 500, 9_000, 9_001, 12_345}
		pattern, whole := listed(t, ext, cuts, rows)
		for _, src := range funcs {
			if strings.Contains(src, "wrap_sum") {
				src = strings.ReplaceAll(src, ".wrap_sum()", ".fold(0, |a, e| a +% e)")
			}
			f := fn(t, "record R { a: i32, b: Option<f64>, k: i16 }\n"+src)
			want, err := f.Call(t.Context(), godwit.Args{"t": godwit.File(whole)})
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			for _, opts := range [][]godwit.Option{{godwit.WithThreads(1)}, {godwit.WithThreads(2)}, {godwit.WithThreads(7)}, {godwit.WithEngine("interp")}, {godwit.WithEngine("wasm")}} {
				for _, arg := range []any{godwit.Files{pattern}, godwit.Text(pattern)} {
					got, err := f.Call(t.Context(), godwit.Args{"t": arg}, opts...)
					if err != nil || string(got.JSON()) != string(want.JSON()) {
						t.Fatalf("%s, %s: %v, %v", ext, src, got, err)
					}
				}
			}
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		f := fn(t, "record R { a: i32 }\nfn f(t: &[R; N]) -> [i32; N] { t.map(|r| r.a) }")
		if _, err := f.Call(t.Context(), godwit.Args{"t": godwit.Files{pattern}}, godwit.WithFile(out)); err != nil {
			t.Fatal(err)
		}
		again, err := fn(t, "fn f(v: &[i32; N]) -> i64 { v.sum() }").Call(t.Context(), godwit.Args{"v": godwit.File(out)})
		if err != nil || again.String() != fmt.Sprint(rows*(rows-1)/2) {
			t.Errorf("%v, %v", again, err)
		}
		part := strings.Replace(pattern, "*", "3", 1)
		if _, err := f.Call(t.Context(), godwit.Args{"t": godwit.Files{pattern}}, godwit.WithFile(part)); err == nil || !strings.Contains(err.Error(), "is an argument of this call") {
			t.Errorf("a file of the list would be replaced: %v", err)
		}
	}
}

// The bits of float sums do not depend on where rows are cut into files.
func TestCutsDoNotMatter(t *testing.T) {
	const rows = 150_000
	f := fn(t, "record R { a: i32, b: Option<f64> }\nfn f(t: &[R; N]) -> (f64, f64) { (t.map(|r| r.b.or(0.25)).sum(), t.filter(|r| r.a % 3 == 1).map(|r| r.a as f64 * 0.3).mean()) }")
	_, whole := listed(t, ".parquet", []int{0}, rows)
	want, err := f.Call(t.Context(), godwit.Args{"t": godwit.File(whole)})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		cuts := append([]int{0}, rapid.SliceOfN(rapid.IntRange(0, rows), 0, 5).Draw(r, "cuts")...)
		slices.Sort(cuts)
		pattern, _ := listed(t, rapid.SampledFrom([]string{".parquet", ".arrow"}).Draw(r, "format"), cuts, rows)
		got, err := f.Call(t.Context(), godwit.Args{"t": godwit.Files{pattern}}, godwit.WithThreads(rapid.IntRange(1, 4).Draw(r, "threads")))
		if err != nil || string(got.JSON()) != string(want.JSON()) {
			r.Fatalf("%v, %v, expected %v", got, err, want)
		}
	})
}

// A list of arrays is predicted as one array is.
func TestListIsPredicted(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		res, err := fn(t, "fn f(x: &[f64; N]) -> [f64; N] { x }").Call(t.Context(), godwit.Args{"x": make([]float64, 100_000)})
		if err != nil {
			t.Fatal(err)
		}
		if err := res.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.npy", i))); err != nil {
			t.Fatal(err)
		}
	}
	f := fn(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }")
	s, err := f.Predict(t.Context(), godwit.Args{"x": godwit.Files{dir}})
	if err != nil || s.Predicted == nil || s.Plan.Sizes["N"] != 300_000 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A file of a list that is written to between the calls over an open table ends the call that would read it.
func TestOpenFiles(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")}
	for i, p := range paths {
		if err := os.WriteFile(p, fmt.Appendf(nil, "n;x\nA;1,%d\nB;-\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(p, past, past); err != nil {
			t.Fatal(err)
		}
	}
	src, err := godwit.OpenFiles(t.Context(), godwit.FileOptions{Decimal: ',', NA: []string{"-"}}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	f := fn(t, "fn f(x: &[Option<f64>; N]) -> [f64; N] { x.map(|e| e.or(9.0)) }")
	for range 2 {
		res, err := f.Call(t.Context(), godwit.Args{"x": src})
		if err != nil || string(res.JSON()) != "[1.0,9.0,1.1,9.0]" {
			t.Errorf("%v, %v", res, err)
		}
	}
	if err := rewrite(paths[1]); err != nil {
		t.Fatal(err)
	}
	var changed *godwit.ChangedError
	if _, err := f.Call(t.Context(), godwit.Args{"x": src}); !errors.As(err, &changed) || changed.Path != paths[1] {
		t.Error(err)
	}
	for _, bad := range [][]string{nil, {filepath.Join(dir, "c*.csv")}} {
		if _, err := godwit.OpenFiles(t.Context(), godwit.FileOptions{}, bad...); err == nil {
			t.Errorf("%v is opened", bad)
		}
	}
}

// A name with options behind it is told from one of a file, and what the help says is read.
func TestOptionsInNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "us.csv")
	if err := os.WriteFile(path, []byte("item,price\nA,\"1,234.50\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := fn(t, "record R { price: f64 }\nfn f(x: &[R; N]) -> f64 { x.sum(|r| r.price) }")
	name := path + "?thousands=,"
	var input *godwit.InputError
	for _, arg := range []any{godwit.File(name), godwit.Files{name}} {
		if _, err := f.Call(t.Context(), godwit.Args{"x": arg}); !errors.As(err, &input) || !strings.Contains(input.Help, fmt.Sprintf("godwit.Text(%q)", name)) {
			t.Errorf("%T: %v", arg, err)
		}
	}
	if _, err := godwit.OpenFiles(t.Context(), godwit.FileOptions{}, name); !errors.As(err, &input) || !strings.Contains(input.Help, "godwit.FileOptions") {
		t.Errorf("OpenFiles: %v", err)
	}
	if _, err := f.Call(t.Context(), godwit.Args{"x": godwit.File(path + "x?thousands=,")}); !errors.As(err, &input) || strings.Contains(input.Help, "godwit.Text") {
		t.Errorf("of a file that is not there: %v", err)
	}
	if res, err := f.Call(t.Context(), godwit.Args{"x": godwit.Text(name)}); err != nil || string(res.JSON()) != "1234.5" {
		t.Errorf("%v, %v", res, err)
	}
}

// A field of JSON lines that no row has is a null, as one is that some rows have; an empty file has no rows, of whatever fields.
func TestAbsentFields(t *testing.T) {
	dir := t.TempDir()
	const source = "record R { i: i64, o: Option<i64>, s: Option<Str> }\nfn f(r: &[R; N]) -> (i64, i64, i64) { (r.map(|x| x.i).sum(), r.count(|x| x.o.is_some()), r.count(|x| x.s.or(\"q\") == \"q\")) }"
	for text, want := range map[string]string{
		"{\"i\":1}\n{\"i\":2}\n": "[3,0,2]", "{\"i\":1,\"o\":null}\n{\"i\":2,\"o\":5,\"s\":\"a\"}\n": "[3,1,1]", "": "[0,0,0]",
		"{\"o\":1}\n": "no column `i`", "{\"i\":1,\"sss\":\"a\"}\n": "[1,0,1]",
	} {
		path := filepath.Join(dir, "x.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, engine := range []string{"interp", "wasm"} {
			r, err := fn(t, source).Call(t.Context(), godwit.Args{"r": godwit.File(path)}, godwit.WithEngine(engine))
			if err != nil && !strings.Contains(err.Error(), want) || err == nil && string(r.JSON()) != want {
				t.Errorf("%q on %s: %v, want %s", text, engine, err, want)
			}
		}
	}
}

// Whether there is a text can be asked where nobody asks what it says, of files of each format.
func TestPresenceOfText(t *testing.T) {
	dir := t.TempDir()
	const record = "record R { i: i64, s: Option<Str> }\n"
	path := filepath.Join(dir, "x.jsonl")
	if err := os.WriteFile(path, []byte("{\"i\":1,\"s\":\"a\"}\n{\"i\":2}\n{\"i\":3,\"s\":\"\"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"x.jsonl", "x.parquet", "x.arrow", "x.csv"} {
		to = filepath.Join(dir, to)
		if to != path {
			if _, err := fn(t, record+"fn f(r: &[R; N]) -> [R; N] { r }").Call(t.Context(), godwit.Args{"r": godwit.File(path)}, godwit.WithFile(to)); err != nil {
				t.Fatal(err)
			}
		}
		for _, engine := range []string{"interp", "wasm"} {
			r, err := fn(t, record+"fn f(r: &[R; N]) -> (i64, i64) { (r.count(|x| x.s.is_some()), r.filter(|x| x.s.is_none()).map(|x| x.i).sum()) }").
				Call(t.Context(), godwit.Args{"r": godwit.File(to)}, godwit.WithEngine(engine))
			want := "[2,2]"
			if filepath.Ext(to) == ".csv" { // where an empty text is none
				want = "[1,5]"
			}
			if err != nil || string(r.JSON()) != want {
				t.Errorf("%s on %s: %s, %v, want %s", to, engine, r.JSON(), err, want)
			}
		}
	}
}
