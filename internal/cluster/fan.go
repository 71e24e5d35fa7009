package cluster

import (
	"context"
	"iter"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// pending is an operation whose answer is waited for later.
type pending struct {
	*future
	id caller.ID
}

func (b *Beside) send(make func(caller.ID) caller.Input) *pending {
	f := newFuture()
	return &pending{f, b.c.calls.Begin(f.set, make)}
}

// take waits for an answer and stores its rows.
func (b *Beside) take(ctx context.Context, a *arranged, t *task, p *pending) error {
	answer, err := b.c.await(ctx, p.future)
	if err != nil {
		b.c.calls.Abandon(p.id)
		return err
	}
	b.note(&p.d.Stats, answer)
	_, err = a.accept(t, span{}, answer)
	answer.Loan.Back()
	return err
}

// groups is into how many trees the pieces of a launch are cut at most when somebody watches: a
// tree tells nothing before all of it is done.
const groups = 16

// fan sends the pieces to their owners as a tree, or several, and meanwhile runs the others here.
func (b *Beside) fan(ctx context.Context, a *arranged, t *task, spans []span) (err error) {
	var pieces []parcel.Piece
	for _, s := range spans {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.shard >= 0 {
			pieces = append(pieces, parcel.Piece{Shard: uint32(s.shard), Lo: s.lo, Hi: s.hi, Outs: a.extents(s.lo, s.hi)})
		}
	}
	n := 1
	if a.Watched() {
		n = max(1, min(groups, len(pieces)))
	}
	list := make([]*pending, n)
	defer func() {
		for _, sent := range list {
			if err != nil && sent != nil {
				b.c.calls.Abandon(sent.id) // which does nothing to what is over
			}
		}
	}()
	for i := range list {
		tree := &parcel.Tree{Task: t.Task, Pieces: pieces[len(pieces)*i/n : len(pieces)*(i+1)/n]}
		list[i] = b.send(func(id caller.ID) caller.Input {
			return &caller.Fan{ID: id, Code: b.code(a.code), More: t.more(b), Tree: tree, Left: b.c.left(ctx)}
		})
	}
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
	for i := range firstFirst(ctx, list) {
		if err := b.take(ctx, a, t, list[i]); err != nil {
			return err
		}
		rows := int64(0)
		for _, p := range pieces[len(pieces)*i/n : len(pieces)*(i+1)/n] {
			rows += p.Hi - p.Lo
		}
		a.Advance(rows)
	}
	return nil
}

// firstFirst gives the numbers of requests in the order in which their answers come; after the end
// of ctx, those that are left.
func firstFirst(ctx context.Context, list []*pending) iter.Seq[int] {
	came := make(chan int, len(list))
	for i, p := range list {
		go func() {
			receive(ctx, p.ready) // ended or not: who takes it looks again
			came <- i
		}()
	}
	return func(yield func(int) bool) {
		for range list {
			if !yield(<-came) {
				return
			}
		}
	}
}
