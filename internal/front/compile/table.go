package compile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// tabular is an argument that lies in columns of a source.
type tabular struct {
	declared
	src  data.Source
	cols []leaf
	eqs  []*equation
}

func (t *tabular) equations() []*equation        { return t.eqs }
func (t *tabular) leaves(*sizes) ([]leaf, error) { return t.cols, nil }

// tableOf finds the columns of a source that a parameter's type asks for: the
// fields of a record by name, the parts of a tuple in order, and anything
// else in the one column that there is, that column names, or that is called
// like the parameter.
func tableOf(ctx context.Context, d declared, src data.Source, column string) (binding, error) {
	switch {
	case d.typ.Kind == graph.Tuple && hasArray(d.typ):
		return nil, refuse(d.Name, "declare one parameter for each part", "argument `%s` is declared %s, which no single file can hold", d.Name, d.text())
	case d.typ.Kind != graph.Array:
		return loneOf(ctx, d, src, column)
	}
	t := &tabular{declared: d, src: src}
	t.equate(&equation{poly: d.typ.Size, got: src.Rows(), says: t.rows})
	wants := d.all
	for j := range wants {
		l := t.find(wants, j, column)
		if l.missing != nil && (len(wants[j].Dims) > 1 || named(wants[j], d.typ)) {
			return nil, l.missing // sizes depend on it, or the file is not the one that is meant
		}
		if l.missing == nil {
			if err := t.shape(&wants[j], &l); err != nil {
				return nil, err
			}
		}
		t.cols = append(t.cols, l)
	}
	return t, nil
}

// named reports a field of a record, which a table has under its name, whether the function uses it or not: a table without it is
// another one, or the field is misspelt.
func named(want graph.Leaf, t *graph.Type) bool {
	for t.Kind == graph.Array || t.Kind == graph.Option {
		t = t.Elem()
	}
	return want.Path != "" && len(t.Names) > 0
}

func hasArray(t *graph.Type) bool {
	if t.Kind == graph.Array {
		return true
	}
	for _, e := range t.Elems {
		if hasArray(e) {
			return true
		}
	}
	return false
}

func (t *tabular) equate(e *equation) {
	e.arg, e.typ = t.Name, t.text()
	t.eqs = append(t.eqs, e)
}

// rows says how many there are.
func (t *tabular) rows() string {
	if t.src.Format() == "memory" {
		return fmt.Sprintf("`%s` has %s", t.Name, diag.Counted(t.src.Rows(), "element"))
	}
	return fmt.Sprintf("%s has %s", t.src.Path(), diag.Counted(t.src.Rows(), "row"))
}

// find picks the column of leaf j.
func (t *tabular) find(wants []graph.Leaf, j int, column string) leaf {
	path := wants[j].Path
	l := leaf{src: t.src, presence: wants[j].Presence, option: wants[j].Optional}
	if l.presence && !slices.ContainsFunc(wants[j+1:], func(w graph.Leaf) bool { return w.Optional && w.Path == path }) {
		l.missing = refuse(t.Name, "declare its fields as Option<T> one by one", "argument `%s` is declared %s: a table cannot hold an Option of a record", t.Name, t.text())
		return l
	}
	elem := t.typ.Elem()
	for elem.Kind == graph.Array || elem.Kind == graph.Option {
		elem = elem.Elem()
	}
	switch {
	case path == "":
		l.column, l.missing = t.single(column)
	case column != "":
		l.missing = refuse(t.Name, "leave `#"+column+"` out", "argument `%s` is declared %s, whose fields choose their columns by name", t.Name, t.text())
	case len(elem.Names) == 0:
		l.column, l.missing = t.nth(wants, j)
	default:
		name := strings.TrimPrefix(path, ".")
		if l.column, l.missing = t.named(name); l.missing != nil && (wants[j].Presence || wants[j].Optional || t.src.Rows() == 0) {
			if i, ok := data.Absent(t.src, name, declaredNames(wants)); ok {
				l.column, l.missing = i, nil
			}
		}
	}
	return l
}

// declaredNames are the names of the columns that are wanted.
func declaredNames(wants []graph.Leaf) []string {
	names := make([]string, len(wants))
	for i, w := range wants {
		names[i] = strings.TrimPrefix(w.Path, ".")
	}
	return names
}

func (t *tabular) named(name string) (int, error) {
	i, err := data.Lookup(t.src, name)
	if err != nil {
		return 0, about(t.Name, err)
	}
	return i, nil
}

// nth is the column for a part of a tuple: presence flags have none of their
// own.
func (t *tabular) nth(wants []graph.Leaf, j int) (int, error) {
	at, parts := 0, 0
	for i, w := range wants {
		if w.Presence {
			continue
		}
		if i < j {
			at++
		}
		parts++
	}
	if n := len(t.src.Columns()); n != parts {
		return 0, refuse(t.Name, "declare a record, whose fields find their columns by name", "argument `%s` is declared %s, but %s has %s", t.Name, t.text(), t.src.Path(), diag.Counted(int64(n), "column"))
	}
	return at, nil
}

// single is the column for an array that is no table.
func (t *tabular) single(column string) (int, error) {
	cols := t.src.Columns()
	if column != "" {
		return t.named(column)
	}
	if len(cols) == 1 {
		return 0, nil
	}
	for i, c := range cols {
		if c.Name == t.Name {
			return i, nil
		}
	}
	names, what := t.fitting()
	if flat := !slices.ContainsFunc(cols, func(c data.Column) bool { return len(c.Dims) > 0 }); flat && t.typ.Elem().Kind == graph.Array {
		one := "(" + strings.TrimSuffix(strings.Repeat("f64, ", min(len(cols), 20)), ", ") + ")"
		help := "declare it as an array of tuples, such as &[" + one + "; N], or of records, whose fields find their columns by name; an array of two dimensions can be an NPY file"
		return 0, refuse(t.Name, help, "argument `%s` is declared %s, but %s is a table: its %s are no dimension", t.Name, t.text(), t.src.Path(), diag.Counted(int64(len(cols)), "column"))
	}
	e := refuse(t.Name, "", "argument `%s` is declared %s, but %s has %s and none is called `%s`", t.Name, t.text(), t.src.Path(), diag.Counted(int64(len(cols)), "column"), t.Name)
	if len(names) > 0 {
		e.Help = fmt.Sprintf("choose one, such as '%s=%s#%s'; those with %s are %s", t.Name, t.src.Path(), names[0], what, quoted(names[:min(len(names), 20)]))
	}
	return 0, e
}

// fitting are the columns that an array without fields may be, and what they have.
func (t *tabular) fitting() (names []string, what string) {
	text := slices.ContainsFunc(t.all, func(l graph.Leaf) bool { return l.Type.Means.Sort == meaning.Text })
	for _, c := range t.src.Columns() {
		is := c.Means.Sort == meaning.Text // which has a kind, that of its numbers, in data sets
		switch {
		case !text && c.Kind.Valid() && !is, text && (is || t.src.Format() == "csv"), text && t.src.Format() == "jsonl" && !c.Kind.Valid():
			names = append(names, c.Name)
		}
	}
	if text {
		return names, "text"
	}
	return names, "numbers"
}

// shape compares the dimensions of a row and notes what they say about sizes.
func (t *tabular) shape(want *graph.Leaf, l *leaf) error {
	col := &t.src.Columns()[l.column]
	dims := col.Dims
	if l.presence {
		if len(want.Dims) > 1 {
			l.missing = refuse(t.Name, "declare the elements without Option", "argument `%s` is declared %s: in a file only whole rows can be null", t.Name, t.text())
		}
		return nil
	}
	if len(dims) != len(want.Dims)-1 {
		return t.badRank(want, col)
	}
	for k, n := range dims {
		t.equate(&equation{poly: want.Dims[k+1], got: n, says: func() string { return along(t.place(col), k+1, n) }})
	}
	return nil
}

func (t *tabular) badRank(want *graph.Leaf, col *data.Column) error {
	shape := []string{diag.Prose(t.src.Rows())}
	for _, n := range col.Dims {
		shape = append(shape, diag.Prose(n))
	}
	help := "declare it as [" + want.Type.String() + "; N"
	for k := range col.Dims {
		help += ", " + string(rune('M'+k%10))
	}
	return refuse(t.Name, help+"]", "argument `%s` is declared %s, which has %s, but %s has the shape %s",
		t.Name, t.text(), diag.Counted(int64(len(want.Dims)), "dimension"), t.place(col), strings.Join(shape, " × "))
}

// place names a column in messages.
func (t *tabular) place(col *data.Column) string {
	if t.src.Format() == "memory" {
		return "`" + t.Name + "`"
	}
	if col.Name == "" {
		return t.src.Path()
	}
	return t.src.Path() + "#" + col.Name
}

// loneOf reads the scalars of a parameter that is no array from a source of
// one row.
func loneOf(ctx context.Context, d declared, src data.Source, name string) (binding, error) {
	if src.Rows() != 1 {
		return nil, refuse(d.Name, fmt.Sprintf("give one value, such as %s=%s", d.Name, quoteShell(exampleLiteral(d.typ))),
			"argument `%s` is declared %s, which is one value, but %s has %s", d.Name, d.text(), src.Path(), diag.Counted(src.Rows(), "row"))
	}
	typ := graph.ArrayOf(d.typ, oneRow)
	row := declared{d.ParamInfo, typ, graph.Leaves(typ)}
	b, err := tableOf(ctx, row, src, name)
	if err != nil {
		return nil, err
	}
	t := b.(*tabular)
	m := &inMemory{declared: d}
	for j, l := range graph.Leaves(row.typ) {
		if t.cols[j].missing != nil {
			return nil, t.cols[j].missing
		}
		c, err := loneValue(ctx, l, t.cols[j])
		if err != nil {
			return nil, about(d.Name, err)
		}
		m.columns = append(m.columns, column.Column{Kind: c.Kind, Data: c.Data})
	}
	return m, nil
}

// loneValue reads one value. The source may be the caller's, and panic.
func loneValue(ctx context.Context, l graph.Leaf, from leaf) (column.Column, error) {
	defer func() {
		if v := recover(); v != nil {
			panic(theirs{v})
		}
	}()
	c, _, err := loadColumn(ctx, l, boundedLeaf{leaf: from}, []int64{1})
	return c, err
}
