package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// prepared is a program whose arguments, buffers and kernels are all in place,
// so that a run is what its kernels take and nothing else: as with the
// reference, memory is there beforehand, and results stay where they are
// written. Only programs without loops and branches around their kernels can be
// prepared.
type prepared struct {
	eng      *engine.Engine
	sched    *schedule.Schedule
	sizes    map[string]int64
	buffers  []vector
	offsets  []int64
	launches []launch
}

// launch is a kernel with what stays the same from run to run.
type launch struct {
	*schedule.Launch
	c     *engine.Compiled
	sizes []int64
	lens  []int64 // of the regions' buffers
	bases []int64
}

// names are those of the parameters of programs, in order.
var names = []string{"x", "y"}

// prepare compiles the only function of a program over operands.
func (m *memory) prepare(ctx context.Context, source string, in ...operand) (*prepared, error) {
	prog, err := compile.Check(diag.NewSource("bench.gw", source))
	if err != nil {
		return nil, err
	}
	f, err := prog.Func("")
	if err != nil {
		return nil, err
	}
	args := compile.Args{}
	for i, o := range in {
		args[names[i]] = compile.Table{Source: o.source()}
	}
	b, err := f.Bind(args)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	plan, err := b.Plan()
	if err != nil {
		return nil, err
	}
	p := &prepared{eng: m.eng, sched: plan.Schedule, sizes: plan.Inputs.Sizes}
	if err := p.place(m, in); err != nil {
		return nil, err
	}
	for _, s := range p.sched.Steps {
		l, ok := s.(*schedule.Launch)
		if !ok {
			return nil, fmt.Errorf("expected kernels only, found a %T", s)
		}
		if err := p.add(ctx, l); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Label, err)
		}
	}
	return p, nil
}

// place gives every buffer its memory.
func (p *prepared) place(m *memory, in []operand) error {
	for _, b := range p.sched.Buffers {
		if b.Input != nil {
			o := in[b.Input.Param]
			p.buffers, p.offsets = append(p.buffers, o.vector), append(p.offsets, o.off)
			continue
		}
		n, ok := b.Len.Eval(p.size)
		if !ok {
			return fmt.Errorf("the length of %s is not known", b.Name)
		}
		n *= int64(b.Kind.Size())
		off, room, err := m.alloc(max(n, 8))
		if err != nil {
			return err
		}
		p.buffers, p.offsets = append(p.buffers, vector{kind: b.Kind, data: room[:n]}), append(p.offsets, off)
	}
	return nil
}

func (p *prepared) size(name string) (int64, bool) {
	n, ok := p.sizes[name]
	return n, ok
}

func (p *prepared) add(ctx context.Context, s *schedule.Launch) (err error) {
	l := launch{Launch: s}
	for _, a := range s.Sizes {
		n, err := p.sizeArg(a)
		if err != nil {
			return err
		}
		l.sizes = append(l.sizes, n)
	}
	for _, b := range s.Regions {
		if b < 0 {
			l.bases, l.lens = append(l.bases, 0), append(l.lens, 0)
			continue
		}
		l.bases, l.lens = append(l.bases, p.offsets[b]), append(l.lens, int64(p.buffers[b].len()))
	}
	if l.c, err = p.eng.Kernel(ctx, s.Kernel); err != nil {
		return err
	}
	p.launches = append(p.launches, l)
	return nil
}

func (p *prepared) sizeArg(a schedule.SizeArg) (int64, error) {
	n, ok := a.Poly.Eval(p.size)
	if a.Op == schedule.Plain {
		if !ok {
			return 0, fmt.Errorf("the size %s is not known", a.Poly)
		}
		return n, nil
	}
	width, known := a.KeyedBy.Eval(p.size)
	if !known {
		return 0, fmt.Errorf("the size %s is not known", a.KeyedBy)
	}
	leaf := num.KeyedLeaf(width)
	if a.Op == schedule.KeyedLeaf {
		return leaf, nil
	}
	return (n + leaf - 1) / leaf, nil
}

// run runs all kernels once.
func (p *prepared) run(ctx context.Context, pool *engine.Pool) (time.Duration, error) {
	start := time.Now()
	for i := range p.launches {
		if err := p.launch(ctx, pool, &p.launches[i]); err != nil {
			return 0, fmt.Errorf("%s: %w", p.launches[i].Label, err)
		}
	}
	return time.Since(start), nil
}

func (p *prepared) launch(ctx context.Context, pool *engine.Pool, l *launch) error {
	var scalars []uint64
	for _, a := range l.Scalars {
		if a.From != schedule.FromBuffer {
			return fmt.Errorf("expected scalars out of buffers, found source %d", a.From)
		}
		b := p.buffers[a.Buffer]
		scalars = append(scalars, column.Get(b.kind, b.data, 0))
	}
	if err := l.c.Safe.Admit(l.sizes, scalars, l.lens, engine.Limits{}); err != nil {
		return err
	}
	job := p.eng.NewJob(l.c, l.sizes, scalars)
	workers, end := l.c.Workers(pool, l.sizes), l.c.Outer(l.sizes)
	var next atomic.Int64
	err := pool.Do(ctx, workers, func(ctx context.Context, _ int) error {
		w, err := job.Worker(ctx)
		if err != nil {
			return err
		}
		defer w.Close()
		w.SetBases(l.bases)
		for {
			lo, hi, ok := job.Claim(&next, end, workers)
			if !ok {
				return nil
			}
			if err := w.Run(ctx, lo, hi); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(job.Faults(), func(at int64) bool { return at != math.MaxInt64 }); i >= 0 {
		return fmt.Errorf("fault at site %d, element %d", i, job.Faults()[i])
	}
	return nil
}

// result is where the columns of the result lie.
func (p *prepared) result() []vector {
	var list []vector
	for _, c := range p.sched.Result {
		list = append(list, p.buffers[c.Buffer])
	}
	return list
}
