package cluster

import (
	"context"

	"github.com/godwit-run/godwit/caller"
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
	_, err = a.accept(span{}, answer)
	return err
}

// fan sends the pieces to their owners as a tree, and meanwhile runs the others here.
func (b *Beside) fan(ctx context.Context, a *arranged, t *task, spans []span) (err error) {
	tree := parcel.Tree{Task: t.Task}
	for _, s := range spans {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.shard >= 0 {
			tree.Pieces = append(tree.Pieces, parcel.Piece{Shard: uint32(s.shard), Lo: s.lo, Hi: s.hi, Outs: a.extents(s.lo, s.hi)})
		}
	}
	sent := b.send(func(id caller.ID) caller.Input {
		return &caller.Fan{ID: id, Code: b.code(a.code), More: t.more(b), Tree: &tree, Left: b.c.left(ctx)}
	})
	defer func() {
		if err != nil {
			b.c.abandon(sent.id) // which does nothing to what is over
		}
	}()
	for _, s := range spans {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.shard < 0 {
			if err := a.Here(s.lo, s.hi); err != nil {
				return err
			}
		}
	}
	return b.take(ctx, a, sent)
}
