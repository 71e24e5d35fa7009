// Package calibrate measures the machine that it runs on, in a few seconds: memory by how much of it is in use, and
// operations of each class on each engine.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/pattern"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// Options are what a calibration may use.
type Options struct {
	Codegen *codegen.Service // nil for WebAssembly only
	// Most is how many bytes curves go up to; 0 for 256 MiB, or an eighth of what is free.
	Most int64
	// Progress, if set, is told what is measured next.
	Progress func(what string)
}

// seed makes all calibrations use the same numbers.
const seed = 20_261_123

// cycleSource is a chain of four steps a turn: a product, whose factor is no sum of a few powers of two, and a choice of bits.
const cycleSource = "fn f(x: &[i64; N]) -> i64 " + ranged + " { x.fold(1, |a, e| (a *% 2862933555777941757) ^ e) }"

// Run measures this machine.
func Run(ctx context.Context, opt Options) (*machine.Machine, error) {
	if opt.Progress == nil {
		opt.Progress = func(string) {}
	}
	if opt.Most == 0 {
		opt.Most = max(min(256<<20, mem.Available()/8), 1<<20)
	}
	host, _ := os.Hostname()
	m := &machine.Machine{Name: host, Link: machine.Default().Link, Measured: time.Now().UTC().Format(time.RFC3339), Processors: runtime.GOMAXPROCS(0),
		Memory: map[int]machine.Memory{}, Engines: map[string]*machine.Engine{}}
	sides := &sides{alone: math.Inf(1), all: math.Inf(1)}
	for _, e := range []struct {
		name string
		opt  engine.Options
	}{{"native", engine.Options{Tier: engine.Native, Codegen: opt.Codegen}}, {"wasm", engine.Options{Tier: engine.Wasm}}} {
		if e.name == "native" && opt.Codegen == nil {
			continue
		}
		if err := measure(ctx, m, sides, e.name, e.opt, opt); err != nil {
			return nil, fmt.Errorf("calibrate %s: %w", e.name, err)
		}
	}
	return m, nil
}

// measure measures one engine, and with the first one memory.
func measure(ctx context.Context, m *machine.Machine, sides *sides, name string, eopt engine.Options, opt Options) error {
	eng, err := engine.New(eopt)
	if err != nil {
		return err
	}
	defer eng.Close()
	w := &workbench{eng: eng, name: name, vector: 16, threads: 1, weave: alone, random: rand.New(rand.NewPCG(seed, 1))}
	if name == "native" {
		info, err := opt.Codegen.Info(ctx)
		if err != nil {
			return err
		}
		w.vector = info.Host.Width()
	}
	if err := w.allMemory(ctx, m, opt); err != nil {
		return err
	}
	if m.Cycle == 0 {
		if m.Cycle, err = w.cycleTime(ctx); err != nil {
			return err
		}
	}
	if m.Interpret == 0 {
		if m.Interpret, err = interpretTime(ctx); err != nil {
			return err
		}
	}
	w.helpers(ctx, m, sides)
	if m.Touch[0] == 0 {
		if m.Touch, err = touchTimes(opt.Most); err != nil {
			return err
		}
	}
	if m.Decode == nil {
		opt.Progress("files")
		if m.Decode, err = decodeTimes(ctx); err != nil {
			return err
		}
	}
	opt.Progress(name + ": operations")
	e := &machine.Engine{VectorBytes: w.vector, Random: 1, Classes: map[string]machine.Class{}}
	if len(m.Engines) > 0 { // memory was measured with another
		if e.Random, err = w.scattered(ctx, m.Memory[1].Random, opt.Most); err != nil {
			return err
		}
	}
	m.Engines[name] = e
	if e.Call, e.Launch, err = w.overhead(ctx); err != nil {
		return err
	}
	if name == "native" {
		if err := w.compileAhead(ctx, opt.Codegen); err != nil {
			return err
		}
	}
	samples, seen, err := w.all(ctx)
	if err != nil {
		return err
	}
	fit(m, name, samples)
	w.helpers(ctx, m, sides)
	if err := w.carry(ctx, m, seen); err != nil {
		return err
	}
	w.helpers(ctx, m, sides)
	if e.Compile, err = w.compileTime(ctx); err != nil || name != "native" || !opt.Codegen.Keeps() {
		return err
	}
	e.Kept, err = w.keptTime(ctx, opt.Codegen)
	return err
}

// helpers measures what threads help, several times within some seconds: for as long, a host may have two processors share what they have alone
// otherwise. The least time of each counts, since others only ever make it longer.
func (w *workbench) helpers(ctx context.Context, m *machine.Machine, s *sides) {
	wake, hand := helpTime(ctx, w.eng.NewPool(2), false), helpTime(ctx, w.eng.NewPool(2), true)
	if m.Wake == 0 || wake < m.Wake {
		m.Wake = wake
	}
	if m.Hand == 0 || hand < m.Hand {
		m.Hand = hand
	}
	m.Hand = min(m.Hand, m.Wake)
	m.Together = s.measure(ctx, w.eng.NewPool(m.Processors))
}

// carry measures how well what launches take with some arguments tells what they take with others.
// seen are the launches of typical programs at their sizes.
func (w *workbench) carry(ctx context.Context, m *machine.Machine, seen map[string][]sample) error {
	var list []residual
	for _, p := range typical() {
		by := [4][]sample{seen[p.source]} // at the size, again, at half, at an eighth
		for i, part := range []int64{1, 2, 8} {
			var err error
			if by[i+1], err = w.timesOf(ctx, p.source, p.smaller(part), p.dimsBy(part)); err != nil {
				return err
			}
		}
		for i, kind := range []string{machine.Same, machine.Half, machine.Eighth} {
			list = append(list, carried(m, w.name, kind, by[i+1], by[0])...)
		}
	}
	e := m.Engines[w.name]
	_, off := spreads(list)
	maps.Copy(e.Off, off)
	return nil
}

// allMemory measures memory for one thread and for all with the first engine, which is the fastest, and what is copied for
// WebAssembly with that.
func (w *workbench) allMemory(ctx context.Context, m *machine.Machine, opt Options) error {
	defer func() { w.threads = 1 }()
	for _, w.threads = range []int{1, m.Processors} {
		x := m.Memory[w.threads]
		opt.Progress(fmt.Sprintf("%s: memory with %d threads", w.name, w.threads))
		if x.Read == nil {
			if err := w.reading(ctx, &x, opt.Most); err != nil {
				return err
			}
			m.Ways = w.ways // in the end those of all threads
		}
		if x.Write == nil {
			if err := w.writing(ctx, &x, opt.Most); err != nil {
				return err
			}
		}
		if w.name == "wasm" {
			if err := w.copying(ctx, &x, opt.Most); err != nil {
				return err
			}
		}
		if w.threads > 1 { // a chase is one thread's, and that several begin is no part of what memory takes
			one := m.Memory[1]
			x.Chase, x.Read, x.Write = one.Chase, lower(x.Read, one.Read), lower(x.Write, one.Write)
		}
		m.Memory[w.threads] = x
	}
	return nil
}

// cycleTime is the time of a step of a chain.
func (w *workbench) cycleTime(ctx context.Context) (float64, error) {
	defer w.clear()
	src, err := w.source(argument{kind: "i64", n: some})
	if err != nil {
		return 0, err
	}
	t, err := w.once(ctx, cycleSource, src)
	return least(t) / (4 * some), err
}

// interpreted is how many elements are walked over to see how long interpreting takes, and how many operations that is at most: nests
// over all pairs of elements have many more, and say nothing else.
const (
	interpreted    = 1 << 9
	mostOperations = 100_000
)

// interpretTime is what an operation of a kernel takes that is interpreted: the middle of programs as people write them.
func interpretTime(ctx context.Context) (float64, error) {
	eng, err := engine.New(engine.Options{Tier: engine.Stepper})
	if err != nil {
		return 0, err
	}
	defer eng.Close()
	w := &workbench{eng: eng, name: seen.Stepper, threads: 1, weave: alone, random: rand.New(rand.NewPCG(seed, 2))}
	var times []float64
	for _, p := range typical() {
		if p.width != 0 {
			continue
		}
		j, err := w.over(p.source, p.smaller(max(1, p.args[0].n/interpreted)), nil)
		if err != nil {
			return 0, err
		}
		mixes, all := w.mixes(j), 0.0
		for _, m := range mixes {
			all += m.Operations()
		}
		if all > mostOperations {
			w.clear()
			continue
		}
		list, err := w.timed(ctx, j, mixes)
		if w.clear(); err != nil {
			return 0, err
		}
		for _, s := range list {
			times = append(times, s.took/max(1, s.mix.Operations()))
		}
	}
	return machine.Of(times).P50, nil
}

// wakings is how often a thread is woken to see how long that takes.
const wakings = 40

const (
	// touches is how often each way to touch pages is timed, with at most mostTouched bytes.
	touches     = 5
	mostTouched = 32 << 20
)

// touchTimes is what the first write to a byte takes, page by page and in huge pages, where most bytes are filled.
func touchTimes(most int64) (ns [2]float64, err error) {
	var times [2][]float64
	most = min(most, mostTouched)
	for range touches {
		for i := range ns { // in turns, so that both meet what else goes on
			d, err := mem.TouchTime(most, i == 1)
			if err != nil {
				return ns, err
			}
			times[i] = append(times[i], float64(d)/float64(most))
		}
	}
	for i := range ns { // the middle: pages that the machine itself has to find first are part of it
		ns[i] = machine.Of(times[i]).P50
	}
	return ns, nil
}

// helpTime is how long it takes until another thread has begun to help, if it has had nothing to do for a moment, or is awake.
func helpTime(ctx context.Context, pool *engine.Pool, awake bool) float64 {
	defer pool.Close()
	pause := time.Millisecond
	if awake {
		pool.KeepAwake(pause)
		pause = 0
	}
	var times []float64
	for range wakings {
		start, began := time.Now(), make(chan time.Duration, 1)
		_ = pool.Do(ctx, 2, func(_ context.Context, worker int) error {
			if worker == 1 {
				began <- time.Since(start)
				return nil
			}
			for len(began) == 0 && time.Since(start) < time.Millisecond { // at work, as whoever asks for help is
			}
			return nil
		})
		select {
		case late := <-began:
			times = append(times, float64(late))
		default:
			times = append(times, float64(time.Millisecond)) // at least
		}
		for over := time.Now(); awake && !pool.Awake() && time.Since(over) < time.Millisecond; { // it has not seen the end yet
		}
		time.Sleep(pause)
	}
	return machine.Of(times).P50
}

// number is one in a source.
var number = pattern.Of(`\d+\.\d+`)

// compiled is how many kernels are compiled to see how long that takes.
const compiled = 6

// compileTime is what it takes to make code of a kernel that nobody has seen: objects of those that were compiled before are kept.
func (w *workbench) compileTime(ctx context.Context) (float64, error) {
	defer w.clear()
	known := map[kernel.ID]bool{}
	for _, c := range w.eng.Kernels() {
		known[c.Hash] = true
	}
	for _, p := range typical() {
		at := number().FindStringIndex(p.source)
		if at == nil {
			continue
		}
		source := fmt.Sprintf("%s%v%s", p.source[:at[0]], 1+rand.Float64(), p.source[at[1]:])
		j, err := w.over(source, p.smaller(64), p.dimsBy(64))
		if err != nil {
			return 0, err
		}
		if _, err := w.times(ctx, j); err != nil {
			return 0, err
		}
		if w.clear(); len(w.eng.Kernels()) >= len(known)+compiled {
			break
		}
	}
	var times []float64
	for _, c := range w.eng.Kernels() {
		if !known[c.Hash] {
			times = append(times, float64(c.Times.Compile.Nanoseconds()))
		}
	}
	return machine.Of(times).P50, nil
}

// kept is how many kernels are brought from disk to see how long that takes.
const kept = 20

// keptTime is what it takes a process to bring native code of its first kernel from disk: each is brought by an engine of its own, which knows nothing.
func (w *workbench) keptTime(ctx context.Context, service *codegen.Service) (float64, error) {
	var times []float64
	for _, c := range w.eng.Kernels() {
		if len(times) == kept {
			break
		}
		t, ok, err := broughtIn(ctx, c, service.Another())
		if err != nil {
			return 0, err
		}
		if ok {
			times = append(times, t)
		}
	}
	if len(times) == 0 {
		return 0, nil
	}
	return machine.Of(times).P50, nil
}

// broughtIn is what it takes an engine to bring native code of a kernel from disk; false if there is none.
func broughtIn(ctx context.Context, c *engine.Compiled, service *codegen.Service) (t float64, ok bool, err error) {
	defer func() { err = errors.Join(err, service.Close()) }()
	eng, err := engine.New(engine.Options{Tier: engine.Native, Codegen: service})
	if err != nil {
		return 0, false, err
	}
	defer func() { err = errors.Join(err, eng.Close()) }()
	if _, err := eng.Safe(ctx, c.Safe); err != nil {
		return 0, false, err
	}
	list := eng.Readied()
	if len(list) != 1 {
		return 0, false, nil
	}
	return float64(list[0].Took.Nanoseconds()), true, nil
}

// overhead is the time of a call and of a launch that have next to nothing to do.
func (w *workbench) overhead(ctx context.Context) (call, launch float64, err error) {
	defer w.clear()
	src, err := w.source(argument{kind: "f64", n: 8 << 10}) // more than a frame holds; see package run
	if err != nil {
		return 0, 0, err
	}
	j, err := w.prepare(sumSource, src)
	if err != nil {
		return 0, 0, err
	}
	times, err := w.times(ctx, j)
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	again, err := w.times(ctx, j)
	if err != nil {
		return 0, 0, err
	}
	launch = least(times[0])
	return max(float64(time.Since(start).Nanoseconds())/float64(1+len(again[0]))-launch, launch), launch, nil
}

// programs are all whose launches are timed at their sizes.
func programs() []program {
	list := append(operations(), typical()...)
	for _, p := range rows() {
		list = append(list, program{p.source, []argument{{kind: p.kind, n: some / p.width}}, p.width})
	}
	return list
}

// all times the launches of all programs: those that take long enough to be fitted, and of each program all.
func (w *workbench) all(ctx context.Context) (list []sample, by map[string][]sample, err error) {
	by = map[string][]sample{}
	for _, p := range programs() {
		more, err := w.timesOf(ctx, p.source, p.args, p.dimsBy(1))
		if err != nil {
			return nil, nil, err
		}
		by[p.source] = more
		for _, s := range more {
			if s.took >= telling {
				list = append(list, s)
			}
		}
	}
	return list, by, nil
}

// timesOf times the launches of a program.
func (w *workbench) timesOf(ctx context.Context, source string, args []argument, dims []int64) ([]sample, error) {
	defer w.clear()
	j, err := w.over(source, args, dims)
	if err != nil {
		return nil, err
	}
	list, err := w.samples(ctx, j)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, source)
	}
	return list, nil
}
