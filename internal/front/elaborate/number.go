package elaborate

import "github.com/godwit-run/godwit/internal/ir/graph"

// number gives the fault sites their numbers, in the order in which a reader
// would evaluate them, and each node its site: what is inside of a node, and
// what it takes, comes before it. Calls of one function share their sites
// where that keeps the order.
func (e *elab) number() {
	n := &numbering{e: e, sites: map[siteKey]int{}, latest: map[*graph.Node]int{}}
	n.block(&e.g.Body, -1, nil)
}

type numbering struct {
	e     *elab
	sites map[siteKey]int
	// latest is the last site on which a node's value depends, or -1.
	latest map[*graph.Node]int
}

// siteKey tells sites apart that must not be one: those in two different
// groups (see graph.SiteOrder) never are.
type siteKey struct {
	graph.Site
	group *graph.Node
}

// block numbers a block whose evaluation depends on the sites up to before,
// inside of the outermost operation with a block.
func (n *numbering) block(b *graph.Block, before int, group *graph.Node) {
	for _, p := range b.Params {
		n.latest[p] = before
	}
	for _, x := range b.Nodes {
		last := before
		for _, a := range x.Args {
			last = max(last, n.latest[a])
		}
		inner := group
		if inner == nil && x.Op != graph.If && len(x.Blocks) > 0 {
			inner = x
		}
		taken := last
		for _, b := range x.Blocks {
			n.block(b, taken, inner)
			for _, y := range b.Nodes {
				last = max(last, n.latest[y])
			}
			if x.Op != graph.If {
				taken = last
			}
		}
		if x.Site >= 0 {
			last = n.site(x, last, group)
		}
		n.latest[x] = last
	}
}

// site numbers a node that depends on the sites up to last.
func (n *numbering) site(x *graph.Node, last int, group *graph.Node) int {
	i := n.e.of(x)
	key := siteKey{Site: graph.Site{Pos: x.Pos, Kind: i.fault, Text: i.text}}
	if group != nil && group.Op.IsInOrder() {
		key.group = group
	}
	s, ok := n.sites[key]
	if !ok || s <= last {
		s = len(n.e.g.Sites)
		n.sites[key] = s
		n.e.g.Sites = append(n.e.g.Sites, key.Site)
	}
	x.Site = s
	return s
}
