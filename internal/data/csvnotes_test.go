package data

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// What a type would lose, or what one field decides, is said with its line and with what to write.
func TestNotesOfTypes(t *testing.T) {
	for _, c := range []struct{ options, fields, kind, note string }{
		{"", "10001 00501 02134", "Str", ":3:1: column `a`: it is text (Str): found 00501, whose zeros at the beginning no number keeps; say behind the name of the file that it is text, ?text=a, or that these zeros do not count, ?number=a"},
		{"", "1 -05", "Str", ":3:1: column `a`: it is text (Str): found -05, whose zeros"},
		{"", "1.5 007.5", "Str", ":3:1: column `a`: it is text (Str): found 007.5, whose zeros"},
		{"", "000 001", "Str", ":2:1: column `a`: it is text (Str): found 000, whose zeros"},
		{"sep=;&decimal=,&thousands=.", "1.000 0.501", "Str", ":3:1: column `a`: it is text (Str): found 0.501, whose zeros"},
		{"text=a", "10001 00501", "Str", ""},
		{"number=a", "10001 00501", "i64", ""},
		{"number=a", "10001 00.5", "f64", ""},
		{"number=a", "00501 x", "", ":3:1: column `a`: expected numbers, as ?number= says, found \"x\"; mend the field, leave it empty where a value is missing, or take the name of the column out of the option"},
		{"number=a", "1 true", "", ":3:1: column `a`: expected numbers, as ?number= says, found \"true\"; mend"},
		{"number=a", "1 NA", "", ":3:1: column `a`: expected numbers, as ?number= says, found \"NA\"; if it stands for a missing value, say so behind the name of the file: ?na=NA"},
		{"", "0 1 -0.5 0e1 10 +0", "f64", ""},
		{"", "00501 x", "Str", ":3:1: column `a`: it is text (Str): found \"x\" among numbers, such as 00501 on line 2"},
		{"", "2020-01-01 2020-01-02 soon", "Str", ":4:1: column `a`: it is text (Str): found \"soon\" among dates, such as 2020-01-01 on line 2; mend the field, or leave it empty where a value is missing; if the column is text, say so behind the name of the file: ?text=a"},
		{"", "never 2020-01-01T08:30:00Z 2020-01-02", "Str", ":2:1: column `a`: it is text (Str): found \"never\" among dates, such as 2020-01-01T08:30:00Z on line 3; mend"},
		{"", "2020-01-01 NaN", "Str", ":3:1: column `a`: it is text (Str): found \"NaN\" among dates"},
		{"", "2020-01-01 -", "Str", ":3:1: column `a`: it is text (Str): found \"-\" among dates, such as 2020-01-01 on line 2; if it stands for a missing value, say so behind the name of the file: ?na=-"},
		{"date=dd.mm.yyyy", "1.2.2020 2020-01-01 2020/02/01", "Str", ":4:1: column `a`: it is text (Str): found \"2020/02/01\" among dates, such as 1.2.2020 on line 2"},
		{"date=dd.mm.yyyy", "1.2.2020 30.02.2020", "Str", ":3:1: column `a`: it is text (Str): found \"30.02.2020\" among dates"},
		{"date=dd.mm.yyyy", "31.02.2024", "Str", ":2:1: column `a`: it is text (Str): found \"31.02.2024\", and there is no such day; mend the field, or leave it empty where a value is missing; if the column is text, say so behind the name of the file: ?text=a"},
		{"", "2024-13-01 2024-02-30T08:30:00Z", "Str", ":2:1: column `a`: it is text (Str): found \"2024-13-01\", and there is no such day; mend"},
		{"", "2024-02-30 b2", "Str", ""},
		{"", "2024-02-300 2024-02-3a", "Str", ""},
		{"text=a", "2024-02-30", "Str", ""},
		{"", "9223372036854775807 9223372036854775808 -1", "", ":3:1: column `a`: expected numbers of one kind, found 9223372036854775808, which only u64 holds, and -1 on line 4, which it does not; f64 cannot hold 9223372036854775807 exactly; if the column is text, say so behind the name of the file: ?text=a; or write 9223372036854775807 with a point, as 9223372036854775807.0, to have it rounded"},
		{"", "true 1 false", "bool", ":3:1: column `a`: it is bool: found 1 among true and false, such as true on line 2, and takes 1 for true, 0 for false; write true and false for them, or, if the column is text, say so behind the name of the file: ?text=a"},
		{"", "true false", "bool", ""},
		{"", "1 0", "i64", ""},
		{"sep=;", "1,250 2,500", "Str", ":2:1: column `a`: expected numbers, or true and false, found \"1,250\"; say how numbers are written, behind the name of the file: ?decimal=, or ?thousands=,"},
		{"sep=;", "1,250 2,50", "Str", ":2:1: column `a`: expected numbers, or true and false, found \"1,250\"; say how numbers are written, behind the name of the file: ?decimal=,"},
		{"sep=;", "1,250 2,500,000", "Str", ":2:1: column `a`: expected numbers, or true and false, found \"1,250\"; say how numbers are written, behind the name of the file: ?thousands=,"},
		{"sep=;", "1.250,5 3,5", "Str", ":2:1: column `a`: expected numbers, or true and false, found \"1.250,5\"; say how numbers are written, behind the name of the file: ?decimal=,&thousands=."},
		{"sep=;", "1,25 - 2,5", "Str", ":2:1: column `a`: expected numbers, or true and false, found \"1,25\"; say how numbers are written, behind the name of the file: ?decimal=,"},
		{"sep=;", "- 2,5", "Str", ":2:1: column `a`: it is text (Str): found \"-\"; if it stands for a missing value, say so behind the name of the file: ?na=-"},
		{"", "31.12.2024 NA", "Str", ":2:1: column `a`: it is text (Str): found dates such as \"31.12.2024\"; say how dates are written, behind the name of the file: ?date=dd.mm.yyyy"},
		{"sep=;", "1'250 3'500", "Str", ":2:1: column `a`: expected numbers, or true and false, found \"1'250\"; say how numbers are written, behind the name of the file: ?thousands='"},
	} {
		sep, opt := ",", Options{}
		if c.options != "" {
			var err error
			if opt, err = ParseOptions(c.options); err != nil {
				t.Fatal(err)
			}
		}
		if opt.Separator != 0 {
			sep = string(opt.Separator)
		}
		path := writeFile(t, "x.csv", "a"+sep+"b\n"+strings.ReplaceAll(c.fields, " ", sep+"1\n")+sep+"1\n")
		src, err := OpenWith(path, opt)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := Typed(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		col := typed.Columns()[0]
		kind := ""
		if col.Kind.Valid() || col.Means.Sort != meaning.None {
			kind = col.Type()
		}
		note := strings.TrimPrefix(strings.Join(Notes(typed, nil), "\n"), path)
		if kind != c.kind || (note == "") != (c.note == "") || !strings.HasPrefix(note, c.note) {
			t.Errorf("%s %q is %q: %s", c.options, c.fields, kind, note)
		}
		src.Close()
	}
}

// What the first file of several has, another one may contradict, and both are named.
func TestNotesOfSeveralFiles(t *testing.T) {
	one := writeFile(t, "1.csv", "a,b\n2020-01-01,true\n")
	two := writeFile(t, "2.csv", "b,a\n0,soon\n")
	typed, err := Typed(t.Context(), openList(t, one, two), nil)
	if err != nil {
		t.Fatal(err)
	}
	notes := Notes(typed, nil)
	for i, want := range []string{
		two + ":2:3: column `a`: it is text (Str): found \"soon\" among dates, such as 2020-01-01 on line 2 of " + one,
		two + ":2:1: column `b`: it is bool: found 0 among true and false, such as true on line 2 of " + one,
	} {
		if i >= len(notes) || !strings.HasPrefix(notes[i], want) {
			t.Errorf("expected %s in %q", want, notes)
		}
	}
}

// A program that declares numbers has them, whatever zeros they begin with.
func TestPaddedNumbersAreDeclared(t *testing.T) {
	got, _, err := tryReadAll(mustOpen(t, writeFile(t, "x.csv", "a,b\n00501,1\n10001,2\n")), Want{Kind: num.I64})
	if err != nil || fmt.Sprint(view[int64](got)) != "[501 10001]" {
		t.Error(got, err)
	}
}

// Columns without names are called by their numbers, and one column has one of two options.
func TestOptionsNameColumns(t *testing.T) {
	path := writeFile(t, "x.csv", "1,2\n3,4\n")
	for _, c := range []struct{ options, want string }{
		{"header=no&text=zz", "there is no column `zz`; the columns are `#1`, `#2`"},
		{"header=no&number=zz", "there is no column `zz`; the columns are `#1`, `#2`"},
		{"header=no&number=%232&text=%232", "?text= says that it is text, and ?number= that it is numbers"},
	} {
		opt, err := ParseOptions(c.options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = OpenWith(path, opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.options, err)
		}
	}
	unnamed, err := OpenWith(writeFile(t, "y.csv", "01,2\n02,3\n"), Options{NoHeader: true})
	if err != nil {
		t.Fatal(err)
	}
	defer unnamed.Close()
	typed, err := Typed(t.Context(), unnamed, nil)
	if err != nil {
		t.Fatal(err)
	}
	if notes := Notes(typed, nil); len(notes) != 1 || !strings.Contains(notes[0], "column `#1`") || !strings.Contains(notes[0], "?text=%231, or") {
		t.Error(notes)
	}
}

// The ways out of a column that no kind holds come before that of leaving it out, and the first one keeps all of its digits.
func TestWayOutKeepsColumn(t *testing.T) {
	path, to := writeFile(t, "w.csv", "a,b\n1,18446744073709551615\n2,18446744073709551616\n"), Target{Path: filepath.Join(t.TempDir(), "w.csv")}
	_, err := Rewrite(t.Context(), mustOpen(t, path), to, nil, nil)
	var e *Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Help, "if the column is text, say so behind the name of the file: ?text=b; or ") || !strings.HasSuffix(e.Help, "; or leave out what cannot be read: --skip 'b'") {
		t.Fatalf("%v, %+v", err, e)
	}
	opt, err := ParseOptions("text=b")
	if err != nil {
		t.Fatal(err)
	}
	src, err := OpenWith(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, err = Rewrite(t.Context(), src, to, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(to.Path); err != nil || string(got) != "a,b\n1,18446744073709551615\n2,18446744073709551616\n" {
		t.Errorf("%q, %v", got, err)
	}
}
