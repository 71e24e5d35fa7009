package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/parcel"
	"github.com/godwit-run/godwit/store"
)

// In: the shards of a table. Out: their files on all of their nodes, sealed. While a shard
// travels, the next one is made.

const (
	// partBytes is how much of a shard's file travels at a time.
	partBytes = 4 << 20
	// partsAhead is how many parts of a shard are on their way.
	partsAhead = 4
	// shardsAhead is how many shards are on their way.
	shardsAhead = 2
)

// all sends the shards. The first part of a shard is taken by all of its nodes before that of
// the next one is sent: nodes take a few shards of one client at a time, and two that
// wait for each other at two nodes would wait for good.
func (l *loading) all(ctx context.Context) error {
	l.idle, ctx = newIdle(ctx, l.opt.Deadline)
	defer l.idle.end()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	nulls := make([]bool, len(l.set.Columns))
	places := make(chan struct{}, shardsAhead)
	var sending sync.WaitGroup
	fail := func(i int, err error) { cancel(fmt.Errorf("shard %d of @%s: %w", i, l.set.Name, err)) }
	for i := range l.set.Shards {
		p, err := l.split.Part(ctx, i, os.TempDir())
		if err != nil {
			fail(i, err)
			break
		}
		for c, some := range p.Nulls {
			nulls[c] = nulls[c] || some
		}
		places <- struct{}{}
		u := l.upload(p, i)
		if err := u.part(ctx, 0); err != nil {
			fail(i, errors.Join(err, p.Close()))
			break
		}
		sending.Go(func() {
			if err := errors.Join(u.rest(ctx), p.Close()); err != nil {
				fail(i, err)
			}
			<-places
		})
	}
	sending.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for c := range nulls {
		l.set.Columns[c].Nullable = nulls[c]
	}
	return nil
}

// upload is a shard's file on its way to its nodes.
type upload struct {
	l    *loading
	file *store.Part
	to   []catalog.Peer
	blob parcel.Blob // without bytes
	free sync.Pool   // of buffers for parts
}

func (l *loading) upload(p *store.Part, i int) *upload {
	s := &l.set.Shards[i]
	s.Bytes, s.Sum = p.Bytes, p.Sum
	return &upload{
		l: l, file: p, to: s.Assigned,
		blob: parcel.Blob{Set: l.set.ID, Shard: uint32(i), Lo: s.Lo, Hi: s.Hi, Total: s.Bytes, Sum: s.Sum},
	}
}

// part sends the part that begins at an offset to all nodes.
func (u *upload) part(ctx context.Context, at int64) error {
	n := int(min(partBytes, u.blob.Total-at))
	b := u.blob
	b.Offset = at
	buf, _ := u.free.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	payload := b.Append((*buf)[:0])
	head := len(payload)
	payload = slices.Grow(payload, n)[:head+n]
	if _, err := u.file.ReadAt(payload[head:], at); err != nil {
		return err
	}
	if err := u.each(func(to catalog.Peer) error { return u.l.c.store(ctx, parcel.Put, to, payload) }); err != nil {
		return err // requests that nobody waits for any more may still use the buffer
	}
	*buf = payload
	u.free.Put(buf)
	u.l.idle.stored(0)
	u.l.told.stored(float64(u.blob.Hi-u.blob.Lo) * float64(n) / float64(u.blob.Total))
	return nil
}

// rest sends all parts but the first, and has the file sealed.
func (u *upload) rest(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	places := make(chan struct{}, partsAhead)
	var sending sync.WaitGroup
	for at := int64(partBytes); at < u.blob.Total && ctx.Err() == nil; at += partBytes {
		places <- struct{}{}
		sending.Go(func() {
			if err := u.part(ctx, at); err != nil {
				cancel(err)
			}
			<-places
		})
	}
	sending.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	u.l.idle.stored(u.blob.Total)
	payload := u.blob.Append(nil)
	return u.each(func(to catalog.Peer) error { return u.l.c.store(ctx, parcel.Seal, to, payload) })
}

// each does something with all nodes at the same time.
func (u *upload) each(do func(to catalog.Peer) error) error {
	errs := make([]error, len(u.to))
	var all sync.WaitGroup
	for i, to := range u.to {
		all.Go(func() {
			if err := do(to); err != nil {
				errs[i] = fmt.Errorf("node %d: %w", to, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
