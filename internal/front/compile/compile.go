// Package compile is the whole way from source to schedule.
//
//	source --syntax--> tree --elaborate--> graph --passes--> graph --lower--> schedule
//
// [Check] goes up to checked functions. [Program.Func] makes the graph of one
// function and takes it through all passes, each verified. [Func.Bind]
// matches arguments with parameters: it opens files, finds columns, solves
// for the sizes and holds them to what the program declares. [Bound.Plan]
// lowers the graph, for the sizes and stored kinds of these arguments, to a
// schedule whose kernels are verified, and says where each of its inputs is.
//
// [Explain] keeps every stage on the way.
package compile

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/run"
)

// Program is source that has passed all checks.
type Program struct {
	Sources  []*diag.Source
	Files    []*syntax.File
	Warnings []*diag.Message

	checked *elaborate.Program
}

// Func is one function as a graph, after all passes.
type Func struct {
	Name  string
	Graph *graph.Graph
	Decl  *syntax.Func

	mu    sync.Mutex
	plans map[string]*lowered
	known engine.Recent[known]

	leaves [][]graph.Leaf // of each parameter's type
	meant  bool           // some parameter, or the result, is more than numbers
	reads  sync.Once
	read   [][]bool // which leaves of the parameters some run may read
}

// maxSource is more than any source file has, in bytes.
const maxSource = 256 << 20

// Read loads source files. Errors are *InputError.
func Read(paths ...string) ([]*diag.Source, error) {
	sources := make([]*diag.Source, 0, len(paths))
	for _, path := range paths {
		text, _, err := regular.ReadGiven(path, maxSource)
		if err != nil {
			return nil, unreadable(path, err)
		}
		sources = append(sources, diag.NewSource(path, string(text)))
	}
	return sources, nil
}

// Check parses and checks the files of a program. The error of a faulty
// program is a *SourceError with all messages.
func Check(sources ...*diag.Source) (*Program, error) { return check("", sources) }

// Ask is Check of a program whose function of that name says no result type: it has that of its body.
func Ask(name string, sources ...*diag.Source) (*Program, error) { return check(name, sources) }

func check(asked string, sources []*diag.Source) (p *Program, err error) {
	defer caught(sources, &err)
	msgs := new(diag.List)
	p = &Program{Sources: sources}
	for _, src := range sources {
		p.Files = append(p.Files, syntax.Parse(src, msgs))
	}
	for _, f := range p.Files {
		for _, item := range f.Items {
			if fn, ok := item.(*syntax.Func); ok && asked != "" && fn.Name.Text == asked {
				fn.Asked = true
			}
		}
	}
	if !msgs.Failed() { // what a broken tree means would only confuse
		p.checked = elaborate.Check(p.Files, msgs)
	}
	msgs.Sort()
	if msgs.Failed() {
		return nil, &SourceError{Messages: msgs.Messages}
	}
	p.Warnings = msgs.Messages
	return p, nil
}

// Func makes the optimised graph of a function. An empty name means the one
// that Choose finds.
func (p *Program) Func(name string) (f *Func, err error) {
	defer caught(p.Sources, &err)
	if name, err = p.Choose(name); err != nil {
		return nil, err
	}
	g, err := p.checked.Graph(name)
	if err != nil {
		return nil, failed(err)
	}
	if err := graph.Optimize(g, true); err != nil {
		return nil, bug(p.Sources, fmt.Errorf("the graph of `%s`: %w", name, err))
	}
	f = &Func{Name: name, Graph: g, Decl: p.decl(name), plans: map[string]*lowered{}}
	for i := range g.Body.Params {
		f.leaves = append(f.leaves, graph.Leaves(g.ParamType(i)))
		f.meant = f.meant || g.ParamInfo[i].Type != nil || g.ParamInfo[i].Derived != nil
	}
	return f, nil
}

// lower makes the schedule of a function for arguments whose index columns
// are stored as given and whose sizes are zero or not as given. The result
// is shared by all runs of this shape.
func (f *Func) lower(opt lower.Options) (*lowered, error) {
	key := f.shape(opt)
	f.mu.Lock()
	defer f.mu.Unlock()
	if l, ok := f.plans[key]; ok {
		return l, nil
	}
	s, err := lower.Lower(f.Graph, opt)
	if m := f.tooLarge(err); m != nil {
		return nil, &SourceError{Messages: []*diag.Message{m}}
	}
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot be lowered: %w", f.Name, err)
	}
	f.others(s)
	l := newLowered(f.Graph, s)
	f.plans[key] = l
	return l, nil
}

// others has schedules that give the same as s be made as those of the function.
func (f *Func) others(s *schedule.Schedule) {
	if f.bounded() {
		s.Shared = nil // which takes more memory than its bound was held against
	}
	s.Shared, s.Again = f.other(s.Shared), f.other(s.Again)
}

// other makes another schedule of the function, if there is one, when somebody asks for it.
func (f *Func) other(lower func() (*schedule.Schedule, error)) func() (*schedule.Schedule, error) {
	if lower == nil {
		return nil
	}
	return sync.OnceValues(func() (*schedule.Schedule, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		s, err := lower()
		if err != nil {
			return nil, err
		}
		dropUnread(s)
		f.others(s)
		return s, nil
	})
}

// bounded reports that the function bounds its memory.
func (f *Func) bounded() bool {
	return slices.ContainsFunc(f.Graph.Ensures, func(e graph.Ensure) bool { return e.What == "mem" })
}

// lowered is a schedule and which leaves of the parameters it reads.
type lowered struct {
	schedule *schedule.Schedule
	program  *run.Program
	used     [][]bool // by parameter and leaf
}

// shape is all that lowering depends on besides the graph.
func (f *Func) shape(opt lower.Options) string {
	var b strings.Builder
	if opt.Partials {
		b.WriteString("partials ")
	}
	if opt.Short {
		b.WriteString("short ")
	}
	if opt.Brief {
		b.WriteString("brief ")
	}
	for i, leaves := range f.leaves {
		for j, leaf := range leaves {
			if leaf.Type.Kind == graph.Index {
				b.WriteByte(byte('a' + opt.Stored(i, j)))
			}
		}
	}
	for _, s := range f.Graph.Sizes {
		if opt.NonZero(s.Name) {
			b.WriteString(" " + s.Name)
		}
	}
	return b.String()
}

// theirs is a panic of what the caller gave, which is no bug of the compiler.
type theirs struct{ value any }

// caught turns a panic of the compiler into an error that asks for a report.
func caught(sources []*diag.Source, err *error) {
	p := recover()
	if t, ok := p.(theirs); ok {
		panic(t.value)
	}
	if p != nil {
		e := bug(sources, fmt.Errorf("%v", p))
		e.Stack = string(debug.Stack())
		*err = e
	}
}
