// Package node is what a node decides: which parcels it admits, what runs, what
// is passed on, what is answered. It does no I/O and owns no clock. The caller
// feeds inputs to Step and carries out the effects that come back; so
// production and simulation run the same code.
package node

import (
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// Limits is what a node gives. All must be positive, are stated by Status and
// enforced: RegionBytes by whoever runs the work, the others by Core.
type Limits struct {
	Parcels     int   `json:"parcels"`      // requests in flight at once
	Bytes       int64 `json:"bytes"`        // of parcels in flight
	Steps       int64 `json:"steps"`        // kernel steps of one parcel, over all its runs here
	Turns       int64 `json:"turns"`        // turns of each state of a batch in one run
	Codes       int   `json:"codes"`        // kernels and packages known at once, at least 2; the least recently used goes
	CodeBytes   int64 `json:"code_bytes"`   // of them
	Jobs        int   `json:"jobs"`         // running at once of each kind: long work, small work, kernels that are compiled
	Spare       int   `json:"spare_jobs"`   // more of each kind, for clients of which none runs
	Calls       int   `json:"calls"`        // packages running at once
	Retry       int64 `json:"retry"`        // microseconds a busy node asks for
	RegionBytes int64 `json:"region_bytes"` // of all regions of one task

	// Quotas are what one client has at most, and half of what all clients with one
	// certificate have. 0 means no quota.
	ClientParcels int   `json:"client_parcels"` // in flight
	ClientBytes   int64 `json:"client_bytes"`   // of them
	ClientKernels int   `json:"client_kernels"` // and packages that it brought and nobody else uses
}

// JobID names a job.
type JobID uint64

// Input is something that happened: *Received, Finished, *Gone, *Learned,
// *Lacks, *Holds, *Remember, *Withdraw or *Tick.
type Input interface{ input() }

// Received is a parcel from a peer. The bytes belong to Core from now on: the
// states of a Walk are edited in them and passed on in them. A network inside
// of one process therefore gives each receiver a copy of its own.
type Received struct {
	From  catalog.Peer
	Bytes []byte
	// Owners names the certificate of a client that is connected, "" of others. It is
	// asked for nobody but the one that the parcel counts to. Without it every client
	// has a certificate of its own.
	Owners func(catalog.Peer) string
}

// Finished is the end of a job: *Failed, or by its work *Compiled, *Answered,
// *Advanced or *Called.
type Finished interface {
	Input
	End() *Ended
}

// Ended is what the end of every job says.
type Ended struct {
	Job    JobID
	Timing parcel.Timing
	// Used is the microseconds that the job had processors, over all threads; Timing
	// says it if it is 0.
	Used int64
}

// End gives what all ends have in common.
func (e *Ended) End() *Ended { return e }
func (*Ended) input()        {}

// Failed is the end of a job that came to nothing.
type Failed struct {
	Ended
	Err error // a *WorkError names its reason; any other is Internal
}

// Compiled ends a Compile or an Install.
type Compiled struct {
	Ended
	// Bound bounds the steps of one outer index by the kernel's sizes; nil if there is
	// no bound, as for packages.
	Bound func(sizes []int64) int64
}

// Answered ends work that has an answer: all but Compile, Install, Advance and Native.
type Answered struct {
	Ended
	Answer *parcel.Answer
}

// Advanced ends an Advance, with the states as they are now (Want in column 0,
// edited in place) and the faults and steps of this run.
type Advanced struct {
	Ended
	Batch  *parcel.Batch
	Faults []parcel.Fault
	Steps  uint64
}

// Called ends a Native.
type Called struct {
	Ended
	Replied bool
	Reply   []byte
	Sends   []Outgoing
}

// WorkError is a failure of a job with its reason.
type WorkError struct {
	Reason parcel.Reason
	Detail string
	// Set and Shard are what the failure is about, if Set is not 0. With NoShard they
	// name a shard that this node does not hold, whatever views say.
	Set   uint32
	Shard int
}

func (e *WorkError) Error() string { return e.Detail }

// Gone says that a peer cannot be reached now: its connection broke.
type Gone struct{ Peer catalog.Peer }

// Learned brings a new view of the cluster.
type Learned struct{ View *catalog.View }

// Tick lets time pass.
type Tick struct{}

func (*Received) input() {}
func (*Gone) input()     {}
func (*Learned) input()  {}
func (*Tick) input()     {}

// Effect is something to do: *Send, *Start, *Stop, *Forget or *Alarm.
type Effect interface{ effect() }

// Send delivers a parcel, or drops it if the peer cannot be reached; the
// sender's Gone input tells.
type Send struct {
	To    catalog.Peer
	Bytes []byte
	Loan  *loan.Loan // what Bytes lie in if that is lent, to be given back when they are sent; else nil
}

// Start begins a job, whose end comes back as a Finished, exactly once.
type Start struct {
	Job  JobID
	Work Work
	// Left is the time until the job's deadline in microseconds.
	Left int64
	// Client is who the work is for, Owner whose client that is.
	Client catalog.Peer
	Owner  string
	// Small says that the work is over in a moment: it needs no turn.
	Small bool
}

// Stop asks a running job to end soon; its Finished still comes.
type Stop struct{ Job JobID }

func (*Send) effect()  {}
func (*Start) effect() {}
func (*Stop) effect()  {}

// Work is what a job does: *Compile, *Install, *Compute, *Advance, *Native,
// *Collect, *Keep, *Copy or *Report.
type Work interface{ work() }

// Compile verifies and compiles a kernel, and keeps it on disk. Only kernels that
// were compiled successfully appear in other work, until they are forgotten.
type Compile struct {
	ID    kernel.ID
	Bytes []byte
}

// Forget drops a kernel or a package from memory. It needs no Finished.
type Forget struct{ ID kernel.ID }

func (*Forget) effect() {}

// Compute runs a task over the shards of a set that this node holds. With
// Builtin, ID begins with the prefix of the preinstalled function, and is zero
// behind it.
type Compute struct {
	ID      kernel.ID
	Builtin bool
	Partial kernel.ID // zero for none
	Task    *parcel.Task
}

// Advance runs the states of a batch inside the window of one shard. The new
// states are written over the old ones, into the bytes of Batch.Values. Work
// that ends with NoShard or Busy has not changed any state.
type Advance struct {
	ID      kernel.ID
	Builtin bool
	Batch   *parcel.Batch
	Shard   int
	Turns   int64
}

// Collect reads rows that this node holds.
type Collect struct{ Gather *parcel.Gather }

// Keep stores part of a shard's file, completes it, or drops it.
type Keep struct {
	Kind parcel.Kind // Put, Seal or Drop
	Blob *parcel.Blob
}

// Copy gives bytes of a shard's file, in the only column of the answer.
type Copy struct{ Part *parcel.Part }

// Report gives the node's status as JSON, in the only column of the answer, after what
// was asked for has begun.
type Report struct{ Inquiry *parcel.Inquiry }

func (*Compile) work() {}
func (*Compute) work() {}
func (*Advance) work() {}
func (*Collect) work() {}
func (*Keep) work()    {}
func (*Copy) work()    {}
func (*Report) work()  {}
