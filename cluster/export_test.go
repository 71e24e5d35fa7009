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

// Small has a call's launches cut into pieces of about n bytes; as usual if n is 0.
func (b *Beside) Small(n int64) *Beside {
	if n > 0 {
		b.portion = portion{piece: n, turn: n, rows: n}
	}
	return b
}
