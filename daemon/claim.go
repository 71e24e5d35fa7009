package daemon

import (
	"context"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/engine"
	"github.com/godwit-run/godwit/node"
)

// In: jobs that the core has started. Out: each with its claim to processors, which its
// slices take turns by, and whose it is.

// claim gives work that runs kernels for long its claim; nil for other work, which takes
// few processors or few moments.
func (d *Daemon) claim(e *node.Start) *engine.Claim {
	if e.Small {
		return nil
	}
	switch e.Work.(type) {
	case *node.Compute, *node.Advance:
		return d.share.Join(e.Owner, uint32(e.Client))
	}
	return nil
}

type claimKey struct{}

func withClaim(ctx context.Context, c *engine.Claim) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, claimKey{}, c)
}

// claimOf is the claim of the job that a context is for, nil if it has none.
func claimOf(ctx context.Context) *engine.Claim {
	c, _ := ctx.Value(claimKey{}).(*engine.Claim)
	return c
}

// owning is a transport that knows the certificates behind connected peers.
type owning interface {
	// Owner is the role and the name in the peer's certificate, "" if it is not connected.
	Owner(catalog.Peer) string
}

// certificateOf is what the transport knows of certificates; nil if it knows none.
func (d *Daemon) certificateOf() func(catalog.Peer) string {
	if f := d.certificates.Load(); f != nil {
		return *f
	}
	return nil
}

// learnOwners takes the transport's knowledge of certificates in use.
func (d *Daemon) learnOwners() {
	if t, ok := d.net.(owning); ok {
		f := t.Owner
		d.certificates.Store(&f)
	}
}
