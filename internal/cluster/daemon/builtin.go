package daemon

import (
	"context"
	"encoding/binary"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Chase names the one function that is preinstalled on every node: it
// follows an array of indices for a number of steps. It is there to measure what
// travelling code costs beside code that is already there. Its states are the columns
// want, id, steps left and index, all i64; its set has the array as the only
// column of the batch.
var Chase = kernel.Hash([]byte("godwit preinstalled chase 1"))

// builtin runs a preinstalled function.
func (d *Daemon) builtin(ctx context.Context, w *node.Advance, sh shard) error {
	b := w.Batch
	if parcel.PrefixOf(w.ID) != parcel.PrefixOf(Chase) {
		return refused("no function is preinstalled as %s", w.ID.Short())
	}
	if len(b.Values) != 4 || len(b.Columns) != 1 || string(b.Kinds) != string([]byte{byte(num.I64), byte(num.I64), byte(num.I64), byte(num.I64)}) {
		return refused("the preinstalled chase has four state columns of i64 and one column of the set, found %d and %d", len(b.Values), len(b.Columns))
	}
	r, err := d.columns.acquire(ctx, sh.src, place{b.Set, sh.number, b.Columns[0].Column}, true)
	if err != nil {
		return err
	}
	defer d.columns.release(r)
	if !r.kind.IsInt() || r.width != 1 || !r.within(sh.set.Rows) {
		return &node.WorkError{Reason: parcel.DataError, Detail: "the column does not hold indices into its own set"}
	}
	for i := range b.States {
		chase(b, 8*i, r.all, r.kind, sh.at.Lo, sh.at.Hi, w.Turns)
	}
	return nil
}

// chase advances the state whose values begin at byte o of each column.
func chase(b *parcel.Batch, o int, table []byte, kind num.Kind, lo, hi, turns int64) {
	le := binary.LittleEndian
	want, left := int64(le.Uint64(b.Values[0][o:])), int64(le.Uint64(b.Values[2][o:]))
	at := int64(le.Uint64(b.Values[3][o:]))
	for ; turns > 0 && want >= lo && want < hi; turns-- {
		at = int64(column.Get(kind, table, want-lo))
		left--
		if want = at; left <= 0 {
			want = -1
		}
	}
	le.PutUint64(b.Values[0][o:], uint64(want))
	le.PutUint64(b.Values[2][o:], uint64(left))
	le.PutUint64(b.Values[3][o:], uint64(at))
}
