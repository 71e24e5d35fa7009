package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: the engines and threads that there are. Out: the legal plans of a call on one machine, numbered from 1, and what each is
// expected to take. Invariant: numbers depend on neither sizes nor times, so that one means the same plan in every call.

// Candidate is a plan that a call could be forced to.
type Candidate struct {
	Number  int
	Engine  string
	Threads int // that each step has that can be shared
}

// String says it in words.
func (c Candidate) String() string {
	name := map[string]string{"wasm": "WebAssembly", "native": "native code"}[c.Engine]
	if c.Threads == 1 {
		return name + " on 1 thread"
	}
	return fmt.Sprintf("%s on %d threads", name, c.Threads)
}

// Candidates lists the plans: each engine with 1, 2, 4 … threads, and with all of them. engine is that of Options. native says
// that there is a compiler for it.
func Candidates(m *machine.Machine, engine string, threads int, native bool) []Candidate {
	var list []Candidate
	for _, e := range []string{"wasm", "native"} {
		if m.Engines[e] == nil || e == "native" && !native || engine != "auto" && engine != e {
			continue
		}
		for n := 1; ; n = min(2*n, threads) {
			if list = append(list, Candidate{len(list) + 1, e, n}); n >= threads {
				break
			}
		}
	}
	return list
}

// Considered is a candidate and what it is expected to take.
type Considered struct {
	Candidate
	*Prediction
	Chosen bool // it is what Predict gives, if nothing else is to be
}

// Consider predicts all candidates, and marks the one that a call goes by to which all are open.
func Consider(s *schedule.Schedule, sizes map[string]int64, list []Candidate, opt Options) ([]Considered, error) {
	out := make([]Considered, len(list))
	for i, c := range list {
		p, err := c.predict(s, sizes, opt)
		if err != nil {
			return nil, err
		}
		out[i] = Considered{Candidate: c, Prediction: p}
	}
	if i := chosen(out); i >= 0 {
		out[i].Chosen = true
	}
	return out, nil
}

// Chosen is the one of those that were considered by which the call goes.
func Chosen(list []Considered) (*Considered, error) {
	if i := chosen(list); i >= 0 {
		return &list[i], nil
	}
	return nil, errors.New("there is no plan: no engine was measured; run godwit calibrate")
}

// same is by which part two times differ that are the same.
const same = 1e-9

// shares reports that a candidate does with several threads what another does with one: of two that take the same a run goes that way.
func (c *Considered) shares(o *Considered) bool {
	return c.Candidate.Engine == o.Candidate.Engine && c.Prediction.Threads > 1 && o.Prediction.Threads == 1
}

// chosen is the one that takes the least time of those by which a call goes that is forced to none: each step has one thread, or all, and
// kernels that are native code already stay so. Of two that take the same it is the first. -1 if there are no candidates.
func chosen(list []Considered) int {
	all, began := 0, false
	for _, c := range list {
		all, began = max(all, c.Candidate.Threads), began || c.beginsNative
	}
	best := -1
	for i, c := range list {
		if t := c.Candidate.Threads; t != 1 && t != all || began && !c.beginsNative {
			continue
		}
		if best < 0 || math.IsNaN(list[best].Time.P50) || c.Time.P50 < (1-same)*list[best].Time.P50 || c.shares(&list[best]) && c.Time.P50 < (1+same)*list[best].Time.P50 {
			best = i
		}
	}
	return best
}

// predict is what the candidate takes. Where kernels begin as WebAssembly, native code costs its compilation.
func (c Candidate) predict(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Prediction, error) {
	auto, most := opt.Engine == "auto", max(opt.Most, opt.Threads)
	opt.Engine, opt.Threads, opt.Most = c.Engine, c.Threads, most
	opt.goesOver = auto && c.Engine == "native"
	return cheapest(s, sizes, opt)
}

// is reports that a prediction goes the candidate's way: steps take one thread, or all that there are.
func (c Candidate) is(engine string, threads, all int) bool {
	if threads > 1 {
		threads = all
	}
	return c.Engine == engine && c.Threads == threads
}

// Number is that of the candidate that goes a prediction's way; 0 if there is none. all are the threads that there are.
func Number(list []Candidate, engine string, threads, all int) int {
	if i := slices.IndexFunc(list, func(c Candidate) bool { return c.is(engine, threads, all) }); i >= 0 {
		return list[i].Number
	}
	return 0
}

// Curve is what a candidate takes, by a size.
type Curve struct {
	Candidate
	Points []At
}

// At is a time in nanoseconds for a size.
type At struct {
	Size int64
	Time float64 // the median
}

// Curves are those of all candidates over sizes lo..hi of one name, perOctave between one and its double.
func Curves(s *schedule.Schedule, sizes map[string]int64, name string, lo, hi int64, list []Candidate, opt Options) ([]Curve, error) {
	ns, err := octaves(name, lo, hi)
	if err != nil {
		return nil, err
	}
	out := make([]Curve, len(list))
	for i, c := range list {
		out[i].Candidate = c
		for _, n := range ns {
			p, err := c.predict(opt.of(s, sizes, name, n), with(sizes, name, n), opt)
			if err != nil {
				return nil, err
			}
			out[i].Points = append(out[i].Points, At{n, p.Time.P50})
		}
	}
	return out, nil
}
