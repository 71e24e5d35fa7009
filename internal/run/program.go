package run

import (
	"context"
	"sync"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// Program is a schedule with all that is known about it before any run. It is safe for
// concurrent use; the schedule must not change any more.
type Program struct {
	s       *schedule.Schedule
	dies    [][]int          // per top-level step: buffers that nothing uses after it
	uses    [][]schedule.Use // per buffer; the result's use is the zero one
	swapped []bool           // per buffer: a loop swaps it with another
	results []int            // per buffer: how many columns of the result it is
	// spoolable are the buffers that Options.Spool may take.
	spoolable []bool
	launches  map[*schedule.Launch]int // their numbers: those of steps in order, then packed forms
	labels    []string                 // of those that are steps
	kernels   []*code                  // each once, in the order of the launches
	numbers   map[*kernel.Kernel]int   // into kernels
	resizes   bool                     // sizes are found while it runs
	none      []*input                 // per buffer: nil

	frames engine.Recent[frame]
}

// code is a kernel with its name, which is found out once.
type code struct {
	k     *kernel.Kernel
	named sync.Once
	name  engine.Name
	err   error
}

// Prepare looks through a schedule.
func Prepare(s *schedule.Schedule) *Program {
	n := len(s.Buffers)
	p := &Program{s: s, dies: lifetimes(s), uses: make([][]schedule.Use, n), swapped: make([]bool, n), results: make([]int, n),
		spoolable: spoolable(s), launches: map[*schedule.Launch]int{}, numbers: map[*kernel.Kernel]int{}, resizes: schedule.Resizes(s.Steps), none: make([]*input, n)}
	schedule.Uses(s.Steps, func(b int, u schedule.Use) {
		p.uses[b] = append(p.uses[b], u)
		p.swapped[b] = p.swapped[b] || u.Swap
	})
	for _, c := range s.Result {
		p.uses[c.Buffer] = append(p.uses[c.Buffer], schedule.Use{})
		p.results[c.Buffer]++
	}
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		p.launches[l] = len(p.launches)
		p.labels = append(p.labels, l.Label)
		p.add(l.Kernel)
	})
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		if l.Packed != nil {
			p.launches[l.Packed.Launch] = len(p.launches)
			p.add(l.Packed.Launch.Kernel)
		}
	})
	return p
}

// Resizes reports that sizes are found while it runs.
func (p *Program) Resizes() bool { return p.resizes }

func (p *Program) add(k *kernel.Kernel) {
	if _, ok := p.numbers[k]; !ok {
		p.numbers[k] = len(p.kernels)
		p.kernels = append(p.kernels, &code{k: k})
	}
}

// Run is Program.Run for a schedule that runs once.
func Run(ctx context.Context, s *schedule.Schedule, in *Inputs, opt Options) (*Result, error) {
	return Prepare(s).Run(ctx, in, opt)
}

// Compiled reports that an engine has code for a launch's kernel.
func (p *Program) Compiled(e *engine.Engine, l *schedule.Launch) bool {
	c := p.kernels[p.numbers[l.Kernel]]
	if c.named.Do(func() { c.name, c.err = engine.NameOf(c.k) }); c.err != nil {
		return false
	}
	_, ok := e.Lookup(c.name.ID)
	return ok
}

// hold gives the compiled kernel until its Release.
func (c *code) hold(ctx context.Context, e *engine.Engine) (*engine.Compiled, error) {
	c.named.Do(func() { c.name, c.err = engine.NameOf(c.k) })
	if c.err != nil {
		return nil, c.err
	}
	return e.Hold(ctx, c.k, c.name)
}
