package daemon

import (
	"errors"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
)

// asker is a node's own requests to other nodes, over its own connections. Their numbers
// begin where those of the node's core, which passes on what others asked for, never come.
type asker struct {
	drive.Caller
	d *Daemon
}

const firstAsked = 1 << 63

func newAsker(d *Daemon) *asker {
	a := &asker{d: d}
	a.Driver = drive.Driver[caller.Input, caller.Effect]{Start: d.start, Ctx: d.ctx, Offer: d.offer, Do: a.do, Lost: lostNode, Unsent: d.metrics.unsent,
		Core: caller.New(d.self, caller.Options{First: firstAsked + uint64(d.start.UnixNano())})}
	return a
}

// takes hands over a parcel that answers a request of this node's own.
func (a *asker) takes(from catalog.Peer, b []byte) bool {
	h, _, _, err := parcel.ReadHeader(b)
	if err != nil || h.Caller != a.d.self || h.Request < firstAsked || h.Kind != parcel.Result && h.Kind != parcel.Fail && h.Kind != parcel.NeedCode {
		return false
	}
	a.Step(&caller.Received{From: from, Bytes: b})
	return true
}

// do carries out what the core wants.
func (a *asker) do(e caller.Effect) caller.Input {
	switch e := e.(type) {
	case *caller.Deliver:
		a.Deliver(e)
	case *caller.Send:
		if e.To == a.d.self { // a view that has not heard yet of what this node lacks
			return lostNode(e.To)
		}
		a.d.trace("sent", "to", e.To, e.Bytes)
		return a.Send(e.To, e.Bytes)
	}
	return nil
}

func lostNode(p catalog.Peer) caller.Input { return &caller.Gone{Peer: p} }

// file describes a shard that is here.
func (d *Daemon) file(set, shard uint32) (store.File, bool) { return d.cfg.Store.File(set, shard) }

// copyPart gives bytes of a shard's file to another node.
func (d *Daemon) copyPart(p *parcel.Part) (*parcel.Answer, error) {
	f, ok := d.file(p.Set, p.Shard)
	switch {
	case !ok || f.Sum != p.Sum:
		return nil, &node.WorkError{Reason: parcel.NoShard, Set: p.Set, Shard: int(p.Shard), Detail: f.String() + " is not on this node"}
	case p.Count > f.Bytes || p.Offset > f.Bytes-p.Count:
		return nil, refused("%v has %d bytes, not %d from %d on", &f, f.Bytes, p.Count, p.Offset)
	}
	b := make([]byte, p.Count)
	if err := d.cfg.Store.ReadPart(f, p.Offset, b); errors.As(err, new(*store.DamageError)) {
		return nil, err // which sets the replica aside
	} else if err != nil {
		return nil, &node.WorkError{Reason: parcel.NoShard, Set: p.Set, Shard: int(p.Shard), Detail: err.Error()}
	}
	return &parcel.Answer{Columns: [][]byte{b}}, nil
}
