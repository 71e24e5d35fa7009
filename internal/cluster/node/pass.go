package node

import (
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: the states of a walk that came in a small parcel, like those of many before them. Out: whether they may run at once, on the
// goroutine that received them, and what counts for them then. Invariant: what Enter lets pass, receive would admit and start at
// once, without asking or telling anybody; and what is counted afterwards is what receive would have counted.

// Pass is what was found out about parcels that differ in their states' values, requests and times alone.
type Pass struct {
	version uint64 // of all that was looked at
	from    catalog.Peer
	client  *party
	code    *code
	size    int64 // of a parcel
	runs    uint64
}

// changed says that passes are to be found out anew: who holds what, which kernels there are, or whose clients are.
func (c *Core) changed() { c.version++ }

// Pass finds out whether states in a shard may pass, and for which kernel.
func (c *Core) Pass(h *parcel.Header, from catalog.Peer, size int64, b *parcel.Batch, shard int, owners func(catalog.Peer) string) (*Pass, kernel.ID) {
	e := c.codes.byPrefix[h.Code]
	set, known := c.view.Set(b.Set)
	if h.Kind != parcel.Walk || h.Flags != 0 || h.Caller != from || from == 0 || size > c.limits.Bytes ||
		e == nil || !e.ready || e.native || e.withdrawn || !known || shard >= len(set.Shards) || !c.holds(set, shard) {
		return nil, kernel.ID{}
	}
	n := int64(b.States)
	sizes := c.walkSizes(b.Sizes, &set.Shards[shard], n, c.limits.Turns)
	if !e.few(sizes, n, min(smallWalk, c.limits.Steps)) {
		return nil, kernel.ID{}
	}
	k := c.accountOf(&held{Header: *h, from: from}, owners)
	if e.client != nil && e.client.owner != k.owner {
		c.disown(e)
	}
	return &Pass{version: c.version, from: from, client: k, code: e, size: size}, e.id
}

// Enter counts a parcel in that may pass; false if it is to be received like others. Leave follows.
func (c *Core) Enter(p *Pass, h *parcel.Header) bool {
	l := &c.lanes[little]
	if p.version != c.version || h.Left == 0 || h.Caller != p.from || l.queued > 0 || !l.room(p.client) ||
		c.parcels >= c.limits.Parcels || c.bytes+p.size > c.limits.Bytes {
		return false
	}
	if len(c.requests) > 0 && c.requests[name{h.Caller, h.Request}] != nil { // it may be cancelled, or have states here
		return false
	}
	if p.client.sum.parcels > 0 || p.client.owner.sum.parcels > 0 {
		if c.over(p.client, p.size) != "" {
			return false
		}
	}
	l.enter(p.client)
	c.weighPass(p, 1)
	return true
}

// Lasts says whether what a pass is made of is as it was.
func (c *Core) Lasts(p *Pass) bool { return p.version == c.version }

// Leave counts a parcel out that Enter has counted in, and an answer of so many bytes, or none, if the parcel is received like others after all. It
// reports that jobs wait, which may have room now: a Tick starts them.
func (c *Core) Leave(p *Pass, answer int) (waiting bool) {
	c.weighPass(p, -1)
	used := int64(0)
	if p.runs++; p.runs%passesPerMicro == 0 {
		used = 1
	}
	c.lanes[little].exit(p.client, used)
	waiting = c.lanes[little].queued > 0
	if answer == 0 {
		return waiting
	}
	if len(c.gone) > 0 {
		delete(c.gone, p.from)
	}
	n := &c.counts
	n.in[parcel.Walk]++
	n.out[parcel.Result]++
	n.bytesIn += p.size
	n.bytesOut += int64(answer)
	n.hits++
	if p.version == c.version {
		c.codes.touch(p.code)
	}
	return waiting
}

// passesPerMicro is how many parcels take a microsecond of a processor, about.
const passesPerMicro = 4

func (c *Core) weighPass(p *Pass, sign int) {
	bytes := int64(sign) * p.size
	c.parcels += sign
	c.bytes += bytes
	p.client.sum.parcels += sign
	p.client.sum.bytes += bytes
	p.client.owner.sum.parcels += sign
	p.client.owner.sum.bytes += bytes
}
