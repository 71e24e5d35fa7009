package lower

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// hostLoop runs a loop whose body contains array operations step by step.
// Each carried value has buffers for now and for the next turn, which change
// places after the turn.
func (l *lowering) hostLoop(n *graph.Node) error {
	body := n.Blocks[0]
	step := &schedule.Loop{Number: l.s.Loops, Stop: -1, Max: n.MaxPoly}
	l.s.Loops++
	if n.Max > 0 {
		step.Max = size.Const(n.Max)
	}
	var err error
	if step.Lo, err = l.scalarSource(n.Args[0]); err != nil {
		return err
	}
	if step.Hi, err = l.scalarSource(n.Args[1]); err != nil {
		return err
	}
	now, err := l.startLoop(n, step.Number)
	if err != nil {
		return err
	}
	outer, mark := l.steps, len(l.s.Buffers)
	l.steps = &step.Body
	if err := l.block(body); err != nil {
		return err
	}
	if err := l.nextTurn(n, step, now, mark); err != nil {
		return err
	}
	l.steps = outer
	l.add(step)
	l.mat[n] = now
	return nil
}

// startLoop fills the carried buffers, or takes those that nobody else reads, and binds the body's parameters.
func (l *lowering) startLoop(n *graph.Node, number int) ([]source, error) {
	params := n.Blocks[0].Params
	turn := source{buffer: -1, scalar: schedule.ScalarArg{From: schedule.FromLoop, Loop: number}, lo: math.MinInt64, hi: math.MaxInt64}
	l.mat[params[0]] = []source{turn}
	var all []source
	for j, init := range n.Args[2:] {
		now, ok := l.startsAt(n, init, n.Type.Elems[j])
		if !ok {
			now = l.buffersFor(l.nameOf(params[j+1]), n.Type.Elems[j])
			if err := l.fill(init, now); err != nil {
				return nil, err
			}
		}
		l.mat[params[j+1]] = now
		all = append(all, now...)
	}
	return all, nil
}

// nextTurn finds or makes the buffers of the next turn. Buffers that the
// body made (from number mark on) serve as they are, each once.
func (l *lowering) nextTurn(n *graph.Node, step *schedule.Loop, now []source, mark int) error {
	used := map[int]bool{}
	at := 0
	results := n.Blocks[0].Results
	for j := range n.Args[2:] {
		next, ok := l.component(results[j])
		if ok && sameSources(next, now[at:at+len(next)]) && !usedAny(next, used) { // it was changed where it lies
			for _, s := range next {
				used[s.buffer] = true
				at++
			}
			continue
		}
		if !ok || !fresh(next, mark, used) {
			next = l.buffersFor(l.nameOf(results[j]), n.Type.Elems[j])
			if err := l.fill(results[j], next); err != nil {
				return err
			}
		}
		for _, s := range next {
			used[s.buffer] = true
			step.Swap = append(step.Swap, [2]int{now[at].buffer, s.buffer})
			at++
		}
	}
	if n.Stop {
		stop, err := l.force(results[len(results)-1])
		if err != nil {
			return err
		}
		step.Stop = stop[0].buffer
	}
	return nil
}

func usedAny(srcs []source, used map[int]bool) bool {
	return slices.ContainsFunc(srcs, func(s source) bool { return used[s.buffer] })
}

func fresh(srcs []source, mark int, used map[int]bool) bool {
	for _, s := range srcs {
		if s.buffer < mark || used[s.buffer] {
			return false
		}
	}
	return true
}

// scalarSource is where the host finds an I64 before a loop.
func (l *lowering) scalarSource(n *graph.Node) (schedule.ScalarSource, error) {
	switch n.Op {
	case graph.Const:
		return schedule.ScalarSource{Poly: size.Const(int64(n.Bits))}, nil
	case graph.SizeVal:
		return schedule.ScalarSource{Poly: n.Poly}, nil
	}
	if srcs, ok := l.component(n); ok && srcs[0].buffer < 0 {
		return schedule.ScalarSource{Scalar: &srcs[0].scalar}, nil
	}
	srcs, err := l.force(n)
	if err != nil {
		return schedule.ScalarSource{}, err
	}
	return schedule.ScalarSource{Scalar: &schedule.ScalarArg{From: schedule.FromBuffer, Buffer: srcs[0].buffer}}, nil
}

// hostBranch runs one of two lists of steps, both of which fill the same
// buffers.
func (l *lowering) hostBranch(n *graph.Node) error {
	cond, err := l.force(n.Args[0])
	if err != nil {
		return err
	}
	step := &schedule.Branch{Cond: cond[0].buffer}
	out := l.buffersFor(l.nameOf(n), n.Type)
	outer := l.steps
	for i, steps := range []*[]schedule.Step{&step.Then, &step.Else} {
		l.steps = steps
		if err := l.block(n.Blocks[i]); err != nil {
			return err
		}
		if err := l.fill(n.Blocks[i].Results[0], out); err != nil {
			return err
		}
	}
	l.steps = outer
	l.add(step)
	l.mat[n] = out
	return nil
}
