package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: points of time as Parquet had them before it had types for time, and some writers still do: nanoseconds of a day, and the Julian day, in
// 96 bits. Out: timestamps in microseconds, which is what most of these writers keep, or in nanoseconds where a program asks for such.
// Invariant: nothing is rounded, and statistics of these columns, which are in no order, are not looked at.

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2_440_588

const dayNanos = 24 * 60 * 60 * int64(1e9)

// int96Column is such a column.
func int96Column(col Column, sc *schema.Column, index int) (Column, parquetLeaf) {
	col.Kind, col.Means = num.I64, meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Micro}
	return col, parquetLeaf{index: index, physical: num.I64, maxDef: int(sc.MaxDefinitionLevel()), maxRep: int(sc.MaxRepetitionLevel()), wide: true}
}

// int96Unit is what values are counted in for a want, which then is one of such a column.
func int96Unit(w *Want) meaning.Unit {
	if w.Means.Sort != meaning.Timestamp || w.Means.Unit != meaning.Nano {
		return meaning.Micro
	}
	w.from = w.Means
	w.scale, _ = w.from.To(w.Means)
	return meaning.Nano
}

// int96Times reads them.
func int96Times(r *file.Int96ColumnChunkReader, u meaning.Unit) func(int64, []int64, []int16, []int16) (int64, int, error) {
	buf := make([]parquet.Int96, slowBatch)
	return func(n int64, values []int64, def, rep []int16) (int64, int, error) {
		total, present, err := r.ReadBatchInPage(n, buf, def, rep)
		for i := 0; err == nil && i < present; i++ {
			if values[i], err = int96Time(&buf[i], u); err != nil {
				if of := (*valueError)(nil); errors.As(err, &of) {
					of.at = i
				}
			}
		}
		return total, present, err
	}
}

// int96Time is the time in a unit. What is wrong with a value is a *valueError.
func int96Time(b *parquet.Int96, u meaning.Unit) (int64, error) {
	nanos, day := binary.LittleEndian.Uint64(b[:8]), int64(binary.LittleEndian.Uint32(b[8:]))-julianEpoch
	if nanos >= uint64(dayNanos) {
		return 0, fmt.Errorf("a day has %d nanoseconds", nanos)
	}
	perDay, m := dayNanos/u.Nanos(), meaning.Meaning{Sort: meaning.Timestamp, Unit: u}
	switch {
	case int64(nanos)%u.Nanos() != 0:
		return 0, &valueError{msg: fmt.Sprintf("expected %s, found a time with nanoseconds", m), help: "declare it as Timestamp<ns>, or leave the column out"}
	case day >= math.MaxInt64/perDay || day <= -(math.MaxInt64/perDay):
		return 0, &valueError{msg: fmt.Sprintf("expected %s, found a time that is %d days away from 1970, which is too far for it", m, max(day, -day)), help: "declare it as Timestamp<us>"}
	}
	return day*perDay + int64(nanos)/u.Nanos(), nil
}
