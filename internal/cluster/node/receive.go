package node

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// receive takes a parcel from a peer.
func (c *Core) receive(in *Received) {
	from, raw := in.From, in.Bytes
	c.counts.bytesIn += int64(len(raw))
	if len(c.gone) > 0 {
		delete(c.gone, from)
	}
	h, code, payload, err := parcel.ReadHeader(raw)
	if err != nil {
		c.counts.dropped[malformed]++
		return
	}
	c.counts.in[h.Kind]++
	c.counts.codeIn += int64(len(code))
	// Clients speak only for themselves; nodes pass on what others asked for.
	foreign := h.Caller == 0 || from >= catalog.FirstClient && h.Caller != from
	switch h.Kind {
	case parcel.Result, parcel.Fail:
		c.childAnswered(from, &h, raw, payload)
	case parcel.NeedCode:
		c.provide(from, &h)
	case parcel.Code:
		c.codeArrived(from, h.Code, code)
	case parcel.Cancel:
		if foreign {
			c.counts.dropped[unexpected]++
			return
		}
		c.cancel(&h)
	default:
		if foreign {
			c.reject(from, &h, &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: fmt.Sprintf(
				"peer %d sent a request whose caller is %d; a client must name itself", from, h.Caller)})
			return
		}
		c.admit(&held{Header: h, from: from, raw: raw}, code, payload, in.Owners)
	}
}

// admit takes in a request's parcel, or says why not.
func (c *Core) admit(h *held, code, payload []byte, owners func(catalog.Peer) string) {
	if r := c.requests[name{h.Caller, h.Request}]; r != nil && (r.over || r.kind != h.Kind || h.Kind != parcel.Walk && h.Kind != parcel.Send) {
		if r.cancelled {
			c.counts.dropped[cancelled]++
		} else {
			c.counts.dropped[duplicate]++
		}
		return
	}
	if err := h.decode(payload); err != nil {
		c.reject(h.from, &h.Header, &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: err.Error()})
		return
	}
	h.client = c.accountOf(h, owners)
	size := int64(len(h.raw))
	if size > c.limits.Bytes {
		c.reject(h.Caller, &h.Header, &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: fmt.Sprintf(
			"the parcel has %d bytes, and this node takes %d at once; send less at a time", size, c.limits.Bytes)})
		return
	}
	if over := c.over(h.client, size); over != "" {
		h.client.busy++
		c.busy(h, over)
		return
	}
	if c.parcels >= c.limits.Parcels || c.bytes+size > c.limits.Bytes {
		c.busy(h, fmt.Sprintf("%d parcels with %d bytes are in hand, the limits are %d and %d",
			c.parcels, c.bytes, c.limits.Parcels, c.limits.Bytes))
		return
	}
	needs, err := c.needs(h, code)
	if err != nil {
		c.reject(h.Caller, &h.Header, &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: err.Error()})
		return
	}
	if why := c.room(&needs, h.client); why != "" {
		c.busy(h, why)
		return
	}
	h.req = c.open(&h.Header)
	c.hold(h)
	c.fetch(h, &needs)
	switch {
	case h.req.over: // there is no room for the code's bytes
		c.release(h)
		c.settle(h.req)
	case h.need == 0:
		c.begin(h)
	default:
		h.req.parked = append(h.req.parked, h)
		c.parked++
	}
}

// busy turns a parcel away for a while. The states of a Walk go back, since
// the caller may not know how far they had come.
func (c *Core) busy(h *held, detail string) {
	f := &parcel.Failure{Reason: parcel.Busy, Shard: -1, Retry: uint32(c.limits.Retry), Detail: detail}
	if h.Kind == parcel.Walk {
		f.Set, f.States = h.cargo.batch.Set, &h.cargo.batch
	}
	c.reject(h.Caller, &h.Header, f)
}

// decode reads the payload.
func (h *held) decode(payload []byte) (err error) {
	switch h.Kind {
	case parcel.Run:
		h.body, err = parcel.ReadTask(payload)
	case parcel.Walk:
		b := &h.cargo.batch
		b.Sizes, b.Columns, b.Values = h.sizes[:0], h.columns[:0], h.values[:0]
		if err = parcel.ReadBatch(b, payload); err == nil {
			h.cargo.load(h)
		}
	case parcel.Fan:
		var t *parcel.Tree
		if t, err = parcel.ReadTree(payload); err == nil {
			h.body, err = t, spreadable(t)
		}
	case parcel.Read:
		h.body, err = parcel.ReadGather(payload)
	case parcel.Send:
		h.body, err = parcel.ReadCall(payload)
	case parcel.Put, parcel.Seal, parcel.Drop:
		h.body, err = parcel.ReadBlob(payload)
	case parcel.Copy:
		h.body, err = parcel.ReadPart(payload)
	case parcel.Status:
		h.body, err = parcel.ReadInquiry(payload)
	}
	return err
}

// begin goes on with a parcel whose kernels are compiled.
func (c *Core) begin(h *held) {
	switch body := h.body.(type) {
	case *parcel.Task:
		c.do(h, 0, h.compute(body))
	case *parcel.Tree:
		c.spread(h, body)
	case *parcel.Gather:
		c.do(h, 0, &Collect{Gather: body})
	case *parcel.Call:
		c.do(h, 0, &Native{ID: h.kernel(), Call: body})
	case *parcel.Blob:
		c.do(h, 0, &Keep{Kind: h.Kind, Blob: body})
	case *parcel.Part:
		c.do(h, 0, &Copy{Part: body})
	case *parcel.Inquiry:
		c.do(h, 0, &Report{Inquiry: body})
	default:
		c.arrive(h)
	}
}

// compute is the work of a task, or of a piece of a tree's.
func (h *held) compute(t *parcel.Task) *Compute {
	w := &Compute{ID: h.kernel(), Builtin: h.Flags&parcel.Builtin != 0, Task: t}
	if h.codes[1] != nil {
		w.Partial = h.codes[1].id
	}
	return w
}
