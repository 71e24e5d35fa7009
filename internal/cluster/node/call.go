package node

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// Install checks a package and makes it ready to run, as Compile does with a
// kernel.
type Install struct {
	ID    kernel.ID // SHA-256 of Bytes
	Bytes []byte
}

// Native runs the main function of a package that was installed. A failure whose
// reason is Busy or NoCode says that nothing has run.
type Native struct {
	ID   kernel.ID
	Call *parcel.Call
}

func (*Install) work() {}
func (*Native) work()  {}

// Outgoing is a parcel that a package's run wants sent.
type Outgoing struct {
	To      catalog.Peer
	ID      kernel.ID // of the package; zero for the one that ran
	Payload []byte
}

// Withdraw takes a package away that may not run any more. Its Forget follows
// once no parcel in flight needs it; whoever carries out the work refuses it from now
// on.
type Withdraw struct{ ID kernel.ID }

func (*Withdraw) input() {}

func (c *Core) withdraw(id kernel.ID) {
	e := c.codes.byPrefix[parcel.PrefixOf(id)]
	if e == nil || e.id != id || !e.ready || !e.native {
		return
	}
	if e.withdrawn = true; e.pins == 0 {
		c.evict(e)
	}
}

// called takes the end of a package's run: its reply goes to the caller, and what it
// sent goes on. See docs/parcels.md for when a request has ended.
func (c *Core) called(s *serving, f *Called) {
	h := s.held
	call := h.body.(*parcel.Call)
	a := &parcel.Answer{Micros: s.timing(h, f.Timing)}
	switch {
	case f.Replied:
		a.Columns = [][]byte{f.Reply}
		if !c.answer(h, parcel.Last, a) {
			c.failCall(h, &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: fmt.Sprintf(
				"the reply is longer than the %d bytes of a parcel", parcel.MaxBytes)})
			return
		}
	case len(f.Sends) == 0:
		a.Steps = call.Share
		c.answer(h, 0, a)
	}
	for i := range f.Sends {
		if failed := c.passOn(h, &f.Sends[i], part64(call.Share, len(f.Sends), i)); failed != nil {
			c.failCall(h, failed)
			return
		}
	}
}

// part64 is part i of n, which together are the whole and differ by at most 1.
func part64(whole uint64, n, i int) uint64 {
	p := whole / uint64(n)
	if uint64(i) < whole%uint64(n) {
		p++
	}
	return p
}

// passOn sends what a run wants sent, with the grants of its own parcel.
func (c *Core) passOn(h *held, s *Outgoing, share uint64) *parcel.Failure {
	call := parcel.Call{Share: share, Grants: h.body.(*parcel.Call).Grants, Bytes: s.Payload}
	header := parcel.Header{Kind: parcel.Send, Left: c.left(h.req), Request: h.Request, Caller: h.Caller, Code: h.Code}
	if s.ID != (kernel.ID{}) {
		header.Code = parcel.PrefixOf(s.ID)
	}
	_, alive := c.view.Node(s.To)
	e := c.codes.byPrefix[header.Code]
	switch {
	case h.Hops == 0:
		return &parcel.Failure{Reason: parcel.HopsSpent, Shard: -1, Detail: fmt.Sprintf(
			"the package sent a parcel to node %d, but the request may not be forwarded any more", s.To)}
	case s.To != c.self && (!alive || !c.usable(s.To)):
		return &parcel.Failure{Reason: parcel.Unreachable, Node: s.To, Shard: -1, Detail: fmt.Sprintf(
			"the package sent a parcel to node %d, which is not alive or cannot be reached", s.To)}
	case e == nil || !e.ready:
		return &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: fmt.Sprintf(
			"the package sent the package %s, which is not known here any more", header.Code)}
	}
	header.Hops = h.Hops - 1
	b := call.Append(header.Append(make([]byte, 0, parcel.HeaderSize+64*len(call.Grants)+len(s.Payload)+16), nil))
	if len(b) > parcel.MaxBytes {
		return &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: fmt.Sprintf(
			"the package sent %d bytes to node %d, a parcel has at most %d", len(b), s.To, parcel.MaxBytes)}
	}
	if s.To == c.self {
		c.admit(&held{Header: header, from: c.self, raw: b}, nil, b[parcel.HeaderSize:], nil)
		return nil
	}
	h.req.went(s.To, c.now)
	c.codes.touch(e)
	c.send(s.To, parcel.Send, b)
	return nil
}

// failFor ends the request of a parcel that needs some code with a failure.
func (c *Core) failFor(h *held, code parcel.Prefix, f *parcel.Failure) {
	if h.Kind == parcel.Send {
		c.failCall(h, f)
	} else {
		c.fail(h.req, code, f)
	}
}

// failCall ends the request of a Send with a failure. The hops tell the caller
// whether the parcel is as it was sent.
func (c *Core) failCall(h *held, f *parcel.Failure) {
	node := f.Node
	if node == 0 {
		node = c.self
	}
	f.Node = node
	c.deny(h.Caller, &parcel.Header{Hops: h.Hops, Left: c.left(h.req), Request: h.Request, Caller: h.Caller, Code: h.Code}, f)
	c.drop(h.req)
}
