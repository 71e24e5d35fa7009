package control

import (
	"maps"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// In: what a node holds of a set. Out: the records that say so, a pieceShards of shard numbers
// in each, so that one more shard writes little anew, however many there are.
//
// The first record, of shards 0 to 63, is there whenever any other is, and is written in each
// transaction that writes another one: who has read all of them need only ask that it has not
// changed. It has the key that held all shards before there were pieces, so such a record is
// read as a first piece with more in it.

// pieceShards is how many shard numbers one record is about: some 7 kB.
const pieceShards = 64

// pieceOf names a record of this node.
type pieceOf struct{ set, piece uint32 }

// pieces are the records of one node and set, by number.
type pieces map[uint32]heldRecord

// of is what the records say about a shard.
func (p pieces) of(shard uint32) (sum catalog.Sum, size [2]int64, ok bool) {
	for _, n := range []uint32{shard / pieceShards, 0} {
		if sum, ok = p[n].Shards[shard]; ok {
			return sum, p[n].Sizes[shard], true
		}
	}
	return sum, size, false
}

func pieceKey(set uint32, p catalog.Peer, piece uint32) string {
	key := numbered(heldIn(set), uint32(p))
	if piece > 0 {
		key = numbered(key+"/", piece)
	}
	return key
}

// piecesIn reads the records of one node and set.
func piecesIn(recs []record, set uint32, p catalog.Peer) (pieces, error) {
	first := pieceKey(set, p, 0)
	out := pieces{}
	for _, r := range recs {
		if r.key != first && !strings.HasPrefix(r.key, first+"/") {
			continue
		}
		_, _, n, err := holderOf(r.key)
		if err != nil {
			return nil, err
		}
		var h heldRecord
		if err := decode(r.key, r.value, &h, &h.Format); err != nil {
			return nil, err
		}
		out[n] = h
	}
	return out, nil
}

// cut gives the shards of each piece.
func cut(shards map[uint32]Held) map[uint32]map[uint32]Held {
	out := map[uint32]map[uint32]Held{}
	for i, h := range shards {
		n := i / pieceShards
		if out[n] == nil {
			out[n] = map[uint32]Held{}
		}
		out[n][i] = h
	}
	return out
}

// puts are the changes that make one set's records those of the new shards, the first record
// before all others; none if nothing has changed. Records in doubt are written again.
func (s *membership) puts(set uint32, old, new map[uint32]Held) []change {
	was, is := cut(old), cut(new)
	numbers := map[uint32]bool{}
	for n := range was {
		numbers[n] = !maps.Equal(was[n], is[n])
	}
	for n := range is {
		numbers[n] = !maps.Equal(was[n], is[n])
	}
	for d := range s.doubt {
		if d.set == set {
			numbers[d.piece] = true
		}
	}
	maps.DeleteFunc(numbers, func(_ uint32, write bool) bool { return !write })
	if len(numbers) == 0 {
		return nil
	}
	numbers[0] = true
	var out []change
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		c := change{key: pieceKey(set, s.peer, n)}
		if len(is[n]) > 0 || n == 0 && len(new) > 0 {
			c.value, c.lease = encode(recordOf(is[n])), s.lease
		}
		out = append(out, c)
	}
	return out
}

func recordOf(shards map[uint32]Held) *heldRecord {
	r := &heldRecord{Format: format, Shards: map[uint32]catalog.Sum{}, Sizes: map[uint32][2]int64{}}
	for i, h := range shards {
		r.Shards[i] = h.Sum
		if h.Bytes > 0 {
			r.Sizes[i] = [2]int64{h.Rows, h.Bytes}
		}
	}
	return r
}

// portions cuts the changes of sets into what fits into one transaction each. A set that does
// not fit into one has its first record in each of them.
func portions(sets [][]change) [][]change {
	var out [][]change
	bytes := 0
	add := func(c change) {
		out[len(out)-1] = append(out[len(out)-1], c)
		bytes += len(c.value)
	}
	for _, set := range sets {
		for i, c := range set {
			if last := len(out) - 1; last < 0 || len(out[last]) >= portionChanges || bytes+len(c.value) > portionBytes {
				out, bytes = append(out, nil), 0
				if i > 0 {
					add(set[0])
				}
			}
			add(c)
		}
	}
	return out
}
