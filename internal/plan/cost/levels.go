package cost

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: loops that follow references. Out: in how much of a region they go about, and how many of them are under way at a time, though they are
// written one after the other. Invariant: what is said of a chase is at most what it takes by one reference at a time over the whole region.

// scaling reports an operation that gives a place among twice as many, or half.
func scaling(op num.Op, by float64) bool {
	switch op {
	case num.Mul, num.Div:
		return by >= 2
	case num.Shl, num.Shr:
		return by >= 1
	}
	return false
}

// scales reports that next, which comes after p in a turn of a loop, is p by a number, but for sums, bounds and choices.
func (w *walker) scales(p, next kernel.Value, steps int) bool {
	in := w.loops.Def[next]
	if in == nil || steps == 0 {
		return false
	}
	goes := func(vs ...kernel.Value) bool {
		return slices.ContainsFunc(vs, func(v kernel.Value) bool { return w.scales(p, v, steps-1) })
	}
	switch in.Code {
	case kernel.Select:
		return goes(in.Args[1:]...)
	case kernel.Bound:
		return goes(in.Args[0])
	case kernel.If:
		i := slices.Index(in.Out, next)
		return goes(in.Blocks[0].Results[i], in.Blocks[1].Results[i])
	case kernel.Arith:
		switch in.Op {
		case num.Add, num.Sub, num.Min, num.Max:
			return goes(in.Args...)
		}
		for i, a := range in.Args {
			if by, ok := w.loops.ConstInt(in.Args[len(in.Args)-1-i]); ok && a == p && scaling(in.Op, float64(by)) {
				return true
			}
		}
	}
	return false
}

// beyond is what an access takes more than one in the first cache, if it is within so many bytes: in the middle of all levels, if they have
// twice as many bytes each.
func (t *Touch) beyond(c machine.Curve, bytes float64) float64 {
	if !t.Levels {
		return beyond(c, bytes)
	}
	sum, n := 0.0, 0.0
	for span := float64(line); n == 0 || span < bytes; span *= 2 {
		sum += beyond(c, math.Min(span, bytes))
		n++
	}
	return sum / n
}

// interleaved is what an access takes with so many under way: beside the work of a hop, and alone. Walks come to a level together, so near levels
// wait for the work, and far ones, however few they are, for the memory.
func (t *Touch) interleaved(mem machine.Memory, bytes, flight, work float64) (beside, alone float64) {
	each := func(span float64) float64 {
		return math.Max(beyond(mem.Random, span), beyond(mem.Chase, span)/flight)
	}
	if !t.Levels {
		return each(bytes), 0
	}
	n := 0.0
	for span := float64(line); n == 0 || span < bytes; span *= 2 {
		x := each(math.Min(span, bytes))
		beside, alone = beside+math.Min(x, work), alone+math.Max(0, x-work)
		n++
	}
	return beside / n, alone / n
}

const (
	// window is how many operations a processor looks ahead, about: 448 on Zen 5, 512 on Golden Cove.
	window = 448
	// mostMisses is how many accesses a processor core waits for at a time.
	mostMisses = 10
)

// ahead is how many chases of outer indices that follow each other are under way at a time, since a processor begins the next one while it waits.
// One that must guess a branch at about every access has guessed wrong before it gets there.
func (m *Mix) ahead(accesses float64) float64 {
	outer := float64(m.Outer)
	if outer <= 1 || m.Sequential || m.Counts[Branch].One >= accesses/2 {
		return 1
	}
	return math.Min(mostMisses, math.Max(1, window*outer/math.Max(m.operations(), 1)))
}
