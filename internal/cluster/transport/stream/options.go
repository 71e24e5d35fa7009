// Package stream carries parcels over gRPC: one bidirectional stream between
// two peers, over mutual TLS, with a codec that passes bytes as they are.
//
// A stream begins with a hello from each side, the dialler first: who it is,
// and how many parcels and bytes it takes before it has handled any. Handled
// ones are granted anew, in the heads of parcels that go the other way, or
// in a frame of their own when many have added up. frame.go has the layout.
//
// The common case has no hand-off between goroutines beyond those of gRPC: Send
// writes to the stream on the caller's goroutine, and Receive is called on
// the one that reads it. Send must not block, though gRPC does when a peer
// stops reading. So it writes only while the peer has still to acknowledge less
// than gRPC buffers; beyond that, parcels queue for a goroutine that
// lives as long as the queue is not empty.
package stream

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"time"

	"google.golang.org/grpc"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
)

// Options describes one peer of a cluster.
type Options struct {
	Self catalog.Peer
	// Identity is who the peer is: a node below catalog.FirstClient, a client or
	// node from there on.
	Identity *identity.Identity
	// Plain connects without TLS and without an Identity: nobody is checked. It
	// is for measurements and tests; both sides must agree.
	Plain bool
	// Listener accepts connections, and is closed with the transport. Clients
	// have none.
	Listener net.Listener
	// Eager connects with every known peer, without waiting for something to
	// send, and again when a connection is lost: for clients, whom nodes cannot
	// dial but must answer.
	Eager bool
	// NameOf gives the name that a node's certificate must have. Nodes that it
	// does not know may have any. It may be nil, and is called from several
	// goroutines.
	NameOf func(catalog.Peer) (name string, known bool)
	// Grant is what each connected peer may send ahead of what is handled; the
	// last parcel may exceed Bytes. It also bounds what is sent to a peer, which
	// may grant less. 0 means 1024 parcels and 32 MiB.
	Grant Grant
	// MaxParcel is the greatest length of a parcel, at least parcel.MaxBytes.
	// 0 means 64 MiB.
	MaxParcel int
	// PerOwner is how many connections may be open at once with certificates of one
	// owner. 0 means 512.
	PerOwner int
	// Clients is how many connections may be open at once with clients' certificates; see
	// gate.Limits. 0 means 2048.
	Clients int
	// Held is how many bytes connections with certificates of one owner may have this
	// side hold: of messages that are not finished or not handled, and of parcels that
	// wait to be sent. 0 means 512 MiB.
	Held int64
	// Strangers is how many connections may be open at once that have not shown a
	// certificate yet, PerAddress how many of them from one address; beyond that, the
	// oldest give way. 0 means 1024 and 256.
	Strangers, PerAddress int
	// Services registers other services, which are served on the same port. All who
	// have a certificate of the cluster can call them: they decide what a role may
	// do. Calls must end when their context does. It may be nil.
	Services func(*grpc.Server)
	// Rings has peers on this machine talk through memory: a node takes rings of those that
	// know it by Address, and every peer opens them to the nodes that it dials.
	// Streams stay beside them. Without TLS there are none.
	Rings bool
	// Fabric has this node talk with other nodes that name the same fabric over UCX, which
	// neither shows nor checks who sends, nor encrypts: they agree on it over their streams,
	// which stay beside it. nil for none; without TLS there is none.
	Fabric *ucx.Trusted
	// Address is by what others know this node; the Listener's if empty.
	Address string
	// Log gets connections that were refused; nil for none.
	Log *slog.Logger

	at func() // called at each step of opening a ring, and as ring.Options says; for tests
}

// Grant is an allowance to send.
type Grant struct {
	Parcels int
	Bytes   int64
}

// The grant and the size of parcels where Options leaves them open.
var defaultGrant = Grant{Parcels: 1024, Bytes: 32 << 20}

const (
	defaultMaxParcel  = 64 << 20
	defaultPerOwner   = 512
	defaultClients    = 2048
	defaultStrangers  = 1024
	defaultPerAddress = 256
	defaultHeld       = 512 << 20
	// maxStreams is how many calls a connection may have at once: one of parcels, and
	// a few of other services.
	maxStreams = 8
)

// Times of a connection.
const (
	// connectTime bounds dialling, TLS and hellos together.
	connectTime = 5 * time.Second
	// idleTime ends an accepted connection that has no call under way.
	idleTime = 2 * connectTime
	// lingerTime and lingerBytes bound what is read of a connection that was refused.
	lingerTime  = 250 * time.Millisecond
	lingerBytes = 64 << 10
	// beatTime is how often an accepting peer sends something.
	beatTime = time.Second
	// probeTime and probeWait: an accepting peer that reads nothing for the
	// first asks for a sign of life and waits the second.
	probeTime, probeWait = 2 * time.Second, 3 * time.Second
	// silentTime without a byte ends a dialled connection.
	silentTime = probeTime + probeWait
	// backoffLeast doubles with every failure to connect, up to backoffMost.
	backoffLeast, backoffMost = 50 * time.Millisecond, 2 * time.Second
)

// Sizes of a connection.
const (
	// buffered is how many bytes may be unacknowledged for Send to write by
	// itself. gRPC buffers 64 KiB per stream before it blocks; the
	// rest is for frame heads and frames without parcels.
	buffered = 32 << 10
	// slack is how much Send queues beyond what the peer has granted: also while
	// there is no connection yet.
	slackParcels, slackBytes = 256, 8 << 20
	// returnBytes of handled parcels are granted anew at the latest; of the
	// number of parcels it is a quarter of the grant.
	returnBytes = buffered / 2
	// window is HTTP/2's own flow control. What a slow handler leaves unread takes up
	// to this much memory per connection, so it may be less than the grant.
	window = 8 << 20
	// socketBuffer is gRPC's for reading and for writing, in bytes.
	socketBuffer = 64 << 10
)

func (o Options) checked() (Options, error) {
	if o.Grant == (Grant{}) {
		o.Grant = defaultGrant
	}
	if o.MaxParcel == 0 {
		o.MaxParcel = defaultMaxParcel
	}
	o.Clients = cmp.Or(o.Clients, defaultClients)
	o.PerOwner, o.Strangers = cmp.Or(o.PerOwner, defaultPerOwner), cmp.Or(o.Strangers, defaultStrangers)
	o.Held = cmp.Or(o.Held, defaultHeld)
	o.PerAddress = cmp.Or(o.PerAddress, defaultPerAddress)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case o.Self == 0:
		return o, errors.New("a peer's own number must not be 0: nodes count from 1, clients draw from catalog.FirstClient upwards")
	case o.Grant.Parcels < 1 || o.Grant.Parcels > math.MaxUint16 || o.Grant.Bytes < 1 || o.Grant.Bytes > math.MaxUint32-int64(o.MaxParcel):
		return o, fmt.Errorf("the grant is %d parcels and %d bytes: expected 1 to %d, and 1 to 4 GiB less one parcel", o.Grant.Parcels, o.Grant.Bytes, math.MaxUint16)
	case o.MaxParcel < 1 || o.MaxParcel > 1<<30:
		return o, fmt.Errorf("the greatest parcel is %d bytes: expected 1 to 1 GiB", o.MaxParcel)
	case min(o.PerOwner, o.Clients, o.Strangers, o.PerAddress) < 1:
		return o, fmt.Errorf("%d connections of an owner, %d of all clients, %d of strangers, %d of an address: expected 1 or more of each", o.PerOwner, o.Clients, o.Strangers, o.PerAddress)
	case o.Held < int64(o.MaxParcel):
		return o, fmt.Errorf("an owner may hold %d bytes: expected at least the %d of one parcel", o.Held, o.MaxParcel)
	case o.Fabric != nil && o.Self >= catalog.FirstClient:
		return o, fmt.Errorf("peer %d is a client, and fabrics are for nodes", o.Self)
	case o.Plain != (o.Identity == nil):
		return o, errors.New("expected either an identity or Plain")
	case !o.Plain && o.Self < catalog.FirstClient && o.Identity.Role != identity.Node:
		return o, fmt.Errorf("peer %d is a node, but the identity is that of %v", o.Self, o.Identity.Peer)
	}
	if o.Plain {
		return o, nil
	}
	return o, o.Identity.Current()
}

// step is called where a side could die while a ring is being opened.
func (o *Options) step() {
	if o.at != nil {
		o.at()
	}
}

// cluster is what both sides of a connection must agree on.
func (o *Options) cluster() string {
	if o.Plain {
		return ""
	}
	return o.Identity.Cluster
}
