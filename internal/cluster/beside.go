package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/suspend"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
	"github.com/godwit-run/godwit/internal/run"
)

// Strategy is where launches over data sets run.
type Strategy string

// Auto ships a launch to the shards, or fetches its rows, whichever is expected to take less time; see weigh.go.
// Gather brings walks that follow indices the rows that they come to, and fetches those of other launches.
// Single is Gather with one walk at a time: no other way waits as often.
// Preinstalled is Ship without code: a node that lacks it is an error.
const (
	Auto         Strategy = "auto"
	Fetch        Strategy = "fetch" // this, Ship and Gather are the ways of package plan
	Ship         Strategy = "ship"
	Preinstalled Strategy = "preinstalled"
	Gather       Strategy = "gather"
	Single       Strategy = "single"
)

// Strategies lists them all.
var Strategies = []Strategy{Auto, Fetch, Ship, Gather, Preinstalled, Single}

// Stats is what the launches of a call took in the cluster.
type Stats struct {
	Nodes     []catalog.Peer // that took part, ascending
	Hops      int64          // most forwards of a parcel
	Parcels   int64          // sent and received by the caller
	Bytes     int64
	CodeBytes int64 // of kernels that the caller sent
	Retries   int64
	Places    []string // of each launch, in words
	Replaced  []caller.Replacement
	// Timing adds up where nodes spent their time; of nodes that worked at the same time
	// it is that of the slowest.
	Timing parcel.Timing
}

// Beside runs the launches of one call where their inputs are. It implements
// run.Beside.
type Beside struct {
	c        *Cluster
	strategy Strategy
	portion  portion
	// Around, if set, is given what would be done for each launch in the cluster,
	// and may do it several times: benchmarks do.
	Around func(launch func() error) error
	// Machine, if set, is what is decided for, with its links; else this one, and the way to
	// the nodes as it was measured.
	Machine *machine.Machine
	// Measured, if set, is this machine where the process does not know it itself: see Cluster.Neighbour.
	Measured *machine.Machine
	// Seen, if set, is what earlier runs of kernels took, by the ways that they went.
	Seen *seen.Memory

	// WhyNot, if set, is a way that a reason is wanted for.
	WhyNot Strategy

	doubt func(*plan.Ways) // if set, changes what is expected: tests do
	taken func()           // if set, is told of each piece that is put in its place

	mu       sync.Mutex
	stats    Stats
	foreseen []Foreseen
	asked    *schedule.Launch              // the last one, in whatever form it runs
	went     map[*schedule.Launch]Strategy // how launches went at first
	last     *Foreseen                     // of a forecast: what was decided last
	keeps    float64                       // of a forecast: which part of its elements a launch keeps
	// outweighed is why the last launch does not send what is kept, if that is because rows come here in less time.
	outweighed string
	// form is what was foreseen of the form of the last launch that was weighed for that, in a forecast; nil if none was.
	form *Foreseen
	// of is the launch that a form stands for which is weighed; "" for none.
	of   string
	sent map[kernel.ID]bool // of a forecast: kernels that nodes would have got by now
}

// Beside is for one call.
func (c *Cluster) Beside(s Strategy) *Beside {
	if s == "" {
		s = Auto
	}
	return &Beside{c: c, strategy: s, portion: usual}
}

// around does what a launch takes in the cluster.
func (b *Beside) around(launch func() error) error {
	if b.Around != nil {
		return b.Around(launch)
	}
	return launch()
}

// Stats is what has happened so far.
func (b *Beside) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stats
	s.Nodes = slices.Clone(s.Nodes)
	s.Places = slices.Clone(s.Places)
	s.Replaced = slices.Clone(s.Replaced)
	return s
}

func (b *Beside) note(s *caller.Stats, a *parcel.Answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a != nil {
		t := &b.stats.Timing
		t.Queue, t.Verify, t.Compile, t.Run = t.Queue+a.Micros.Queue, t.Verify+a.Micros.Verify, t.Compile+a.Micros.Compile, t.Run+a.Micros.Run
	}
	b.stats.Parcels += s.Parcels + s.Answers
	b.stats.Bytes += s.Bytes + s.Received
	b.stats.CodeBytes += s.CodeBytes
	b.stats.Retries += s.Retries
	b.stats.Hops = max(b.stats.Hops, s.Hops)
	for _, r := range s.Replaced {
		if !slices.Contains(b.stats.Replaced, r) {
			b.stats.Replaced = append(b.stats.Replaced, r)
		}
	}
	b.join(s.Nodes)
}

func (b *Beside) join(nodes []catalog.Peer) {
	for _, p := range nodes {
		if i, ok := slices.BinarySearch(b.stats.Nodes, p); !ok {
			b.stats.Nodes = slices.Insert(b.stats.Nodes, i, p)
		}
	}
}

func (b *Beside) placed(p *run.Placed, way Strategy, text string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stats.Places = append(b.stats.Places, p.Launch.Label+": "+fmt.Sprintf(text, args...))
	if _, ok := b.went[b.asked]; !ok {
		if b.went == nil {
			b.went = map[*schedule.Launch]Strategy{}
		}
		b.went[b.asked] = way
	}
}

// Went is how a launch went when it ran for the first time: Fetch, Ship, Gather or Single; "" if nothing that it reads was elsewhere.
func (b *Beside) Went(l *schedule.Launch) Strategy {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.went[l]
}

// Launch implements run.Beside.
func (b *Beside) Launch(ctx context.Context, p *run.Placed) (bool, error) {
	if p.ReadsNothing() {
		return false, nil
	}
	b.asked = p.Launch
	if !p.Forecast() {
		b.c.heed.launches.Add(1)
	}
	if b.strategy == Fetch {
		return b.stay(ctx, p, "rows are fetched")
	}
	b.outweighed, b.form = "", nil
	if b.strategy != Gather && b.strategy != Single {
		if done, err := b.keep(ctx, p); done || err != nil {
			return done, err
		}
		b.form, b.last = b.last, nil // another form of the launch was weighed
	}
	a, why := b.arrange(p)
	if a == nil {
		return b.stay(ctx, p, "rows are fetched: %s", why)
	}
	way := b.spread
	switch {
	case len(a.far) > 0:
		way = b.walk
	case b.strategy == Gather || b.strategy == Single:
		return b.stay(ctx, p, "rows are fetched: it follows no indices")
	}
	return way(ctx, a)
}

// ran carries a launch out, and notes that it ran, and how long it took. In a forecast it only notes what would be where.
func (b *Beside) ran(a *arranged, launch func() error) error {
	if a.Forecast() {
		b.goes(a)
		return nil
	}
	start := time.Now()
	err := launch()
	if err == nil {
		b.c.codes.ran(a.code)
		if a.decided != nil && b.c.habits.took(a.decided, time.Since(start)) {
			b.c.linkTo(a.set).doubt()
		}
	}
	return err
}

// stay has a launch run here. In a forecast it says what that takes, unless it was weighed.
func (b *Beside) stay(ctx context.Context, p *run.Placed, text string, args ...any) (bool, error) {
	b.placed(p, Fetch, text, args...)
	if !p.Forecast() || b.last != nil && b.last.Ways[plan.Fetch].P50 > 0 {
		return false, nil
	}
	b.last = b.fetching(ctx, p)
	if b.last != nil && b.outweighed != "" && b.form != nil { // it could go another way, which takes longer
		ways := b.form.Ways
		ways[plan.Fetch] = b.last.Ways[plan.Fetch]
		b.last.Ways = ways
		return false, nil
	}
	if b.last != nil && b.strategy == Auto {
		b.last.Only = fmt.Sprintf(text, args...)
		if way := b.WhyNot; slices.Contains(plan.WayNames, string(way)) {
			b.last.Instead = &plan.Instead{Strategy: string(way), Chosen: b.last.Ways[plan.Fetch], Is: way == Fetch, Reason: b.last.Only}
			b.foresee(b.last)
		}
	}
	return false, nil
}

// arranged is a launch with what each of its regions is to a node.
type arranged struct {
	*run.Placed
	portion portion
	first   int64 // of what is kept, so many elements are used; -1: all
	set     *catalog.Set
	code    caller.Code
	stored  []int          // regions that stream over columns of the set
	far     suspend.Widths // regions that follow indices into columns of the set
	local   []int          // regions with contents here
	outs    []int          // regions that are written
	column  map[int]run.Input
	decided *like // what its way was decided by; nil if it was not weighed
}

// mainSet is the data set to whose shards a launch may go; the rows of others come here and go there with it. It is the one of which the launch has
// most to read, of those that it walks over if there are such.
func mainSet(p *run.Placed) (main uint32) {
	bytes, walked := map[uint32]int64{}, map[uint32]bool{}
	for i := range p.Compiled.Kernel.Regions {
		in, ok := p.Input(i)
		remote, isRemote := in.Binding.Source.(run.Remote)
		if !ok || !isRemote || in.Here {
			continue
		}
		set, _ := remote.RemoteSet()
		bytes[set] += size(in)
		walked[set] = walked[set] || p.Compiled.Streams(i)
	}
	first := true
	for _, set := range slices.Sorted(maps.Keys(bytes)) {
		if first || walked[set] && !walked[main] || walked[set] == walked[main] && bytes[set] > bytes[main] {
			main, first = set, false
		}
	}
	return main
}

// size is how many bytes an input has.
func size(in run.Input) int64 { return in.Rows * max(1, in.Width) * int64(in.Kind.Size()) }

// arrange sorts a launch's regions; the reason says why it must run here.
func (b *Beside) arrange(p *run.Placed) (*arranged, string) {
	a := &arranged{Placed: p, portion: b.portion, far: suspend.Widths{}, column: map[int]run.Input{}}
	main, others := mainSet(p), int64(0)
	for i, r := range p.Compiled.Kernel.Regions {
		in, ok := p.Input(i)
		remote, isRemote := in.Binding.Source.(run.Remote)
		switch {
		case r.Access == kernel.Scratch:
		case r.Access != kernel.Read:
			a.outs = append(a.outs, i)
		case !ok || !isRemote || in.Here:
			a.local = append(a.local, i)
		default:
			set, _ := remote.RemoteSet()
			if set != main {
				if others += size(in); others > mostBytes/2 {
					return nil, fmt.Sprintf("the step needs rows of several data sets at the same time, and those of all but one, %d bytes, are too long for a parcel", others)
				}
				a.local = append(a.local, i) // which brings it here
				continue
			}
			if why := a.take(b.c.View(), set, i, in); why != "" {
				return nil, why
			}
		}
	}
	if a.set == nil {
		return nil, "everything is here"
	}
	var err error
	if a.code, err = b.c.codes.of(p.Compiled.Kernel); err != nil {
		return nil, err.Error()
	}
	return a, ""
}

// take notes a region that is a column of a set.
func (a *arranged) take(v *catalog.View, set uint32, region int, in run.Input) string {
	s, ok := v.Set(set)
	if !ok {
		return fmt.Sprintf("data set %d is gone", set)
	}
	if col := s.Columns[in.Binding.Column]; !a.Compiled.Streams(region) {
		switch {
		case in.Binding.Option:
			return fmt.Sprintf("column `%s` may have nulls, which only walks over rows can take", col.Name)
		case in.Binding.Blanks != data.NotBlank:
			return fmt.Sprintf("column `%s` has fields that CSV left empty, which only walks over rows can take", col.Name)
		case col.Kind != in.Kind:
			return fmt.Sprintf("column `%s` of @%s is %s, and the program reads it as %s, which only walks over rows can", col.Name, s.Name, col.Kind, in.Kind)
		}
	}
	a.set, a.column[region] = s, in
	if a.Compiled.Streams(region) {
		a.stored = append(a.stored, region)
	} else {
		a.far[region] = in.Width
	}
	return ""
}

// rows are those of the set that outer indices lo..hi touch; if they touch none, the one at which they would begin, or the last: so
// neither end falls when lo and hi rise. Nodes take the same, see daemon.shardFor.
func (a *arranged) rows(lo, hi int64) (first, end int64) {
	first = a.set.Rows
	begin := max(0, a.set.Rows-1)
	for _, r := range a.stored {
		w := max(1, a.column[r].Width)
		f, e := a.Compiled.Reach(r, a.Sizes, lo, hi)
		begin = min(begin, max(0, f/w))
		if f < e {
			first, end = min(first, f/w), max(end, (e+w-1)/w)
		}
	}
	if end == 0 {
		return begin, min(begin+1, a.set.Rows)
	}
	return min(first, end), end
}

// flags are those of parcels under the strategy.
func (b *Beside) code(c caller.Code) caller.Code {
	if b.strategy == Preinstalled {
		c.Bytes = nil
	}
	return c
}

// ask runs an operation and counts what it took.
func (b *Beside) ask(ctx context.Context, make func(caller.ID) caller.Input) (*parcel.Answer, error) {
	d, err := b.c.do(ctx, make)
	if d != nil {
		b.note(&d.Stats, d.Answer)
	}
	if err != nil {
		return nil, err
	}
	return d.Answer, nil
}
