package run

import (
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/data"
)

// Inputs are the arguments of a run.
type Inputs struct {
	Sizes  map[string]int64 // every declared size
	Params []Param
	Alike  *Alike // nil where nobody knows of others
}

// Alike is of inputs that have the same sizes, for what runs of them have in common. The zero one is ready, and safe for
// concurrent use.
type Alike struct{ last atomic.Pointer[frame] }

// Param is an argument: one binding per leaf of its type (see graph.Leaves).
type Param struct {
	Name   string // for messages
	Leaves []Binding
}

// Binding is where one leaf of an argument comes from: a scalar, or a column
// of a source.
type Binding struct {
	Bits uint64 // a scalar in the bit form of package num; used if Source is nil

	Source data.Source
	Column int
	// Option: the column may have nulls. The leaf that tells presence has
	// the same Source and Column as its value, and Presence.
	Option, Presence bool
	Blanks           data.Blanks // what missing values are where they are text and no Option is asked for
}

// Scalar binds a lone scalar.
func Scalar(bits uint64) Binding { return Binding{Bits: bits} }

// Column binds a column without nulls.
func Column(src data.Source, column int) Binding { return Binding{Source: src, Column: column} }
