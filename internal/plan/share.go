package plan

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a schedule in which one thread does what several can share, such as a sort. Out: whether they do, by what both ways take, with all
// that it takes to put together what they have done. Invariant: who decides for a run and who lists its plans ask the same, so that the run goes by the
// plan that is the least of the list.

// To make the other schedule may take longer than a run: then runs go by the one that is there until they have taken as long, which is at most twice
// what is best for any number of runs.

// Shares reports whether threads that share are expected to take less: whether they do in the plan that Predict gives. close says that the machine's error
// leaves it open, or what is still to be compiled, which is compiled once.
func Shares(s *schedule.Schedule, sizes map[string]int64, opt Options) (share, close bool, err error) {
	if opt.Engine != "auto" && opt.Machine.Engines[opt.Engine] == nil {
		opt.Engine = "wasm"
	}
	all, err := open(s, sizes, opt)
	if err != nil || len(all) == 0 {
		return false, false, nil // nothing was measured
	}
	best := all[chosen(all)].Prediction
	share = best.Schedule != s
	a, b := math.Inf(1), math.Inf(1)
	for _, c := range all {
		if c.either != nil {
			alone, shared := c.either.times()
			a, b = min(a, alone), min(b, shared)
		}
	}
	if math.IsInf(b, 1) {
		return share, false, nil
	}
	off := opt.Machine.Engines[best.Engine].Error
	return share, max(a, b) < min(a, b)*off*off || share != (b < a), nil
}

// ways are predictions of a schedule on an engine: as it is, and with what threads share; nil where that is out of the question.
type ways struct{ alone, shared *Prediction }

// times are what the two are held against each other by, in nanoseconds: what both have to compile they do once.
func (w *ways) times() (alone, shared float64) {
	return w.alone.Time.P50 - w.alone.Wait.P50, w.shared.Time.P50 - w.shared.Wait.P50
}

// waysOf predicts both. Where runs have told of one of them alone, the code is taken to be as wrong of the other, as it is of engines and threads: what is
// known of one does not make the other look better or worse.
func waysOf(s *schedule.Schedule, sizes map[string]int64, opt Options) (w ways, err error) {
	w.alone, err = predict(s, sizes, opt)
	if err != nil || opt.Away != nil || s.Shared == nil || max(opt.Threads, opt.Most) <= 1 || opt.Threads <= 1 && w.alone.told || !opt.Shared && w.alone.Time.P50-w.alone.Wait.P50 < max(opt.Machine.Wake, opt.Lowered) {
		return w, err
	}
	other, err := s.Shared()
	if err == nil {
		w.shared, err = predict(other, sizes, opt)
	}
	if err == nil && w.alone.told != w.shared.told {
		if w.alone.told {
			w.shared, err = likewise(w.alone, w.shared, sizes, opt)
		} else {
			w.alone, err = likewise(w.shared, w.alone, sizes, opt)
		}
	}
	if opt.Threads <= 1 {
		w.shared = nil
	}
	return w, err
}

// likewise predicts a schedule of which no run has told, as far off its code as one of which some have.
func likewise(told, other *Prediction, sizes map[string]int64, opt Options) (*Prediction, error) {
	alone := opt
	alone.Past.Seen = opt.Past.Seen.Facts()
	cold, err := predict(told.Schedule, sizes, alone)
	if err != nil {
		return nil, err
	}
	if off := told.work() / cold.work(); off > 0 && !math.IsInf(off, 1) {
		opt.off = off
	}
	return predict(other.Schedule, sizes, opt)
}

// work is what the steps take, in nanoseconds, besides what they wait for their kernels.
func (p *Prediction) work() (t float64) {
	for i := range p.Steps {
		t += p.Steps[i].Time.P50 - p.Steps[i].Wait.P50
	}
	return t
}

// cheapest predicts the way that takes less on an engine, or the one that was asked for.
func cheapest(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Prediction, error) {
	if opt.Going != nil {
		return going(s, sizes, opt)
	}
	w, err := waysOf(s, sizes, opt)
	if err != nil || w.shared == nil {
		return w.alone, err
	}
	out := w.alone
	if opt.Shared || w.shared.Time.P50 < w.alone.Time.P50 {
		out = w.shared
	}
	out.either = &w
	return out, nil
}

// going predicts what was decided on, as it was predicted when it was.
func going(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Prediction, error) {
	by := opt
	by.Going, by.Shared = nil, false
	w, err := waysOf(s, sizes, by)
	if err != nil {
		return nil, err
	}
	for _, p := range []*Prediction{w.alone, w.shared} {
		if p != nil && p.Schedule == opt.Going {
			return p, nil
		}
	}
	return predict(opt.Going, sizes, opt)
}
