package main

import "testing"

// TestTable compares the answers of both sides on the way.
func TestTable(t *testing.T) {
	r, err := table(t.Context(), choices{quick: true, threads: 2, silent: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2*(len(queries)+1) || len(r.Notes) != 2*len(queries) {
		t.Errorf("%+v", r)
	}
	for _, row := range r.Rows {
		if !row.Ratio.Known() || row.N < 5 {
			t.Errorf("%+v", row)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"nothing"}, {"--nothing"}, {"table", "--quick", "stream"}} {
		if run(t.Context(), args) == nil {
			t.Errorf("%v was taken", args)
		}
	}
}
