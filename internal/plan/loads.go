package plan

import "math"

// In: what goes where in a cluster, in numbers. Out: what travels by each way, as a Load. Parcels that go at the same time between different
// machines do not wait for each other, and an answer may come while the next question goes: so what counts is how many one machine has to send, or to
// take, beyond the first, whose time is part of the round trip.

// FetchRows is the load of rows that come here in pieces of so many bytes at most, each of one column and one shard, of which so many are under
// way at the same time.
func FetchRows(bytes float64, columns, shards int, piece float64, open int) *Load {
	n := float64(max(1, columns))
	pieces := n * max(float64(shards), math.Ceil(bytes/n/piece))
	flows := min(pieces, float64(open))
	return &Load{Bytes: bytes, Parcels: pieces, Hops: math.Ceil(pieces / flows), Flows: flows, Rows: true}
}

// Sent is a launch that goes to shards in pieces.
type Sent struct {
	Shards float64 // with rows of it
	Pieces float64 // of which each answers for itself; unless Tree
	Fixed  float64 // bytes that go with each piece
	Sliced float64 // bytes of which each piece gets its part
	Back   float64 // bytes that come back
	Open   float64 // pieces that are under way at the same time
	Tree   bool    // all go as one parcel, which nodes cut in halves and pass on, and so comes what they answer
}

// Load is what travels.
func (s *Sent) Load() *Load {
	if !s.Tree {
		return &Load{Bytes: s.Pieces*s.Fixed + s.Sliced + s.Back, Parcels: s.Pieces - 1, Hops: 1 + math.Floor((s.Pieces-1)/s.Open), Flows: min(s.Pieces, s.Open)}
	}
	// Who has a tree keeps its own piece and passes on two halves of the others. Down go arguments, all of them; up come the answers of the halves, at
	// each node one after the other, and go on together.
	l := &Load{Bytes: s.Fixed + s.Sliced + s.Back, Hops: 1}
	for below := s.Shards - 1; below > 0; below = math.Ceil(below/2) - 1 {
		halves := min(2, below)
		l.Hops++
		l.Bytes += halves*(s.Fixed+s.Sliced) + s.Back*below/s.Shards
	}
	return l
}

// Walked is the load of states that go to where their elements are.
type Walked struct {
	States float64
	Shards float64
	Bytes  float64 // of a state
	First  float64 // bytes with which all of them begin, and what goes along
	Moves  float64 // how often a state goes on to another shard
}

// Load is what travels. States that leave a shard for the same one go in one parcel; the owners of shards work side by side.
func (w *Walked) Load() *Load {
	each := min(w.States/w.Shards, w.Shards-1) // parcels that an owner has in a turn
	return &Load{
		Bytes:   w.First + w.States*w.Bytes + w.Moves*w.States*w.Bytes/min(w.States, w.Shards),
		Parcels: min(w.States, w.Shards) - 1 + w.Moves*max(0, each-1),
		Hops:    1 + w.Moves/2, // one way
	}
}

// Brought is the load of states that are brought their rows, round by round.
type Brought struct {
	States, Shards float64
	Columns        float64
	Rounds         float64
	Row            float64 // bytes of what a state is brought in a round
	Together       float64 // states that are brought rows at the same time
}

// Load is what travels: of each state its number, and what is in its row.
func (b *Brought) Load() *Load {
	batches := math.Ceil(b.States / b.Together)                         // one after the other
	shards := b.Shards * (1 - math.Pow(1-1/b.Shards, b.States/batches)) // that somebody wants a row of
	parcels := b.Columns * shards
	return &Load{Bytes: b.Rounds * b.States * (8*b.Columns + b.Row), Parcels: b.Rounds * batches * max(0, parcels-1), Hops: b.Rounds * batches}
}
