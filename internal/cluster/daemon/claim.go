package daemon

import (
	"context"
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/engine"
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

// administers refuses what only administrators and nodes may ask for. Somebody who is not
// connected any more has no certificate, and is refused too; where the transport knows no
// certificates, within one process, nobody is.
func (d *Daemon) administers(e *node.Start) error {
	if d.certificateOf() == nil || e.Client < catalog.FirstClient || strings.HasPrefix(e.Owner, identity.Admin.String()+"/") {
		return nil
	}
	d.log.Warn("a client was refused", "who", e.Owner, "asked", "scrub")
	return &node.WorkError{Reason: parcel.Refused, Detail: fmt.Sprintf("%s may not have node %s scrub its disk: an administrator's certificate is needed, as in the directory admin/ of the cluster", e.Owner, d.cfg.Name)}
}
