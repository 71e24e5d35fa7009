// Package value holds the inputs and results of a run: a type with all its
// sizes known and one column of bytes per scalar leaf.
package value

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// Value is a fully known value. Columns stand in the order of graph.Leaves.
type Value struct {
	Type    *graph.Type
	Columns []column.Column
}

// New makes a zero value of type t under the given sizes; run-time sizes
// must be among them.
func New(t *graph.Type, sizes func(string) (int64, bool)) (*Value, error) {
	v := &Value{Type: t}
	for _, leaf := range graph.Leaves(t) {
		c := column.Column{Kind: leaf.Type.KindOf()}
		for _, p := range leaf.Dims {
			d, ok := p.Eval(sizes)
			if !ok {
				return nil, fmt.Errorf("the size %s is not known", p)
			}
			c.Dims = append(c.Dims, max(d, 0))
		}
		c.Data = make([]byte, c.Len()*int64(c.Kind.Size()))
		v.Columns = append(v.Columns, c)
	}
	return v, nil
}

// Canonical replaces every NaN by the one canonical NaN, in place: which NaN
// an operation gives is not part of the language.
func (v *Value) Canonical() {
	for _, c := range v.Columns {
		column.CanonicalNaN(c.Kind, c.Data)
	}
}

// Equal reports that two values are the same bits; where they first differ
// is said in words otherwise.
func Equal(a, b *Value) (bool, string) {
	if len(a.Columns) != len(b.Columns) {
		return false, fmt.Sprintf("%d columns against %d", len(a.Columns), len(b.Columns))
	}
	for j := range a.Columns {
		x, y := a.Columns[j], b.Columns[j]
		if x.Len() != y.Len() {
			return false, fmt.Sprintf("column %d: shape %v against %v", j, x.Dims, y.Dims)
		}
		for i := range x.Len() {
			if x.At(i) != y.At(i) {
				return false, fmt.Sprintf("column %d element %d: %s against %s", j, i, column.Text(x.Kind, x.At(i)), column.Text(y.Kind, y.At(i)))
			}
		}
	}
	return true, ""
}
