package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/measure/crossing"
	"github.com/godwit-run/godwit/internal/plan/calibrate"
)

// In: five programs with a size, and this machine as it is measured first. Out: of each table of plans the size from which on another plan is
// said to be quicker, and the size from which on it is, by carrying both out.

// crosser is a program of which plans cross.
type crosser struct {
	name, text   string
	nodes        bool    // it reads a data set of as many rows as the size says
	lo, hi       float64 // of nodes, where the size is looked for
	below, above int     // numbers of plans
	cold         bool    // what compilation takes counts
}

var crossers = []crosser{
	{"sum, beside nodes", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { v.sum() }", true, 16, 1 << 21, 1, 2, false},
	{"map whose result is here", "fn f(v: &[f64; N]) -> [u8; N] where N: Range<1, 1_000_000_000> { v.map(|x| (x * 100.0) as u8) }", true, 16, 1 << 21, 1, 2, false},
	{"chase of 16 hops", "fn f(v: &[idx<N>; N]) -> idx<N> where N: Range<1, 1_000_000_000> { let mut at = v[0]; for _ in 0..16 { at = v[at]; } at }", true, 1 << 10, 1 << 23, 1, 2, false},
	{"one thread or two", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { v.map(|x| x.exp().sin()).sum() }", false, 0, 0, 1, 2, false},
	{"WebAssembly or native code", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { v.map(|x| x.exp().sin()).sum() }", false, 0, 0, 2, 4, true},
}

// crossings measures where plans cross.
func crossings(ctx context.Context, s *session) (err error) {
	b := &crossed{s: s, file: s.path("machine.toml"), pairs: 9, loaded: map[int]bool{}, columns: map[int][]float64{}}
	opt := calibrate.Options{Progress: func(what string) { s.progress("%s", what) }}
	if s.opt.Quick {
		opt.Most, b.pairs = 64<<20, 5
	}
	if s.opt.Pairs > 0 {
		b.pairs = s.opt.Pairs
	}
	only, err := regexp.Compile(s.opt.Only)
	if err != nil {
		return err
	}
	service, err := s.codegen(ctx)
	if err != nil {
		return err
	}
	if service != nil {
		defer service.Close()
		opt.Codegen, b.native = service, true
	}
	m, err := calibrate.Run(ctx, opt)
	if err != nil {
		return err
	}
	if b.f, err = s.startFleet(ctx, 2); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.f.close()) }()
	if b.c, err = godwit.Connect(ctx, b.f.dir, godwit.ConnectOptions{}); err != nil {
		return err
	}
	defer b.c.Close()
	if err := b.load(ctx, 1<<18, false); err != nil { // the way to the nodes is measured on contact
		return err
	}
	if m.Link, err = b.f.c.Way(ctx, setName(1<<18, false)); err != nil {
		return err
	}
	if err := m.Save(b.file); err != nil {
		return err
	}
	b.rt = godwit.NewRuntime(godwit.WithCompiler(s.path("objects"), s.compiler()...))
	defer b.rt.Close()
	for i := range crossers {
		if p := &crossers[i]; p.cold && !b.native || !only.MatchString(p.name) {
			continue
		}
		if err := b.program(ctx, i); err != nil {
			return fmt.Errorf("%s: %w", crossers[i].name, err)
		}
	}
	return nil
}

// crossed is the bed of all programs.
type crossed struct {
	s       *session
	f       *fleet
	c       *godwit.Cluster
	rt      *godwit.Runtime
	file    string // describes the machine
	pairs   int
	native  bool
	loaded  map[int]bool // sizes, those of walks below 0
	columns map[int][]float64
	cold    int // runtimes that were made
}

// program finds the crossing of one program.
func (b *crossed) program(ctx context.Context, i int) error {
	p := &crossers[i]
	f, err := function(p.text)
	if err != nil {
		return err
	}
	c := &crossing.Contest{Program: p.name, Size: "N", Lo: 1, Hi: 1e9}
	table := b.table
	if p.nodes {
		table, c.Lo, c.Hi = b.tableOfNodes, p.lo, p.hi
	}
	below, above, err := table(ctx, f, i, c)
	if err != nil || c.Table == 0 {
		return err
	}
	b.s.progress("%s: %s up to %.0f, then %s", p.name, c.Below, c.Table, c.Above)
	c.Pair = func(ctx context.Context, size float64, swapped bool) (x, y float64, err error) {
		args, err := b.arguments(ctx, int(size), i)
		if err != nil {
			return 0, 0, err
		}
		first, second := below, above
		if swapped {
			first, second = above, below
		}
		if x, err = b.time(ctx, f, args, first, p); err == nil {
			y, err = b.time(ctx, f, args, second, p)
		}
		if swapped {
			x, y = y, x
		}
		return x, y, err
	}
	c.Said = func(ctx context.Context, size float64) (x, y float64, err error) {
		args, err := b.arguments(ctx, int(size), i)
		if err != nil {
			return 0, 0, err
		}
		rt, end := b.fresh(p.cold)
		defer end()
		list, err := b.said(ctx, f, args, rt, p.nodes)
		if err != nil || list[below-1].Predicted == nil || list[above-1].Predicted == nil {
			return 0, 0, err
		}
		return list[below-1].Predicted.P50, list[above-1].Predicted.P50, nil
	}
	x, err := crossing.Find(ctx, c, b.pairs)
	if err == nil {
		b.s.report.Crossings = append(b.s.report.Crossings, x)
	}
	return err
}

// away are the options of calls over data sets, if they are.
func (b *crossed) away(nodes bool) []godwit.Option {
	if !nodes {
		return nil
	}
	return []godwit.Option{godwit.WithCluster(b.c)}
}

// fresh gives a runtime that has compiled nothing, if compilation counts, and what ends it.
func (b *crossed) fresh(cold bool) (*godwit.Runtime, func()) {
	if !cold {
		return b.rt, func() {}
	}
	b.cold++
	rt := godwit.NewRuntime(godwit.WithCompiler(b.s.path(fmt.Sprintf("objects-%d", b.cold)), b.s.compiler()...))
	return rt, func() { rt.Close() }
}

// time is what a call takes by a plan.
func (b *crossed) time(ctx context.Context, f *godwit.Func, args godwit.Args, number int, p *crosser) (float64, error) {
	rt, end := b.fresh(p.cold)
	defer end()
	if p.cold { // its compiler is up, as that of whoever has made native code before
		if err := b.warm(ctx, rt); err != nil {
			return 0, err
		}
	}
	res, err := f.Call(ctx, args, append(b.away(p.nodes), godwit.WithRuntime(rt), godwit.WithPlan(number), godwit.WithThreads(b.s.opt.Threads))...)
	if err != nil {
		return 0, err
	}
	defer res.Close()
	return res.Stats().Seconds, nil
}

// warm has a runtime compile something else to native code.
func (b *crossed) warm(ctx context.Context, rt *godwit.Runtime) error {
	other, err := function("fn f(v: &[f64; N]) -> f64 { v.map(|x| x * 3.0 + 1.0).max() }")
	if err != nil {
		return err
	}
	_, err = other.Call(ctx, godwit.Args{"v": b.numbers(100)}, godwit.WithRuntime(rt), godwit.WithEngine("native"))
	return err
}

// said are the plans of a call with what is expected of them.
func (b *crossed) said(ctx context.Context, f *godwit.Func, args godwit.Args, rt *godwit.Runtime, nodes bool) ([]godwit.Candidate, error) {
	s, err := f.Predict(ctx, args, append(b.away(nodes), godwit.WithRuntime(rt), godwit.WithPrediction(b.file), godwit.WithThreads(b.s.opt.Threads))...)
	if err != nil {
		return nil, err
	}
	return s.Plan.Candidates, nil
}

// table takes a crossing out of the table of a call on this machine.
func (b *crossed) table(ctx context.Context, f *godwit.Func, i int, c *crossing.Contest) (below, above int, err error) {
	p := &crossers[i]
	rt, end := b.fresh(true)
	defer end()
	if err := b.warm(ctx, rt); err != nil && p.cold {
		return 0, 0, err
	}
	s, err := f.Predict(ctx, godwit.Args{"v": b.numbers(1000)}, godwit.WithRuntime(rt), godwit.WithPrediction(b.file), godwit.WithThreads(b.s.opt.Threads))
	if err != nil || s.Plan.By == nil {
		return 0, 0, err
	}
	rows := s.Plan.By.Rows
	for k := 1; k < len(rows); k++ {
		native := rows[k].Engine == "native" && rows[k-1].Engine != "native"
		if c.Table == 0 && native == p.cold && rows[k].Number > 0 && rows[k-1].Number > 0 {
			c.Table, c.Below, c.Above = float64(rows[k].From), wayName(&rows[k-1]), wayName(&rows[k])
			below, above = rows[k-1].Number, rows[k].Number
		}
	}
	if c.Table == 0 {
		b.s.note(fmt.Sprintf("%s: one plan for all sizes.", p.name))
	}
	return below, above, nil
}

func wayName(w *godwit.Way) string { return fmt.Sprintf("%s, threads %d", w.Engine, w.Threads) }

// tableOfNodes finds where what is expected of the two ways to a data set crosses.
func (b *crossed) tableOfNodes(ctx context.Context, f *godwit.Func, i int, c *crossing.Contest) (below, above int, err error) {
	p := &crossers[i]
	ratio := func(n float64) (float64, error) { // of below by above
		args, err := b.arguments(ctx, int(n), i)
		if err != nil {
			return 0, err
		}
		if _, err := b.time(ctx, f, args, p.above, p); err != nil { // after which the nodes have the kernel
			return 0, err
		}
		list, err := b.said(ctx, f, args, b.rt, p.nodes)
		if err != nil {
			return 0, err
		}
		x, y := list[p.below-1].Predicted, list[p.above-1].Predicted
		if x == nil || y == nil { // so few rows have no way but one
			c.Lo = max(c.Lo, n+1)
			return -1, nil
		}
		return math.Log(x.P50 / y.P50), nil
	}
	lo, hi := c.Lo, c.Hi
	first, err := ratio(lo)
	if err != nil {
		return 0, 0, err
	}
	last, err := ratio(hi)
	if err != nil {
		return 0, 0, err
	}
	if first > 0 || last < 0 {
		b.s.note(fmt.Sprintf("%s: one way is expected to be quicker for all sizes from %.0f to %.0f.", p.name, lo, hi))
		return 0, 0, nil
	}
	for hi/lo > 1.02 {
		mid := math.Round(math.Sqrt(lo * hi))
		r, err := ratio(mid)
		if err != nil {
			return 0, 0, err
		}
		if r < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	c.Table, c.Below, c.Above = hi, []string{"fetch", "ship", "gather"}[p.below-1], []string{"fetch", "ship", "gather"}[p.above-1]
	return p.below, p.above, nil
}

// arguments are those of a program with a size.
func (b *crossed) arguments(ctx context.Context, n, i int) (godwit.Args, error) {
	if !crossers[i].nodes {
		return godwit.Args{"v": b.numbers(n)}, nil
	}
	walks := crossers[i].name == "chase of 16 hops"
	return godwit.Args{"v": godwit.DataSet(setName(n, walks))}, b.load(ctx, n, walks)
}

func (b *crossed) numbers(n int) []float64 {
	if b.columns[n] == nil {
		clear(b.columns) // sizes come one after the other
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = float64(i%997) / 997
		}
		b.columns[n] = xs
	}
	return b.columns[n]
}

func setName(n int, walks bool) string {
	if walks {
		return fmt.Sprintf("walk%d", n)
	}
	return fmt.Sprintf("set%d", n)
}

// load has a data set of a size in two shards.
func (b *crossed) load(ctx context.Context, n int, walks bool) error {
	key := n
	if walks {
		key = -n
	}
	if b.loaded[key] {
		return nil
	}
	var src data.Source
	if walks {
		at := make([]uint32, n)
		for i := range at { // elsewhere each time
			at[i] = uint32((uint64(i)*2654435761 + 12345) % uint64(n))
		}
		src = data.FromSlice(at)
	} else {
		src = data.FromSlice(slices.Clone(b.numbers(n)))
	}
	if _, err := b.f.c.Load(ctx, src, setName(n, walks), cluster.LoadOptions{Shards: 2}); err != nil {
		return err
	}
	b.loaded[key] = true
	return nil
}
