package daemon

import (
	"bytes"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a parcel that is about to go the ordinary way. Out: the recipe by which others like it are answered, if there is one. Invariant: a recipe has memory
// of its own for states, and holds no column: that these are as they were is looked at whenever it is followed.

// swiftStates is how many states a parcel has at most; more are worth another goroutine.
const swiftStates = 8

// recipe is what is done with a kind of parcel.
type recipe struct {
	from   catalog.Peer
	code   parcel.Prefix
	shape  []byte // the payload as far as it is the same in all
	length int    // of a parcel

	pass   *node.Pass
	c      *engine.Compiled
	lo, hi int64 // rows that are here
	values []moved
	states parcel.Batch // with its Values in kernel memory
	held   []*resident
	area   *area
	args   engine.Args
	answer []byte // but for the values
	runs   int
	rested int // how many runs there were at the last rest
	debt   int // of those that were in vain
	long   int // runs, of those that were timed, that took long
}

// moved is a column of states on its way: in the parcel, in kernel memory and in the answer.
type moved struct {
	from, size int
	arena      []byte
	to         int   // -1: not in the answer
	bound      int64 // that elements stay below; -1 for none
	kind       num.Kind
}

// fits says whether a parcel is of the recipe's kind.
func (r *recipe) fits(from catalog.Peer, code parcel.Prefix, b []byte) bool {
	return from == r.from && code == r.code && len(b) == r.length && bytes.Equal(b[parcel.HeaderSize:][:len(r.shape)], r.shape)
}

// recipe makes one of a parcel that is about to go the ordinary way; nil if there is none for it.
func (d *Daemon) recipe(from catalog.Peer, raw []byte) *recipe {
	raw = bytes.Clone(raw)
	h, _, payload, err := parcel.ReadHeader(raw)
	v := d.view.Load()
	var b parcel.Batch
	if err != nil || v == nil || parcel.ReadBatch(&b, payload) != nil || b.States == 0 || b.States > swiftStates || len(b.Faults) > 0 {
		return nil
	}
	set, ok := v.Set(b.Set)
	if !ok || b.Want(0) < 0 || b.Want(0) >= set.Rows {
		return nil
	}
	number := set.ShardOf(b.Want(0))
	for _, f := range b.Columns {
		if !d.columns.has(place{b.Set, number, f.Column}) {
			return nil
		}
	}
	var pass *node.Pass
	var id kernel.ID
	turns := d.cfg.Limits.Turns
	owners := d.certificateOf()
	d.drive.Between(func() { pass, id = d.core.Pass(&h, from, int64(len(raw)), &b, number, owners) })
	if pass == nil {
		return nil
	}
	c, ok := d.eng.Lookup(id)
	if !ok || !c.Swiftly() {
		return nil
	}
	sh, release, err := d.shard(b.Set, number)
	if err != nil {
		return nil
	}
	defer release()
	a := &advancing{d: d, c: c, b: &b, sh: sh}
	defer func() {
		for _, r := range a.held {
			d.columns.release(r)
		}
	}()
	if a.place(d.ctx, turns) != nil || a.c != c {
		d.forsake(&recipe{area: a.area})
		return nil
	}
	r := &recipe{from: from, code: h.Code, length: len(raw), pass: pass, c: c,
		lo: sh.at.Lo, hi: sh.at.Hi, held: slices.Clone(a.held), area: a.area,
		args: engine.Args{Sizes: a.sizes, Scalars: a.scalars, Bases: a.bases, Faults: make([]int64, c.Kernel.Sites)}}
	if !r.lays(a, &b, &h, len(raw)) {
		d.forsake(r)
		return nil
	}
	r.shape = raw[parcel.HeaderSize:r.values[0].from]
	return r
}

// lays finds where values are in the parcel, in kernel memory and in the answer.
func (r *recipe) lays(a *advancing, b *parcel.Batch, h *parcel.Header, length int) bool {
	first := len(b.Values) + len(b.Columns)
	for i := range b.Near {
		if a.c.Kernel.Regions[first+i].Access != kernel.Read {
			return false // what a run writes there must not be there for the next one
		}
	}
	for _, c := range r.held {
		if c.outside() && !a.c.ReachesAll() {
			return false
		}
	}
	kept := make([][]byte, 0, len(b.Values))
	for i, v := range b.Values {
		if b.Keep>>i&1 != 0 {
			kept = append(kept, v)
		}
	}
	head := parcel.Header{Kind: parcel.Result, Hops: h.Hops, Left: h.Left, Request: h.Request, Caller: h.Caller, Code: h.Code}
	answer := &parcel.Answer{States: b.States, Columns: kept, Steps: uint64(a.last.steps)}
	r.answer = answer.Append(head.Append(nil, nil))
	if len(r.answer) > transport.SwiftBytes {
		return false
	}
	from, to := b.Places(length), answer.Places(len(r.answer))
	r.values, r.states = make([]moved, len(b.Values)), parcel.Batch{States: b.States, Values: make([][]byte, len(b.Values))}
	for i, v := range b.Values {
		m := moved{from: from[i], size: len(v), arena: a.d.eng.Arena().Bytes(a.bases[i], int64(len(v))), to: -1, bound: a.last.bounds[i], kind: num.Kind(b.Kinds[i])}
		if b.Keep>>i&1 != 0 {
			m.to, to = to[0], to[1:]
		}
		r.values[i], r.states.Values[i] = m, m.arena
	}
	return true
}
