// Package control keeps what everyone in a cluster must agree on: which nodes
// are alive, which data sets there are, and who is trusted. It is kept in etcd, embedded or
// external, or in memory for simulations.
//
// A node is a member as long as its lease is renewed. The revision at which its
// record was made is its incarnation: every later write of the node is a
// transaction on the condition that this very record is still there. So a node that
// was taken for dead and comes back cannot write under its old life. There are no locks, and
// no bulk data: records are small JSON documents.
package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// ErrNoneRuns says that a request had no answer because nothing takes connections at the address of any node.
var ErrNoneRuns = errors.New("no node of the cluster runs")

// ErrUnwelcome says that nodes run and do not deal with this one: its certificate was revoked, has ended, or is of another cluster.
var ErrUnwelcome = errors.New("the cluster takes this certificate no more")

// Control is a connection with the cluster's records. It is safe for concurrent
// use. A call whose context has no deadline gets Options.Timeout.
type Control interface {
	// Watch delivers the newest view, first the present one, until ctx ends;
	// then the channel is closed. A slow reader skips views. Loss of leaders,
	// members and connections delays views but does not end the watch.
	Watch(ctx context.Context) (<-chan *catalog.View, error)
	// View reads the present view: it includes everything that was written
	// before the call, by anyone.
	View(ctx context.Context) (*catalog.View, error)
	// Join makes this process a member. A name keeps its number. The error is a
	// *TakenError if the name is in use.
	Join(ctx context.Context, m Member) (Membership, error)
	// Allocate gives the number of a new data set, from 1, never twice. It is reserved for
	// whom the call is made for: see For.
	Allocate(ctx context.Context) (uint32, error)
	// Commit makes a set visible, in one step. Its number comes from Allocate for the same
	// owner, its name must be free (*ExistsError), and each replica of each shard must be
	// held with the right sum by a node that is alive (*NotHeldError). To
	// commit the same set again does nothing.
	Commit(ctx context.Context, s *catalog.Set) error
	// Replace is Commit for a name that may be taken. It gives the set that had
	// the name before, nil if none had. A set with After replaces that one alone (*OvertakenError).
	Replace(ctx context.Context, s *catalog.Set) (*catalog.Set, error)
	// Remove makes a set invisible and gives what it was; a *MissingError if
	// there is none.
	Remove(ctx context.Context, name string) (*catalog.Set, error)
	// Trust changes who may have packages run, which views show: edit gets the present
	// list, may be called more than once, and gives the new one or an error, which
	// then is Trust's.
	Trust(ctx context.Context, edit func(trust.List) (trust.List, error)) (trust.List, error)
	// Drain marks a node as one to be drained, or takes the mark back; an *UnknownError if
	// no node ever had the name. The mark outlives the node's process.
	Drain(ctx context.Context, name string, on bool) error
	// Close ends the connection. Memberships are not left by it: their leases
	// run out.
	Close() error
}

// Membership is one life of a node.
type Membership interface {
	Peer() catalog.Peer
	Incarnation() int64
	// Hold publishes that this node holds a shard. The error is a *StaleError when this life
	// of the node is over.
	Hold(ctx context.Context, h Held) error
	// HoldAll publishes that these are all shards that this node holds. What was published
	// already is not written again.
	HoldAll(ctx context.Context, held []Held) error
	// Describe publishes what the node runs on, as machine.toml has it.
	Describe(ctx context.Context, machine string) error
	// Unhold takes it back.
	Unhold(ctx context.Context, set, shard uint32) error
	// Reserved is how the number of a set is reserved that is not visible yet, if it is.
	Reserved(ctx context.Context, set uint32) (r Reservation, ok bool, err error)
	// Refresh says that something was stored for a reserved set: its reservation gets a new
	// revision. Without a reservation nothing happens.
	Refresh(ctx context.Context, set uint32) error
	// Release ends a reservation, unless it has been refreshed since the given revision or is
	// gone; done says which. What was reserved cannot be committed then.
	Release(ctx context.Context, set uint32, revision int64) (done bool, err error)
	// Lost is closed when this life has ended other than by Leave.
	Lost() <-chan struct{}
	// Renewed is when the control last confirmed that this life goes on. Its distance from
	// now does not depend on the wall clock.
	Renewed() time.Time
	// Leave ends this life now.
	Leave(ctx context.Context) error
}

// Reservation is that of a set's number.
type Reservation struct {
	Owner    string // who may store and commit; "" is everybody
	Revision int64  // of the last refresh
}

// Member describes a node that joins.
type Member struct {
	Name    string
	Address string // host:port of its parcels
	Metrics string // host:port of its metrics; may be empty
	Arch    string // "amd64"
	Machine string // see Membership.Describe; may be empty
	Far     bool   // see catalog.Node
	// Secret is a random text that the node keeps in its data directory. Whoever
	// presents it may take over the name from a life that did not end
	// properly, without waiting for its lease. Only its hash is kept. May be empty.
	Secret string
	// Held are the shards that it has already: views never show it without them.
	Held []Held
}

// Held is a shard that a node holds: a file with this SHA-256, of so many rows and bytes.
// Without bytes, the node says nothing about rows and bytes.
type Held struct {
	Set, Shard  uint32
	Sum         [32]byte
	Rows, Bytes int64
}

// DefaultTTL is how long a node lives without a sign of life.
const DefaultTTL = 5 * time.Second

// Options are those of a connection.
type Options struct {
	TTL     time.Duration // of memberships; DefaultTTL if zero, whole seconds, at least 2
	Timeout time.Duration // of calls whose context has no deadline; 5 s if zero
	Log     *slog.Logger  `json:"-"` // warnings and errors; may be nil
	// Discover asks the members for each other's addresses, in addition to those given.
	Discover bool
	// Oversee looks after the members, so that Members knows since when one is down.
	Oversee bool
}

func (o Options) withDefaults() Options {
	if o.TTL <= 0 {
		o.TTL = DefaultTTL
	}
	o.TTL = max(2*time.Second, o.TTL.Round(time.Second))
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// TakenError says that a name belongs to a member that is alive.
type TakenError struct{ Name, Address string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("the name %q belongs to a node that is alive at %s: choose another name, or stop that node and wait until its lease has run out", e.Name, e.Address)
}

// StaleError says that a node's life is over: its lease ran out, or it was
// replaced. The node must join again.
type StaleError struct {
	Peer        catalog.Peer
	Incarnation int64
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("the life of node %d that began at revision %d is over: it must join again", e.Peer, e.Incarnation)
}

// ExistsError says that a data set's name is taken.
type ExistsError struct {
	Name string
	ID   uint32
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("there is a data set %q already (number %d): drop it with `godwit drop %s`, choose another name, or replace it", e.Name, e.ID, e.Name)
}

// MissingError says that there is no data set of a name.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return fmt.Sprintf("there is no data set %q", e.Name) }

// NotHeldError says which replica of a set is not there.
type NotHeldError struct {
	Name   string // of the set
	Shard  int
	Peer   catalog.Peer
	Reason string
}

func (e *NotHeldError) Error() string {
	return fmt.Sprintf("data set %q cannot be made visible: shard %d on node %d: %s", e.Name, e.Shard, e.Peer, e.Reason)
}

// OvertakenError says that rows were to be added to a data set that has become another one, or none.
type OvertakenError struct{ Name string }

func (e *OvertakenError) Error() string {
	return fmt.Sprintf("data set %q is no more what it was when rows were to be added to it: others added rows, replaced it or dropped it; nothing was added; add them again", e.Name)
}

// InvalidError says what is wrong with a record that was to be written.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }
