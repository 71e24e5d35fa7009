package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// wide is the number of lanes in which a value stands that two paths give.
func (e *emitter) wide(v kernel.Value) int {
	if e.lanes == 1 || e.shapes[v] == loops.Uniform {
		return 1
	}
	return e.lanes
}

// branch writes an If. Where the condition differs from lane to lane, or a processor would guess it wrong, both
// blocks are computed, and only the lanes that are to take one may fault in it.
func (e *emitter) branch(in *kernel.Instr) {
	if e.at(in.Args[0]).shape() != loops.Uniform || e.lanes == 1 && e.weaving == nil && e.GuessedWrong(in) {
		e.bothArms(in)
		return
	}
	arms := [2]string{e.label(), e.label()}
	done := e.label()
	e.brIf(e.scalar(in.Args[0]), arms[0], arms[1])
	var ends [2]string
	var results [2][]string
	for i := range arms {
		e.open(arms[i])
		e.body(&in.Blocks[i])
		for j, v := range in.Blocks[i].Results {
			results[i] = append(results[i], e.vector(v, e.wide(in.Out[j])))
		}
		ends[i] = e.block
		e.br(done)
	}
	e.open(done)
	for j, v := range in.Out {
		n := e.wide(v)
		e.give(v, e.set("phi %s [ %s, %%%s ], [ %s, %%%s ]", typ{e.Kind(v), n}, results[0][j], ends[0], results[1][j], ends[1]), n)
	}
}

func (e *emitter) bothArms(in *kernel.Instr) {
	cond, around := e.vector(in.Args[0], e.lanes), e.taken
	t := typ{num.Bool, e.lanes}
	var results [2][]string
	for i, taken := range [2]string{cond, e.two("xor", t, cond, t.constant(1))} {
		if e.taken = taken; around != "" {
			e.taken = e.two("and", t, around, taken)
		}
		results[i] = e.arm(in, i)
	}
	e.taken = around
	for j, v := range in.Out {
		t := typ{e.Kind(v), e.lanes}
		e.give(v, e.pick(cond, t, results[0][j], results[1][j]), t.n)
	}
}

// arm computes a block for all lanes, and gives its results. One that is dear is computed if any lane takes it: what it is for is often rare.
func (e *emitter) arm(in *kernel.Instr, i int) []string {
	b := &in.Blocks[i]
	compute := func() (results []string) {
		for x := range b.Instrs {
			e.instr(&b.Instrs[x])
		}
		for j, v := range in.Out {
			results = append(results, e.vector(b.Results[j], typ{e.Kind(v), e.lanes}.n))
		}
		return results
	}
	if e.lanes == 1 || !e.Dear(b) {
		return compute()
	}
	var none []state
	for _, v := range in.Out {
		t := typ{e.Kind(v), e.lanes}
		none = append(none, state{t, t.zero()})
	}
	return e.when(e.anyLane(e.taken, e.lanes), none, func() []string {
		outside := e.pending
		e.pending = nil
		results := compute()
		e.flush()
		e.pending = outside
		return results
	})
}
