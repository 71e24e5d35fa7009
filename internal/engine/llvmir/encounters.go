package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a loop that stores to a region one element after another, and touches
// the same region elsewhere; out goes how its turns are computed side by side all
// the same, as far as a few comparisons before the loop show that they do not
// meet. Of two accesses to an element by different turns, one a store, the one
// that comes first turn by turn also comes first in the text of a group.
//
// Say an access touches element x+i in turn i, and one behind it in the body
// y+i. They meet where the first is y-x turns after the second. Up to 0, the
// group has them in the order of the turns, and from its length on they are in
// different groups. Between, the second has to come first, and does not.
//
// An element that stays the same, u, meets a store to y+i in one turn, u-y.
// A group must not contain that turn.

// pair is two accesses to a region, the first before the second in the body.
type pair struct{ first, second *kernel.Instr }

// mostMeetings is how many turns at most are taken out of the groups: after each,
// a loop over groups begins anew.
const mostMeetings = 3

// encounters is what a plan relies on.
type encounters struct {
	pairs    []pair
	distance []affine // that must not lie in 1..n-1 for a group of n turns
	meetings []affine // numbers of turns that no group may contain
	// closest is the least distance known now, above 0: the longest group.
	closest int64
}

// far reports that a store and another access do not keep a loop from being
// computed side by side, and notes what must be seen to for that.
func (p *plan) far(store, other access) bool {
	if p.met == nil || other.looped || store.looped {
		return false
	}
	now := pair{store.in, other.in}
	if slices.IndexFunc(p.access, func(a access) bool { return a.in == other.in }) < slices.IndexFunc(p.access, func(a access) bool { return a.in == store.in }) {
		now = pair{other.in, store.in}
	}
	if slices.Contains(p.met.pairs, now) {
		return true
	}
	x, ok1 := p.affine(now.first.Args[0], p.body)
	y, ok2 := p.affine(now.second.Args[0], p.body)
	if !ok1 || !ok2 || !p.met.note(p.emitter, p.in, x, y) {
		return false
	}
	p.met.pairs = append(p.met.pairs, now)
	return true
}

// note takes the indices of two accesses, of which each grows by one from turn
// to turn or stays the same, but not both do.
func (a *encounters) note(e *emitter, in *kernel.Instr, x, y affine) bool {
	switch {
	case x.turn == 1 && y.turn == 1:
		d := y.minus(x)
		if !d.constant() {
			a.distance = append(a.distance, d)
		} else if d.c > 0 {
			a.closest = min(a.closest, d.c)
		}
		return a.closest > 1
	case x.turn == 1 && y.turn == 0:
		return a.meet(e, in, y, x)
	case x.turn == 0 && y.turn == 1:
		return a.meet(e, in, x, y)
	}
	return false
}

// meet notes the turn in which y is the element u, unless it comes before the
// first or there are too many.
func (a *encounters) meet(e *emitter, in *kernel.Instr, u, y affine) bool {
	y.turn = 0
	turn := u.minus(y)
	if first, ok := e.affine(in.Args[0], &in.Blocks[0]); ok {
		if after := turn.minus(first); after.constant() && after.c < 0 {
			return true
		}
	}
	a.meetings = append(a.meetings, turn)
	return len(a.meetings) <= mostMeetings
}

// writeApart gives what it can to groups of n turns, up to each turn that no
// group may contain, and that turn with what is left over to scalar code.
func (p *plan) writeApart(from, to string, n int, w *weight) {
	clear := p.distant(n)
	var meetings []string
	for _, a := range p.met.meetings {
		meetings = append(meetings, p.affineText(a, "0"))
	}
	part := func(from string) string {
		end := to
		for _, t := range meetings {
			inside := p.set("and i1 %s, %s", p.set("icmp sle i64 %s, %s", from, t), p.set("icmp slt i64 %s, %s", t, end))
			end = p.set("select i1 %s, i64 %s, i64 %s", inside, t, end)
		}
		next := to
		if len(meetings) > 0 {
			next = p.pure("llvm.smin", typ{num.I64, 1}, p.set("add i64 %s, 1", end), to)
		}
		if clear != "" {
			end = p.set("select i1 %s, i64 %s, i64 %s", clear, end, from)
		}
		p.leftOver(p.groups(from, end, n, w), next)
		return next
	}
	if len(meetings) == 0 {
		part(from)
		return
	}
	p.loop("0", strconv.Itoa(len(meetings)+1), 1, []state{{typ{num.I64, 1}, from}}, func(_ string, c []string) ([]string, string) {
		return []string{part(c[0])}, ""
	})
}

// distant is the condition under which all groups of n turns are right; "" for
// always.
func (p *plan) distant(n int) string {
	all := ""
	for _, d := range p.met.distance {
		d.c-- // unsigned, so that 0 is far as well
		c := p.set("icmp uge i64 %s, %d", p.affineText(d, "0"), n-1)
		if all != "" {
			c = p.set("and i1 %s, %s", all, c)
		}
		all = c
	}
	return all
}
