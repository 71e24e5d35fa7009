package plan

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: a kernel of which there is no native code. Out: what it takes to make that, by how many instructions it has, and by what it took to make that of others.

// awaking is how many times as long it takes to make native code of a kernel of calibration if the compiler has to be started for it.
const awaking = 3

// untilMadeCold is what it takes by the code alone, with the start of the compiler or without.
func untilMadeCold(e *machine.Engine, instructions int64, starts bool) float64 {
	t := e.Making(int(instructions))
	if starts {
		t += (awaking - 1) * e.Compile
	}
	return t
}

// untilMade is what it takes to make native code of a kernel, with the start of the compiler or without.
func (p *predictor) untilMade(k *kernel.Kernel, starts bool) machine.Spread {
	e := p.opt.Machine.Engines["native"]
	n := int64(kernel.Instructions(k))
	here := machine.Here().Engines["native"] // where it was seen, whatever machine is asked about
	if p.opt.Past.Seen == nil || here == nil {
		return machine.Exactly(untilMadeCold(e, n, starts))
	}
	var past []ratio
	for _, pt := range p.opt.Past.Seen.Of(seen.OfMaking()) {
		if len(pt.Sizes) == 2 {
			if r, ok := against(&pt, untilMadeCold(here, pt.Sizes[0], pt.Sizes[1] > 0)); ok {
				past = append(past, r)
			}
		}
	}
	t, _ := warmer(here, machine.Exactly(untilMadeCold(here, n, starts)), past)
	return t.Times(e.Compile / here.Compile)
}
