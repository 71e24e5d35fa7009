package data

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// openSaid opens a file of which options are said.
func openSaid(t *testing.T, path, say string) Source {
	t.Helper()
	opt, err := ParseOptions(say)
	if err != nil {
		t.Fatal(err)
	}
	src, err := OpenWith(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// Numbers with decimal commas in quotes are read beside commas that separate: what a note says to write, reads them.
func TestDecimalCommasInQuotes(t *testing.T) {
	const text = "a,b,c\n1,\"1,5\",x\n2,\"-2,25\",\"y, z\"\n3,4,\"\"\n4,\"1.234,5\",\"q\"\"r\"\n"
	want := []float64{1.5, -2.25, 4, 1234.5}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := Typed(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	notes := Notes(typed, nil)
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "say how numbers are written, behind the name of the file: ?decimal=,&thousands=.; ") {
		t.Fatalf("the notes are %q", notes)
	}
	for _, say := range []string{"decimal=,&thousands=.", "sep=,&decimal=,&thousands=."} {
		src := openSaid(t, path, say)
		got := make([]byte, 8*len(want))
		if _, err := src.Fill(t.Context(), 0, []Want{{Column: 1, Kind: num.F64}}, []Dest{{Values: got}}); err != nil {
			t.Fatal(err)
		}
		for i, x := range view[float64](got) {
			if math.Float64bits(x) != math.Float64bits(want[i]) {
				t.Errorf("%s: row %d is %v, want %v", say, i, x, want[i])
			}
		}
		list, err := Encode(t.Context(), src, []int{2}, []bool{true})
		if err != nil || strings.Join(list[0].Texts, "|") != "|q\"r|x|y, z" {
			t.Errorf("%s: texts %q, %v", say, list[0].Texts, err)
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Without quotes nobody knows which comma is which: the error says both ways, and a comma too many is an error with its line.
func TestDecimalCommasWithoutQuotes(t *testing.T) {
	dir := t.TempDir()
	open := func(text, say string) (Source, error) {
		path := filepath.Join(dir, "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		opt, err := ParseOptions(say)
		if err != nil {
			t.Fatal(err)
		}
		return OpenWith(path, opt)
	}
	for _, text := range []string{"a,b\n1,5\n2,5\n", "a\n1,5\n\"2,5\"\n"} {
		_, err := open(text, "decimal=,")
		e, ok := err.(*Error)
		if !ok || !strings.Contains(e.Help, "?sep=;&decimal=,, or ?sep=,&decimal=, where fields that have a comma stand between \"") {
			t.Errorf("%q: %v", text, err)
		}
	}
	src, err := open("a,b\n1,\"1,5\"\n2,2,5\n", "sep=,&decimal=,")
	if err == nil {
		_, err = src.Fill(t.Context(), 0, []Want{{Column: 1, Kind: num.F64}}, []Dest{{Values: make([]byte, 8*src.Rows())}})
		_ = src.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "t.csv:3") {
		t.Errorf("a comma too many: %v", err)
	}
	src, err = open("a\n\"1,5\"\n2\n", "sep=;&decimal=,")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 16)
	if _, err := src.Fill(t.Context(), 0, []Want{{Kind: num.F64}}, []Dest{{Values: got}}); err != nil || view[float64](got)[0] != 1.5 || view[float64](got)[1] != 2 {
		t.Errorf("one column: %v, %v", view[float64](got), err)
	}
	_ = src.Close()
}

// Commas between groups of digits are read in quotes, where commas separate fields, whether that is said or found.
func TestThousandsCommasInQuotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "us.csv")
	if err := os.WriteFile(path, []byte("item,price\nA,\"1,234.50\"\nC,3.00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, say := range []string{"thousands=,", "sep=,&thousands=,"} {
		src := openSaid(t, path, say)
		got := make([]byte, 16)
		if _, err := src.Fill(t.Context(), 0, []Want{{Column: 1, Kind: num.F64}}, []Dest{{Values: got}}); err != nil || view[float64](got)[0] != 1234.5 || view[float64](got)[1] != 3 {
			t.Errorf("%s: %v, %v", say, view[float64](got), err)
		}
		_ = src.Close()
	}
	for _, say := range []string{"sep=,&thousands=,&quote=none", "sep=;&thousands=;", "sep=|&thousands=|"} {
		if _, err := ParseOptions(say); err == nil || !strings.Contains(err.Error(), "`sep` and `thousands` are both") {
			t.Errorf("%s: %v", say, err)
		}
	}
}
