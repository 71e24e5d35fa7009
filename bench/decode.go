package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/measure"
)

// decoding compares reading one column of the file, and nothing else, with the
// least that DuckDB can be asked to do with every value of it: how far apart the
// two readers are.
func decoding(ctx context.Context, c choices, path string, threads int, db *duck) (measure.Row, error) {
	return measure.Contest{
		Name: "delays decoded, no kernel, " + count(threads), Against: db.name + ", sum(delay)",
		Unit: "ms", Pairs: c.queries(),
		Ours: func(ctx context.Context) (time.Duration, []float64, error) {
			return decode(ctx, path, "delay", threads)
		},
		Reference: db.query(`SELECT 0, sum(delay) FROM read_parquet(?)`, path),
	}.Row(ctx)
}

// decode reads a column as i16 into memory, with so many threads; the sum is not
// in the time.
func decode(ctx context.Context, path, name string, threads int) (time.Duration, []float64, error) {
	start := time.Now()
	src, err := data.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer src.Close()
	column := slices.IndexFunc(src.Columns(), func(c data.Column) bool { return c.Name == name })
	if column < 0 {
		return 0, nil, fmt.Errorf("%s has no column %q", path, name)
	}
	values := make([]byte, 2*src.Rows())
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, threads)
	for i := range threads {
		all.Go(func() { errs[i] = fill(ctx, src, &next, data.Want{Column: column, Kind: num.I16}, values) })
	}
	all.Wait()
	d := time.Since(start)
	for _, err := range errs {
		if err != nil {
			return 0, nil, err
		}
	}
	total := 0.0
	for i := range src.Rows() {
		total += float64(int16(uint16(values[2*i]) | uint16(values[2*i+1])<<8))
	}
	return d, []float64{total}, nil
}

// fill decodes the chunks that nobody else has taken.
func fill(ctx context.Context, src data.Source, next *atomic.Int64, want data.Want, values []byte) error {
	chunks := src.Chunks()
	for {
		i := int(next.Add(1) - 1)
		if i >= len(chunks) {
			return nil
		}
		lo, hi := chunks[i].Lo, chunks[i].Hi
		if _, err := src.Fill(ctx, i, []data.Want{want}, []data.Dest{{Values: values[2*lo : 2*hi]}}); err != nil {
			return err
		}
	}
}
