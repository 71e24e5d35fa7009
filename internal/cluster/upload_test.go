package cluster_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// holding is a node that cannot tell the cluster what it holds before something has happened, so that
// nothing is sealed until then.
type holding struct {
	control.Membership
	until <-chan struct{}
}

func (h holding) Hold(ctx context.Context, held control.Held) error {
	select {
	case <-h.until:
		return h.Membership.Hold(ctx, held)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TestPartsGivenUp: a node forgets what has arrived of a shard, as it does when nothing came for a minute. It is sent all of it again.
func TestPartsGivenUp(t *testing.T) {
	for _, replicas := range []int{1, 2} {
		var stores []*store.Store
		l, err := site.LocalWith(t.Context(), 2, func(c *daemon.Config) { stores = append(stores, c.Store) })
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		forgotten := false
		forget := sync.OnceFunc(func() {
			for _, s := range stores {
				for set := range uint32(100) {
					if err := s.Drop(set, 0); err != nil {
						t.Error(err)
					}
				}
			}
			forgotten = true
		})
		x := array(num.I32, 3_000_000, nil, 1, 100)
		set, err := l.Client.Load(ctx, x, "v", cluster.LoadOptions{Shards: 1, Replicas: replicas, Deadline: patience / 4, Progress: func(done, total int64) {
			if done > 0 && done < total {
				forget()
			}
		}})
		if err != nil || !forgotten || set.ID >= 100 || set.Rows != 3_000_000 {
			t.Errorf("%d replicas, forgotten: %v: %+v (%v)", replicas, forgotten, set, err)
		}
		cancel()
		if err := errors.Join(l.Client.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	}
}

// While shards are sealed the next one travels: of three all arrive before the first is sealed.
func TestSealedMeanwhile(t *testing.T) {
	all := make(chan struct{})
	l, err := site.LocalWith(t.Context(), 3, func(c *daemon.Config) { c.Membership = holding{c.Membership, all} })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(l.Client.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	arrived := sync.OnceFunc(func() { close(all) })
	_, err = l.Client.Load(ctx, array(num.I32, 3000, nil, 1, 100), "v", cluster.LoadOptions{Shards: 3, Deadline: patience / 4, Progress: func(done, total int64) {
		if done == total {
			arrived()
		}
	}})
	if err != nil {
		t.Error(err)
	}
}
