package caller

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// walkAnswer collects the answer of a Walk.
type walkAnswer struct {
	states  *states
	kept    []int    // columns of the answer
	id      int      // which of them has the ids
	columns [][]byte // states in order of rank
	faults  []parcel.Fault
	steps   uint64
	hops    uint32
	micros  parcel.Timing
}

func newWalkAnswer(s *states, keep uint64) walkAnswer {
	w := walkAnswer{states: s}
	for i, width := range s.widths {
		if keep>>i&1 == 0 {
			continue
		}
		if i == columnID {
			w.id = len(w.kept)
		}
		w.kept = append(w.kept, i)
		w.columns = append(w.columns, make([]byte, len(s.ids)*width))
	}
	return w
}

// keep picks the columns of the answer out of all.
func (w *walkAnswer) keep(values [][]byte) [][]byte {
	columns := make([][]byte, len(w.kept))
	for i, k := range w.kept {
		columns[i] = values[k]
	}
	return columns
}

// check compares a node's answer with what was asked for, and gives its
// column of ids.
func (w *walkAnswer) check(a *parcel.Answer) ([]byte, error) {
	if len(a.Columns) != len(w.kept) {
		return nil, fmt.Errorf("%d columns instead of %d", len(a.Columns), len(w.kept))
	}
	for i, c := range a.Columns {
		if want := a.States * w.states.widths[w.kept[i]]; len(c) != want {
			return nil, fmt.Errorf("column %d of %d states has %d bytes instead of %d", w.kept[i], a.States, len(c), want)
		}
	}
	return a.Columns[w.id], nil
}

// put places a state's columns.
func (w *walkAnswer) put(r row, columns [][]byte) {
	for i, k := range w.kept {
		width := w.states.widths[k]
		copy(w.columns[i][r.rank*width:], columns[i][r.at*width:(r.at+1)*width])
	}
}

// merge adds what is not about single states. Work done twice counts twice.
func (w *walkAnswer) merge(a *parcel.Answer) {
	w.mergeFaults(a.Faults)
	w.steps += a.Steps
	w.hops = max(w.hops, a.Hops)
	m := &w.micros
	m.Queue, m.Verify = max(m.Queue, a.Micros.Queue), max(m.Verify, a.Micros.Verify)
	m.Compile, m.Run = max(m.Compile, a.Micros.Compile), max(m.Run, a.Micros.Run)
}

// mergeFaults keeps the least place of each site.
func (w *walkAnswer) mergeFaults(list []parcel.Fault) {
	for _, f := range list {
		i, ok := slices.BinarySearchFunc(w.faults, f, func(a, b parcel.Fault) int { return cmp.Compare(a.Site, b.Site) })
		if !ok {
			w.faults = slices.Insert(w.faults, i, f)
		} else {
			w.faults[i].Place = min(w.faults[i].Place, f.Place)
		}
	}
}

// whole is the answer with all states.
func (w *walkAnswer) whole() *parcel.Answer {
	return &parcel.Answer{States: len(w.states.ids), Columns: w.columns, Faults: w.faults, Hops: w.hops, Steps: w.steps, Micros: w.micros}
}
