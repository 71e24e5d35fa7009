package daemon

import (
	"context"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// writeBack bounds one try to put a revocation back into the cluster's record.
const writeBack = 5 * time.Second

// remember keeps what a view has revoked, and gives the view with all that was ever
// revoked: a record that somebody wrote anew, or an older copy of it, takes nothing back.
func (d *Daemon) remember(v *catalog.View) *catalog.View {
	g := d.cfg.Ledger
	if g == nil {
		return v
	}
	if _, err := g.Merge(v.Trust); err != nil {
		d.log.Error("the ledger of revocations", "error", err)
	}
	lost := g.Lacks(v.Trust)
	if lost.Empty() {
		return v
	}
	d.log.Error("what was revoked is not in the cluster's record any more, so somebody wrote an older one; it stays revoked here, and is written back", "keys", len(lost.Revoked), "packages", len(lost.Packages), "certificates", len(lost.Serials))
	if d.writes.CompareAndSwap(false, true) {
		d.work.Go(d.restore)
	}
	known := *v
	known.Trust, _ = v.Trust.Merge(g.List()) // also one that is too long to be written
	return &known
}

// restore writes what was revoked back into the cluster's record, until it is there.
func (d *Daemon) restore() {
	defer d.writes.Store(false)
	for pause := tick; d.ctx.Err() == nil; pause = min(2*pause, rejoinMost) {
		ctx, cancel := context.WithTimeout(d.ctx, writeBack)
		_, err := d.cfg.Control.Trust(ctx, func(l trust.List) (trust.List, error) { return l.Merge(d.cfg.Ledger.List()) })
		cancel()
		if err == nil {
			return
		}
		d.log.Warn("what was revoked cannot be written back; it is tried again", "reason", err)
		select {
		case <-d.ctx.Done():
		case <-time.After(pause):
		}
	}
}
