package run

import (
	"context"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
)

// steps executes a list of steps; dies lists the buffers to drop after each,
// nil where everything stays.
func (r *runner) steps(list []schedule.Step, dies [][]int) error {
	for i, s := range list {
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if err := r.step(s); err != nil {
			return err
		}
		if dies == nil {
			continue
		}
		for _, b := range dies[i] {
			r.drop(b)
		}
	}
	return nil
}

func (r *runner) step(s schedule.Step) error {
	switch s := s.(type) {
	case *schedule.Launch:
		return r.launch(s)
	case *schedule.SetSize:
		return r.setSize(s)
	case *schedule.SetParts:
		return r.setParts(s)
	case *schedule.Loop:
		return r.loop(s)
	case *schedule.Branch:
		return r.branch(s)
	}
	return bug("a step of type %T", s)
}

func (r *runner) setSize(s *schedule.SetSize) error {
	bits, err := r.first(s.Buffer)
	if err != nil {
		return err
	}
	most, err := r.eval(s.Max)
	if err != nil {
		return err
	}
	n := int64(bits)
	if n < 0 || n > most {
		return bug("the size %s is %d, expected 0 to %d", s.Name, n, most)
	}
	r.sizes[s.Name] = n
	r.found(plan.OfSize(s.Name), n, most)
	return nil
}

func (r *runner) setParts(s *schedule.SetParts) error {
	slots, err := r.eval(s.Slots)
	if err == nil {
		s.Define(r.sizes, r.pool.Size(), slots)
	}
	return err
}

func (r *runner) branch(s *schedule.Branch) error {
	bits, err := r.first(s.Cond)
	if err != nil {
		return err
	}
	if bits != 0 {
		return r.steps(s.Then, nil)
	}
	return r.steps(s.Else, nil)
}

func (r *runner) loop(s *schedule.Loop) error {
	lo, err := r.bound(s.Lo)
	if err != nil {
		return err
	}
	hi, err := r.bound(s.Hi)
	if err != nil {
		return err
	}
	most, err := r.eval(s.Max)
	if err != nil {
		return err
	}
	if hi-lo > most && s.Stop < 0 {
		return bug("a loop of %d iterations, expected at most %d", hi-lo, most)
	}
	if err := r.settleSwapped(s); err != nil {
		return err
	}
	outermost, around := r.iteration < 0, max(1, r.repeats)
	turned := int64(0)
	defer func() {
		r.repeats = around
		if s.Stop >= 0 || s.Lo.Scalar != nil || s.Hi.Scalar != nil {
			r.found(plan.OfLoop(s.Number), turned, most)
		}
	}()
	for i := lo; i < hi; i++ {
		r.iterations[s.Number] = i
		turned++
		if r.repeats = around * float64(hi-i); s.Stop >= 0 {
			r.repeats /= 2
		}
		if outermost {
			r.iteration = i - lo
		}
		if err := r.steps(s.Body, nil); err != nil {
			return err
		}
		// Whether to stop is read first: its buffer may be one that is swapped.
		stop := uint64(0)
		if s.Stop >= 0 {
			if stop, err = r.first(s.Stop); err != nil {
				return err
			}
		}
		for _, p := range s.Swap {
			r.buffers[p[0]], r.buffers[p[1]] = r.buffers[p[1]], r.buffers[p[0]]
		}
		if stop != 0 {
			break
		}
	}
	if outermost {
		r.iteration = -1
	}
	return nil
}

// found notes which part of the most that it could be something has come to.
func (r *runner) found(name string, n, most int64) {
	if most < 1 || n < 0 {
		return
	}
	if r.parts == nil {
		r.parts = map[string]float64{}
	}
	r.parts[name] = min(1, float64(n)/float64(most))
}

// settleSwapped brings in the inputs that a loop swaps.
func (r *runner) settleSwapped(s *schedule.Loop) error {
	for _, p := range s.Swap {
		for _, b := range p {
			if r.inputs[b] == nil {
				continue
			}
			if err := r.settle(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *runner) bound(s schedule.ScalarSource) (int64, error) {
	if s.Scalar == nil {
		return r.eval(s.Poly)
	}
	bits, err := r.scalar(s.Scalar, num.I64)
	return int64(bits), err
}

// scalar is the value of a scalar argument of kind k.
func (r *runner) scalar(a *schedule.ScalarArg, k num.Kind) (uint64, error) {
	if r.forecast != nil {
		return r.forecast.scalar(a), nil
	}
	switch a.From {
	case schedule.FromLoop:
		return uint64(r.iterations[a.Loop]), nil
	case schedule.FromBuffer:
		if got := r.s.Buffers[a.Buffer].Kind; got != k {
			return 0, bug("buffer %d is of kind %s, its scalar of kind %s", a.Buffer, got, k)
		}
		return r.first(a.Buffer)
	}
	b, err := r.binding(a.Param, a.Leaf)
	if err != nil {
		return 0, err
	}
	if b.Source == nil {
		return b.Bits, nil
	}
	return r.lone(b, k)
}

// first is element 0 of a buffer, which is made resident if it is an input.
func (r *runner) first(b int) (uint64, error) {
	if err := r.settle(b); err != nil {
		return 0, err
	}
	buf, k := &r.buffers[b], r.s.Buffers[b].Kind
	if buf.n < 1 {
		return 0, bug("buffer %d has no element 0", b)
	}
	return column.Get(k, r.bytes(b), 0), nil
}
