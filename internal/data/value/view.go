package value

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// view is a part of a value: the columns of its type, of which the outer
// depth dimensions are fixed to one place, whose number in row-major order is
// index.
type view struct {
	t     *graph.Type
	cols  []column.Column
	depth int
	index int64
}

func whole(v *Value) view { return view{t: v.Type, cols: v.Columns} }

// len is the number of elements of an array. One without any column (its
// elements are empty tuples) shows none.
func (v view) len() int64 {
	if len(v.cols) == 0 {
		return 0
	}
	return v.cols[0].Dims[v.depth]
}

// elem is element i of an array.
func (v view) elem(i int64) view {
	return view{v.t.Elem(), v.cols, v.depth + 1, v.index*v.len() + i}
}

// field is field i of a tuple.
func (v view) field(i int) view {
	from := 0
	for _, e := range v.t.Elems[:i] {
		from += len(graph.Leaves(e))
	}
	e := v.t.Elems[i]
	return view{e, v.cols[from : from+len(graph.Leaves(e))], v.depth, v.index}
}

// present tells whether an Option has a value, inner is that value.
func (v view) present() bool { return v.cols[0].At(v.index) != 0 }
func (v view) inner() view   { return view{v.t.Elem(), v.cols[1:], v.depth, v.index} }

// bits is the value of a scalar.
func (v view) bits() uint64 { return v.cols[0].At(v.index) }

// text is a scalar in source form.
func (v view) text() string {
	switch m := v.t.Means; m.Sort {
	case meaning.None:
		return column.Text(v.cols[0].Kind, v.bits())
	case meaning.Text:
		return quoted(v.words())
	default:
		return string(m.Append(nil, int64(v.bits())))
	}
}

// words is the text that a scalar is the number of.
func (v view) words() string {
	if code, all := v.bits(), v.cols[0].Texts; code < uint64(len(all)) {
		return all[code]
	}
	return ""
}

var quotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

func quoted(text string) string { return `"` + quotes.Replace(text) + `"` }
