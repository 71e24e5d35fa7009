package plan

import "github.com/godwit-run/godwit/internal/plan/machine"

// In: a launch over a data set, and a way that somebody would have expected. Out: what it would have taken, and how the link would have to be
// for it to be chosen.

// WhyNotWay weighs a way against the one that is chosen.
func WhyNotWay(way Way, m *machine.Machine, mv *Moving) *Instead {
	ways := Weigh(m, mv)
	out := &Instead{Strategy: way.String(), Time: ways[way], Chosen: ways[ways.Best()], Is: ways.Best() == way}
	switch {
	case out.Time.P50 == 0 && way == Gather && mv.NoGather != nil:
		out.Reason = "walks cannot wait for their rows: " + mv.NoGather.Error()
	case out.Time.P50 == 0 && way == Gather:
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
			return w.Best() == way
		})
		if ok {
			out.Changes = append(out.Changes, Change{e.what, now, x})
		}
	}
	return out
}
