package data

import (
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// A file that polars 2.1 wrote has its schema without a length before it; all else is as in any file.
func TestBareSchema(t *testing.T) {
	src := mustOpen(t, "testdata/polars.arrow")
	names, values, err := arrowAnswer(t, "testdata/polars.arrow")
	if err != nil || src.Rows() != 3 {
		t.Fatal(src.Rows(), err)
	}
	if want := "a int64 true\ns string_view true\nd date32 true\n"; names != want {
		t.Errorf("%s, expected %s", names, want)
	}
	if got := rowsOf(t, src, "s"); len(got) != 3 || got[0] != "x" || got[1] != "<null>" || got[2] != "yé" {
		t.Errorf("%q, %s", got, values)
	}
}

// In version V4 of the format, as pyarrow writes it where it is asked to, unions and runs have a buffer for nulls: what is behind them is read all the same.
func TestBehindUnions(t *testing.T) {
	src := mustOpen(t, "testdata/v4.arrow")
	if got := rowsOf(t, src, "s"); !slices.Equal(got, []string{"a", "<null>", "bb"}) {
		t.Errorf("%q", got)
	}
	values, valid := readAll(t, src, Want{Column: 1, Kind: num.Bool, Option: true})
	if !slices.Equal(values, []byte{1, 0, 0}) || !slices.Equal(valid, []byte{1, 0, 1}) {
		t.Errorf("%v, %v", values, valid)
	}
}
