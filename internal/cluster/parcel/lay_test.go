package parcel

import (
	"bytes"
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/loan"
)

// What is laid has the bytes that it has otherwise, whatever stands before it, and where it cannot be in place it is copied.
func TestLay(t *testing.T) {
	h := &Header{Kind: Result, Flags: Last, Hops: 7, Left: 1 << 30, Request: math.MaxUint64, Caller: 1 << 31, Code: math.MaxUint64}
	heads := []Answer{
		{},
		{Hops: math.MaxUint32, Steps: math.MaxUint64, States: math.MaxInt64, Micros: Timing{math.MaxUint32, math.MaxUint32, math.MaxUint32, math.MaxUint32}},
		{Hops: 1, Micros: Timing{Run: 300}},
	}
	for _, lengths := range [][]int{{}, {0}, {1}, {127}, {0, 3}, {128, 1}, {loan.Least, loan.Least / 8}, {300, 70000, 5}} {
		for _, head := range heads {
			a := Lay(lengths...)
			for i, c := range a.Columns {
				for j := range c {
					c[j] = byte(i*31 + j)
				}
			}
			a.Hops, a.Steps, a.States, a.Micros = head.Hops, head.Steps, head.States, head.Micros
			want := (&Answer{Hops: a.Hops, Steps: a.Steps, States: a.States, Micros: a.Micros, Columns: a.Columns}).Append(h.Append(nil, nil))
			got, of := a.Parcel(h)
			if !bytes.Equal(got, want) {
				t.Errorf("columns of %v bytes after %+v: %d bytes that differ from the %d expected", lengths, head, len(got), len(want))
			}
			if of == nil || of != a.Loan {
				t.Errorf("columns of %v bytes were copied", lengths)
			}
		}
	}
	for name, change := range map[string]func(*Answer){
		"another column": func(a *Answer) { a.Columns[0] = bytes.Clone(a.Columns[0]) },
		"fewer rows":     func(a *Answer) { a.Columns[0] = a.Columns[0][:10] },
		"fewer columns":  func(a *Answer) { a.Columns = a.Columns[:0] },
		"a fault":        func(a *Answer) { a.Faults = []Fault{{Site: 1, Place: 2}} },
		"extents":        func(a *Answer) { a.Extents = []Extent{{1, 2}} },
	} {
		a := Lay(20)
		copy(a.Columns[0], "12345678901234567890")
		change(a)
		want := a.Append(h.Append(nil, nil))
		if got, of := a.Parcel(h); of != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, expected %q, lent: %v", name, got, want, of != nil)
		}
	}
}
