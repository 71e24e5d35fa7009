package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/data"
	"github.com/godwit-run/godwit/node"
	"github.com/godwit-run/godwit/parcel"
)

// shard is a shard that this node holds.
type shard struct {
	set    *catalog.Set
	number int
	at     *catalog.Shard
	src    data.Source
}

// shard finds a shard by its number.
func (d *Daemon) shard(set uint32, i int) (shard, func(), error) {
	v := d.view.Load()
	if v == nil {
		return shard{}, nil, noShard("the node has not heard of the cluster yet")
	}
	s, ok := v.Set(set)
	if !ok || i < 0 || i >= len(s.Shards) {
		return shard{}, nil, noShard("there is no set %d with a shard %d", set, i)
	}
	file, ok := d.cfg.Store.Shard(set, uint32(i))
	if !ok {
		return shard{}, nil, noShard("shard %d of @%s is not on this node", i, s.Name)
	}
	release := func() {
		if err := file.Release(); err != nil {
			d.log.Warn("a shard was not closed", "shard", file.String(), "reason", err)
		}
	}
	return shard{s, i, &s.Shards[i], file.Source}, release, nil
}

// lag is how long a request waits for the node to hear of its data set: who
// asks may have heard of it first.
const lag = time.Second

// setOf is a data set as the node knows it.
func (d *Daemon) setOf(ctx context.Context, id uint32) (*catalog.Set, error) {
	until := time.Now().Add(lag)
	for {
		if v := d.view.Load(); v != nil {
			if s, ok := v.Set(id); ok {
				return s, nil
			}
		}
		if time.Now().After(until) {
			return nil, noShard("there is no set %d", id)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func noShard(text string, args ...any) error {
	return &node.WorkError{Reason: parcel.NoShard, Detail: fmt.Sprintf(text, args...)}
}

func refused(text string, args ...any) error {
	return &node.WorkError{Reason: parcel.Refused, Detail: fmt.Sprintf(text, args...)}
}
