package compile

import (
	"github.com/godwit-run/godwit/internal/data"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// Signature is the head of the function as written, on one line.
func (f *Func) Signature() string {
	if f.Decl == nil || f.Decl.Body == nil || f.Graph.Source == nil {
		return "fn " + f.Name
	}
	text := f.Graph.Source.Text
	from, to := f.Decl.Name.Span.Start, f.Decl.Body.Span.Start
	if from > to || to > len(text) {
		return "fn " + f.Name
	}
	var words []string
	for line := range strings.Lines(text[from:to]) {
		line, _, _ = strings.Cut(line, "//")
		words = append(words, strings.Fields(line)...)
	}
	return "fn " + strings.TrimSuffix(strings.Join(words, " "), ",")
}

// Example is a command line that would run the function.
func (f *Func) Example() string {
	words := []string{"godwit run", f.Graph.Source.Path + ":" + f.Name}
	for i := range f.Graph.Given() {
		words = append(words, f.info(i).Name+"="+exampleOf(f.Graph.ParamType(i)))
	}
	for _, name := range f.unfixed() {
		words = append(words, name+"=8")
	}
	return strings.Join(words, " ")
}

// unfixed lists the declared sizes that no parameter's type speaks of. Others, as how many texts a dictionary has, dict(r.name), are nobody's to give.
func (f *Func) unfixed() []string {
	fixed := map[string]bool{}
	for _, p := range f.Graph.Body.Params {
		for _, leaf := range graph.Leaves(p.Type) {
			for _, d := range leaf.Dims {
				for _, v := range d.Vars() {
					fixed[v] = true
				}
			}
		}
	}
	var out []string
	for _, s := range f.Graph.Sizes {
		if !fixed[s.Name] && !strings.Contains(s.Name, "(") {
			out = append(out, s.Name)
		}
	}
	return out
}

// exampleOf is an argument of a type as a command line has it.
func exampleOf(t *graph.Type) string {
	switch t.Kind {
	case graph.Array:
		if _, fixed := t.Size.Const(); fixed && t.Elem().IsScalar() {
			return "'[…]'"
		}
		if t.Elem().Kind == graph.Tuple {
			return "FILE.parquet"
		}
		if t.Elem().Means.Sort != meaning.None {
			return "FILE.csv"
		}
		return "FILE.npy"
	case graph.Tuple:
		return "'" + exampleLiteral(t) + "'"
	}
	return exampleLiteral(t)
}

func exampleLiteral(t *graph.Type) string {
	switch t.Kind {
	case graph.Array:
		return "[" + exampleLiteral(t.Elem()) + ", …]"
	case graph.Option:
		return "None"
	case graph.Tuple:
		parts := make([]string, len(t.Elems))
		for i, e := range t.Elems {
			parts[i] = exampleLiteral(e)
			if len(t.Names) > 0 {
				parts[i] = t.Names[i] + ": " + parts[i]
			}
		}
		if len(t.Names) > 0 {
			return "{" + strings.Join(parts, ", ") + "}"
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	switch m := t.Means; {
	case m.Sort == meaning.Text:
		return "SFO"
	case m.Sort != meaning.None:
		return m.Form()[strings.LastIndexByte(m.Form(), ' ')+1:]
	case t.KindOf().IsFloat():
		return "1.0"
	case t.KindOf().IsInt():
		return "1"
	}
	return "true"
}

// goExampleOf is an argument of the type, in Go.
func goExampleOf(t *graph.Type) string {
	if t.IsScalar() && t.Means.Sort == meaning.None {
		return exampleOf(t) // a number or bool of Go
	}
	text := strings.Trim(exampleOf(t), "'") // which a shell needs
	if _, ok, _ := data.ParseSpec(text); ok {
		return "godwit.File(" + strconv.Quote(text) + ")"
	}
	return "godwit.Text(" + strconv.Quote(text) + ")"
}
