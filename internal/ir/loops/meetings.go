package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In comes a loop that stores to a region one element after another, and touches the same region elsewhere; out goes how its
// iterations are computed side by side all the same, as far as a few comparisons before the loop show that they do not meet.
// Invariant: where two iterations touch one element and one of them stores it, a group of lanes touches it in the order of
// the iterations.
//
// Say an access touches element x+i in iteration i, and one behind it in the body y+i. They meet where the first is y-x
// iterations after the second. Up to 0, the group has them in the order of the iterations, and from its length on they are in
// different groups. Between, the second has to come first, and does not.
//
// An element that stays the same, u, meets a store to y+i in one iteration, u-y. A group must not contain that iteration.

// pair is two accesses to a region, the first before the second in the body.
type pair struct{ first, second *kernel.Instr }

// mostMeetings is how many iterations at most are taken out of the groups: after each, a loop over groups begins anew.
const mostMeetings = 3

// Meetings is what a plan relies on.
type Meetings struct {
	pairs    []pair
	Distance []Sum // that must not lie in 1..n-1 for a group of n lanes
	At       []Sum // iterations that no group may contain
	// Closest is the least distance known now, above 0: the longest group.
	Closest int64
}

// Any reports that there is something to look at before the loop.
func (m *Meetings) Any() bool { return m != nil && len(m.pairs) > 0 }

// far reports that a store and another access do not keep a loop from being computed side by side, and notes what must be seen
// to for that.
func (p *Plan) far(store, other Access) bool {
	if p.Meet == nil || other.looped || store.looped {
		return false
	}
	place := func(x Access) int {
		return slices.IndexFunc(p.Access, func(a Access) bool { return a.In == x.In })
	}
	now := pair{store.In, other.In}
	if place(other) < place(store) {
		now = pair{other.In, store.In}
	}
	if slices.Contains(p.Meet.pairs, now) {
		return true
	}
	x, ok1 := p.Of.Sum(now.first.Args[0], p.Body)
	y, ok2 := p.Of.Sum(now.second.Args[0], p.Body)
	if !ok1 || !ok2 || !p.note(x, y) {
		return false
	}
	p.Meet.pairs = append(p.Meet.pairs, now)
	return true
}

// note takes the indices of two accesses, of which each grows by one from iteration to iteration or stays the same, but not
// both do.
func (p *Plan) note(x, y Sum) bool {
	m := p.Meet
	switch {
	case x.Step == 1 && y.Step == 1:
		d := y.Minus(x)
		if !d.IsConst() {
			m.Distance = append(m.Distance, d)
		} else if d.C > 0 {
			m.Closest = min(m.Closest, d.C)
		}
		return m.Closest > 1
	case x.Step == 1 && y.Step == 0:
		return p.meet(y, x)
	case x.Step == 0 && y.Step == 1:
		return p.meet(x, y)
	}
	return false
}

// meet notes the iteration in which y is the element u, unless it comes before the first or there are too many.
func (p *Plan) meet(u, y Sum) bool {
	y.Step = 0
	at := u.Minus(y)
	if first, ok := p.Of.Sum(p.In.Args[0], p.Body); ok {
		if after := at.Minus(first); after.IsConst() && after.C < 0 {
			return true
		}
	}
	p.Meet.At = append(p.Meet.At, at)
	return len(p.Meet.At) <= mostMeetings
}
