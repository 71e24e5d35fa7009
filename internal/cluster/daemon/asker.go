package daemon

import (
	"context"
	"errors"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// asker is a node's own requests to other nodes, over its own connections. Their numbers
// begin where those of the node's core, which passes on what others asked for, never come.
type asker struct {
	d  *Daemon
	mu sync.Mutex // guards what follows

	core *caller.Core
	then map[caller.ID]chan *caller.Deliver
	next caller.ID
}

const firstAsked = 1 << 63

func newAsker(d *Daemon) *asker {
	return &asker{d: d, then: map[caller.ID]chan *caller.Deliver{},
		core: caller.New(d.self, caller.Options{First: firstAsked + uint64(d.start.UnixNano())})}
}

// takes hands over a parcel that answers a request of this node's own.
func (a *asker) takes(from catalog.Peer, b []byte) bool {
	h, _, _, err := parcel.ReadHeader(b)
	if err != nil || h.Caller != a.d.self || h.Request < firstAsked || h.Kind != parcel.Result && h.Kind != parcel.Fail && h.Kind != parcel.NeedCode {
		return false
	}
	a.step(&caller.Received{From: from, Bytes: b})
	return true
}

// ask runs an operation to its end.
func (a *asker) ask(ctx context.Context, in *caller.Ask) (*parcel.Answer, error) {
	done := make(chan *caller.Deliver, 1)
	a.mu.Lock()
	a.next++
	in.ID = a.next
	a.then[in.ID] = done
	a.mu.Unlock()
	a.step(in)
	select {
	case d := <-done:
		return d.Answer, d.Err
	case <-ctx.Done():
	}
	a.mu.Lock()
	delete(a.then, in.ID)
	a.mu.Unlock()
	a.step(&caller.Abandon{ID: in.ID})
	return nil, context.Cause(ctx)
}

// step feeds the core and carries out what it wants. A peer that cannot be reached is
// news for it in turn.
func (a *asker) step(in caller.Input) {
	queue := []caller.Input{in}
	for len(queue) > 0 {
		a.mu.Lock()
		effects := append([]caller.Effect(nil), a.core.Step(a.d.now(), queue[0])...)
		queue = queue[1:]
		for _, e := range effects {
			if d, ok := e.(*caller.Deliver); ok && a.then[d.ID] != nil {
				a.then[d.ID] <- d
				delete(a.then, d.ID)
			}
		}
		a.mu.Unlock()
		for _, e := range effects {
			if s, ok := e.(*caller.Send); ok && !a.send(s) {
				queue = append(queue, &caller.Gone{Peer: s.To})
			}
		}
	}
}

// send reports whether the peer can be reached as far as is known. What a full peer does not
// take is lost, and asked for again.
func (a *asker) send(s *caller.Send) bool {
	if s.To == a.d.self { // a view that has not heard yet of what this node lacks
		return false
	}
	a.d.trace("sent", "to", s.To, s.Bytes)
	err := a.d.net.Send(s.To, s.Bytes)
	if err != nil {
		a.d.metrics.unsent(err)
	}
	return !errors.Is(err, transport.ErrUnreachable)
}

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
