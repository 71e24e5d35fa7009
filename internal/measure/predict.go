package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/plan/calibrate"
)

// predictable are programs that calibration does not know.
var predictable = []struct{ name, source string }{
	{"dot", "fn f(x: &[f32; N], y: &[f32; N]) -> f32 { x.dot(y) }"},
	{"mean and greatest", "fn f(x: &[f32; N], y: &[f32; N]) -> (f32, f32) where N: Range<1, 1_000_000_000> { (x.mean(), x.max()) }"},
	{"a·x + y", "fn f(x: &[f32; N], y: &[f32; N]) -> [f32; N] { x.zip(y).map(|(a, b)| 0.5 * a + b) }"},
	{"softmax", "fn f(x: &[f32; N], y: &[f32; N]) -> [f32; N] { x.softmax() }"},
	{"histogram", "fn f(x: &[f32; N], y: &[f32; N]) -> [i64; 64] { x.map(|v| (v * 64.0) as i64).map(|k| k.clamp(0, 63)).histogram::<64>() }"},
	{"filtered mean", "fn f(x: &[f32; N], y: &[f32; N]) -> f32 { x.zip(y).filter(|(a, _)| a > 0.3).map(|(_, b)| b).mean() }"},
	{"running sum", "fn f(x: &[f32; N], y: &[f32; N]) -> [f32; N] { x.scan(0.0, |a, e| a + e) }"},
	{"window of 16", "fn f(x: &[f32; N], y: &[f32; N]) -> [f32; N - 15] where N: Range<16, 1_000_000_000> { x.window::<16>().map(|w| w.max()) }"},
	{"sines", "fn f(x: &[f32; N], y: &[f32; N]) -> f32 { x.map(|v| v.sin() * v.exp()).sum() }"},
	{"sort", "fn f(x: &[f32; N], y: &[f32; N]) -> [f32; N] { x.sort() }"},
	{"iterations", "fn f(x: &[f32; N], y: &[f32; N]) -> f32 { x.map(|c| { let mut z = 0.0; for _ in 0..50 { z = z * z + c * 0.2; } z }).sum() }"},
}

// predict compares what calls took with what was said beforehand, after measuring the machine.
func predict(ctx context.Context, s *session) error {
	sizes := []int{1 << 12, 1 << 16, 1 << 20, 1 << 24}
	opt := calibrate.Options{Progress: func(what string) { s.progress("%s", what) }}
	if s.opt.Quick {
		sizes, opt.Most = sizes[:3], 16<<20
	}
	service, err := s.codegen(ctx)
	if err != nil {
		return err
	}
	engines := []string{"wasm"}
	if service != nil {
		defer service.Close()
		opt.Codegen, engines = service, append(engines, "native")
	}
	m, err := calibrate.Run(ctx, opt)
	if err != nil {
		return err
	}
	file := s.path("machine.toml")
	if err := m.Save(file); err != nil {
		return err
	}
	f := &forecasts{s: s, file: file, rt: godwit.NewRuntime(godwit.WithCompiler("", s.compiler()...))}
	defer f.rt.Close()
	for _, p := range predictable {
		for _, engine := range engines {
			for _, threads := range s.threads() {
				if err := f.all(ctx, p.name, p.source, engine, threads, sizes); err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
			}
		}
	}
	f.sum()
	for _, p := range predictable {
		if err := f.regret(ctx, p.name, p.source, engines, sizes); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	f.sumRegret()
	return nil
}

// forecasts are predictions with what came of them.
type forecasts struct {
	s      *session
	file   string
	rt     *godwit.Runtime
	off    []float64 // by what factor each was wrong, above 1
	inside int       // of them, those with the time in their interval

	regrets []float64 // what calls took by what the best way took
	worst   string    // of which call that was the greatest
}

// all runs a program over arrays of some sizes.
func (f *forecasts) all(ctx context.Context, name, source, engine string, threads int, sizes []int) error {
	fn, err := function(source)
	if err != nil {
		return err
	}
	for _, n := range sizes {
		f.s.progress("%s of %d, %s, %d threads", name, n, engine, threads)
		took, p, err := f.calls(ctx, fn, arguments(n), engine, threads)
		if err != nil {
			return err
		}
		wrong := math.Max(p.P50/took, took/p.P50)
		f.off = append(f.off, wrong)
		if took >= p.P10 && took <= p.P90 {
			f.inside++
		}
		f.s.report.Rows = append(f.s.report.Rows, Row{Name: fmt.Sprintf("%s of %d, %s, threads %d", name, n, engine, threads), Unit: "ms", Ours: Number(took * 1e3),
			Reference: Number(p.P50 * 1e3), ReferenceName: "predicted", Ratio: Number(p.P50 / took), RatioMin: Number(p.P10 / took), RatioMax: Number(p.P90 / took),
			Limit: unknown, OfLimit: unknown, N: 7})
	}
	return nil
}

// arguments are two arrays.
func arguments(n int) godwit.Args {
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(uint32(i)*2654435761)/(1<<32), float32(uint32(i)*40503)/(1<<32)
	}
	return godwit.Args{"x": x, "y": y}
}

// regret compares calls that go as is planned, with all threads to choose from, with the best of those that are told how to go.
func (f *forecasts) regret(ctx context.Context, name, source string, engines []string, sizes []int) error {
	fn, err := function(source)
	if err != nil {
		return err
	}
	for _, n := range sizes {
		f.s.progress("%s of %d, every way", name, n)
		args := arguments(n)
		chosen, best, how := math.Inf(1), math.Inf(1), ""
		for start := time.Now(); time.Since(start) < warming; { // what is called again and again is compiled meanwhile
			if _, err := f.middle(ctx, fn, args, "auto", slices.Max(f.s.threads())); err != nil {
				return err
			}
		}
		for range 2 { // each way has two turns, apart from each other
			took, err := f.middle(ctx, fn, args, "auto", slices.Max(f.s.threads()))
			if err != nil {
				return err
			}
			chosen = min(chosen, took)
			for _, engine := range engines {
				for _, threads := range f.s.threads() {
					if took, err = f.middle(ctx, fn, args, engine, threads); err != nil {
						return err
					}
					if took < best {
						best, how = took, fmt.Sprintf("%s, threads %d", engine, threads)
					}
				}
			}
		}
		r := chosen / best
		f.s.report.Rows = append(f.s.report.Rows, Row{Name: fmt.Sprintf("%s of %d, as planned", name, n), Unit: "ms", Ours: Number(chosen * 1e3), Reference: Number(best * 1e3),
			ReferenceName: how, Ratio: Number(best / chosen), RatioMin: unknown, RatioMax: unknown, Limit: unknown, OfLimit: unknown, N: 18})
		if len(f.regrets) == 0 || r > slices.Max(f.regrets) {
			f.worst = fmt.Sprintf("%s of %d", name, n)
		}
		f.regrets = append(f.regrets, r)
	}
	return nil
}

// warming is how long a function is called before it counts how it goes.
const warming = 300 * time.Millisecond

// sumRegret says how good the choices were.
func (f *forecasts) sumRegret() {
	sum := 0.0
	for _, r := range f.regrets {
		sum += r - 1
	}
	f.s.note(fmt.Sprintf("Calls that went as planned took %.1f %% longer than the best of the ways that can be told, on average of %d; at worst %.0f %% (%s).",
		100*sum/float64(len(f.regrets)), len(f.regrets), 100*(slices.Max(f.regrets)-1), f.worst))
}

// middle is the middle time of nine calls of which nothing is predicted.
func (f *forecasts) middle(ctx context.Context, fn *godwit.Func, args godwit.Args, engine string, threads int) (float64, error) {
	var times []float64
	for range 9 {
		start := time.Now()
		if _, err := fn.Call(ctx, args, godwit.WithRuntime(f.rt), godwit.WithEngine(engine), godwit.WithThreads(threads)); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start).Seconds())
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// calls gives the middle time of seven calls, and what was said before the last.
func (f *forecasts) calls(ctx context.Context, fn *godwit.Func, args godwit.Args, engine string, threads int) (float64, *godwit.Prediction, error) {
	var times []float64
	var p *godwit.Prediction
	for pass := range 9 { // the first two compile, and touch what is touched first
		start := time.Now()
		res, err := fn.Call(ctx, args, godwit.WithRuntime(f.rt), godwit.WithEngine(engine), godwit.WithThreads(threads), godwit.WithPrediction(f.file))
		if err != nil {
			return 0, nil, err
		}
		if p = res.Stats().Predicted; p == nil {
			return 0, nil, errors.New("nothing was predicted")
		}
		if pass >= 2 {
			times = append(times, math.Min(res.Stats().Seconds, time.Since(start).Seconds()))
		}
	}
	slices.Sort(times)
	return times[len(times)/2], p, nil
}

// sum says how good the predictions were.
func (f *forecasts) sum() {
	slices.Sort(f.off)
	at := func(part float64) float64 { return f.off[int(part*float64(len(f.off)-1))] }
	f.s.note(fmt.Sprintf("Of %d predictions half were wrong by less than a factor of %.2f, nine in ten by less than %.2f; %.0f %% of the times lay in their intervals (80 are asked).",
		len(f.off), at(0.5), at(0.9), 100*float64(f.inside)/float64(len(f.off))))
}
