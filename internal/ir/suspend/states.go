package suspend

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Sizes gives the sizes of a run from those of the original: states at hand,
// rows of the window, and the most turns of one state.
func Sizes(original []int64, states, rows, turns int64) []int64 {
	return append(original[:len(original):len(original)], states, rows, turns)
}

// Scalars gives the scalars of a run from those of the original and the
// first row of the window.
func Scalars(original []uint64, first int64) []uint64 {
	return append(original[:len(original):len(original)], uint64(first))
}

// Want is the row that state i needs next, -1 if the state is done.
func Want(columns [][]byte, i int64) int64 {
	return int64(column.Get(num.I64, columns[wantColumn], i))
}

// ID is what of the original state i stands for.
func ID(columns [][]byte, i int64) int64 {
	return int64(column.Get(num.I64, columns[idColumn], i))
}

// Count is the number of ids with the original's sizes: each id of 0..Count
// needs one state.
func (b *Batch) Count(sizes []int64) (int64, error) {
	n, ok := kernel.EvalPoly(b.IDs, sizes)
	if !ok || n < 0 {
		return 0, fmt.Errorf("suspend: expected a number of states, found that %s has no value with sizes %d", b.IDs, sizes)
	}
	return n, nil
}

// Start gives the columns of states that have never run, in the order of ids.
// region gives the contents of a region of the original, once for each column that begins with some.
func (b *Batch) Start(ids []int64, region func(int) (kind num.Kind, elements []byte)) [][]byte {
	columns := make([][]byte, len(b.Columns))
	for i, c := range b.Columns {
		columns[i] = make([]byte, len(ids)*c.Kind.Size())
		first := func(int64) uint64 { return c.Bits }
		switch {
		case i == idColumn:
			first = func(id int64) uint64 { return uint64(id) }
		case c.Region >= 0:
			kind, elements := region(c.Region)
			first = func(id int64) uint64 { return column.Get(kind, elements, c.Scale*id+c.Offset) }
		}
		for s, id := range ids {
			column.Put(c.Kind, columns[i], int64(s), first(id))
		}
	}
	return columns
}

// Keep has bit i set for each column i that Deliver reads from states that
// are all done: the ids and the results.
func (b *Batch) Keep() uint64 {
	keep := uint64(1) << idColumn
	for _, r := range b.Results {
		keep |= 1 << r.Column
	}
	return keep
}

// Deliver passes on the results of the states that are done, as elements of
// regions of the original, and counts these states. Columns outside of Keep may
// be nil; where column 0 is, all states are done.
func (b *Batch) Deliver(columns [][]byte, put func(region int, element int64, bits uint64)) (done int) {
	for s := range int64(len(columns[idColumn]) / num.I64.Size()) {
		if columns[wantColumn] != nil && Want(columns, s) >= 0 {
			continue
		}
		id := ID(columns, s)
		for _, r := range b.Results {
			put(r.Region, r.Scale*id+r.Offset, column.Get(b.Columns[r.Column].Kind, columns[r.Column], s))
		}
		done++
	}
	return done
}
