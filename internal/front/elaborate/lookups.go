package elaborate

import (
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: rows and their keys. Out: what finds a row by its key: index_by the first row with an equal one, as_of the last row, in the
// order of keys, whose key is not greater, of a tuple among those whose other parts are equal. Like a group it is no value: it is bound to a name and asked. Its tables are made once, by
// the prelude (lookups.gw), where it stands; for text once for each dictionary that it is asked with.

// lookup is what index_by and as_of give.
type lookup struct {
	x     *graph.Node // the rows, dense
	keys  *graph.Node // of all rows, computed where it stands, as any value is
	t     *graph.Type // of a key
	asOf  bool
	scope *scope // where its tables stand
	at    diag.Span
	by    *syntax.Closure // of the key, and the text in which it stands
	in    *diag.Source
	built map[string]*tables // by the dictionaries of the keys' texts
}

// tables find a row: by the first words of a key, then by what that found and the next word, and so on.
type tables struct {
	form   *keyForm
	levels []level
	order  *graph.Node // of as_of: the rows in the order of their keys
	first  *graph.Node // of as_of within keys: the first row, plus one, with the parts of a key that are equal, in that order
	keys   *graph.Node // of as_of: what it goes by, in that order
	runs   *runs       // once all rows of a key were asked for
}

// level is the table for one word, or for two.
type level struct {
	slot  *graph.Node
	words []*graph.Node
}

// keyForm says how keys become words, where two sides are to agree: in which dictionaries their texts are.
type keyForm struct{ dicts []int }

func lookupTable() map[string]method {
	return map[string]method{
		"get":   {min: 1, max: 1, masked: true, run: (*elab).lookupGet},
		"has":   {min: 1, max: 1, masked: true, run: (*elab).lookupHas},
		"count": {min: 1, max: 1, masked: true, run: (*elab).lookupCount},
	}
}

// joinMethods begin or use look-ups.
func joinMethods() map[string]method {
	return map[string]method{
		"index_by": {min: 1, max: 1, run: func(e *elab, c *methodUse) *graph.Node { return e.newLookup(c, false) }},
		"as_of":    {min: 1, max: 1, run: func(e *elab, c *methodUse) *graph.Node { return e.newLookup(c, true) }},
		"join":     {min: 2, max: 2, run: (*elab).joinIndex},
		"join_all": {min: 2, max: 2, sizes: 1, need: true, run: (*elab).joinAll},
	}
}

func (e *elab) newLookup(c *methodUse, asOf bool) *graph.Node {
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	keys := e.mapEach(c.at(), c.recv, func(v *graph.Node) *graph.Node { return e.element(e.applyClosure(cl, nil, v), bodyValue(cl.Body)) })
	if keys == nil {
		return nil
	}
	l := &lookup{x: c.recv, keys: keys, t: keys.Type.Elem(), asOf: asOf, scope: e.cur, at: c.at(), by: cl, in: e.fr.src, built: map[string]*tables{}}
	if why := unfitKey(l.t, asOf); why != "" {
		e.errorf(bodyValue(cl.Body), "T29", "this cannot be the key of an index").Note("found %s", l.t).Help("%s", why)
		return nil
	}
	return e.newGroup(&grouping{x: c.recv, fixed: true, lookup: l}, c.at())
}

// unfitKey says what to do about a type that no index has; "" if it is in order.
func unfitKey(t *graph.Type, asOf bool) string {
	switch {
	case asOf && t.Kind == graph.Tuple && len(t.Elems) > 1:
		if why := unfitKey(t.Elems[len(t.Elems)-1], true); why != "" || t.Elems[len(t.Elems)-1].Kind == graph.Tuple {
			return "the last part of a key is what as_of goes by: a date, a time, text, a decimal or an integer; the parts before it are equal"
		}
		return unfitKey(graph.TupleOf(t.Elems[:len(t.Elems)-1]...), false)
	case asOf && (!t.IsScalar() || types.IsFloat(t) || types.IsBool(t)):
		return "as_of goes by a date, a time, text, a decimal or an integer"
	case t.Kind == graph.Array, types.IsFloat(t):
		return "an index goes by integers, bools, text, dates, times and decimals, or Options, tuples and records of such"
	}
	for _, elem := range t.Elems {
		if why := unfitKey(elem, false); why != "" {
			return why
		}
	}
	return ""
}

// sameKeys reports that keys of two types can be equal: they are of one kind and meaning, whatever their dictionaries.
func sameKeys(a, b *graph.Type) bool {
	if a.IsScalar() && b.IsScalar() {
		x, y := a.Means, b.Means
		x.Dict, y.Dict, x.Digits, y.Digits = 0, 0, 0, 0 // decimals of the same places are equal as integers are
		return x == y && (x.Sort == meaning.Text || types.Computed(a.Plain()).Equal(types.Computed(b.Plain())))
	}
	return a.Kind == b.Kind && slices.EqualFunc(a.Elems, b.Elems, sameKeys)
}

// textDicts are the dictionaries of the texts in a type, in order.
func textDicts(t *graph.Type) (list []int) {
	if types.IsSort(t, meaning.Text) {
		return []int{t.Means.Dict}
	}
	for _, elem := range t.Elems {
		list = append(list, textDicts(elem)...)
	}
	return list
}

// tablesFor are those for keys of a type, whose texts may be in other dictionaries.
func (e *elab) tablesFor(l *lookup, t *graph.Type) *tables {
	form := &keyForm{}
	theirs := textDicts(t)
	for i, d := range textDicts(l.t) {
		form.dicts = append(form.dicts, e.union(d, theirs[i], l.at))
	}
	name := fmt.Sprint(form.dicts)
	if l.built[name] == nil {
		var made *tables
		e.inScope(l.scope, func() { made = e.makeTables(l, form) })
		l.built[name] = made
	}
	return l.built[name]
}

func (e *elab) makeTables(l *lookup, form *keyForm) *tables {
	at, t := l.at, &tables{form: form}
	if l.asOf && l.t.Kind == graph.Tuple {
		return e.makeWithin(l, t)
	}
	if l.asOf {
		rows := e.mapOver(at, []*graph.Node{l.keys}, func(i *graph.Node, v []*graph.Node) *graph.Node { return e.tuple(at, e.ordered(v[0], form, at), i) })
		sorted := e.sorted(rows, false, at, func(v *graph.Node) *graph.Node { return e.get(v, 0, at) })
		t.keys = e.mapEach(at, sorted, func(v *graph.Node) *graph.Node { return e.get(v, 0, at) })
		t.order = e.mapEach(at, sorted, func(v *graph.Node) *graph.Node { return e.get(v, 1, at) })
		return t
	}
	return e.makeLevels(t, l.keys, at)
}

// makeLevels makes the tables that find the first row with an equal key.
func (e *elab) makeLevels(t *tables, keys *graph.Node, at diag.Span) *tables {
	words := e.keyWords(keys, at, t.form, func(k *graph.Node) *graph.Node { return k })
	if words == nil {
		return nil
	}
	if len(words) == 1 {
		t.levels = []level{{e.preludeCall(at, preludeItem("index_slots"), words), words}}
		return t
	}
	first := words[0]
	for _, w := range words[1:] {
		both := []*graph.Node{first, w}
		r := e.preludeCall(at, preludeItem("pair_index"), both)
		if r == nil {
			return nil
		}
		t.levels = append(t.levels, level{e.get(r, 0, at), both})
		first = e.get(r, 1, at)
	}
	return t
}

// ordered is a key as an i64 in the same order.
func (e *elab) ordered(k *graph.Node, form *keyForm, at diag.Span) *graph.Node {
	if types.IsSort(k.Type, meaning.Text) {
		k = e.textTo(k, form.dicts[len(form.dicts)-1], at)
	}
	return e.orderWord(k, at)
}

// find is the number of the row for a key, plus one; 0 if there is none. With as_of it is the place in the order of keys.
func (e *elab) find(l *lookup, t *tables, k *graph.Node, at diag.Span) *graph.Node {
	switch {
	case l.asOf && l.t.Kind == graph.Tuple:
		return e.findWithin(t, k, at)
	case l.asOf:
		return e.preludeCall(at, preludeItem("as_of_find"), []*graph.Node{t.keys, e.ordered(k, t.form, at)})
	}
	return e.findFirst(t, k, at)
}

// findFirst is the number of the first row with a key, plus one; 0 if there is none.
func (e *elab) findFirst(t *tables, k *graph.Node, at diag.Span) *graph.Node {
	words := e.words(k, t.form, at)
	if len(words) == 0 {
		return nil
	}
	if len(words) == 1 {
		return e.preludeCall(at, preludeItem("index_find"), []*graph.Node{t.levels[0].slot, t.levels[0].words[0], words[0]})
	}
	row := words[0]
	for i, v := range t.levels {
		row = e.preludeCall(at, preludeItem("pair_find"), []*graph.Node{v.slot, v.words[0], v.words[1], row, words[i+1]})
	}
	return row
}

// rowAt is the row that find found, where it found one.
func (e *elab) rowAt(l *lookup, t *tables, found *graph.Node, at diag.Span) *graph.Node {
	before := e.arith(num.Sub, at, found, e.int(num.I64, 1, at))
	row := e.toRange(graph.Clamp, before, l.x.Type.Size, at)
	if l.asOf {
		return e.at(t.order, row, at)
	}
	return row
}

// askFor elaborates a key and finds the tables for it.
func (e *elab) askFor(l *lookup, k *graph.Node, at diag.Span) *tables {
	if k == nil {
		return nil
	}
	if !sameKeys(l.t, k.Type) {
		e.errorf(at, "T29", "the key has another type than those of the index").Note("expected %s, found %s", l.t, k.Type).
			Help("%s", e.sameKeyHelp(l, k.Type, at))
		return nil
	}
	return e.tablesFor(l, k.Type)
}

// keyWant is the type that literals in a key take.
func keyWant(l *lookup) *graph.Type {
	if len(textDicts(l.t)) > 0 || l.t.Kind == graph.Index {
		return nil
	}
	return l.t
}

// lookupFound is what an index finds for the argument of a method.
func (e *elab) lookupFound(c *methodUse) (l *lookup, t *tables, found *graph.Node) {
	l = e.of(c.recv).group.lookup
	if e.keyNotClosure(c) {
		return l, nil, nil
	}
	k := e.dense(e.expr(c.x.Args[0], keyWant(l)))
	if t = e.askFor(l, k, c.x.Args[0].Where()); t == nil {
		return l, nil, nil
	}
	return l, t, e.find(l, t, k, c.at())
}

func (e *elab) lookupGet(c *methodUse) *graph.Node {
	l, t, found := e.lookupFound(c)
	if found == nil {
		return nil
	}
	at := c.at()
	is := e.arith(num.Gt, at, found, e.int(num.I64, 0, at))
	some := graph.OptionOf(graph.IndexOf(l.x.Type.Size))
	return e.choose(at, is, func() *graph.Node { return e.add(graph.Some, some, at, e.rowAt(l, t, found, at)) },
		func() *graph.Node { return e.add(graph.Nothing, some, at) })
}

func (e *elab) lookupHas(c *methodUse) *graph.Node {
	_, _, found := e.lookupFound(c)
	if found == nil {
		return nil
	}
	return e.arith(num.Gt, c.at(), found, e.int(num.I64, 0, c.at()))
}

// joinIndex is x.join(index, |r| key): the rows of x that have one in the index, each with that.
func (e *elab) joinIndex(c *methodUse) *graph.Node {
	l, t, rows := e.partnersOf(c)
	if rows == nil {
		return nil
	}
	at := c.at()
	met := e.filtered(rows, at, func(v *graph.Node) *graph.Node { return e.arith(num.Gt, at, e.get(v, 1, at), e.int(num.I64, 0, at)) })
	return e.mapEach(at, met, func(v *graph.Node) *graph.Node {
		return e.tuple(at, e.get(v, 0, at), e.at(l.x, e.rowAt(l, t, e.get(v, 1, at), at), at))
	})
}

// partnersOf is each row with what the index finds for it.
func (e *elab) partnersOf(c *methodUse) (l *lookup, t *tables, rows *graph.Node) {
	by := e.exprOrGroup(c.x.Args[0], nil)
	if by == nil {
		return nil, nil, nil
	}
	if e.of(by).group == nil || e.of(by).group.lookup == nil {
		m := e.errorf(c.x.Args[0].Where(), "T29", "`%s` takes an index here", c.x.Name.Text).Note("found %s", describeNode(e, by))
		if help := e.indexFirst(c); help != "" {
			m.Help("%s", help)
		} else {
			m.Help("let by = %s.index_by(|d| …);", e.operand(c.x.Args[0]))
		}
		return nil, nil, nil
	}
	cl := e.closureArg(c, 1, 1)
	if cl == nil {
		return nil, nil, nil
	}
	l = e.of(by).group.lookup
	find := func(v *graph.Node) *graph.Node {
		k := e.dense(e.applyClosure(cl, keyWant(l), v))
		if t = e.askFor(l, k, bodyValue(cl.Body)); t == nil {
			return nil
		}
		return e.find(l, t, k, c.at())
	}
	pair := func(v, found *graph.Node) *graph.Node {
		if found == nil {
			return nil
		}
		return e.tuple(c.at(), v, found)
	}
	if c.recv.Type.Masked {
		return l, t, e.mapEach(c.at(), c.recv, func(v *graph.Node) *graph.Node { return pair(v, find(v)) })
	}
	found := e.mapEach(c.at(), c.recv, find) // on its own, so that it can be stored: the rows need not be looked up twice
	if found == nil {
		return l, t, nil
	}
	rows = e.mapOver(c.at(), []*graph.Node{c.recv, found}, func(_ *graph.Node, v []*graph.Node) *graph.Node { return pair(v[0], v[1]) })
	return l, t, rows
}

// describeNode names what a node stands for.
func describeNode(e *elab, n *graph.Node) string {
	switch g := e.of(n).group; {
	case g == nil:
		return e.g.Declared(n.Type)
	case g.lookup != nil:
		return "an index"
	}
	return "a group"
}
