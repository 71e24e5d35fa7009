package data

import (
	"fmt"
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// timesFile is an array of a dtype of times.
func timesFile(t *testing.T, descr, shape string, values ...int64) string {
	t.Helper()
	b := bytesOf(values)
	if descr[0] == '>' {
		b = append([]byte(nil), b...)
		swapBytes(b, 8)
	}
	return writeFile(t, "t.npy", npyText(1, fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape), b))
}

const nat = math.MinInt64

// NaT is a missing value, of every dtype of times; an array without one has none that may be missing, and is mapped.
func TestNaTIsMissing(t *testing.T) {
	for code, m := range npyTimes {
		for _, order := range "<>" {
			descr := string(order) + code
			src := mustOpen(t, timesFile(t, descr, "(3,)", 5, nat, -7))
			if c := src.Columns()[0]; !c.Nullable || c.Means != m || c.Type() != "Option<"+m.String()+">" {
				t.Errorf("%s is %s", descr, c.Type())
			}
			if _, ok := src.Raw(0); ok {
				t.Errorf("%s: an array with NaT is mapped", descr)
			}
			kind := src.Columns()[0].Kind
			for _, w := range []Want{{Kind: kind, Option: true, Means: m}, {Kind: num.I64, Option: true}} {
				values, valid := readAll(t, src, w)
				got := []uint64{}
				for i := range 3 {
					got = append(got, uint64(view[int64](asLong(values, w.Kind))[i]))
				}
				if fmt.Sprint(valid) != "[1 0 1]" || int64(got[0]) != 5 || got[1] != 0 || int64(got[2]) != -7 {
					t.Errorf("%s: %v %v", descr, got, valid)
				}
			}
			_, _, err := tryReadAll(src, Want{Kind: num.I64})
			wantError(t, src.Path(), err, ": row 1: expected a value, found a null")

			whole := mustOpen(t, timesFile(t, descr, "(3,)", 5, 6, -7))
			if _, raw := whole.Raw(0); whole.Columns()[0].Nullable || raw != (order == '<' && m.Sort != meaning.Date) {
				t.Errorf("%s without NaT: %s, mapped: %v", descr, whole.Columns()[0].Type(), raw)
			}
		}
	}
}

func asLong(values []byte, k num.Kind) []byte {
	out := make([]byte, len(values)/k.Size()*8)
	convert(out, Want{Kind: num.I64}, values, k)
	return out
}

// A row of an array of more dimensions is missing if all of it is. What is read in several pieces has its own row numbers.
func TestNaTInRows(t *testing.T) {
	src := mustOpen(t, timesFile(t, "<m8[s]", "(3, 2)", 1, 2, nat, nat, 3, 4))
	values, valid := readAll(t, src, Want{Kind: num.I64, Option: true})
	if fmt.Sprint(view[int64](values), valid) != "[1 2 0 0 3 4] [1 0 1]" {
		t.Error(view[int64](values), valid)
	}
	src = mustOpen(t, timesFile(t, "<m8[s]", "(3, 2)", 1, 2, nat, nat, 3, nat))
	_, _, err := tryReadAll(src, Want{Kind: num.I64, Option: true})
	wantError(t, src.Path(), err, ": row 2: expected a value, found a null inside a row")

	long := make([]int64, 3*scratchSize/8)
	last := len(long) - 2
	long[last] = nat
	src = mustOpen(t, timesFile(t, "<M8[ns]", fmt.Sprintf("(%d,)", len(long)), long...))
	_, valid = readAll(t, src, Want{Kind: num.I64, Option: true})
	for i, v := range valid {
		if (v == 0) != (i == last) {
			t.Fatal("row", i, v)
		}
	}
	_, _, err = tryReadAll(src, Want{Kind: num.I64})
	wantError(t, src.Path(), err, fmt.Sprintf(": row %d: expected a value, found a null", last))
}

// Days have 64 bits in NumPy, and 32 here: what does not fit is refused, and nobody reads halves of them.
func TestNPYDates(t *testing.T) {
	day := meaning.Meaning{Sort: meaning.Date}
	src := mustOpen(t, timesFile(t, "<M8[D]", "(3,)", 1, 3_000_000_000, 5))
	for _, w := range []Want{{Kind: num.I32, Means: day}, {Kind: num.I32}} {
		_, _, err := tryReadAll(src, w)
		e := wantError(t, src.Path(), err, ": row 1: expected Date, found +8215691-01-08, which is no day of 32 bits")
		if e.Help != "leave such rows out, or declare it as i64, which counts days since 1970-01-01" {
			t.Error(e.Help)
		}
	}
	if got, _ := readAll(t, src, Want{Kind: num.I64}); view[int64](got)[1] != 3_000_000_000 {
		t.Error(got)
	}
	for _, ext := range []string{".parquet", ".arrow", ".csv", ".jsonl", ".npy"} {
		src := mustOpen(t, timesFile(t, "<M8[D]", "(3,)", 19000, 0, 19060))
		path := t.TempDir() + "/x" + ext
		if _, err := Rewrite(t.Context(), src, Target{Path: path}, nil, func(int64) {}); err != nil {
			t.Fatal(err)
		}
		again := mustOpen(t, path)
		again, err := Typed(t.Context(), again, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := readAll(t, again, Want{Kind: num.I32, Means: day})
		if fmt.Sprint(view[int32](got)) != "[19000 0 19060]" || again.Rows() != 3 {
			t.Error(ext, view[int32](got))
		}
	}
}

// A count that NumPy would take for NaT is not written as one.
func TestNoCountBecomesNaT(t *testing.T) {
	out := &Output{Rows: 2, Columns: []OutColumn{{Kind: num.I64, Means: meaning.Meaning{Sort: meaning.Duration}, Values: bytesOf([]int64{1, nat})}}}
	path := t.TempDir() + "/x.npy"
	wantError(t, path, Write(path, out), ": row 1: the least value of 64 bits is NaT, no time, in an NPY file")
}
