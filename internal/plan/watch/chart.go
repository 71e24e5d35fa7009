package watch

import (
	"math"
	"slices"
	"time"
)

// In: what the kernels on one resource took within a slot, against what is usual there. Out: whether it has become slow, by a CUSUM:
// what is above the allowance adds up, what is below takes away, and beyond the limit the resource is accused. RATIONALE.md has the
// figures that the parameters were chosen by.

const (
	// allowance is by how much a resource may be slower than usual, as a logarithm of the factor: half of what is looked for,
	// which is a factor of two and more.
	allowance = 0.405 // a factor of 1.5
	// A resource whose sum exceeds limit is accused. Sums stop at twice that, so that it is cleared soon.
	limit = 8.0
	// clip is the most that one slot counts, as a logarithm: one slot alone never accuses.
	clip = 2.0
	// learning is how many slots of a kernel on a resource make what is usual there.
	learning = 8
	// adapt is by how much what is usual follows what is, in each slot that is no evidence.
	adapt = 0.02
	// A slot after idle ones counts for those too, for patience at most.
	patience = 5
)

// Stops are looked for apart: a node that stands still for 300 ms of each second is slower by a factor of 1.4 only. A slot with one
// part that took so many times as long, and so much longer, is evidence of stops; another is evidence against.
const (
	stopFactor = 4.0
	stopExcess = 0.1           // seconds
	stopYes    = 2.48          // ln(0.6/0.05): such a slot in six of ten where a node stops, in one of twenty elsewhere
	stopNo     = -0.865        // ln(0.4/0.95)
	stopLimit  = 4.5 * stopYes // five slots of evidence exceed it
	stopMost   = -16 * stopNo  // a sum is gone after sixteen quiet slots
)

// level is what a kernel on a resource usually takes against what is expected, as a logarithm.
type level struct {
	kernel string
	first  []float64 // slots, until there are enough
	usual  float64   // valid once known
	known  bool
	within float64 // the factor that its expectations may be off by
	below  float64 // the sum that says that it has become faster
	pieces int     // parts since it was learned
	since  time.Time
	last   int64 // slot of the last observation
}

// observed is one cell in one slot.
type observed struct {
	y    float64
	cell *level
	sum  *sum
}

// chart is the sums of a resource.
type chart struct {
	slow, stops float64
	since       time.Time // when the first of the two sums left zero
	pieces      int       // since then
	measured    float64   // since then
	expected    float64
	last        int64 // slot of the last observation
}

// learn takes in a slot of a cell that is no evidence.
func (l *level) learn(o *observed, at time.Time) {
	l.within = max(l.within, o.sum.within)
	l.pieces += o.sum.pieces
	if l.known {
		l.follow(o, at)
		return
	}
	if len(l.first) == 0 {
		l.since, l.pieces, l.within = at.Add(-slot), o.sum.pieces, o.sum.within
	}
	if l.first = append(l.first, o.y); len(l.first) >= learning {
		slices.Sort(l.first)
		l.usual, l.known, l.first = l.first[len(l.first)/2], true, nil
	}
}

// follow keeps up with what is usual, and begins anew where it has become much faster: the machine has recovered, or has been
// described again.
func (l *level) follow(o *observed, at time.Time) {
	l.usual += adapt * math.Max(-clip, math.Min(clip, o.y-l.usual))
	l.below = math.Max(0, l.below+math.Min(clip, l.usual-o.y)-allowance)
	if l.below > limit/2 {
		*l = level{kernel: l.kernel, since: at, last: l.last}
		l.learn(o, at)
	}
}

// judge takes in what a resource did in a slot.
func (w *Watch) judge(r Resource, list []observed, at time.Time) {
	c := w.charts[r]
	if c == nil {
		c = &chart{last: w.slot - 1}
		w.charts[r] = c
	}
	gap := float64(min(w.slot-c.last, patience))
	c.last = w.slot
	var shifts []float64
	stopped := false
	for i := range list {
		o := &list[i]
		stopped = stopped || o.sum.most > stopFactor*math.Exp(math.Max(0, o.cell.usual)) && o.sum.longest > stopExcess
		if o.cell.known {
			shifts = append(shifts, o.y-o.cell.usual)
		}
	}
	if len(shifts) > 0 {
		c.add(middle(shifts), stopped, gap, list, at)
	}
	if c.slow == 0 || !slices.ContainsFunc(list, func(o observed) bool { return o.cell.known }) {
		for i := range list {
			list[i].cell.learn(&list[i], at)
		}
	}
	w.hold(r, c)
}

// middle is the median, the lower of two: what only one of two kernels suffers is not the machine's.
func middle(list []float64) float64 {
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// add takes in how much slower than usual a slot was. What speaks for the resource counts for the slots before in which it had no
// work, too.
func (c *chart) add(shift float64, stopped bool, gap float64, list []observed, at time.Time) {
	x := math.Max(-clip, math.Min(clip, shift)) - allowance
	if x < 0 {
		x *= gap
	}
	c.slow = math.Max(0, math.Min(2*limit, c.slow+x))
	if stopped {
		c.stops = math.Min(stopMost, c.stops+stopYes)
	} else {
		c.stops = math.Max(0, c.stops+stopNo*gap)
	}
	if c.slow == 0 && c.stops == 0 {
		c.pieces, c.measured, c.expected, c.since = 0, 0, 0, time.Time{}
		return
	}
	if c.since.IsZero() {
		c.since = at.Add(-slot)
	}
	for i := range list {
		s := list[i].sum
		c.pieces, c.measured, c.expected = c.pieces+s.pieces, c.measured+s.measured, c.expected+s.expected*math.Exp(list[i].cell.usual)
	}
}

// hold accuses a resource beyond its limit, and clears it when its sums are gone.
func (w *Watch) hold(r Resource, c *chart) {
	a := w.accused[r]
	switch {
	case c.slow > limit || c.stops > stopLimit:
		if a == nil {
			a = &Accusation{Resource: r, Since: c.since}
			w.accused[r] = a
		}
		a.Stops = c.slow <= limit
	case a != nil && a.Since.Equal(c.since): // until the sums are gone
	case a != nil:
		delete(w.accused, r)
		return
	}
	if a != nil {
		a.Pieces, a.Factor = c.pieces, c.measured/c.expected
	}
}
