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
