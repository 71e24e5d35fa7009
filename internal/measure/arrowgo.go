package measure

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/parquet/file"
)

// arrowGo answers the programs of the table benchmark with arrow-go's reader
// and a loop in Go, row groups in parallel.
func arrowGo(path string, threads int, byKey bool) Runner {
	return func(context.Context) (time.Duration, []float64, error) {
		start := time.Now()
		r, err := file.OpenParquetFile(path, true)
		if err != nil {
			return 0, nil, err
		}
		defer r.Close()
		var next atomic.Int64
		var all sync.WaitGroup
		found, failed := make([]groups, threads), make([]error, threads)
		for i := range threads {
			all.Go(func() {
				w := &flightReader{byKey: byKey}
				for g := int(next.Add(1) - 1); g < r.NumRowGroups() && failed[i] == nil; g = int(next.Add(1) - 1) {
					failed[i] = w.read(r.RowGroup(g), &found[i])
				}
			})
		}
		all.Wait()
		for i := range threads {
			if failed[i] != nil {
				return 0, nil, failed[i]
			}
			if i > 0 {
				found[0].merge(&found[i])
			}
		}
		means := found[0].means(byKey)
		return time.Since(start), means, nil
	}
}

// flightReader has memory for the columns of a row group.
type flightReader struct {
	byKey           bool
	delay, distance []int64
	definition      []int16
}

// read adds a row group's rows. Without keys the distances are not read.
func (w *flightReader) read(g *file.RowGroupReader, into *groups) error {
	n := int(g.NumRows())
	if cap(w.delay) < n {
		w.delay, w.distance, w.definition = make([]int64, n), make([]int64, n), make([]int16, n)
	}
	w.delay, w.distance, w.definition = w.delay[:n], w.distance[:n], w.definition[:n]
	if err := w.column(g, 0, w.delay); err != nil {
		return err
	}
	if w.byKey {
		if err := w.column(g, 1, w.distance); err != nil {
			return err
		}
	}
	for i, d := range w.delay {
		into.add(d, w.distance[i])
	}
	return nil
}

func (w *flightReader) column(g *file.RowGroupReader, i int, out []int64) error {
	c, err := g.Column(i)
	if err != nil {
		return err
	}
	r, ok := c.(*file.Int64ColumnChunkReader)
	if !ok {
		return fmt.Errorf("column %d is no int64", i)
	}
	for len(out) > 0 {
		rows, values, err := r.ReadBatch(int64(len(out)), out, w.definition, nil)
		if err != nil || rows != int64(values) || rows == 0 {
			return fmt.Errorf("column %d: %d of %d rows: %w", i, values, rows, err)
		}
		out = out[rows:]
	}
	return nil
}
