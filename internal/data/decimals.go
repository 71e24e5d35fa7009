package data

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Decimals are stored in 128 bits, or in bytes, and computed in 64. In: such values. Out: as many
// i64. One that does not fit is an error.

const decimalBytes = 16

// decimals reads 128-bit integers of a batch.
func (r *arrowReader) decimals(run columnRun, buffer int, lo, hi int64) (columnRun, error) {
	b, err := r.bytes(buffer, lo*decimalBytes, hi*decimalBytes, &r.bufs.page)
	if err != nil {
		return run, err
	}
	run.kind, run.values = num.I64, make([]byte, 8*(hi-lo))
	for i := range hi - lo {
		low, high := binary.LittleEndian.Uint64(b[decimalBytes*i:]), binary.LittleEndian.Uint64(b[decimalBytes*i+8:])
		if high != uint64(int64(low)>>63) && (run.nulls.bits == nil || run.nulls.at(int(i)) == 1) {
			return run, wideDecimal(r.input.path, r.col, lo+i)
		}
		binary.LittleEndian.PutUint64(run.values[8*i:], low)
	}
	return run, nil
}

func wideDecimal(path string, col *Column, row int64) *Error {
	e := columnError(path, col, "expected a decimal of at most 64 bits, found one that is larger")
	e.Row, e.Help = row, "store it as a float, or with fewer digits"
	return e
}

// decimalRun is an array of decimals in memory.
func decimalRun(path string, col *Column, a arrow.Array, first, rows int64) (columnRun, error) {
	run := columnRun{kind: num.I64, rows: int(rows), width: 1, values: make([]byte, 8*rows), nulls: arrayNulls(a)}
	run.nulls.first += int(first)
	d, ok := a.(*array.Decimal128)
	if !ok {
		return run, columnError(path, col, "it has no decimals of 128 bits")
	}
	for i := range rows {
		if d.IsNull(int(first + i)) {
			continue
		}
		v := d.Value(int(first + i))
		if v.HighBits() != int64(v.LowBits())>>63 {
			return run, wideDecimal(path, col, first+i)
		}
		binary.LittleEndian.PutUint64(run.values[8*i:], v.LowBits())
	}
	return run, nil
}

// bigEndian is a signed integer of any number of bytes; false if it needs more than 64 bits.
func bigEndian(b []byte) (int64, bool) {
	v := int64(0)
	if len(b) > 0 && b[0]>>7 != 0 {
		v = -1
	}
	for i, c := range b {
		if i+8 < len(b) && c != byte(v) {
			return 0, false
		}
		if i+8 >= len(b) {
			v = v<<8 | int64(c)
		}
	}
	negative := len(b) > 0 && b[0]>>7 != 0
	return v, (v < 0) == negative
}

// fixedDecimals reads decimals that Parquet stores in bytes.
func fixedDecimals(r *file.FixedLenByteArrayColumnChunkReader) func(int64, []int64, []int16, []int16) (int64, int, error) {
	buf := make([]parquet.FixedLenByteArray, slowBatch)
	return func(n int64, values []int64, def, rep []int16) (int64, int, error) {
		total, present, err := r.ReadBatchInPage(n, buf, def, rep)
		if err != nil {
			return total, present, err
		}
		for i := range present {
			v, ok := bigEndian(buf[i])
			if !ok {
				return total, present, fmt.Errorf("a decimal needs more than 64 bits")
			}
			values[i] = v
		}
		return total, present, nil
	}
}

// arrowDecimals are values in 128 bits.
func arrowDecimals(c *OutColumn) []byte {
	out := make([]byte, 0, 2*len(c.Values))
	for _, v := range view[int64](c.Values) {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
		out = binary.LittleEndian.AppendUint64(out, uint64(v>>63))
	}
	return out
}

// digits are those that the type of a column of decimals needs: results may have more than declared.
func (c *OutColumn) digits() int32 {
	n := int32(c.Means.Digits)
	for _, v := range view[int64](c.Values) {
		for m, k := v, int32(0); m != 0; {
			m /= 10
			k++
			n = max(n, k)
		}
	}
	return n
}
