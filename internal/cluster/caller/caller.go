// Package caller is the caller's side of requests: where they go, when they
// are tried again, and that each result is delivered once. Like package node it
// does no I/O and owns no clock: inputs to Step, effects back.
//
// Kernels are pure, so a request may run twice, but for calls of packages; what must
// not happen twice is delivery. A request that gets no answer until its deadline is reported lost.
package caller

import (
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// ID names an operation; the user of Core chooses it, once each, below 2⁶³.
type ID uint64

// Input is *Ask, *Walk, *Fan, *Call, *Abandon, *Received, *Gone, *Learned or *Tick.
type Input interface{ input() }

// Code is a kernel or a package that a request needs. ID may be that of a preinstalled
// function, then Bytes is empty.
type Code struct {
	ID    kernel.ID
	Bytes []byte
}

// Ask is one request with one answer.
type Ask struct {
	ID    ID
	Kind  parcel.Kind
	Flags parcel.Flags
	Code  Code
	// More are further kernels that the payload refers to (parcel.Partial), to
	// be given to nodes that ask for them.
	More    []Code
	Payload []byte
	// Room, if it is long enough, is memory for the parcel when it is sent for the first time. Whoever
	// asks may use it again when there is an answer and nothing was sent again (Stats.Retries): what was
	// handled lies in no queue any more.
	Room []byte
	// To is who gets it, or 0: the owner of shard Shard of set Set; then another
	// replica is tried when one is lost or lacks the shard.
	To    catalog.Peer
	Set   uint32
	Shard int
	Left  int64 // microseconds until the deadline
}

// Walk advances states until all are done.
type Walk struct {
	ID    ID
	Flags parcel.Flags
	Code  Code
	Batch *parcel.Batch // column 0: want, column 1: id, which must be in Keep
	Left  int64
}

// Abandon ends an operation: nodes are told, and nothing is delivered.
type Abandon struct{ ID ID }

// Received is a parcel from a peer.
type Received struct {
	From  catalog.Peer
	Bytes []byte
	Loan  *loan.Loan // what Bytes lie in if that is lent, which goes on with the answer; else nil
}

// Gone says that a peer cannot be reached now.
type Gone struct{ Peer catalog.Peer }

// Learned brings a new view of the cluster.
type Learned struct{ View *catalog.View }

// Tick lets time pass.
type Tick struct{}

func (*Ask) input()      {}
func (*Walk) input()     {}
func (*Abandon) input()  {}
func (*Received) input() {}
func (*Gone) input()     {}
func (*Learned) input()  {}
func (*Tick) input()     {}

// Effect is *Send or *Deliver.
type Effect interface{ effect() }

// Send delivers a parcel, or drops it.
type Send struct {
	To    catalog.Peer
	Bytes []byte
}

// Deliver ends an operation, once: with an answer, or with an error (a *Error).
// A Walk's answer has all states in order of their ids.
type Deliver struct {
	ID     ID
	Answer *parcel.Answer
	Err    error
	Stats  Stats
}

func (*Send) effect()    {}
func (*Deliver) effect() {}

// Stats is what an operation took.
type Stats struct {
	Parcels   int64 // sent by the caller
	Bytes     int64 // of them
	CodeBytes int64 // of kernels in them
	Answers   int64 // parcels received
	Received  int64 // bytes of them
	Retries   int64
	Hops      int64          // greatest number of forwards of any answer
	Nodes     []catalog.Peer // that answered, or had a part of a fan, ascending
	From      catalog.Peer   // of a Call: whose answer is delivered
	Replaced  []Replacement  // each once
}

// Error is why an operation failed.
type Error struct {
	Reason parcel.Reason
	Node   catalog.Peer // 0 if it is not one node's
	Name   string       // of the node
	Set    string       // name of the data set, if it is about one
	ID     uint32       // its number; 0 if the view had none such
	Texts  string       // name of the data set whose texts that one has, "" if it is a set of rows
	Shard  int          // -1 for none
	Gone   bool         // the data set was removed or replaced meanwhile: another try finds what has its name now
	Detail string
}
