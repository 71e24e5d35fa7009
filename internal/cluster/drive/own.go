package drive

import (
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// Own is a node's own requests to other nodes, over the connections that its core uses, too.
//
// In: what the node begins, and the parcels that arrive for it. Out: its requests, and their ends.
// Invariant: the numbers of these requests begin at FirstOwn, where those of the node's core, which
// passes on what others asked for, never come.
type Own struct {
	Caller
	Self catalog.Peer
}

// FirstOwn is the least number of a node's own requests.
const FirstOwn = 1 << 63

// Takes reports whether a parcel was about a request of the node's own. Then nobody else needs it.
func (o *Own) Takes(from catalog.Peer, b []byte) bool {
	h, _, _, err := parcel.ReadHeader(b)
	if err != nil || h.Caller != o.Self || h.Request < FirstOwn || h.Kind != parcel.Result && h.Kind != parcel.Fail && h.Kind != parcel.NeedCode {
		return false
	}
	o.Step(&caller.Received{From: from, Bytes: b})
	return true
}

// CarryOut does what the core wants.
func (o *Own) CarryOut(e caller.Effect) caller.Input {
	if s, ok := e.(*caller.Send); ok && s.To == o.Self { // a view that has not heard yet of what this node lacks
		return o.Lost(s.To)
	}
	return o.Caller.CarryOut(e)
}
