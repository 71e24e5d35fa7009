package cluster

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: launches that go to nodes of this machine because the columns that they read would have to be mapped here first, see laid.go. Out: when that
// had better be done all the same: when launches have lost as much by going there as it takes. Who rents until the rent is the price, and
// then buys, pays at most twice what it would take to know how many launches come (Karlin et al., Competitive Snoopy Caching, 1988).

// rents are what launches have lost, in nanoseconds, by the columns that they read. They are safe for concurrent use.
type rents struct {
	mu   sync.Mutex
	view *catalog.View // those of an older one count no more
	paid map[string]float64
}

// mostRents is how many are remembered; beyond it all are forgotten.
const mostRents = 1024

// pay adds what a launch loses, and reports that it is the price by now; then it begins anew.
func (r *rents) pay(view *catalog.View, columns string, lost, price float64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paid == nil || r.view != view || len(r.paid) >= mostRents {
		r.view, r.paid = view, map[string]float64{}
	}
	if r.paid[columns] += lost; r.paid[columns] < price {
		return false
	}
	delete(r.paid, columns)
	return true
}

// rent notes what a launch loses that does not have its rows here, and what it takes to have them here from now on; nothing if they cannot stay here.
func (b *Beside) rent(a *arranged, m *machine.Machine, mv *plan.Moving, w *weighed) {
	l := mv.Fetched
	if w.best == Fetch || l == nil || mv.Link.Near.P50 <= 0 || !b.c.couldLay(a) {
		return
	}
	here, free := *mv, *l
	free.InPlace, free.Unopened = free.Bytes, 0
	here.Fetched = &free
	w.price = l.Time(mv.Link).P50 - free.Time(mv.Link).P50
	w.lost = max(0, w.ways[w.ways.Best()].P50-plan.Weigh(m, &here)[plan.Fetch].P50)
}

// couldLay reports that all columns of a launch can be used where they lie, as far as is known without trying.
func (c *Cluster) couldLay(a *arranged) bool {
	for _, in := range a.column {
		if !laidAs(a.set, in.Binding.Column) || !in.Binding.Plain(in.Kind) || c.cannotLay(laidKey{a.set.ID, in.Binding.Column}) {
			return false
		}
	}
	return c.allNear(a.set)
}

// bought is a decision, or the other one if launches have lost enough by it.
func (b *Beside) bought(a *arranged, w *weighed) *weighed {
	if b.strategy != Auto || w.lost <= 0 || !b.c.rents.pay(b.c.View(), a.columnsRead(), w.lost, w.price) {
		return w
	}
	a.decided = nil
	return &weighed{best: Fetch, ways: w.ways, why: w.why + "; but launches over these columns have lost by that what it takes to have them here"}
}

// columnsRead names the columns of the set that a launch reads.
func (a *arranged) columnsRead() string {
	var columns []int
	for _, in := range a.column {
		columns = append(columns, in.Binding.Column)
	}
	slices.Sort(columns)
	key := binary.AppendUvarint(nil, uint64(a.set.ID))
	for _, c := range slices.Compact(columns) {
		key = binary.AppendUvarint(key, uint64(c))
	}
	return string(key)
}
