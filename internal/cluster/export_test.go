package cluster

import (
	"context"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
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

// Taken has f called after each piece.
func (b *Beside) Taken(f func()) { b.taken = f }

// Credit is how many bytes of answers may be on their way now.
func (c *Cluster) Credit() int64 {
	n := int64(0)
	for c.credit.TryAcquire(1 << 20) {
		n += 1 << 20
	}
	c.credit.Release(n)
	return n
}

// MostCredit is that when none are.
const MostCredit = creditBytes

// Self is the client's number.
func (c *Cluster) Self() catalog.Peer { return c.cfg.Self }
