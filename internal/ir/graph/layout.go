package graph

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Leaf is one scalar column of a flattened type: an array of records is
// stored as one column per scalar field, row-major over Dims.
type Leaf struct {
	Type *Type       // Scalar or Index
	Dims []size.Poly // outermost first; empty for a lone scalar
	Path string      // ".delay", ".0"

	Presence bool // of an Option; the leaves of its value follow
	Optional bool // all of the value whose presence is right before it
}

// Label is the path for people, who see a presence as ".delay?".
func (l *Leaf) Label() string {
	if l.Presence {
		return l.Path + "?"
	}
	return l.Path
}

// Leaves flattens a type: tuples and records in order of their fields, an
// Option as its presence (Bool) followed by its value.
func Leaves(t *Type) []Leaf { return appendLeaves(nil, t, nil, "") }

func appendLeaves(out []Leaf, t *Type, dims []size.Poly, path string) []Leaf {
	switch t.Kind {
	case Tuple:
		for i, e := range t.Elems {
			out = appendLeaves(out, e, dims, path+"."+t.FieldName(i))
		}
		return out
	case Array:
		return appendLeaves(out, t.Elems[0], append(dims[:len(dims):len(dims)], t.Size), path)
	case Option:
		out = append(out, Leaf{Type: BoolType, Dims: dims, Path: path, Presence: true})
		value := len(out)
		if out = appendLeaves(out, t.Elems[0], dims, path); value < len(out) {
			out[value].Optional = out[value].Path == path && !out[value].Presence
		}
		return out
	}
	return append(out, Leaf{Type: t, Dims: dims, Path: path})
}

// BoolType and I64Type are the scalar types that passes make most.
var (
	BoolType = &Type{Kind: Scalar, Num: num.Bool}
	I64Type  = &Type{Kind: Scalar, Num: num.I64}
)

// ScalarOf is the type of a scalar kind.
func ScalarOf(k num.Kind) *Type { return &Type{Kind: Scalar, Num: k} }

// IndexOf is idx<bound>.
func IndexOf(bound size.Poly) *Type { return &Type{Kind: Index, Num: num.I64, Bound: bound} }

// ArrayOf is a dense array.
func ArrayOf(elem *Type, n size.Poly) *Type {
	return &Type{Kind: Array, Elems: []*Type{elem}, Size: n}
}

// TupleOf is a tuple.
func TupleOf(elems ...*Type) *Type { return &Type{Kind: Tuple, Elems: elems} }

// OptionOf is Option<elem>.
func OptionOf(elem *Type) *Type { return &Type{Kind: Option, Elems: []*Type{elem}} }

// Elem is the element type of an array or option.
func (t *Type) Elem() *Type { return t.Elems[0] }

// FieldName is the name of a tuple's or record's field.
func (t *Type) FieldName(i int) string {
	if i < len(t.Names) {
		return t.Names[i]
	}
	return string(rune('0' + i%10)) // tuples have at most ten fields; see package elaborate
}

// KindOf is the scalar kind a Scalar or Index computes in.
func (t *Type) KindOf() num.Kind {
	if t.Kind == Index {
		return num.I64
	}
	return t.Num
}
