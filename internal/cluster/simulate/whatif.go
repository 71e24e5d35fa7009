package simulate

import (
	"container/heap"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a description of machines that need not exist, how many there are, and a program over a table in shards on them. Out: what the planner
// expects of a way to run it, and how long that takes in virtual time, where every parcel is sent, and every job runs, as in production. What a
// kernel takes is the cost model's word on both sides: what is compared is how much travels, and what happens at the same time.

const (
	// mostOpen and what follows are those of package cluster: how many pieces of a launch are under way, how long a piece of rows is, and how
	// many of these are under way beforehand and for each thread.
	mostOpen, pieceBytes    = 64, 256 << 10
	aheadPieces, mostPieces = 16, 6
	// forever is longer than any run, in microseconds, and still fits into a parcel's header.
	forever = 4_000_000_000
)

// supposed is a cluster that is supposed.
type supposed struct {
	m      *machine.Machine
	nodes  int
	w      *world
	c      *client
	whole  float64 // what the launch takes on one machine there, in nanoseconds
	visits float64 // how many jobs it is, where it is a walk
	outer  int64
	here   int // what the caller computes, and is to compute
	busy   int // of its processors
	// waiting is what no processor is free for.
	waiting []func()
}

// newSupposed has a table lie in as many shards as there are nodes.
func newSupposed(m *machine.Machine, nodes int, t *table) *supposed {
	s := &supposed{m: m, nodes: nodes}
	w := &world{rand: rand.New(rand.NewPCG(1, 1)), trace: newTrace(), view: &catalog.View{}, cuts: map[catalog.Peer][]interval{}, tier: engine.Wasm, healed: true, last: -1}
	w.counts.ByProgram, w.counts.Failed = map[string]int64{}, map[string]int64{}
	w.clock = newClock(m.Link, s.compute)
	s.w = w
	heap.Init(&w.events)
	w.network()
	for i := range nodes {
		h := &host{w: w, peer: catalog.Peer(i + 1), name: fmt.Sprintf("n%d", i+1), absent: map[name][]interval{}}
		h.limits = node.Limits{Parcels: 1 << 12, Bytes: 1 << 30, Steps: 1 << 50, Turns: 1 << 20, Codes: 8, CodeBytes: 1 << 20, Calls: 1, Jobs: 64, Retry: 1000, RegionBytes: 1 << 30}
		w.hosts = append(w.hosts, h)
	}
	for _, h := range w.hosts {
		h.boot()
	}
	w.tables = []*table{t}
	for i := range t.set.Shards {
		h := w.hosts[i%nodes]
		t.set.Shards[i].Assigned = []catalog.Peer{h.peer}
		n := name{t.set.ID, i}
		h.give(n)
		h.said[n] = true
	}
	s.c = &client{w: w, peer: catalog.FirstClient, name: "c", open: map[caller.ID]*request{}, lives: map[catalog.Peer]int64{}, refused: map[refusal]int64{}}
	s.c.core = caller.New(s.c.peer, caller.Options{First: 1, Retry: forever, Patience: forever, Wait: forever, Forget: forever})
	s.c.drive = w.driver(s.c.peer, s.c.name, s.c.core, s.c.do)
	w.clients = []*client{s.c}
	w.publish()
	w.loop()
	return s
}

// compute is what a job takes.
func (s *supposed) compute(work node.Work) float64 {
	switch work := work.(type) {
	case *node.Compile:
		return s.m.Engines["wasm"].Compile
	case *node.Compute:
		return s.whole * float64(work.Task.Hi-work.Task.Lo) / float64(s.outer)
	case *node.Advance:
		return s.whole / s.visits * float64(work.Batch.States)
	}
	return 0 // reading is part of the way
}

// took has an operation run until nothing is left to do, and gives the nanoseconds that it took.
func (s *supposed) took(begin func(op *operation) error) (float64, error) {
	w := s.w
	start := w.now
	op := &operation{name: "what if", from: s.c, table: w.tables[0], start: w.told(), deadline: w.told() + forever}
	if err := begin(op); err != nil {
		return 0, err
	}
	w.clock.over = func() bool { return len(s.c.open) == 0 && w.now > start && s.here == 0 }
	w.loop()
	if w.failure == nil && len(s.c.open) > 0 {
		w.failure = fmt.Errorf("%d requests have no answer", len(s.c.open))
	}
	if w.failure != nil {
		return 0, fmt.Errorf("%w; the trace ends with\n%s", w.failure, strings.Join(w.trace.tail, "\n"))
	}
	return float64(w.now - start), nil
}

// computes has a processor of the caller compute for so many nanoseconds.
func (s *supposed) computes(took float64, then func()) {
	s.here++
	work := func() {
		s.w.after(int64(took), func() {
			s.here--
			if s.busy--; len(s.waiting) > 0 {
				next := s.waiting[0]
				s.waiting = s.waiting[1:]
				s.busy++
				next()
			}
			then()
		})
	}
	if s.busy >= s.m.Processors {
		s.waiting = append(s.waiting, work)
		return
	}
	s.busy++
	work()
}

// twice runs an operation, and then measures it: kernels are there.
func (s *supposed) twice(begin func(op *operation) error) (float64, error) {
	if _, err := s.took(begin); err != nil {
		return 0, err
	}
	return s.took(begin)
}

// compared is what was expected of a way and what it took, in nanoseconds.
type compared struct {
	what            string
	expected, taken float64
}

// off is by which part the expected time is wrong.
func (c *compared) off() float64 { return max(c.expected/c.taken, c.taken/c.expected) - 1 }

// coming is the first launch of a program over a table, on a machine there.
func (s *supposed) coming(p *program, e *evaluation) (*plan.Coming, error) {
	safe, err := verify.Check(p.leaf.Kernel)
	if err != nil {
		return nil, err
	}
	sizes, err := e.sizeArgs(p.leaf.Sizes)
	if err != nil {
		return nil, err
	}
	return &plan.Coming{Safe: safe, Sizes: sizes, Threads: s.m.Processors}, nil
}

// stored are the places of regions where the table's columns are files.
func stored(p *program) []cost.Place {
	places := make([]cost.Place, len(p.leaf.Regions))
	for r, b := range p.leaf.Regions {
		if b >= 0 && p.columnOf(b) >= 0 {
			places[r] = cost.File
		}
	}
	return places
}

// folded compares the ways of a fold: to its rows, and these here.
func (s *supposed) folded(p *program, n *numbers) (list []compared, err error) {
	t := s.w.tables[0]
	e := p.evaluate(t, nil)
	c, err := s.coming(p, e)
	if err != nil {
		return nil, err
	}
	there := *c
	there.Places = stored(p)
	s.whole = plan.Choose(s.m, &there).Wasm.P50
	s.outer, _ = kernel.EvalPoly(c.Safe.Kernel.Outer, c.Sizes)
	shards := float64(len(t.set.Shards))
	for _, tree := range []bool{true, false} {
		var f *folding
		took, err := s.twice(func(op *operation) error {
			op.fan = tree
			f = &folding{w: s.w, op: op, p: p, e: p.evaluate(t, nil)}
			return f.begin(n)
		})
		if err != nil {
			return nil, err
		}
		back := 0.0
		for _, per := range f.per {
			back += float64(f.rows*per) * 8
		}
		sent := &plan.Sent{Shards: shards, Pieces: shards, Back: back, Open: mostOpen, Tree: tree}
		ways := plan.Weigh(s.m, &plan.Moving{Coming: c, Link: s.m.Link, Stored: there.Places, Machines: s.nodes, There: []*machine.Machine{s.m}, Shipped: sent.Load()})
		list = append(list, compared{fmt.Sprintf("%s, to the rows, tree: %v", p.name, tree), ways[plan.Ship].P50, took})
	}
	fetch := &plan.Moving{Coming: c, Link: s.m.Link, Fetched: plan.FetchRows(float64(8*t.set.Rows), 1, len(t.set.Shards), pieceBytes, s.open())}
	ways := plan.Weigh(s.m, fetch)
	took, err := s.took(func(op *operation) error { return s.fetch(op, p.columns[0], plan.Choose(s.m, c).Wasm.P50) })
	return append(list, compared{p.name + ", rows come here", ways[plan.Fetch].P50, took}), err
}

// open is how many pieces of rows are under way.
func (s *supposed) open() int { return aheadPieces + mostPieces*s.m.Processors }

// fetch has a column come here piece by piece, and computes with each.
func (s *supposed) fetch(op *operation, column int, whole float64) error {
	t := op.table
	var chunks []parcel.Gather
	for _, sh := range t.set.Shards {
		for lo := sh.Lo; lo < sh.Hi; lo += pieceBytes / 8 {
			chunks = append(chunks, parcel.Gather{Set: t.set.ID, Column: column, Lo: lo, Hi: min(sh.Hi, lo+pieceBytes/8)})
		}
	}
	next := 0
	ask := func() {
		if next < len(chunks) {
			g := chunks[next]
			op.from.ask(op, next, func(id caller.ID, left int64) caller.Input {
				return &caller.Ask{ID: id, Kind: parcel.Read, Set: t.set.ID, Shard: t.set.ShardOf(g.Lo), Left: left, Payload: g.Append(nil)}
			})
			next++
		}
	}
	op.got = func(part int, a *parcel.Answer) error {
		g := chunks[part]
		if !slices.Equal(a.Columns[0], t.values[column][8*g.Lo:8*g.Hi]) {
			return fmt.Errorf("rows %d to %d are not those of the table", g.Lo, g.Hi)
		}
		alone := whole * float64(s.m.Processors) * float64(g.Hi-g.Lo) / float64(t.set.Rows)
		s.computes(alone, func() {})
		ask()
		return nil
	}
	for range s.open() {
		ask()
	}
	return nil
}

// walked compares the ways of walks: to their rows, and these brought.
func (s *supposed) walked(p *program, states int) (list []compared, err error) {
	t := s.w.tables[0]
	given := s.w.draw(states, t)
	e := p.evaluate(t, given)
	c, err := s.coming(p, e)
	if err != nil {
		return nil, err
	}
	here := plan.Choose(s.m, c).Wasm.P50
	shards, width := float64(len(t.set.Shards)), float64(len(p.batch.Far))
	turns := 0.0
	for _, f := range plan.Turns(s.m, c, int64(states), p.batch.Far) {
		turns = max(turns, f.Apart)
	}
	moves := turns * (shards - 1) / shards
	s.whole, s.visits = here, float64(states)*(moves+1)
	bytes := 0.0
	for _, k := range p.batch.Columns {
		bytes += float64(num.Kind(k.Kind).Size())
	}
	walked := &plan.Walked{States: float64(states), Shards: shards, Bytes: bytes, First: bytes * float64(states), Moves: moves}
	brought := &plan.Brought{States: float64(states), Shards: shards, Columns: width, Rounds: turns + 1, Row: 8 * width, Together: 1 << 16}
	ways := plan.Weigh(s.m, &plan.Moving{Coming: c, Link: s.m.Link, Machines: s.nodes, There: []*machine.Machine{s.m}, Shipped: walked.Load(), Gathered: brought.Load()})
	took, err := s.twice(func(op *operation) error { return s.w.walkFrom(op, p, given) })
	if err != nil {
		return nil, err
	}
	list = append(list, compared{fmt.Sprintf("%d walks, to their rows", states), ways[plan.Ship].P50, took})
	took, err = s.took(func(op *operation) error { return s.bring(op, given, int(turns), here) })
	return append(list, compared{fmt.Sprintf("%d walks, rows brought", states), ways[plan.Gather].P50, took}), err
}

// bring has states that stay here brought their rows, round by round, of both columns that they follow.
func (s *supposed) bring(op *operation, given []byte, rounds int, here float64) error {
	t := op.table
	at := make([]int64, len(given)/8)
	for i := range at {
		at[i] = int64(binary.LittleEndian.Uint64(given[8*i:]))
	}
	each := s.m.Engines["wasm"].Call + here/float64(rounds+1)
	var round func()
	var got func(part int, a *parcel.Answer) error
	op.got = func(part int, a *parcel.Answer) error { return got(part, a) }
	open := 0
	round = func() {
		by := map[int][]int{}
		for i, row := range at {
			by[t.set.ShardOf(row)] = append(by[t.set.ShardOf(row)], i)
		}
		var asked [][]int
		var columns []int
		for shard := range t.set.Shards {
			if len(by[shard]) == 0 {
				continue
			}
			for _, column := range []int{webNext, webWeight} {
				g := parcel.Gather{Set: t.set.ID, Column: column}
				for _, i := range by[shard] {
					g.Rows = append(g.Rows, at[i])
				}
				asked, columns = append(asked, by[shard]), append(columns, column)
				open++
				op.from.ask(op, len(asked)-1, func(id caller.ID, left int64) caller.Input {
					return &caller.Ask{ID: id, Kind: parcel.Read, Set: t.set.ID, Shard: shard, Left: left, Payload: g.Append(nil)}
				})
			}
		}
		then := slices.Clone(at)
		got = func(part int, a *parcel.Answer) error {
			if len(a.Columns[0]) != 8*len(asked[part]) {
				return fmt.Errorf("%d bytes came back for %d rows", len(a.Columns[0]), len(asked[part]))
			}
			if columns[part] == webNext {
				for k, i := range asked[part] {
					then[i] = int64(binary.LittleEndian.Uint64(a.Columns[0][8*k:]))
				}
			}
			if open--; open > 0 {
				return nil
			}
			at = then
			if rounds--; rounds >= 0 {
				s.computes(each, round)
			}
			return nil
		}
	}
	round()
	return nil
}
