// Package types answers questions about the types of a program: which kind
// of value a type holds, whether two sizes are the same, and which size a
// parameter's type asks for. The types themselves are those of the graph,
// because checking a body makes the graph of it.
//
// The table of all messages that checking can give is here too; see Codes.
package types

import (
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Hole is the name of a size that a type leaves open. Types with holes say
// what is expected; no value has such a type.
const Hole = "_"

// Open is the size that a type leaves open.
var Open = size.Var(Hole)

// IsOpen reports that a size is left open.
func IsOpen(p size.Poly) bool {
	name, ok := p.IsVar()
	return ok && name == Hole
}

// HasOpen reports that some size in t is left open.
func HasOpen(t *graph.Type) bool {
	return AnySize(t, func(p size.Poly) bool {
		for _, v := range p.Vars() {
			if v == Hole {
				return true
			}
		}
		return false
	})
}

// AnySize reports whether f holds for some size or bound in t.
func AnySize(t *graph.Type, f func(size.Poly) bool) bool {
	switch t.Kind {
	case graph.Array:
		if f(t.Size) {
			return true
		}
	case graph.Index:
		return f(t.Bound)
	}
	for _, e := range t.Elems {
		if AnySize(e, f) {
			return true
		}
	}
	return false
}

// IsNumber reports an integer, an index or a float.
func IsNumber(t *graph.Type) bool { return IsInt(t) || IsFloat(t) }

// IsInt reports an integer or an index.
func IsInt(t *graph.Type) bool {
	return !IsMeant(t) && (t.Kind == graph.Index || t.Kind == graph.Scalar && t.Num.IsInt())
}

// IsMeant reports a scalar that stands for something, and is no number.
func IsMeant(t *graph.Type) bool { return t.Means.Sort != meaning.None }

// IsTime reports a Date, Time, Timestamp or Duration.
func IsTime(t *graph.Type) bool { return t.Means.IsTime() }

// IsSort reports a scalar with one sort of meaning.
func IsSort(t *graph.Type, s meaning.Sort) bool { return t.Means.Sort == s }

// IsFloat reports f32 or f64.
func IsFloat(t *graph.Type) bool { return t.Kind == graph.Scalar && t.Num.IsFloat() }

// IsBool reports bool.
func IsBool(t *graph.Type) bool { return t.Kind == graph.Scalar && t.Num == num.Bool }

// Computed is the type that values of t have in arithmetic: an index is an
// i64 there.
func Computed(t *graph.Type) *graph.Type {
	if t.Kind == graph.Index && !IsMeant(t) {
		return graph.I64Type
	}
	return t
}

// Innermost is the element type of nested arrays.
func Innermost(t *graph.Type) *graph.Type {
	for t.Kind == graph.Array {
		t = t.Elem()
	}
	return t
}

// MapInnermost replaces the innermost element type of nested arrays.
func MapInnermost(t, elem *graph.Type) *graph.Type {
	if t.Kind != graph.Array {
		return elem
	}
	return graph.ArrayOf(MapInnermost(t.Elem(), elem), t.Size)
}

// Scalars holds one shared type per scalar kind.
var Scalars = func() (all [num.F64 + 1]*graph.Type) {
	for k := range all {
		all[k] = graph.ScalarOf(num.Kind(k))
	}
	all[num.Bool], all[num.I64] = graph.BoolType, graph.I64Type
	return all
}()

// Record is the type of a record.
func Record(name string, fields []string, elems []*graph.Type) *graph.Type {
	return &graph.Type{Kind: graph.Tuple, Elems: elems, Names: fields, Name: name}
}

// FieldIndex finds a field of a tuple or record; -1 when there is none.
func FieldIndex(t *graph.Type, name string) int {
	if t.Kind != graph.Tuple {
		return -1
	}
	for i := range t.Elems {
		if t.FieldName(i) == name {
			return i
		}
	}
	return -1
}
