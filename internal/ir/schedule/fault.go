package schedule

import "math"

// Site is a fault site of the function; see graph.SiteOrder.
type Site struct {
	Group  int  // number of the first site of its group
	InLoop bool // places are turns of a loop
}

// IsInLoop reports whether the places of a site's faults are turns.
func (s *Schedule) IsInLoop(site int) bool { return site < len(s.Sites) && s.Sites[site].InLoop }

// FirstFault finds the site that a run reports, from the least place of each
// site (math.MaxInt64: no fault): in the first group that has a fault, the
// one at the least place, and there the first.
func (s *Schedule) FirstFault(places []int64) (site int, faulted bool) {
	for i, at := range places {
		if at == math.MaxInt64 {
			continue
		}
		if !faulted || s.group(i) == s.group(site) && at < places[site] {
			site, faulted = i, true
		}
	}
	return site, faulted
}

func (s *Schedule) group(site int) int {
	if site < len(s.Sites) {
		return s.Sites[site].Group
	}
	return site
}
