package plan

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: what a launch is expected to take by its code alone, and what runs of the same kernel took. Out: what it is expected to take
// by both. What the model does not know of a kernel makes it wrong by about the same factor at sizes that are near to each other, so
// measured by expected is carried over: along the logarithm of the expected time, in a straight line between two runs, and
// as it was beyond the last, up to an eighth and eight times of it; farther, less and less of it, since what an amount of work has taken that is over at once
// tells next to nothing of long ones. The interval grows with the way to the nearest run, and is never narrower than what runs with the
// same arguments differed by.

// Past is what earlier runs took; the zero Past knows nothing.
type Past struct {
	Seen *seen.Memory
	// Program is what a program is known by that goes by a schedule.
	Program func(s *schedule.Schedule) kernel.ID
	// Name is what a launch's kernel is known by; false if it has no name.
	Name func(l *schedule.Launch) (kernel.ID, bool)
	// Data names the arguments, of which data decides how often loops turn and how long what is found is; "" if they have no names.
	Data string
}

// ratio is by what factor a run took longer than was expected of it, in nanoseconds and then as a logarithm.
// low and high are how far below and above that, as logarithms, a tenth and nine tenths of such runs were.
type ratio struct{ at, log, low, high float64 }

// farOff is by what factor, as a logarithm, a time may be off that was seen once or twice: farther, it tells more of a machine that
// was busy than of the kernel, and is believed when it has come again.
var farOff = math.Log(16)

// against is what a point says beside what is expected of its arguments; false if it is not to be believed.
func against(pt *seen.Point, expected float64) (ratio, bool) {
	low, high := pt.Apart()
	r := ratio{expected, math.Log(pt.Middle() / expected), math.Log(low), math.Log(high)}
	return r, pt.Often() || math.Abs(r.log) <= farOff
}

// warmer expects that the same holds of a time as of earlier ones; it reports false if there are none.
func warmer(e *machine.Engine, cold machine.Spread, past []ratio) (machine.Spread, bool) {
	past = slices.DeleteFunc(past, func(r ratio) bool { return math.IsNaN(r.log) || math.IsInf(r.log, 0) || !(r.at > 0) })
	if len(past) == 0 || !(cold.P50 > 0) || math.IsInf(cold.P50, 1) {
		return cold, false
	}
	slices.SortFunc(past, func(a, b ratio) int { return cmp.Compare(a.at, b.at) })
	i, found := slices.BinarySearchFunc(past, cold.P50, func(r ratio, t float64) int { return cmp.Compare(r.at, t) })
	var log, away float64
	low, high := 0.0, 0.0
	octaves := func(r ratio) float64 { return math.Abs(math.Log2(cold.P50 / r.at)) }
	switch {
	case found:
		log, low, high = past[i].log, past[i].low, past[i].high
	case i == 0 || i == len(past):
		r := past[max(0, i-1)]
		log, low, high, away = r.log, r.low, r.high, octaves(r)
		log *= min(1, carries/away)
	default:
		a, b := past[i-1], past[i]
		part := octaves(a) / (octaves(a) + octaves(b))
		log, away = a.log+(b.log-a.log)*part, min(octaves(a), octaves(b))
		low, high = min(a.low, b.low), max(a.high, b.high)
	}
	t := cold.P50 * math.Exp(log)
	off := e.Away(away)
	return machine.Spread{P10: t * min(off[0], math.Exp(low)), P50: t, P90: t * max(off[1], math.Exp(high))}, true
}

// carries is how many doublings away calibration has seen what a run tells of others: see machine.Eighth.
const carries = 3

// of is what is known of a launch's kernel; nil if there is nothing that knows.
func (p *Past) of(l *schedule.Launch) func(engine string, threads int) []seen.Point {
	if p.Seen == nil {
		return nil
	}
	id, ok := p.Name(l)
	if !ok {
		return nil
	}
	return func(engine string, threads int) []seen.Point {
		return p.Seen.Of(seen.Key{ID: id, Engine: engine, Threads: threads})
	}
}

// besides is what a call takes besides its launches.
func (p *predictor) besides(e *machine.Engine) (machine.Spread, bool) {
	model := func(sizes map[string]int64) machine.Spread {
		q := *p
		q.sizes = sizes
		return machine.Exactly(e.Call).Plus(q.results())
	}
	cold := model(p.sizes)
	if p.opt.Past.Seen == nil {
		return cold, false
	}
	var past []ratio
	names := slices.Sorted(maps.Keys(p.given))
	for _, pt := range p.opt.Past.Seen.Of(seen.Key{ID: p.opt.Past.Program(p.s), Engine: p.opt.Engine, Threads: p.most()}) {
		if !pt.Tells() || len(pt.Sizes) != len(names) {
			continue
		}
		sizes := map[string]int64{}
		for i, n := range pt.Sizes {
			sizes[names[i]] = n
		}
		if r, ok := against(&pt, model(sizes).P50); ok {
			past = append(past, r)
		}
	}
	return warmer(e, cold, past)
}

// OfSize and OfLoop name what is remembered of a size that is found while a program runs, and of a loop.
func OfSize(size string) string { return "size " + size }

// OfLoop: see OfSize.
func OfLoop(loop int) string { return fmt.Sprintf("loop %d", loop) }

// part is which part of what is possible data has let a loop turn, or a size come to, in the last run: over the same data, or else over any.
func (p *predictor) part(name string) (float64, bool) {
	if p.opt.Past.Seen == nil {
		return 0, false
	}
	id := p.opt.Past.Program(p.s)
	if part, ok := p.opt.Past.Seen.Part(seen.With(id, p.opt.Past.Data), name); ok {
		return part, true
	}
	return p.opt.Past.Seen.Part(id, name)
}
