package generate

import (
	"bufio"
	"context"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// flightsGroup is the number of rows in a row group of Flights.
const flightsGroup = 272_728

// Flights writes a Parquet table that looks like the records of US flights:
// optional int64 columns `delay` in minutes and `distance` in miles, without
// nulls, with dictionaries and zstd.
func Flights(ctx context.Context, path string, rows int64, seed uint64) error {
	return atomically(ctx, path, func(w *bufio.Writer) error {
		root, err := flightsSchema()
		if err != nil {
			return err
		}
		props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("godwit"))
		// The writer closes what it writes to if it can.
		f := file.NewParquetWriter(struct{ io.Writer }{w}, root, file.WithWriterProps(props))
		draw := newFlights(seed)
		for rows > 0 {
			n := min(rows, flightsGroup)
			if err := writeFlights(f, draw, int(n)); err != nil {
				return err
			}
			rows -= n
		}
		return f.Close()
	})
}

func flightsSchema() (*schema.GroupNode, error) {
	var fields schema.FieldList
	for _, name := range []string{"delay", "distance"} {
		n, err := schema.NewPrimitiveNode(name, parquet.Repetitions.Optional, parquet.Types.Int64, -1, -1)
		if err != nil {
			return nil, err
		}
		fields = append(fields, n)
	}
	return schema.NewGroupNode("root", parquet.Repetitions.Required, fields, -1)
}

func writeFlights(f *file.Writer, draw *flights, n int) error {
	delays, distances, present := make([]int64, n), make([]int64, n), make([]int16, n)
	for i := range n {
		delays[i], distances[i] = draw.next()
		present[i] = 1
	}
	g, err := f.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for _, values := range [][]int64{delays, distances} {
		c, err := g.NextColumn()
		if err != nil {
			return err
		}
		if _, err := c.(*file.Int64ColumnChunkWriter).WriteBatch(values, present, nil); err != nil {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
	}
	return g.Close()
}

// flights draws rows: distances from a fixed network of routes, delays with
// most flights about on time and a long tail.
type flights struct {
	*Random
	routes [1200]int64
}

func newFlights(seed uint64) *flights {
	f := &flights{Random: NewRandom(seed)}
	for i := range f.routes {
		f.routes[i] = int64(90 * math.Exp(3.7*f.Float())) // 90 to 3,600 miles
	}
	return f
}

func (f *flights) next() (delay, distance int64) {
	spread, tail := f.Float(), f.Float()
	delay = int64(-12 + 16*spread)
	if tail < 0.35 {
		delay += int64(-28 * math.Log1p(-f.Float()))
	}
	return delay, f.routes[f.Next()%uint64(len(f.routes))]
}
