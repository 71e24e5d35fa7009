package godwit

import (
	"context"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// Packages of C functions, which run natively where they are sent. `godwit cc` makes
// them, or package cc; docs/packages.md describes them.
type (
	// SendOptions are the choices of one Send; the zero value grants no regions.
	SendOptions = cluster.SendOptions
	// Grant is a region of a node that a package may use.
	Grant = cluster.Grant
	// Reply is what came back of a package, and what that took.
	Reply = cluster.Reply
)

// Send runs a package, the bytes of a .gwp file, on a node: its name, its number, or
// "any". The package travels there if the node does not have it, and runs at most once.
// Nodes run it only if they were started with --native and the key that signed it is
// trusted; see Trust. The reply is the first that the package, or what it forwarded
// itself to or sent, gave. Without a deadline of the context or the options, it is
// waited for 30 s.
//
// Payloads that the package makes of arguments (SendOptions.Args) need
// ConnectOptions.Children, because they are made in a process of their own, too.
func (c *Cluster) Send(ctx context.Context, pkg []byte, to string, payload []byte, opt SendOptions) (*Reply, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	r, err := c.c.Send(ctx, pkg, to, payload, opt)
	if err != nil {
		return nil, clusterError(err)
	}
	return r, nil
}

// Trust changes whose packages the nodes may run, and gives the new list. edit gets the
// present one, which is empty at first, and may be called more than once. What is
// revoked stays so. It takes a connection with ConnectOptions.Admin.
func (c *Cluster) Trust(ctx context.Context, edit func(trust.List) (trust.List, error)) (trust.List, error) {
	if err := c.ready(); err != nil {
		return trust.List{}, err
	}
	l, err := c.c.Trust(ctx, edit)
	return l, clusterError(err)
}
