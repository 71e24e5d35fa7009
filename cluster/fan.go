package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/godwit-run/godwit/caller"
	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/parcel"
)

// pending is an operation whose answer is waited for later.
type pending struct {
	*future
	id caller.ID
}

func (b *Beside) send(make func(caller.ID) caller.Input) *pending {
	f := newFuture()
	return &pending{f, b.c.begin(f.set, make)}
}

// take waits for an answer and stores its rows.
func (b *Beside) take(ctx context.Context, a *arranged, p *pending) error {
	answer, err := b.c.await(ctx, p.future)
	if err != nil {
		b.c.abandon(p.id)
		return err
	}
	b.note(&p.d.Stats, answer)
	return a.accept(answer)
}

// tree is pieces that travel as one parcel.
type tree struct {
	*pending
	pieces []span
	owners []catalog.Peer
}

// fan sends the pieces to their owners as a tree, and meanwhile runs the others here.
func (b *Beside) fan(ctx context.Context, a *arranged, t *task, spans []span) (err error) {
	var away []span
	for _, s := range spans {
		if s.shard >= 0 {
			away = append(away, s)
		}
	}
	sent := b.sendTree(ctx, a, t, away)
	defer func() {
		if err != nil {
			b.c.abandon(sent.id) // which does nothing to what is over
		}
	}()
	for _, s := range spans {
		if s.shard < 0 {
			if err := a.Here(s.lo, s.hi); err != nil {
				return err
			}
		}
	}
	return b.harvest(ctx, a, t, sent)
}

// sendTree sends pieces, in order.
func (b *Beside) sendTree(ctx context.Context, a *arranged, t *task, pieces []span) *tree {
	s := &tree{pieces: pieces}
	whole := parcel.Tree{Task: t.Task}
	for _, p := range pieces {
		to := b.c.owner(&a.set.Shards[p.shard])
		s.owners = append(s.owners, to)
		whole.Pieces = append(whole.Pieces, parcel.Piece{Owner: to, Shard: uint32(p.shard), Lo: p.lo, Hi: p.hi, Outs: a.extents(p.lo, p.hi)})
	}
	b.involve(s.owners)
	payload := whole.Append(nil)
	s.pending = b.send(func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Fan, Code: b.code(a.code), More: t.more(b), Payload: payload, Set: a.set.ID, Shard: pieces[0].shard, Left: b.c.left(ctx)}
	})
	return s
}

// watching is how often it is looked whether all owners of a tree are still there.
const watching = 50 * time.Millisecond

// harvest stores what a tree brings. If one of its owners is lost, every piece is
// sent for itself, to whoever has its shard.
func (b *Beside) harvest(ctx context.Context, a *arranged, t *task, s *tree) error {
	look := time.NewTicker(watching)
	defer look.Stop()
	for {
		select {
		case <-s.ready:
			if e := (*caller.Error)(nil); errors.As(s.d.Err, &e) && e.Reason == parcel.Unreachable {
				return b.apart(ctx, a, t, s.pieces)
			}
			return b.take(ctx, a, s.pending)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-b.c.ctx.Done():
			return errClosed
		case <-look.C:
			if !slices.ContainsFunc(s.owners, func(p catalog.Peer) bool { return !b.c.usable(p) }) {
				continue
			}
			b.c.abandon(s.id)
			return b.apart(ctx, a, t, s.pieces)
		}
	}
}

// apart sends pieces one by one, all at the same time.
func (b *Beside) apart(ctx context.Context, a *arranged, t *task, pieces []span) (err error) {
	var sent []*pending
	defer func() {
		for _, p := range sent {
			if err != nil {
				b.c.abandon(p.id)
			}
		}
	}()
	for _, s := range pieces {
		p, err := b.sendRun(ctx, a, t, s)
		if err != nil {
			return err
		}
		sent = append(sent, p)
	}
	for _, p := range sent {
		if err := b.take(ctx, a, p); err != nil {
			return err
		}
	}
	return nil
}

// owner is the first replica that can be used, or the first of all when none can:
// then the one that waits for it says so.
func (c *Cluster) owner(s *catalog.Shard) catalog.Peer {
	if p := c.View().Owner(s, c.usable); p != 0 || len(s.Replicas) == 0 {
		return p
	}
	return s.Replicas[0]
}

// usable reports a node that is alive and to which no connection has broken since it
// was last heard.
func (c *Cluster) usable(p catalog.Peer) bool {
	_, gone := c.gone.Load(p)
	_, alive := c.View().Node(p)
	return alive && !gone
}
