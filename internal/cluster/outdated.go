package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// In: an operation that found a shard nowhere. Out: whether that is so, or its data set was replaced: nodes hear of that, and drop its shards, before a
// client does whose view is a moment behind. Invariant: nobody is told to load a set again that somebody has just replaced.

// checked is the error of an operation whose context is given.
func (c *Cluster) checked(ctx context.Context, err error) error {
	err = late(ctx, err)
	if e := (*caller.Error)(nil); errors.As(err, &e) && e.ID != 0 {
		return c.outdated(ctx, err, e.ID, e.Set)
	}
	return err
}

// outdated is an error about the set of a number, which the view has, or had.
func (c *Cluster) outdated(ctx context.Context, err error, id uint32, name string) error {
	e := (*caller.Error)(nil)
	if !errors.As(err, &e) || e.Reason != parcel.NoShard || e.Gone {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookedFor)
	defer cancel()
	v, failed := c.cfg.Control.View(ctx)
	if failed != nil {
		return err
	}
	c.learn(v)
	if _, there := c.View().Set(id); there {
		return err
	}
	return &caller.Error{Reason: e.Reason, Set: e.Set, Texts: e.Texts, Shard: -1, Gone: true, Detail: fmt.Sprintf("@%s was removed or replaced while it was read: run it again", name)}
}
