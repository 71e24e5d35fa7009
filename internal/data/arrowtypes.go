package data

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// arrowLeaf says where a column's values lie among the nodes and buffers of a
// record batch. Nodes are counted in preorder, buffers in the same order.
type arrowLeaf struct {
	node, buffer int      // of the column's outermost array
	variadic     int      // view columns before it, which have extra buffers
	index        num.Kind // of a dictionary's codes, else Invalid
	dictionary   int64    // its id
	layers       int      // fixed-size lists around the values
	lies         *Column  // how values lie, where it is not as the column says
	null         bool     // there are no values, and no buffers
	text         int64    // bytes of an offset, or of a view, of a column of text
}

var arrowKinds = map[arrow.Type]num.Kind{
	arrow.BOOL: num.Bool, arrow.INT8: num.I8, arrow.INT16: num.I16, arrow.INT32: num.I32, arrow.INT64: num.I64,
	arrow.UINT8: num.U8, arrow.UINT16: num.U16, arrow.UINT32: num.U32, arrow.UINT64: num.U64,
	arrow.FLOAT32: num.F32, arrow.FLOAT64: num.F64,
	// Dates and times are counts; their unit is part of the type's name.
	arrow.DATE32: num.I32, arrow.TIME32: num.I32,
	arrow.DATE64: num.I32, arrow.TIME64: num.I64, arrow.TIMESTAMP: num.I64, arrow.DURATION: num.I64,
}

// arrowColumn describes a field. The kind is Invalid if Godwit cannot compute
// with its values.
func arrowColumn(f arrow.Field) (Column, arrow.DataType) {
	dims, elem := listDims(f.Type)
	col := Column{Name: f.Name, Stored: f.Type.String(), Dims: dims, Nullable: f.Nullable}
	if d, ok := elem.(*arrow.DictionaryType); ok && dims == nil {
		elem = d.ValueType
	}
	if f.Type.ID() == arrow.NULL { // which Parquet has as integers
		col.Kind, col.Nullable, col.Unknown = num.I32, true, true
		return col, elem
	}
	col.Kind, col.Means = arrowKinds[elem.ID()], arrowMeaning(elem)
	if col.Means.Sort == meaning.Text {
		if dims != nil {
			col.Means = meaning.Meaning{}
			col.Dims = nil
		}
		return col, elem
	}
	if t, ok := f.Type.(*arrow.Decimal128Type); ok && col.Means.Sort == meaning.Decimal {
		_, col.Wider = narrowed(t.Precision, t.Scale)
		return col, elem // which has no kind: only who asks for decimals reads them
	}
	if width := col.Width(); col.Kind == num.Invalid || width < 0 || width > 1<<40 {
		col.Kind, col.Dims, col.Means = num.Invalid, nil, meaning.Meaning{}
	}
	return col, elem
}

var arrowUnits = map[arrow.TimeUnit]meaning.Unit{
	arrow.Second: meaning.Second, arrow.Millisecond: meaning.Milli, arrow.Microsecond: meaning.Micro, arrow.Nanosecond: meaning.Nano,
}

// arrowMeaning is what values of a type stand for.
func arrowMeaning(t arrow.DataType) meaning.Meaning {
	switch t := t.(type) {
	case *arrow.Date32Type, *arrow.Date64Type:
		return meaning.Meaning{Sort: meaning.Date}
	case *arrow.Time32Type:
		return meaning.Meaning{Sort: meaning.Time, Unit: arrowUnits[t.Unit]}
	case *arrow.Time64Type:
		return meaning.Meaning{Sort: meaning.Time, Unit: arrowUnits[t.Unit]}
	case *arrow.TimestampType:
		return meaning.Meaning{Sort: meaning.Timestamp, Unit: arrowUnits[t.Unit]}
	case *arrow.DurationType:
		return meaning.Meaning{Sort: meaning.Duration, Unit: arrowUnits[t.Unit]}
	case *arrow.Decimal128Type:
		if t.Scale >= 0 && t.Scale <= meaning.MaxDigits {
			m, _ := narrowed(t.Precision, t.Scale)
			return m
		}
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return meaning.Meaning{Sort: meaning.Text}
	}
	return meaning.Meaning{}
}

// arrowLayout counts nodes, buffers and view columns while it walks a schema.
type arrowLayout struct {
	nodes, buffers, variadics int
	v4                        bool // unions and runs have a buffer for nulls
}

// add walks over a field's type.
func (l *arrowLayout) add(t arrow.DataType) {
	if e, ok := t.(arrow.ExtensionType); ok {
		t = e.StorageType()
	}
	l.nodes++
	if d, ok := t.(*arrow.DictionaryType); ok {
		l.buffers += len(d.IndexType.Layout().Buffers)
		return
	}
	if id := t.ID(); l.v4 && (id == arrow.SPARSE_UNION || id == arrow.DENSE_UNION || id == arrow.RUN_END_ENCODED) {
		l.buffers++
	}
	layout := t.Layout()
	for _, b := range layout.Buffers {
		if b.Kind != arrow.KindAlwaysNull {
			l.buffers++
		}
	}
	if layout.VariadicSpec != nil {
		l.variadics++
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			l.add(f.Type)
		}
	}
}

// arrowLeaves places every field of a schema.
func arrowLeaves(sc *arrow.Schema, version int16) ([]Column, []arrowLeaf) {
	var cols []Column
	var leaves []arrowLeaf
	l := arrowLayout{v4: version == arrowV4}
	for _, f := range sc.Fields() {
		col, elem := arrowColumn(f)
		leaf := arrowLeaf{node: l.nodes, buffer: l.buffers, variadic: l.variadics, layers: len(col.Dims), text: offsetWidth(elem), null: f.Type.ID() == arrow.NULL}
		if elem.ID() == arrow.DATE64 && col.Kind.Valid() {
			leaf.lies = col.inMillis()
		}
		if d, ok := f.Type.(*arrow.DictionaryType); ok {
			leaf.index = arrowKinds[d.IndexType.ID()]
		}
		l.add(f.Type)
		cols, leaves = append(cols, col), append(leaves, leaf)
	}
	return cols, leaves
}
