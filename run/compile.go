package run

import (
	"sync"

	"github.com/godwit-run/godwit/engine"
	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/schedule"
)

// compiling is a kernel of the schedule that is compiled at most once, by
// whoever wants it first.
type compiling struct {
	once sync.Once
	c    *engine.Compiled
	err  error
}

func kernelsOf(s *schedule.Schedule) map[*kernel.Kernel]*compiling {
	m := map[*kernel.Kernel]*compiling{}
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		if m[l.Kernel] == nil {
			m[l.Kernel] = &compiling{}
		}
		if l.Packed != nil && m[l.Packed.Launch.Kernel] == nil {
			m[l.Packed.Launch.Kernel] = &compiling{}
		}
	})
	return m
}

// compile gives the compiled form of a kernel; see engine.Kernel.
func (r *runner) compile(k *kernel.Kernel) (*engine.Compiled, error) {
	w := r.compiled[k]
	w.once.Do(func() { w.c, w.err = r.eng.Kernel(r.ctx, k) })
	return w.c, w.err
}

// compileAhead compiles the kernels after the first, which is wanted at
// once, while that is compiled and runs. Errors come up when a kernel is
// wanted.
func (r *runner) compileAhead() {
	if len(r.compiled) < 2 {
		return
	}
	var list []*kernel.Kernel
	schedule.Launches(r.s.Steps, func(l *schedule.Launch) { list = append(list, l.Kernel) })
	r.ahead.Go(func() {
		for _, k := range list[1:] {
			if r.ctx.Err() == nil {
				_, _ = r.compile(k)
			}
		}
	})
}
