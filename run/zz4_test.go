package run

import (
	"fmt"
	"testing"
	"time"

	"github.com/godwit-run/godwit/engine"
)

func TestZZFlights(t *testing.T) {
	src := open(t, "/work/shared/data/flights-3m.parquet")
	for i, c := range src.Columns() {
		fmt.Println(i, c.Name, c.Kind, c.Stored, c.Nullable, len(src.Chunks()))
	}
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	for i, c := range src.Columns() {
		if c.Nullable {
		}
		p := sumPlan(c.Kind, 16*leaf)
		b := Column(src, i)
		b.Option = c.Nullable
		best := time.Hour
		var bs int64
		for range 7 {
			s := time.Now()
			res := mustRun(t, p, columns(int(src.Rows()), b), Options{Engine: e, Threads: 2})
			bs = res.Stats.BytesRead
			best = min(best, time.Since(s))
		}
		fmt.Println(c.Name, best, bs)
	}
}
