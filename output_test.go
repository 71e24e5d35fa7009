package godwit_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit"
)

// A file is not replaced by the result of a call that reads it, under whatever name.
func TestOutputIsNoInput(t *testing.T) {
	f := fn(t, "fn f(v: &[f64; N]) -> [f64; N] { v.map(|e| e + 1.0) }")
	dir := t.TempDir()
	in, link := filepath.Join(dir, "v.csv"), filepath.Join(dir, "w.csv")
	const text = "v\n1\n2\n"
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in, link); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{in, link} {
		_, err := f.Call(t.Context(), godwit.Args{"v": godwit.File(in)}, godwit.WithFile(out))
		var input *godwit.InputError
		if !errors.As(err, &input) || input.Help == "" {
			t.Errorf("%s: %v", filepath.Base(out), err)
		}
	}
	if is, err := os.ReadFile(in); err != nil || string(is) != text {
		t.Errorf("the file is now %q, %v", is, err)
	}
	if _, err := f.Call(t.Context(), godwit.Args{"v": godwit.File(in)}, godwit.WithFile(filepath.Join(dir, "new.csv"))); err != nil {
		t.Error(err)
	}
}

// Fields keep their names in files, also those that begin with a digit; only parts of tuples, which have none, are given one.
func TestNamesInFiles(t *testing.T) {
	dir := t.TempDir()
	f := fn(t, "record R { `2020`: i64, `1st`: i64, x: i64 }\nfn f(r: &[R; N]) -> [R; N] { r.map(|x| { let mut y = x; y.x = x.x + 1; y }) }")
	in := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(in, []byte("2020,1st,x\n1,2,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".csv", ".jsonl", ".arrow", ".parquet"} {
		at := filepath.Join(dir, "r"+ext)
		if _, err := f.Call(t.Context(), godwit.Args{"r": godwit.File(in)}, godwit.WithFile(at)); err != nil {
			t.Fatal(err)
		}
		res, err := f.Call(t.Context(), godwit.Args{"r": godwit.File(at)})
		if err != nil {
			t.Fatal(err)
		}
		if is := string(res.JSON()); is != `[{"2020":1,"1st":2,"x":5}]` {
			t.Errorf("%s: %s", ext, is)
		}
	}
	parts := fn(t, "fn f(v: &[i64; N]) -> [(i64, (bool, i64)); N] { v.map(|x| (x, (true, x))) }")
	at := filepath.Join(dir, "parts.csv")
	if _, err := parts.Call(t.Context(), godwit.Args{"v": []int64{7}}, godwit.WithFile(at)); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(at); err != nil || string(b) != "value_0,value_1.0,value_1.1\n7,true,7\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// What no column of a file can be is refused by its name, with what to do instead.
func TestOptionsInFiles(t *testing.T) {
	const several = " is an Option of a record, a tuple or another Option; a file holds an Option of one value, or of one array"
	const inside = " has an Option inside of the array of a row; in a file only whole rows are missing"
	for _, c := range []struct{ text, want string }{
		{"fn f(v: &[i64; N]) -> [Option<(i64, bool)>; N] { v.map(|x| Some((x, true))) }", "column `value`" + several},
		{"record P { x: i64, y: f64 }\nrecord R { a: i64, p: Option<P> }\nfn f(v: &[i64; N]) -> [R; N] { v.map(|x| R { a: x, p: Some(P { x: x, y: 1.0 }) }) }", "column `p`" + several},
		{"fn f(v: &[i64; N]) -> [Option<Option<i64>>; N] { v.map(|x| Some(Some(x))) }", "column `value`" + several},
		{"record R { a: [Option<i64>; 2] }\nfn f(v: &[i64; N]) -> [R; N] { v.map(|x| R { a: [Some(x), None] }) }", "column `a`" + inside},
	} {
		at := filepath.Join(t.TempDir(), "r.csv")
		_, err := fn(t, c.text).Call(t.Context(), godwit.Args{"v": []int64{1, 2, 3}}, godwit.WithFile(at))
		var input *godwit.InputError
		if !errors.As(err, &input) || input.Text != at+": "+c.want || input.Help == "" {
			t.Errorf("%v", err)
		}
	}
}
