// Package kernel defines the unit of code that travels: one fused loop nest
// over regions, closed, typed and small, identified by the hash of its
// canonical bytes.
//
// A kernel runs its body once for each outer index o in 0..Outer. The body
// sees o and the slots lo..hi of its grain, lo = o·Grain and
// hi = min(lo + Grain, Count). Outer indices are independent of each other
// and may run in any order and at the same time, unless the kernel carries
// State, which makes the outer loop sequential.
//
// Values are in static single assignment form, numbered from 0 in order of
// appearance: first the parameters of the body, then the results of each
// instruction, where the parameters and instructions of a nested block come
// before the results of the instruction that holds it.
package kernel

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Kernel is one loop nest. Sizes are referred to in polynomials as s0, s1, ….
type Kernel struct {
	Sizes   []Size
	Scalars []Scalar
	Regions []Region
	// Sites is the number of fault sites; what they stand for is known to
	// whoever made the kernel.
	Sites int
	Outer size.Poly // number of outer indices
	Grain size.Poly // slots per outer index, ≥ 1
	Count size.Poly // slots in all
	// State is what a sequential kernel carries from one outer index to the
	// next. Between slices of the outer loop each value rests in element 0
	// of its region, which has access ReadWrite.
	State []State
	Body  Block // parameters: o, lo, hi (all I64), then the state; results: the next state
}

// Size is a size parameter: a non-negative integer with its inclusive range.
type Size struct{ Lo, Hi int64 }

// Scalar is a scalar argument. For integer kinds Lo and Hi are its inclusive
// range (U64 arguments are limited to MaxInt64). With Bounded also
// 0 ≤ value < Bound.
type Scalar struct {
	Kind    num.Kind
	Lo, Hi  int64
	Bounded bool
	Bound   size.Poly
}

// Access says what a kernel may do with a region.
type Access uint8

const (
	Read      Access = iota
	Write            // stores only
	ReadWrite        // loads and stores
	Scratch          // private to a worker, allocated by the engine; zero at the start of an outer index that loads what it has not stored
	accesses
)

// Region is a run of Len elements. With Bounded the holder of the region
// vouches that every element e satisfies 0 ≤ e < Bound.
type Region struct {
	Elem    num.Kind
	Len     size.Poly
	Access  Access
	Bounded bool
	Bound   size.Poly
}

// State is a carried value of a sequential kernel.
type State struct {
	Kind   num.Kind
	Region int
}

// Value names an SSA value.
type Value int32

// None stands where a value is absent.
const None Value = -1

// Block is a list of instructions with parameters and results.
type Block struct {
	Params  []Value
	Instrs  []Instr
	Results []Value
}

// Code is an instruction's kind. Its numeric value is part of the byte
// format and must not change.
type Code uint8

const (
	BadCode   Code = iota
	Const          // Bits of Kind
	SizeOf         // the value of Poly as I64
	ScalarArg      // scalar argument Index
	Arith          // Op on Args of Kind; see Site
	Convert        // Args[0] of kind From to Kind, as num.Convert; see Site
	Bitcast        // Args[0] of kind From reinterpreted as Kind of the same width
	Select         // Args[0] (Bool) ? Args[1] : Args[2]
	Load           // element Args[0] of Region; result kind is the region's
	Store          // element Args[0] of Region becomes Args[1]
	Bound          // Args[0] (I64) if it lies in 0..Poly, otherwise 0 and a fault at Site; needs Poly ≥ 1 known here
	Positive       // Poly ≥ 1, as Bool; a branch on it makes that known
	Fault          // a fault at Site if Args[0] (Bool)
	If             // Args[0] ? Blocks[0] : Blocks[1]; results of the taken block
	For            // see Instr.Carry
	Fold           // see Instr.Accs
	codes
)

// Instr is one instruction. Which fields matter depends on Code.
//
// An instruction that can fault has Site ≥ 0, or NoSite when its faults are
// to be ignored (wrapping arithmetic, or proved impossible). At names the
// I64 value that is reported as the place of the fault, or None for -1.
//
// For runs Blocks[0] for i in Args[0]..Args[1] (I64, nothing when empty) with
// parameters i and the carried values, which start as Args[2:]; the block's
// results are the next carried values and, with Stop, a Bool that ends the
// loop after this turn. The results of For are the last carried values.
//
// Fold evaluates Blocks[0] for i in Args[0]..Args[1] with parameter i and one
// result per accumulator, and combines; see Acc.
type Instr struct {
	Code   Code
	Kind   num.Kind
	From   num.Kind
	Op     num.Op
	Bits   uint64
	Index  int
	Region int
	Site   int
	At     Value
	Stop   bool
	Tree   bool // Fold: combine all values pairwise by number, without leaves and lanes
	Poly   size.Poly
	Args   []Value
	Carry  []Carry
	Accs   []Acc
	Blocks []Block
	Out    []Value // results, consecutive
}

// NoSite marks an instruction whose faults do not count.
const NoSite = -1

// Carry is a value that a For carries. With Bounded it satisfies
// 0 ≤ value < Bound at the start of every turn and after the last; verify
// proves it by induction.
type Carry struct {
	Kind    num.Kind
	Bounded bool
	Bound   size.Poly
}

// FoldOp is the operator of an accumulator; num says what each means.
type FoldOp = num.FoldOp

const (
	BadFold     = num.BadFold
	FoldAdd     = num.FoldAdd
	FoldMul     = num.FoldMul
	FoldMin     = num.FoldMin
	FoldMax     = num.FoldMax
	FoldAnd     = num.FoldAnd
	FoldOr      = num.FoldOr
	FoldXor     = num.FoldXor
	FoldArgMin  = num.FoldArgMin
	FoldArgMax  = num.FoldArgMax
	FoldAddWide = num.FoldAddWide
	FoldMulAdd  = num.FoldMulAdd
)

// Acc is one accumulator of a Fold. Kind is the kind of the values folded.
//
// Floats under FoldAdd and FoldMul combine in the canonical order: slots
// are counted from Args[0] of the Fold, num.Leaf to a leaf; slot i of a leaf
// is combined, in order of i, into lane i mod num.Lanes(Kind) that starts as
// the identity; lanes fold by halves (lane j with lane j + n/2, then n/4, …);
// leaves combine pairwise by leaf number: neighbours 2k and 2k+1 combine, an
// odd last one moves up alone, and so on until one is left. With Tree, every
// slot is a leaf. What FoldMulAdd folds is the result of an Arith with Mul of
// its kind; a lane becomes the Fma of that one's operands and the lane, and all
// else is as with FoldAdd. It is no Tree. All other operators give the same bits in any order.
type Acc struct {
	Op   FoldOp
	Kind num.Kind
}

// Outs lists the kinds of an accumulator's results.
func (a Acc) Outs() []num.Kind { return a.Op.Outs(a.Kind) }
