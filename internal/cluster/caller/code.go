package caller

import (
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// acquaintance is what the caller knows of a node.
type acquaintance struct {
	incarnation int64  // of the life that the rest is about; 0 before the first view
	name        string // by the last view that had it
	gone        bool   // cannot be reached, until it is heard of again
	left        int64  // when its life ended by the views, 0 if it has not
	codes       map[parcel.Prefix]struct{}
}

// maxKnown limits the kernels remembered for each node; beyond it they are
// forgotten, and travel once more.
const maxKnown = 4096

// meet gives what is known of a peer.
func (c *Core) meet(p catalog.Peer) *acquaintance {
	a, ok := c.nodes[p]
	if !ok {
		a = &acquaintance{codes: map[parcel.Prefix]struct{}{}}
		c.nodes[p] = a
	}
	return a
}

// learn notes that the node has a kernel, or that it is on its way there, and
// reports whether that is new. A node that has not got it will ask.
func (a *acquaintance) learn(code parcel.Prefix) bool {
	if _, ok := a.codes[code]; ok {
		return false
	}
	if len(a.codes) >= maxKnown {
		clear(a.codes)
	}
	a.codes[code] = struct{}{}
	return true
}

// recent keeps the kernels of the latest operations, the last used one last.
type recent struct {
	most  int
	codes []recentCode
}

type recentCode struct {
	prefix parcel.Prefix
	bytes  []byte
}

func (r *recent) keep(c Code) {
	if len(c.Bytes) == 0 {
		return
	}
	prefix := parcel.PrefixOf(c.ID)
	last := len(r.codes) - 1
	for i, old := range r.codes {
		if old.prefix == prefix {
			copy(r.codes[i:], r.codes[i+1:])
			r.codes[last] = old
			return
		}
	}
	if len(r.codes) >= r.most {
		copy(r.codes, r.codes[1:])
		r.codes = r.codes[:last]
	}
	r.codes = append(r.codes, recentCode{prefix, c.Bytes})
}

func (r *recent) find(p parcel.Prefix) []byte {
	for _, c := range r.codes {
		if c.prefix == p {
			return c.bytes
		}
	}
	return nil
}

// needCode answers a node that lacks a kernel; without bytes if the caller
// has lost it as well. op is the operation that it asks for, nil if that has ended.
func (c *Core) needCode(from catalog.Peer, h *parcel.Header, op *operation) {
	p := parcel.Parcel{Header: parcel.Header{
		Kind: parcel.Code, Left: uint32(min(c.opt.Retry, 1<<31)), Request: h.Request, Caller: h.Caller, Code: h.Code,
	}}
	if op != nil {
		p.Left = c.left(op)
		for _, code := range op.codes {
			if parcel.PrefixOf(code.ID) == h.Code {
				p.Code = code.Bytes
			}
		}
	}
	if p.Code == nil {
		p.Code = c.recent.find(h.Code)
	}
	if len(p.Code) > 0 {
		p.Flags = parcel.Carries
		c.meet(from).learn(h.Code)
	}
	b, err := p.Append(nil)
	if err != nil {
		return // kernels that are too long were refused with their operation
	}
	if op != nil {
		op.stats.CodeBytes += int64(len(p.Code))
	}
	c.send(op, from, b)
}
