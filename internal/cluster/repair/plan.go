// Package repair decides which lost replicas a node makes again and which of its own
// are too many. Like package node it does no I/O and owns no clock: what comes in are views of
// the cluster and what the node has on its disk; what comes out are shards to copy from other nodes,
// and shards to drop.
//
// Nobody is in charge. All nodes see the same views, and each finds out by itself whether it is
// its turn. Two that are not of one mind make a copy too many, which is dropped again; never
// one too few.
package repair

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Options are the choices of a Plan; zero values mean the defaults. Times are in
// microseconds.
type Options struct {
	// After is how long a replica is missing before it is made again, if a node that was given
	// the shard is gone: longer than it takes to start a node again. As long after a set was
	// removed are shards of it dropped. 30 s.
	After int64
	// Surplus is for how long there are too many copies before some are dropped. 10 times
	// After.
	Surplus int64
	// Unclaimed is for how long a node keeps a shard of a set that no view has shown, before it
	// asks whether anybody still loads it. 10 min: five times what a load goes on without
	// anything stored, and a node is silent about what is.
	Unclaimed int64
	// Few is how many shards are copied at the same time. 2.
	Few int
	// Rate is how many bytes a second are copied to one node. Others wait accordingly for it to
	// be done before they take over. 32 MiB.
	Rate int64
}

func (o Options) withDefaults() Options {
	if o.After <= 0 {
		o.After = 30_000_000
	}
	if o.Surplus <= 0 {
		o.Surplus = 10 * o.After
	}
	if o.Unclaimed <= 0 {
		o.Unclaimed = 600_000_000
	}
	if o.Few <= 0 {
		o.Few = 2
	}
	if o.Rate <= 0 {
		o.Rate = 32 << 20
	}
	return o
}

// Name names a shard.
type Name struct {
	Set   uint32
	Shard int
}

// Action is a *Copy, a *Publish, a *Retract, a *Drop or an *Unclaimed.
type Action interface{ action() }

// Copy says that the shard is to be copied from another node. Plan.Ended tells how
// that went.
type Copy struct{ Name }

// Publish says that the node holds the shard and views do not say so: it is to be told
// again.
type Publish struct{ Name }

// Retract says that views name the node as a holder and the shard is not here: it is to be
// taken back.
type Retract struct{ Name }

// Drop says that the node's replica is to go.
type Drop struct {
	Name
	Why string
}

// Unclaimed says that no view has shown the set of the shard for long: unless its number is
// reserved for a load, the node's replica is to go.
type Unclaimed struct{ Name }

func (*Copy) action()      {}
func (*Publish) action()   {}
func (*Retract) action()   {}
func (*Drop) action()      {}
func (*Unclaimed) action() {}

// Plan is what a node knows of what is missing. It is not safe for concurrent use.
type Plan struct {
	self catalog.Peer
	opt  Options
	view *catalog.View

	missing map[Name]absence
	surplus map[Name]int64
	belied  map[Name]int64 // since when views say of this node's disk what is not so
	removed map[uint32]int64
	unshown map[uint32]int64 // since when a set that may be a load is here
	failed  map[Name]failure
	made    map[Name]made
	copying map[Name]bool
	known   Known
}

// absence is that replicas of a shard are missing. It begins anew when that comes to be
// waited for or not, as others count their turns from there.
type absence struct {
	since int64
	waits bool // a node that was given the shard is gone, and may come back with it
}

// failure is how often a shard could not be copied, and when to try again.
type failure struct {
	times int
	again int64
}

// Known is what a node keeps of the world, over its lives: the sets that were in a view
// while it held shards of them, each with the view's revision. A set that was there once
// and is not any more was removed, and its number is never given again; one that never was
// there may be a load under way, or one that was given up. Of other records nothing follows, so
// sets that were here before these are remembered as theirs.
type Known struct {
	Records string           `json:"records"` // as in catalog.View
	Sets    map[uint32]int64 `json:"sets"`
	Before  map[uint32]bool  `json:"before"` // these records; nil if that was not kept yet
}

// New makes a plan for a node. known is what Known gave last in an earlier life of the node.
func New(self catalog.Peer, opt Options, known Known) *Plan {
	p := &Plan{self: self, opt: opt.withDefaults(), missing: map[Name]absence{}, made: map[Name]made{}, surplus: map[Name]int64{}, belied: map[Name]int64{},
		removed: map[uint32]int64{}, unshown: map[uint32]int64{}, failed: map[Name]failure{}, copying: map[Name]bool{}, known: known.Clone()}
	return p
}

// Learn takes in a view.
func (p *Plan) Learn(v *catalog.View) {
	if p.view == nil || !v.Older(p.view) {
		p.view = v
	}
}

// Clone is a copy.
func (k Known) Clone() Known {
	c := Known{k.Records, map[uint32]int64{}, maps.Clone(k.Before)}
	maps.Copy(c.Sets, k.Sets)
	return c
}

// Known is what the node is to keep.
func (p *Plan) Known() Known { return p.known.Clone() }

// Copying reports whether a shard is being copied.
func (p *Plan) Copying(n Name) bool { return p.copying[n] }

// Ended tells how a copy ended. A copy that was made is followed by a pause before this node
// makes the next one of the same shard.
func (p *Plan) Ended(now int64, n Name, err error) (pause Pause) {
	delete(p.copying, n)
	if err == nil {
		delete(p.failed, n)
		return p.again(now, n)
	}
	f := p.failed[n]
	f.again = now + p.opt.After/8<<min(f.times, 6)
	f.times++
	p.failed[n] = f
	return Pause{}
}

// Due says what is to be done, of what the node holds now. It reports whether Known has
// changed.
func (p *Plan) Due(now int64, held []Name) (list []Action, news bool) {
	if p.view == nil {
		return nil, false
	}
	news = p.begin(held)
	here := map[Name]bool{}
	for _, n := range held {
		here[n] = true
	}
	list = append(p.corrections(now, here), p.drops(now, held)...)
	list = append(list, p.unclaimed(now, held)...)
	list = append(list, p.copies(now, here)...)
	return list, p.remember(held) || news
}

// begin forgets what was known of other records: nothing follows from it for these.
func (p *Plan) begin(held []Name) (news bool) {
	if p.known.Records != p.view.Records {
		p.known, news = Known{Records: p.view.Records, Sets: map[uint32]int64{}}, true
	}
	if p.known.Before == nil { // also where an earlier version has not kept it
		p.known.Before, news = map[uint32]bool{}, true
		for _, n := range held {
			if p.known.Sets[n.Set] == 0 {
				p.known.Before[n.Set] = true
			}
		}
	}
	return news
}

// remember keeps Known.
func (p *Plan) remember(held []Name) (news bool) {
	has := map[uint32]bool{}
	for _, n := range held {
		has[n.Set] = true
		if _, there := p.view.Set(n.Set); there && p.known.Sets[n.Set] == 0 {
			p.known.Sets[n.Set], news = max(p.view.Revision, 1), true
		}
	}
	for set := range p.known.Sets {
		if !has[set] {
			delete(p.known.Sets, set)
			news = true
		}
	}
	for set := range p.known.Before {
		if !has[set] {
			delete(p.known.Before, set)
			news = true
		}
	}
	return news
}

// corrections lists where views have said for a while of this node's disk what is not so.
func (p *Plan) corrections(now int64, here map[Name]bool) (list []Action) {
	still := map[Name]bool{}
	_, alive := p.view.Node(p.self)
	for i := range p.view.Sets {
		set := &p.view.Sets[i]
		for k := range set.Shards {
			n := Name{set.ID, k}
			said := slices.Contains(set.Shards[k].Replicas, p.self)
			if !alive || said == here[n] {
				continue
			}
			if still[n] = true; p.belied[n] == 0 {
				p.belied[n] = max(now, 1)
			}
			if now-p.belied[n] < p.opt.After/4 {
				continue
			}
			p.belied[n] = now
			if said {
				list = append(list, &Retract{n})
			} else {
				list = append(list, &Publish{n})
			}
		}
	}
	for n := range p.belied {
		if !still[n] {
			delete(p.belied, n)
		}
	}
	return list
}

// copies lists what this node is to copy. It keeps count of what is missing for how long,
// also of what is others' turn.
func (p *Plan) copies(now int64, here map[Name]bool) (list []Action) {
	self, alive := p.view.Node(p.self)
	still := map[Name]bool{}
	for i := range p.view.Sets {
		set := &p.view.Sets[i]
		for k := range set.Shards {
			n, s := Name{set.ID, k}, &set.Shards[k]
			lost := Missing(p.view, s)
			if lost == 0 {
				continue
			}
			since := p.absent(now, n, s)
			still[n] = true
			switch {
			case len(s.Replicas) == 0, !alive, self.Draining, self.Far != set.Far, here[n], p.copying[n], len(p.copying) >= p.opt.Few, p.failed[n].again > now, p.pausing(now, n):
			case now-since >= p.turn(n, set, lost):
				p.copying[n] = true
				list = append(list, &Copy{n})
			}
		}
	}
	for n := range p.missing {
		if !still[n] {
			delete(p.missing, n)
			delete(p.failed, n)
		}
	}
	return list
}

// absent gives since when replicas of a shard are missing.
func (p *Plan) absent(now int64, n Name, s *catalog.Shard) int64 {
	waits := slices.ContainsFunc(s.Assigned, func(q catalog.Peer) bool { _, alive := p.view.Node(q); return !alive })
	if a, known := p.missing[n]; !known || a.waits != waits {
		p.missing[n] = absence{now, waits}
	}
	return p.missing[n].since
}

// Missing is how many replicas of a shard are missing: those on nodes that are being
// emptied do not count.
func Missing(v *catalog.View, s *catalog.Shard) int {
	return max(0, len(s.Assigned)-len(lasting(v, s)))
}

// lasting are the live holders of a shard that are not being emptied, in order.
func lasting(v *catalog.View, s *catalog.Shard) (list []catalog.Peer) {
	for _, q := range s.Replicas {
		if n, alive := v.Node(q); alive && !n.Draining {
			list = append(list, q)
		}
	}
	return list
}

// turn is how long a shard must lack replicas, `lost` of them, before this node copies it. Who was
// given the shard comes first, and then all other nodes, far ones for far sets alone, in an order that is drawn for each
// shard. If all that were given it are alive, as after damage, there is nobody to wait for, and
// the first ones begin at once. Each later one waits until the one before it
// must have been done: that one may have no room, may pause, or may not see what others see.
func (p *Plan) turn(n Name, set *catalog.Set, lost int) int64 {
	type candidate struct {
		peer  catalog.Peer
		given int
		draw  uint64
	}
	s := &set.Shards[n.Shard]
	var list []candidate
	for _, node := range p.view.Nodes {
		if node.Draining || node.Far != set.Far || slices.Contains(s.Replicas, node.Peer) {
			continue
		}
		given := slices.Index(s.Assigned, node.Peer)
		if given < 0 {
			given = len(s.Assigned)
		}
		list = append(list, candidate{node.Peer, given, draw(n, node.Peer)})
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.given, b.given), cmp.Compare(a.draw, b.draw), cmp.Compare(a.peer, b.peer))
	})
	late := int64(max(0, slices.IndexFunc(list, func(c candidate) bool { return c.peer == p.self })-lost+1))
	step := 2 * (s.Bytes/p.opt.Rate + 1) * 1_000_000
	if !p.missing[n].waits {
		return late * step
	}
	return p.opt.After + late*(p.opt.After+step)
}

// draw is a number that is the same for all who ask (rendezvous hashing), so that each
// shard has its own order of nodes and a lost node's shards go to many.
func draw(n Name, peer catalog.Peer) uint64 {
	var b [12]byte
	binary.LittleEndian.PutUint32(b[:], n.Set)
	binary.LittleEndian.PutUint32(b[4:], uint32(n.Shard))
	binary.LittleEndian.PutUint32(b[8:], uint32(peer))
	h := fnv.New64a()
	h.Write(b[:])
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9 // the finaliser of SplitMix64
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
