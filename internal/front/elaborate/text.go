package elaborate

import (
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Text is the number of an entry in a dictionary (graph.Dict). Dictionaries are sorted, so values
// of one compare by their codes. What an operation needs to know of the texts is a hidden
// parameter (graph.Derived): a number, or a table with an element for each entry, which is made
// when arguments are bound. Where two dictionaries meet, both are mapped into one that has the
// entries of both.

// anyText is text of any dictionary: what a declared type says.
var anyText = textOf(size.Var(types.Hole), 0)

func textOf(bound size.Poly, dict int) *graph.Type {
	return &graph.Type{Kind: graph.Index, Num: num.I64, Bound: bound, Means: meaning.Meaning{Sort: meaning.Text, Dict: dict}}
}

// textIn is the type of text of a dictionary.
func (e *elab) textIn(dict int) *graph.Type { return textOf(e.g.Dict(dict).Size, dict) }

func (e *elab) addDict(d graph.Dict) int {
	e.g.Dicts = append(e.g.Dicts, d)
	return len(e.g.Dicts)
}

// ownDicts gives each column of text in a parameter's type a dictionary of its own. leaf counts
// as graph.Leaves does.
func (e *elab) ownDicts(t *graph.Type, param int, leaf *int, one bool, path string, at diag.Span) *graph.Type {
	if types.IsSort(t, meaning.Text) {
		p := e.addSize("dict("+path+")", at)
		n := e.addDict(graph.Dict{Size: p, Column: &graph.DictColumn{Param: param, Leaf: *leaf, One: one}})
		*leaf++
		return e.textIn(n)
	}
	if t.Kind == graph.Option {
		*leaf++
	}
	if len(t.Elems) == 0 {
		*leaf++
		return t
	}
	u := *t
	u.Elems = make([]*graph.Type, len(t.Elems))
	for i, elem := range t.Elems {
		inner := path
		if t.Kind == graph.Tuple {
			inner += "." + t.FieldName(i)
		}
		u.Elems[i] = e.ownDicts(elem, param, leaf, one && t.Kind != graph.Array, inner, at)
	}
	if slices.Equal(u.Elems, t.Elems) {
		return t
	}
	return &u
}

// withTexts is a record's type with the dictionaries that its values have.
func withTexts(t *graph.Type, values []*graph.Node) *graph.Type {
	if !types.HasOpen(t) {
		return t
	}
	u := *t
	u.Elems = slices.Clone(t.Elems)
	for i, v := range values {
		if types.HasOpen(t.Elems[i]) {
			u.Elems[i] = v.Type
		}
	}
	return &u
}

// textLit is a literal: the only entry of a dictionary.
func (e *elab) textLit(x *syntax.TextLit) *graph.Node {
	return e.constOf(e.textIn(e.literalDict([]string{x.Value})), 0, x.Span)
}

// literalText is the text of a literal.
func (e *elab) literalText(n *graph.Node) (string, bool) {
	if n.Op != graph.Const || !types.IsSort(n.Type, meaning.Text) {
		return "", false
	}
	texts := e.g.Dict(n.Type.Means.Dict).Texts
	if n.Bits >= uint64(len(texts)) {
		return "", false
	}
	return texts[n.Bits], true
}

// derived is a hidden parameter of a type; one recipe has one parameter.
func (e *elab) derived(d graph.Derived, t *graph.Type, at diag.Span) *graph.Node {
	if p := e.hidden[d]; p != nil {
		return p
	}
	root := e.cur
	for root.outer != nil {
		root = root.outer
	}
	var p *graph.Node
	e.inScope(root, func() { p = e.param(t, at) })
	p.Name = "text:" + itoa(len(e.hidden)+1)
	e.g.ParamInfo = append(e.g.ParamInfo, graph.ParamInfo{Name: p.Name, Pos: e.where(at), Text: t.String(), Derived: &d})
	if e.hidden == nil {
		e.hidden = map[graph.Derived]*graph.Node{}
	}
	e.hidden[d] = p
	return p
}

// sought is a text that can be looked for in a dictionary: a literal, or one that an argument gives.
func (e *elab) sought(n *graph.Node) (graph.Sought, bool) {
	if text, ok := e.literalText(n); ok {
		return graph.Sought{Text: text}, true
	}
	return graph.Sought{In: n.Type.Means.Dict}, types.IsSort(n.Type, meaning.Text) && e.single(n.Type.Means.Dict)
}

// single reports a dictionary of which it is known that it has one entry, whatever the argument.
func (e *elab) single(dict int) bool {
	d := e.g.Dict(dict)
	return d.Column != nil && d.Column.One || len(d.Of) == 1 && e.single(d.Of[0])
}

// textNumber is a hidden i64 that follows from a dictionary and a text.
func (e *elab) textNumber(what graph.Derivation, dict int, text graph.Sought, at diag.Span) *graph.Node {
	return e.derived(graph.Derived{What: what, Dict: dict, Text: text}, graph.I64Type, at)
}

// looked is the element of a hidden table for a value of text.
func (e *elab) looked(d graph.Derived, elem *graph.Type, v *graph.Node, at diag.Span) *graph.Node {
	table := e.derived(d, graph.ArrayOf(elem, v.Type.Bound), at)
	return e.at(table, e.raw(v, at), at)
}

var mirrored = map[num.Op]num.Op{num.Eq: num.Eq, num.Ne: num.Ne, num.Lt: num.Gt, num.Le: num.Ge, num.Gt: num.Lt, num.Ge: num.Le}

// compareText compares two values of text.
func (e *elab) compareText(op num.Op, at diag.Span, a, b *graph.Node) *graph.Node {
	x, first := e.literalText(a)
	y, second := e.literalText(b)
	switch {
	case first && second:
		holds, _ := num.Apply(op, num.I64, []uint64{uint64(int64(strings.Compare(x, y))), 0})
		return e.bool(holds != 0, at)
	case first:
		return e.compareSought(mirrored[op], at, b, graph.Sought{Text: x})
	case second:
		return e.compareSought(op, at, a, graph.Sought{Text: y})
	}
	if a.Type.Means.Dict != b.Type.Means.Dict {
		if s, ok := e.sought(b); ok {
			return e.compareSought(op, at, a, s)
		}
		if s, ok := e.sought(a); ok {
			return e.compareSought(mirrored[op], at, b, s)
		}
		u := e.union(a.Type.Means.Dict, b.Type.Means.Dict, at)
		a, b = e.textTo(a, u, at), e.textTo(b, u, at)
	}
	return e.arith(op, at, e.raw(a, at), e.raw(b, at))
}

// compareSought compares the code with the place that the text has in the dictionary.
func (e *elab) compareSought(op num.Op, at diag.Span, v *graph.Node, text graph.Sought) *graph.Node {
	what := graph.CodeOf
	switch op {
	case num.Lt, num.Ge:
		what = graph.CountLess
	case num.Le:
		op, what = num.Lt, graph.CountUpTo
	case num.Gt:
		op, what = num.Ge, graph.CountUpTo
	}
	return e.arith(op, at, e.raw(v, at), e.textNumber(what, v.Type.Means.Dict, text, at))
}

// union is a dictionary with the entries of two.
func (e *elab) union(a, b int, at diag.Span) int {
	switch {
	case e.hasTexts(a, b):
		return a
	case e.hasTexts(b, a):
		return b
	}
	x, y := e.g.Dict(a), e.g.Dict(b)
	if x.Texts != nil && y.Texts != nil {
		return e.literalDict(graph.Changed(append(slices.Clone(x.Texts), y.Texts...), graph.NoChange))
	}
	of := []int{min(a, b), max(a, b)}
	for i := range e.g.Dicts {
		if slices.Equal(e.g.Dicts[i].Of, of) && e.g.Dicts[i].Change == graph.NoChange {
			return i + 1
		}
	}
	return e.addDict(graph.Dict{Size: e.dictSize(at), Of: of})
}

// literalDict is a dictionary of texts of the program.
func (e *elab) literalDict(texts []string) int {
	for i := range e.g.Dicts {
		if slices.Equal(e.g.Dicts[i].Texts, texts) {
			return i + 1
		}
	}
	return e.addDict(graph.Dict{Size: size.Const(int64(len(texts))), Texts: texts})
}

// dictSize is a size for a dictionary that is made from others.
func (e *elab) dictSize(at diag.Span) size.Poly {
	return e.addSize("dict("+itoa(len(e.g.Dicts)+1)+")", at)
}

// textTo is a value in a dictionary that has all entries of its own.
func (e *elab) textTo(v *graph.Node, dict int, at diag.Span) *graph.Node {
	if v.Type.Means.Dict == dict {
		return v
	}
	to := e.textIn(dict)
	if text, ok := e.literalText(v); ok {
		if i, found := slices.BinarySearch(e.g.Dict(dict).Texts, text); found {
			return e.constOf(to, uint64(i), at)
		}
	}
	d := graph.Derived{What: graph.CodesIn, Dict: v.Type.Means.Dict, To: dict}
	return e.retype(to, e.looked(d, to.Plain(), v, at), at)
}

// unifyTexts brings the texts of two sides of one choice into common dictionaries.
func (e *elab) unifyTexts(a, b *branch, at diag.Span) {
	t, u := e.meet(a.value.Type, b.value.Type, at)
	e.inScope(a.scope, func() { a.value = e.textsTo(a.value, t, at) })
	e.inScope(b.scope, func() { b.value = e.textsTo(b.value, u, at) })
}

// orText is o.or(d) for text, in a dictionary that has the entries of both.
func (e *elab) orText(c *methodUse, elem *graph.Type) *graph.Node {
	d := e.value(c.x.Args[0], anyText)
	if d == nil {
		return nil
	}
	at, dict := c.at(), e.union(elem.Means.Dict, d.Type.Means.Dict, c.at())
	is := e.add(graph.IsSome, graph.BoolType, at, c.recv)
	return e.choose(at, is,
		func() *graph.Node { return e.textTo(e.add(graph.Unwrap, elem, at, c.recv), dict, at) },
		func() *graph.Node { return e.textTo(d, dict, at) })
}

// commonText brings the texts of elements into common dictionaries.
func (e *elab) commonText(list []*graph.Node, from []syntax.Expr) {
	all := list[0].Type
	for i, n := range list[1:] {
		all, _ = e.meet(all, n.Type, from[i+1].Where())
	}
	for i, n := range list {
		at := from[i].Where()
		list[i] = e.textsTo(n, spelledAs(n.Type, all), at)
	}
}

// textMethods work on text. What they look for is the same for all rows: they are evaluated once for each entry
// of the dictionary.
func textMethods() map[string]method {
	change := func(c graph.TextChange) func(*elab, *methodUse) *graph.Node {
		return func(e *elab, m *methodUse) *graph.Node { return e.changeText(m, c) }
	}
	lookFor := func(what graph.Derivation) func(*elab, *methodUse) *graph.Node {
		return func(e *elab, c *methodUse) *graph.Node {
			text, ok := e.lookedFor(c)
			if !ok {
				return nil
			}
			return e.looked(graph.Derived{What: what, Dict: c.recv.Type.Means.Dict, Text: text}, graph.BoolType, c.recv, c.at())
		}
	}
	return map[string]method{
		"code": {run: (*elab).textCode},
		"len": {run: func(e *elab, c *methodUse) *graph.Node {
			return e.looked(graph.Derived{What: graph.Characters, Dict: c.recv.Type.Means.Dict}, graph.I64Type, c.recv, c.at())
		}},
		"starts_with": {min: 1, max: 1, run: (*elab).startsWith},
		"ends_with":   {min: 1, max: 1, run: lookFor(graph.EndsWith)},
		"contains":    {min: 1, max: 1, run: lookFor(graph.Contains)},
		"lower":       {run: change(graph.Lower)},
		"upper":       {run: change(graph.Upper)},
		"trim":        {run: change(graph.Trim)},
		"trim_start":  {run: change(graph.TrimStart)},
		"trim_end":    {run: change(graph.TrimEnd)},
	}
}

// textCode is the number of a text's entry. A literal has none: it is the only entry of a dictionary of its own.
func (e *elab) textCode(c *methodUse) *graph.Node {
	if _, ok := e.literalText(c.recv); ok {
		e.errorf(c.at(), "T29", "a literal has no code").Note("a code is the place of a text among those of its column").
			Help("compare texts themselves:\n%s", e.text(c.x.Receiver.Where()))
		return nil
	}
	return e.raw(c.recv, c.at())
}

// lookedFor is what a method looks for.
func (e *elab) lookedFor(c *methodUse) (graph.Sought, bool) {
	arg := c.x.Args[0]
	n := e.expr(arg, nil)
	if n == nil {
		return graph.Sought{}, false
	}
	text, ok := e.sought(n)
	if !ok {
		m := e.errorf(arg.Where(), "T29", "`%s` looks for a literal, or for an argument of type Str", c.x.Name.Text).Note("found %s", n.Type)
		if c.each && types.IsSort(n.Type, meaning.Text) {
			m.Help("%s", e.instead(c.x.Span, syntax.WithinMeant(e.fr.src.Text, arg, c.x.Receiver, false)))
		} else if types.IsSort(n.Type, meaning.Text) {
			m.Help("write the text itself, or compare whole texts:\n%s == %s", e.operand(c.x.Receiver), e.text(arg.Where()))
		} else {
			m.Help("%s.%s(\"…\")", e.operand(c.x.Receiver), c.x.Name.Text)
		}
	}
	return text, ok
}

// startsWith is a range of codes, as dictionaries are sorted.
func (e *elab) startsWith(c *methodUse) *graph.Node {
	text, ok := e.lookedFor(c)
	if !ok {
		return nil
	}
	at, dict, code := c.at(), c.recv.Type.Means.Dict, e.raw(c.recv, c.at())
	first := e.arith(num.Ge, at, code, e.textNumber(graph.CountLess, dict, text, at))
	return e.arith(num.And, at, first, e.arith(num.Lt, at, code, e.textNumber(graph.PrefixEnd, dict, text, at)))
}

// changeText is lower, upper or trim: the dictionary of the changed entries.
func (e *elab) changeText(c *methodUse, change graph.TextChange) *graph.Node {
	of := []int{c.recv.Type.Means.Dict}
	if texts := e.g.Dict(of[0]).Texts; texts != nil {
		dict := e.literalDict(graph.Changed(texts, change))
		return e.retype(e.textIn(dict), e.looked(graph.Derived{What: graph.CodesIn, Dict: of[0], To: dict, Change: change}, e.textIn(dict).Plain(), c.recv, c.at()), c.at())
	}
	dict := 1 + slices.IndexFunc(e.g.Dicts, func(d graph.Dict) bool { return d.Change == change && slices.Equal(d.Of, of) })
	if dict == 0 {
		dict = e.addDict(graph.Dict{Size: e.dictSize(c.at()), Of: of, Change: change})
	}
	d := graph.Derived{What: graph.CodesIn, Dict: of[0], To: dict, Change: change}
	return e.retype(e.textIn(dict), e.looked(d, e.textIn(dict).Plain(), c.recv, c.at()), c.at())
}

// texts is x.texts(): the entries of the dictionary of an array of text, which are the groups of
// a group_by of it.
func (e *elab) texts(c *methodUse) *graph.Node {
	t := c.recv.Type.Elem()
	if !types.IsSort(t, meaning.Text) {
		m := e.errorf(c.x.Name.Span, "T29", "`texts` needs an array of text").Note("the elements are %s", t)
		if t.Kind == graph.Tuple {
			for i, f := range t.Elems {
				if types.IsSort(f, meaning.Text) {
					m.Help("%s.map(|e| e.%s).texts()", e.operand(c.x.Receiver), t.FieldName(i))
					break
				}
			}
		}
		return nil
	}
	return e.tabulate(c.at(), t.Bound, func(i *graph.Node) *graph.Node { return e.retype(t, i, c.at()) })
}

// groupSize is how many groups there are, by ::<K>, or by a key that is text or an index. Without a size, keyed is the type of the key;
// where that says no number, any may come.
func (e *elab) groupSize(c *methodUse) (k size.Poly, keyed *graph.Type, ok bool) {
	if len(c.sizes) > 0 {
		return c.sizes[0], nil, true
	}
	e.inBlock(func() { // nothing is left of it
		switch {
		case len(c.x.Args) == 0:
			keyed = c.recv.Type.Elem()
		default:
			var n *graph.Node
			_, isClosure := c.x.Args[0].(*syntax.Closure)
			if !isClosure {
				n = e.expr(c.x.Args[0], nil)
			} else if cl := e.closureArg(c, 0, 1); cl != nil {
				n = e.applyClosure(cl, nil, e.param(c.recv.Type.Elem(), c.at()))
			}
			if n != nil {
				keyed = n.Type
			}
			if n != nil && !isClosure && keyed.Kind == graph.Array {
				keyed = keyed.Elem()
			}
		}
	})
	switch {
	case keyed == nil:
		return k, nil, false
	case keyed.Kind == graph.Index:
		return keyed.Bound, keyed, true
	}
	return k, keyed, true
}
