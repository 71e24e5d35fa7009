package elaborate

import (
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: text for a variable that keeps another dictionary. Out: what can be done. A variable that changes once is a
// choice in one expression. What changes from turn to turn can be an Option that begins as None, which every column has; text of
// the program, and of another column, has no place in it.

// otherDictHelp is the help where text is found and text of another dictionary is wanted.
func (e *elab) otherDictHelp(found, want *graph.Type) string {
	const keeps = "a variable keeps the dictionary of its first value. "
	none := e.noneOf(found)
	switch {
	case e.once:
		return "a variable keeps the dictionary of its first value; choose in one expression:\nlet s = if … { … } else { … };"
	case e.ofProgram(found) && e.ofProgram(want):
		return keeps + "Let it be a number or a bool, and choose the text by that at the end"
	case e.ofProgram(found):
		return keeps + "Let it be an Option: Some(…) of the column, None in place of this text, and .or(…) with this text at the end"
	case !e.ofProgram(want):
		return keeps + "No variable has texts of two columns: let it be the number of a row, an i64, and take the text of that row at the end"
	case none == "":
		none = "rows.get(-1).map(|r| r.name)"
	}
	return keeps + "Let it be Some(…) of the column later, take .or(\"\") at the end, and let it begin as None of the column:\n" + none
}

// ofProgram reports text that is written in the program.
func (e *elab) ofProgram(t *graph.Type) bool {
	return types.IsSort(t, meaning.Text) && t.Means.Dict > 0 && e.g.Dict(t.Means.Dict).Texts != nil
}

// noneOf is an expression for None of the column that text is of; "" where that is no column of rows at hand, or has Options itself.
func (e *elab) noneOf(t *graph.Type) string {
	if t.Means.Dict == 0 {
		return ""
	}
	name, _ := e.g.Dict(t.Means.Dict).Size.IsVar()
	path, ok := strings.CutPrefix(strings.TrimSuffix(name, ")"), "dict(")
	param, fields, _ := strings.Cut(path, ".")
	i := slices.IndexFunc(e.vars, func(v variable) bool { return v.name == param && v.n != nil && v.n.Type.Kind == graph.Array })
	if !ok || i < 0 {
		return ""
	}
	elem := e.vars[i].n.Type.Elem()
	for field := range strings.SplitSeq(fields, ".") {
		if k := types.FieldIndex(elem, field); k >= 0 && elem.Kind == graph.Tuple {
			elem = elem.Elems[k]
		}
	}
	none := param + ".get(-1)"
	if fields != "" {
		none += ".map(|r| r." + fields + ")"
	}
	switch {
	case elem.Equal(t):
		return none
	case elem.Kind == graph.Option && elem.Elem().Equal(t):
		return none + ".or(None)"
	}
	return ""
}
