package control

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// In: views of the watches and of whole reads. Out: the present view. The records themselves say
// only which revision they have; a watch that has come so far has the view. Everything is read
// only where no watch brings it in time, by one caller at a time. Invariant: the view that is kept
// has every change up to through.

const (
	catchUp = time.Second           // for a watch to bring what is written already
	nudge   = 50 * time.Millisecond // between questions how far a watch is
)

type kept struct {
	mu      sync.Mutex
	view    *catalog.View // nil if none was read yet
	through int64
	watches int           // that go on, also while they have lost their log
	logs    map[log]bool  // those that they have
	news    chan struct{} // closed and replaced when the view has more changes, or a watch ends
	whole   chan struct{} // the place of who reads everything
}

func newKept() *kept {
	return &kept{logs: map[log]bool{}, news: make(chan struct{}), whole: make(chan struct{}, 1)}
}

// note takes in a view that has every change up to a revision.
func (k *kept) note(v *catalog.View, through int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.view == nil || through > k.through {
		k.view, k.through = v, through
		k.tell()
	}
}

func (k *kept) tell() {
	close(k.news)
	k.news = make(chan struct{})
}

// watched says that a watch goes on, until the function is called.
func (k *kept) watched() (end func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.watches++
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.watches--
		k.tell()
	}
}

// follow says that a log brings changes, until the function is called.
func (k *kept) follow(l log) (end func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.logs[l] = true
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.logs, l)
	}
}

// at is the view if it has every change up to a revision, of the records that were born so:
// those that began anew count revisions from 1.
func (k *kept) at(birth string, revision int64) *catalog.View {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.view != nil && k.through >= revision && k.view.Records == birth {
		return k.view
	}
	return nil
}

// coming is what may bring a later view, and what is closed when one is there.
func (k *kept) coming() (watches int, logs []log, news <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.watches, slices.Collect(maps.Keys(k.logs)), k.news
}

// await waits for a watch to bring the changes up to a revision; nil if none does in time.
func (k *kept) await(ctx context.Context, birth string, revision int64) *catalog.View {
	ctx, cancel := context.WithTimeout(ctx, catchUp)
	defer cancel()
	again := time.NewTicker(nudge)
	defer again.Stop()
	for {
		watches, logs, news := k.coming()
		if v := k.at(birth, revision); v != nil || watches == 0 {
			return v
		}
		for _, l := range logs {
			l.progress(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-news:
		case <-again.C:
		}
	}
}

// present is the view with everything that was written before the call.
func (g *registry) present(ctx context.Context) (*catalog.View, error) {
	recs, revision, err := g.rec.read(ctx, birthKey)
	if err != nil {
		return nil, err
	}
	birth := ""
	if r := find(recs, birthKey); r != nil {
		birth = string(r.value)
	}
	if v := g.kept.await(ctx, birth, revision); v != nil {
		return v, nil
	}
	select {
	case g.kept.whole <- struct{}{}:
		defer func() { <-g.kept.whole }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if v := g.kept.at(birth, revision); v != nil { // somebody else has just read it
		return v, nil
	}
	b, err := g.readView(ctx)
	if err != nil {
		return nil, err
	}
	v := b.view()
	g.kept.note(v, b.revision)
	return v, nil
}
