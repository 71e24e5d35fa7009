package caller

import (
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Replacement says that a request for a shard went to one node after another had failed,
// was lost or had no time for it. Both are names.
type Replacement struct{ Node, By string }

// replace notes it, each pair once.
func (s *Stats) replace(r Replacement) {
	if !slices.Contains(s.Replaced, r) {
		s.Replaced = append(s.Replaced, r)
	}
}

// moved notes that what one node was asked goes to another now. 0 is nobody.
func (c *Core) moved(op *operation, from, to catalog.Peer) {
	if from != 0 && to != 0 && from != to {
		op.stats.replace(Replacement{c.name(from), c.name(to)})
	}
}
