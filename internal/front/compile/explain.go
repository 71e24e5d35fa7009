package compile

import (
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Explanation is every stage of a function on its way from source to
// schedule, in words and numbers. With arguments, the polynomials have values.
type Explanation struct {
	File      string       `json:"file"`
	Function  string       `json:"function"`
	Signature string       `json:"signature"`
	Doc       string       `json:"doc,omitempty"`
	Sizes     []SizeNote   `json:"sizes"`
	Params    []ParamNote  `json:"params"`
	Result    ResultNote   `json:"result"`
	Stages    []Stage      `json:"stages"`
	Folds     []FoldNote   `json:"folds"`
	Buffers   []BufferNote `json:"buffers"`
	Kernels   []KernelNote `json:"kernels"`
	Schedule  []StepNote   `json:"schedule"`
	Strategy  []string     `json:"strategy"`
}

// SizeNote is a declared size.
type SizeNote struct {
	Name     string `json:"name"`
	Lo       int64  `json:"lo"`
	Hi       int64  `json:"hi"`
	Declared bool   `json:"declared"`
	Expected int64  `json:"expected,omitempty"`
	Value    *int64 `json:"value,omitempty"`
	From     string `json:"from,omitempty"` // which argument says so
}

// ParamNote is a parameter with its columns.
type ParamNote struct {
	Name    string       `json:"name"`
	Type    string       `json:"type"`
	Place   string       `json:"place,omitempty"`
	Range   string       `json:"range,omitempty"`
	Columns []ColumnNote `json:"columns"`
}

// ColumnNote is one scalar leaf of a parameter.
type ColumnNote struct {
	Path   string `json:"path,omitempty"`
	Type   string `json:"type"`
	Length string `json:"length"`
	Used   bool   `json:"used"`
	From   string `json:"from,omitempty"` // the file and its stored type
}

// ResultNote is the result.
type ResultNote struct {
	Type  string `json:"type"`
	Place string `json:"place,omitempty"`
}

// Stage is the graph after a pass.
type Stage struct {
	Name  string `json:"name"`
	Graph string `json:"graph"`
}

// FoldNote says what is known about a fold of the final graph.
type FoldNote struct {
	Operation string `json:"operation"`
	Law       string `json:"law"`
}

// Explain takes a function through all stages and keeps each. Without
// arguments, nothing is known about sizes but what the program declares.
func (p *Program) Explain(name string, args Args) (e *Explanation, err error) {
	defer caught(p.Sources, &err)
	f, err := p.Func(name)
	if err != nil {
		return nil, err
	}
	var b *Bound
	if len(args) > 0 {
		if b, err = f.Bind(args); err != nil {
			return nil, err
		}
		defer b.Close()
	}
	x := &explainer{f: f, b: b}
	if x.low, err = x.lower(); err != nil {
		return nil, err
	}
	e = &Explanation{File: f.Graph.Source.Path, Function: f.Name, Signature: f.Signature()}
	e.Doc = p.doc(f.Name)
	if e.Stages, err = p.stages(f.Name); err != nil {
		return nil, err
	}
	e.Sizes, e.Params, e.Folds = x.sizes(), x.params(), folds(f.Graph)
	e.Result = ResultNote{f.Graph.Declared(f.Graph.ResultType()), f.Graph.ResultPlace.String()}
	e.Buffers, e.Schedule = x.buffers(), x.schedule()
	if e.Kernels, err = x.kernels(); err != nil {
		return nil, err
	}
	e.Strategy = append([]string{fusing, residence}, x.low.schedule.Strategy...)
	return e, nil
}

// The rules by which schedules come about; see packages lower and run.
const (
	fusing = "A map or filter is fused into the operation that walks over it, unless it is needed in several walks and dear, or is indexed at random. " +
		"Every reduction, keyed reduction and sequential operation is a kernel of its own, and reductions that walk over the same slots at the same time share one. " +
		"A map that is stored is folded by the kernel that stores it, and takes the place of an array that nobody reads afterwards; a loop changes such an array where it lies."
	residence = "An argument that every kernel reads in order passes through memory in windows, if it is too large for memory or read only once or twice. " +
		"Any other is brought into memory whole for as long as it is needed. WebAssembly reaches 2.5 GiB of such arrays; where one call needs more, native code is waited for, " +
		"and without a compiler the steps that read the rest are interpreted. Columns that no kernel reads are not read at all."
)

// explainer explains a function, with its arguments if there are any.
type explainer struct {
	f   *Func
	b   *Bound
	low *lowered
}

func (x *explainer) lower() (*lowered, error) {
	if x.b != nil {
		return x.b.lower()
	}
	stored := func(param, j int) num.Kind {
		return graph.Leaves(x.f.Graph.Body.Params[param].Type)[j].Type.KindOf()
	}
	return x.f.lower(lower.Options{Stored: stored, NonZero: func(string) bool { return false }, Verify: verify.Check})
}

func (p *Program) doc(name string) string {
	for _, f := range p.checked.Funcs() {
		if f.Name == name {
			return strings.TrimSpace(f.Doc)
		}
	}
	return ""
}

// stages makes the graph again and prints it after each pass.
func (p *Program) stages(name string) ([]Stage, error) {
	g, err := p.checked.Graph(name)
	if err != nil {
		return nil, failed(err)
	}
	list := []Stage{{"elaborate", graph.Print(g)}}
	for _, pass := range graph.Passes {
		pass.Run(g)
		if err := graph.Verify(g); err != nil {
			return nil, bug(p.Sources, fmt.Errorf("after %s: %w", pass.Name, err))
		}
		list = append(list, Stage{pass.Name, graph.Print(g)})
	}
	return list, nil
}

func (x *explainer) sizes() []SizeNote {
	var list []SizeNote
	for _, s := range x.f.Graph.Sizes {
		n := SizeNote{Name: s.Name, Lo: s.Lo, Hi: s.Hi, Declared: s.Declared, Expected: s.Expected}
		if x.b != nil {
			if v, ok := x.b.sizes.value(s.Name); ok {
				n.Value, n.From = &v, x.b.sizes.reason(s.Name)
			}
		}
		list = append(list, n)
	}
	return list
}

func (x *explainer) params() []ParamNote {
	var list []ParamNote
	for i, p := range x.f.Graph.Body.Params[:x.f.Graph.Given()] {
		d := declared{x.f.info(i), x.f.Graph.ParamType(i), x.f.leaves[i]}
		n := ParamNote{Name: d.Name, Type: d.text(), Place: d.Place.String()}
		if d.Ranged {
			n.Range = fmt.Sprintf("%s..=%s", diag.Literal(d.Lo), diag.Literal(d.Hi))
		}
		for j, l := range graph.Leaves(p.Type) {
			c := ColumnNote{Path: strings.TrimPrefix(l.Label(), "."), Type: l.Type.String(), Used: len(l.Dims) == 0 || x.low.used[i][j]}
			c.Length = x.amount(product(l.Dims))
			if x.b != nil && x.b.params[i][j].src != nil && x.b.params[i][j].missing == nil {
				from := x.b.params[i][j]
				c.From = fmt.Sprintf("%s as %s", from.src.Path(), from.src.Columns()[from.column].Stored)
			}
			n.Columns = append(n.Columns, c)
		}
		list = append(list, n)
	}
	return list
}

// folds lists the reductions of a graph with their laws, and the folds that
// have none with the reason.
func folds(g *graph.Graph) []FoldNote {
	var list []FoldNote
	g.Body.Walk(func(n *graph.Node) bool {
		note := FoldNote{Operation: n.Op.String()}
		switch {
		case n.Op == graph.Reduce:
			note.Operation = n.Monoid.String()
			note.Law = n.Monoid.Law(n.Monoid.Kind(n.Args[0].Type.Elem())).String() + ofProducts(g, n)
		case n.Op == graph.KeyedReduce:
			note.Operation = n.Monoid.String() + " by key"
			note.Law = n.Monoid.Law(graph.Leaves(n.Blocks[0].Results[1].Type)[0].Type.KindOf()).String()
		case n.Reason != "":
			note.Law = "in order: " + n.Reason
		default:
			return true
		}
		if n.Name != "" {
			note.Operation += " (`" + n.Name + "`)"
		}
		line, _ := g.Source.Position(n.Pos.Start)
		note.Operation += fmt.Sprintf(" on line %d", line)
		list = append(list, note)
		return true
	})
	return list
}
