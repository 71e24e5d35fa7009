package lower

import (
	"fmt"
	"maps"
	"math"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// executor runs a schedule one instruction at a time, everything in memory.
type executor struct {
	s      *schedule.Schedule
	sizes  map[string]int64
	args   []*value.Value
	bufs   [][]byte
	turn   []int64
	inLoop int64 // turn of the outermost loop, from 0; or -1
	faults []int64
	// blocks are the numbers of rows that are combined in part, one after the
	// other, before a launch that folds them sees the rest.
	blocks []int64
	folded map[int]int64 // rows of blocks in a buffer
	parts  int           // of what threads share
	// rows, if set, writes rows in place of launches that have a Partial.
	rows func(l *schedule.Launch, outer int64)
}

func execute(s *schedule.Schedule, sites int, sizes map[string]int64, args []*value.Value) (e *executor, err error) {
	e = newExecutor(s, sites, sizes, args)
	return e, e.run(s.Steps)
}

func newExecutor(s *schedule.Schedule, sites int, sizes map[string]int64, args []*value.Value) *executor {
	return &executor{
		s: s, sizes: maps.Clone(sizes), args: args, bufs: make([][]byte, len(s.Buffers)), turn: make([]int64, s.Loops), inLoop: -1,
		faults: stepper.NewFaults(sites), folded: map[int]int64{},
	}
}

func (e *executor) poly(p size.Poly) int64 {
	n, ok := p.Eval(func(name string) (int64, bool) { v, ok := e.sizes[name]; return v, ok })
	if !ok {
		panic(fmt.Sprintf("size %s unknown", p))
	}
	return n
}

func (e *executor) buffer(i int) []byte {
	b := &e.s.Buffers[i]
	if b.Input != nil {
		return e.args[b.Input.Param].Columns[b.Input.Leaf].Data
	}
	if e.bufs[i] == nil {
		e.bufs[i] = make([]byte, max(e.poly(b.Len), 1)*int64(b.Kind.Size()))
	}
	return e.bufs[i]
}

func (e *executor) run(steps []schedule.Step) error {
	for _, s := range steps {
		var err error
		switch s := s.(type) {
		case *schedule.Launch:
			err = e.launch(s)
		case *schedule.SetSize:
			e.sizes[s.Name] = int64(column.Get(num.I64, e.buffer(s.Buffer), 0))
		case *schedule.Loop:
			err = e.loop(s)
		case *schedule.SetParts:
			s.Define(e.sizes, e.parts, e.poly(s.Slots))
		case *schedule.Branch:
			if e.buffer(s.Cond)[0] != 0 {
				err = e.run(s.Then)
			} else {
				err = e.run(s.Else)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *executor) loop(s *schedule.Loop) error {
	lo, hi := e.source(s.Lo), e.source(s.Hi)
	outermost := e.inLoop < 0
	for i := lo; i < hi; i++ {
		e.turn[s.Number] = i
		if outermost {
			e.inLoop = i - lo
		}
		if err := e.run(s.Body); err != nil {
			return err
		}
		stop := s.Stop >= 0 && e.buffer(s.Stop)[0] != 0
		for _, p := range s.Swap {
			e.bufs[p[0]], e.bufs[p[1]] = e.bufs[p[1]], e.bufs[p[0]]
		}
		if stop {
			break
		}
	}
	if outermost {
		e.inLoop = -1
	}
	return nil
}

func (e *executor) source(s schedule.ScalarSource) int64 {
	if s.Scalar != nil {
		return int64(e.scalar(*s.Scalar))
	}
	return e.poly(s.Poly)
}

func (e *executor) scalar(a schedule.ScalarArg) uint64 {
	switch a.From {
	case schedule.FromParam:
		return e.args[a.Param].Columns[a.Leaf].At(0)
	case schedule.FromLoop:
		return uint64(e.turn[a.Loop])
	}
	return column.Get(e.s.Buffers[a.Buffer].Kind, e.buffer(a.Buffer), 0)
}

func (e *executor) launch(s *schedule.Launch) error {
	var sizes []int64
	for _, z := range s.Sizes {
		sizes = append(sizes, e.sizeArg(z))
	}
	if f := s.Folds; f != nil && e.folded[f.Buffer] > 0 {
		sizes[f.Size] = e.folded[f.Buffer]
	}
	outer := kernelPoly(s.Kernel.Outer, sizes)
	var err error
	if e.rows != nil && s.Partial != nil {
		e.rows(s, outer)
	} else {
		err = e.runKernel(s, sizes, outer)
	}
	if err == nil && s.Partial != nil {
		err = e.combine(s, outer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Label, err)
	}
	return nil
}

func (e *executor) runKernel(s *schedule.Launch, sizes []int64, outer int64) error {
	a := &stepper.Args{Sizes: sizes, Faults: stepper.NewFaults(s.Kernel.Sites)}
	for _, c := range s.Scalars {
		a.Scalars = append(a.Scalars, e.scalar(c))
	}
	for i, b := range s.Regions {
		r := s.Kernel.Regions[i]
		n := kernelPoly(r.Len, sizes) * int64(r.Elem.Size())
		if b < 0 {
			a.Regions = append(a.Regions, make([]byte, n))
			continue
		}
		if int64(len(e.buffer(b))) < n {
			return fmt.Errorf("buffer %s has %d bytes, region wants %d", e.s.Buffers[b].Name, len(e.buffer(b)), n)
		}
		a.Regions = append(a.Regions, e.buffer(b)[:n])
	}
	if _, err := stepper.Run(s.Kernel, a, 0, outer); err != nil {
		return err
	}
	for i, f := range a.Faults {
		if f != math.MaxInt64 {
			if e.inLoop >= 0 && e.s.IsInLoop(s.Sites[i]) {
				f = e.inLoop
			}
			e.faults[s.Sites[i]] = min(e.faults[s.Sites[i]], f)
		}
	}
	return nil
}

func kernelPoly(p size.Poly, sizes []int64) int64 {
	n, ok := kernel.EvalPoly(p, sizes)
	if !ok {
		panic("kernel size")
	}
	return n
}

func (e *executor) sizeArg(z schedule.SizeArg) int64 {
	switch z.Op {
	case schedule.KeyedLeaf:
		return num.KeyedLeaf(e.poly(*z.KeyedBy))
	case schedule.KeyedLeaves:
		leaf := num.KeyedLeaf(e.poly(*z.KeyedBy))
		return (e.poly(z.Poly) + leaf - 1) / leaf
	}
	return e.poly(z.Poly)
}

func (e *executor) fault() (site int, index int64, faulted bool) {
	if site, faulted = e.s.FirstFault(e.faults); faulted {
		index = e.faults[site]
	}
	return site, index, faulted
}

// result converts index columns to I64, as the interpreter gives them.
func (e *executor) result(t *graph.Type) *value.Value {
	v := &value.Value{Type: t}
	for i, c := range e.s.Result {
		want := graph.Leaves(t)[i].Type.KindOf()
		col := column.Column{Kind: want}
		for _, d := range c.Dims {
			col.Dims = append(col.Dims, e.poly(d))
		}
		col.Data = make([]byte, col.Len()*int64(want.Size()))
		for j := range col.Len() {
			col.Set(j, column.Get(c.Kind, e.buffer(c.Buffer), j))
		}
		v.Columns = append(v.Columns, col)
	}
	v.Canonical()
	return v
}
