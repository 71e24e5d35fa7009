package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// typeExpr resolves a type as written, or reports and gives nil. `[T]`
// leaves its size open; `[T; ?M <= N]` is marked Masked and asks for any size
// up to N. See declaring for the types of parameters run from outside.
func (e *elab) typeExpr(t syntax.Type) *graph.Type { return typeReader{e, nil}.read(t) }

// typeReader resolves types. With open set, it gives the sizes that are left
// open, in order.
type typeReader struct {
	e    *elab
	open func() size.Poly
}

func (r typeReader) read(t syntax.Type) *graph.Type {
	switch t := t.(type) {
	case *syntax.RefType:
		return r.read(t.Elem)
	case *syntax.TupleType:
		return r.tuple(t)
	case *syntax.ArrayType:
		return r.array(t)
	case *syntax.NamedType:
		return r.named(t)
	}
	return nil
}

// maxTuple is the largest number of fields of a tuple.
const maxTuple = 10

func (r typeReader) tuple(t *syntax.TupleType) *graph.Type {
	if len(t.Elems) < 2 || len(t.Elems) > maxTuple {
		m := r.e.errorf(t.Span, "T24", "a tuple has 2 to %d parts", maxTuple).Note("found %d", len(t.Elems))
		switch len(t.Elems) {
		case 0:
			m.Help("(f32, f32)")
		case 1:
			m.Help("%s", r.e.text(t.Elems[0].Where()))
		default:
			m.Help("declare a record with named fields:\nrecord Row { first: f32, second: f32 }")
		}
		return nil
	}
	elems := make([]*graph.Type, len(t.Elems))
	bad := false
	for i, x := range t.Elems {
		elems[i] = r.read(x)
		bad = bad || elems[i] == nil
	}
	if bad {
		return nil
	}
	return graph.TupleOf(elems...)
}

func (r typeReader) array(t *syntax.ArrayType) *graph.Type {
	elem := r.read(t.Elem)
	if elem == nil {
		return nil
	}
	if r.runtime(elem) {
		r.e.runtimeElement(elem, t.Elem.Where())
		return nil
	}
	if len(t.Dims) == 0 {
		p := types.Open
		if r.open != nil {
			p = r.open()
		}
		return graph.ArrayOf(elem, p)
	}
	for i := len(t.Dims) - 1; i >= 0; i-- {
		if elem = r.dim(t.Dims[i], elem, i > 0); elem == nil {
			return nil
		}
	}
	return elem
}

// runtime reports a type whose values have run-time sizes.
func (r typeReader) runtime(t *graph.Type) bool {
	if t.Kind == graph.Array && t.Masked {
		return true
	}
	for _, e := range t.Elems {
		if r.runtime(e) {
			return true
		}
	}
	return false
}

func (r typeReader) dim(d syntax.Dim, elem *graph.Type, inner bool) *graph.Type {
	p, ok := r.e.sizeExpr(d.Size)
	if !ok {
		return nil
	}
	if d.Dyn == nil {
		return graph.ArrayOf(elem, p)
	}
	t := graph.MaskedOf(graph.ArrayOf(elem, p))
	if inner {
		r.e.runtimeElement(t, d.Span)
		return nil
	}
	if r.open == nil {
		return t
	}
	return graph.ArrayOf(elem, size.Var(d.Dyn.Text))
}

func (r typeReader) named(t *syntax.NamedType) *graph.Type {
	name := t.Path[0].Text
	if name == "" {
		return nil
	}
	if len(t.Path) == 1 {
		switch name {
		case "idx":
			return r.index(t)
		case "Option":
			return r.option(t)
		}
		if k, ok := num.ParseKind(name); ok {
			return r.plain(t, types.Scalars[k])
		}
		if g, ok := r.e.fr.types[name]; ok {
			return r.plain(t, g)
		}
	}
	if len(t.Path) == 1 && r.e.resolver().first(name) == nil {
		if is, ok := r.meant(t); ok {
			return is
		}
		r.unknown(t)
		return nil
	}
	d := r.e.resolver().path(t.Path, "N03")
	if d == nil {
		return nil
	}
	if d.kind != recordDecl {
		r.e.errorf(t.Span, "N09", "`%s` is %s, not a type", d.name, declWords[d.kind]).Note("expected a type")
		return nil
	}
	return r.plain(t, r.e.p.recordType(d))
}

func (r typeReader) unknown(t *syntax.NamedType) {
	name := t.Path[0]
	m := r.e.errorf(name.Span, "N03", "there is no type `%s`", name.Text).Note("not found")
	switch name.Text {
	case "int", "isize", "usize", "uint", "long", "size_t":
		m.Help("i64")
	case "float", "double", "f16", "number":
		m.Help("f64")
	case "Vec", "Array", "List":
		m.Help("[f32; N]")
	case "string", "String", "str", "Text", "text", "char", "Char", "varchar", "VARCHAR", "TEXT", "STRING", "utf8", "Utf8":
		m.Help("Str")
	case "DateTime", "Datetime", "datetime", "timestamp":
		m.Help("Timestamp")
	default:
		names := append(r.e.resolver().visible(recordDecl), "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool", "Option", "idx",
			"Date", "Time", "Timestamp", "Duration", "Decimal", "Str")
		for g := range r.e.fr.types {
			names = append(names, g)
		}
		suggest(m, name.Text, names)
	}
}

// plain is a type that takes no arguments.
func (r typeReader) plain(t *syntax.NamedType, is *graph.Type) *graph.Type {
	if len(t.Args) > 0 {
		r.e.errorf(t.Span, "T09", "`%s` takes no arguments", t.Path[len(t.Path)-1].Text).Note("leave the <…> out")
		return nil
	}
	return is
}

func (r typeReader) index(t *syntax.NamedType) *graph.Type {
	if len(t.Args) != 1 || t.Args[0].Size == nil {
		r.e.errorf(t.Span, "T09", "`idx` takes one size").Note("expected idx<N>").Help("idx<N>")
		return nil
	}
	p, ok := r.e.sizeExpr(t.Args[0].Size)
	if !ok {
		return nil
	}
	return graph.IndexOf(p)
}

func (r typeReader) option(t *syntax.NamedType) *graph.Type {
	if len(t.Args) != 1 {
		r.e.errorf(t.Span, "T09", "`Option` takes one type").Note("expected Option<T>").Help("Option<f32>")
		return nil
	}
	elem := r.typeArg(t.Args[0])
	if elem == nil {
		return nil
	}
	if r.runtime(elem) {
		r.e.runtimeElement(elem, t.Span)
		return nil
	}
	return graph.OptionOf(elem)
}

// typeArg reads an argument that should be a type: a bare name was parsed as
// a size.
func (r typeReader) typeArg(a syntax.TypeArg) *graph.Type {
	if a.Type != nil {
		return r.read(a.Type)
	}
	if n, ok := a.Size.(*syntax.NameExpr); ok {
		return r.named(&syntax.NamedType{Span: n.Span, Path: n.Path, Args: n.Args})
	}
	r.e.errorf(a.Size.Where(), "T09", "a type is expected here").Note("found a size").Help("::<f32>")
	return nil
}

// recordType resolves a record once.
func (p *Program) recordType(d *decl) *graph.Type {
	switch d.state {
	case done:
		return d.typ
	case busy:
		if !d.failed {
			d.failed = true
			p.errorf(d.src, d.at, "T01", "the record `%s` contains itself", d.name).
				Note("its values would have no end").Help("keep the parts in an array of their own and refer to them by idx<N>")
		}
		return nil
	}
	d.state = busy
	t := p.fields(d)
	d.state = done
	if !d.failed {
		d.typ = t
	}
	return d.typ
}

func (p *Program) fields(d *decl) *graph.Type {
	e := newElab(p, d.name, d.src, p.msgs)
	e.fr = &frame{d: d, mod: d.mod, src: d.src}
	names := make([]string, 0, len(d.rec.Fields))
	elems := make([]*graph.Type, 0, len(d.rec.Fields))
	seen := map[string]syntax.Name{}
	for _, f := range d.rec.Fields {
		if old, twice := seen[f.Name.Text]; twice {
			p.twice(d.src, f.Name, old.Span, d.src)
			d.failed = true
			continue
		}
		seen[f.Name.Text] = f.Name
		t := e.fieldType(f)
		if t == nil {
			d.failed = true
			continue
		}
		names, elems = append(names, f.Name.Text), append(elems, t)
	}
	if len(d.rec.Fields) == 0 {
		p.errorf(d.src, d.at, "T14", "the record `%s` has no fields", d.name).Note("expected at least one").Help("record %s { value: f32 }", last(d.name))
		d.failed = true
	}
	return types.Record(d.name, names, elems)
}

// fieldType resolves a field's type; its sizes must be constants.
func (e *elab) fieldType(f syntax.FieldDecl) *graph.Type {
	if f.Type == nil {
		return nil
	}
	t := e.typeExpr(f.Type)
	if t == nil {
		return nil
	}
	fixed := !types.AnySize(t, func(p size.Poly) bool {
		_, ok := p.Const()
		return !ok && !types.IsOpen(p) || types.IsOpen(p) && openArrayIn(t)
	})
	if !fixed || (typeReader{e, nil}).runtime(t) {
		e.errorf(f.Type.Where(), "T07", "a field's type must have a fixed size").Note("found %s", t).Help("%s: [f32; 8]", f.Name.Text)
		return nil
	}
	return t
}

// openArrayIn reports an array in t that leaves its size open; dictionaries of text may.
func openArrayIn(t *graph.Type) bool {
	return t.Kind == graph.Array && types.IsOpen(t.Size) || slices.ContainsFunc(t.Elems, openArrayIn)
}
