package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// signature is what a function's head declares.
type signature struct {
	sizes  []string // size names in order of first appearance, generics first
	kinds  []typeGeneric
	places map[string]bool
	// generic lists the names that a turbofish gives, in order: sizes and
	// types.
	generic []syntax.Generic
	at      map[string]diag.Span // where each size first appears
	bad     bool
}

type typeGeneric struct{ name, kind string }

// representatives are the types that a generic function is checked with when
// it stands alone.
var representatives = map[string][]num.Kind{
	"Num":   {num.F32, num.I32, num.F64, num.U8, num.I64},
	"Int":   {num.I32, num.U8, num.I64, num.U64},
	"Float": {num.F32, num.F64},
	"Ord":   {num.F32, num.I32, num.U8},
	"Any":   {num.F32, num.I64, num.Bool},
}

// allows reports that a type may stand for a generic of the given kind.
func allows(kind string, t *graph.Type) bool {
	switch kind {
	case "Num":
		return t.Kind == graph.Scalar && t.Num != num.Bool && !types.IsMeant(t)
	case "Int":
		return t.Kind == graph.Scalar && types.IsInt(t)
	case "Float":
		return types.IsFloat(t)
	case "Ord":
		return types.IsNumber(t) || t.Kind == graph.Scalar && types.IsMeant(t)
	}
	return true
}

// head reads a function's generics and finds the sizes that it declares.
func (p *Program) head(d *decl) *signature {
	s := &signature{places: map[string]bool{}, at: map[string]diag.Span{}}
	d.sig = s
	seen := map[string]syntax.Name{}
	twice := func(n syntax.Name) bool {
		old, ok := seen[n.Text]
		if ok && n.Text != "_" && n.Text != "" {
			p.twice(d.src, n, old.Span, d.src)
			s.bad = true
			return true
		}
		seen[n.Text] = n
		return false
	}
	for _, g := range d.fn.Generics {
		if !twice(g.Name) {
			p.generic(d, s, g)
		}
	}
	for _, param := range d.fn.Params {
		twice(param.Name)
	}
	for _, param := range d.fn.Params {
		p.declaredSizes(d, s, param.Type)
	}
	return s
}

func (p *Program) generic(d *decl, s *signature, g syntax.Generic) {
	switch g.Kind.Text {
	case "Size":
		s.declare(g.Name)
		s.generic = append(s.generic, g)
	case "Place":
		s.places[g.Name.Text] = true
	case "":
		s.bad = true
	default:
		if representatives[g.Kind.Text] == nil {
			m := p.errorf(d.src, g.Kind.Span, "N12", "there is no kind `%s`", g.Kind.Text).Note("expected Size, Num, Int, Float, Ord, Any or Place")
			if best := nearest(g.Kind.Text, []string{"Size", "Num", "Int", "Float", "Ord", "Any", "Place"}); best != "" {
				m.Help("%s: %s", g.Name.Text, best)
			} else {
				m.Help("%s: Any", g.Name.Text)
			}
			s.bad = true
			return
		}
		s.kinds = append(s.kinds, typeGeneric{g.Name.Text, g.Kind.Text})
		s.generic = append(s.generic, g)
	}
}

// declaredSizes collects the names that a parameter's type declares: those in
// the place of a size that are nothing else.
func (p *Program) declaredSizes(d *decl, s *signature, t syntax.Type) {
	switch t := t.(type) {
	case *syntax.RefType:
		p.declaredSizes(d, s, t.Elem)
	case *syntax.TupleType:
		for _, x := range t.Elems {
			p.declaredSizes(d, s, x)
		}
	case *syntax.ArrayType:
		for _, dim := range t.Dims {
			if dim.Dyn != nil {
				s.declare(*dim.Dyn)
			}
			p.sizeNames(d, s, dim.Size)
		}
		p.declaredSizes(d, s, t.Elem)
	case *syntax.NamedType:
		for _, a := range t.Args {
			if a.Type != nil {
				p.declaredSizes(d, s, a.Type)
			} else if len(t.Path) == 1 && t.Path[0].Text == "idx" {
				p.sizeNames(d, s, a.Size)
			}
		}
	}
}

func (p *Program) sizeNames(d *decl, s *signature, x syntax.Expr) {
	visitExprs(func(x any) bool {
		n, ok := x.(*syntax.NameExpr)
		if !ok || len(n.Path) != 1 || n.Path[0].Text == "" {
			return true
		}
		name := n.Path[0].Text
		isParam := slices.ContainsFunc(d.fn.Params, func(p syntax.Param) bool { return p.Name.Text == name })
		of := (resolver{out: p.scratch, src: d.src, mod: d.mod}).first(name)
		switch {
		case isParam, slices.Contains(s.sizes, name):
		case of == nil:
			s.declare(n.Path[0])
		case of.kind == recordDecl || of.kind == funcDecl:
			p.takenSize(d, n.Path[0], of)
			s.declare(n.Path[0])
			s.bad = true
		}
		return true
	}, x)
}

// takenSize reports a size that has the name of something else, once for all functions that have one of that name.
func (p *Program) takenSize(d *decl, name syntax.Name, of *decl) {
	if p.taken[of] {
		return
	}
	if p.taken == nil {
		p.taken = map[*decl]bool{}
	}
	p.taken[of] = true
	m := p.errorf(d.src, name.Span, "T27", "this is not a size").Note("`%s` is %s", of.name, declWords[of.kind])
	if of.kind == recordDecl {
		m.Help("rename the record, or give the size another name, such as Q")
	} else {
		m.Help("give the size another name, such as Q")
	}
}

func (s *signature) declare(name syntax.Name) {
	isType := slices.ContainsFunc(s.kinds, func(g typeGeneric) bool { return g.name == name.Text })
	if name.Text != "" && !isType && !slices.Contains(s.sizes, name.Text) {
		s.sizes = append(s.sizes, name.Text)
		s.at[name.Text] = name.Span
	}
}
