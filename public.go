package godwit

import (
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/packages/trust"
	"github.com/godwit-run/godwit/internal/plan/watch"
)

// All other packages are internal. What of their types a caller takes, gives or implements
// has its name here.

type (
	// Source is a table of a caller's own, which is an argument like a file. It can be read by
	// chunks, on several threads at a time. Fill is asked for values of the kind that Columns says, and for nulls where that says
	// that there may be some; what it leaves out is zero. To convert them, and to look at indices, is not its business.
	// A Fill that waits should end with its context: the call waits for it.
	Source = data.Source
	// Column describes a column of a Source.
	Column = data.Column
	// Chunk is a range of rows that are read together.
	Chunk = data.Chunk
	// Want is a column that a chunk is read for.
	Want = data.Want
	// Dest is where the values of a column go.
	Dest = data.Dest
	// Raw is a column that lies somewhere as it is computed with.
	Raw = data.Raw
	// Pred is a comparison that may make reading a chunk needless.
	Pred = data.Pred
	// Kind is a scalar type.
	Kind = num.Kind
)

// The scalar types.
const (
	Bool = num.Bool
	I8   = num.I8
	I16  = num.I16
	I32  = num.I32
	I64  = num.I64
	U8   = num.U8
	U16  = num.U16
	U32  = num.U32
	U64  = num.U64
	F32  = num.F32
	F64  = num.F64
)

// What calls and clusters tell.
type (
	// Value is a result as columns of bytes, with its type.
	Value = value.Value
	// Message is an error with its place in the source and a help.
	Message = diag.Message
	// DataError names the row and the column that cannot be what the program expects.
	DataError = data.Error
	// ChangedError says that a file was written to while it was in use.
	ChangedError = data.ChangedError
	// DamageError says that a file is not what it was when its checksums were made.
	DamageError = data.DamageError
	// View is the nodes and data sets of a cluster as last heard of.
	View = catalog.View
	// NodeStatus is what one node says of itself.
	NodeStatus = cluster.NodeStatus
	// MemberState is what one member of the catalogue says.
	MemberState = control.MemberState
	// Accusation says that a node, a link or a model is to blame for work that takes longer than expected.
	Accusation = watch.Accusation
	// TrustList is what an operator trusts and has revoked.
	TrustList = trust.List
)
