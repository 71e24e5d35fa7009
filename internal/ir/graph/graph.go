// Package graph is the program as a typed dataflow of array operations with
// nested bodies. It has a meaning of its own, given by package interp, and
// every rewrite and every engine must keep it.
//
// A graph is strict: every node of a block that is executed is evaluated in
// full, so a fault anywhere is a fault of the run. A pass may drop a node
// nobody uses only when neither it nor anything in its blocks can fault.
package graph

import (
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Graph is one function with all its calls inlined.
type Graph struct {
	Name   string
	Source *diag.Source
	// Sizes are the declared size parameters in order of first appearance.
	// Run-time sizes (those that a Compact, TopK or Limit defines) are not in it.
	Sizes []SizeParam
	// Facts holds for every run: ranges and comparisons of the where clause.
	Facts size.Facts
	Body  Block  // Params: the function's parameters; one result
	Sites []Site // by number
	// ParamInfo says, for each parameter, how it is bound from outside.
	ParamInfo []ParamInfo
	// Dicts are the dictionaries of text, numbered from 1 on.
	Dicts []Dict
	// ResultPlace is where the program wants the result.
	ResultPlace Place
	// Result is the type of the result with what its scalars mean; nodes have kinds alone.
	Result *Type
	// Ensures are bounds on what a run takes, which are compared with what is planned.
	Ensures []Ensure
}

// Ensure is a bound on time, in nanoseconds, or on memory, in bytes: Bound times Unit.
type Ensure struct {
	What  string // "time" or "mem"
	Bound size.Poly
	Unit  float64
	Text  string // as written
}

// SizeParam is a declared size with its inclusive range. Expected is 0 when
// the program does not say.
type SizeParam struct {
	Name     string
	Lo, Hi   int64
	Expected int64
	Declared bool // the program gives a Range
	Pos      diag.Span
}

// MaxSize bounds every size without a Range.
const MaxSize = 1 << 40

// ParamInfo is what binding an argument needs besides the type.
type ParamInfo struct {
	Name  string
	Place Place
	// Lo, Hi is the declared Range of an integer scalar parameter.
	Lo, Hi int64
	Ranged bool
	Pos    diag.Span
	Text   string // the type as written
	Type   *Type  // with what its scalars mean, beside that of the node, which has kinds alone
	// Literal, if set, is the value: of a long literal of the program. Nobody
	// gives such a parameter; all of them come last. See Given.
	Literal []column.Column
	// Derived, if set, says what the value is made from when arguments are bound. Nobody gives
	// such a parameter either.
	Derived *Derived
}

// hidden reports a parameter that nobody gives.
func (p *ParamInfo) hidden() bool { return p.Literal != nil || p.Derived != nil }

// Given is the number of parameters that are given from outside.
func (g *Graph) Given() int {
	n := len(g.Body.Params)
	for n > 0 && n <= len(g.ParamInfo) && g.ParamInfo[n-1].hidden() {
		n--
	}
	return n
}

// TypeKind tells the shapes of a Type apart.
type TypeKind uint8

const (
	Scalar TypeKind = iota // Num
	Index                  // an integer proved to be in 0..Bound; an I64 in computations
	Tuple                  // Elems; Names when it is a record
	Array                  // Elems[0], Size slots
	Option                 // Elems[0]
)

// Type is the type of a node. Types are values; treat them as immutable.
type Type struct {
	Kind  TypeKind
	Num   num.Kind
	Bound size.Poly
	Elems []*Type
	Names []string // field names of a record
	Name  string   // record name
	Size  size.Poly
	// Masked marks an array that is a view: Size slots, of which only those
	// whose mask is set are elements. Filter makes it, Compact ends it.
	Masked bool
	// Means is what a Scalar or Index stands for. A finished graph has none: see Plain.
	Means meaning.Meaning
}

// Op is what a node does.
type Op uint8

const (
	BadOp Op = iota
	// Param is a parameter of its block.
	Param
	// Const is a scalar of Type; Bits holds it.
	Const
	// SizeVal is the value of Poly as an I64 (or as an Index type).
	SizeVal
	// Spread is a Bool: whether rows of arguments lie in shards on other machines. A program gives the same
	// whatever it is, so who makes a schedule settles it; see Settle.
	Spread
	// Arith applies Num to scalar Args (see num.Op). With Checked a fault
	// counts; otherwise integers wrap. Arguments are of one scalar kind;
	// Index counts as I64. The result is Type: Args' kind, Bool for
	// comparisons, or an Index type where the builder knows the bound.
	Arith
	// Cast converts the scalar Args[0] to Type's kind (num.Convert); with
	// Checked a value that does not fit is a fault. An Index converts from
	// I64 without loss; Index → Index with a larger bound is a Cast too.
	Cast
	// Bits reinterprets a scalar as Type's kind of the same width.
	Bits
	// If evaluates Blocks[0] when Args[0] holds, else Blocks[1]; the blocks
	// have no parameters. Types may be arrays (of equal size).
	If
	// MakeTuple, Get (field Field of Args[0]).
	MakeTuple
	Get
	// Options: Some(Args[0]), Nothing (of Type), IsSome(Args[0]), and
	// Unwrap(Args[0]): the value, or the zero of the type when there is none.
	Some
	Nothing
	IsSome
	Unwrap
	// Clamp limits Args[0] (I64) to 0..Poly as an Index: nearest. Wrap takes
	// it modulo Poly (Euclidean). Check faults outside and gives 0. All three
	// fault when Poly is 0, and give 0.
	Clamp
	Wrap
	Check
	// At is Args[0][Args[1]]: an element (or row) of a dense array; Args[1]
	// is an Index whose Bound is at most the array's Size.
	At

	// Map is an array of Type.Size elements: Blocks[0](i, e1, …, ek) for each
	// slot i (an Index) of the arrays Args (each with that Size). It may have
	// no Args (a tabulation). When its one argument is masked the result is
	// masked alike, and the body is evaluated for set slots only.
	Map
	// Filter keeps the slots of Args[0] (dense or masked) for which
	// Blocks[0](i, e) is true; the result is masked.
	Filter
	// Compact moves the elements of the masked Args[0] together, in order.
	// It defines the run-time size called Defines ≤ the slots; the result is
	// dense with that Size.
	Compact
	// Limit is the first min(n, slots) elements of the dense Args[0], where
	// n = Args[1] (I64, negative counts as 0); it defines the run-time size
	// called Defines.
	Limit
	// Reduce combines the scalars of Args[0] (dense or masked) with the
	// lawful operator Monoid. Slots that are not set contribute nothing;
	// float sums and products use the canonical order by slot. See Monoid
	// for result types and empty arrays.
	Reduce
	// KeyedReduce combines, for each group g in 0..Poly, the values of all
	// slots of Args[0] (dense or masked) whose key is g. Blocks[0](i, e)
	// gives a tuple (key Index<Poly>, value): value is a scalar or an array
	// of scalars with a static size, combined element by element. Result:
	// [value; Poly] with identities for empty groups. Floats: see package
	// interp for the canonical order.
	KeyedReduce
	// Fold is the sequential fold: acc starts as Args[1] and becomes
	// Blocks[0](i, acc, e) for each set slot of Args[0] in order. Reason says
	// in words why it is not a lawful Reduce.
	Fold
	// Scan is Fold with all intermediate results: element i of the result is
	// acc after slot i. Args[0] is dense.
	Scan
	// Scatter is the sequential update: starting from the dense array
	// Args[0], for each set slot of Args[1] in order, Blocks[0](i, e) gives
	// (key Index, value) and the element at key becomes
	// Blocks[1](old, value). The result has the type of Args[0].
	Scatter
	// Update is the dense array Args[0] with one part of one element changed:
	// Path leads from the array to the part, which becomes Args[1]. A step of
	// Path is a field of a tuple, or ByIndex: the element at the next index
	// of Args[2:]. It begins with ByIndex. An index outside of its array,
	// which only a fault can bring about, changes nothing.
	Update
	// Sort orders the dense Args[0] by the scalar key Blocks[0](i, e),
	// stably; Descending turns the order round (still stable). Floats: NaN is
	// above all numbers, -0 below +0.
	Sort
	// TopK is the first Type.Size (or, when Defines is set, min(Poly, slots))
	// elements of the descending Sort of Args[0]. Poly is the K asked for.
	TopK
	// Loop runs for i from Args[0] to Args[1] (I64) with carried values that
	// start as Args[2:]: Blocks[0](i, carried…) gives the tuple of next
	// values, with Stop followed by a Bool that ends the loop after this
	// turn. i is an Index when Poly (its bound) is set. Max or MaxPoly bounds
	// the number of turns. The result is the tuple of last values.
	Loop
	ops
)

// ByIndex is the step of an Update's path that goes to an element.
const ByIndex = -1

// Monoid is a lawful fold operator.
type Monoid uint8

const (
	NoMonoid    Monoid = iota
	SumOf              // floats: same kind, canonical order. Integers of any width: exact sum as I64 (signed, Index) or U64 (unsigned); a fault when it does not fit
	WrapSum            // integers modulo 2^width, same kind
	Product            // floats, canonical order
	WrapProduct        // integers modulo 2^width
	MinOf              // scalars; empty is a fault (result: identity)
	MaxOf
	AllOf  // Bool: and
	AnyOf  // Bool: or
	BitAnd // integers
	BitOr
	BitXor
	CountOf // number of set slots whose value is true (Args of Bool): I64
	ArgMinOf
	ArgMaxOf // Index<slots> of the first extreme; empty is a fault, result 0
	FusedSum // of pairs of floats: the SumOf of their products, each of which a lane adds in one rounding (num.FoldMulAdd)
	monoids
)

// Node is one operation. Nodes of a block are in an order in which they can
// be evaluated. Blocks see the nodes of the enclosing blocks.
type Node struct {
	ID      int
	Op      Op
	Type    *Type
	Args    []*Node
	Blocks  []*Block
	Pos     diag.Span
	Num     num.Op
	Checked bool
	Bits    uint64
	Field   int
	Path    []int // Update
	Poly    size.Poly
	HasPoly bool
	Defines string      // run-time size defined by this node
	Likely  size.Likely // what that is likely, of what it can be; for predictions alone
	Among   size.Poly   // if that is not 0, of so many different things; for predictions alone
	Monoid  Monoid
	Desc    bool
	Stop    bool
	Max     int64 // Loop: most turns, from sizes and Ranges (0: see MaxPoly)
	MaxPoly size.Poly
	Reason  string // Fold, Scatter: why sequential, naming the expression
	Site    int    // fault site, -1 when it cannot fault
	Name    string // the source variable this is bound to, for explain
}

// Block is a nested body: parameters, nodes in order, results.
type Block struct {
	Params  []*Node
	Nodes   []*Node
	Results []*Node
}
