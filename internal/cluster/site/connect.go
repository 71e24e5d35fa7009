package site

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/stream"
)

// Options are the choices of a client.
type Options struct {
	// Admin connects as an administrator, who may change whom the cluster trusts.
	Admin bool
	// OnDemand sends kernels only to nodes that ask for them; see
	// caller.Options.
	OnDemand bool
	// Children make payloads of packages' arguments; see cluster.SendOptions.
	Children Children
	// Unconfined runs them without a seccomp filter, where there is none.
	Unconfined bool
	// Through, if set, is put between the client and its transport: benchmarks look at parcels.
	Through func(transport.Handler, func(transport.Handler) (transport.Transport, error)) (transport.Transport, error)
}

// Connect joins the cluster of a directory as a client.
func Connect(ctx context.Context, dir string, opt Options) (*cluster.Cluster, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	id, err := s.identity(opt.Admin)
	if err != nil {
		return nil, err
	}
	ctl, err := s.dial(id)
	if err != nil {
		return nil, err
	}
	c, err := cluster.Connect(ctx, cluster.Config{
		Control:  ctl,
		Self:     newClient(),
		OnDemand: opt.OnDemand,
		Explain:  s.unreached,
		Payload:  opt.Children.payload(opt.Unconfined),
		Dial: func(self catalog.Peer, names func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			dial := func(h transport.Handler) (transport.Transport, error) {
				return stream.New(stream.Options{Self: self, Identity: id, NameOf: names, Eager: true, Rings: true}, h)
			}
			if opt.Through != nil {
				return opt.Through(h, dial)
			}
			return dial(h)
		},
	})
	if errors.Is(err, identity.ErrOtherCluster) {
		return nil, fmt.Errorf("what answers at the addresses of the nodes is not the cluster in %s: %w", dir, err)
	}
	if err != nil {
		return nil, err // cluster.Connect has closed ctl
	}
	ctl.KeepIdentity(ctx)
	return c, nil
}

// identity reads the identity of a client or an administrator.
func (s *Site) identity(admin bool) (*identity.Identity, error) {
	name := ClientDir
	if admin {
		name = AdminDir
	}
	id, err := identity.Load(filepath.Join(s.Dir, name))
	if err != nil {
		return nil, err
	}
	return id, id.Current()
}

// newClient draws a client's number.
func newClient() catalog.Peer {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return catalog.Peer(binary.LittleEndian.Uint32(b[:])) | catalog.FirstClient
}
