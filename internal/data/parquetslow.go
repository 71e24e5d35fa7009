package data

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/file"
)

// slowBatch is the number of values that arrow-go's reader is asked for.
const slowBatch = 1 << 12

// fillSlowly decodes a column with arrow-go's reader: it knows all encodings
// and the levels of lists.
func (s *parquetFile) fillSlowly(ctx context.Context, chunk int, w Want, dst Dest) error {
	leaf, col := s.leaves[w.Column], &s.cols[w.Column]
	reader, err := s.reader.RowGroup(s.groups[chunk]).Column(leaf.index)
	if err != nil {
		return s.damagedColumn(col, err)
	}
	f := &slowFill{path: s.input.path, col: col, leaf: leaf, want: w, dst: dst, width: int(col.Width()), row: s.chunks[chunk].Lo}
	if w.Option {
		fillOnes(dst.Valid)
	}
	switch r := reader.(type) {
	case *file.BooleanColumnChunkReader:
		err = readSlowly(ctx, f, r.ReadBatchInPage)
	case *file.Int32ColumnChunkReader:
		err = readSlowly(ctx, f, r.ReadBatchInPage)
	case *file.Int64ColumnChunkReader:
		err = readSlowly(ctx, f, r.ReadBatchInPage)
	case *file.Float32ColumnChunkReader:
		err = readSlowly(ctx, f, r.ReadBatchInPage)
	case *file.Float64ColumnChunkReader:
		err = readSlowly(ctx, f, r.ReadBatchInPage)
	case *file.Int96ColumnChunkReader:
		err = readSlowly(ctx, f, int96Times(r, int96Unit(&f.want)))
	case *file.FixedLenByteArrayColumnChunkReader:
		err = readSlowly(ctx, f, fixedDecimals(r))
	default:
		err = fmt.Errorf("an unexpected physical type %v", reader.Type())
	}
	if _, ok := err.(*Error); ok || err == nil || ctx.Err() != nil {
		return err
	}
	return s.damagedColumn(col, err)
}

// slowFill is a column on its way from arrow-go's reader.
type slowFill struct {
	path  string
	col   *Column
	leaf  parquetLeaf
	want  Want
	dst   Dest
	width int
	row   int64 // the chunk's first row, in the file
	done  int   // elements placed; an absent row counts as width of them
}

// readSlowly reads batches of values with their levels. Rows have width
// elements each, or are null as a whole.
func readSlowly[T bool | int32 | int64 | float32 | float64](ctx context.Context, f *slowFill, read func(int64, []T, []int16, []int16) (int64, int, error)) error {
	values := make([]T, slowBatch)
	def, rep := make([]int16, slowBatch), make([]int16, slowBatch)
	all := len(f.dst.Values) / f.want.Kind.Size()
	for f.done < all {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, present, err := read(slowBatch, values, def, rep)
		if err != nil {
			return placedAt(err, f.path, f.col, func(at int) int64 { return f.row + int64(f.done+f.presentAt(def[:n], at)) })
		}
		if n == 0 {
			return fmt.Errorf("%d values were expected, %d are there", all, f.done)
		}
		if err := f.place(bytesOf(values[:present]), def[:n], rep[:n]); err != nil {
			return err
		}
	}
	return nil
}

// presentAt is where among the levels of a batch its value number at is.
func (f *slowFill) presentAt(def []int16, at int) int {
	for i, d := range def {
		if f.leaf.maxDef > 0 && int(d) != f.leaf.maxDef {
			continue
		}
		if at--; at < 0 {
			return i
		}
	}
	return len(def)
}

// place puts a batch where its levels say. Runs of values that are present
// are converted at once.
func (f *slowFill) place(values []byte, def, rep []int16) error {
	size := f.leaf.physical.Size()
	for i := 0; i < len(def); {
		if int(def[i]) != f.leaf.maxDef && f.leaf.maxDef > 0 {
			if err := f.absent(rep[i]); err != nil {
				return err
			}
			i++
			continue
		}
		n := 0
		for i+n < len(def) && (f.leaf.maxDef == 0 || int(def[i+n]) == f.leaf.maxDef) {
			if f.leaf.maxRep > 0 && int(rep[i+n]) != f.level(f.done+n) {
				return f.ragged(f.done + n)
			}
			n++
		}
		if n*size > len(values) {
			return fmt.Errorf("%d values are missing", n-len(values)/size)
		}
		if err := f.present(values[:n*size]); err != nil {
			return err
		}
		values = values[n*size:]
		i += n
	}
	return nil
}

// level is the repetition level that element i has if all lists are full: 0
// where a row begins, maxRep inside of the innermost list.
func (f *slowFill) level(i int) int {
	inner := 1
	for l := len(f.col.Dims); l > 0; l-- {
		inner *= int(f.col.Dims[l-1])
		if i%inner != 0 {
			return l
		}
	}
	return 0
}

func (f *slowFill) ragged(i int) error {
	e := columnError(f.path, f.col, fmt.Sprintf("expected %d elements in every row, found another number", f.width))
	e.Row = f.row + int64(i/max(1, f.width))
	return e
}

func (f *slowFill) present(values []byte) error {
	size := f.want.Kind.Size()
	n := len(values) / f.leaf.physical.Size()
	if (f.done+n)*size > len(f.dst.Values) {
		return f.ragged(len(f.dst.Values)/size - 1)
	}
	if bad := convert(f.dst.Values[f.done*size:], f.want, values, f.leaf.physical); bad >= 0 {
		row := f.row + int64((f.done+bad)/f.width)
		return misfit(f.path, row, f.col.Name, f.want, valueAt(values, f.leaf.physical, bad))
	}
	f.done += n
	return nil
}

// absent handles a null: a whole row may be one.
func (f *slowFill) absent(rep int16) error {
	at := f.done / f.width
	row := f.row + int64(at)
	size := f.want.Kind.Size()
	switch {
	case f.done%f.width != 0 || rep != 0:
		e := nullAt(f.path, row, f.col.Name)
		e.Msg, e.Help = "expected a value, found a null inside a row", "only whole rows may be null; remove or fill the others"
		return e
	case !f.want.Option:
		return nullAt(f.path, row, f.col.Name)
	case (f.done+f.width)*size > len(f.dst.Values):
		return f.ragged(f.done - 1)
	}
	clear(f.dst.Values[f.done*size : (f.done+f.width)*size])
	f.dst.Valid[at] = 0
	f.done += f.width
	return nil
}
