package watch

import (
	"math"
	"slices"
	"time"
)

// In: what is usual of each kernel on each node. Out: what of it is so on every node, or for every kernel, or for all: then the
// model, the description of a node, or the one description of all is to blame. A link or a disk has no kernel: what it was from the
// first piece on is its own.

// describe judges what is usual.
func (w *Watch) describe() {
	byNode, byKernel, all := map[string][]*level{}, map[string][]*level{}, []*level{}
	for c, l := range w.cells {
		switch {
		case !l.known:
		case c.of.Kind != Node:
			w.constant(c.of, []*level{l}, l.usual)
		default:
			byNode[c.of.Name], byKernel[c.kernel] = append(byNode[c.of.Name], l), append(byKernel[c.kernel], l)
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return
	}
	levels, each := map[string]float64{}, []float64{}
	for k, list := range byKernel {
		levels[k] = common(usual(list, nil))
		each = append(each, levels[k])
	}
	shared := common(each)
	// One kernel says nothing of a description: what is off everywhere is its model's.
	if len(byKernel) == 1 {
		shared = 0
	}
	w.constant(Resource{Description, ""}, all, shared)
	for name, list := range byNode {
		if len(byNode) > 1 {
			w.constant(Resource{Description, name}, list, common(usual(list, levels)))
		}
	}
	for name, list := range byKernel {
		w.constant(Resource{Model, name}, list, levels[name]-shared)
	}
}

// usual lists what is usual, beside the levels of kernels.
func usual(list []*level, levels map[string]float64) (ys []float64) {
	for _, l := range list {
		ys = append(ys, l.usual-levels[l.kernel])
	}
	return ys
}

// common is what all have in common: the median, but of two that differ the one nearer to what is expected, for one of them is to
// blame and not both.
func common(ys []float64) float64 {
	slices.Sort(ys)
	switch n := len(ys); {
	case n == 2 && ys[0] <= 0 && ys[1] >= 0:
		return 0
	case n == 2 && ys[0] > 0:
		return ys[0]
	case n == 2:
		return ys[1]
	case n%2 == 0:
		return (ys[n/2-1] + ys[n/2]) / 2
	default:
		return ys[n/2]
	}
}

// cleared is by how much less than what it was accused of a difference has to be until it is forgotten, as a logarithm.
const cleared = 0.1

// doubts is for how many slots something must be off until it is accused of that: as long as it takes to learn what else is usual.
const doubts = learning

// constant accuses what all of these have in common if that is more than the expectations may be off by.
func (w *Watch) constant(r Resource, list []*level, off float64) {
	if c := w.charts[r]; c != nil && (c.slow > limit || c.stops > stopLimit) {
		return // it has shifted, which is worse
	}
	within, pieces, since := allowance, 0, time.Time{}
	for _, l := range list {
		within, pieces = math.Max(within, math.Log(l.within)), pieces+l.pieces
		if since.IsZero() || l.since.Before(since) {
			since = l.since
		}
	}
	a := w.accused[r]
	switch {
	case math.Abs(off) > within:
		if w.doubted[r]++; w.doubted[r] < doubts {
			return
		}
		if a == nil {
			a = &Accusation{Resource: r, Since: since}
			w.accused[r] = a
		}
		a.Pieces, a.Factor = pieces, math.Exp(off)
	case a == nil:
		delete(w.doubted, r)
	case math.Abs(off) < within-cleared && w.charts[r].quiet():
		delete(w.accused, r)
		delete(w.doubted, r)
	}
}

// quiet reports that no sum speaks against the resource.
func (c *chart) quiet() bool { return c == nil || c.slow == 0 && c.stops == 0 }
