package data

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/meaning"
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
	src := FromSlice([]float64{2, math.NaN(), -1, 2, 0, math.Copysign(0, -1)})
	s, err := Summarize(t.Context(), src, true, nil)
	if err != nil || s[0].Min != "-1.0" || s[0].Max != "NaN" || s[0].Distinct != 4 || s[0].Nulls != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A table written in another format is the same table: text, dates, timestamps and decimals, too.
func TestRewrite(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.csv": "i,f,b,t,d,at\n1,2.5,true,x,2001-03-14,2001-03-14T08:30:00Z\n2,,false,\"y, \"\"z\"\"\",,\n",
		"b.csv": "f,i,t,b,at,d\n-1e3,9007199254740993,été,true,1969-12-31T23:59:59.999999Z,0001-01-01\n",
	})
	const want = `[[1 2.5 true x 2001-03-14 2001-03-14T08:30:00Z] [2 null false y, "z" null null] [9007199254740993 -1000.0 true été 0001-01-01 1969-12-31T23:59:59.999999Z]]`
	for _, way := range [][]string{{".csv"}, {".jsonl"}, {".arrow"}, {".parquet"}, {".parquet", ".jsonl", ".arrow", ".csv"}, {".arrow", ".csv", ".parquet", ".csv"}} {
		from := openList(t, filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv"))
		for _, ext := range way {
			out := filepath.Join(t.TempDir(), "x"+ext)
			w, err := Rewrite(t.Context(), from, Target{Path: out}, nil, nil)
			if err != nil || w.Rows != 3 || len(w.Columns) != 6 {
				t.Fatalf("%v: %+v, %v", way, w, err)
			}
			from = mustOpen(t, out)
		}
		typed, err := Typed(t.Context(), from, nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Meant(t.Context(), typed, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Head(t.Context(), again, 10)
		if err != nil || fmt.Sprint(rows) != want {
			t.Errorf("%v: %v, %v", way, rows, err)
		}
		var types []string
		for _, c := range again.Columns() {
			types = append(types, c.Type())
		}
		if fmt.Sprint(types) != "[i64 Option<f64> bool Str Option<Date> Option<Timestamp<us>>]" {
			t.Errorf("%v: %v", way, types)
		}
		sums, err := Summarize(t.Context(), again, true, nil)
		if err != nil || sums[3].Min != "x" || sums[3].Max != "été" || sums[3].Distinct != 3 || sums[4].Min != "0001-01-01" || sums[4].Nulls != 1 || sums[5].Max != "2001-03-14T08:30:00Z" {
			t.Errorf("%v: %+v, %v", way, sums[3:], err)
		}
	}
	w, err := Rewrite(t.Context(), openList(t, filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")), Target{Path: filepath.Join(t.TempDir(), "x.csv")}, []string{"t", "d"}, nil)
	if err != nil || fmt.Sprint(w.Left) != "[t d]" || len(w.Columns) != 4 {
		t.Errorf("%+v, %v", w, err)
	}
	path := filepath.Join(dir, "a.csv")
	if _, err := Rewrite(t.Context(), mustOpen(t, path), Target{Path: path}, nil, nil); err == nil {
		t.Error("a file was replaced by itself")
	}
	npy := filepath.Join(dir, "x.npy")
	if _, err := Rewrite(t.Context(), mustOpen(t, path), Target{Path: npy}, []string{"t", "f", "b", "d", "at"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := ints(t, mustOpen(t, npy), Unnamed); fmt.Sprint(got) != "[1 2]" {
		t.Error(got)
	}
}

// Decimals keep their places and digits between formats that have them.
func TestRewriteDecimals(t *testing.T) {
	m := meaning.Meaning{Sort: meaning.Decimal, Digits: 9, Places: 2}
	from := filepath.Join(t.TempDir(), "x.parquet")
	c := OutColumn{Name: "price", Kind: num.I64, Values: bytesOf([]int64{150, -5, 0}), Valid: []byte{1, 1, 0}, Means: m}
	if err := Write(from, &Output{Rows: 3, Columns: []OutColumn{c}}); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".arrow", ".parquet"} {
		to := filepath.Join(t.TempDir(), "y"+ext)
		if _, err := Rewrite(t.Context(), mustOpen(t, from), Target{Path: to}, nil, nil); err != nil {
			t.Fatal(err)
		}
		src, err := Meant(t.Context(), mustOpen(t, to), nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Summarize(t.Context(), src, false, nil)
		if err != nil || s[0].Type() != "Option<Decimal<9, 2>>" || s[0].Min != "-0.05" || s[0].Max != "1.50" || s[0].Nulls != 1 {
			t.Errorf("%s: %+v, %v", ext, s, err)
		}
		from = to
	}
}
