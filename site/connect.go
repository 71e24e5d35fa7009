package site

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"

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
	// Children make payloads of packages' arguments; see cluster.SendOptions.
	Children Children
	// Unconfined runs them without a seccomp filter, where there is none.
	Unconfined bool
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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctl, err := control.Dial(s.Endpoints, refusing(id.Client(""), len(s.Endpoints), cancel), s.options())
	if err != nil {
		return nil, err
	}
	c, err := cluster.Connect(ctx, cluster.Config{
		Control:  ctl,
		Self:     newClient(),
		OnDemand: opt.OnDemand,
		Payload:  opt.Children.payload(opt.Unconfined),
		Dial: func(self catalog.Peer, names func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return stream.New(stream.Options{Self: self, Identity: id, NameOf: names, Eager: true}, h)
		},
	})
	if err != nil {
		if r := (*refusal)(nil); errors.As(context.Cause(ctx), &r) {
			return nil, fmt.Errorf("what answers at %s is not the control of the cluster in %s: %w", strings.Join(s.Endpoints, ", "), dir, r.why)
		}
		return nil, err // cluster.Connect has closed ctl
	}
	return c, nil
}

// refusal is why the control was not believed.
type refusal struct{ why error }

func (r *refusal) Error() string { return r.why.Error() }

// refusing gives up once as many servers were refused as there are endpoints,
// and none was accepted: the client of etcd itself would try again until its
// deadline, and forget why.
func refusing(c *tls.Config, endpoints int, giveUp context.CancelCauseFunc) *tls.Config {
	var refused atomic.Int64
	verify := c.VerifyConnection
	c.VerifyConnection = func(s tls.ConnectionState) error {
		err := verify(s)
		if err == nil {
			refused.Store(math.MinInt64) // never again
		} else if refused.Add(1) == int64(endpoints) {
			giveUp(&refusal{err})
		}
		return err
	}
	return c
}

// newClient draws a client's number.
func newClient() catalog.Peer {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return catalog.Peer(binary.LittleEndian.Uint32(b[:])) | catalog.FirstClient
}
