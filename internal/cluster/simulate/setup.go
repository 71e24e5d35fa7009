package simulate

import (
	"container/heap"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// newWorld draws a cluster and all that will happen to it.
func newWorld(seed uint64, h hooks) *world {
	w := &world{seed: seed, rand: rand.New(rand.NewPCG(seed, 0)), hooks: h, trace: newTrace(),
		view: &catalog.View{}, cuts: map[catalog.Peer][]interval{}, tier: engine.Stepper}
	heap.Init(&w.events)
	w.counts.ByProgram, w.counts.Failed = map[string]int64{}, map[string]int64{}
	w.faulty = w.chance(0.8)
	if w.chance(0.3) {
		w.tier = engine.Wasm
	}
	w.network()
	w.nodes()
	w.data()
	w.users()
	if w.faulty {
		w.misfortunes()
	}
	w.publish()
	for range w.upTo(8) {
		w.after(w.rand.Int64N(4*second), w.operate)
	}
	w.last = 6*second + patient + 2*second
	w.after(healing, w.heal)
	return w
}

// network draws how parcels travel.
func (w *world) network() {
	c := memnet.Config{Notice: memnet.Delay{Least: time.Millisecond, Mean: time.Duration(w.upTo(100)) * time.Millisecond}}
	c.Link.Delay = memnet.Delay{Least: 20 * time.Microsecond, Mean: time.Duration(20+w.about(500)) * time.Microsecond}
	if w.faulty {
		c.Link.Late = time.Duration(w.about(20_000)) * time.Microsecond
		if w.chance(0.5) {
			c.Link.Loss = 0.1 * w.rand.Float64()
		}
		if w.chance(0.5) { // few: copies of states travel on and are copied in turn
			c.Link.Duplicate = 0.02 * w.rand.Float64()
		}
		if w.chance(0.5) {
			c.Link.Reorder = 0.1 * w.rand.Float64()
		}
	}
	w.links = c.Link
	w.net = memnet.New(w.seed, c)
}

func (w *world) nodes() {
	for i := range w.upTo(6) {
		h := &host{w: w, peer: catalog.Peer(i + 1), name: fmt.Sprintf("n%d", i+1), absent: map[name][]interval{}}
		h.limits = node.Limits{Parcels: 64, Bytes: 64 << 20, Steps: 1 << 40, Turns: int64(w.upTo(64)), Codes: 8, CodeBytes: 1 << 20, Calls: 1, Jobs: w.upTo(3),
			Retry: int64(w.upTo(20)) * 1000, RegionBytes: 1 << 30}
		if w.chance(0.3) { // tight
			h.limits.Parcels, h.limits.Bytes, h.limits.Codes = w.upTo(3), 256<<10, 1+w.upTo(2)
			w.tight = true
		}
		w.hosts = append(w.hosts, h)
	}
	for _, h := range w.hosts {
		h.boot()
	}
}

// data draws the tables and where their shards lie.
func (w *world) data() {
	w.numbers = few()
	leaf := int64(num.Leaf)
	if w.chance(0.05) {
		w.numbers, leaf, w.tier = many(), num.KeyedLeaf(8), engine.Wasm
	}
	web := newWeb(w.rand, 1)
	web.cut(cuts(w.rand, web.set.Rows, 1, w.upTo(8)))
	numbers := w.numbers.table(2, "numbers")
	numbers.cut(cuts(w.rand, numbers.set.Rows, leaf, w.upTo(8)))
	w.tables = []*table{web, numbers}
	replicas := min(w.upTo(3), len(w.hosts))
	for _, t := range w.tables {
		for i := range t.set.Shards {
			n, s := name{t.set.ID, i}, &t.set.Shards[i]
			for k, p := range w.rand.Perm(len(w.hosts)) {
				h := w.hosts[p]
				if k >= replicas {
					h.spoil(n)
					continue
				}
				s.Assigned = append(s.Assigned, h.peer)
				h.give(n)
				h.said[n] = true
			}
			file := w.hosts[s.Assigned[0]-1].file(t, i)
			s.Bytes, s.Sum = int64(len(file)), sha256.Sum256(file)
		}
	}
}

func (w *world) users() {
	for i := range w.upTo(3) {
		c := &client{w: w, peer: catalog.FirstClient + catalog.Peer(i), name: fmt.Sprintf("c%d", i), open: map[caller.ID]*request{}}
		retry := second/5 + w.rand.Int64N(second)
		opt := caller.Options{First: w.rand.Uint64(), Retry: retry, Patience: retry, Budgets: 1 << 20, Hops: uint16(7 + w.upTo(57))}
		if w.hooks.forgetful {
			opt.Forget = 1
		}
		c.core, c.refused, c.lives = caller.New(c.peer, opt), map[refusal]int64{}, map[catalog.Peer]int64{}
		c.drive = w.driver(c.peer, c.name, &alarmed{Core: c.core, w: w, tick: func() {
			if !w.hooks.deaf {
				c.drive.Step(&caller.Tick{})
			}
		}}, c.do)
		w.clients = append(w.clients, c)
	}
}

// operate begins an operation.
func (w *world) operate() {
	c := w.clients[w.rand.IntN(len(w.clients))]
	if !c.connected {
		w.after(w.about(100_000), w.operate)
		return
	}
	w.counts.Operations++
	op := &operation{from: c, start: w.now, deadline: w.now + patient, short: w.chance(0.2)}
	if op.short {
		op.deadline = w.now + w.about(second/4)
	}
	if w.chance(0.1) {
		w.after(w.about(10_000), func() { op.from.abandon(op) })
	}
	web, numbers := w.tables[0], w.tables[1]
	var err error
	switch draw := w.rand.IntN(10); {
	case draw == 0:
		op.name, op.table = "read", w.tables[w.rand.IntN(2)]
		w.read(op)
	case draw == 1:
		op.name, op.to = "upload", w.hosts[w.rand.IntN(len(w.hosts))]
		w.upload(op, uint32(100+w.counts.Operations))
	case draw < 5:
		list := folds
		if w.numbers == many() {
			list = keyed
		}
		p := list[w.rand.IntN(len(list))]
		op.name, op.table, op.fan = p.name, numbers, w.chance(0.5) && !w.tight
		err = w.fold(op, p, w.numbers)
	default:
		p := walks[w.rand.IntN(len(walks))]
		op.name, op.table = p.name, web
		err = w.walk(op, p)
	}
	w.counts.ByProgram[op.name]++
	if err != nil {
		w.fail("%s cannot begin: %v", op.name, err)
	}
}

// misfortunes plans cuts and crashes.
func (w *world) misfortunes() {
	for range w.rand.IntN(4) {
		w.cut()
	}
	for range w.rand.IntN(6) {
		w.after(w.rand.Int64N(healing*9/10), w.misplace)
	}
	if w.chance(0.3) {
		w.after(w.rand.Int64N(healing*9/10), w.hosts[w.rand.IntN(len(w.hosts))].lapse)
	}
	if w.chance(0.1) {
		w.after(w.rand.Int64N(healing*9/10), w.drain)
	}
	for range w.rand.IntN(4) {
		h := w.hosts[w.rand.IntN(len(w.hosts))]
		w.after(w.rand.Int64N(healing*9/10), func() {
			if h.core == nil {
				return
			}
			h.crash()
			if w.chance(0.1) {
				w.counts.Deaths++
				return
			}
			w.after(min(w.about(second), healing-w.now), h.restart)
		})
	}
}

// drain begins to empty a node, until nothing goes wrong any more.
func (w *world) drain() {
	h := w.hosts[w.rand.IntN(len(w.hosts))]
	w.counts.Drains++
	w.note("%s is to be emptied", h.name)
	h.draining = true
	w.publish()
	w.after(healing-w.now, func() { h.draining = false; w.publish() })
}

// cut separates some peers from the others for a while.
func (w *world) cut() {
	c := memnet.Cut{OneWay: w.chance(0.3)}
	from := w.rand.Int64N(healing * 9 / 10)
	until := min(from+w.about(second), healing)
	c.From, c.Until = time.Duration(from)*time.Microsecond, time.Duration(until)*time.Microsecond
	for _, p := range w.peers() {
		if w.chance(0.5) {
			c.A = append(c.A, p)
		} else {
			c.B = append(c.B, p)
		}
	}
	for _, h := range w.hosts {
		w.cuts[h.peer] = append(w.cuts[h.peer], interval{from, until})
	}
	w.net.Cut(c)
}

func (w *world) peers() (list []catalog.Peer) {
	for _, h := range w.hosts {
		list = append(list, h.peer)
	}
	for _, c := range w.clients {
		list = append(list, c.peer)
	}
	return list
}

// heal ends all faults; nodes that died stay dead.
func (w *world) heal() {
	w.healed = true
	w.note("nothing goes wrong any more")
	link := memnet.Link{Delay: w.links.Delay}
	for _, a := range w.peers() {
		for _, b := range w.peers() {
			w.net.SetLink(a, b, link)
		}
	}
}
