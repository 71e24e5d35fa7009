package godwit_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/godwit-run/godwit"
)

// With Widen, text is read as what the set has, as without it: only a value, or a type that somebody says, widens a column, which a note says.
func TestAppendWidensWhereNeeded(t *testing.T) {
	c := started(t, 2)
	const first, types = "f,k,d,u,s\n0.1,1,1.50,2020-01-01T08:00:00,a\n0.2,2,3,2020-01-01T08:00:01,b\n", "?types=f:f32,k:i8,d:Decimal<10,2>,u:Timestamp<s>"
	const before = "f: f32, k: i8, d: Decimal<10, 2>, u: Timestamp<s>, s: Str"
	note := func(column, is, was string) string {
		return "column `" + column + "` of @s is " + is + " now, before it was " + was + ": programs declare the new type from now on"
	}
	added := "@s had no column `x`: the rows that were there have no value in it"
	for _, tt := range []struct {
		name, types string
		files       []string // of the new rows
		notes       []string
	}{
		{"a new column", before + ", x: Option<i64>", []string{"f,k,d,u,s,x\n0.3,3,4,2020-01-01T08:00:02,c,9\n"}, []string{added}},
		{"nothing new", before, []string{"f,k,d,u,s\n3,-128,99999999.99,2020-01-02,7\n"}, nil},
		{"two files", before, []string{"f,k,d,u,s\n3,4,5,2020-01-02,7\n", "f,k,d,u,s\n0.5,4,5.25,2020-01-02,7\n"}, nil},
		{"an integer that is too large", "f: f32, k: i64, d: Decimal<10, 2>, u: Timestamp<s>, s: Str", []string{"f,k,d,u,s\n3,3,4,2020-01-02,c\n3,128,4,2020-01-02,c\n"}, []string{note("k", "i64", "i8")}},
		{"in the second of two files", "f: f32, k: i64, d: Decimal<10, 2>, u: Timestamp<s>, s: Str", []string{"f,k,d,u,s\n3,3,4,2020-01-02,c\n", "f,k,d,u,s\n3,300,4,2020-01-02,c\n"}, []string{note("k", "i64", "i8")}},
		{"two columns", "f: f32, k: f64, d: Decimal<18, 2>, u: Timestamp<s>, s: Str", []string{"f,k,d,u,s\n3,2.5,123456789,2020-01-02,c\n"},
			[]string{note("k", "f64", "i8"), note("d", "Decimal<18, 2>", "Decimal<10, 2>")}},
		{"a null", "f: f32, k: Option<i8>, d: Decimal<10, 2>, u: Timestamp<s>, s: Option<Str>", []string{"f,k,d,u,s\n3,,4,2020-01-02,\n"}, []string{note("k", "Option<i8>", "i8")}},
		{"no column", "f: f32, k: Option<i8>, d: Decimal<10, 2>, u: Timestamp<s>, s: Str", []string{"f,d,u,s\n3,4,2020-01-02,c\n"}, []string{note("k", "Option<i8>", "i8")}},
		{"smaller units", "f: f32, k: i8, d: Decimal<10, 2>, u: Timestamp<us>, s: Str", []string{"f,k,d,u,s\n3,3,4,2020-01-02T08:00:00.5,c\n"}, []string{note("u", "Timestamp<us>", "Timestamp<s>")}},
		{"said", "f: f64, k: i32, d: Decimal<10, 2>, u: Timestamp<s>, s: Str", []string{"?types=f:f64,k:i32", "f,k,d,u,s\n3,3,4,2020-01-02,c\n"}, []string{note("f", "f64", "f32"), note("k", "i32", "i8")}},
		{"lines", before, []string{`{"f": 3, "k": 4, "d": 5.25, "u": "2020-01-01T00:00:00", "s": "d"}`}, nil},
		{"lines with a float", "f: f32, k: f64, d: Decimal<10, 2>, u: Timestamp<s>, s: Str", []string{`{"f": 3, "k": 4.5, "d": 5, "u": "2020-01-01T00:00:00", "s": "d"}`}, []string{note("k", "f64", "i8")}},
	} {
		stored(t, c, csvOf(t, first)+types, "s", godwit.LoadOptions{Replace: true})
		options, path := "", ""
		for _, text := range tt.files {
			switch text[0] {
			case '?':
				options = text
				continue
			case '{':
				lines := filepath.Join(t.TempDir(), "more.jsonl")
				if err := os.WriteFile(lines, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				text = lines
			default:
				text = csvOf(t, text)
			}
			if path != "" {
				path += ","
			}
			path += text
		}
		for again := range 2 {
			l, err := c.Load(t.Context(), path+options, "s", godwit.LoadOptions{Append: true, Widen: true})
			if err != nil || l.More.Known != (again > 0) {
				t.Errorf("%s: %+v, %v", tt.name, l, err)
				break
			}
			if again == 0 && !slices.Equal(l.Notes, tt.notes) {
				t.Errorf("%s: notes %q, expected %q", tt.name, l.Notes, tt.notes)
			}
		}
		if got := typesOf(t, c, "s"); got != tt.types {
			t.Errorf("%s: %s, expected %s", tt.name, got, tt.types)
		}
	}
}

// A column that is not there is found before the name of the set is looked at, and before rows are read.
func TestLoadBySuchColumnFirst(t *testing.T) {
	c := started(t, 1)
	path := csvOf(t, "a,b\n1,2\n")
	stored(t, c, path, "s", godwit.LoadOptions{})
	word := csvOf(t, "a,b\nword,2\n")
	for _, tt := range []struct {
		path string
		opt  godwit.LoadOptions
		want string
	}{
		{path, godwit.LoadOptions{By: "hash(nope)"}, "there is no column `nope`"},
		{path, godwit.LoadOptions{Skip: []string{"nope"}}, "there is no column `nope`"},
		{path, godwit.LoadOptions{By: "nope"}, "\"nope\" is no way to cut rows"},
		{path, godwit.LoadOptions{By: "hash(a)"}, "there is a data set @s already"},
		{path, godwit.LoadOptions{By: "hash(nope)", Replace: true}, "there is no column `nope`"},
		{word, godwit.LoadOptions{By: "hash(nope)", Append: true}, "there is no column `nope`"},
		{word, godwit.LoadOptions{By: "hash(a)", Append: true}, "found \"word\""},
	} {
		_, err := c.Load(t.Context(), tt.path, "s", tt.opt)
		if err == nil || !containsText(err.Error(), tt.want) {
			t.Errorf("%+v: %v, expected %s", tt.opt, err, tt.want)
		}
	}
}
