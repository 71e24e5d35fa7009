package cluster

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a launch over a data set, and what would travel. Out: whether its rows come here or it goes to them, by the times that
// all ways are expected to take. Where these overlap by what is known of the way to the nodes, that is measured first.

// weighed is a decision with its reasons.
type weighed struct {
	best Strategy
	ways plan.Ways
	why  string
	// lost is what a launch loses that does not have its rows here, and price what it takes to have them here, in nanoseconds; see rent.go.
	lost, price float64
}

// words say of the times of each way where the rows are.
var words = []string{plan.Fetch: "with the rows here", plan.Ship: "beside them", plan.Gather: "with the rows that are wanted brought"}

func (w *weighed) String() string { return w.why }

// decided takes the way that is expected to take the least time.
func decided(ways plan.Ways) *weighed {
	var list []string
	for i, t := range ways {
		if t.P50 > 0 {
			list = append(list, fmt.Sprintf("%v %s", time.Duration(t.P50).Round(10*time.Microsecond), words[i]))
		}
	}
	return &weighed{best: Strategy(ways.Best().String()), ways: ways, why: "expected " + strings.Join(list, ", ")}
}

// machine is what is decided for.
func (b *Beside) machine() *machine.Machine { return cmp.Or(b.Machine, b.Measured, machine.Here()) }

// weigh decides on a launch, as before on one like it. load says what travels, where that is not so.
func (b *Beside) weigh(ctx context.Context, a *arranged, load func() *plan.Moving) (*weighed, error) {
	like := b.like(a)
	before := b.c.habits.of(like)
	if before != nil && !a.Forecast() {
		a.decided = like
		b.foresee(&Foreseen{Step: cmp.Or(b.of, a.Launch.Label), Ways: before.ways})
		return b.bought(a, before), nil
	}
	m, lately, mv := b.machine(), true, load()
	mv.Fetched = b.c.firstTime(a.set, a.inputs(), mv.Fetched)
	mv.Coming, mv.Machines, mv.New, mv.Runs = coming(a.Placed), b.c.machines(a.set), b.news(a), a.Repeats()
	if b.Machine != nil {
		mv.Link = m.Way(a.set.Far)
	} else {
		mv.There = b.c.described(a.set)
		mv.Link, lately = b.c.linkTo(a.set).known(m.Way(a.set.Far), longestOf(a.set))
	}
	ways := plan.Weigh(m, mv)
	if !lately && (a.Forecast() || !ways.Sure()) { // a forecast says how long it takes, whatever is the best way
		in := a.column[slices.Min(slices.Collect(maps.Keys(a.column)))]
		mv.Link = b.c.linkTo(a.set).measure(ctx, b.c, mv.Link, a.set, in.Binding.Column)
		ways = plan.Weigh(m, mv)
	}
	gone := b.gone(a.Placed, mv, &ways)
	if b.doubt != nil {
		b.doubt(&ways)
	}
	w := decided(ways)
	f := &Foreseen{Step: cmp.Or(b.of, a.Launch.Label), Ways: ways, gone: gone, m: m, mv: mv}
	if i := slices.Index(plan.WayNames, string(b.WhyNot)); i >= 0 {
		f.Instead = plan.WhyNotWay(plan.Way(i), m, mv)
	}
	b.foresee(f)
	if a.Forecast() {
		if f.Brought = b.bringing(a.Placed, a.set.ID); before != nil {
			w.best = before.best
		}
		b.last = f
		return w, nil
	}
	if like != nil {
		b.rent(a, m, mv, w)
		like.kind.way = b.c.linkTo(a.set).measured() // which may have been now
		b.c.habits.keep(like, w)
		a.decided = like
	}
	return b.bought(a, w), nil
}

// gone expects what earlier runs took, of a launch that runs once, and reports which ways they went.
func (b *Beside) gone(p *run.Placed, mv *plan.Moving, ways *plan.Ways) (gone [3]bool) {
	if p.Repeats() > 1 {
		return gone
	}
	noted := p.Whole()
	g := plan.Gone{Seen: b.Seen, Kernel: noted.Compiled.Safe.ID, Sizes: noted.Sizes, Threads: runtime.GOMAXPROCS(0)}
	cold := *ways
	gone = g.Warm(b.machine().Engines["wasm"], ways)
	if f := &ways[plan.Fetch]; !gone[plan.Fetch] && noted.Compiled.Tier() != engine.Native && f.P50 < cold[plan.Fetch].P50 {
		*f = cold[plan.Fetch] // nodes may have been as quick because they have native code: here is none
	}
	for w := range ways {
		if cold[w].P50 > 0 {
			mv.Off[w] = ways[w].P50 / cold[w].P50
		}
	}
	return gone
}

// news reports that nodes have not got a launch's kernel yet.
func (b *Beside) news(a *arranged) bool {
	return !b.c.codes.went(a.code) && !(a.Forecast() && b.sent[a.code.ID])
}

// Foreseen is what was expected of a launch that could go several ways.
type Foreseen struct {
	Step string
	plan.Ways
	Instead *plan.Instead // of Beside.WhyNot; nil without
	// Only is why rows come here whatever it takes; "" if that was weighed, or asked for.
	Only string
	// Brought is what it takes to bring here what goes along, whatever way that is; in forecasts alone.
	Brought machine.Spread

	gone [3]bool // ways that earlier runs went
	m    *machine.Machine
	mv   *plan.Moving
}

// foresee notes what is expected of a launch.
func (b *Beside) foresee(f *Foreseen) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.foreseen) < mostForeseen {
		b.foreseen = append(b.foreseen, *f)
	}
}

// mostForeseen is how many launches are noted: loops have many.
const mostForeseen = 64

// Foreseen is what was expected so far.
func (b *Beside) Foreseen() []Foreseen {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.foreseen)
}

// load is what travels for a walk.
func (w *walking) load(m *machine.Machine) *plan.Moving {
	mv := &plan.Moving{Shipped: w.walked(m)}
	if far := w.farBytes(); holds(far) {
		mv.Fetched = w.fetched(far, len(w.batch.Far))
	}
	if _, err := w.batch.inRounds(w.Compiled.Kernel, w.far); err == nil {
		mv.Gathered = w.gathered(m)
	} else {
		mv.NoGather = err
	}
	return mv
}

// coming is a launch as package plan sees it.
func coming(p *run.Placed) *plan.Coming {
	scalar := func(i int) (int64, bool) { return int64(p.Scalars[i]), p.Known(i) }
	return &plan.Coming{Safe: p.Compiled.Safe, Sizes: p.Sizes, Scalar: scalar, Threads: runtime.GOMAXPROCS(0)}
}

// fetched is what travels if the rows come here.
func (a *arranged) fetched(bytes int64, columns int) *plan.Load {
	return rowsHere(bytes, columns, len(a.set.Shards))
}

// firstTime notes what of a load of rows this process has not read yet, and what of it is in its memory.
func (c *Cluster) firstTime(set *catalog.Set, inputs []run.Input, l *plan.Load) *plan.Load {
	if l != nil {
		l.Unread, l.Unopened = c.unread(set, l.Bytes)
		l.InPlace = c.inPlace(set, inputs)
	}
	return l
}

// inputs are the columns of the set that a launch reads.
func (a *arranged) inputs() []run.Input { return slices.Collect(maps.Values(a.column)) }

func rowsHere(bytes int64, columns, shards int) *plan.Load {
	return plan.FetchRows(float64(bytes), columns, shards, pieceBytes, aheadBytes/pieceBytes+mostPieces*runtime.GOMAXPROCS(0))
}

// shipped is what travels if a launch that walks over rows goes to its shards. A sequential one goes from one to the next. What outer indices
// need that run here comes meanwhile.
func (a *arranged) shipped(t *task, away, here []span, back float64) *plan.Load {
	n := float64(len(away))
	pieces := n + back/float64(a.portion.piece) + float64(a.Outer)*(float64(a.steps())/parcel.UsualSteps)
	s := &plan.Sent{Shards: n, Pieces: pieces, Fixed: float64(t.fixed), Sliced: float64(t.sliced), Back: back, Open: mostOpen}
	if a.Compiled.Sequential() {
		s.Open = 1
	} else {
		s.Tree = n > 1 && a.Packing == nil && back+s.Fixed+s.Sliced <= float64(a.portion.piece)
	}
	l := s.Load()
	rows := int64(0)
	for _, s := range here {
		first, end := a.rows(s.lo, s.hi)
		rows += end - first
	}
	if rows > 0 { // each span comes from two shards or more
		f := rowsHere(rows*a.rowBytes()/max(1, a.set.Rows), len(a.stored), 2*len(here))
		l = &plan.Load{Bytes: l.Bytes + f.Bytes, Parcels: l.Parcels + f.Parcels, Hops: max(l.Hops, f.Hops), Flows: max(l.Flows, 1) + f.Flows}
	}
	return l
}

// back is how many bytes come back from the shards, at most.
func (a *arranged) back(spans []span) float64 {
	if pieces := a.freely(spans); pieces != nil {
		away, _ := alternating(pieces)
		return float64(int64(len(away)) * a.each(a.outs))
	}
	n, rows := 0.0, int64(1)
	if a.Launch.Partial != nil { // nodes combine the rows of a block
		_, rows = a.inBlocks(spans)
	}
	for _, s := range spans {
		if s.shard >= 0 {
			n += float64(a.answers(nil, s)) / float64(rows)
		}
	}
	return n
}

// walked is what travels if states go to where their elements are.
func (w *walking) walked(m *machine.Machine) *plan.Load {
	state := 0
	for _, k := range w.form.Kinds {
		state += num.Kind(k).Size()
	}
	shards := float64(len(w.set.Shards))
	return (&plan.Walked{States: float64(w.count), Shards: shards, Bytes: float64(state), First: float64(w.travelling()), Moves: w.moves(m, shards)}).Load()
}

// gathered is what travels if states are brought their rows.
func (w *walking) gathered(m *machine.Machine) *plan.Load {
	return (&plan.Brought{States: float64(w.count), Shards: float64(len(w.set.Shards)), Columns: float64(len(w.batch.Far)), Rounds: w.rows(m) + 1,
		Row: float64(w.broughtBytes()), Together: float64(w.together())}).Load()
}

// moves is how often each state goes on to another of so many shards, as far as that can be told: those whose elements lie in order only
// where a shard ends.
func (w *walking) moves(m *machine.Machine, shards float64) (most float64) {
	for i, f := range plan.Turns(m, coming(w.Placed), w.count, w.batch.Far) {
		in := w.column[w.batch.Far[i]]
		elements := float64(max(1, in.Rows*max(1, in.Width)))
		most = max(most, (f.Apart+f.Passed*shards/elements)*(shards-1)/max(1, shards))
	}
	return most
}

// rows is how many rows each state comes to, one after the other, as far as that can be told.
func (w *walking) rows(m *machine.Machine) (most float64) {
	for i, f := range plan.Turns(m, coming(w.Placed), w.count, w.batch.Far) {
		width := float64(max(1, w.column[w.batch.Far[i]].Width))
		most = max(most, f.Apart+min(f.InOrder, max(f.Passed, 1)/width))
	}
	return most
}

// holds reports that there is room here for so many bytes.
func holds(bytes int64) bool { return bytes <= min(run.MostResident, mem.Available())/2 }

// described are the machines with shards of a set, as far as they have said what they are.
func (c *Cluster) described(set *catalog.Set) (list []*machine.Machine) {
	v, seen := c.View(), map[catalog.Peer]bool{}
	for i := range set.Shards {
		for _, p := range set.Shards[i].Everyone() {
			n, ok := v.Node(p)
			if !ok || seen[p] || n.Machine == "" {
				continue
			}
			seen[p] = true
			if m := c.machineOf(p, n.Machine); m != nil {
				list = append(list, m)
			}
		}
	}
	return list
}

// readMachine is what a node has said of itself, and what that means; nil if it is no description.
type readMachine struct {
	text string
	*machine.Machine
}

// machineOf reads a node's description, each once.
func (c *Cluster) machineOf(p catalog.Peer, text string) *machine.Machine {
	if r, ok := c.machinesRead.Load(p); ok && r.(readMachine).text == text {
		return r.(readMachine).Machine
	}
	m, err := machine.Parse([]byte(text))
	if err != nil {
		m = nil
	}
	c.machinesRead.Store(p, readMachine{text, m})
	return m
}

// machines is how many machines the nodes with shards of a set run on.
func (c *Cluster) machines(set *catalog.Set) int {
	v, hosts := c.View(), map[string]bool{}
	for i := range set.Shards {
		for _, p := range set.Shards[i].Everyone() {
			if n, ok := v.Node(p); ok {
				host, _, err := net.SplitHostPort(n.Address)
				if err != nil {
					host = n.Address
				}
				hosts[host] = true
			}
		}
	}
	return max(1, len(hosts))
}
