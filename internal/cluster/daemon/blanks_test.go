package daemon

import (
	"encoding/binary"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// looked is r2[i] = r1[r0[i]], with numbers of entries of this kind below the length of r1.
func looked(kind num.Kind) *kernel.Kernel {
	rows, outer, table := size.Var("s0"), size.Var("s1"), size.Var("s2")
	b, _, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes: []kernel.Size{{Lo: 0, Hi: 1 << 30}, {Lo: 0, Hi: 1 << 30}, {Lo: 0, Hi: 1 << 30}},
		Regions: []kernel.Region{{Elem: kind, Len: rows, Bounded: true, Bound: table}, {Elem: num.I64, Len: table},
			{Elem: num.I64, Len: rows, Access: kernel.Write}},
		Outer: outer, Grain: size.Const(1000), Count: rows,
	})
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		at := b.Load(0, i)
		if kind != num.I64 {
			at = b.Convert(at, num.I64, false)
		}
		b.Store(2, i, b.Load(1, at))
		return nil, kernel.None
	})
	return b.Finish()
}

// A client says how missing values are read, and nobody has compared a shard with a dictionary: whatever it says of whatever column,
// kernels get numbers below the bound, or there is an error.
func TestHostileBlanks(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	for _, tt := range []struct {
		name   string
		kind   num.Kind
		column int
		blanks byte
		table  int64
		want   func(row int64) int64 // nil: an error
	}{
		{"all below", num.U8, small, 1, 256, func(i int64) int64 { return 7 * i & 255 }},
		{"the greatest of its kind", num.U8, small, 2, 1000, nil},
		{"not below", num.U8, small, 1, 255, nil},
		{"nulls are 0", num.I64, holes, 1, keptRows + 5, func(i int64) int64 { return (i % 3 & 1) * (i + 5) }},
		{"others are one more", num.I64, holes, 2, keptRows + 6, func(i int64) int64 { return (i % 3 & 1) * (i + 6) }},
		{"the last is not below", num.I64, holes, 2, keptRows, nil},
		{"another kind", num.U8, holes, 2, keptRows + 6, nil},
		{"nulls without a word", num.I64, holes, 0, keptRows + 6, nil},
		{"a way that is none", num.I64, holes, 3, keptRows + 6, nil},
		{"far beyond", num.I64, wide, 2, keptRows, nil},
	} {
		table := make([]byte, 8*tt.table)
		for i := range tt.table {
			binary.LittleEndian.PutUint64(table[8*i:], uint64(i))
		}
		got, err := k.job(&node.Compute{ID: k.kernel(t, looked(tt.kind)), Task: &parcel.Task{Set: k.set, Sizes: []int64{keptRows, keptRows / 1000, tt.table}, Hi: keptRows / 1000,
			Operands: []parcel.Operand{{How: parcel.Stored, Column: tt.column, Blanks: tt.blanks}, {How: parcel.Inline, Bytes: table}, {How: parcel.Out, Count: keptRows}}}})
		if tt.want == nil {
			if err == nil {
				t.Errorf("%s: no error", tt.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for i := range int64(keptRows) {
			if x := int64(binary.LittleEndian.Uint64(got[8*i:])); x != tt.want(i) {
				t.Errorf("%s: row %d is %d, want %d", tt.name, i, x, tt.want(i))
				break
			}
		}
	}
}
