package control

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// What goes into one transaction: etcd takes 128 changes and 1.5 MiB, where it was not
// told otherwise.
const (
	portionChanges = 100
	portionBytes   = 512 << 10
)

// shardsOf has shards by their numbers, for each of some sets.
type shardsOf map[uint32]map[uint32]Held

func (s *membership) Hold(ctx context.Context, h Held) error {
	start := time.Now()
	room, cancel := s.g.bounded(ctx)
	defer cancel()
	if err := s.g.roomFor(room, h.Set); err != nil {
		return s.g.failed("publish a shard", start, err)
	}
	return s.publish(ctx, func(held shardsOf) shardsOf {
		shards := maps.Clone(held[h.Set])
		if shards == nil {
			shards = map[uint32]Held{}
		}
		shards[h.Shard] = h
		s.doubt[pieceOf{h.Set, h.Shard / pieceShards}] = true // it is written whatever was written last
		return shardsOf{h.Set: shards}
	})
}

func (s *membership) Unhold(ctx context.Context, set, shard uint32) error {
	return s.publish(ctx, func(held shardsOf) shardsOf {
		shards := maps.Clone(held[set])
		delete(shards, shard)
		s.doubt[pieceOf{set, shard / pieceShards}] = true
		return shardsOf{set: shards}
	})
}

func (s *membership) HoldAll(ctx context.Context, all []Held) error {
	return s.publish(ctx, func(held shardsOf) shardsOf {
		want := bySet(all)
		for set := range held {
			if _, still := want[set]; !still {
				want[set] = nil
			}
		}
		return want
	})
}

// publish writes what the node holds of the sets that edit gives. Nobody else writes these
// records, so what was written last needs no reading. What may have been written, or not, is
// in doubt: the next call about the set writes it again.
func (s *membership) publish(ctx context.Context, edit func(shardsOf) shardsOf) error {
	start := time.Now()
	ctx, cancel := s.g.bounded(ctx)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	held := edit(s.held)
	parts := portions(s.changes(held))
	for _, part := range parts {
		s.doubts(part, true)
	}
	maps.Copy(s.held, held)
	for _, part := range parts {
		done, _, err := s.g.rec.commit(ctx, []condition{{key: s.key(), created: true, revision: s.incarnation}}, part)
		if errors.Is(err, errNoLease) || err == nil && !done {
			return &StaleError{s.peer, s.incarnation}
		}
		if err != nil {
			return s.g.failed("publish a shard", start, err)
		}
		s.doubts(part, false)
	}
	for set := range held {
		if len(held[set]) == 0 {
			delete(s.held, set)
		}
	}
	return nil
}

// doubts begins or ends the doubt whether changes were made.
func (s *membership) doubts(part []change, begin bool) {
	for _, c := range part {
		set, _, n, _ := holderOf(c.key)
		if begin {
			s.doubt[pieceOf{set, n}] = true
		} else {
			delete(s.doubt, pieceOf{set, n})
		}
	}
}

// changes are those of each set.
func (s *membership) changes(held shardsOf) [][]change {
	var out [][]change
	for _, set := range slices.Sorted(maps.Keys(held)) {
		out = append(out, s.puts(set, s.held[set], held[set]))
	}
	return out
}

func bySet(all []Held) shardsOf {
	out := shardsOf{}
	for _, h := range all {
		if out[h.Set] == nil {
			out[h.Set] = map[uint32]Held{}
		}
		out[h.Set][h.Shard] = h
	}
	return out
}
