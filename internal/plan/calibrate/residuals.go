package calibrate

import (
	"maps"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: launches that were timed. Out: by how much times are off that are expected of launches like them. What a fit was made of
// says nothing of how good it is, so each launch is expected by a fit of others.

// folds is how many groups the launches are in, of which one at a time is left out.
const folds = 5

// residual is the logarithm of measured by expected.
type residual struct {
	kind string
	log  float64
}

// leftOut gives the residuals of all passes of launches that the fit did not know.
func leftOut(m *machine.Machine, engine string, samples []sample) (list []residual) {
	own := *m
	own.Engines = maps.Clone(m.Engines)
	e := *m.Engines[engine]
	own.Engines[engine] = &e
	for fold := range folds {
		var known, rest []sample
		for i, s := range samples {
			if i%folds == fold {
				rest = append(rest, s)
			} else {
				known = append(known, s)
			}
		}
		e.Classes = map[string]machine.Class{}
		adjust(&own, engine, known)
		for _, s := range rest {
			p := s.mix.On(&own, engine, 1, nil)
			list = append(list, residualsOf(p.Kind(), p.Total(), s)...)
		}
	}
	return list
}

// residualsOf are those of a launch that was expected to take so long.
func residualsOf(kind string, expected float64, s sample) (list []residual) {
	for _, t := range s.times {
		list = append(list, residual{kind, math.Log(t / expected)})
	}
	return list
}

// enough is how many residuals of a kind tell of it.
const enough = 20

// spreads says between which factors eight of ten residuals lie, by kind, and within which all together.
func spreads(list []residual) (all float64, by map[string][2]float64) {
	by = map[string][2]float64{}
	var logs []float64
	for _, r := range list {
		logs = append(logs, r.log)
	}
	lo, hi := between(logs)
	all = math.Exp(max(-lo, hi, 0))
	for _, kind := range machine.Kinds {
		logs = logs[:0]
		for _, r := range list {
			if r.kind == kind {
				logs = append(logs, r.log)
			}
		}
		if len(logs) >= enough {
			lo, hi := between(logs)
			by[kind] = [2]float64{math.Exp(min(lo, 0)), math.Exp(max(hi, 0))}
		}
	}
	return all, by
}

// between gives the values that a tenth and nine tenths are below.
func between(list []float64) (lo, hi float64) {
	s := slices.Sorted(slices.Values(list))
	if len(s) == 0 {
		return 0, 0
	}
	return s[len(s)/10], s[len(s)*9/10]
}

// carried gives the residuals of launches that are expected by what the same launches took with other arguments.
func carried(m *machine.Machine, engine, kind string, seen, now []sample) (list []residual) {
	if len(seen) != len(now) {
		return nil
	}
	for i := range now {
		expect := func(mix *cost.Mix) float64 { return mix.On(m, engine, 1, nil).Total() }
		was := machine.Of(seen[i].times).P50
		if was < telling || now[i].took < telling {
			continue // it would not be remembered, or is over before it matters
		}
		list = append(list, residualsOf(kind, expect(now[i].mix)*was/expect(seen[i].mix), now[i])...)
	}
	return list
}
