// Package parcel is the byte format of everything that travels between nodes
// and clients. docs/parcels.md documents it; the tests hold the two together.
//
// A parcel is a header of 28 bytes, then the kernel's canonical bytes or the package if
// the flag Carries is set (with their length), then the payload, which extends
// to the parcel's end. Reading trusts nothing: lengths are compared with what
// is there before anything is allocated, and what follows the last field is
// an error.
package parcel

import (
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// HeaderSize is the length of the header.
const HeaderSize = 28

// Version is the version of the format, in the high half of the first byte.
const Version = 1

// MaxBytes is the greatest length of a parcel.
const MaxBytes = 64 << 20

// Kind tells parcels apart.
type Kind uint8

const (
	BadKind  Kind = iota
	Run           // Task: outer indices of a kernel beside a shard
	Walk          // Batch: states of a suspended loop
	Fan           // Tree: a task for many shards, spread over their owners
	Read          // Gather: rows of a column
	Put           // Part of a shard's file
	Seal          // the shard's file is complete: check and open it
	Drop          // forget a shard
	Status        // Inquiry: what a node holds and has done; the answer is JSON
	Result        // Answer
	Fail          // Failure
	NeedCode      // the receiver of a parcel lacks its kernel or package; asks the sender
	Code          // the kernel or package (Carries), or that the sender lacks it too
	Cancel        // the caller does not want the request's result any more
	Send          // Call: run a package's main function
	Copy          // Part: bytes of a shard's file, for a node that makes a lost replica again
	kinds
)

// Flags modify a parcel.
type Flags uint8

const (
	Carries Flags = 1 << iota // the kernel's or package's bytes follow the header
	Builtin                   // run the function preinstalled under this code instead of a kernel; for measurements
	Last                      // of a Result or Fail: nothing follows for this request
)

// Prefix is the first eight bytes of the hash of a kernel or a package, which
// name it in parcels. A package's hash here is that of all its bytes, with the
// signature: two signatures of one content are two packages. A node never holds
// two codes with the same prefix: it refuses the second.
type Prefix uint64

// PrefixOf shortens a hash.
func PrefixOf(id kernel.ID) Prefix {
	var p Prefix
	for i := range 8 {
		p |= Prefix(id[i]) << (8 * i)
	}
	return p
}

// Header is what every parcel begins with. Layout, little-endian:
//
//	0   version and kind (four bits each)
//	1   flags
//	2   hops left (2)
//	4   time left until the deadline in microseconds (4)
//	8   request (8)
//	16  caller (4)
//	20  code (8)
//
// Caller and Request together name the request in the cluster, and are its
// trace id.
type Header struct {
	Kind    Kind
	Flags   Flags
	Hops    uint16       // forwards still allowed
	Left    uint32       // microseconds until the deadline, counted anew by each receiver
	Request uint64       // unique per caller
	Caller  catalog.Peer // who gets the answer
	Code    Prefix       // 0 for none
}

// Parcel is a whole parcel. Code and Payload may alias the bytes it was read
// from.
type Parcel struct {
	Header
	Code    []byte // the kernel's canonical bytes, or the package, if Carries
	Payload []byte
}

// Task runs outer indices Lo..Hi of a kernel whose columns the receiver holds.
type Task struct {
	Set      uint32 // data set of the Stored operands
	Sizes    []int64
	Scalars  []uint64
	Lo, Hi   int64
	Operands []Operand // one per region of the kernel
	// Partial, if its Code is not 0, combines the rows that the task writes:
	// see schedule.Partial. Its kernel's regions are the task's Out operands in
	// order, as Read, and then once more as Write; the answer has its rows
	// instead of the task's.
	Partial Partial
	// Keep, if set, has the answer hold only what the task keeps: see schedule.Packed. It
	// excludes Partial.
	Keep *Keep
}

// Keep says that entry o of the operand Counts, an Out of i64, is how many elements outer index o
// has written to the beginning of its part of each other Out operand. The answer has only these,
// one after the other, and in place of the counts their sum. It ends before the outer index
// with which it would have more than Most bytes of elements, but has at least one. The extent of
// the counts says which outer indices those are, and the other extents where they begin to write.
//
// If First is not 0, no more elements than that are needed, the first ones. Then the answer has no more, and the
// extent ends where it has them: what later slots of the last outer index keep is left out.
type Keep struct {
	Counts      int
	Most, First int64
}

// Partial is a second kernel that combines aligned blocks of rows. Lo..Hi of
// its outer loop are those of the task divided by Block, rounded up. A task that does not begin with a block has
// one of its own, alone: its rows count from 0, and Sizes are for them.
type Partial struct {
	Code   Prefix
	Kernel []byte // its bytes; empty when the sender believes they are known
	Sizes  []int64
	Block  int64 // leaves in a block, a power of two
}

// How says where an operand comes from.
type How uint8

const (
	Absent How = iota // a Scratch region
	Stored            // column Column of the set: elements that the shards here hold
	Inline            // Bytes, from element First
	Out               // written; elements First..First+Count are returned
	InOut             // Bytes, from element First; returned afterwards
	hows
)

// Operand is a region of a task.
type Operand struct {
	How      How
	Column   int    // Stored
	Option   bool   // Stored: nulls are allowed, and zero
	Presence bool   // Stored: not the values but whether they are there, as Bool
	Blanks   byte   // Stored, of text without Option: what missing values are, as data.Blanks
	Bound    int64  // Stored: if > 0, elements must be in 0..Bound
	First    int64  // Inline, Out, InOut
	Count    int64  // Out
	Bytes    []byte // Inline, InOut
}

// Batch is a set of states of a suspended loop; see package suspend, which
// makes the kernel and defines the layout of its regions. Columns 0 and 1 are
// of kind I64, and column 1, the ids, is always in Keep.
type Batch struct {
	Set     uint32
	Sizes   []int64  // the program's sizes; the receiver adds those of the batch
	Scalars []uint64 // likewise
	Columns []Far    // columns of the set that the kernel's windows look at
	Near    [][]byte // whole regions that travel along; usually none
	States  int      // number of states
	Kinds   []byte   // num.Kind of each state column
	Values  [][]byte // the state columns: States × size of the kind each
	Keep    uint64   // bit i: column i belongs to the answer
	// Faults are those of the states so far, and maybe of others of the walk; as
	// in Answer. They travel with the states, so that whoever has a state's result
	// knows its faults. Lists of several batches are shared, not edited.
	Faults []Fault
}

// Far is a column that the loop follows; Bound as in Operand.
type Far struct {
	Column int
	Bound  int64
}

// Tree is a task for the shards of many nodes. The receiver runs the pieces
// that are its own, passes the others on in at most two halves, each to the
// owner of its first piece, and answers with all rows in canonical order. Where
// an owner is gone, another that holds the piece's shard stands in.
type Tree struct {
	// Task has no Lo and Hi, nor First and Count of Out operands: each piece
	// has its own.
	Task   Task
	Pieces []Piece
	// For is the client that the work counts to, if it is not the caller: a node
	// passes pieces on in its own name. 0 from clients.
	For catalog.Peer
}

// Piece is a contiguous part of a tree's outer indices. Pieces ascend and do
// not overlap; there may be gaps between them.
type Piece struct {
	Owner  catalog.Peer
	Shard  uint32 // of the task's set, which has the piece's rows
	Lo, Hi int64
	Outs   []Extent // of each Out operand, in order
}

// Extent is a run of elements.
type Extent struct{ First, Count int64 }

// Gather reads elements of a column in its stored kind.
type Gather struct {
	Set    uint32
	Column int
	Null   bool    // also whether each row is present: one byte a row follows the values
	Lo, Hi int64   // a range of rows, if Rows is empty
	Rows   []int64 // else these rows
	// Where asks for none of them, but for where the file is open of the shard with row Lo: see Located. Null says nothing then.
	Where bool
}

// Blob is part of a shard's file, or (Seal, Drop) the whole of it.
type Blob struct {
	Set    uint32
	Shard  uint32
	Lo, Hi int64 // rows of the shard
	Total  int64 // bytes of the file
	Offset int64 // of Bytes
	Sum    [32]byte
	Bytes  []byte
}

// Part asks for bytes of a shard's file, which come back in the only column of the
// answer. Another file of the shard than the one with this sum is none.
type Part struct {
	Set    uint32
	Shard  uint32
	Offset int64
	Count  int64 // at most MaxPart
	Sum    [32]byte
}

// Answer is a result, or part of one.
type Answer struct {
	// States is, of a Walk, how many are done. What tells the parts of a Walk's
	// answer apart are the ids in them.
	States  int
	Columns [][]byte // the columns kept, or the Out and InOut operands in order
	// Of a Send: the reply in the only column. Without Last, and with the share in
	// Steps, it is the end of a run that gave no reply.
	//
	// Extents are, of Run and Fan, which elements each column is, one each; else
	// none. Of a Fan whose rows do not follow each other there are several groups
	// of columns, each with all Out operands; the groups ascend.
	Extents []Extent
	Faults  []Fault // least places, by ascending site; only sites that faulted
	Hops    uint32  // forwards that led here
	Steps   uint64  // work done, in kernel steps or, of a Walk, turns; of a Send that ended without a reply, its share
	Micros  Timing

	// Loan, if it is not nil, is memory that the columns lie in. Who has the only use of them gives it back afterwards.
	Loan *loan.Loan
	// Lent is what columns lie in of an answer that has not become a parcel yet.
	Lent []*loan.Loan
	laid *laid // see Lay
}

// Timing is where a node spent its time, in microseconds. To verify a package is
// to check its signature, to start its worker and to link it there.
type Timing struct{ Queue, Verify, Compile, Run uint32 }

// Fault is the least place of a kernel's fault site, -1 for a fault without
// a place.
type Fault struct {
	Site  uint32
	Place int64
}

// Reason is why a request failed.
type Reason uint8

const (
	BadReason   Reason = iota
	Busy               // the receiver is at a limit; Retry says when to come back
	Refused            // the parcel or its kernel is not acceptable; Detail says why
	NoCode             // the kernel or package was lost on the way: send it along
	NoShard            // the receiver does not hold what the parcel needs
	Unreachable        // no live replica of Shard could be reached
	Expired            // the deadline passed
	HopsSpent          // the hop budget is spent
	Cancelled          // by the caller
	DataError          // the stored data are not what the program needs
	Internal           // a bug
	Crashed            // a package ended in an error of its own, or was stopped
	reasons
)

// Failure is the answer to a request, or to some of its states, that did not
// succeed.
type Failure struct {
	Reason Reason
	Detail string
	Node   catalog.Peer // where it happened
	Set    uint32
	Shard  int32  // -1 for none
	Retry  uint32 // Busy: microseconds
	// States, if not nil, are those of a Walk that are given back; the caller may send them
	// on. Otherwise the whole request failed.
	States *Batch
}
