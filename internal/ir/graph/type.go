package graph

import (
	"slices"
	"strings"
)

// String writes the type as source does. A masked array has a size that is
// not named yet, written `[T; ? <= N]`.
func (t *Type) String() string {
	if t == nil {
		return "no type"
	}
	switch t.Kind {
	case Index:
		return "idx<" + t.Bound.String() + ">"
	case Tuple:
		if t.Name != "" {
			return t.Name
		}
		return t.tupleString()
	case Array:
		return t.arrayString()
	case Option:
		return "Option<" + t.Elem().String() + ">"
	}
	return t.Num.String()
}

func (t *Type) tupleString() string {
	parts := make([]string, len(t.Elems))
	for i, e := range t.Elems {
		parts[i] = e.String()
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (t *Type) arrayString() string {
	elem, dims := t.Elem(), t.dimString()
	for elem.Kind == Array {
		dims += ", " + elem.dimString()
		elem = elem.Elem()
	}
	return "[" + elem.String() + "; " + dims + "]"
}

func (t *Type) dimString() string {
	if t.Masked {
		return "? <= " + t.Size.String()
	}
	return t.Size.String()
}

// Equal reports that two types are the same, sizes compared as polynomials.
func (t *Type) Equal(u *Type) bool {
	if t == u {
		return true
	}
	if t == nil || u == nil || t.Kind != u.Kind || t.Name != u.Name || len(t.Elems) != len(u.Elems) {
		return false
	}
	for i := range t.Elems {
		if !t.Elems[i].Equal(u.Elems[i]) {
			return false
		}
	}
	switch t.Kind {
	case Scalar:
		return t.Num == u.Num
	case Index:
		return t.Bound.Equal(u.Bound)
	case Tuple:
		return slices.Equal(t.Names, u.Names)
	case Array:
		return t.Masked == u.Masked && t.Size.Equal(u.Size)
	}
	return true
}

// IsScalar reports that a value of the type is one scalar.
func (t *Type) IsScalar() bool { return t.Kind == Scalar || t.Kind == Index }

// Dense is the type of the slots of an array without its mask.
func (t *Type) Dense() *Type {
	if !t.Masked {
		return t
	}
	return ArrayOf(t.Elem(), t.Size)
}

// MaskedOf is a view of n slots of which some are elements.
func MaskedOf(t *Type) *Type {
	return &Type{Kind: Array, Elems: []*Type{t.Elem()}, Size: t.Size, Masked: true}
}
