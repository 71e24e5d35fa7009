package elaborate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// entry elaborates a function with its parameters unknown: to check it, and
// to run it from outside. reps stand for its generic types.
func (p *Program) entry(d *decl, reps map[string]*graph.Type, msgs *diag.List) *graph.Graph {
	for turn := 0; ; turn++ {
		own := new(diag.List)
		e := newElab(p, d.name, d.src, own)
		e.settling = turn < maxSettling
		if g := e.entry(d, reps); !e.again {
			if h, list, better := e.thoroughly(d, reps); better {
				g, own = h, list
			}
			msgs.Messages = append(msgs.Messages, own.Messages...)
			return g
		}
	}
}

func (e *elab) entry(d *decl, reps map[string]*graph.Type) *graph.Graph {
	msgs := e.msgs
	e.fr = &frame{d: d, mod: d.mod, src: d.src, sizes: map[string]size.Poly{}, types: reps}
	e.declareSizes(d)
	ok := e.params(d)
	e.ranges(d.fn)
	e.ensures(d.fn)
	for _, s := range e.g.Sizes { // as narrowed by the conditions
		if s.Lo > s.Hi {
			e.errorf(d.at, "T25", "no size `%s` fits these conditions", s.Name).Note("it would be at least %d and at most %d", s.Lo, s.Hi).
				Help("where %s: Range<1, 1_000_000>", s.Name)
		}
	}
	r := e.result(d)
	if e.full && !msgs.Failed() { // it was noticed in a trial
		e.full = false
		e.tooLarge(d.at)
	}
	if !ok || r == nil || msgs.Failed() {
		return nil
	}
	e.g.Body.Results = []*graph.Node{r}
	e.forget()
	e.number()
	graph.Recognize(e.g)
	return e.g
}

// declareSizes enters the sizes that the head declares. A size that a
// condition makes equal to others is written as those from the start, so
// that types with it are the same types.
func (e *elab) declareSizes(d *decl) {
	for _, name := range d.sig.sizes {
		e.fr.sizes[name] = size.Var(name)
	}
	equal := map[string]bool{}
	for _, cl := range d.fn.Where {
		c, ok := cl.(*syntax.CompareClause)
		if !ok || c.Op != syntax.Eq {
			continue
		}
		if !e.equate(d, c.Y, c.X, equal) {
			e.equate(d, c.X, c.Y, equal)
		}
	}
	for _, name := range d.sig.sizes {
		if !equal[name] {
			e.addSize(name, d.sig.at[name])
		}
	}
}

// equate writes the size called x as the expression y, if that mentions only
// sizes declared before it.
func (e *elab) equate(d *decl, x, y syntax.Expr, equal map[string]bool) bool {
	n, ok := x.(*syntax.NameExpr)
	if !ok || len(n.Path) != 1 || !slices.Contains(d.sig.sizes, n.Path[0].Text) || equal[n.Path[0].Text] {
		return false
	}
	name := n.Path[0].Text
	msgs := e.msgs
	e.msgs = new(diag.List)
	p, ok := e.sizeExpr(y)
	e.msgs = msgs
	if !ok {
		return false
	}
	at := slices.Index(d.sig.sizes, name)
	for _, v := range p.Vars() {
		if slices.Index(d.sig.sizes, v) >= at {
			return false
		}
	}
	e.fr.sizes[name], equal[name] = p, true
	e.fact(p) // a size is never negative
	return true
}

func (e *elab) addSize(name string, at diag.Span) size.Poly {
	e.g.Sizes = append(e.g.Sizes, graph.SizeParam{Name: name, Lo: 0, Hi: graph.MaxSize, Pos: at})
	e.g.Facts.Lo[name], e.g.Facts.Hi[name] = 0, graph.MaxSize
	return size.Var(name)
}

// params makes the parameters.
func (e *elab) params(d *decl) bool {
	ok := true
	e.g.Body.Params = make([]*graph.Node, 0, len(d.fn.Params))
	for _, p := range d.fn.Params {
		place := e.place(p.Place, d.sig)
		t := e.paramType(p)
		if t == nil {
			ok = false
		}
		n := e.param(t, p.Span)
		n.Name = p.Name.Text
		e.g.ParamInfo = append(e.g.ParamInfo, graph.ParamInfo{Name: p.Name.Text, Place: place, Pos: p.Span, Text: e.typeText(p.Type)})
		if t == nil {
			n = nil
		}
		e.bind(p.Name, false, n)
	}
	return ok
}

func (e *elab) typeText(t syntax.Type) string {
	if t == nil {
		return ""
	}
	return strings.Join(strings.Fields(e.text(t.Where())), " ")
}

// paramType resolves a parameter's type; `[T]` gets a size of its own.
func (e *elab) paramType(p syntax.Param) *graph.Type {
	if p.Type == nil {
		return nil
	}
	count := 0
	fresh := func() size.Poly {
		name := "len(" + p.Name.Text + ")"
		if count++; count > 1 {
			name = "len(" + p.Name.Text + "#" + itoa(count) + ")"
		}
		return e.addSize(name, p.Span)
	}
	t := typeReader{e, fresh}.read(p.Type)
	if t == nil {
		return nil
	}
	leaf := 0
	t = e.ownDicts(t, len(e.g.ParamInfo), &leaf, true, p.Name.Text, p.Span)
	e.dynBounds(p.Type)
	types.AnySize(t, func(q size.Poly) bool { e.boundSize(q); return false })
	e.boundVolume(t, size.Const(1))
	return t
}

// boundVolume notes that all elements of an array together are no more than the largest size.
func (e *elab) boundVolume(t *graph.Type, rows size.Poly) {
	if t.Kind == graph.Array {
		rows = rows.Mul(t.Size)
		e.atMostLargest(rows)
	}
	for _, elem := range t.Elems {
		e.boundVolume(elem, rows)
	}
}

// dynBounds notes M <= N for each `?M <= N` in a parameter's type.
func (e *elab) dynBounds(t syntax.Type) {
	switch t := t.(type) {
	case *syntax.RefType:
		e.dynBounds(t.Elem)
	case *syntax.TupleType:
		for _, x := range t.Elems {
			e.dynBounds(x)
		}
	case *syntax.ArrayType:
		for _, dim := range t.Dims {
			if dim.Dyn == nil {
				continue
			}
			if p, ok := e.sizeExpr(dim.Size); ok {
				e.fact(p.Sub(size.Var(dim.Dyn.Text)))
			}
		}
	}
}

// headText is a function's head up to its parameters, on one line.
func (e *elab) headText(d *decl) string {
	start := d.at.Start
	end := start + strings.IndexByte(d.src.Text[start:]+")", ')')
	if n := len(d.fn.Params); n > 0 {
		p := d.fn.Params[n-1]
		end = p.Type.Where().End + strings.IndexByte(d.src.Text[p.Type.Where().End:]+")", ')')
	}
	return "fn " + strings.Join(strings.Fields(d.src.Text[start:min(end, len(d.src.Text))]), " ") + ")"
}

// result elaborates the body and makes its value one of the declared type,
// with its elements moved together.
func (e *elab) result(d *decl) *graph.Node {
	var t *graph.Type
	if d.fn.Asked {
		r := e.block(d.fn.Body, nil)
		if r == nil || r.Type == nil {
			return nil
		}
		return e.dense(r)
	}
	if d.fn.Result == nil {
		m := e.errorf(d.at, "T12", "`%s` has no result type", last(d.name)).Note("every function gives a value")
		of := "f32"
		if r := e.block(d.fn.Body, nil); r != nil && r.Type != nil {
			of = e.g.Declared(r.Type)
		}
		m.Help("%s -> %s", e.headText(d), of)
		return nil
	} else {
		e.g.ResultPlace = e.place(d.fn.Place, d.sig)
		t = e.typeExpr(d.fn.Result)
	}
	r := e.block(d.fn.Body, t)
	if t == nil {
		return nil
	}
	return e.dense(e.coerce(r, t, bodyEnd(d.fn.Body)))
}

// Units of bounds, and how many nanoseconds or bytes they are. One without a unit is in these.
var (
	timeUnits = map[string]float64{"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
	memUnits  = map[string]float64{"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
)

// ensures checks the ensures clauses and keeps them.
func (e *elab) ensures(fn *syntax.Func) {
	for _, en := range fn.Ensures {
		units, scale := []string{"", "ns", "us", "ms", "s"}, timeUnits
		switch en.What.Text {
		case "time":
		case "mem":
			units, scale = []string{"", "B", "kB", "KB", "MB", "GB", "KiB", "MiB", "GiB"}, memUnits
		default:
			e.errorf(en.What.Span, "T23", "only time and mem can be ensured").Note("found `%s`", en.What.Text).Help("time <= 5 ms")
			continue
		}
		if !slices.Contains(units, en.Unit) {
			e.errorf(en.Span, "T23", "`%s` is not a unit of %s", en.Unit, en.What.Text).Note("expected one of%s", strings.Join(units, " ")).
				Help("%s <= 5 %s", en.What.Text, units[len(units)-2])
			continue
		}
		kept := graph.Ensure{What: en.What.Text, Bound: size.Const(1), Unit: scale[en.Unit], Text: e.g.Source.Text[en.Span.Start:en.Span.End]}
		if f, isFloat := en.Bound.(*syntax.FloatLit); isFloat {
			x, err := strconv.ParseFloat(strings.ReplaceAll(f.Text, "_", ""), 64)
			if err != nil {
				e.errorf(en.Span, "T23", "`%s` is not a number", f.Text).Help("%s <= 5 %s", en.What.Text, units[len(units)-2])
				continue
			}
			kept.Unit *= x
		} else if p, ok := e.sizeExpr(en.Bound); ok {
			kept.Bound = p
		} else {
			continue
		}
		e.g.Ensures = append(e.g.Ensures, kept)
	}
}

// place reads a place; a generic place is none.
func (e *elab) place(p *syntax.Place, s *signature) (place graph.Place) {
	if p == nil || p.Name.Text == "" || s.places[p.Name.Text] {
		return place
	}
	kind := graph.PlaceKind(max(0, slices.Index(graph.PlaceNames[:], p.Name.Text)))
	least, most := 0, 0
	switch {
	case kind == graph.NoPlace:
		m := e.errorf(p.Span, "P01", "there is no place `%s`", p.Name.Text).Note("expected Disk, RAM, Far, GPU(k), Node(k) or Cluster")
		if best := nearest(p.Name.Text, slices.Clone(graph.PlaceNames[1:])); best != "" {
			m.Help("@ %s", best)
		} else {
			m.Help("@ RAM")
		}
		return place
	case kind.Numbered():
		least, most = 1, 1
	case kind == graph.Cluster:
		most = 2
	}
	if len(p.Args) < least || len(p.Args) > most {
		e.errorf(p.Span, "P02", "`%s` takes %s", p.Name.Text, [...]string{"no argument", "a number", "how it is sharded"}[most]).Note("found %d argument%s", len(p.Args), plural(len(p.Args))).
			Help("@ %s", [...]string{p.Name.Text, p.Name.Text + "(0)", "Cluster(blocks)"}[most])
		return place
	}
	place.Kind = kind
	for i, a := range p.Args {
		if kind == graph.Cluster && i == 0 {
			n, ok := a.(*syntax.NameExpr)
			if !ok || !slices.Contains([]string{"blocks", "rows", "hash"}, n.Path[0].Text) {
				e.errorf(a.Where(), "P02", "`Cluster` takes how it is sharded").Note("expected blocks, rows or hash").Help("@ Cluster(blocks)")
				return graph.Place{}
			}
			place.Shards = n.Path[0].Text
			continue
		}
		v, ok := e.placeNumber(a)
		switch {
		case !ok:
			return graph.Place{}
		case kind == graph.Cluster:
			place.Shards += ", " + itoa(v)
		default:
			place.Number = v
		}
	}
	return place
}

// placeNumber is a constant that numbers a device, a node or shards.
func (e *elab) placeNumber(x syntax.Expr) (int64, bool) {
	var n *graph.Node
	e.inBlock(func() { n = e.expr(x, nil) })
	if n == nil {
		return 0, false
	}
	if v, ok := evaluate(n); ok && types.IsInt(n.Type) && int64(v) >= 0 {
		return int64(v), true
	}
	e.errorf(x.Where(), "P03", "the number of a place is a constant").Note("expected 0 or more").Help("@ Node(0)")
	return 0, false
}
