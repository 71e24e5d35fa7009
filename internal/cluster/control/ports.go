package control

import (
	"context"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// ports are where a member with TLS is reached.
type ports struct {
	client, peer *front
	dir          string // of the sockets, if it is a temporary one
	cancel       context.CancelFunc
}

// maxSocket is how long the path of a socket may be.
const maxSocket = 100

// ports puts a front before each of etcd's ports, which then is a socket; nil without TLS.
func (cfg *Config) ports(c *embed.Config) (_ *ports, err error) {
	if cfg.Identity == "" {
		return nil, nil
	}
	id, err := identity.Load(cfg.Identity)
	if err != nil {
		return nil, err
	}
	p := &ports{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	if cfg.Ledger != "" {
		known := &revocations{path: cfg.Ledger, log: cfg.Options.Log}
		if err := known.follow(ctx); err != nil {
			return nil, err
		}
		id.Revoked = known.revoked
	}
	go identity.Keep(ctx, id, nil, cfg.Options.Log) // the node renews it
	dir, err := p.sockets(cfg.Dir)
	if err != nil {
		return nil, err
	}
	if p.client, err = newFront(c.ListenClientUrls[0].Host, filepath.Join(dir, "client"), id, cfg.Options.Log); err != nil {
		return nil, err
	}
	if p.peer, err = newFront(c.ListenPeerUrls[0].Host, filepath.Join(dir, "peer"), id, cfg.Options.Log); err != nil {
		return nil, err
	}
	c.ListenClientUrls = []url.URL{{Scheme: "unix", Host: p.client.to}}
	c.ListenPeerUrls = []url.URL{{Scheme: "unix", Host: p.peer.to}}
	return p, nil
}

// sockets is the directory of the sockets: the member's own, which is for its owner only, or
// a temporary one if the path would be too long.
func (p *ports) sockets(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if len(dir) <= maxSocket {
		return dir, os.Chmod(dir, 0o700)
	}
	p.dir, err = os.MkdirTemp("", "godwit-control-")
	return p.dir, err
}

func (p *ports) close() {
	if p == nil {
		return
	}
	p.cancel()
	for _, f := range []*front{p.client, p.peer} {
		if f != nil {
			f.close()
		}
	}
	if p.dir != "" {
		_ = os.RemoveAll(p.dir) // sockets alone
	}
}
