package cluster

import (
	"context"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/parcel"
)

// Blob lets tests send what a client of its own making would.
func (c *Cluster) Blob(ctx context.Context, kind parcel.Kind, to catalog.Peer, b *parcel.Blob) error {
	return c.blob(ctx, kind, to, b)
}
