package interp

import (
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// machine is the state of one run.
type machine struct {
	g       *graph.Graph
	opt     Options
	sizes   map[string]int64 // declared and, once defined, run-time sizes
	runtime map[string]bool  // names of run-time sizes: their values change
	fixed   map[*graph.Type]*shape
	regs    []val // one for each node
	reg     map[*graph.Node]int

	slot    int64 // of the outermost enclosing array operation or turn of such a loop, or -1
	orders  []graph.SiteOrder
	steps   int64
	checked int64 // steps when the context was last looked at
	faulted bool
	fault   Fault
}

// stopped is what a run that cannot go on panics with; Run recovers it. An
// error result at every node would hide what an operation means.
type stopped struct{ err error }

func newMachine(g *graph.Graph, sizes map[string]int64, opt Options) *machine {
	m := &machine{g: g, opt: opt, slot: -1, orders: g.SiteOrders(), sizes: map[string]int64{}, runtime: map[string]bool{}, fixed: map[*graph.Type]*shape{}, reg: map[*graph.Node]int{}}
	for _, s := range g.Sizes {
		if n, ok := sizes[s.Name]; ok {
			m.sizes[s.Name] = n
		}
	}
	g.Body.Walk(func(n *graph.Node) bool {
		if n.Defines != "" {
			m.runtime[n.Defines] = true
		}
		return true
	})
	return m
}

func (m *machine) stop(format string, args ...any) {
	panic(stopped{fmt.Errorf(format, args...)})
}

// contextEvery is the number of steps between two looks at the context.
const contextEvery = 1 << 14

// tick counts steps and ends the run when there are too many.
func (m *machine) tick(n int64) {
	m.steps += n
	if m.opt.Steps > 0 && m.steps > m.opt.Steps {
		panic(stopped{ErrSteps})
	}
	if m.opt.Ctx != nil && m.steps-m.checked >= contextEvery {
		m.checked = m.steps
		if err := m.opt.Ctx.Err(); err != nil {
			panic(stopped{err})
		}
	}
}

// report notes a fault of a node. A node without a site was shown not to
// fault; after a fault that proof may rest on a value that never was.
func (m *machine) report(n *graph.Node) {
	if n.Site < 0 {
		if !m.faulted {
			m.stop("%s faults though it has no site", n.Op)
		}
		return
	}
	f := Fault{n.Site, m.slot}
	if !m.faulted || graph.Before(m.orders, f.Site, f.Index, m.fault.Site, m.fault.Index) {
		m.fault = f
	}
	m.faulted = true
}

// size evaluates a polynomial that stands for a number of slots.
func (m *machine) size(p size.Poly) int64 {
	n := m.poly(p)
	if n < 0 {
		m.stop("the size %s is negative: %d", p, n)
	}
	return n
}

func (m *machine) poly(p size.Poly) int64 {
	n, ok := p.Eval(m.lookup)
	if !ok {
		m.stop("the size %s is not known or too large", p)
	}
	return n
}

func (m *machine) lookup(name string) (int64, bool) {
	n, ok := m.sizes[name]
	return n, ok
}

// isFixed reports that a type's sizes stay the same for the whole run.
func (m *machine) isFixed(t *graph.Type) bool {
	return m.isFixedPoly(t.Size) && !slices.ContainsFunc(t.Elems, func(e *graph.Type) bool { return !m.isFixed(e) })
}

func (m *machine) isFixedPoly(p size.Poly) bool {
	return !slices.ContainsFunc(p.Vars(), func(name string) bool { return m.runtime[name] })
}

// shape is the shape of t now.
func (m *machine) shape(t *graph.Type) *shape {
	if s, ok := m.fixed[t]; ok {
		return s
	}
	s := newShape(t, func(t *graph.Type) int64 { return m.size(t.Size) })
	if m.isFixed(t) {
		m.fixed[t] = s
	}
	return s
}

// array makes room for the elements of an array.
func (m *machine) array(elem *shape, n int64) *array {
	m.room(elem, n)
	return newArray(elem, n)
}

// room counts scalars as steps before they are made, so that a limit holds
// memory too.
func (m *machine) room(elem *shape, n int64) {
	per := elem.scalars()
	if per < 0 || n > 0 && per > (1<<40)/n {
		m.stop("an array of %d times %d scalars is too large", n, per)
	}
	m.tick(n * per / 8)
}
