package compile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// helpFor binds the only argument of a program to a file and gives the help of what is wrong.
func helpFor(t *testing.T, source, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f := function(t, source)
	b, err := f.Bind(Args{"v": File{Path: path}})
	if err == nil {
		_, _, err = b.Values(t.Context())
		b.Close()
	}
	if err == nil {
		return ""
	}
	var e *InputError
	var file *data.Error
	switch {
	case errors.As(err, &e):
		return e.Help
	case errors.As(err, &file):
		return file.Help
	}
	t.Fatal(err)
	return ""
}

// A help that is followed leads to a program that runs, or to another message, never round and
// round.
func TestHelpsOfFilesComeToAnEnd(t *testing.T) {
	for _, c := range []struct {
		kind, text, want string
	}{
		{"u8", "1\n-1\n", "declare a wider type: i16"},
		{"u32", "1\n-1\n", "declare a wider type: i64"},
		{"i8", "1\n200\n", "declare a wider type: i16"},
		{"u64", "1\n18446744073709551616\n", "no integer type holds it: declare it as f64, or leave the column out"},
		{"u64", "1\n123456789012345678901234567891\n", "no integer type holds it: declare it as f64 and write it with a point, as 123456789012345678901234567891.0, to have it rounded, or leave the column out"},
		{"f64", "1\n123456789012345678901234567891.0\n", ""},
		{"i64", "-1\n9223372036854775808\n", "declare it as u64 if nothing in it is negative, else as f64, or leave the column out"},
		{"f64", "-1\n9223372036854775808\n", ""},
		{"i64", "-1\n9223372036854775809\n", "declare it as u64 if nothing in it is negative, else as f64 and write it with a point, as 9223372036854775809.0, to have it rounded, or leave the column out"},
		{"f64", "-1\n9223372036854775809\n", "declare an integer type, and convert it with `as f64`, which rounds; if no integer type holds the whole column, write it with a point, as 9223372036854775809.0, to have it rounded"},
		{"f64", "-1\n9223372036854775809.0\n", ""},
		{"f64", "1\n2.5\n", ""},
		{"i8", "1\n1e3\n", "declare it as f64"},
		{"f64", "1\n1e3\n", ""},
		{"i64", "1\n1_000\n", "mend the field: a number is digits, with a sign, a point or an exponent; leave the field empty where a value is missing, and declare Option; or declare the column as Str, or leave it out"},
		{"u64", "1\n-1\n", "declare it as i64 if nothing in it is above 9223372036854775807, else as f64, or leave the column out"},
		{"i64", "1\n2.5\n", "declare it as f64"},
		{"f64", "-1\n9223372036854775809.0\n", ""},
		{"f64", "1\n18446744073709551616\n", ""},
		{"f64", "1\n18446744073709551617\n", "no type holds it: write it with a point, as 18446744073709551617.0, to have it rounded, or leave the column out"},
	} {
		if got := helpFor(t, "fn f(v: &["+c.kind+"; N]) -> i64 { v.map(|e| e as i64).sum() }", "x.csv", "v\n"+c.text); got != c.want && c.kind != "f64" {
			t.Errorf("%s of %q: %s", c.kind, c.text, got)
		} else if c.kind == "f64" {
			if got := helpFor(t, "fn f(v: &[f64; N]) -> f64 { v.sum() }", "x.csv", "v\n"+c.text); got != c.want {
				t.Errorf("f64 of %q: %s", c.text, got)
			}
		}
	}
}

// What a file is stands before what is wrong in it.
func TestHelpsOfWrongFiles(t *testing.T) {
	for _, c := range []struct{ source, name, text, want string }{
		{"f64", "x.csv", "\x1f\x8b\x08\x00data", "write or copy the file again"},
		{"f64", "x.npy", "\x28\xb5\x2f\xfddata", "write or copy the file again"},
		{"f64", "x.csv", "PK\x03\x04data", "unzip"},
		{"f64", "x.csv", "PAR1data", "name it .parquet"},
		{"f64", "x.parquet", "ARROW1\x00\x00", "name it .arrow"},
		{"f64", "x.arrow", "\x93NUMPY\x01\x00", "name it .npy"},
		{"f64", "x.arrow", "v,w\n1,2\n", "name it .csv"},
		{"f64", "x.parquet", "v\n1\n", "name it .csv"},
		{"f64", "x.csv", "v,w\n1\n", "leave a field empty where a value is missing"},
		{"f64", "x.csv", "v,w\n1,2,3\n", "put fields that contain a comma in quotes"},
		{"f64", "x.csv", "# made by hand\nv,w\n1,2\n", "x.csv?skip=1"},
		{"f64; N, M", "x.csv", "a,b\n1,2\n", "such as &[(f64, f64); N]"},
	} {
		typ := c.source
		if !strings.Contains(typ, ";") {
			typ += "; N"
		}
		if got := helpFor(t, "fn f(v: &["+typ+"]) -> i64 { v.len() }", c.name, c.text); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q: %s", c.name, c.text, got)
		}
	}
	optional := "fn f(v: &[Option<(f64, f64)>; N]) -> i64 { v.map(|e| match e { Some(_) => 1i64, None => 0i64 }).sum() }"
	if got := helpFor(t, optional, "x.csv", "a,b\n1,2\n"); got != "declare its fields as Option<T> one by one" {
		t.Errorf("an Option of a tuple: %s", got)
	}
}

func function(t *testing.T, text string) *Func {
	t.Helper()
	f, err := program(t, text).Func("")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A `;` too much is said once, where leaving it out helps.
func TestLostValueIsSaidOnce(t *testing.T) {
	_, err := Check(diag.NewSource("x.gw", "fn f(v: &[i64; N]) -> i64 { v.sum(); }"))
	var e *SourceError
	if !errors.As(err, &e) || len(e.Messages) != 1 || e.Messages[0].Code != "T13" {
		t.Error(err)
	}
}

// Of several functions the one is offered that no other calls.
func TestOffersTheFunctionThatNoOtherCalls(t *testing.T) {
	p := program(t, "fn g(x: i64) -> i64 { x }\nfn main(x: i64) -> i64 { g(x) }")
	_, err := p.Choose("")
	var e *InputError
	if !errors.As(err, &e) || !strings.HasSuffix(e.Help, ":main") {
		t.Errorf("%v", err)
	}
}
