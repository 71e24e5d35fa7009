package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

const partitioned = `record R { name: Str, day: Date, moment: Timestamp<us>, late: bool, count: Option<i64>, price: f64 }
fn all(r: &[R; N]) -> [R; N] { r }
`

// What Godwit parts by columns is what DuckDB reads, row for row, and the other way round: also texts that no folder can be called, and nulls.
func TestPartitions(t *testing.T) {
	db, err := openDuck(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	dir := t.TempDir()
	do := func(format string, args ...any) {
		t.Helper()
		if _, err := db.db.Exec(fmt.Sprintf(format, args...)); err != nil {
			t.Fatal(err)
		}
	}
	do("SET TimeZone='UTC'")
	do(`CREATE TABLE r AS SELECT ['a', 'b/c', 'd=e', '100%%', 'été', 'f g', 'h''i', 'x:y', '7'][1 + i %% 9] AS name, DATE '2001-03-14' + (i %% 5)::INTEGER AS day,
		TIMESTAMP '2001-03-14 08:30:00' + INTERVAL (i // 7) MINUTE AS moment, i %% 3 = 0 AS late, CASE WHEN i %% 11 = 0 THEN NULL ELSE i %% 4 END AS count, i / 8 AS price FROM range(5000) t(i)`)
	source := filepath.Join(dir, "r.parquet")
	do("COPY r TO '%s'", source)
	prog, err := godwit.Compile(partitioned)
	if err != nil {
		t.Fatal(err)
	}
	f, err := prog.Func("all")
	if err != nil {
		t.Fatal(err)
	}
	for i, by := range []string{"name", "day", "late", "count", "moment", "count,name,day"} {
		ours, theirs, again := filepath.Join(dir, fmt.Sprint("ours", i)), filepath.Join(dir, fmt.Sprint("theirs", i)), filepath.Join(dir, fmt.Sprintf("again%d.parquet", i))
		if _, err := f.Call(t.Context(), godwit.Args{"r": godwit.File(source)}, godwit.WithFile(ours, strings.Split(by, ",")...)); err != nil {
			t.Fatalf("by %s: %v", by, err)
		}
		do("COPY r TO '%s' (FORMAT parquet, PARTITION_BY (%s))", theirs, by)
		if _, err := f.Call(t.Context(), godwit.Args{"r": godwit.File(theirs)}, godwit.WithFile(again)); err != nil {
			t.Fatalf("by %s: %v", by, err)
		}
		for _, from := range []string{"read_parquet('" + ours + "/**/*.parquet', hive_partitioning = true)", "read_parquet('" + again + "')"} {
			read := "(SELECT name::VARCHAR AS name, day::DATE AS day, moment::TIMESTAMP AS moment, late::BOOLEAN AS late, count::BIGINT AS count, price FROM " + from + ")"
			var more, less int
			if err := db.db.QueryRow("SELECT (SELECT count(*) FROM (FROM "+read+" EXCEPT ALL FROM r)), (SELECT count(*) FROM (FROM r EXCEPT ALL FROM "+read+"))").Scan(&more, &less); err != nil {
				t.Fatalf("by %s: %v", by, err)
			}
			if more != 0 || less != 0 {
				t.Errorf("by %s: %d rows that there are not, %d rows missing: %s", by, more, less, read)
			}
		}
	}
}
