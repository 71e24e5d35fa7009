// Package interp gives a graph its meaning: the slowest and plainest
// evaluation of it, in the order of its nodes, one slot after the other.
// Engines are held to its results bit by bit, and to its faults.
package interp

import (
	"context"
	"fmt"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// Options bound a run. The zero value sets no bound.
type Options struct {
	Ctx context.Context
	// Steps is the most nodes evaluated and slots visited; 0 is no limit.
	Steps int64
}

// Fault is the fault that a run reports: of all that happened the first (see
// graph.Site).
type Fault struct {
	Site  int
	Index int64
}

func (f *Fault) String() string { return fmt.Sprintf("fault at site %d, index %d", f.Site, f.Index) }

// ErrSteps is returned by a run that takes more than Options.Steps.
var ErrSteps = fmt.Errorf("the run takes more steps than it is given")

// Run evaluates a graph. The arguments stand in the order of g.ParamInfo,
// each with the shape that its parameter has under the sizes; those of literals
// may be left out. Sizes are the declared ones. The result's columns have the actual lengths where its type
// speaks of run-time sizes. There is no result when there is a fault.
//
// The error is about the arguments, the limits, or a graph that breaks what
// graph.Verify cannot see (a proof of the front end that does not hold); it
// is never about the program's data.
func Run(g *graph.Graph, sizes map[string]int64, args []*value.Value, opt Options) (result *value.Value, fault *Fault, err error) {
	m := newMachine(g, sizes, opt)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			result, fault, err = nil, nil, p.err
		default:
			panic(p)
		}
	}()
	m.checkSizes()
	m.bind(args)
	body := m.prepare(&g.Body)
	m.exec(body)
	if m.faulted {
		return nil, &m.fault, nil
	}
	return m.result(g.Body.Results[0].Type, m.regs[body.results[0]]), nil, nil
}
