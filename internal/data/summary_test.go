package data

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// What statistics say is what reading all values says.
func TestSummaries(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]num.Kind{num.I8, num.I64, num.U32, num.U64, num.F64, num.Bool}).Draw(t, "kind")
		rows := rapid.IntRange(1, 3000).Draw(t, "rows")
		c := OutColumn{Name: "x", Kind: k, Values: sample(k, rows)}
		if rapid.Bool().Draw(t, "nulls") {
			c.Valid = rapid.SliceOfN(rapid.ByteRange(0, 1), rows, rows).Draw(t, "valid")
		}
		path := filepath.Join(dir, "x"+rapid.SampledFrom([]string{".parquet", ".arrow"}).Draw(t, "format"))
		if err := Write(path, &Output{Rows: int64(rows), Columns: []OutColumn{c}}); err != nil {
			t.Fatal(err)
		}
		src, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		quick, err := Summarize(t.Context(), src, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		full, err := Summarize(t.Context(), src, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		q, f := quick[0], full[0]
		if q.Nulls != f.Nulls || q.Min != f.Min || q.Max != f.Max || !f.Read || f.Distinct < 0 {
			t.Fatalf("%+v, by reading %+v", q, f)
		}
	})
}

func TestSummaryOfFloats(t *testing.T) {
	src := FromSlice([]float64{2, math.NaN(), -1, 2})
	s, err := Summarize(t.Context(), src, true, nil)
	if err != nil || s[0].Min != "-1.0" || s[0].Max != "NaN" || s[0].Distinct != 3 || s[0].Nulls != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A table written in another format is the same table.
func TestRewrite(t *testing.T) {
	dir := tree(t, map[string]string{"a.csv": "i,f,b,t\n1,2.5,true,x\n2,,false,y\n", "b.csv": "f,i,t,b\n-1e3,9007199254740993,z,true\n"})
	for _, ext := range []string{".csv", ".jsonl", ".arrow", ".parquet"} {
		src := openList(t, filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv"))
		out := filepath.Join(t.TempDir(), "x"+ext)
		if _, err := Rewrite(t.Context(), src, out, nil, nil); err == nil {
			t.Error("text was written")
		}
		w, err := Rewrite(t.Context(), src, out, []string{"t"}, nil)
		if err != nil || w.Rows != 3 || len(w.Columns) != 3 || fmt.Sprint(w.Left) != "[t]" {
			t.Fatalf("%+v, %v", w, err)
		}
		again, err := Typed(t.Context(), mustOpen(t, out), nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Head(t.Context(), again, 10)
		if err != nil || fmt.Sprint(rows) != "[[1 2.5 true] [2 null false] [9007199254740993 -1000.0 true]]" {
			t.Errorf("%s: %v, %v", ext, rows, err)
		}
		if i, err := Lookup(again, "f"); err != nil || again.Columns()[i].Kind != num.F64 || !again.Columns()[i].Nullable {
			t.Errorf("%s: %v, %+v", ext, err, again.Columns())
		}
	}
	path := filepath.Join(dir, "a.csv")
	if _, err := Rewrite(t.Context(), mustOpen(t, path), path, []string{"t"}, nil); err == nil {
		t.Error("a file was replaced by itself")
	}
	npy := filepath.Join(dir, "x.npy")
	if _, err := Rewrite(t.Context(), mustOpen(t, path), npy, []string{"t", "f", "b"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := ints(t, mustOpen(t, npy), Unnamed); fmt.Sprint(got) != "[1 2]" {
		t.Error(got)
	}
}
