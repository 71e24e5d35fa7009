package godwit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// A session over a file: types by what is in it, declarations, names for expressions.
func TestSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trips.csv")
	if err := os.WriteFile(path, []byte("day,carrier,delay\n2001-03-14,UA,20\n2001-03-15,AA,\n2001-03-16,UA,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := godwit.NewSession()
	record, err := s.Bind(t.Context(), "trips", godwit.File(path))
	if want := "record Trips { day: Date, carrier: Str, delay: Option<i64> }"; err != nil || record != want {
		t.Fatalf("%q, %v; want %q", record, err, want)
	}
	if names, err := s.Declare("/// Late means more than ten minutes.\nfn late(d: Option<i64>) -> bool { d.or(0) > LIMIT }\nconst LIMIT = 10;"); err != nil || !slices.Equal(names, []string{"late", "LIMIT"}) {
		t.Fatal(names, err)
	}
	for _, l := range [][2]string{{"known", "trips.filter(|r| r.delay.is_some())"}, {"mean", "known.mean(|r| r.delay.or(0))"}} {
		if err := s.Let(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(expr, typ, json string) {
		t.Helper()
		r, err := s.Eval(t.Context(), expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			return
		}
		if r.Type() != typ || string(r.JSON()) != json {
			t.Errorf("%s: %s of type %s, want %s of type %s", expr, r.JSON(), r.Type(), json, typ)
		}
	}
	ask("1 + 2", "i64", "3")
	ask("trips.count(|r| late(r.delay))", "i64", "1")
	ask("mean", "f64", "12.0")
	ask("trips.map(|r| r.day).max()", "Date", `"2001-03-16"`) // the file is known not to be empty
	ask("known.map(|r| r.carrier)", "[Str; 2]", `["UA","UA"]`)
	ask("{\n  let d = trips.map(|r| r.delay.or(0));\n  (d.sum(), d[1])\n}", "(i64, i64)", "[24,0]")
	if _, err := s.Declare("const LIMIT = 20;"); err != nil {
		t.Fatal(err)
	}
	ask("trips.count(|r| late(r.delay))", "i64", "0")
	if !s.Drop("mean") || s.Drop("mean") || !slices.Equal(s.Names(), []string{"late", "LIMIT", "trips", "known"}) {
		t.Errorf("names: %v", s.Names())
	}
}

// What is refused says where, by the lines that were written, and changes nothing.
func TestSessionRefuses(t *testing.T) {
	s := godwit.NewSession()
	if err := s.Let("x", "[1, 2, 3]"); err != nil {
		t.Fatal(err)
	}
	before := s.Names()
	_, wrong := s.Eval(t.Context(), "x.sum() +\n  y")
	_, broken := s.Declare("fn f( -> i64 { 1 }")
	_, untyped := s.Declare("fn f(a: &[Nothing; N]) -> i64 { 1 }")
	_, twice := s.Declare("fn f() -> i64 { 1 }\nfn f() -> i64 { 2 }")
	_, name := s.Bind(t.Context(), "fn", godwit.File("x.csv"))
	_, missing := s.Bind(t.Context(), "f", godwit.File("x.csv"))
	_, number := s.Bind(t.Context(), "f", godwit.Text("3"))
	_, group := s.Eval(t.Context(), "x.group_by::<2>(|e| e % 2)")
	for what, c := range map[string]struct {
		err    error
		want   string
		source bool
	}{
		"an unknown name":        {wrong, "input:2:3", true},
		"what does not parse":    {broken, "input:1", true},
		"an unknown type":        {untyped, "Nothing", true},
		"two of one name":        {twice, "`f`", true},
		"a reserved word":        {name, "`fn` is not a name", false},
		"a missing file":         {missing, "x.csv", false},
		"a number as a file":     {number, "let f = 3", false},
		"a group as a value":     {group, "group", true},
		"a name made of itself":  {s.Let("x", "x.map(|e| e + 1)"), "of itself", false},
		"a name of what is none": {s.Let("z", "x[7]"), "input:1:3", true},
	} {
		if source := (*godwit.SourceError)(nil); c.err == nil || errors.As(c.err, &source) != c.source || !strings.Contains(c.err.Error()+help(c.err), c.want) {
			t.Errorf("%s: %v, expected %q in it", what, c.err, c.want)
		}
	}
	if r, err := s.Eval(t.Context(), "x.sum()"); err != nil || string(r.JSON()) != "6" || !slices.Equal(s.Names(), before) {
		t.Errorf("%v, %v", s.Names(), err)
	}
}

func help(err error) string {
	if in := (*godwit.InputError)(nil); errors.As(err, &in) {
		return in.Help
	}
	return ""
}

// Arguments that an expression does not mention are not opened, and those of one column have no records.
func TestSessionArguments(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "v\n1\n2\n", "b.jsonl": "{\"w\": 2.5}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := godwit.NewSession()
	for name, file := range map[string]string{"a": "a.csv", "b": "b.jsonl"} {
		if _, err := s.Bind(t.Context(), name, godwit.File(filepath.Join(dir, file))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "b.jsonl")); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Eval(t.Context(), "a.map(|r| r.v).sum()"); err != nil || string(r.JSON()) != "3" {
		t.Error(err)
	}
	if _, err := s.Eval(t.Context(), "a.len() + b.len()"); err == nil {
		t.Error("a file that is gone was read")
	}
}

// Numbers among which are words are text, which the declaration says above the record; the record alone is declared.
func TestSessionMixedColumn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "airports.csv")
	if err := os.WriteFile(path, []byte("iata,zip\n0E0,11234\nSFO,99999\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := godwit.NewSession()
	said, err := s.Bind(t.Context(), "a", godwit.File(path))
	record := "record A { iata: Str, zip: i64 }"
	if err != nil || !strings.HasPrefix(said, "// "+path+":3:1: column `iata`: it is text (Str): found \"SFO\" among numbers, such as 0E0 on line 2;") || !strings.HasSuffix(said, "\n"+record) {
		t.Errorf("%q, %v", said, err)
	}
	if texts := s.Texts(); !slices.Equal(texts, []string{record, "a: &[A; N_a]"}) {
		t.Errorf("%q", texts)
	}
	if r, err := s.Eval(t.Context(), `a.count(|r| r.iata == "SFO")`); err != nil || string(r.JSON()) != "1" {
		t.Errorf("%v, %v", r, err)
	}
	if said, err = s.Bind(t.Context(), "a", godwit.Text(path+"?text=iata,zip")); err != nil || said != "record A { iata: Str, zip: Str }" {
		t.Errorf("%q, %v", said, err)
	}
}
