package graph

import (
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// String writes the type as source does, but for sizes that only a run knows: they have numbers, and a masked array,
// whose size is not named yet, is `[T; ? <= N]`. What people are to read is written by a Declarer.
func (t *Type) String() string { return t.text(plainSizes{}) }

// sizeWriter writes the sizes in types.
type sizeWriter interface {
	Size(size.Poly) string
	dim(*Type) string // of an array; "" if it has none that can be written
}

type plainSizes struct{}

func (plainSizes) Size(p size.Poly) string { return p.String() }

func (plainSizes) dim(t *Type) string {
	if t.Masked {
		return "? <= " + t.Size.String()
	}
	return t.Size.String()
}

func (t *Type) text(w sizeWriter) string {
	if t == nil {
		return "no type"
	}
	if t.Means.Sort != meaning.None {
		return t.Means.String()
	}
	switch t.Kind {
	case Index:
		return "idx<" + w.Size(t.Bound) + ">"
	case Tuple:
		if t.Name != "" {
			return t.Name
		}
		return t.tupleText(w)
	case Array:
		return t.arrayText(w)
	case Option:
		return "Option<" + t.Elem().text(w) + ">"
	}
	return t.Num.String()
}

func (t *Type) tupleText(w sizeWriter) string {
	parts := make([]string, len(t.Elems))
	for i, e := range t.Elems {
		parts[i] = e.text(w)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (t *Type) arrayText(w sizeWriter) string {
	elem, dims := t.Elem(), w.dim(t)
	for dims != "" && elem.Kind == Array {
		more := w.dim(elem)
		if more == "" {
			break
		}
		dims += ", " + more
		elem = elem.Elem()
	}
	if dims == "" {
		return "[" + elem.text(w) + "]"
	}
	return "[" + elem.text(w) + "; " + dims + "]"
}

// Equal reports that two types are the same, sizes compared as polynomials.
func (t *Type) Equal(u *Type) bool {
	if t == u {
		return true
	}
	if t == nil || u == nil || t.Kind != u.Kind || t.Name != u.Name || t.Means != u.Means || len(t.Elems) != len(u.Elems) {
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

// Meant is the scalar type that stands for something, in the meaning's kind.
func Meant(m meaning.Meaning) *Type {
	t := &Type{Kind: Scalar, Num: num.I64, Means: m}
	if m.Bits() == 32 {
		t.Num = num.I32
	}
	return t
}

// Plain is the type without what its scalars mean.
func (t *Type) Plain() *Type {
	if t == nil || !t.means() {
		return t
	}
	u := *t
	u.Means = meaning.Meaning{}
	u.Elems = make([]*Type, len(t.Elems))
	for i, e := range t.Elems {
		u.Elems[i] = e.Plain()
	}
	return &u
}

func (t *Type) means() bool {
	return t.Means.Sort != meaning.None || slices.ContainsFunc(t.Elems, (*Type).means)
}

// ParamType is the type of parameter i with what its scalars mean.
func (g *Graph) ParamType(i int) *Type {
	if i < len(g.ParamInfo) && g.ParamInfo[i].Type != nil {
		return g.ParamInfo[i].Type
	}
	return g.Body.Params[i].Type
}

// ResultType is the type of the result with what its scalars mean.
func (g *Graph) ResultType() *Type {
	if g.Result != nil {
		return g.Result
	}
	return g.Body.Results[0].Type
}
