package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Columns that the option names are text, with all their zeros, whatever stands in them; others are what they are.
func TestForcedText(t *testing.T) {
	opt, err := ParseOptions("text=zip,#3&na=NA")
	if err != nil {
		t.Fatal(err)
	}
	src, err := OpenWith(writeFile(t, "x.csv", "n,zip,none,code\n1,01234,,0E0\n2,99999,,7\n3,NA,,8\n4,,,9\n"), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if src, err = Typed(t.Context(), src, nil); err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, c := range src.Columns() {
		types = append(types, c.Type())
	}
	if got := fmt.Sprint(types); got != "[i64 Option<Str> Option<Str> f64]" {
		t.Error(got)
	}
	if notes := Notes(src, nil); len(notes) > 0 {
		t.Error(notes)
	}
	err = Check(src, []Want{{Column: 1, Kind: num.I64, Option: true}})
	if err == nil || !strings.Contains(err.Error(), "column `zip`: expected i64, found text, as ?text= says") {
		t.Error(err)
	}
	day := meaning.Meaning{Sort: meaning.Date}
	err = Check(src, []Want{{Column: 2, Kind: num.I32, Option: true, Means: day}})
	if err == nil || !strings.Contains(err.Error(), "expected Date, found text") {
		t.Error(err)
	}
	if src, err = Meant(t.Context(), src, nil); err != nil {
		t.Fatal(err)
	}
	rows, err := Head(t.Context(), src, 4)
	if got := fmt.Sprint(rows); err != nil || got != "[[1 01234 null 0.0] [2 99999 null 7.0] [3 null null 8.0] [4 null null 9.0]]" {
		t.Error(got, err)
	}
}

// What options say of columns holds in files without rows, too, alone and as one of several.
func TestForcedTextWithoutRows(t *testing.T) {
	opt, err := ParseOptions("text=b")
	if err != nil {
		t.Fatal(err)
	}
	path := writeFile(t, "x.csv", "a,b\n")
	one, err := OpenWith(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	other := writeFile(t, "y.csv", "a,b\n")
	several, err := OpenSpec(t.Context(), Several([]string{path, other}, opt), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer several.Close()
	for _, src := range []Source{one, several} {
		if src, err = Typed(t.Context(), src, nil); err != nil {
			t.Fatal(err)
		}
		a, b := src.Columns()[0], src.Columns()[1]
		if !a.Unknown || b.Unknown || b.Type() != "Str" {
			t.Error(a.Type(), a.Unknown, b.Type(), b.Unknown)
		}
	}
}

// The first rows of a file are shown whatever comes behind them.
func TestHeadOfMixedColumns(t *testing.T) {
	src := mustOpen(t, writeFile(t, "x.csv", "a,b\n"+strings.Repeat("01,1\n", csvSample+1)+"x,2.5\n"))
	rows, err := Head(t.Context(), src, 2)
	if got := fmt.Sprint(rows); err != nil || got != "[[01 1] [01 1]]" {
		t.Error(got, err)
	}
}

// Names that come again get numbers where that is asked for, and none that another column has.
func TestUniqueNames(t *testing.T) {
	path := writeFile(t, "x.csv", "a,a,b,a_1,a,b,,\n1,2,3,4,5,6,7,8\n")
	src, err := OpenWith(path, Options{Unique: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var names []string
	for _, c := range src.Columns() {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "a a_2 b a_1 a_3 b_1 #7 #8" {
		t.Error(got)
	}
	_, err = Open(path)
	if e := wantError(t, path, err, ":1: column `a`: columns 1 and 2 have this name"); !strings.HasSuffix(e.Help, "have the second called `a_2`, behind the name of the file: ?header=unique") {
		t.Error(e.Help)
	}
}
