// Package transport carries parcels between peers: over gRPC with mTLS, and in
// memory with seeded faults for tests. It knows nothing of what is in them.
//
// Parcels may be lost when a connection breaks, and between two peers may
// overtake each other; they are never damaged, and a peer is who its
// certificate says.
package transport

import (
	"errors"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
)

// Handler gets what arrives. Calls come from several goroutines; those for one
// peer's connection come one after the other, and hold that connection's credits
// until they return.
type Handler interface {
	// Receive takes a parcel, whose bytes are the handler's from now on.
	Receive(from catalog.Peer, bytes []byte)
	// Gone says that the last connection with a peer ended, or that connecting
	// failed while parcels were queued, and why. What was queued is lost.
	Gone(peer catalog.Peer, err error)
}

// Borrower is a handler that gives back what long parcels lay in.
type Borrower interface {
	Handler
	// Borrow is Receive for a parcel that lies in memory which is lent: to give back when nobody looks at the bytes any more.
	Borrow(from catalog.Peer, bytes []byte, of *loan.Loan)
}

// Swift is a handler that may answer a small parcel at once.
type Swift interface {
	Handler
	// Swift answers a parcel to the peer that sent it: it appends the answer to room, which has SwiftBytes of room, and gives it; an
	// empty one is not sent. It reports false if it has done nothing, and the parcel is received like others. It neither waits nor
	// takes long, sends nothing, and keeps neither parcel nor room.
	Swift(from catalog.Peer, parcel, room []byte) (answer []byte, ok bool)
}

// SwiftBytes is how long a parcel and its answer are at most that is answered at once.
const SwiftBytes = 1 << 10

// Transport connects one peer with others.
type Transport interface {
	// Send queues a parcel and returns at once. It fails with ErrUnreachable
	// when there is no connection and no known address, or connecting failed a
	// moment ago, and with ErrFull when the peer has not granted enough credit
	// for what is queued already. The bytes must not change afterwards.
	Send(to catalog.Peer, bytes []byte) error
	// Know tells the addresses of peers that may be dialled. Peers that were known
	// and are absent now are not dialled any more; their connections end.
	Know(addresses map[catalog.Peer]string)
	// Close ends all connections, of which Gone does not tell, and waits until no
	// handler runs. A handler must not call it.
	Close() error
}

// Lender is a transport that gives back what it has sent.
type Lender interface {
	Transport
	// Lend is Send for bytes that lie in memory which is lent. If it does not fail, the memory is the transport's, which gives it
	// back when all is written; nobody else may look at the bytes any more.
	Lend(to catalog.Peer, bytes []byte, of *loan.Loan) error
}

// Neighbours is a transport that shares memory with peers of this machine, whose processes have the same user.
type Neighbours interface {
	// Near gives the number of a peer's process, as this process sees it, while they share memory.
	Near(peer catalog.Peer) (process int, ok bool)
}

// Lend sends bytes that lie in memory which is lent, if of is not nil; see Lender.
func Lend(t Transport, to catalog.Peer, bytes []byte, of *loan.Loan) error {
	if l, ok := t.(Lender); ok && of != nil {
		return l.Lend(to, bytes, of)
	}
	return t.Send(to, bytes)
}

// The errors of Send.
var (
	ErrUnreachable = errors.New("the peer cannot be reached")
	ErrFull        = errors.New("the peer takes no more parcels at present")
	ErrClosed      = errors.New("the transport is closed")
)
