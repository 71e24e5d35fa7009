package node

import (
	"slices"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/parcel"
)

// Remember brings a kernel of the node's earlier life, so that it is compiled
// before a parcel needs it. Those used last should come first: what exceeds
// Limits.Codes is ignored. The bytes belong to Core from now on.
type Remember struct {
	ID    kernel.ID
	Bytes []byte
}

func (*Remember) input() {}

// remember keeps a kernel until there is nothing better to do, or until a parcel
// needs it.
func (c *Core) remember(in *Remember) {
	if len(in.Bytes) > kernel.MaxBytes || kernel.Hash(in.Bytes) != in.ID {
		c.counts.dropped[malformed]++
		return
	}
	e := c.codes.byPrefix[parcel.PrefixOf(in.ID)]
	switch {
	case e != nil && e.bytes == nil:
		c.supply(e, in.Bytes, in.ID)
	case e == nil && len(c.codes.byPrefix)+len(c.recalled) < c.limits.Codes:
		c.recalled = append(c.recalled, in)
	}
}

// recall has the next kernel compiled that is remembered. Nothing else waits for
// its turn. It takes one job at a time, so that others are free for what comes,
// and no kernel has to leave for it.
func (c *Core) recall() {
	for c.recalling == 0 && len(c.recalled) > 0 {
		if len(c.codes.byPrefix) >= c.limits.Codes {
			c.recalled = nil
			return
		}
		in := c.recalled[0]
		c.recalled = slices.Delete(c.recalled, 0, 1)
		p := parcel.PrefixOf(in.ID)
		if c.codes.byPrefix[p] != nil {
			continue // it came with a parcel meanwhile
		}
		e := &code{prefix: p, id: in.ID, bytes: in.Bytes, compiling: true}
		c.codes.addOldest(e)
		c.launch(&job{code: e, queued: c.now, start: Start{Work: &Compile{ID: in.ID, Bytes: in.Bytes}}})
		c.recalling = c.lastJob
	}
}

// recollect finds a kernel that is remembered and not compiled yet.
func (c *Core) recollect(p parcel.Prefix) *Remember {
	i := slices.IndexFunc(c.recalled, func(in *Remember) bool { return parcel.PrefixOf(in.ID) == p })
	if i < 0 {
		return nil
	}
	return c.recalled[i]
}

// addOldest makes a kernel known that goes before all others when there is no
// room.
func (k *codes) addOldest(e *code) {
	k.byPrefix[e.prefix] = e
	e.prev, e.next = k.ring.prev, k.ring
	e.prev.next, e.next.prev = e, e
}
