package simulate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
)

// What nodes hold of the tables. A replica on a disk is good, or damaged without anybody
// knowing, or not there. What a node says that it holds is what views show, for as long as
// its lease lives; the two differ until somebody looks.

// name names a shard of a table.
type name struct {
	set   uint32
	shard int
}

// replica is a copy of a shard on a disk.
type replica struct{ damaged bool }

// inOrder lists the keys of a map.
func inOrder[T any](m map[name]T) []name {
	return slices.SortedFunc(maps.Keys(m), func(a, b name) int { return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.shard, b.shard)) })
}

// give puts a good replica on a host's disk.
func (h *host) give(n name) {
	h.disk.replicas[n] = &replica{}
	if list := h.absent[n]; len(list) > 0 {
		list[len(list)-1].until = h.w.now
	}
}

// spoil notes that a replica is of no use from now on.
func (h *host) spoil(n name) { h.absent[n] = append(h.absent[n], interval{h.w.now, math.MaxInt64}) }

// say changes what the node says that it holds, as a transaction of its present life that
// takes a moment, or longer.
func (h *host) say(n name, holds bool) {
	life, incarnation := h.life, h.incarnation
	wait := h.w.about(3000)
	if h.w.faulty && !h.w.healed && h.w.chance(0.3) { // the control is slow, or out of reach
		wait += h.w.about(second)
	}
	h.w.after(wait, func() {
		if h.life != life || h.incarnation != incarnation || !h.leased || h.said[n] == holds {
			return
		}
		if holds {
			if h.disk.replicas[n] == nil {
				return
			}
			h.said[n] = true
		} else {
			delete(h.said, n)
		}
		h.w.publish()
	})
}

// lacks is what a node does when it finds that a replica is not there, or damaged: it sets
// it aside, says so, and gives the error for whoever needed it.
func (h *host) lacks(n name, why string) error {
	if r := h.disk.replicas[n]; r != nil {
		delete(h.disk.replicas, n)
		h.w.note("%s sets shard %d of set %d aside: %s", h.name, n.shard, n.set, why)
	}
	h.say(n, false)
	if h.core != nil {
		h.step(&node.Lacks{Set: n.set, Shard: n.shard, Why: why})
	}
	return &node.WorkError{Reason: parcel.NoShard, Set: n.set, Shard: n.shard, Detail: fmt.Sprintf("shard %d of set %d at %s: %s", n.shard, n.set, h.name, why)}
}

// scrub reads everything that the node says it holds.
func (h *host) scrub() {
	for _, n := range inOrder(h.said) {
		if r := h.disk.replicas[n]; r == nil {
			_ = h.lacks(n, "its file is missing")
		} else if r.damaged && !h.w.hooks.blind {
			_ = h.lacks(n, "a block is damaged")
		}
	}
}

// shard is the part of a set that holds a row, if this node has it and it is good.
func (h *host) shard(set uint32, row int64) (*table, int, error) {
	if set == 0 || int(set) > len(h.w.tables) {
		return nil, 0, noShard("there is no set %d", set)
	}
	t := h.w.tables[set-1]
	i := t.set.ShardOf(row)
	if i == len(t.set.Shards) {
		return nil, 0, noShard("set %d has no row %d", set, row)
	}
	n := name{set, i}
	switch r := h.disk.replicas[n]; {
	case r == nil:
		return nil, 0, h.lacks(n, "its file is missing")
	case r.damaged && !h.w.hooks.blind:
		return nil, 0, h.lacks(n, "a block is damaged")
	}
	return t, i, nil
}

// source is a shard's file; what it was before, if the node is undead or its replica damaged.
func (h *host) source(t *table, shard int) data.Source {
	if r := h.disk.replicas[name{t.set.ID, shard}]; h.core == nil || r != nil && r.damaged {
		return t.stale(shard)
	}
	return t.sources[shard]
}

// file is a shard's file, byte for byte.
func (h *host) file(t *table, shard int) []byte {
	s := &t.set.Shards[shard]
	var all []byte
	for c := range t.values {
		k := t.set.Columns[c].Kind
		b := make([]byte, (s.Hi-s.Lo)*int64(k.Size()))
		if _, err := h.source(t, shard).Fill(context.Background(), 0, []data.Want{{Column: c, Kind: k}}, []data.Dest{{Values: b}}); err != nil {
			h.w.fail("a file cannot be read: %v", err)
		}
		all = append(all, b...)
	}
	return all
}

// copy gives bytes of a shard's file.
func (h *host) copy(p *parcel.Part) (*parcel.Answer, error) {
	if p.Set == 0 || int(p.Set) > len(h.w.tables) || int(p.Shard) >= len(h.w.tables[p.Set-1].set.Shards) {
		return nil, noShard("there is no set %d with a shard %d", p.Set, p.Shard)
	}
	t, shard, err := h.shard(p.Set, h.w.tables[p.Set-1].set.Shards[p.Shard].Lo)
	if err != nil {
		return nil, err
	}
	b := h.file(t, shard)
	if p.Offset+p.Count > int64(len(b)) || p.Sum != sha256.Sum256(b) {
		return nil, &node.WorkError{Reason: parcel.Refused, Detail: "the file is another one"}
	}
	return &parcel.Answer{Columns: [][]byte{b[p.Offset : p.Offset+p.Count]}}, nil
}

// misplace loses or damages a replica, but never the last good one.
func (w *world) misplace() {
	t := w.tables[w.rand.IntN(len(w.tables))]
	n := name{t.set.ID, w.rand.IntN(len(t.set.Shards))}
	var good []*host
	for _, h := range w.hosts {
		if r := h.disk.replicas[n]; r != nil && !r.damaged {
			good = append(good, h)
		}
	}
	if len(good) < 2 {
		return
	}
	h := good[w.rand.IntN(len(good))]
	h.spoil(n)
	if w.chance(0.5) {
		w.counts.Misplaced++
		w.note("%s loses shard %d of set %d", h.name, n.shard, n.set)
		delete(h.disk.replicas, n)
		return
	}
	w.counts.Damaged++
	w.note("shard %d of set %d is damaged at %s", n.shard, n.set, h.name)
	h.disk.replicas[n].damaged = true
}

// lapse ends a node's lease for a moment, though not the node: it joins again under a new
// incarnation, with all that it holds.
func (h *host) lapse() {
	w := h.w
	if h.core == nil || !h.leased {
		return
	}
	w.counts.Lapses++
	w.note("%s loses its lease", h.name)
	life, from := h.life, w.now
	h.leased, h.said = false, map[name]bool{}
	w.publish()
	w.after(w.about(second/4), func() {
		h.downs = append(h.downs, interval{from, w.now})
		if h.life == life && h.core != nil {
			h.join()
			w.publish()
		}
	})
	h.downs = append(h.downs, interval{from, from + second})
}

// join begins a new incarnation: views never show the node without what it holds.
func (h *host) join() {
	h.incarnation, h.leased, h.said = h.w.view.Revision+1, true, map[name]bool{}
	for n := range h.disk.replicas {
		h.said[n] = true
	}
}

// holders are the live nodes that say that they hold a shard, in the order of replicas.
func (w *world) holders(set uint32, shard int, s *catalog.Shard) (list []catalog.Peer) {
	for _, h := range w.hosts {
		if h.leased && h.said[name{set, shard}] {
			list = append(list, h.peer)
		}
	}
	slices.SortFunc(list, func(p, q catalog.Peer) int {
		if s.Before(p, q) {
			return -1
		}
		return 1
	})
	return list
}
