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
		return shardsOf{h.Set: shards}
	})
}

func (s *membership) Unhold(ctx context.Context, set, shard uint32) error {
	return s.publish(ctx, func(held shardsOf) shardsOf {
		shards := maps.Clone(held[set])
		delete(shards, shard)
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
		maps.DeleteFunc(want, func(set uint32, shards map[uint32]Held) bool { return maps.Equal(held[set], shards) })
		return want
	})
}

// publish writes what the node holds of the sets that edit gives. Nobody else writes these
// records, so what was written last needs no reading.
func (s *membership) publish(ctx context.Context, edit func(shardsOf) shardsOf) error {
	start := time.Now()
	ctx, cancel := s.g.bounded(ctx)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	held := edit(s.held)
	sets := slices.Sorted(maps.Keys(held))
	for _, part := range portions(s.puts(held)) {
		done, _, err := s.g.rec.commit(ctx, []condition{{key: s.key(), created: true, revision: s.incarnation}}, part)
		if errors.Is(err, errNoLease) || err == nil && !done {
			return &StaleError{s.peer, s.incarnation}
		}
		if err != nil {
			return s.g.failed("publish a shard", start, err)
		}
		for _, set := range sets[:len(part)] {
			s.note(set, held[set])
		}
		sets = sets[len(part):]
	}
	return nil
}

// note takes in what was written of a set.
func (s *membership) note(set uint32, shards map[uint32]Held) {
	s.held[set] = shards
	if len(shards) == 0 {
		delete(s.held, set)
	}
}

// puts are the changes that write these records, one of each set in the order of their numbers.
func (s *membership) puts(held shardsOf) []change {
	var out []change
	for _, set := range slices.Sorted(maps.Keys(held)) {
		put := change{key: numbered(heldIn(set), uint32(s.peer))}
		if len(held[set]) > 0 {
			put.value, put.lease = encode(recordOf(held[set])), s.lease
		}
		out = append(out, put)
	}
	return out
}

func recordOf(shards map[uint32]Held) *heldRecord {
	r := &heldRecord{Format: format, Shards: map[uint32]sumHex{}, Sizes: map[uint32][2]int64{}}
	for i, h := range shards {
		r.Shards[i] = h.Sum
		if h.Bytes > 0 {
			r.Sizes[i] = [2]int64{h.Rows, h.Bytes}
		}
	}
	return r
}

// portions cuts changes into what fits into one transaction each.
func portions(all []change) [][]change {
	var out [][]change
	bytes := 0
	for _, c := range all {
		last := len(out) - 1
		if last < 0 || len(out[last]) == portionChanges || bytes+len(c.value) > portionBytes {
			out, bytes = append(out, nil), 0
			last++
		}
		out[last] = append(out[last], c)
		bytes += len(c.value)
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
