package compile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// inMemory is an argument whose columns are in memory.
type inMemory struct {
	declared
	columns []column.Column
	orders  *column.Orders // of columns of text; nil if nothing keeps them
	shown   []*equation
}

func (m *inMemory) equations() []*equation { return m.shown }

// literalOf reads a literal. Its sizes are found out from the text alone, so
// that arguments that do not fit together are explained in one place. A text without quotes is taken as a whole.
func literalOf(d declared, text string) (binding, error) {
	learned := map[string]int64{}
	names := map[string]size.Poly{}
	v, err := value.ParseLiteral(plain(d.typ, text), open(d.typ, names), learned)
	if err != nil {
		return nil, badLiteral(d, text, err)
	}
	m := &inMemory{declared: d, columns: v.Columns}
	for name, n := range learned {
		p, ok := names[name]
		if !ok {
			continue
		}
		m.shown = append(m.shown, &equation{poly: p, got: n, arg: d.Name, says: func() string { return d.shows(p, n) }, typ: d.text()})
	}
	return m, nil
}

// shows says that a size of the parameter is n here.
func (d declared) shows(p size.Poly, n int64) string {
	if d.typ.Kind == graph.Array && d.typ.Size.Equal(p) {
		return fmt.Sprintf("`%s` has %s", d.Name, diag.Counted(n, "element"))
	}
	return fmt.Sprintf("in `%s`, %s is %s", d.Name, p, diag.Prose(n))
}

// along says that dimension k, from 0, of something has the length n.
func along(what string, k int, n int64) string {
	switch k {
	case 0:
		return what + " has " + diag.Counted(n, "element")
	case 1:
		return "a row of " + what + " has " + diag.Counted(n, "element")
	}
	return fmt.Sprintf("dimension %d of %s is %s", k+1, what, diag.Prose(n))
}

// open makes every size that is no number a plain name, so that the literal
// tells its value whatever it is.
func open(t *graph.Type, names map[string]size.Poly) *graph.Type {
	if t.Kind == graph.Scalar || t.Kind == graph.Index {
		return t
	}
	u := *t
	u.Elems = make([]*graph.Type, len(t.Elems))
	for i, e := range t.Elems {
		u.Elems[i] = open(e, names)
	}
	if _, fixed := t.Size.Const(); t.Kind == graph.Array && !fixed {
		names[t.Size.String()] = t.Size
		u.Size = size.Var(t.Size.String())
	}
	return &u
}

func badLiteral(d declared, text string, err error) error {
	shown, where := text, ""
	var at *value.LiteralError
	if errors.As(err, &at) && at.At < len(text) && len(text) > 40 {
		from := max(0, at.At-15)
		shown, where = "…"+text[from:min(len(text), at.At+20)]+"…", fmt.Sprintf(" at column %d", at.At+1)
	}
	why := err.Error()
	if at != nil {
		why = at.Text
	}
	help := fmt.Sprintf("write a value such as %s=%s", d.Name, quoteShell(exampleLiteral(d.typ)))
	if isText(d.typ) {
		help = quotedHelp(d, text)
		if d.typ.Kind == graph.Option {
			help = "write " + d.Name + "=None for none; " + help
		}
	}
	if d.typ.Kind == graph.Array {
		help += ", or a file such as " + d.Name + "=" + strings.Trim(exampleFile(d.typ), "'")
		if !strings.ContainsAny(text, "[]{}(), \t\n") {
			help += "; a file's name ends in its format, or has a /"
			if near := data.NearFile(text); near != "" {
				help = "did you mean `" + near + "`? " + help
			}
		}
	}
	e := refuse(d.Name, help, "argument `%s` is declared %s, and `%s` is none%s: %s", d.Name, d.text(), shown, where, why)
	e.Err = err
	return e
}

func exampleFile(t *graph.Type) string {
	if t.Elem().Kind == graph.Tuple {
		return "FILE.parquet"
	}
	return "FILE.npy"
}

func quoteShell(s string) string {
	if strings.ContainsAny(s, " []{}()") {
		return "'" + s + "'"
	}
	return s
}

// valueOf takes an argument that is in memory already.
func valueOf(d declared, v *value.Value, orders *column.Orders) (binding, error) {
	want := d.all
	if v == nil || len(v.Columns) != len(want) {
		return nil, refuse(d.Name, "", "argument `%s` is declared %s; the value has other columns", d.Name, d.text())
	}
	m := &inMemory{declared: d, columns: v.Columns, orders: orders}
	of := typed(v)
	for j, l := range want {
		c := v.Columns[j]
		isIndex := l.Type.Kind == graph.Index && c.Kind.IsInt()
		if means := meansOf(of, j); c.Kind.IsInt() && means != l.Type.Means.Sort && means != meaning.None || l.Type.Means.Sort == meaning.Text && c.Texts == nil && means != meaning.Text && len(c.Data) > 0 {
			return nil, refuse(d.Name, "", "argument `%s`%s is declared %s, found %s", d.Name, in(l.Path), l.Type, foundIn(v, of, j))
		}
		if c.Kind != l.Type.KindOf() && !isIndex {
			return nil, refuse(d.Name, "", "argument `%s`%s is declared %s, found %s", d.Name, in(l.Path), l.Type, c.Kind)
		}
		if j < len(of) && of[j].Presence != l.Presence {
			return nil, refuse(d.Name, "", "argument `%s` is declared %s, found %s", d.Name, d.text(), v.Type)
		}
		if len(c.Dims) != len(l.Dims) {
			return nil, refuse(d.Name, "", "argument `%s`%s has %s, but is declared %s", d.Name, in(l.Path), diag.Counted(int64(len(c.Dims)), "dimension"), d.text())
		}
		for k, p := range l.Dims {
			if c.Dims[k] < 0 {
				continue // nothing shows it: it is inside of an array without elements
			}
			m.shown = append(m.shown, &equation{poly: p, got: c.Dims[k], arg: d.Name, says: func() string { return along("`"+d.Name+"`", k, c.Dims[k]) }, typ: d.text()})
		}
	}
	return m, nil
}

// typed are the leaves of a value's type; none where that is not known.
func typed(v *value.Value) []graph.Leaf {
	if v.Type == nil {
		return nil
	}
	return graph.Leaves(v.Type)
}

// meansOf is what leaf j of a value stands for.
func meansOf(of []graph.Leaf, j int) meaning.Sort {
	if j < len(of) {
		return of[j].Type.Means.Sort
	}
	return meaning.None
}

func foundIn(v *value.Value, of []graph.Leaf, j int) string {
	if s := meansOf(of, j); s != meaning.None {
		return s.String()
	}
	return v.Columns[j].Kind.String()
}

// in names a part of an argument.
func in(path string) string {
	if path == "" {
		return ""
	}
	return ", part `" + strings.Trim(path, ".") + "`,"
}

func (m *inMemory) leaves(s *sizes) ([]leaf, error) {
	var out []leaf
	for j, l := range m.all {
		c := m.columns[j]
		if len(l.Dims) == 0 {
			out = append(out, leaf{bits: c.At(0)})
			continue
		}
		if err := m.checkIndices(l, c, s); err != nil {
			return nil, err
		}
		col := data.Column{Name: strings.TrimPrefix(l.Label(), "."), Kind: c.Kind, Stored: c.Kind.String()}
		rows, width := int64(0), int64(1)
		for k, p := range l.Dims {
			n, ok := s.eval(p)
			switch {
			case !ok:
				return nil, refuse(m.Name, "", "the size %s of argument `%s` is not known", p, m.Name)
			case k == 0:
				rows = n
			default:
				col.Dims = append(col.Dims, n)
				width *= n
			}
		}
		src := data.FromBytes("argument `"+m.Name+"`", []data.Column{col}, rows, [][]byte{c.Data}, nil)
		out = append(out, leaf{src: src})
	}
	return out, nil
}

// checkIndices holds indices to their bound.
func (m *inMemory) checkIndices(l graph.Leaf, c column.Column, s *sizes) error {
	if l.Type.Kind != graph.Index || l.Type.Means.Sort == meaning.Text { // whose codes were given with their dictionary
		return nil
	}
	bound, ok := s.eval(l.Type.Bound)
	if !ok {
		return nil
	}
	if i := c.Beyond(uint64(max(bound, 0))); i >= 0 {
		return refuse(m.Name, fmt.Sprintf("every element must lie in 0..%s", l.Type.Bound),
			"element %d of argument `%s`%s is %s, but `%s` is below %s = %s", i, m.Name, in(l.Path), column.Text(c.Kind, c.At(i)), l.Type, l.Type.Bound, diag.Prose(bound))
	}
	return nil
}
