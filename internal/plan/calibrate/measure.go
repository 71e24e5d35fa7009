package calibrate

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// In: programs. Out: how long each of their launches takes, over arrays that lie where kernels use them.

// workbench is an engine with arrays in its memory.
type workbench struct {
	eng     *engine.Engine
	name    string // of the engine
	vector  int
	threads int
	random  *rand.Rand
	spans   []mem.Span
	weave   int  // iterations that follow references, under way at the same time; -1 for one by one
	keep    bool // results, so that each comes to lie in pages that nobody has touched
	kept    []*run.Result
	filled  map[filling][]byte // random numbers that were made before: to make them takes longer than most programs do
	ways    [3]float64         // of machine.Machine: those by which to read files, and then those that were measured
}

// array makes room for n elements of a kind.
func (w *workbench) array(kind string, n int64) (num.Kind, []byte, error) {
	k, ok := num.ParseKind(kind)
	if !ok {
		return k, nil, fmt.Errorf("there is no kind %s", kind)
	}
	s, b, err := w.eng.Alloc(n * int64(k.Size()))
	if err == nil {
		w.spans = append(w.spans, s)
	}
	return k, b, err
}

// clear frees all arrays.
func (w *workbench) clear() {
	for _, s := range w.spans {
		w.eng.Arena().Free(s)
	}
	w.spans = nil
}

// fresh is how many bytes of an array are random; the rest repeats them.
const fresh = 4 << 20

// filling is what random numbers are like.
type filling struct {
	kind  num.Kind
	below int64
}

// fill writes random numbers: floats in 0..1, integers in 0..below.
func (w *workbench) fill(k num.Kind, b []byte, below int64) {
	of := filling{k, below}
	if k.IsFloat() {
		of.below = 0
	}
	n := min(len(b), fresh)
	have := w.filled[of]
	if len(have) < n {
		more := make([]byte, n-len(have))
		w.randomly(k, more, below)
		if have = append(have, more...); w.filled == nil {
			w.filled = map[filling][]byte{}
		}
		w.filled[of] = have
	}
	for i := 0; i < len(b); i += fresh {
		copy(b[i:], have[:n])
	}
}

func (w *workbench) randomly(k num.Kind, b []byte, below int64) {
	for i := 0; i < len(b); i += k.Size() {
		switch k {
		case num.F32:
			binary.LittleEndian.PutUint32(b[i:], math.Float32bits(w.random.Float32()))
		case num.F64:
			binary.LittleEndian.PutUint64(b[i:], math.Float64bits(w.random.Float64()))
		default:
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], uint64(w.random.Int64N(below)))
			copy(b[i:i+k.Size()], word[:])
		}
	}
}

// source makes an array of random numbers.
func (w *workbench) source(a argument, dims ...int64) (data.Source, error) {
	width := int64(1)
	for _, d := range dims {
		width *= d
	}
	k, b, err := w.array(a.kind, a.n*width)
	if err != nil {
		return nil, err
	}
	below := a.below
	if below == 0 {
		below = 1000
	}
	w.fill(k, b, below)
	return data.FromBytes("x", []data.Column{{Kind: k, Stored: k.String(), Dims: dims}}, a.n, [][]byte{b}, nil), nil
}

// job is a program over its arguments.
type job struct {
	plan *compile.Plan
	safe map[*schedule.Launch]*verify.Safe
}

// prepare compiles a program for sources, in the order of its parameters.
func (w *workbench) prepare(source string, in ...data.Source) (*job, error) {
	p, err := compile.Check(diag.NewSource("calibrate.gw", source))
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, source)
	}
	f, err := p.Func("")
	if err != nil {
		return nil, err
	}
	args := compile.Args{}
	for i := range in {
		args[f.Graph.Body.Params[i].Name] = compile.Table{Source: in[i]}
	}
	b, err := f.Bind(args)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, source)
	}
	defer b.Close()
	plan, err := b.Plan()
	if err != nil {
		return nil, err
	}
	plan.Schedule.Shared = nil // all runs have the same launches
	j := &job{plan, map[*schedule.Launch]*verify.Safe{}}
	schedule.Launches(plan.Schedule.Steps, func(l *schedule.Launch) {
		if s, cerr := l.Proof(); cerr != nil {
			err = cerr
		} else {
			j.safe[l] = s
		}
	})
	return j, err
}

// machine is what runs are told of the machine that is being measured.
func (w *workbench) machine() *machine.Machine {
	m := *machine.Here()
	m.Ways = w.ways
	return &m
}

// alone has iterations that follow references run one by one.
const alone = -1

const (
	// passes is how often a program runs at most; the first time, which compiles, does not count.
	passes = 6
	// enoughPasses is how many passes are enough of a program that has run for so long, in which others get in the way for a part of it only.
	enoughPasses = 3
	enoughTime   = 8 * time.Millisecond
)

// times runs a program and gives the times of its launches in nanoseconds, by launch, then by run.
func (w *workbench) times(ctx context.Context, j *job) (out [][]float64, err error) {
	var start time.Time
	for pass := range passes {
		if pass == 1 {
			start = time.Now()
		}
		if !w.keep && pass > enoughPasses && time.Since(start) > enoughTime {
			break
		}
		res, err := j.plan.Program.Run(ctx, j.plan.Inputs, run.Options{Threads: w.threads, Engine: w.eng, Machine: w.machine(), Weave: w.weave})
		if err != nil {
			return nil, err
		}
		for i, l := range res.Stats.Launches {
			if pass == 0 {
				out = append(out, nil)
				continue
			}
			out[i] = append(out[i], l.Seconds*1e9)
		}
		if w.keep {
			w.kept = append(w.kept, res)
		} else {
			res.Close()
		}
	}
	return out, nil
}

// sizes are those of a launch that needs no more than the declared ones.
func (j *job) sizes(l *schedule.Launch) ([]int64, bool) {
	sizes := make([]int64, len(l.Sizes))
	for i := range l.Sizes {
		n, ok := l.Sizes[i].Eval(func(name string) (int64, bool) { n, ok := j.plan.Inputs.Sizes[name]; return n, ok })
		if !ok {
			return nil, false
		}
		sizes[i] = n
	}
	return sizes, true
}

// telling is the time from which on a launch tells of its kernel, in nanoseconds.
const telling = 20_000

// woven is how many iterations are interleaved where samples are made of interleaving.
const woven = 16

// samples times the launches of a program that run once: one iteration after the other, and interleaved where they
// can be.
func (w *workbench) samples(ctx context.Context, j *job) (list []sample, err error) {
	mixes := w.mixes(j)
	if list, err = w.timed(ctx, j, mixes); err != nil {
		return nil, err
	}
	for l, m := range mixes {
		if m.Woven != nil {
			own := *m.Woven
			if own.Flight == 0 {
				own.Flight = woven
			}
			mixes[l] = &own
		} else {
			delete(mixes, l)
		}
	}
	if len(mixes) == 0 {
		return list, nil
	}
	w.weave = woven
	defer func() { w.weave = alone }()
	more, err := w.timed(ctx, j, mixes)
	return append(list, more...), err
}

// timed times the launches of which it is known what they do.
func (w *workbench) timed(ctx context.Context, j *job, mixes map[*schedule.Launch]*cost.Mix) (list []sample, err error) {
	times, err := w.times(ctx, j)
	if err != nil {
		return nil, err
	}
	for i, s := range j.plan.Schedule.Steps {
		l, ok := s.(*schedule.Launch)
		if !ok {
			return list, nil // numbers of launches would not agree
		}
		if mix, ok := mixes[l]; ok {
			list = append(list, sample{mix, least(times[i]), times[i]})
		}
	}
	return list, nil
}

// mixes are what the launches of a program do of which the sizes are known.
func (w *workbench) mixes(j *job) map[*schedule.Launch]*cost.Mix {
	all := map[*schedule.Launch]*cost.Mix{}
	schedule.Launches(j.plan.Schedule.Steps, func(l *schedule.Launch) {
		if sizes, ok := j.sizes(l); ok {
			all[l] = cost.Of(j.safe[l], sizes, cost.Given{}, plan.EngineOf(w.name, w.vector))
		}
	})
	return all
}

// over prepares a program over random arguments; the rows of the first have dims.
func (w *workbench) over(source string, args []argument, dims []int64) (*job, error) {
	var in []data.Source
	for i, a := range args {
		if i > 0 {
			dims = nil
		}
		src, err := w.source(a, dims...)
		if err != nil {
			return nil, err
		}
		in = append(in, src)
	}
	return w.prepare(source, in...)
}

// least is the time of the pass that nothing else got in the way of.
func least(list []float64) float64 { return slices.Min(list) }
