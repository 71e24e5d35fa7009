package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
)

// In: the shards of a table. Out: their files on all of their nodes, sealed. While shards travel
// the next one is made, and others are put on the disks of their nodes.

const (
	// partBytes is how much of a shard's file travels at a time.
	partBytes = 4 << 20
	// partHead is room for what a parcel says beside a part.
	partHead = 4 << 10
	// firstBytes is the first part: with its answer nodes have taken the shard, for which others wait.
	firstBytes = 64 << 10
	// partsAhead is how many parts of a shard are on their way.
	partsAhead = 4
	// shardsAhead is how many shards are on their way.
	shardsAhead = 2
	// shardsOpen is how many shards are in hand: beside these, one that is made and one that is sealed.
	shardsOpen = shardsAhead + 2
)

// all sends the shards. The first part of a shard is taken by all of its nodes before that of
// the next one is sent: nodes take a few shards of one client at a time, and two that
// wait for each other at two nodes would wait for good.
func (l *loading) all(ctx context.Context) error {
	l.idle, ctx = newIdle(ctx, l.opt.Deadline)
	defer l.idle.end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	fail := func(i int, err error) { cancel(fmt.Errorf("shard %d of @%s: %w", i, l.set.Name, err)) }
	nulls := make([]bool, len(l.set.Columns))
	open, travelling := make(chan struct{}, shardsOpen), make(chan struct{}, shardsAhead)
	var sending sync.WaitGroup
	for i, p := range l.parts(ctx, open, fail) {
		for c, some := range p.Nulls {
			nulls[c] = nulls[c] || some
		}
		travelling <- struct{}{}
		u := l.upload(p, i)
		if err := u.first(ctx); err != nil {
			fail(i, errors.Join(err, p.Close()))
			break
		}
		sending.Go(func() {
			arrived := sync.OnceFunc(func() { <-travelling })
			if err := errors.Join(u.rest(ctx, arrived), p.Close()); err != nil {
				fail(i, err)
			}
			arrived()
			<-open
		})
	}
	sending.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for c := range nulls {
		col := &l.set.Columns[c]
		col.Nullable, col.Blank = nulls[c], col.Blank && nulls[c]
	}
	return nil
}

// parts makes the files of the shards in turn, one ahead of whoever takes them. Each takes a place in open,
// which whoever has it gives back.
func (l *loading) parts(ctx context.Context, open chan<- struct{}, fail func(int, error)) iter.Seq2[int, *store.Part] {
	return func(yield func(int, *store.Part) bool) {
		ctx, cancel := context.WithCancel(ctx)
		made := make(chan *store.Part)
		go func() {
			defer close(made)
			for i := range l.set.Shards {
				select {
				case open <- struct{}{}:
				case <-ctx.Done():
					return
				}
				p, err := l.split.Part(ctx, i, os.TempDir())
				if err != nil {
					fail(i, err)
					return
				}
				made <- p
			}
		}()
		defer func() {
			cancel()
			for p := range made {
				_ = p.Close()
			}
		}()
		i := 0
		for p := range made {
			if !yield(i, p) {
				return
			}
			i++
		}
	}
}

// upload is a shard's file on its way to its nodes. A node that ends meanwhile is replaced, and the other
// one is sent the file from its beginning.
type upload struct {
	l     *loading
	shard int
	file  *store.Part
	blob  parcel.Blob // without bytes
	told  sync.Map    // offsets of parts that are stored

	mu    sync.Mutex
	lost  map[catalog.Peer]error // nodes that have ended and are not replaced yet, and how that was found out
	again map[catalog.Peer]bool  // nodes that gave parts up, since nothing came for a minute, and are to be sent all of them
	left  int                    // how often that may still happen
}

// resends is how often a node may give up a shard's parts.
const resends = 3

func (l *loading) upload(p *store.Part, i int) *upload {
	s := &l.set.Shards[i]
	s.Bytes, s.Sum = p.Bytes, p.Sum
	return &upload{
		l: l, shard: i, file: p, lost: map[catalog.Peer]error{}, again: map[catalog.Peer]bool{}, left: resends,
		blob: parcel.Blob{Set: l.set.ID, Shard: uint32(i), Lo: s.Lo, Hi: s.Hi, Total: s.Bytes, Sum: s.Sum},
	}
}

// first sends the first part to all nodes of the shard.
func (u *upload) first(ctx context.Context) (err error) {
	for to := u.l.on.of(u.shard); len(to) > 0 && err == nil; {
		if err = u.part(ctx, 0, to); err == nil {
			to, err = u.replaced()
		}
	}
	return err
}

// rest sends all parts but the first, says that they have arrived, and has the file sealed.
func (u *upload) rest(ctx context.Context, arrived func()) error {
	to, from := u.l.on.of(u.shard), int64(firstBytes)
	for {
		if err := u.whole(ctx, from, to, arrived); err != nil {
			return err
		}
		var err error
		if to, err = u.replaced(); err != nil || len(to) == 0 {
			return err
		}
		from = 0
	}
}

// whole sends the parts from an offset on to nodes, which then seal the file.
func (u *upload) whole(ctx context.Context, from int64, to []catalog.Peer, arrived func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	places := make(chan struct{}, partsAhead)
	var sending sync.WaitGroup
	for at := from; (at == 0 || at < u.blob.Total) && ctx.Err() == nil; at += partAt(at) {
		places <- struct{}{}
		sending.Go(func() {
			if err := u.part(ctx, at, to); err != nil {
				cancel(err)
			}
			<-places
		})
		if at == 0 {
			sending.Wait() // a node begins a file with its first part
		}
	}
	sending.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	arrived()
	u.l.idle.stored(u.blob.Total)
	payload := u.blob.Append(nil)
	return u.each(to, func(to catalog.Peer) error { return u.unfinished(to, u.l.c.store(ctx, parcel.Seal, to, payload)) })
}

// unfinished notes that a node, which was to seal the file, has given parts of it up. Other errors stay.
func (u *upload) unfinished(to catalog.Peer, err error) error {
	var e *caller.Error
	if !errors.As(err, &e) || e.Reason != parcel.NoShard || e.Shard != u.shard {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.left--; u.left < 0 {
		return err
	}
	u.again[to] = true
	return nil
}

// partAt is how long the part that begins at an offset is, if it is not the last one.
func partAt(at int64) int64 {
	if at == 0 {
		return firstBytes
	}
	return partBytes
}

// part sends the part that begins at an offset to nodes.
func (u *upload) part(ctx context.Context, at int64, to []catalog.Peer) error {
	n := int(min(partAt(at), u.blob.Total-at))
	b := u.blob
	b.Offset = at
	buf := u.l.take(n)
	payload := b.Append(buf[:0])
	head := len(payload)
	payload = payload[:head+n]
	if _, err := u.file.ReadAt(payload[head:], at); err != nil {
		return err
	}
	err := u.each(to, func(to catalog.Peer) error { return u.put(ctx, to, payload) })
	if err != nil {
		return err // requests that nobody waits for any more may still use the buffer
	}
	u.l.give(buf)
	if len(u.live(to)) == 0 {
		return nil
	}
	u.l.idle.stored(0)
	if _, again := u.told.LoadOrStore(at, true); !again {
		u.l.told.stored(float64(u.blob.Hi-u.blob.Lo) * float64(n) / float64(u.blob.Total))
	}
	return nil
}

// put sends a part to a node.
func (u *upload) put(ctx context.Context, to catalog.Peer, payload []byte) error {
	room := u.l.take(len(payload))
	d, err := u.l.c.do(ctx, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Put, To: to, Payload: payload, Room: room, Left: u.l.c.left(ctx)}
	})
	if err == nil && d.Stats.Retries == 0 {
		u.l.give(room)
	}
	return err
}

// take gives memory for a parcel with n bytes of a part. It is used again and again: memory that the system
// has to find takes longer to write to than all else that is done with a part here.
func (l *loading) take(n int) []byte {
	if b, ok := l.buffers.Get().(*[]byte); ok && cap(*b) >= n+partHead {
		return *b
	}
	return make([]byte, 0, n+partHead)
}

func (l *loading) give(b []byte) { l.buffers.Put(&b) }

// each does something with all nodes of a list at the same time, but for those that have ended. That one has
// ended meanwhile is no error here.
func (u *upload) each(to []catalog.Peer, do func(to catalog.Peer) error) error {
	to = u.live(to)
	errs := make([]error, len(to))
	var all sync.WaitGroup
	for i, to := range to {
		all.Go(func() {
			err := do(to)
			if err != nil && u.l.on.ended(u.l.c.View(), to) {
				u.mu.Lock()
				u.lost[to] = err
				u.mu.Unlock()
			} else if err != nil {
				errs[i] = fmt.Errorf("node %d: %w", to, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// live are those of a list that have not ended.
func (u *upload) live(to []catalog.Peer) []catalog.Peer {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(to), func(p catalog.Peer) bool { return u.lost[p] != nil })
}

// replaced gives the shard to other nodes in place of those that have ended. It says which these are, and who else has to be sent all parts.
func (u *upload) replaced() (to []catalog.Peer, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, gone := range slices.Sorted(maps.Keys(u.lost)) {
		next, err := u.l.on.replace(u.l.c.View(), u.shard, gone)
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", u.lost[gone], err)
		}
		to = append(to, next)
	}
	to = slices.AppendSeq(to, maps.Keys(u.again))
	clear(u.lost)
	clear(u.again)
	return to, nil
}
