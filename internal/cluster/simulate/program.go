package simulate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/suspend"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// program is a function whose parameters are columns of one table, but for
// those that travel with it.
type program struct {
	name   string
	source string
	// columns has for each parameter the table's column; local for one that the
	// caller has.
	columns []int

	s       *schedule.Schedule
	leaf    *schedule.Launch // goes to the data; it is the first step
	code    caller.Code
	partial caller.Code    // of a fold
	batch   *suspend.Batch // of a walk
	states  caller.Code    // its kernel
}

const local = -1

// folds are programs whose first step gives rows that later steps combine.
var folds = []*program{
	{name: "total", source: `fn total(v: &[f64; N]) -> f64 where N >= 1 { v.sum() }`, columns: []int{numV}},
	{name: "checked", source: `fn checked(x: &[i64; N]) -> i64 where N >= 1 { x.map(|e| e * e).sum() }`, columns: []int{numX}},
}

// keyed are folds with a table of accumulators for each leaf.
var keyed = []*program{
	{name: "groups", source: `fn groups(v: &[f64; N], k: &[i64; N]) -> [f64; 8] where N >= 1 {
		v.zip(k).group_by::<8>(|(_, k)| k.clamp(0, 7)).sum(|(v, _)| v)
	}`, columns: []int{numV, numK}},
}

// walks are programs that follow indices through a table.
var walks = []*program{
	{name: "chase", source: `fn chase(next: &[idx<N>; N], halt: &[i64; N], start: &[idx<N>; M]) -> [idx<N>; M]
		where N: Range<1, 1_000_000> {
			start.map(|s| {
				let mut i = s;
				for _ in 0..100 {
					if halt[i] == 0 { break; }
					i = next[i];
				}
				i
			})
		}`, columns: []int{webNext, webHalt, local}},
	{name: "search", source: `fn search(keys: &[i64; N], queries: &[i64; M]) -> [i64; M]
		where N: Range<1, 1_000_000> {
			queries.map(|q| {
				let mut lo = 0;
				let mut hi = N;
				for _ in 0..20 {
					if lo < hi {
						let mid = (lo + hi) / 2;
						if keys[mid.clamp_idx()] < q { lo = mid + 1; } else { hi = mid; }
					}
				}
				lo
			})
		}`, columns: []int{webKeys, local}},
	{name: "weigh", source: `fn weigh(next: &[idx<N>; N], weight: &[i64; N], start: &[idx<N>; M]) -> [i64; M]
		where N: Range<1, 1_000_000> {
			start.map(|s| {
				let mut i = s;
				let mut sum = 0;
				for _ in 0..30 {
					sum = sum + weight[i];
					i = next[i];
				}
				sum
			})
		}`, columns: []int{webNext, webWeight, local}},
}

// load compiles all programs, once.
var load = sync.OnceValue(func() error {
	for _, p := range slices.Concat(folds, keyed) {
		if err := p.load(); err != nil {
			return err
		}
		if p.leaf.Partial == nil {
			return fmt.Errorf("%s: its rows cannot be combined in part", p.name)
		}
		if err := encode(&p.partial, p.leaf.Partial.Kernel); err != nil {
			return err
		}
	}
	for _, p := range walks {
		if err := p.load(); err != nil {
			return err
		}
		far := suspend.Widths{}
		for r, b := range p.leaf.Regions {
			if b >= 0 && p.columnOf(b) >= 0 {
				far[r] = 1
			}
		}
		var err error
		if p.batch, err = suspend.Make(p.leaf.Kernel, far); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := encode(&p.states, p.batch.Kernel); err != nil {
			return err
		}
	}
	return nil
})

func (p *program) load() error {
	checked, err := compile.Check(diag.NewSource(p.name+".gw", p.source))
	if err != nil {
		return err
	}
	f, err := checked.Func(p.name)
	if err != nil {
		return err
	}
	p.s, err = lower.Lower(f.Graph, lower.Options{Partials: true, NonZero: func(string) bool { return true }, Verify: verify.Check})
	if err != nil {
		return err
	}
	leaf, ok := p.s.Steps[0].(*schedule.Launch)
	if !ok {
		return fmt.Errorf("%s begins with %T", p.name, p.s.Steps[0])
	}
	p.leaf = leaf
	return encode(&p.code, leaf.Kernel)
}

func encode(c *caller.Code, k *kernel.Kernel) (err error) {
	c.Bytes, err = kernel.Encode(k)
	c.ID = kernel.Hash(c.Bytes)
	return err
}

// columnOf is the table's column behind a buffer, or local.
func (p *program) columnOf(buffer int) int {
	if in := p.s.Buffers[buffer].Input; in != nil {
		return p.columns[in.Param]
	}
	return local
}

// evaluation is a run of a program on one machine, one instruction at a time.
type evaluation struct {
	p       *program
	t       *table
	sizes   map[string]int64
	given   []byte         // the parameter that is not of the table
	buffers map[int][]byte // that steps have written
	folded  map[int]int64  // rows in a buffer, if they were combined in part
	faults  []int64        // of the kernel of the first step
}

func (p *program) evaluate(t *table, given []byte) *evaluation {
	return &evaluation{p: p, t: t, given: given, buffers: map[int][]byte{}, folded: map[int]int64{},
		sizes: map[string]int64{"N": t.set.Rows, "M": int64(len(given) / 8)}, faults: stepper.NewFaults(p.leaf.Kernel.Sites)}
}

// whole runs all steps.
func (e *evaluation) whole() error { return e.steps(e.p.s.Steps) }

// rest runs what follows the first step, whose rows are there.
func (e *evaluation) rest() error { return e.steps(e.p.s.Steps[1:]) }

func (e *evaluation) steps(steps []schedule.Step) error {
	for _, s := range steps {
		l, ok := s.(*schedule.Launch)
		if !ok {
			return fmt.Errorf("%s has a step %T", e.p.name, s)
		}
		if err := e.launch(l); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluation) launch(l *schedule.Launch) error {
	sizes, err := e.sizeArgs(l.Sizes)
	if err != nil {
		return err
	}
	if f := l.Folds; f != nil && e.folded[f.Buffer] > 0 {
		sizes[f.Size] = e.folded[f.Buffer]
	}
	a := &stepper.Args{Sizes: sizes, Faults: stepper.NewFaults(l.Kernel.Sites), Regions: make([][]byte, len(l.Regions))}
	for i, b := range l.Regions {
		if b >= 0 {
			n, _ := kernel.EvalPoly(l.Kernel.Regions[i].Len, sizes)
			a.Regions[i] = e.buffer(b, n)
		}
	}
	outer, _ := kernel.EvalPoly(l.Kernel.Outer, sizes)
	_, err = stepper.Run(l.Kernel, a, 0, outer)
	if l == e.p.leaf {
		e.faults = a.Faults
	}
	return err
}

// buffer is a buffer of n elements.
func (e *evaluation) buffer(b int, n int64) []byte {
	if in := e.p.s.Buffers[b].Input; in != nil {
		if c := e.p.columns[in.Param]; c >= 0 {
			return e.t.values[c]
		}
		return e.given
	}
	if e.buffers[b] == nil {
		e.buffers[b] = make([]byte, n*int64(e.p.s.Buffers[b].Kind.Size()))
	}
	return e.buffers[b]
}

func (e *evaluation) sizeArgs(args []schedule.SizeArg) ([]int64, error) {
	sizes := make([]int64, len(args))
	for i, a := range args {
		n, ok := a.Eval(func(name string) (int64, bool) { v, ok := e.sizes[name]; return v, ok })
		if !ok {
			return nil, fmt.Errorf("%s: a size that %s and %v say is not known", e.p.name, a.Poly, a.KeyedBy)
		}
		sizes[i] = n
	}
	return sizes, nil
}

// outcome is what a program gives: the columns of its result, and the least
// places of the first step's faults.
type outcome struct {
	columns [][]byte
	faults  []int64
}

func (e *evaluation) outcome() outcome {
	o := outcome{faults: e.faults}
	for _, c := range e.p.s.Result {
		o.columns = append(o.columns, e.buffers[c.Buffer])
	}
	return o
}

func (o outcome) equal(want outcome) bool {
	return slices.Equal(o.faults, want.faults) && slices.EqualFunc(o.columns, want.columns, slices.Equal[[]byte])
}

// addFaults lowers places by those of an answer.
func addFaults(places []int64, list []parcel.Fault) {
	for _, f := range list {
		places[f.Site] = min(places[f.Site], f.Place)
	}
}

// input is a region that the caller has.
func (e *evaluation) input(region int) (num.Kind, []byte) {
	return e.p.leaf.Kernel.Regions[region].Elem, e.buffer(e.p.leaf.Regions[region], 0)
}

// engines are shared by all worlds: kernels are compiled once.
var engines = sync.OnceValues(func() (map[engine.Tier]*engine.Engine, error) {
	m := map[engine.Tier]*engine.Engine{}
	for _, tier := range []engine.Tier{engine.Stepper, engine.Wasm} {
		e, err := engine.New(engine.Options{Tier: tier})
		if err != nil {
			return nil, err
		}
		m[tier] = e
	}
	return m, nil
})

func compiled(tier engine.Tier, b []byte) (*engine.Compiled, *engine.Engine, error) {
	k, err := kernel.Decode(b)
	if err != nil {
		return nil, nil, err
	}
	all, err := engines()
	if err != nil {
		return nil, nil, err
	}
	c, err := all[tier].Kernel(context.Background(), k)
	return c, all[tier], err
}
