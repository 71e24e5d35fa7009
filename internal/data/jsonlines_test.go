package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Fields come in any order and may be missing; what is no number is there by name.
func TestLines(t *testing.T) {
	text := "\ufeff{\"a\": 1, \"b\": 2.5, \"s\": \"x, \\\"y\\\"\"}\r\n\n  {\"b\":null,\"c\":true,\"a\":-3}\n{\"d\":{\"e\":[1,\"}\"]},\"a\":9007199254740993, \"\\u0066\": \"NaN\"}"
	src, err := Typed(t.Context(), mustOpen(t, writeFile(t, "x.jsonl", text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "i64", "b": "Option<f64>", "s": "Option<Str>", "c": "Option<bool>", "d": "objects or lists", "f": "Option<f64>"}
	if len(src.Columns()) != len(want) || src.Rows() != 3 {
		t.Errorf("%+v", src.Columns())
	}
	for _, c := range src.Columns() {
		if c.Type() != want[c.Name] {
			t.Errorf("%s is %s, expected %s", c.Name, c.Type(), want[c.Name])
		}
	}
	if got := ints(t, src, "a"); fmt.Sprint(got) != "[1 -3 9007199254740993]" {
		t.Error(got)
	}
	b, valid := readAll(t, src, Want{Column: 1, Kind: num.F64, Option: true})
	if !bytes.Equal(valid, []byte{1, 0, 0}) || view[float64](b)[0] != 2.5 {
		t.Error(b, valid)
	}
	if _, valid := readAll(t, src, Want{Column: 2, Kind: num.Bool, Option: true, Presence: true}); !bytes.Equal(valid, []byte{1, 0, 0}) {
		t.Error(valid)
	}
	rows, err := Head(t.Context(), src, 2)
	if err != nil || fmt.Sprint(rows[0]) != `[1 2.5 x, "y" null null null]` || rows[1][3] != "true" {
		t.Errorf("%q, %v", rows, err)
	}
}

func TestLinesErrors(t *testing.T) {
	for _, c := range []struct{ text, want, help string }{
		{"{\"a\":1}\n[1,2]\n", ":2:1: expected an object, { …, found \"[\"", "jq -c"},
		{"{\"a\":1} {\"a\":2}", ":1:9: expected one object on a line, found \"{\"", "each line"},
		{"{\"a\":1,}", ":1:8: expected a name in quotes, found \"}\"", "each line"},
		{"{\"a\" 1}", ":1:6: expected a colon, found \"1\"", ""},
		{"{\"a\":}", ":1:6: expected a value, found \"}\"", ""},
		{"{\"a\":\"x}", ":1:9: expected a quote that ends the text at byte 6, found the end of the line", ""},
		{"{\"a\":[1,2}", ":1:11: expected a comma or }", ""},
		{"\n\n", ": there is no field in it", ""},
		{"{\"a\":1,\"a\":2}", ":1:12: expected one field `a`, found two", ""},
		{"{\"a\":1}\n{\"a\":\"5\"}", ":2:6: column `a`: expected an integer (i8), found \"5\"", "write numbers without quotes"},
		{"{\"a\":1}\n{\"b\":5}", ":2:1: column `a`: expected a value, found none", "Option<T>"},
		{"{\"a\":1000}", ":1:6: column `a`: expected i8 (-128 to 127), found 1000", "i16"},
		{"{\"a\":{}}", ":1:6: column `a`: expected an integer (i8), found \"{}\"", ""},
	} {
		path := writeFile(t, "x.jsonl", c.text)
		src, err := Open(path)
		if err == nil {
			_, _, err = tryReadAll(src, Want{Kind: num.I8})
			src.Close()
		}
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(strings.TrimPrefix(e.Error(), path), c.want) || !strings.Contains(e.Help, c.help) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// Values come back as encoding/json writes them, over several blocks and at any place in a line.
func TestLinesAreJSON(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		type row struct {
			A *int64   `json:"a,omitempty"`
			B *float64 `json:"b"`
			S string   `json:"s"`
		}
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
			r := row{S: rapid.String().Draw(t, "s")}
			if rapid.Bool().Draw(t, "has") {
				a := rapid.Int64().Draw(t, "a")
				r.A = &a
			}
			if b := rapid.Float64().Draw(t, "b"); !math.IsInf(b, 0) && !math.IsNaN(b) && b != math.Trunc(b) {
				r.B = &b
			}
			return r
		}), 1, 50).Draw(t, "rows")
		var text bytes.Buffer
		for range rapid.IntRange(1, 40).Draw(t, "times") {
			for _, r := range rows {
				b, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				text.Write(append(b, '\n'))
			}
		}
		path := filepath.Join(dir, "x.jsonl")
		writeBytes(t, path, text.Bytes())
		src, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		for name, get := range map[string]func(row) (string, bool){
			"a": func(r row) (string, bool) { return fmt.Sprint(deref(r.A)), r.A != nil },
			"b": func(r row) (string, bool) { return fmt.Sprint(deref(r.B)), r.B != nil },
		} {
			i, err := Lookup(src, name)
			if err != nil {
				continue // no row has it
			}
			k := map[string]num.Kind{"a": num.I64, "b": num.F64}[name]
			values, valid, err := tryReadAll(src, Want{Column: i, Kind: k, Option: true})
			if err != nil {
				t.Fatal(err)
			}
			for at := range valid {
				want, has := get(rows[at%len(rows)])
				if got := fmt.Sprint(anyAt(values, k, at)); has != (valid[at] == 1) || has && got != want {
					t.Fatalf("%s of row %d is %s, %v, expected %s, %v", name, at, got, valid[at], want, has)
				}
			}
		}
	})
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func anyAt(b []byte, k num.Kind, i int) any {
	if k == num.F64 {
		return view[float64](b)[i]
	}
	return view[int64](b)[i]
}
