package simulate

import (
	"math"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// host is a node: its process, which may crash, and its disk, which lasts.
type host struct {
	w           *world
	peer        catalog.Peer
	name        string
	limits      node.Limits
	incarnation int64
	leased      bool // its lease is alive
	life        int  // counts processes
	core        *node.Core
	known       *catalog.View
	jobs        map[node.JobID]*job
	compiled    map[kernel.ID]*engine.Compiled
	disk        disk
	downs       []interval          // times without a process or a lease
	said        map[name]bool       // what it has published that it holds
	absent      map[name][]interval // times without a good replica
	mending     *mending
	draining    bool
}

// job is work that is under way.
type job struct {
	work    node.Work
	small   bool
	stopped bool
}

// interval is a time during which something did not work.
type interval struct{ from, until int64 }

// tick is how often a node looks at its deadlines.
const tick = 20_000

// boot starts a process.
func (h *host) boot() {
	h.life++
	h.core = node.New(h.peer, h.limits)
	h.known = nil
	h.jobs = map[node.JobID]*job{}
	h.compiled = map[kernel.ID]*engine.Compiled{}
	h.disk.restart()
	h.join()
	h.mend()
	h.tick(h.life)
}

func (h *host) tick(life int) {
	if h.life != life || h.core == nil || h.w.ended() || h.w.clock != nil { // which has no deadlines to look at
		return
	}
	h.step(&node.Tick{})
	if h.w.chance(0.05) {
		h.scrub()
	}
	wait := int64(tick)
	if h.w.healed {
		wait = 10 * tick // only deadlines are left to pass
	}
	h.w.after(wait, func() { h.tick(life) })
}

// crash ends the process. Its lease lasts for a while.
func (h *host) crash() {
	w := h.w
	if h.core == nil {
		return
	}
	w.note("%s crashes", h.name)
	w.net.Crash(time.Duration(w.now)*time.Microsecond, h.peer)
	if w.hooks.undead {
		h.haunt()
	}
	h.core = nil
	life := h.life
	h.downs = append(h.downs, interval{w.now, math.MaxInt64})
	w.after(w.about(second)+second/2, func() {
		if h.life == life && h.leased {
			h.leased = false
			w.publish()
		}
	})
}

// restart begins a new life with the old disk.
func (h *host) restart() {
	w := h.w
	if h.core != nil {
		return
	}
	w.counts.Restarts++
	w.net.Restart(h.peer)
	for i := range h.downs {
		h.downs[i].until = min(h.downs[i].until, w.now)
	}
	h.boot()
	w.note("%s starts again, incarnation %d", h.name, h.incarnation)
	w.publish()
}

func (h *host) learn(v *catalog.View) {
	if h.core != nil && (h.known == nil || v.Revision > h.known.Revision) {
		h.known = v
		h.step(&node.Learned{View: v})
		h.mending.plan.Learn(v)
		h.mending.ask.Step(&caller.Learned{View: v})
	}
}

func (h *host) arrive(d *memnet.Delivery) {
	switch {
	case h.core == nil:
	case d.Gone != nil:
		h.step(&node.Gone{Peer: d.From})
		h.mending.ask.Step(&caller.Gone{Peer: d.From})
	case h.mending.ask.Takes(d.From, d.Bytes):
	default:
		h.step(&node.Received{From: d.From, Bytes: d.Bytes})
	}
}

func (h *host) step(in node.Input) {
	for _, e := range h.core.Step(h.w.told(), in) {
		if h.w.hooks.node == nil {
			h.do(e)
			continue
		}
		for _, e := range h.w.hooks.node(h.w, h, e) {
			h.do(e)
		}
	}
}

func (h *host) do(e node.Effect) {
	switch e := e.(type) {
	case *node.Send:
		h.w.observe(h.name, e.To, e.Bytes)
		h.w.send(h.peer, e.To, e.Bytes)
	case *node.Start:
		h.begin(e)
	case *node.Stop:
		if j := h.jobs[e.Job]; j != nil {
			j.stopped = true
		}
	case *node.Alarm:
		life := h.life
		wait := e.After
		if h.w.clock != nil {
			wait *= unit
		}
		h.w.after(wait, func() {
			if h.life == life && h.core != nil && (h.w.clock != nil || !h.w.ended()) {
				h.step(&node.Tick{})
			}
		})
	case *node.Forget:
		h.w.counts.Evictions++
		delete(h.compiled, e.ID)
	default:
		h.w.fail("%s has an effect %T", h.name, e)
	}
}

// begin plans the end of a job. Its work is done then, if the process lives
// and nobody stopped it.
func (h *host) begin(s *node.Start) {
	w := h.w
	j := &job{work: s.Work, small: s.Small}
	h.jobs[s.Job] = j
	if n := h.alike(j); n > h.limits.Jobs+h.limits.Spare {
		w.fail("%s runs %d jobs of one kind, its limit is %d", h.name, n, h.limits.Jobs+h.limits.Spare)
	}
	took := w.about(500)
	if _, ok := s.Work.(*node.Advance); ok {
		took = w.about(50)
	}
	if w.faulty && !w.healed && w.chance(0.02) {
		w.counts.Slow++
		took += w.about(second)
	}
	if w.clock != nil {
		took = int64(w.clock.end(float64(w.now), h.peer, s.Work)+0.5) - w.now
	}
	life := h.life
	w.after(took, func() {
		if h.life != life || h.core == nil {
			return
		}
		delete(h.jobs, s.Job)
		if j.stopped {
			h.step(&node.Failed{Ended: node.Ended{Job: s.Job}, Err: &node.WorkError{Reason: parcel.Cancelled, Detail: "stopped"}})
		} else {
			h.step(h.execute(s.Job, j.work))
		}
	})
}

// alike counts the jobs of a kind that are under way: long ones, small ones and kernels that
// are compiled do not take each other's places.
func (h *host) alike(j *job) (n int) {
	kind := func(j *job) int {
		if _, ok := j.work.(*node.Compile); ok {
			return 2
		} else if j.small {
			return 1
		}
		return 0
	}
	for _, other := range h.jobs {
		if kind(other) == kind(j) {
			n++
		}
	}
	return n
}

// haunt lets the jobs of a process that has ended send their results, as if
// nobody had noticed.
func (h *host) haunt() {
	ghost, jobs, compiled := h.core, h.jobs, h.compiled
	for id := node.JobID(1); len(jobs) > 0 && id < 1<<20; id++ {
		j := jobs[id]
		if j == nil {
			continue
		}
		delete(jobs, id)
		h.w.after(h.w.about(1000), func() {
			alive, now := h.core, h.compiled
			h.core, h.compiled = nil, compiled
			end := h.execute(id, j.work)
			h.core, h.compiled = alive, now
			for _, e := range ghost.Step(h.w.now, end) {
				if s, ok := e.(*node.Send); ok && s.To >= catalog.FirstClient {
					h.w.clients[s.To-catalog.FirstClient].arrive(&memnet.Delivery{From: h.peer, To: s.To, Bytes: s.Bytes})
				}
			}
		})
	}
}

// observe notes a parcel that somebody sends.
func (w *world) observe(from string, to catalog.Peer, b []byte) {
	p, err := parcel.Decode(b)
	if err != nil {
		w.fail("%s sends to %d what cannot be read: %v", from, to, err)
		return
	}
	w.note("%s -> %d %s of %x/%d hops %d flags %d, %d bytes", from, to, p.Kind, uint32(p.Caller), p.Request, p.Hops, p.Flags, len(b))
	switch p.Kind {
	case parcel.NeedCode:
		w.counts.NeedCodes++
	case parcel.Fail:
		f, err := parcel.ReadFailure(p.Payload)
		if err != nil {
			w.fail("%s sends a failure that cannot be read: %v", from, err)
			return
		}
		w.note("    %s: %s", f.Reason, f.Detail)
		switch f.Reason {
		case parcel.Busy:
			w.counts.Busy++
		case parcel.HopsSpent:
			w.counts.HopsSpent++
		}
	}
}
