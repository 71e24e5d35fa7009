package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan"
)

// Program is a schedule with all that is known about it before any run. It is safe for
// concurrent use; the schedule must not change any more.
type Program struct {
	s *schedule.Schedule
	// dies has for each top-level step the buffers that nothing uses after it. What a loop or branch touches lives
	// until its end: the next iteration may want it.
	dies     [][]int
	uses     [][]schedule.Use         // per buffer; the result's use is the zero one
	swapped  []bool                   // per buffer: a loop swaps it with another
	about    []about                  // per buffer
	launches map[*schedule.Launch]int // their numbers: those of steps in order, then packed forms
	steps    []*schedule.Launch       // those launches that are steps
	kernels  []*code                  // each once, in the order of the launches
	numbers  map[*kernel.Kernel]int   // into kernels
	resizes  bool                     // sizes are found while it runs
	found    []string                 // these sizes
	settled  bool                     // none of them says how long anything is but the result
	none     []*input                 // per buffer: nil

	frames  engine.Recent[frame]
	sharing pair // with that in which threads share
	again   pair // with that in which maps are computed again rather than held

	last atomic.Pointer[engine.Engine] // that it ran on

	living sync.Once
	lives  *plan.Lives

	identified sync.Once
	id         kernel.ID
}

// code is a kernel and what verify found it to be, which is found out once.
type code struct {
	k     *kernel.Kernel
	proof func() (*verify.Safe, error)
	name  func() string // the text of its identity, for those that have a proof
}

func codeOf(l *schedule.Launch) *code {
	c := &code{k: l.Kernel, proof: sync.OnceValues(l.Proof)}
	c.name = sync.OnceValue(func() string {
		safe, _ := c.proof()
		return safe.ID.String()
	})
	return c
}

// Prepare looks through a schedule.
func Prepare(s *schedule.Schedule) *Program {
	n := len(s.Buffers)
	p := &Program{s: s, dies: make([][]int, len(s.Steps)), uses: make([][]schedule.Use, n), swapped: make([]bool, n), about: make([]about, n),
		launches: map[*schedule.Launch]int{}, numbers: map[*kernel.Kernel]int{}, resizes: schedule.Resizes(s.Steps), none: make([]*input, n)}
	last, columns := make([]int, n), make([]int, n) // per buffer: the last step that uses it, columns of the result
	for i, step := range s.Steps {
		schedule.Uses([]schedule.Step{step}, func(b int, u schedule.Use) {
			p.uses[b] = append(p.uses[b], u)
			p.swapped[b] = p.swapped[b] || u.Swap
			last[b] = i
		})
		schedule.Launches([]schedule.Step{step}, func(l *schedule.Launch) {
			if l.InTurn == nil {
				return
			}
			for _, b := range l.InTurn.From { // which the launch itself does not use
				p.uses[b] = append(p.uses[b], schedule.Use{Launch: l.InTurn.Launch, Region: slices.Index(l.InTurn.Launch.Regions, b)})
				last[b] = i
			}
		})
	}
	for _, c := range s.Result {
		columns[c.Buffer]++
		p.uses[c.Buffer] = append(p.uses[c.Buffer], schedule.Use{})
	}
	for b, buf := range s.Buffers {
		if columns[b] == 0 && len(p.uses[b]) > 0 {
			p.dies[last[b]] = append(p.dies[last[b]], b)
		}
		given := columns[b] == 1 && !p.swapped[b]
		p.about[b] = about{buf.Kind, bufferName(b, buf.Name), strings.HasPrefix(buf.Name, "sort"), given, given && p.writtenOnce(b)}
	}
	p.found, p.settled = s.Found()
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		p.launches[l] = len(p.launches)
		p.steps = append(p.steps, l)
		p.add(l)
	})
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		for _, other := range l.Others() {
			p.launches[other] = len(p.launches)
			p.add(other)
		}
	})
	return p
}

// Resizes reports that sizes are found while it runs.
func (p *Program) Resizes() bool { return p.resizes }

// bufferName is what a message calls a buffer that is no argument.
func bufferName(b int, name string) string {
	switch line := schedule.LineOf(name); {
	case line > 0:
		return fmt.Sprintf("an intermediate result of line %d", line)
	case strings.Contains(name, ":"):
		return "an intermediate result"
	case name != "":
		return "`" + name + "`"
	}
	return fmt.Sprintf("buffer %d", b)
}

func (p *Program) add(l *schedule.Launch) {
	if _, ok := p.numbers[l.Kernel]; !ok {
		p.numbers[l.Kernel] = len(p.kernels)
		p.kernels = append(p.kernels, codeOf(l))
	}
}

// Run is Program.Run for a schedule that runs once.
func Run(ctx context.Context, s *schedule.Schedule, in *Inputs, opt Options) (*Result, error) {
	return Prepare(s).Run(ctx, in, opt)
}

// Compiled is the tier of the code that an engine has for a launch's kernel; "" if it has none, though the kernel may have been interpreted.
func (p *Program) Compiled(e *engine.Engine, l *schedule.Launch) engine.Tier {
	if c, ok := p.code(l).lookup(e); ok && !c.Trying() {
		return c.Tier()
	}
	return ""
}

// Name is what a launch's kernel is known by; false if verify refuses it.
func (p *Program) Name(l *schedule.Launch) (kernel.ID, bool) {
	safe, err := p.code(l).proof()
	if err != nil {
		return kernel.ID{}, false
	}
	return safe.ID, true
}

// code is the kernel of a launch of the program, or of another that gives the same.
func (p *Program) code(l *schedule.Launch) *code {
	q := p.has(l)
	if q == nil {
		p.shares()
		q = p.has(l)
	}
	if q == nil {
		return codeOf(l)
	}
	return q.kernels[q.numbers[l.Kernel]]
}

// ID is what a program is known by from process to process, with its own schedule s or another that gives the same: by its kernels in order.
func (p *Program) ID(s *schedule.Schedule) kernel.ID {
	if s != p.s {
		p.shares()
		if q := p.of(s); q != nil {
			return q.ID(s)
		}
	}
	p.identified.Do(func() {
		text := []byte("program")
		for _, l := range p.steps {
			if id, ok := p.Name(l); ok {
				text = append(text, id[:]...)
			}
		}
		p.id = kernel.Hash(text)
	})
	return p.id
}

// lookup gives the compiled kernel if an engine has it.
func (c *code) lookup(e *engine.Engine) (*engine.Compiled, bool) {
	safe, err := c.proof()
	if err != nil {
		return nil, false
	}
	return e.Lookup(safe.ID)
}

// hold gives the compiled kernel until its Release.
func (c *code) hold(ctx context.Context, e *engine.Engine) (*engine.Compiled, error) {
	safe, err := c.proof()
	if err != nil {
		return nil, err
	}
	return e.Hold(ctx, safe)
}
