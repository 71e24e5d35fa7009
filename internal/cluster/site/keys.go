package site

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control/remote"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// keys are by what a node is known, and whom it does not know any more.
type keys struct {
	id        *identity.Identity
	ledger    *trust.Ledger       // of revocations; the member of etcd reads it, too
	authority *identity.Authority // nil where the cluster's is not
	node      atomic.Pointer[daemon.Daemon]
}

// ledger is where a node keeps what was revoked.
func (cfg *NodeConfig) ledger() string { return filepath.Join(cfg.Dir, "revoked") }

func (cfg *NodeConfig) keys() (*keys, error) {
	k := &keys{}
	var err error
	if k.id, err = identity.Load(cfg.Identity); err != nil {
		return nil, fmt.Errorf("%w; `godwit up` or `godwit cluster` makes the identity of a node", err)
	}
	if k.ledger, err = trust.OpenLedger(cfg.ledger()); err != nil {
		return nil, err
	}
	k.id.Revoked, k.id.Now = k.ledger.Revoked, cfg.Clock
	if cfg.Authority != "" {
		if k.authority, err = identity.Open(cfg.Authority); err != nil {
			return nil, err
		}
		k.authority.Revoked, k.authority.Now = k.ledger.Revoked, cfg.Clock
	}
	return k, k.id.Current()
}

// fresh is when etcd last confirmed that the node is a member. Before there is a node, there
// is nothing that could be old.
func (k *keys) fresh() time.Time {
	if d := k.node.Load(); d != nil {
		return d.Renewed()
	}
	return time.Now()
}

// renewer has certificates renewed here, or by the nodes that can.
func (k *keys) renewer(d *daemon.Daemon) identity.Renewer {
	return func(ctx context.Context, csr []byte) ([]byte, error) {
		var others []remote.Address
		for _, n := range d.View().Nodes { // this one, too
			others = append(others, remote.Address{Name: n.Name, Address: n.Address})
		}
		c, err := remote.Dial(remote.Options{Nodes: others, Identity: k.id})
		if err != nil {
			return nil, err
		}
		defer c.Close()
		return c.Renew(ctx, csr)
	}
}
