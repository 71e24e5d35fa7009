package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

var fieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Every field of every type that a command prints as JSON has a name in small letters.
func TestJSONNames(t *testing.T) {
	w := &walkTypes{t: t, seen: map[reflect.Type]bool{}}
	for _, o := range append(slices.Clone(outputs), &daemon.Report{}) { // which status has as it came
		w.walk(reflect.TypeOf(o).Elem(), reflect.TypeOf(o).String())
	}
	if len(w.seen) < 40 {
		t.Errorf("only %d types were found", len(w.seen))
	}
}

// These write themselves; samples shows what.
var selfWritten = []reflect.Type{
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[catalog.Column](), reflect.TypeFor[trust.List](),
}

type walkTypes struct {
	t    *testing.T
	seen map[reflect.Type]bool
}

func (w *walkTypes) walk(typ reflect.Type, path string) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array || typ.Kind() == reflect.Map {
		if slices.Contains(selfWritten, typ) {
			return
		}
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || w.seen[typ] || slices.Contains(selfWritten, typ) {
		return
	}
	w.seen[typ] = true
	if typ.Implements(reflect.TypeFor[json.Marshaler]()) {
		w.t.Errorf("%s: %v writes its own JSON: list it, with a sample", path, typ)
		return
	}
	for f := range fields(typ) {
		w.field(f, path)
	}
}

func fields(typ reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range typ.NumField() {
			if f := typ.Field(i); (f.IsExported() || f.Anonymous) && !yield(f) {
				return
			}
		}
	}
}

func (w *walkTypes) field(f reflect.StructField, path string) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "-":
		return
	case name == "" && f.Anonymous: // its fields stand here
	case !fieldName.MatchString(name):
		w.t.Errorf("%s.%s is called %q in JSON", path, f.Name, name)
	}
	w.walk(f.Type, path+"."+f.Name)
}

// What writes itself has small names, too, and types in the language's words.
func TestJSONSamples(t *testing.T) {
	key := bytes.Repeat([]byte{1}, 32)
	for _, v := range []any{
		trust.List{Keys: []trust.Key{{Name: "k", Public: key}}, Revoked: []trust.Key{{Name: "r", Public: key}}, Packages: []pack.ID{{}}, Serials: []string{"00"}},
		cluster.Loaded{Set: &catalog.Set{Columns: []catalog.Column{{Name: "x", Kind: num.F32, Dims: []int64{3}, Stored: "fixed_size_list"}}, Shards: []catalog.Shard{{}}}, Left: []store.Left{{Name: "t", Type: "utf8", Why: "text"}}},
	} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"([^"]*)":`).FindAllSubmatch(b, -1) {
			if !fieldName.Match(m[1]) {
				t.Errorf("%T has a field %q: %s", v, m[1], b)
			}
		}
		if _, set := v.(cluster.Loaded); set && !strings.Contains(string(b), `{"name":"x","type":"[f32; 3]"}`) {
			t.Errorf("the column's type is not the language's: %s", b)
		}
	}
}

// A type that is not listed is not printed.
func TestJSONListed(t *testing.T) {
	var out bytes.Buffer
	if err := printJSON(&out, &struct{ A int }{}); err == nil || out.Len() > 0 {
		t.Errorf("%v, %s", err, out.String())
	}
}

// Every command with --json prints an error object when it fails.
func TestJSONErrors(t *testing.T) {
	dir := t.TempDir()
	program, wrong, faulty := dir+"/sum.gw", dir+"/wrong.gw", dir+"/fault.gw"
	write(t, program, "fn total(v: &[i64; N]) -> i64 { v.sum() }\n")
	write(t, wrong, "fn total(v: &[i64; N]) -> i64 { v.sume() }\n")
	write(t, faulty, "fn quotient(a: i64, b: i64) -> i64 { a / b }\n")
	none := "--cluster=" + dir + "/none"
	for _, tt := range []struct {
		words string
		code  string
		exit  int
	}{
		{"run " + program + " v=3 --json", codeFailed, exitFailed},
		{"run " + wrong + " v=[1] --json", "N", exitFailed},
		{"run " + faulty + " a=1 b=0 --json", "R02", exitFailed},
		{"run --json --nonsense", codeUsage, exitUsage},
		{"check " + wrong + " --json", "N", exitFailed},
		{"explain " + wrong + " --json", "N", exitFailed},
		{"bench nothing --json", codeUsage, exitUsage},
		{"version too many --json", codeUsage, exitUsage},
		{"cc none.c -o x.gwp --json", codeFailed, exitFailed},
		{"send none.gwp --json", codeFailed, exitFailed},
		{"load none.npy --as x --json " + none, codeFailed, exitFailed},
		{"status --json " + none, codeFailed, exitFailed},
		{"scrub --json " + none, codeFailed, exitFailed},
		{"trust list --json " + none, codeFailed, exitFailed},
		{"down --json " + none, codeFailed, exitFailed},
		{"restart n1 --json " + none, codeFailed, exitFailed},
		{"add n1 --json " + none, codeFailed, exitFailed},
		{"drain n1 --json " + none, codeFailed, exitFailed},
		{"up --json -n 0 " + none, codeUsage, exitUsage},
		{"describe none.csv --json", codeFailed, exitFailed},
		{"head none.csv --json", codeFailed, exitFailed},
		{"convert none.csv out.npy --json", codeFailed, exitFailed},
	} {
		var out, errs bytes.Buffer
		exit := execute(t.Context(), strings.Fields(tt.words), &out, &errs)
		var got failed
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Errorf("%s: %v: %s%s", tt.words, err, out.String(), errs.String())
			continue
		}
		if e := got.Error; exit != tt.exit || e.ExitCode != exit || !strings.HasPrefix(e.Code, tt.code) || e.Message == "" || errs.Len() == 0 {
			t.Errorf("%s: exit code %d, %+v", tt.words, exit, e)
		}
	}
}

// No command with --json is missing above.
func TestJSONErrorsOfAll(t *testing.T) {
	tested := []string{"run", "check", "explain", "bench", "version", "cc", "send", "load", "status", "scrub", "list", "down", "restart", "add", "drain", "up", "describe", "head", "convert"}
	var have []string
	for _, c := range newRoot().Commands() {
		for _, c := range append(c.Commands(), c) {
			if c.Flags().Lookup("json") != nil {
				have = append(have, c.Name())
			}
		}
	}
	slices.Sort(tested)
	slices.Sort(have)
	if !slices.Equal(tested, have) {
		t.Errorf("commands with --json are %v, tested are %v", have, tested)
	}
}

// The error has what people see: where, and what to do.
func TestJSONErrorOfProgram(t *testing.T) {
	path := t.TempDir() + "/wrong.gw"
	write(t, path, "fn total(v: &[i64; N]) -> i64 {\n    v.sume()\n}\n")
	var out, errs bytes.Buffer
	execute(t.Context(), []string{"run", path, "v=[1]", "--json"}, &out, &errs)
	var got failed
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err, out.String())
	}
	if e := got.Error; e.File != path || e.Line != 2 || e.Help == "" || len(e.Messages) != 1 || e.Messages[0].Code != e.Code {
		t.Errorf("%+v", e)
	}
}

func TestVersionFlag(t *testing.T) {
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"--version"}, &out, &errs); code != 0 || out.String() != "godwit "+ownVersion()+"\n" {
		t.Errorf("%d: %s%s", code, out.String(), errs.String())
	}
}
