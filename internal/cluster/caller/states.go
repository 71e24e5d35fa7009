package caller

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The columns of every batch; see package suspend.
const (
	columnWant = 0
	columnID   = 1
)

// partBytes is about the size above which states for one node are spread over
// several parcels, so that it can begin with the first.
const partBytes = 1 << 20

// states knows the ids of a walk and the shape of its batches. The rank of a
// state is the place of its id among all ids in order.
type states struct {
	ids    []int64
	kinds  []byte
	widths []int // bytes of each column's values
	bytes  int   // of one state
}

// row is a state in some batch.
type row struct{ at, rank int }

// newStates takes stock of the batch that a walk begins with.
func newStates(b *parcel.Batch) (states, error) {
	s := states{kinds: b.Kinds}
	if len(b.Kinds) < 2 || num.Kind(b.Kinds[columnWant]) != num.I64 || num.Kind(b.Kinds[columnID]) != num.I64 {
		return s, fmt.Errorf("a batch begins with two i64 columns, want and id; found kinds %v", b.Kinds)
	}
	if len(b.Kinds) > parcel.MaxKinds || b.Keep>>columnID&1 == 0 || b.Keep>>len(b.Kinds) != 0 {
		return s, fmt.Errorf("of %d columns, the id and at most %d can be kept; found the mask %x", len(b.Kinds), parcel.MaxKinds, b.Keep)
	}
	for _, k := range b.Kinds {
		s.widths = append(s.widths, num.Kind(k).Size())
		s.bytes += num.Kind(k).Size()
	}
	if err := s.fits(b.Values, b.States); err != nil {
		return s, err
	}
	s.ids = make([]int64, b.States)
	for i := range s.ids {
		s.ids[i] = b.ID(i)
	}
	slices.Sort(s.ids)
	for i := 1; i < len(s.ids); i++ {
		if s.ids[i] == s.ids[i-1] {
			return s, fmt.Errorf("two states have the id %d", s.ids[i])
		}
	}
	return s, nil
}

// fits compares columns with the shape of a batch of n states.
func (s *states) fits(columns [][]byte, n int) error {
	if len(columns) != len(s.widths) {
		return fmt.Errorf("%d columns for states of %d", len(columns), len(s.widths))
	}
	for i, c := range columns {
		if s.widths[i] == 0 || len(c) != n*s.widths[i] {
			return fmt.Errorf("column %d of %d states of %d bytes has %d bytes", i, n, s.widths[i], len(c))
		}
	}
	return nil
}

// rows gives the states of a batch by a column of ids.
func (s *states) rows(ids []byte) ([]row, error) {
	rows := make([]row, len(ids)/8)
	for i := range rows {
		id := int64At(ids, i)
		rank, ok := slices.BinarySearch(s.ids, id)
		if !ok {
			return nil, fmt.Errorf("a state has the id %d, which was not asked for", id)
		}
		rows[i] = row{i, rank}
	}
	return rows, nil
}

// cut parts states into what fits one parcel each.
func (s *states) cut(rows []row) [][]row {
	var parts [][]row
	for most := max(partBytes/s.bytes, 1); len(rows) > most; rows = rows[most:] {
		parts = append(parts, rows[:most])
	}
	return append(parts, rows)
}

// pick is the batch of some of a batch's states, in its order.
func pick(b *parcel.Batch, rows []row) *parcel.Batch {
	if len(rows) == b.States {
		return b
	}
	at := make([]int, len(rows))
	for i, r := range rows {
		at[i] = r.at
	}
	return b.Pick(at)
}

func int64At(column []byte, i int) int64 {
	return int64(binary.LittleEndian.Uint64(column[8*i:]))
}
