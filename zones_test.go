package godwit_test

import (
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
)

// Parquet files say that a time of day has no zone, and that a timestamp is in UTC, whoever writes them.
func TestZonesOfParquet(t *testing.T) {
	dir := t.TempDir()
	result, converted := filepath.Join(dir, "result.parquet"), filepath.Join(dir, "converted.parquet")
	src := "record R { t: Time, at: Timestamp, o: Option<Time> }\nfn f(r: &[R; N]) -> [R; N] { r }"
	in := csvOf(t, "t,at,o\n08:30:00,2001-03-14T08:30:00Z,\n23:59:59.5,2001-03-14T08:30:00+02:00,00:00:01\n")
	res, err := function(t, src, "f").Call(t.Context(), godwit.Args{"r": godwit.File(in)})
	if err == nil {
		err = res.WriteFile(result)
	}
	if err != nil {
		t.Fatal(err)
	}
	read, err := data.Open(result)
	if err == nil {
		_, err = data.Rewrite(t.Context(), read, data.Target{Path: converted}, nil, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{result, converted} {
		f, err := file.OpenParquetFile(path, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, adjusted := range []bool{false, true, false} {
			c := f.MetaData().Schema.Column(i)
			got := !adjusted
			switch l := c.LogicalType().(type) {
			case schema.TimeLogicalType:
				got = l.IsAdjustedToUTC()
			case schema.TimestampLogicalType:
				got = l.IsAdjustedToUTC()
			}
			if got != adjusted {
				t.Errorf("%s: column %s: adjusted to UTC: %t, want %t", path, c.Name(), got, adjusted)
			}
		}
		f.Close()
		again, err := function(t, src, "f").Call(t.Context(), godwit.Args{"r": godwit.File(path)})
		if err != nil || string(again.JSON()) != string(res.JSON()) {
			t.Errorf("%s: %v, %v, want %s", path, again, err, res.JSON())
		}
	}
}
