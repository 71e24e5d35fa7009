package node

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// togetherBytes limits the states that travel or run together, so that a merged
// parcel stays far below parcel.MaxBytes.
const togetherBytes = 16 << 20

// leaving is states that wait to travel with others to the same owner.
type leaving struct {
	to    catalog.Peer
	cargo *cargo
}

// target says what is next for a state. Targets are sorted in the order in which
// they are dealt with.
type target struct {
	do doing
	n  uint32 // shard, or the peer to send to
}

type doing uint8

const (
	reply  doing = iota // the state is done
	pass                // on to peer n
	stick               // shard n has no owner that can be reached
	resume              // in shard n, which is here
	refuse              // there is no such row
)

// guide finds the targets of states. States next to each other mostly want
// the same shard, so it remembers the last one.
type guide struct {
	c      *Core
	set    *catalog.Set
	lo, hi int64
	last   target
}

func (g *guide) target(want int64) target {
	switch {
	case g.lo <= want && want < g.hi:
		return g.last
	case want == -1:
		return target{do: reply}
	case want < -1 || want >= g.set.Rows:
		return target{do: refuse}
	}
	i := g.set.ShardOf(want)
	if i == len(g.set.Shards) {
		return target{do: refuse}
	}
	s := &g.set.Shards[i]
	g.lo, g.hi = s.Lo, s.Hi
	if g.c.holds(g.set, i) {
		g.last = target{resume, uint32(i)}
	} else if p := g.c.other(g.set, i); p != 0 {
		g.last = target{pass, uint32(p)}
	} else {
		g.last = target{stick, uint32(i)}
	}
	return g.last
}

// arrive takes the states of a parcel whose kernel is known.
func (c *Core) arrive(h *held) {
	c.route(&h.cargo)
	c.depart(h.req)
	c.settle(h.req)
}

// advancing is a job that advances states in a shard.
type advancing struct {
	job
	cargo  *cargo
	more   []*cargo // states that came while it waited
	states int      // all these
	size   int      // of them, in bytes
	work   Advance
	behind bool  // not queued yet; see gather.go
	until  int64 // when it is queued at the latest, if it gathers states; else 0
}

func (a *advancing) request() *request { return a.cargo.from[0].req }

func (a *advancing) laneFor(c *Core) int {
	if a.short(c) {
		return little
	}
	return working
}

// begin puts the states together that the job is for.
func (a *advancing) begin(c *Core) (left int64, ok bool) {
	r := a.request()
	if c.overdue(r, a) {
		return 0, false
	}
	if a.lane == little && a.laneFor(c) != little { // states have joined it
		c.wait(&a.job)
		return 0, false
	}
	if len(a.more) > 0 {
		a.cargo = c.merge(append([]*cargo{a.cargo}, a.more...))
		a.more = nil
	}
	a.work.Batch = &a.cargo.batch
	r.peak = max(r.peak, a.cargo.batch.States)
	return r.deadline - c.now, true
}

func (a *advancing) discard(c *Core) {
	c.dismiss(a.cargo)
	for _, g := range a.more {
		c.dismiss(g)
	}
}

func (a *advancing) ended(c *Core, f Finished) {
	r := a.request()
	r.unlist(a)
	if r.over {
		a.discard(c)
		c.settle(r)
		return
	}
	// While other states of the request run here, those that leave may wait
	// for these to travel together, but only until the next job ends.
	waited := len(r.leaving) > 0
	c.follow(a)
	if states, ok := f.(*Advanced); ok {
		c.advanced(a, states)
	} else {
		c.stranded(a.cargo, failure(f), a.work.Shard)
	}
	if waited {
		c.depart(r)
	}
	if c.dispatch(); !r.runs() {
		c.depart(r)
	}
	c.settle(r)
}

// advanced takes the states of a job that ended.
func (c *Core) advanced(a *advancing, f *Advanced) {
	g := a.cargo
	faults := g.batch.Faults
	if f.Batch != &g.batch {
		g.batch, g.inPlace = *f.Batch, false
	}
	if g.batch.Faults = faults; len(f.Faults) > 0 {
		g.batch.Faults, g.inPlace = LeastFaults(faults, f.Faults), false
	}
	if spent := g.spend(f.Steps); spent > uint64(c.limits.Steps) {
		c.fail(a.request(), g.from[0].Code, &parcel.Failure{Reason: parcel.Refused, Set: g.batch.Set, Shard: -1, Detail: fmt.Sprintf(
			"the states of one parcel took %d steps here, the limit is %d; send fewer at a time", spent, c.limits.Steps)})
		c.dismiss(g)
		return
	}
	g.steps, g.micros = f.Steps, a.timing(g.from[0], f.Timing)
	c.route(g)
}

// spend shares the steps of a run among the parcels that brought the states,
// and gives the most that one of them took so far. A run takes at least one, so
// that a kernel that gets nowhere comes to an end.
func (g *cargo) spend(steps uint64) (most uint64) {
	for _, h := range g.from {
		h.steps += max(1, steps/uint64(len(g.from)))
		most = max(most, h.steps)
	}
	return most
}

// stranded ends states whose job failed. If nothing ran, they go back.
func (c *Core) stranded(g *cargo, f *parcel.Failure, shard int) {
	f.Set, f.Shard = g.batch.Set, int32(shard)
	switch f.Reason {
	case parcel.Busy:
		f.Retry = uint32(c.limits.Retry)
		c.giveBack(g, f)
	case parcel.NoShard:
		c.giveBack(g, f)
	default:
		c.fail(g.from[0].req, g.from[0].Code, f)
		c.dismiss(g)
	}
}

// route sends all states where they go next.
func (c *Core) route(g *cargo) {
	set, ok := c.view.Set(g.batch.Set)
	if !ok {
		c.giveBack(g, &parcel.Failure{Reason: parcel.NoShard, Set: g.batch.Set, Shard: -1, Detail: fmt.Sprintf(
			"this node knows no data set %d at revision %d", g.batch.Set, c.view.Revision)})
		return
	}
	guide := guide{c: c, set: set}
	first, all := guide.targets(&g.batch)
	if bad := refused(first, all); bad >= 0 {
		c.fail(g.from[0].req, g.from[0].Code, &parcel.Failure{Reason: parcel.Refused, Set: set.ID, Shard: -1, Detail: fmt.Sprintf(
			"state %d wants row %d, but set %d (%s) has rows 0 to %d; only -1 says that it is done",
			g.batch.ID(bad), g.batch.Want(bad), set.ID, set.Name, set.Rows-1)})
		c.dismiss(g)
		return
	}
	if all == nil {
		c.steer(first, set, g)
		return
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(all[a].do, all[b].do), cmp.Compare(all[a].n, all[b].n))
	})
	for len(order) > 0 && !g.from[0].req.over {
		t, n := all[order[0]], 1
		for n < len(order) && all[order[n]] == t {
			n++
		}
		c.steer(t, set, g.part(order[:n]))
		order = order[n:]
	}
	c.dismiss(g)
}

// targets finds the target of each state, or only the first one if all have
// the same.
func (g *guide) targets(b *parcel.Batch) (first target, all []target) {
	if b.States == 0 {
		return target{do: reply}, nil
	}
	first = g.target(b.Want(0))
	n := 1
	for n < b.States && g.target(b.Want(n)) == first {
		n++
	}
	if n == b.States {
		return first, nil
	}
	all = make([]target, b.States)
	for i := range all {
		all[i] = g.target(b.Want(i))
	}
	return first, all
}

// refused gives the first state that wants a row which does not exist, or -1.
func refused(first target, all []target) int {
	if first.do == refuse {
		return 0
	}
	return slices.IndexFunc(all, func(t target) bool { return t.do == refuse })
}

// steer sends states on that all have one target.
func (c *Core) steer(t target, set *catalog.Set, g *cargo) {
	switch t.do {
	case reply:
		if g.batch.States > 0 {
			c.replyStates(g)
		}
		c.dismiss(g)
	case pass:
		if g.hops() == 0 {
			c.giveBack(g, &parcel.Failure{Reason: parcel.HopsSpent, Set: set.ID, Shard: -1, Detail: fmt.Sprintf(
				"the states belong to node %d, but the parcel may not be forwarded any more", t.n)})
			return
		}
		r := g.from[0].req
		r.leaving = append(r.leaving, leaving{catalog.Peer(t.n), g})
	case stick:
		c.giveBack(g, c.nowhere(set.ID, int(t.n)))
	case resume:
		c.advance(g, int(t.n))
	}
}

// advance lets states run in a shard, with others that wait for the same.
func (c *Core) advance(g *cargo, shard int) {
	h := g.from[0]
	r := h.req
	for a := range r.advancing() {
		if !a.running && a.work.Shard == shard && a.size+g.bytes() <= togetherBytes && a.cargo.alike(g) {
			a.more = append(a.more, g)
			a.size, a.states = a.size+g.bytes(), a.states+g.batch.States
			c.joined(a)
			return
		}
	}
	a := &h.advancing
	if a.cargo != nil {
		a = new(advancing)
	}
	a.cargo, a.size, a.states = g, g.bytes(), g.batch.States
	a.work = Advance{ID: h.kernel(), Builtin: h.Flags&parcel.Builtin != 0, Shard: shard, Turns: c.limits.Turns}
	a.job = job{start: Start{Work: &a.work}, client: h.client, queued: c.now, errand: a}
	r.jobs = append(r.jobs, a)
	if !c.stays(a) {
		c.wait(&a.job)
	}
}

// advancing are the jobs of a walk that advance its states.
func (r *request) advancing() iter.Seq[*advancing] {
	return func(yield func(*advancing) bool) {
		for _, j := range r.jobs {
			if a, ok := j.(*advancing); ok && !yield(a) {
				return
			}
		}
	}
}

// kernel is what runs a parcel's work: its kernel, or a preinstalled function.
func (h *held) kernel() (id kernel.ID) {
	if h.codes[0] != nil {
		return h.codes[0].id
	}
	for i := range 8 {
		id[i] = byte(h.Code >> (8 * i))
	}
	return id
}

// replyStates answers the caller with states that are done, and their faults.
// The caller counts states, so no such answer is the last. How many forwards
// led here is not known: the header has the hops left.
func (c *Core) replyStates(g *cargo) {
	h := *g.from[0]
	h.Hops = g.hops()
	a := &parcel.Answer{States: g.batch.States, Columns: kept(&g.batch), Faults: g.batch.Faults, Steps: g.steps, Micros: g.micros}
	if !c.answer(&h, 0, a) {
		c.fail(h.req, h.Code, &parcel.Failure{Reason: parcel.Refused, Set: g.batch.Set, Shard: -1, Detail: fmt.Sprintf(
			"the states' answer is longer than the %d bytes of a parcel; send fewer states at a time", parcel.MaxBytes)})
	}
}

// depart sends what waits to leave, in as few parcels as possible.
func (c *Core) depart(r *request) {
	list := r.leaving
	for i := range list {
		first := list[i]
		if first.cargo == nil {
			continue
		}
		together, size := []*cargo{first.cargo}, first.cargo.bytes()
		for k := i + 1; k < len(list); k++ {
			if l := list[k]; l.cargo != nil && l.to == first.to && first.cargo.alike(l.cargo) && size+l.cargo.bytes() <= togetherBytes {
				together, size = append(together, l.cargo), size+l.cargo.bytes()
				list[k].cargo = nil
			}
		}
		c.forward(first.to, c.merge(together))
	}
	clear(list)
	r.leaving = list[:0]
}

// forward passes states on to the owner of the rows that they want, and is done
// with them.
func (c *Core) forward(to catalog.Peer, g *cargo) {
	h := g.from[0]
	r := h.req
	r.went(to, c.now)
	header := parcel.Header{Kind: parcel.Walk, Flags: h.Flags & parcel.Builtin, Hops: g.hops() - 1, Left: c.left(r),
		Request: h.Request, Caller: h.Caller, Code: h.Code}
	b := h.raw
	if g.passable() {
		parcel.Readdress(b, &header)
	} else {
		b = g.batch.Append(header.Append(make([]byte, 0, parcel.HeaderSize+encodedSize(&g.batch)), nil))
	}
	c.send(to, parcel.Walk, b)
	c.dismiss(g)
}

// giveBack returns states to the caller with the reason.
func (c *Core) giveBack(g *cargo, f *parcel.Failure) {
	h := g.from[0]
	f.States = &g.batch
	c.reject(h.Caller, &parcel.Header{Hops: g.hops(), Left: c.left(h.req), Request: h.Request, Caller: h.Caller, Code: h.Code}, f)
	c.dismiss(g)
}

// dismiss is the end of a cargo here.
func (c *Core) dismiss(g *cargo) {
	for _, h := range g.from {
		c.release(h)
	}
}
