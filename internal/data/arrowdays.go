package data

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: columns of Arrow's date64, which are days that are counted in milliseconds. Out: dates, as those of date32 and of Parquet are; or
// the moments as they lie there, for whoever declares a Timestamp. Invariant: what is no whole day is no date, and an error that names its row.

var millis = meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Milli}

const dayMillis = 24 * 3600 * 1000

// inMillis is how a column of date64 lies.
func (c *Column) inMillis() *Column {
	lies := *c
	lies.Kind, lies.Means = num.I64, millis
	return &lies
}

// fromMillis gives a run of date64 as it is wanted.
func fromMillis(run columnRun, w Want) (columnRun, Want, error) {
	if w.Means.Sort == meaning.Timestamp {
		w.from = millis
		w.scale, _ = millis.To(w.Means)
		return run, w, nil
	}
	days := make([]int32, run.rows*run.width)
	for i, v := range view[int64](run.values) {
		if run.nulls.bits != nil && run.nulls.at(i/run.width) == 0 || run.inner.bits != nil && run.inner.at(i) == 0 {
			continue
		}
		day := v / dayMillis
		if v%dayMillis != 0 || day != int64(int32(day)) {
			return run, w, &valueError{i / run.width, fmt.Sprintf("expected Date, found %s, which is no whole day", millis.Append(nil, v)), "declare it as Timestamp<ms>, and take its .date(), or have it written as one: .cast(pyarrow.timestamp('ms'))"}
		}
		days[i] = int32(day)
	}
	run.kind, run.values = num.I32, bytesOf(days)
	return run, w, nil
}
