package lower

import (
	"maps"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: an operation that one thread does in order, and slots that can be divided among threads. Out: its steps for as many parts as
// there are threads, with a step before them that sets how long these are.
// Invariant: where verify does not see that parts do not meet, one thread does it.

// divided are slots in parts, by sizes that a step sets at the run.
type divided struct {
	slots       size.Poly
	count       size.Poly // of parts
	grain, part size.Poly // slots
	rounds      size.Poly // of merging two runs of parts at a time, but for the last
}

// inParts adds the steps that shared makes of n, and if it makes none those of alone.
func (l *lowering) inParts(n *graph.Node, slots size.Poly, shared func(p divided) error, alone func() error) error {
	step, p := l.partsOf(slots)
	outer, known := l.steps, l.mat
	steps := []schedule.Step{step}
	l.steps, l.mat = &steps, maps.Clone(known)
	err := shared(p)
	made, ok := l.mat[n]
	if l.steps, l.mat = outer, known; err != nil {
		return alone()
	}
	*l.steps = append(*l.steps, steps...)
	if ok {
		l.mat[n] = made
	}
	return nil
}

func (l *lowering) partsOf(slots size.Poly) (*schedule.SetParts, divided) {
	named := func(what string, least, most int64) (string, size.Poly) {
		name := what + "." + itoa(l.sharable)
		l.facts.Lo[name], l.facts.Hi[name] = least, most
		return name, size.Var(name)
	}
	step, p := &schedule.SetParts{Slots: slots}, divided{slots: slots}
	step.Parts, p.count = named("parts", 1, schedule.MostParts)
	step.Grain, p.grain = named("grain", 1, max(1, l.most(slots)))
	step.Rounds, p.rounds = named("rounds", 0, schedule.MostParts)
	p.part = p.grain.MulConst(schedule.GrainsOfPart)
	return step, p
}
