package cost

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: a load or store whose place an index tells some turns before, which package loops knows. Out: what it takes to ask for it
// beforehand, and how many are then under way. A processor has as many under way by itself as it looks ahead by operations.

// leastIndices is how many elements must tell places for it to be worth looking ahead among them: a short pattern that is gone
// through again and again says nothing of its next round.
const leastIndices = 512

// tell notes whether a place is told beforehand, and counts what asking for it takes, n times.
func (w *walker) tell(in *kernel.Instr, t *Touch, n float64) {
	within := false
	for _, loop := range w.inside {
		if within { // iterations that go side by side
			break
		}
		within = w.plan != nil && w.plan.In == loop
		for _, x := range w.loops.Ahead(loop) {
			from := w.m.Regions[x.Index.Region]
			if x.Region != in.Region || x.At != in.Args[0] || from.Bytes < leastIndices*from.Elem {
				continue
			}
			if t.Told, t.Woven = true, w.weaves; w.weaves && !w.asked[askedFor{x.Region, x.At}] {
				w.asked[askedFor{x.Region, x.At}] = true
				w.add(Near, 2*n, false)
				w.add(Simple, n*float64(3+len(x.Chain)), false)
			}
			return
		}
	}
}

// begin counts the first access of each chase by itself where an index tells its place: only those that follow are chased, and in a search
// these are beside it.
func (w *walker) begin(in *kernel.Instr, t *Touch, depth int) {
	if w.woven != nil {
		return
	}
	first := *t
	first.Pattern, first.Count = Random, t.Count/math.Max(1, w.trips[depth-1])
	if w.tell(in, &first, first.Count); first.Told {
		t.Count -= first.Count
		if w.m.Touches = append(w.m.Touches, first); searches(w.k, w.inside[len(w.inside)-1], in.Args[0]) {
			t.Pattern = InOrder
		}
	}
}

// row counts the first access of each row by itself where an index tells where the row lies, which is anywhere.
func (w *walker) row(in *kernel.Instr, t *Touch, inner int) {
	first := *t
	first.Pattern, first.Count = Random, t.Count/math.Max(1, w.trips[inner])
	if w.tell(in, &first, first.Count); first.Told {
		t.Count -= first.Count
		w.m.Touches = append(w.m.Touches, first)
	}
}

// askedFor is a place that is asked for once, though it may be loaded and stored.
type askedFor struct {
	region int
	at     kernel.Value
}

// told reports that some place is told beforehand.
func (m *Mix) told() bool {
	for _, t := range m.Touches {
		if t.Told {
			return true
		}
	}
	return false
}

// under is how many accesses of which an index tells the place are under way at the same time.
func (m *Mix) under(t *Touch) float64 {
	if t.Woven {
		return m.Flight
	}
	return math.Max(1, window*t.Count/math.Max(m.operations(), 1))
}
