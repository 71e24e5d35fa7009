package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: a filter of rows by what is dear to find, such as their partners of a join, of which the rows that are left are kept. Out: that is stored ahead,
// in the schedule in which threads share. Where each row goes depends on how many before it are kept, so that threads find out how many that are before
// they store any: twice of what is dear, which one thread does once.

// storeAheadOfCompacts has such maps stored. Where threads share nothing it notes that they could.
func (l *lowering) storeAheadOfCompacts() {
	for n, u := range l.use {
		if n.Op != graph.Map || masked(n) || u.cost < 100 || u.others > 0 || u.streams != 1 || l.memory.home[n] != &l.g.Body || !l.onlyForCompacts(n) {
			continue
		}
		if l.sharable++; l.shared {
			u.ahead = true
		}
	}
}

// onlyForCompacts reports that all that walks over n, by way of maps and filters, keeps the rows that are left.
func (l *lowering) onlyForCompacts(n *graph.Node) bool {
	u := l.use[n]
	return u.others == 0 && len(u.walkers) > 0 && !slices.ContainsFunc(u.walkers, func(w *graph.Node) bool {
		return w.Op != graph.Compact && (w.Op != graph.Map && w.Op != graph.Filter || !l.onlyForCompacts(w))
	})
}
