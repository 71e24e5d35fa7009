package site

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"path/filepath"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/cluster"
	"github.com/godwit-run/godwit/control"
	"github.com/godwit-run/godwit/identity"
	"github.com/godwit-run/godwit/transport"
	"github.com/godwit-run/godwit/transport/stream"
)

// Options are the choices of a client.
type Options struct {
	// OnDemand sends kernels only to nodes that ask for them; see
	// caller.Options.
	OnDemand bool
}

// Connect joins the cluster of a directory as a client.
func Connect(ctx context.Context, dir string, opt Options) (*cluster.Cluster, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	id, err := identity.Load(filepath.Join(dir, "client"))
	if err != nil {
		return nil, err
	}
	if err := id.Current(); err != nil {
		return nil, err
	}
	ctl, err := control.Dial(s.Endpoints, id.Client(""), s.options())
	if err != nil {
		return nil, err
	}
	c, err := cluster.Connect(ctx, cluster.Config{
		Control:  ctl,
		Self:     newClient(),
		OnDemand: opt.OnDemand,
		Dial: func(self catalog.Peer, names func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return stream.New(stream.Options{Self: self, Identity: id, NameOf: names, Eager: true}, h)
		},
	})
	if err != nil {
		return nil, errors.Join(err, ctl.Close())
	}
	return c, nil
}

// newClient draws a client's number.
func newClient() catalog.Peer {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return catalog.Peer(binary.LittleEndian.Uint32(b[:])) | catalog.FirstClient
}
