package data

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Decimals are stored in 128 bits, or in bytes, and computed in 64. In: such values. Out: as many
// i64. One that does not fit the language's decimals is an error that names its row.

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
		if (high != uint64(int64(low)>>63) || tooLong(int64(low))) && (run.nulls.bits == nil || run.nulls.at(int(i)) == 1) {
			return run, wideValue(int(i))
		}
		binary.LittleEndian.PutUint64(run.values[8*i:], low)
	}
	return run, nil
}

// tooLong reports a number that has more digits than a decimal of the language.
func tooLong(v int64) bool {
	return !meaning.Meaning{Sort: meaning.Decimal, Digits: meaning.MaxDigits}.Fits(v)
}

// wideValue is the error for a decimal of more.
func wideValue(at int) *valueError {
	return &valueError{at, fmt.Sprintf("expected a decimal of at most %d digits, found one of more", meaning.MaxDigits), "leave the column out, or have it written as floats, or as decimals of fewer digits"}
}

// valueError is about row number at of those that were read, or value at of those that are there: whoever knows which row of the
// file that is says so.
type valueError struct {
	at        int
	msg, help string
}

func (e *valueError) Error() string { return e.msg }

// placedAt names the row of such a value, if err is about one.
func placedAt(err error, path string, col *Column, row func(at int) int64) error {
	var of *valueError
	if !errors.As(err, &of) {
		return err
	}
	e := columnError(path, col, of.msg)
	e.Row, e.Help = row(of.at), of.help
	return e
}

// narrowed is what decimals of a file are here: those of types that are wider than the language's can be read as long as each value fits.
func narrowed(precision, scale int32) (m meaning.Meaning, wider bool) {
	digits := max(precision, scale)
	return meaning.Meaning{Sort: meaning.Decimal, Digits: uint8(min(digits, meaning.MaxDigits)), Places: uint8(scale)}, digits > meaning.MaxDigits
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
		if v.HighBits() != int64(v.LowBits())>>63 || tooLong(int64(v.LowBits())) {
			return run, wideValue(int(i))
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
			if !ok || tooLong(v) {
				return total, present, wideValue(i)
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
