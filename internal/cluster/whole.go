package cluster

import (
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch that comes to rows at random, of a data set that is one shard, as in far memory. Out: the launch as one task beside that shard.
// No state ever has to stop there, so it runs as the kernel that it is: also where none of it can be suspended. Invariant: all columns of the
// set that it reads lie whole on the node that runs it.

// entire is such a launch.
type entire struct {
	*task
	spans []span
}

// entire is the launch as one task, or nil if it cannot be one.
func (a *arranged) entire() (*entire, error) {
	spans := []span{{0, a.Outer, 0}}
	if len(a.set.Shards) != 1 || a.unfit(spans) != "" {
		return nil, nil
	}
	t, err := a.task()
	if err != nil || t.fixed > mostBytes/2 {
		return nil, err
	}
	return &entire{t, spans}, nil
}

// columns are the regions that are columns of the set.
func (a *arranged) columns() []int {
	return append(slices.Clone(a.stored), slices.Sorted(maps.Keys(a.far))...)
}

// load is what travels for such a launch; w is its suspendable form, nil if it has none.
func (e *entire) load(m *machine.Machine, a *arranged, w *walking) *plan.Moving {
	mv := &plan.Moving{Shipped: a.shipped(e.task, e.spans, nil, a.back(e.spans))}
	columns := a.columns()
	if n := a.bytesOf(columns); holds(n) {
		mv.Fetched = a.fetched(n, len(columns))
	}
	if w != nil {
		if _, err := w.batch.inRounds(a.Compiled.Kernel, a.far); err == nil {
			mv.Gathered = w.gathered(m)
			mv.Gathered.Bytes += float64(a.rowBytes()) // what streams comes here
		}
	}
	return mv
}
