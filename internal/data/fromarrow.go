package data

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// FromArrow is a source over a record batch, which it keeps until Close.
// Values are not copied, except those of dictionary-encoded columns.
func FromArrow(rec arrow.RecordBatch) Source {
	return fromBatches(rec.Schema(), []arrow.RecordBatch{rec})
}

// FromTable is a source over an Arrow table. Rows at which any column begins
// a new array begin a new chunk.
func FromTable(t arrow.Table) Source {
	var batches []arrow.RecordBatch
	r := array.NewTableReader(t, 0)
	defer r.Release()
	for r.Next() {
		rec := r.RecordBatch()
		rec.Retain()
		batches = append(batches, rec)
	}
	s := fromBatches(t.Schema(), batches)
	for _, b := range batches {
		b.Release()
	}
	return s
}

// FromArray is a source of one column over an Arrow array.
func FromArray(a arrow.Array) Source {
	sc := arrow.NewSchema([]arrow.Field{{Type: a.DataType(), Nullable: a.NullN() > 0}}, nil)
	rec := array.NewRecordBatch(sc, []arrow.Array{a}, int64(a.Len()))
	defer rec.Release()
	return FromArrow(rec)
}

func fromBatches(sc *arrow.Schema, batches []arrow.RecordBatch) *memorySource {
	cols, leaves := arrowLeaves(sc, arrowV5)
	s := newMemory("memory", 0, cols)
	s.bad = func() (err error) {
		defer guard(s.name, &err)
		for _, rec := range batches {
			b := memoryBatch{lo: s.rows}
			for i := range cols {
				lies := &cols[i]
				if l := leaves[i].lies; l != nil {
					lies = l
				}
				b.runs = append(b.runs, arrayRun(lies, rec.Column(i)))
				b.arrays = append(b.arrays, rec.Column(i))
			}
			s.rows += rec.NumRows()
			s.addBatch(b, rec.NumRows())
		}
		return nil
	}()
	for _, rec := range batches {
		rec.Retain()
	}
	s.release = func() {
		for _, rec := range batches {
			rec.Release()
		}
	}
	return s
}

// arrayRun is an array as a run; a zero run if it has no numbers.
func arrayRun(col *Column, a arrow.Array) columnRun {
	r := columnRun{kind: col.Kind, rows: a.Len(), width: int(col.Width())}
	if col.Kind == num.Invalid {
		return r
	}
	if a.DataType().ID() == arrow.NULL {
		r.values, r.nulls.bits = make([]byte, r.rows*r.width*r.kind.Size()), make([]byte, (r.rows+7)/8)
		return r
	}
	r.nulls = arrayNulls(a)
	first := 0
	for l, ok := a.(*array.FixedSizeList); ok; l, ok = a.(*array.FixedSizeList) {
		width := int(l.DataType().(*arrow.FixedSizeListType).Len())
		lo := (l.Data().Offset() + first) * width
		first, a = lo, l.ListValues()
		r.inner = arrayNulls(a)
		r.inner.first += first
	}
	if d, ok := a.(*array.Dictionary); ok {
		r.values = dictionaryValues(d, col.Kind)
		return r
	}
	lo := a.Data().Offset() + first
	b := a.Data().Buffers()[1]
	if b == nil {
		return r
	}
	if col.Kind == num.Bool {
		r.values, r.first, r.packed = b.Bytes(), lo, true
		return r
	}
	size := col.Kind.Size()
	r.values = b.Bytes()[lo*size : (lo+r.rows*r.width)*size]
	return r
}

func arrayNulls(a arrow.Array) bitmap {
	if a.NullN() == 0 {
		return bitmap{}
	}
	return bitmap{a.NullBitmapBytes(), a.Data().Offset()}
}

// dictionaryValues looks up every code.
func dictionaryValues(d *array.Dictionary, k num.Kind) []byte {
	dict := arrayRun(&Column{Kind: k}, d.Dictionary())
	values := make([]byte, dict.rows*k.Size())
	if err := dict.fill(place{want: Want{Kind: k}, dst: Dest{Values: values}}); err != nil {
		panic(err)
	}
	size := k.Size()
	out := make([]byte, d.Len()*size)
	for i := range d.Len() {
		if d.IsNull(i) {
			continue
		}
		c := d.GetValueIndex(i)
		copy(out[i*size:(i+1)*size], values[c*size:])
	}
	return out
}
