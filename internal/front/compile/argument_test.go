package compile

import (
	"github.com/godwit-run/godwit/internal/data"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTextMeansFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("plain", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"a.npy": "a.npy", "a.PARQUET#delay": "a.PARQUET delay", "dir/a": "dir/a", "plain": "plain",
		"a.csv,dir/b": "a.csv, dir/b", "a.csv?sep=;#x": "a.csv x", "part-?.csv": "part-?.csv", "-": "-", "-1": "", "a.csv.gz": "a.csv.gz", "*": "*",
		"3": "", "2.5": "", "[1, 2]": "", "{x: 1}": "", "None": "", "": "", "#x": "", "1.e5": "",
	} {
		s, ok, err := data.ParseSpec(text)
		if got := ""; ok {
			if got = strings.TrimSpace(strings.Join(s.Names, ", ") + " " + s.Column); got != want {
				t.Errorf("%q means %q, want %q", text, got, want)
			}
		}
		if ok != (want != "") || err != nil {
			t.Errorf("%q: %v, %v", text, ok, err)
		}
	}
}

func TestParseArgs(t *testing.T) {
	args, err := ParseArgs([]string{"v=a=b.npy", " k = 3"})
	if err != nil || args["v"] != Text("a=b.npy") || args["k"] != Text("3") {
		t.Errorf("%v, %v", args, err)
	}
	for _, bad := range [][]string{{"v"}, {"=3"}, {"v=1", "v=2"}} {
		if _, err := ParseArgs(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

func program(t *testing.T, text string) *Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.gw")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	sources, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Check(sources...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestChoose(t *testing.T) {
	several := "fn a() -> i64 { 1 }\n%s fn b() -> i64 { 2 }\nmod m { pub fn c() -> i64 { 3 } }"
	for _, c := range []struct{ public, name, want, fails string }{
		{"", "a", "a", ""},
		{"", "m::c", "m::c", ""},
		{"", "c", "m::c", ""},
		{"", "", "", "several functions"},
		{"pub", "", "b", ""},
		{"", "d", "", "no function `d`"},
	} {
		got, err := program(t, strings.Replace(several, "%s", c.public, 1)).Choose(c.name)
		if got != c.want || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%q %q: %q, %v", c.public, c.name, got, err)
		}
	}
}

// TestOnlyUsedColumns makes sure that a plan asks for no column that no
// kernel reads.
func TestOnlyUsedColumns(t *testing.T) {
	p := program(t, `record Row { a: i32, b: f64, c: i16 }
fn f(t: &[Row; N]) -> i64 { t.filter(|r| r.c > 1).map(|r| r.a).sum() }`)
	f, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Bind(Args{"t": Text("[{a: 1, b: 2.0, c: 3}, {a: 10, b: 2.0, c: 1}]")})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	plan, err := b.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for leaf, used := range []bool{true, false, true} {
		if got := plan.Inputs.Params[0].Leaves[leaf].Source != nil; got != used {
			t.Errorf("column %d is read: %v, want %v", leaf, got, used)
		}
	}
}
