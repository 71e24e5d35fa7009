package graph

import "github.com/godwit-run/godwit/internal/front/diag"

// Site is a place in the source where a run can fault.
//
// A run collects the set of faults that happen; what it reports is the first
// of them. Sites are numbered in the order of evaluation: what an operation
// takes comes before it, so that a fault never hides one that it follows
// from. Of the faults at one site the least index comes first; see SiteOrder
// for sites inside of loops and folds.
//
// The index is the slot of the outermost enclosing array operation (Map,
// Filter, Reduce, Fold, …) or the turn of the outermost Loop, counted from 0,
// whichever is further out; -1 outside of any. Reduce and KeyedReduce
// themselves fault at -1 or at the enclosing operation's index.
// So the report does not depend on when things are evaluated.
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
