package data

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: arrays of datetime64 and timedelta64. Out: what they count, and which rows are NaT, which NumPy stores as the least i64.
// Invariant: NaT never comes out as a value. Whether there is one is known since the file was opened, so that an array without
// any is read, and mapped, as one of plain integers.

// npyTimes are the units of datetime64 and timedelta64.
var npyTimes = map[string]meaning.Meaning{
	"M8[s]": {Sort: meaning.Timestamp, Unit: meaning.Second}, "M8[ms]": {Sort: meaning.Timestamp, Unit: meaning.Milli},
	"M8[us]": {Sort: meaning.Timestamp}, "M8[ns]": {Sort: meaning.Timestamp, Unit: meaning.Nano},
	"m8[s]": {Sort: meaning.Duration, Unit: meaning.Second}, "m8[ms]": {Sort: meaning.Duration, Unit: meaning.Milli},
	"m8[us]": {Sort: meaning.Duration}, "m8[ns]": {Sort: meaning.Duration, Unit: meaning.Nano},
	"M8[D]": {Sort: meaning.Date},
}

// npyMeaning is what a dtype of times means, and the dtype of the integers that stand for them.
func npyMeaning(descr string) (meaning.Meaning, string) {
	if descr == "" {
		return meaning.Meaning{}, descr
	}
	if m, ok := npyTimes[descr[1:]]; ok {
		return m, descr[:1] + "i8"
	}
	return meaning.Meaning{}, descr
}

// npyDays is the kind of a column: days have 32 bits here, and 64 in NumPy.
func npyDays(stored num.Kind, m meaning.Meaning) num.Kind {
	if m.Sort == meaning.Date {
		return num.I32
	}
	return stored
}

// days has errors speak of days where those of 64 bits become those of 32.
func (s *npyFile) days(w Want) Want {
	if m := s.cols[0].Means; m.Sort == meaning.Date && w.Kind == num.I32 && w.Bound == 0 {
		w.Means, w.from, w.scale = m, m, meaning.Scale{Mul: 1, Div: 1}
	}
	return w
}

// notATime is NaT, as it is stored.
const notATime = math.MinInt64

// findMissing looks for a NaT, once: the first one ends the walk.
func (s *npyFile) findMissing() error {
	n, _ := sizeOf(s.rows, s.cols[0].Dims, s.stored)
	buf := scratch.Get().(*[]byte)
	defer scratch.Put(buf)
	for done := int64(0); done < n; {
		part := (*buf)[:min(n-done, scratchSize)]
		if err := s.readAt(part, s.data+done); err != nil {
			return err
		}
		if s.swap {
			swapBytes(part, s.size)
		}
		for _, v := range view[int64](part) {
			if v == notATime {
				s.missing, s.cols[0].Nullable = true, true
				return nil
			}
		}
		done += int64(len(part))
	}
	return nil
}

// fillMissing is fill for an array that has a NaT: a row of nothing else is missing.
func (s *npyFile) fillMissing(ctx context.Context, c Chunk, w Want, dst Dest) (int64, error) {
	width := s.cols[0].Width()
	step := max(1, scratchSize/(width*int64(s.size)))
	buf := make([]byte, min(step, c.Rows())*width*int64(s.size))
	read := int64(0)
	for lo := c.Lo; lo < c.Hi; lo += step {
		if err := ctx.Err(); err != nil {
			return read, err
		}
		rows := min(step, c.Hi-lo)
		part := buf[:rows*width*int64(s.size)]
		if err := s.readAt(part, s.data+lo*width*int64(s.size)); err != nil {
			return read, err
		}
		read += int64(len(part))
		if s.swap {
			swapBytes(part, s.size)
		}
		run := timesRun(part, int(rows), int(width))
		size := width * int64(w.Kind.Size())
		d := Dest{Values: dst.Values[(lo-c.Lo)*size : (lo-c.Lo+rows)*size]}
		if w.Option {
			d.Valid = dst.Valid[lo-c.Lo : lo-c.Lo+rows]
		}
		if err := run.fill(place{path: s.path(), row: lo, want: w, dst: d}); err != nil {
			return read, err
		}
	}
	return read, nil
}

// timesRun tells missing rows, and missing values inside of others.
func timesRun(values []byte, rows, width int) columnRun {
	inner, whole := make([]byte, rows*width), make([]byte, rows)
	for i, v := range view[int64](values) {
		if v != notATime {
			inner[i], whole[i/width] = 1, 1
		}
	}
	run := columnRun{kind: num.I64, rows: rows, width: width, values: values}
	run.nulls.bits, run.inner.bits = packBits(whole), packBits(inner)
	return run
}

// checkTimes refuses what NumPy would take for NaT.
func checkTimes(c *OutColumn) error {
	if !c.Means.IsTime() || c.Kind != num.I64 {
		return nil
	}
	for i := 0; i+8 <= len(c.Values); i += 8 {
		if binary.LittleEndian.Uint64(c.Values[i:]) == 1<<63 {
			e := refuse(c, "the least value of 64 bits is NaT, no time, in an NPY file", "write .parquet or .arrow")
			e.Row = int64(i/8) / c.width()
			return e
		}
	}
	return nil
}
