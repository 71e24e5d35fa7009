package node

import (
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// Remember brings a kernel or a package of the node's earlier life, so that it is
// compiled before a parcel needs it. Those used last should come first: what exceeds
// Limits.Codes is ignored. The bytes belong to Core from now on.
type Remember struct {
	ID     kernel.ID
	Native bool // a package
	Bytes  []byte
}

func (*Remember) input() {}

// remember keeps a kernel until there is nothing better to do, or until a parcel
// needs it.
func (c *Core) remember(in *Remember) {
	if len(in.Bytes) > maxBytes(in.Native) || kernel.Hash(in.Bytes) != in.ID {
		c.counts.dropped[malformed]++
		return
	}
	e := c.codes.byPrefix[parcel.PrefixOf(in.ID)]
	switch {
	case e != nil && e.bytes == nil && e.native == in.Native:
		c.supply(e, in.Bytes, in.ID)
	case e == nil && len(c.codes.byPrefix)+len(c.recalled) < c.limits.Codes:
		c.recalled = append(c.recalled, in)
	}
}

// recall has the next kernel compiled that is remembered. Nothing else waits for
// its turn. It takes one job at a time, so that others are free for what comes,
// and no kernel has to leave for it.
func (c *Core) recall() {
	for c.recalling == 0 && len(c.recalled) > 0 && c.quiet() {
		if len(c.codes.byPrefix) >= c.limits.Codes {
			c.recalled = nil
			return
		}
		in := c.recalled[0]
		c.recalled = slices.Delete(c.recalled, 0, 1)
		p := parcel.PrefixOf(in.ID)
		if c.codes.byPrefix[p] != nil || c.codes.bytes+int64(len(in.Bytes)) > c.limits.CodeBytes {
			continue // it came with a parcel meanwhile, or there is no room
		}
		e := &code{prefix: p, id: in.ID, native: in.Native, compiling: true}
		c.codes.addOldest(e)
		c.codes.fill(e, in.Bytes)
		j := c.build(e)
		j.lane = making
		c.launch(j, compileTime)
		c.recalling = j.start.Job
	}
}

// quiet reports that there is a place for everything that may come.
func (c *Core) quiet() bool {
	for i := range c.lanes {
		if c.lanes[i].running >= c.lanes[i].most {
			return false
		}
	}
	return true
}

// maxBytes is how long a kernel or a package may be.
func maxBytes(native bool) int {
	if native {
		return pack.MaxBytes
	}
	return kernel.MaxBytes
}

// recollect finds a code that is remembered and not compiled yet.
func (c *Core) recollect(e *code) *Remember {
	i := slices.IndexFunc(c.recalled, func(in *Remember) bool { return parcel.PrefixOf(in.ID) == e.prefix && in.Native == e.native })
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
