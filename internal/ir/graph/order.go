package graph

import "slices"

// SiteOrder says where a site stands among the faults of a run. Groups come
// in order of their numbers. In a group the least index comes first, and
// there the least site.
type SiteOrder struct {
	// Group is the first of the sites that stand in one Loop, Fold, Scan or
	// Scatter outside of any other: there a turn may fault only because one
	// before it did. Any other site is a group of its own.
	Group int
	// Turns: the group is that of a Loop, and an index counts its turns.
	Turns bool
}

// SiteOrders gives the place of every site.
func (g *Graph) SiteOrders() []SiteOrder {
	orders := make([]SiteOrder, len(g.Sites))
	for i := range orders {
		orders[i].Group = i
	}
	groupSites(&g.Body, orders)
	return orders
}

func groupSites(b *Block, orders []SiteOrder) {
	for _, n := range b.Nodes {
		if n.Op == If {
			for _, inner := range n.Blocks {
				groupSites(inner, orders)
			}
		}
		if !n.Op.IsInOrder() {
			continue
		}
		var sites []int
		for _, inner := range n.Blocks {
			inner.Walk(func(n *Node) bool {
				if n.Site >= 0 {
					sites = append(sites, n.Site)
				}
				return true
			})
		}
		for _, s := range sites {
			orders[s] = SiteOrder{slices.Min(sites), n.Op == Loop}
		}
	}
}

// IsInOrder reports an operation whose turns get what the turns before them
// have made.
func (op Op) IsInOrder() bool { return op == Loop || op == Fold || op == Scan || op == Scatter }

// Before reports whether a fault at site s, index i is reported rather than
// one at site t, index j.
func Before(orders []SiteOrder, s int, i int64, t int, j int64) bool {
	a, b := orders[s].Group, orders[t].Group
	if a != b {
		return a < b
	}
	return i < j || i == j && s < t
}
