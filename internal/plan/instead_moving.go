package plan

import (
	"slices"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch over a data set, and a way that somebody would have expected. Out: what it would have taken, and how the link would have to be
// for it to be chosen.

// WayNames are the ways of Ways, in their order.
var WayNames = []string{"fetch", "ship", "gather"}

// List are the times of WayNames; zero where a way cannot be gone.
func (w *Ways) List() []machine.Spread { return []machine.Spread{w.Fetch, w.Ship, w.Gather} }

// Best is the way that takes the least time.
func (w *Ways) Best() int {
	best := -1
	for i, t := range w.List() {
		if t.P50 > 0 && (best < 0 || t.P50 < w.List()[best].P50 || t.P50 == w.List()[best].P50 && t.P90 < w.List()[best].P90) {
			best = i
		}
	}
	return best
}

// WhyNotWay weighs a way of WayNames against the one that is chosen.
func WhyNotWay(way string, m *machine.Machine, mv *Moving) *Instead {
	ways, i := Weigh(m, mv), slices.Index(WayNames, way)
	out := &Instead{Strategy: way, Time: ways.List()[i], Chosen: ways.List()[ways.Best()], Is: ways.Best() == i}
	switch {
	case out.Time.P50 == 0 && way == "gather" && mv.NoGather != nil:
		out.Reason = "it cannot be suspended where it wants rows: " + mv.NoGather.Error()
	case out.Time.P50 == 0 && way == "gather":
		out.Reason = "it follows no indices, so there are no rows to bring"
	case out.Time.P50 == 0:
		out.Reason = "what would have to come here has no room"
	}
	if out.Is || out.Reason != "" {
		return out
	}
	for _, e := range []struct {
		what string
		of   func(l *machine.Link) *machine.Spread
	}{
		{"[link] byte_ns", func(l *machine.Link) *machine.Spread { return &l.Byte }},
		{"[link] round_trip_ns", func(l *machine.Link) *machine.Spread { return &l.RoundTrip }},
		{"[link] parcel_ns", func(l *machine.Link) *machine.Spread { return &l.Parcel }},
	} {
		now := e.of(&mv.Link).P50
		x, ok := scaled(now, func(x float64) bool {
			other := *mv
			t := e.of(&other.Link)
			*t = t.Times(x / now)
			w := Weigh(m, &other)
			return w.Best() == i
		})
		if ok {
			out.Changes = append(out.Changes, Change{e.what, now, x})
		}
	}
	return out
}
