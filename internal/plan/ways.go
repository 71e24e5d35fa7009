package plan

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: what a launch over a data set is expected to take by each way, and what runs of its kernel took that went one. Out: what it is expected to take
// by both. A way that no run went is taken to be as far off as those that were: so runs that went one way alone do not change which is the best.

// Gone is what earlier runs of a launch's kernel took by the ways that they went.
type Gone struct {
	Seen    *seen.Memory // nil if nothing is known
	Kernel  kernel.ID
	Sizes   []int64
	Threads int // that there are
}

// Warm expects of each way what was seen of it, by runs with as much to do, or at most twice as much, or half of it. It reports which ways were gone.
func (g *Gone) Warm(e *machine.Engine, ways *Ways) (gone [3]bool) {
	if g.Seen == nil {
		return gone
	}
	sum, n := 0.0, 0.0
	for w := range ways {
		cold := ways[w]
		if cold.P50 == 0 {
			continue
		}
		r, ok := g.ratio(Way(w), cold.P50)
		if !ok {
			continue
		}
		if warm, ok := warmer(e, cold, []ratio{r}); ok {
			ways[w], gone[w] = warm, true
			sum, n = sum+math.Log(warm.P50/cold.P50), n+1
		}
	}
	for w := range ways {
		if n > 0 && !gone[w] {
			ways[w] = ways[w].Times(math.Exp(sum / n))
		}
	}
	return gone
}

// ratio is what the run tells that was the most alike.
func (g *Gone) ratio(w Way, cold float64) (ratio, bool) {
	none := func(int) (int64, bool) { return 0, false }
	at, away := volume(g.Sizes, 0, none), math.Ln2
	var best *seen.Point
	list := g.Seen.Of(seen.OfWay(g.Kernel, w.String(), g.Threads))
	for i := range list {
		pt := &list[i]
		if !pt.Tells() || len(pt.Sizes) != len(g.Sizes) {
			continue
		}
		if off := math.Abs(volume(pt.Sizes, 0, none) - at); off <= away {
			best, away = pt, off
		}
	}
	if best == nil {
		return ratio{}, false
	}
	return against(best, cold*math.Exp(volume(best.Sizes, 0, none)-at))
}
