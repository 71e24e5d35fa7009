package graph

import "github.com/godwit-run/godwit/diag"

// Site is a place in the source where a run can fault.
//
// A run collects the set of faults that happen; what it reports is the one
// whose site is first (sites are numbered by source position, then kind) and
// within a site the least index. The index is the slot of the outermost
// enclosing array operation (Map, Filter, Reduce, Fold, …; a Loop is none),
// or -1 outside of any. Reduce and KeyedReduce themselves fault at -1 or at
// the enclosing operation's slot.
// So the report does not depend on the order of evaluation.
type Site struct {
	Pos  diag.Span
	Kind FaultKind
	Text string // the operation in words: "i32 addition"
}

// FaultKind tells faults at one position apart.
type FaultKind uint8

const (
	Overflow FaultKind = iota
	DivideByZero
	BadShift
	BadConvert
	OutOfRange // Check, Clamp or Wrap with an empty range
	Empty      // min, max, argmin, argmax of nothing
)
