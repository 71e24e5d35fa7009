package cluster

import (
	"context"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// Elements reads single rows of a column, all of one shard, in their stored
// kind. then is called once, where the answer arrives, and must not block.
func (c *Cluster) Elements(ctx context.Context, set *catalog.Set, shard, column int, rows []int64, then func([]byte, error)) {
	g := &parcel.Gather{Set: set.ID, Column: column, Rows: rows}
	done := func(d *caller.Deliver) {
		switch {
		case d.Err != nil:
			then(nil, d.Err)
		case len(d.Answer.Columns) != 1:
			then(nil, errAnswer)
		default:
			then(d.Answer.Columns[0], nil)
		}
	}
	c.calls.Begin(done, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Read, Payload: g.Append(nil), Set: set.ID, Shard: shard, Left: c.left(ctx)}
	})
}

// Walk advances the states of a batch until all are done.
func (c *Cluster) Walk(ctx context.Context, flags parcel.Flags, code caller.Code, b *parcel.Batch) (*parcel.Answer, error) {
	d, err := c.do(ctx, func(id caller.ID) caller.Input {
		return &caller.Walk{ID: id, Flags: flags, Code: code, Batch: b, Left: c.left(ctx)}
	})
	if err != nil {
		return nil, err
	}
	return d.Answer, nil
}
