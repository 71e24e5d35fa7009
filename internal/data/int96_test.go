package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// int96Of is a day, counted from 1970, and nanoseconds of it.
func int96Of(day, nanos int64) (b parquet.Int96) {
	binary.LittleEndian.PutUint64(b[:8], uint64(nanos))
	binary.LittleEndian.PutUint32(b[8:], uint32(day+julianEpoch))
	return b
}

// int96File has a column t of times in 96 bits; nil stands for a null.
func int96File(t *testing.T, times []*parquet.Int96) Source {
	t.Helper()
	node, err := schema.NewPrimitiveNode("t", parquet.Repetitions.Optional, parquet.Types.Int96, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var values []parquet.Int96
	var def []int16
	for _, x := range times {
		def = append(def, 0)
		if x != nil {
			values, def[len(def)-1] = append(values, *x), 1
		}
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	group, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	column, err := group.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := column.(*file.Int96ColumnChunkWriter).WriteBatch(values, def, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return mustOpen(t, path)
}

// int96As reads the column as timestamps in a unit.
func int96As(src Source, u meaning.Unit) ([]int64, []byte, error) {
	m := meaning.Meaning{Sort: meaning.Timestamp, Unit: u}
	values, valid, err := tryReadAll(Reading(src, map[int]meaning.Meaning{0: m}, nil, nil), Want{Kind: num.I64, Option: true})
	return view[int64](values), valid, err
}

// TestInt96: times in 96 bits are what they stand for, in any unit, and those of thousands of years from now, too.
func TestInt96(t *testing.T) {
	var times []*parquet.Int96
	var want []time.Time
	for day := int64(-800_000); day < 3_000_000; day += 777 {
		micros := (day*7919%86_400_000_000 + 86_400_000_000) % 86_400_000_000
		x := int96Of(day, micros*1000)
		times = append(times, &x, nil)
		want = append(want, time.Unix(day*86400, micros*1000))
	}
	src := int96File(t, times)
	if c := src.Columns()[0]; c.Type() != "Option<Timestamp<us>>" {
		t.Fatalf("the column is %s", c.Type())
	}
	got, valid, err := int96As(src, meaning.Micro)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range want {
		if got[2*i] != x.UnixMicro() || valid[2*i] != 1 || valid[2*i+1] != 0 {
			t.Fatalf("row %d is %d, expected %d (%v); there: %d, and the null %d", 2*i, got[2*i], x.UnixMicro(), x, valid[2*i], valid[2*i+1])
		}
	}
	if list := src.Prune([]Pred{{Op: Gt, Int: 1 << 62}}); len(list) > 0 && list[0] {
		t.Error("the bounds of such a column, which are in no order, were believed")
	}
}

// TestInt96Nanos: nanoseconds are read where they are asked for, and refused otherwise.
func TestInt96Nanos(t *testing.T) {
	one, far, day := int96Of(1, 1), int96Of(200_000, 0), int96Of(1, dayNanos)
	src := int96File(t, []*parquet.Int96{&one})
	if got, _, err := int96As(src, meaning.Nano); err != nil || got[0] != dayNanos+1 {
		t.Errorf("in nanoseconds: %v; %v", got, err)
	}
	for _, c := range []struct {
		time *parquet.Int96
		unit meaning.Unit
		want string
	}{
		{&one, meaning.Micro, "row 1: column `t`: expected Timestamp<us>, found a time with nanoseconds"},
		{&one, meaning.Second, "row 1: column `t`: expected Timestamp<us>, found a time with nanoseconds"},
		{&far, meaning.Nano, "row 1: column `t`: expected Timestamp<ns>, found a time that is 200000 days away from 1970"},
		{&day, meaning.Micro, "a day has 86400000000000 nanoseconds"},
	} {
		_, _, err := int96As(int96File(t, []*parquet.Int96{nil, c.time}), c.unit)
		if err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%v as %v: %v, want %s", c.time, c.unit, err, c.want)
		}
	}
}
