package plan

import "github.com/godwit-run/godwit/internal/ir/schedule"

// In: a schedule in which one thread does what several can share, such as a sort. Out: whether they do, by what both ways take, with all
// that it takes to put together what they have done.

// To make the other schedule may take longer than a run: then runs go by the one that is there until they have taken as long, which is at most twice
// what is best for any number of runs.

// Shares reports whether threads that share are expected to take less. close says that the machine's error leaves it open. Engine
// is the best that code can come to run on.
func Shares(s *schedule.Schedule, sizes map[string]int64, opt Options) (share, close bool, err error) {
	if opt.Machine.Engines[opt.Engine] == nil {
		opt.Engine = "wasm"
	}
	e := opt.Machine.Engines[opt.Engine]
	if e == nil {
		return false, false, nil
	}
	w, err := waysOf(s, sizes, opt)
	if err != nil || w.shared == nil {
		return false, false, err
	}
	a, b := w.times()
	return b < a, max(a, b) < min(a, b)*e.Error*e.Error, nil
}

// ways are predictions of a schedule on an engine: as it is, and with what threads share; nil where that is out of the question.
type ways struct {
	alone, shared *Prediction
	wake          float64
	cold          *ways // by the code alone, where runs have told of one of them: what is known of one says nothing of the other; else nil
}

// times are what the two are held against each other by, in nanoseconds: what both have to compile they do once.
func (w *ways) times() (alone, shared float64) {
	if w.cold != nil {
		return w.cold.times()
	}
	return w.alone.Time.P50 - w.alone.Compile.P50, w.shared.Time.P50 - w.shared.Compile.P50 + w.wake
}

func waysOf(s *schedule.Schedule, sizes map[string]int64, opt Options) (w ways, err error) {
	w.wake = opt.Machine.Wake
	w.alone, err = predict(s, sizes, opt)
	if err != nil || opt.Away != nil || s.Shared == nil || opt.Threads <= 1 || !opt.Shared && w.alone.Time.P50-w.alone.Compile.P50 < max(opt.Machine.Wake, opt.Lowered) {
		return w, err
	}
	other, err := s.Shared()
	if err == nil {
		w.shared, err = predict(other, sizes, opt)
	}
	if err != nil || w.alone.Warm == w.shared.Warm {
		return w, err
	}
	opt.Past = Past{}
	c := ways{wake: w.wake}
	if c.alone, err = predict(s, sizes, opt); err == nil {
		c.shared, err = predict(other, sizes, opt)
	}
	w.cold = &c
	return w, err
}

// cheapest predicts the way that takes less on an engine, or the one that was asked for.
func cheapest(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Prediction, error) {
	if opt.Going != nil {
		return predict(opt.Going, sizes, opt)
	}
	w, err := waysOf(s, sizes, opt)
	if err != nil || w.shared == nil {
		return w.alone, err
	}
	if alone, shared := w.times(); opt.Shared || shared < alone {
		return w.shared, nil
	}
	return w.alone, nil
}
