// Package difftest holds engines against the interpreter: it takes a random
// program the whole way and compares bits, or faults.
package difftest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/run"
)

// weaves are how many iterations that follow references are under way, by the number of threads.
var weaves = []int{-1, 3, 64}

// Case is a program ready to run.
type Case struct {
	Program *progen.Program
	Graph   *graph.Graph
	Plan    *schedule.Schedule
	args    []*value.Value
	inputs  *run.Inputs
}

// Prepare compiles a program; every error is one of the compiler's, for the
// program is well typed.
func Prepare(p *progen.Program) (*Case, error) {
	var msgs diag.List
	file := syntax.Parse(diag.NewSource("random.gw", p.Source), &msgs)
	if err := msgs.Err(); err != nil {
		return nil, err
	}
	prog := elaborate.Check([]*syntax.File{file}, &msgs)
	if err := msgs.Err(); err != nil {
		return nil, err
	}
	g, err := prog.Graph("f")
	if err != nil {
		return nil, err
	}
	if err := graph.Optimize(g, true); err != nil {
		return nil, fmt.Errorf("after a pass: %w", err)
	}
	c := &Case{Program: p, Graph: g}
	if err := c.bind(); err != nil {
		return nil, err
	}
	c.Plan, err = lower.Lower(g, lower.Options{
		Short:   len(p.Source)%2 == 0, // half of the programs store what threads could share
		Brief:   len(p.Source)%4 < 2,  // and half of each have one kernel for a fold
		NonZero: func(name string) bool { return p.Sizes[name] > 0 },
		Verify:  verify.Check,
	})
	if err != nil {
		return nil, err
	}
	return c, unchanged(c.Plan)
}

// unchanged wants each kernel to be what verify has seen.
func unchanged(s *schedule.Schedule) (err error) {
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		b, wrong := kernel.Encode(l.Kernel)
		if wrong != nil || l.Safe.Kernel != l.Kernel || l.Safe.ID != kernel.Hash(b) {
			err = fmt.Errorf("step `%s` is not what was verified: %v", l.Label, wrong)
		}
	})
	return err
}

// bind makes the arguments in the forms that interpreter and engine take.
func (c *Case) bind() error {
	c.inputs = &run.Inputs{Sizes: c.Program.Sizes}
	for i, p := range c.Program.Params {
		t := c.Graph.Body.Params[i].Type
		v, err := value.New(t, func(n string) (int64, bool) { x, ok := c.Program.Sizes[n]; return x, ok })
		if err != nil {
			return err
		}
		for j, col := range p.Columns {
			if v.Columns[j].Len() != int64(len(col.Bits)) {
				return fmt.Errorf("argument %s column %d has %d values, want %d", p.Name, j, len(col.Bits), v.Columns[j].Len())
			}
			for x, bits := range col.Bits {
				v.Columns[j].Set(int64(x), bits)
			}
		}
		c.args = append(c.args, v)
		c.inputs.Params = append(c.inputs.Params, run.Param{Name: p.Name, Leaves: bindings(p.Name, t, v)})
	}
	var texts [][]string
	for i := c.Graph.Given(); i < len(c.Graph.Body.Params); i++ {
		info, t := c.Graph.ParamInfo[i], c.Graph.Body.Params[i].Type
		v := &value.Value{Type: t, Columns: info.Literal}
		if info.Derived != nil {
			if texts == nil {
				texts = literalTexts(c.Graph)
			}
			v.Columns = []column.Column{compile.DerivedColumn(info.Derived, t, texts)}
		}
		c.args = append(c.args, v)
		c.inputs.Params = append(c.inputs.Params, run.Param{Name: info.Name, Leaves: bindings(info.Name, t, v)})
	}
	return nil
}

// literalTexts are the entries of all dictionaries: random programs have those of literals alone.
func literalTexts(g *graph.Graph) [][]string {
	texts := make([][]string, len(g.Dicts))
	for n := range texts {
		texts[n], _ = g.Dicts[n].Entries(texts)
	}
	return texts
}

// bindings puts array leaves into one memory source each, an option's
// presence and value into one together.
func bindings(name string, t *graph.Type, v *value.Value) []run.Binding {
	var out []run.Binding
	leaves := graph.Leaves(t)
	for j := 0; j < len(leaves); j++ {
		col := v.Columns[j]
		if len(col.Dims) == 0 {
			out = append(out, run.Scalar(col.At(0)))
			continue
		}
		optional := j+1 < len(leaves) && leaves[j].Presence
		var valid []byte
		if optional {
			valid, col = col.Data, v.Columns[j+1]
		}
		src := source(name, col, valid)
		if optional {
			out = append(out, run.Binding{Source: src, Option: true, Presence: true}, run.Binding{Source: src, Option: true})
			j++
		} else {
			out = append(out, run.Column(src, 0))
		}
	}
	return out
}

// source is a column in memory; those of some lengths lie in three tables, one after the other, as a column of several files does.
func source(name string, col column.Column, valid []byte) data.Source {
	rows := col.Dims[0]
	table := func(lo, hi int64) data.Source {
		part, size := valid, int64(len(col.Data))/max(1, rows)
		if valid != nil {
			part = valid[lo:hi]
		}
		return data.FromBytes(name, []data.Column{{Name: "c", Kind: col.Kind, Dims: col.Dims[1:], Nullable: valid != nil}},
			hi-lo, [][]byte{col.Data[lo*size : hi*size]}, [][]byte{part})
	}
	if rows%5 != 4 {
		return table(0, rows)
	}
	list, err := data.Joined(name, []data.Source{table(0, rows/3), table(rows/3, rows/2), table(rows/2, rows)})
	if err != nil {
		panic(err) // they have the same columns
	}
	return list
}

// Outcome is a result or a fault.
type Outcome struct {
	Columns []column.Column
	Fault   *interp.Fault
	// Relays is the number of launches in which threads handed state on.
	Relays int
	// Woven says that native code may have had several iterations under way.
	Woven bool
	// Shared says that threads shared what one can do.
	Shared bool
	// Again says that maps were computed again rather than held.
	Again bool
}

// Oracle runs the interpreter.
func (c *Case) Oracle(steps int64) (*Outcome, error) {
	v, fault, err := interp.Run(c.Graph, c.Program.Sizes, c.args, interp.Options{Steps: steps})
	if err != nil || fault != nil {
		return &Outcome{Fault: fault}, err
	}
	return &Outcome{Columns: v.Columns}, nil
}

// Engine runs the schedule: twice where nothing passes through in windows, since the second run
// may use what the first has found out.
func (c *Case) Engine(ctx context.Context, e *engine.Engine, threads int, windowRows int64) (*Outcome, error) {
	p := run.Prepare(c.Plan)
	opt := run.Options{Engine: e, Threads: threads, WindowRows: windowRows}
	opt.Weave = weaves[threads%len(weaves)]
	if threads > 1 {
		opt.Shared = true // as a plan that was asked for, on threads that do not pay; what can be shared is
		opt.Stretch = 1   // what has a law is handed from thread to thread after each grain
	}
	opt.Again = windowRows > 0 // as for a result that goes to a file
	first, err := c.once(ctx, p, opt)
	if err != nil || windowRows > 0 {
		return first, err
	}
	again, err := c.once(ctx, p, opt)
	if err == nil {
		err = Same(first, again)
	}
	if err != nil {
		return nil, fmt.Errorf("the second run: %w", err)
	}
	return again, nil
}

func (c *Case) once(ctx context.Context, p *run.Program, opt run.Options) (*Outcome, error) {
	res, err := p.Run(ctx, c.inputs, opt)
	return outcome(c, res, opt.Again, err)
}

// outcome is what came of a run of a case. again says that what could be held was computed again.
func outcome(c *Case, res *run.Result, again bool, err error) (*Outcome, error) {
	var f *run.FaultError
	if errors.As(err, &f) {
		return &Outcome{Fault: &interp.Fault{Site: f.Site, Index: f.Index}}, nil
	}
	if err != nil {
		return nil, err
	}
	out := &Outcome{Columns: res.Columns, Again: again && c.Plan.Again != nil}
	out.Shared = slices.ContainsFunc(res.Stats.Schedule.Steps, func(s schedule.Step) bool { // or one thread does it after all
		_, parts := s.(*schedule.SetParts)
		return parts
	})
	for _, l := range res.Stats.Launches {
		out.Woven = out.Woven || l.Weave > 0
		if l.Totals != "" {
			out.Relays++
		}
	}
	return out, nil
}

// Same compares two outcomes; an index column may be stored in any integer
// kind, and a float column has no NaN but the language's.
func Same(want, got *Outcome) error {
	switch {
	case (want.Fault == nil) != (got.Fault == nil):
		return fmt.Errorf("fault: interpreter %v, engine %v", want.Fault, got.Fault)
	case want.Fault != nil && *want.Fault != *got.Fault:
		return fmt.Errorf("fault: interpreter %v, engine %v", want.Fault, got.Fault)
	case len(want.Columns) != len(got.Columns):
		return fmt.Errorf("%d columns against %d", len(want.Columns), len(got.Columns))
	}
	for j := range want.Columns {
		if err := sameColumn(want.Columns[j], got.Columns[j]); err != nil {
			return fmt.Errorf("column %d: %w", j, err)
		}
	}
	return nil
}

func sameColumn(x, y column.Column) error {
	if fmt.Sprint(x.Dims) != fmt.Sprint(y.Dims) {
		return fmt.Errorf("shape: interpreter %v, engine %v", x.Dims, y.Dims)
	}
	for i := range x.Len() {
		a, b := num.Canon(x.Kind, x.At(i)), y.At(i)
		if !x.Kind.IsFloat() {
			b = num.Canon(x.Kind, b)
		}
		if a != b {
			return fmt.Errorf("element %d: interpreter %s, engine %s", i, column.Text(x.Kind, a), column.Text(x.Kind, b))
		}
	}
	return nil
}
