package data

import "testing"

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
