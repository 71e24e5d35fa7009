package generate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Tables that public questions about groups and joins are asked of, by the rules that
// H2O.ai's db-benchmark publishes for them (groupby-datagen.R, join-datagen.R), with draws of our own.

// questionGroup is how many rows a row group of these tables has.
const questionGroup = 1 << 20

// A drawn column gives the values of its rows in order; one of the functions is set.
type drawn struct {
	name  string
	whole func(row int64) int64
	real  func(row int64) float64
	text  func(row int64) string
}

// Groups writes the table of the questions about groups: id1 and id2 are texts and id4 and id5 integers
// of k values, id3 is text and id6 an integer of rows/k values, v1 lies in 1..=5, v2 in 1..=15, v3 below 100
// with six places. There are no nulls.
func Groups(ctx context.Context, path string, rows, k int64, seed uint64) error {
	r := NewRandom(seed)
	below := func(n int64) int64 { return 1 + int64(r.Next()%uint64(max(n, 1))) }
	text := func(name, form string, n int64) drawn {
		return drawn{name: name, text: func(int64) string { return fmt.Sprintf(form, below(n)) }}
	}
	whole := func(name string, n int64) drawn {
		return drawn{name: name, whole: func(int64) int64 { return below(n) }}
	}
	return writeTable(ctx, path, rows, []drawn{
		text("id1", "id%03d", k), text("id2", "id%03d", k), text("id3", "id%010d", rows/k),
		whole("id4", k), whole("id5", k), whole("id6", rows/k), whole("v1", 5), whole("v2", 15),
		{name: "v3", real: func(int64) float64 { return math.Round(100e6*r.Float()) / 1e6 }},
	})
}

// Joins writes the tables of the questions about joins into a folder: x and big with so many rows, medium with a
// thousandth and small with a millionth of them. Nine tenths of the keys of x are in each of the others, which have each key once.
// id1, id2 and id3 are the keys of small, medium and big; id4, id5 and id6 are the same as text.
func Joins(ctx context.Context, dir string, rows int64, seed uint64) error {
	r := NewRandom(seed)
	small, medium, big := newKeys(r, rows/1_000_000), newKeys(r, rows/1000), newKeys(r, rows)
	value := func(name string) drawn {
		return drawn{name: name, real: func(int64) float64 { return math.Round(100e6*r.Float()) / 1e6 }}
	}
	x := append(columns([]string{"id1", "id2", "id3", "id4", "id5", "id6"}, r.spread(small.left, rows), r.spread(medium.left, rows), r.spread(big.left, rows)), value("v1"))
	ofBig := append(columns([]string{"id1", "id2", "id3", "id4", "id5", "id6"}, r.spread(small.right, rows), r.spread(medium.right, rows), big.right), value("v2"))
	ofMedium := append(columns([]string{"id1", "id2", "id4", "id5"}, r.spread(small.right, rows/1000), medium.right), value("v2"))
	ofSmall := append(columns([]string{"id1", "id4"}, small.right), value("v2"))
	for _, t := range []struct {
		name    string
		rows    int64
		columns []drawn
	}{{"x", rows, x}, {"small", int64(len(small.right)), ofSmall}, {"medium", int64(len(medium.right)), ofMedium}, {"big", int64(len(big.right)), ofBig}} {
		if err := writeTable(ctx, filepath.Join(dir, t.name+".parquet"), t.rows, t.columns); err != nil {
			return err
		}
	}
	return nil
}

// columns are keys as integers under the first half of the names, and as text under the second.
func columns(names []string, keys ...[]int64) []drawn {
	var list []drawn
	for i, k := range keys {
		list = append(list, drawn{name: names[i], whole: func(row int64) int64 { return k[row] }})
	}
	for i, k := range keys {
		list = append(list, drawn{name: names[len(keys)+i], text: func(row int64) string { return fmt.Sprintf("id%d", k[row]) }})
	}
	return list
}

// keys are n keys for each of two tables, of which nine tenths are common.
type keys struct{ left, right []int64 }

func newKeys(r *Random, n int64) *keys {
	n = max(n, 1)
	all := make([]int64, n+n/10)
	for i := range all {
		all[i] = int64(i) + 1
	}
	r.shuffle(all)
	common, only := n-n/10, n/10
	return &keys{append([]int64(nil), all[:common+only]...), append(append([]int64(nil), all[:common]...), all[n:]...)}
}

// spread has each key at least once, and others by chance, in any order.
func (r *Random) spread(from []int64, rows int64) []int64 {
	list := append(make([]int64, 0, rows), from[:min(int64(len(from)), rows)]...)
	for int64(len(list)) < rows {
		list = append(list, from[r.Next()%uint64(len(from))])
	}
	r.shuffle(list)
	return list
}

func (r *Random) shuffle(list []int64) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.Next() % uint64(i+1)
		list[i], list[j] = list[j], list[i]
	}
}

// writeTable writes a Parquet table of required columns, with dictionaries and zstd.
func writeTable(ctx context.Context, path string, rows int64, columns []drawn) error {
	return atomically(ctx, path, func(w *bufio.Writer) error {
		root, err := tableSchema(columns)
		if err != nil {
			return err
		}
		props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("godwit"))
		// The writer closes what it writes to if it can.
		f := file.NewParquetWriter(struct{ io.Writer }{w}, root, file.WithWriterProps(props))
		for from := int64(0); from < rows; from += questionGroup {
			if err := writeRows(ctx, f, columns, from, min(rows, from+questionGroup)); err != nil {
				return err
			}
		}
		return f.Close()
	})
}

func tableSchema(columns []drawn) (*schema.GroupNode, error) {
	var fields schema.FieldList
	for _, c := range columns {
		var n schema.Node
		var err error
		switch {
		case c.text != nil:
			n, err = schema.NewPrimitiveNodeLogical(c.name, parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
		case c.real != nil:
			n, err = schema.NewPrimitiveNode(c.name, parquet.Repetitions.Required, parquet.Types.Double, -1, -1)
		default:
			n, err = schema.NewPrimitiveNode(c.name, parquet.Repetitions.Required, parquet.Types.Int64, -1, -1)
		}
		if err != nil {
			return nil, err
		}
		fields = append(fields, n)
	}
	return schema.NewGroupNode("root", parquet.Repetitions.Required, fields, -1)
}

func writeRows(ctx context.Context, f *file.Writer, columns []drawn, from, to int64) error {
	g, err := f.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for _, c := range columns {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w, err := g.NextColumn()
		if err == nil {
			err = c.write(w, from, to)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			return err
		}
	}
	return g.Close()
}

// write gives a column's rows to a writer of its type.
func (c *drawn) write(w file.ColumnChunkWriter, from, to int64) (err error) {
	switch w := w.(type) {
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(each(from, to, c.whole), nil, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(each(from, to, c.real), nil, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(each(from, to, func(row int64) parquet.ByteArray { return parquet.ByteArray(c.text(row)) }), nil, nil)
	}
	return err
}

func each[T any](from, to int64, of func(int64) T) []T {
	list := make([]T, 0, to-from)
	for row := from; row < to; row++ {
		list = append(list, of(row))
	}
	return list
}
