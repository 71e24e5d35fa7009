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
	taken := [2]string{cond, e.two("xor", t, cond, t.constant(1))}
	for i := range in.Blocks {
		if e.taken = taken[i]; around != "" {
			e.taken = e.two("and", t, around, taken[i])
		}
		for x := range in.Blocks[i].Instrs {
			e.instr(&in.Blocks[i].Instrs[x])
		}
	}
	e.taken = around
	for j, v := range in.Out {
		t := typ{e.Kind(v), e.lanes}
		yes, no := e.vector(in.Blocks[0].Results[j], t.n), e.vector(in.Blocks[1].Results[j], t.n)
		e.give(v, e.pick(cond, t, yes, no), t.n)
	}
}
