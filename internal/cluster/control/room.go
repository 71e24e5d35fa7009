package control

import (
	"context"
	"fmt"
)

// In: how large the records are. Out: whether data sets may be added.

// FullError says that there is no room for more data sets in the control's records.
type FullError struct{ Bytes, Quota int64 }

func (e *FullError) Error() string {
	return fmt.Sprintf("the control's records take %d bytes of %d, and data sets are added only up to half of that, so that there is room for nodes to join, keys to be revoked and sets to be removed: drop data sets, or load with fewer shards and columns; what was dropped is free within a minute", e.Bytes, e.Quota)
}

// room is an error if no data set may be added.
func (g *registry) room(ctx context.Context) error {
	used, quota, err := g.rec.size(ctx)
	if err == nil && quota > 0 && used > quota/2 {
		return &FullError{used, quota}
	}
	return err
}

// roomFor is room for what is held of a set. What the catalogue has already may be copied.
func (g *registry) roomFor(ctx context.Context, set uint32) error {
	full := g.room(ctx)
	if full == nil {
		return nil
	}
	recs, _, err := g.rec.read(ctx, numbered(setPrefix, set))
	if err != nil || len(recs) > 0 {
		return err
	}
	return full
}
