package godwit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// typesOf are the columns of a set, as programs declare them.
func typesOf(t *testing.T, c *godwit.Cluster, name string) string {
	t.Helper()
	set, ok := c.View().Named(name)
	if !ok {
		t.Fatalf("@%s is not there", name)
	}
	var list []string
	for i := range set.Columns {
		list = append(list, set.Columns[i].Name+": "+set.Columns[i].Type())
	}
	return strings.Join(list, ", ")
}

func csvOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A column of which nothing is known is what the first rows say that have a value in it, and is read as the files are together.
func TestAppendToUnknown(t *testing.T) {
	c := started(t, 3)
	for _, tt := range []struct{ name, value, typ, program string }{
		{"text", "x", "Option<Str>", "record R { n: Option<Str>, i: i64 }"},
		{"date", "2020-01-02", "Option<Date>", "record R { n: Option<Date>, i: i64 }"},
		{"moment", "2020-01-02T08:00:00Z", "Option<Timestamp<us>>", "record R { n: Option<Timestamp>, i: i64 }"},
		{"large", "9007199254740993", "Option<i64>", "record R { n: Option<i64>, i: i64 }"},
		{"float", "1.25", "Option<f64>", "record R { n: Option<f64>, i: i64 }"},
		{"bool", "true", "Option<bool>", "record R { n: Option<bool>, i: i64 }"},
		{"as text", "y", "Option<Str>", "record R { n: Str, i: i64 }"},
	} {
		p, err := godwit.Compile(tt.program + "\nfn rows(r: &[R; N]) -> [R; N] { r.map(|e| e) }")
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{"blocks", "rows"} {
			paths := []string{csvOf(t, "n,i\n,1\n,2\n,3\n"), csvOf(t, "n,i\n,4\n\"\",5\n"), csvOf(t, "i,n\n6,"+tt.value+"\n7,\n"), csvOf(t, "n,i\n,8\n"), csvOf(t, "n,i\n"+tt.value+",9\n")}
			opt := godwit.LoadOptions{Shards: 2, By: by, Replace: true}
			for i, path := range paths {
				if _, err := c.Load(t.Context(), path, "s", opt); err != nil {
					t.Fatalf("%s, file %d: %v", tt.name, i, err)
				}
				want := tt.typ
				if i < 2 {
					want = "Option<i8>"
				}
				if got := typesOf(t, c, "s"); got != "n: "+want+", i: i64" {
					t.Errorf("%s, after file %d: %s, expected %s", tt.name, i, got, want)
				}
				for _, s := range []godwit.Strategy{godwit.Ship, godwit.Fetch} {
					f, err := p.Func("rows")
					if err != nil {
						t.Fatal(err)
					}
					got, err := f.Call(t.Context(), godwit.Args{"r": godwit.DataSet("s")}, godwit.WithCluster(c), godwit.WithStrategy(s))
					if err != nil {
						t.Fatalf("%s, after file %d: %v", tt.name, i, err)
					}
					want, err := f.Call(t.Context(), godwit.Args{"r": godwit.Files(paths[:i+1])})
					if err != nil {
						t.Fatal(err)
					}
					if string(got.JSON()) != string(want.JSON()) {
						t.Errorf("%s, after file %d: %s, the files have %s", tt.name, i, got.JSON(), want.JSON())
					}
				}
				opt = godwit.LoadOptions{Append: true}
			}
			for i, path := range paths[1:] { // whose answers were lost, also before the column had a type
				l, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Append: true})
				if err != nil || l.More == nil || !l.More.Known {
					t.Errorf("%s, file %d again: %+v, %v", tt.name, i+1, l, err)
				}
			}
		}
	}
}

// Each refusal says what the set has and what to write, and that is taken.
func TestAppendWidens(t *testing.T) {
	c := started(t, 2)
	for _, tt := range []struct{ name, first, more, refused, help, types, rows string }{
		{"a float among integers", "v\n1\n2\n", "v\n2.5\n", "expected an integer (i64), found \"2.5\"; @s has i64 there", "add --widen: then the column is f64", "v: f64", "[1.0,2.0,2.5]"},
		{"a null", "v\n1\n", "v,w\n,1\n", "expected a value, found an empty field; @s has i64 there", "add --widen: then the column is Option<i64>", "v: Option<i64>", "[1,null]"},
		{"a moment among dates", "v\n2020-01-01\n", "v\n2020-01-01T08:00:00Z\n", "@s has Date there", "add --widen: then the column is Timestamp<us>", "v: Timestamp<us>", `["2020-01-01T00:00:00Z","2020-01-01T08:00:00Z"]`},
		{"a column too few", "v\n1\n", "w\n1\n", "@s has the column `v`", "add --widen: then these rows have no value there", "v: Option<i64>", "[1,null]"},
		{"a word for a missing text", "v\na\n", "v\nNA\nb\n", "expected text, found a null: @s has none in this column", "add --widen: then the column is Option<Str>", "v: Option<Str>", `["a",null,"b"]`},
		{"an integer beyond i64", "v\n-1\n", "v\n18446744073709549568\n", "@s has i64 there", "add --widen: then the column is f64", "v: f64", "[-1.0,1.844674407370955e+19]"},
	} {
		skip := []string(nil)
		if strings.Contains(tt.more, "w") {
			skip = []string{"w"}
		}
		if _, err := c.Load(t.Context(), csvOf(t, tt.first), "s", godwit.LoadOptions{Replace: true}); err != nil {
			t.Fatal(err)
		}
		path := csvOf(t, tt.more) + "?na=NA"
		_, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Append: true, Skip: skip})
		if err == nil || !strings.Contains(err.Error(), tt.refused) || !strings.Contains(help(err), tt.help) {
			t.Errorf("%s: %v, %q", tt.name, err, help(err))
		}
		for again := range 2 {
			l, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Append: true, Widen: true, Skip: skip})
			if err != nil || l.More.Known != (again > 0) {
				t.Fatalf("%s: %+v, %v", tt.name, l, err)
			}
		}
		if got := typesOf(t, c, "s"); got != tt.types {
			t.Errorf("%s: %s, expected %s", tt.name, got, tt.types)
		}
		f := fn(t, fmt.Sprintf("fn f(v: &[%s; N]) -> [%[1]s; N] { v.map(|x| x) }", strings.TrimPrefix(tt.types, "v: ")))
		r, err := f.Call(t.Context(), godwit.Args{"v": godwit.DataSet("s")}, godwit.WithCluster(c))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if got := string(r.JSON()); got != tt.rows {
			t.Errorf("%s: %s, expected %s", tt.name, got, tt.rows)
		}
	}
}

// Where no type holds both, the help says how all rows are loaded anew, and that works.
func TestAppendAnew(t *testing.T) {
	c := started(t, 2)
	if _, err := c.Load(t.Context(), csvOf(t, "v,k\n1,a\n"), "s", godwit.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	word := csvOf(t, "k,v\nb,one\n")
	for _, widen := range []bool{false, true} {
		_, err := c.Load(t.Context(), word, "s", godwit.LoadOptions{Append: true, Widen: widen})
		if err == nil || !strings.Contains(err.Error(), "found \"one\"; @s has i64 there") {
			t.Fatal(err)
		}
		if want := "load the files of all rows anew, with the column as text: ?text=v behind their names, and --replace"; !strings.Contains(help(err), want) {
			t.Errorf("%q, expected %s", help(err), want)
		}
	}
	before := csvOf(t, "v,k\n1,a\n")
	if _, err := c.Load(t.Context(), before+","+word+"?text=v", "s", godwit.LoadOptions{Replace: true}); err != nil || typesOf(t, c, "s") != "v: Str, k: Str" {
		t.Errorf("%s, %v", typesOf(t, c, "s"), err)
	}
	if _, err := c.Load(t.Context(), word, "none", godwit.LoadOptions{Append: true}); help(err) != "leave --append out: then it is a new data set" {
		t.Errorf("%v: %q", err, help(err))
	}
}

// A word for a missing value takes a column from programs that declare it as Str, and a note says so; empty fields do not.
func TestAppendedBlanks(t *testing.T) {
	c := started(t, 2)
	if _, err := c.Load(t.Context(), csvOf(t, "k,i\na,1\n"), "s", godwit.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	f := fn(t, "record R { k: Str }\nfn f(r: &[R; N]) -> [Str; N] { r.map(|e| e.k) }")
	answer := func() string {
		r, err := f.Call(t.Context(), godwit.Args{"r": godwit.DataSet("s")}, godwit.WithCluster(c))
		if err != nil {
			return err.Error()
		}
		return string(r.JSON())
	}
	if l, err := c.Load(t.Context(), csvOf(t, "k,i\n,2\n"), "s", godwit.LoadOptions{Append: true}); err != nil || len(l.Notes) > 0 || typesOf(t, c, "s") != "k: Option<Str>, i: i64" || answer() != `["a",""]` {
		t.Errorf("%+v, %v, %s", l, err, answer())
	}
	l, err := c.Load(t.Context(), csvOf(t, "k,i\nNA,3\n")+"?na=NA", "s", godwit.LoadOptions{Append: true})
	if err != nil || len(l.Notes) != 1 || !strings.Contains(l.Notes[0], "column `k` has a missing value in row 0 that is no empty field") || !strings.Contains(answer(), "expected a value, found") {
		t.Errorf("%+v, %v, %s", l, err, answer())
	}
}

// The type that --widen is said to make is the one it makes: a Parquet column that may have nulls, and has none, makes no Option.
func TestWidenedTypeIsTold(t *testing.T) {
	c := started(t, 1)
	table := func(name string, kind num.Kind, values, valid []byte) string {
		path := filepath.Join(t.TempDir(), name)
		out := &data.Output{Rows: 1, Columns: []data.OutColumn{{Name: "m", Kind: kind, Values: values, Valid: valid, Optional: valid != nil}}}
		if err := data.Write(path, out); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		valid []byte
		said  string
		typ   string
	}{{nil, "add --widen: then the column is i64", "m: i64"}, {[]byte{1}, "add --widen: then the column is i64, as an Option if a value is missing", "m: i64"},
		{[]byte{0}, "add --widen: then the column is i64, as an Option if a value is missing", "m: Option<i64>"}} {
		first, more := table("a.parquet", num.I32, []byte{1, 0, 0, 0}, nil), table("b.parquet", num.I64, []byte{1, 0, 0, 0, 1, 0, 0, 0}, tt.valid)
		if tt.valid != nil && tt.valid[0] == 0 {
			more = table("b.parquet", num.I64, make([]byte, 8), tt.valid)
		}
		if _, err := c.Load(t.Context(), first, "s", godwit.LoadOptions{Replace: true}); err != nil {
			t.Fatal(err)
		}
		_, err := c.Load(t.Context(), more, "s", godwit.LoadOptions{Append: true})
		if err == nil || help(err) != tt.said {
			t.Errorf("%v: %v\n%s", tt.valid, err, help(err))
		}
		if _, err := c.Load(t.Context(), more, "s", godwit.LoadOptions{Append: true, Widen: true}); err != nil {
			t.Fatal(err)
		}
		if got := typesOf(t, c, "s"); got != tt.typ {
			t.Errorf("%v: %s", tt.valid, got)
		}
	}
}
