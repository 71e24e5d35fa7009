package control

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// builder makes views of records. Whoever holds a shard is a live node whose held records have
// it with the sum of the set's record. Held records end with their nodes' leases, and some of
// a node that joins are there before its own.
type builder struct {
	revision int64
	birth    string
	nodes    []catalog.Node // ascending, as in a view
	sets     []catalog.Set
	trust    trust.List
	draining map[catalog.Peer]bool
	known    []catalog.Away                     // nodes that have joined once, ascending
	held     map[uint32]map[catalog.Peer]pieces // by set
	changed  map[uint32]bool                    // sets whose holders are to be found anew
}

func newBuilder() *builder {
	return &builder{held: map[uint32]map[catalog.Peer]pieces{}, changed: map[uint32]bool{}, draining: map[catalog.Peer]bool{}}
}

func (b *builder) apply(changes []record, revision int64) error {
	for _, r := range changes {
		if err := b.change(r); err != nil {
			return err
		}
	}
	b.revision = revision
	return nil
}

func (b *builder) change(r record) error {
	switch {
	case strings.HasPrefix(r.key, nodePrefix):
		return b.node(r)
	case strings.HasPrefix(r.key, setPrefix):
		return b.set(r)
	case strings.HasPrefix(r.key, heldPrefix):
		return b.holder(r)
	case strings.HasPrefix(r.key, drainPrefix):
		return b.drain(r)
	case strings.HasPrefix(r.key, knownPrefix):
		return b.knows(r)
	case r.key == birthKey:
		b.birth = string(r.value)
		return nil
	case r.key == trustKey:
		list, err := decodeTrust(r)
		if err == nil {
			b.trust = list
		}
		return err
	}
	return fmt.Errorf("the record %s is of no known kind: use the same version everywhere", r.key)
}

func (b *builder) node(r record) error {
	n, err := numberOf(nodePrefix, r.key)
	for set, held := range b.held {
		if _, holds := held[catalog.Peer(n)]; holds {
			b.changed[set] = true
		}
	}
	if err == nil && r.value == nil {
		b.nodes = without(b.nodes, catalog.Peer(n), func(n catalog.Node) catalog.Peer { return n.Peer })
		return nil
	}
	node, _, err := decodeNode(r)
	if err == nil {
		node.Draining = b.draining[node.Peer]
		b.nodes = with(b.nodes, node, func(n catalog.Node) catalog.Peer { return n.Peer })
	}
	return err
}

func (b *builder) set(r record) error {
	id, err := numberOf(setPrefix, r.key)
	if err != nil {
		return err
	}
	b.changed[id] = true
	if r.value == nil {
		b.sets = without(b.sets, id, func(s catalog.Set) uint32 { return s.ID })
		return nil
	}
	set, err := decodeSet(r.key, r.value)
	if err == nil {
		b.sets = with(b.sets, set, func(s catalog.Set) uint32 { return s.ID })
	}
	return err
}

func (b *builder) holder(r record) error {
	id, p, piece, err := holderOf(r.key)
	if err != nil {
		return err
	}
	b.changed[id] = true
	if r.value == nil {
		delete(b.held[id][p], piece)
		if len(b.held[id][p]) == 0 {
			delete(b.held[id], p)
		}
		if len(b.held[id]) == 0 {
			delete(b.held, id)
		}
		return nil
	}
	var h heldRecord
	if err := decode(r.key, r.value, &h, &h.Format); err != nil {
		return err
	}
	if b.held[id] == nil {
		b.held[id] = map[catalog.Peer]pieces{}
	}
	if b.held[id][p] == nil {
		b.held[id][p] = pieces{}
	}
	b.held[id][p][piece] = h
	return nil
}

// view is a copy, which does not change when the builder goes on.
func (b *builder) view() *catalog.View {
	for i := range b.sets {
		if b.changed[b.sets[i].ID] {
			b.sets[i].Shards = b.replicas(&b.sets[i])
		}
	}
	clear(b.changed)
	return &catalog.View{Revision: b.revision, Records: b.birth, Nodes: slices.Clone(b.nodes), Away: b.away(), Sets: slices.Clone(b.sets), Trust: b.trust}
}

// knows notes the name of a node that has joined once.
func (b *builder) knows(r record) error {
	n, err := numberOf(knownPrefix, r.key)
	if err != nil {
		return err
	}
	peer := func(a catalog.Away) catalog.Peer { return a.Peer }
	if r.value == nil {
		b.known = without(b.known, catalog.Peer(n), peer)
		return nil
	}
	var k knownRecord
	if err := decode(r.key, r.value, &k, &k.Format); err != nil {
		return err
	}
	b.known = with(b.known, catalog.Away{Peer: catalog.Peer(n), Name: k.Name}, peer)
	return nil
}

// away are the nodes that should be here: they have joined once, are not alive, and nobody
// drains them.
func (b *builder) away() (list []catalog.Away) {
	for _, a := range b.known {
		if !b.alive(a.Peer) && !b.draining[a.Peer] {
			list = append(list, a)
		}
	}
	return list
}

func (b *builder) alive(p catalog.Peer) bool {
	_, ok := slices.BinarySearchFunc(b.nodes, p, func(n catalog.Node, p catalog.Peer) int { return cmp.Compare(n.Peer, p) })
	return ok
}

// replicas gives a set's shards with who holds them now. Older views keep theirs.
func (b *builder) replicas(s *catalog.Set) []catalog.Shard {
	held := b.held[s.ID]
	peers := slices.Collect(maps.Keys(held))
	peers = slices.DeleteFunc(peers, func(p catalog.Peer) bool { return !b.alive(p) })
	shards := slices.Clone(s.Shards)
	for i := range shards {
		sh := &shards[i]
		sh.Replicas = nil
		for _, p := range peers {
			if sum, _, ok := held[p].of(uint32(i)); ok && sum == catalog.Sum(sh.Sum) {
				sh.Replicas = append(sh.Replicas, p)
			}
		}
		sort.Slice(sh.Replicas, func(i, j int) bool { return sh.Before(sh.Replicas[i], sh.Replicas[j]) })
	}
	return shards
}
