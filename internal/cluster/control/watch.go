package control

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// The pauses between tries to read anew after the control was lost.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
)

func (g *registry) Watch(ctx context.Context) (<-chan *catalog.View, error) {
	start := time.Now()
	first, cancel := g.bounded(ctx)
	defer cancel()
	b, err := g.readView(first)
	if err != nil {
		return nil, g.failed("watch the catalogue", start, err)
	}
	out := make(chan *catalog.View, 1)
	ctx, stop := context.WithCancel(ctx)
	context.AfterFunc(g.ctx, stop)
	v := b.view()
	out <- v
	g.kept.note(v, b.revision)
	end := g.kept.watched()
	go func() {
		defer stop()
		defer end()
		defer close(out)
		for ctx.Err() == nil {
			g.follow(ctx, b, v, out)
			b, v = g.readAnew(ctx, out, b)
		}
	}()
	return out, nil
}

// follow delivers views after v, the builder's last one, until the log breaks.
func (g *registry) follow(ctx context.Context, b *builder, v *catalog.View, out chan *catalog.View) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := g.rec.watch(ctx, viewPrefix, b.revision)
	defer g.kept.follow(l)()
	for {
		changes, revision, err := l.next(ctx)
		if err != nil {
			return
		}
		if len(changes) > 0 {
			if b.apply(changes, revision) != nil {
				return
			}
			v = b.view()
			Deliver(out, v)
		}
		g.kept.note(v, revision)
	}
}

// readAnew reads the whole view after the log broke, as soon as that is possible.
func (g *registry) readAnew(ctx context.Context, out chan *catalog.View, old *builder) (*builder, *catalog.View) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		try, cancel := context.WithTimeout(ctx, g.opt.Timeout)
		b, err := g.readView(try)
		cancel()
		if err == nil {
			v := b.view()
			g.kept.note(v, b.revision)
			if b.revision > old.revision {
				Deliver(out, v)
			}
			return b, v
		}
		if pause == firstPause && ctx.Err() == nil {
			g.opt.Log.Warn("the catalogue cannot be read; it is tried again", "control", g.rec.where(), "error", err)
		}
		select {
		case <-ctx.Done():
			return old, old.view()
		case <-time.After(pause):
		}
	}
}

// Deliver puts v in place of a view that was not read. Nobody else sends.
func Deliver(out chan *catalog.View, v *catalog.View) {
	select {
	case <-out:
	default:
	}
	out <- v
}

func (g *registry) readView(ctx context.Context) (*builder, error) {
	recs, revision, err := g.rec.read(ctx, viewPrefix)
	if err != nil {
		return nil, err
	}
	b := newBuilder()
	return b, b.apply(recs, revision)
}

// with gives the list, which is ascending by key, with x in it.
func with[T any, K cmp.Ordered](list []T, x T, key func(T) K) []T {
	i, there := slices.BinarySearchFunc(list, key(x), func(e T, k K) int { return cmp.Compare(key(e), k) })
	if there {
		list[i] = x
		return list
	}
	return slices.Insert(list, i, x)
}

func without[T any, K cmp.Ordered](list []T, k K, key func(T) K) []T {
	return slices.DeleteFunc(list, func(e T) bool { return key(e) == k })
}
