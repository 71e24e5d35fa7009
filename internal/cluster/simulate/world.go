package simulate

import (
	"container/heap"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/engine"
)

// world is one simulated cluster. Times are in microseconds.
type world struct {
	seed    uint64
	rand    *rand.Rand
	hooks   hooks
	clock   *clock // nil where chance says what takes how long
	now     int64
	order   uint64
	events  events
	trace   trace
	net     *memnet.Network
	hosts   []*host
	clients []*client
	view    *catalog.View // newest
	numbers *numbers
	tables  []*table // by set number - 1
	tier    engine.Tier
	links   memnet.Link
	cuts    map[catalog.Peer][]interval
	counts  counts
	faulty  bool // anything may go wrong
	healed  bool // nothing goes wrong any more
	last    int64
	failure error
	tight   bool // nodes take few parcels; trees, whose parts wait for each other, would wait for ever
}

// hooks let tests plant bugs between the parts. Nil ones do nothing.
type hooks struct {
	// node may change what a node does.
	node func(w *world, h *host, e node.Effect) []node.Effect
	// deliver may change what a caller delivers.
	deliver func(d *caller.Deliver) []*caller.Deliver
	// deaf clients lose every second result, and do not notice time.
	deaf bool
	// undead nodes answer after their crash, with what their data were before.
	undead bool
	// forgetful clients ask at once again who has said that it lacks something.
	forgetful bool
	// blind nodes do not notice that a replica is damaged.
	blind bool
	// idle nodes make no replicas.
	idle bool
	// arrival combines rows in the order in which they come.
	arrival bool
}

// counts says how often each thing happened, over one or several worlds.
type counts struct {
	Net                                                 memnet.Counts
	Worlds, Operations, Requests                        int64
	Restarts, Deaths, Stale, Evictions, Slow, Abandoned int64
	Busy, HopsSpent, Retries, NeedCodes                 int64
	Misplaced, Damaged, Lapses, Drains, Repairs         int64
	Surplus, Refusals                                   int64            // replicas dropped; failures that name a missing one
	ByProgram                                           map[string]int64 // operations
	Failed                                              map[string]int64 // requests, by reason
}

func (c *counts) add(o *counts) {
	n, m := &c.Net, &o.Net
	n.Sent += m.Sent
	n.Duplicated += m.Duplicated
	n.Delivered += m.Delivered
	n.Lost += m.Lost
	n.Cut += m.Cut
	n.Crashed += m.Crashed
	n.Overtaken += m.Overtaken
	n.Gone += m.Gone
	n.Crashes += m.Crashes
	c.Worlds += o.Worlds
	c.Operations += o.Operations
	c.Requests += o.Requests
	c.Restarts += o.Restarts
	c.Deaths += o.Deaths
	c.Stale += o.Stale
	c.Evictions += o.Evictions
	c.Slow += o.Slow
	c.Abandoned += o.Abandoned
	c.Busy += o.Busy
	c.HopsSpent += o.HopsSpent
	c.Retries += o.Retries
	c.NeedCodes += o.NeedCodes
	c.Misplaced += o.Misplaced
	c.Damaged += o.Damaged
	c.Lapses += o.Lapses
	c.Drains += o.Drains
	c.Repairs += o.Repairs
	c.Surplus += o.Surplus
	c.Refusals += o.Refusals
	if c.ByProgram == nil {
		c.ByProgram, c.Failed = map[string]int64{}, map[string]int64{}
	}
	for name, n := range o.ByProgram {
		c.ByProgram[name] += n
	}
	for reason, n := range o.Failed {
		c.Failed[reason] += n
	}
}

const (
	second = 1_000_000
	// healing is when all faults end.
	healing = 5 * second
	// patient is the time that operations have that must succeed.
	patient = 40 * second
)

// simulate runs the world of a seed, and gives the hash of its trace. The error says
// what went wrong, with the end of the trace.
func simulate(seed uint64, h hooks) (hash uint64, c counts, err error) {
	if err := load(); err != nil {
		return 0, c, err
	}
	w := newWorld(seed, h)
	w.loop()
	if w.failure == nil {
		w.failure = w.empty()
	}
	w.counts.Net = w.net.Counts()
	w.counts.Worlds = 1
	if w.failure != nil {
		tail := w.trace.tail
		tail = tail[max(0, len(tail)-tailLines):]
		w.failure = fmt.Errorf("seed %d: %w; `go test ./simulate -run Worlds -first %d -seeds 1` repeats it; the trace ends with\n%s", seed, w.failure, seed, strings.Join(tail, "\n"))
	}
	return w.trace.hash.Sum64(), w.counts, w.failure
}

func (w *world) fail(format string, args ...any) {
	if w.failure == nil {
		w.failure = fmt.Errorf(format, args...)
		w.note("FAILS: %v", w.failure)
	}
}

// chance is true with probability p.
func (w *world) chance(p float64) bool { return w.rand.Float64() < p }

// upTo draws from 1 to n.
func (w *world) upTo(n int) int { return w.rand.IntN(n) + 1 }

// about draws a time with the given mean.
func (w *world) about(mean int64) int64 { return int64(w.rand.ExpFloat64()*float64(mean)) + 1 }

// loop lets happen what is planned, until nothing is left to happen.
func (w *world) loop() {
	for w.failure == nil && (w.clock == nil || !w.clock.over()) {
		at, ok := w.net.Next()
		arrives := (int64(at) + 999) / 1000
		switch {
		case len(w.events) > 0 && (!ok || w.events[0].at <= arrives):
			e := heap.Pop(&w.events).(event)
			w.now = e.at
			e.do()
		case ok:
			w.now = max(w.now, arrives)
			for _, d := range w.net.Due(time.Duration(w.now) * time.Microsecond) {
				w.arrive(&d)
			}
		default:
			return
		}
	}
}

// arrive hands a delivery to its receiver.
func (w *world) arrive(d *memnet.Delivery) {
	if d.To >= catalog.FirstClient {
		w.clients[d.To-catalog.FirstClient].arrive(d)
		return
	}
	w.hosts[d.To-1].arrive(d)
}

func (w *world) send(from, to catalog.Peer, b []byte) {
	if w.clock != nil {
		w.carry(from, to, b)
		return
	}
	w.net.Send(time.Duration(w.now)*time.Microsecond, from, to, b)
}

// publish makes a new view of the cluster and tells everybody, sooner or
// later.
func (w *world) publish() {
	v := &catalog.View{Revision: w.view.Revision + 1}
	for _, t := range w.tables {
		set := t.set
		set.Shards = slices.Clone(set.Shards)
		for i := range set.Shards {
			set.Shards[i].Replicas = w.holders(set.ID, i, &set.Shards[i])
		}
		v.Sets = append(v.Sets, set)
	}
	for _, h := range w.hosts {
		if h.leased {
			v.Nodes = append(v.Nodes, catalog.Node{Peer: h.peer, Name: h.name, Incarnation: h.incarnation, Draining: h.draining})
		}
	}
	w.view = v
	w.note("view %d: %d nodes", v.Revision, len(v.Nodes))
	for _, h := range w.hosts {
		h := h
		w.after(w.news(), func() { h.learn(v) })
	}
	for _, c := range w.clients {
		w.after(w.news(), func() {
			c.connected = true
			c.relearn(v)
			c.drive.Step(&caller.Learned{View: v})
		})
	}
}

// news is how long a view takes to reach somebody.
func (w *world) news() int64 {
	if w.faulty && !w.healed && w.chance(0.1) {
		w.counts.Stale++
		return w.about(second)
	}
	return w.about(20_000)
}

// ended reports that all deadlines have passed.
func (w *world) ended() bool { return w.now > w.last }

// empty looks whether anything was left undone or kept.
func (w *world) empty() error {
	for _, c := range w.clients {
		for id := range c.open {
			return fmt.Errorf("operation %d of client %d was never delivered", id, c.peer-catalog.FirstClient)
		}
		if !c.core.Idle() {
			return fmt.Errorf("client %d is not idle at the end", c.peer-catalog.FirstClient)
		}
	}
	for _, h := range w.hosts {
		if h.core == nil {
			continue
		}
		if !h.mending.core.Idle() {
			return fmt.Errorf("node %s still asks for parts of shards at the end", h.name)
		}
		if s := h.core.Status(); s.Requests != 0 || s.Bytes != 0 || s.Jobs != 0 || s.Queued != 0 || s.Parked != 0 || s.Remembered != 0 {
			return fmt.Errorf("node %s is not empty at the end: %+v", h.name, s)
		}
		if len(h.jobs) != 0 {
			return errors.New("jobs are left at the end")
		}
	}
	if w.hooks.blind {
		return nil // a wrong answer must show it
	}
	return w.mended()
}
