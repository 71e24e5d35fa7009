package control

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/packages/trust"
)

// revocations follows the ledger that the node writes, in a process that only reads it.
type revocations struct {
	path   string
	log    *slog.Logger
	seen   fs.FileInfo // of the file that was read last
	ledger atomic.Pointer[trust.Ledger]
}

// follow reads the ledger, and again whenever it has changed, until ctx ends.
func (r *revocations) follow(ctx context.Context) error {
	if err := r.read(); err != nil {
		return err
	}
	go func() {
		for said := ""; ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(recheck):
			}
			if err := r.read(); err == nil {
				said = ""
			} else if said != err.Error() {
				said = err.Error()
				r.log.Warn("new revocations cannot be read; those that are known hold", "error", err)
			}
		}
	}()
	return nil
}

func (r *revocations) read() error {
	info, err := os.Stat(r.path)
	if err != nil && r.seen != nil {
		return err // a file that is gone takes nothing back
	}
	if err == nil && r.seen != nil && os.SameFile(info, r.seen) && info.ModTime().Equal(r.seen.ModTime()) {
		return nil
	}
	ledger, err := trust.OpenLedger(r.path)
	if err != nil {
		return err
	}
	r.ledger.Store(ledger)
	r.seen = info
	return nil
}

func (r *revocations) revoked(serial string) bool {
	ledger := r.ledger.Load()
	return ledger != nil && ledger.Revoked(serial)
}
