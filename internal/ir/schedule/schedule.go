// Package schedule is what a function becomes before it runs on a machine: a
// list of kernel launches over named buffers, with host loops and branches
// around them. It knows kernels and sizes but neither syntax nor graph.
package schedule

import (
	"time"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Schedule is a whole function. Size names are the function's declared sizes
// and the run-time sizes that SetSize steps define.
type Schedule struct {
	Name    string
	Buffers []Buffer
	Loops   int // number of Loop steps; each has a number
	Steps   []Step
	// Result lists the buffers of the result's columns in the order of
	// graph.Leaves, and their dimensions.
	Result []Column
	// Sites says which of several faults a run reports.
	Sites []Site
	// Shared makes the schedule for threads that share what by this one a single thread does, such as a sort; nil if there is nothing
	// such. Both give the same.
	Shared func() (*Schedule, error)
	// Again makes the schedule in which all who walk over a map compute it, where by this one it is held since it is much work; nil if
	// no map is held for that. It takes less memory, and gives the same.
	Again func() (*Schedule, error)
	// Took is how long it took to make this schedule, about as long as another one of the same program will.
	Took time.Duration
	// Strategy says in words, for explain, by which rule the steps came about.
	Strategy []string
}

// Column is a result column: Dims outermost first, empty for a lone scalar.
type Column struct {
	Buffer int
	Kind   num.Kind
	Dims   []size.Poly
}

// Buffer is a run of Len elements of one kind. An input buffer is a column
// of an argument and is never written.
type Buffer struct {
	Name  string // for explain
	Kind  num.Kind
	Len   size.Poly
	Input *Input
	// Bounded: every element e satisfies 0 ≤ e < Bound; whoever binds the
	// input has checked it.
	Bounded bool
	Bound   size.Poly
	// Canonical: whatever launch is the last that writes floats here writes num's one NaN for any.
	Canonical bool
}

// Input names a column of an argument: leaf Leaf (see graph.Leaves) of
// parameter Param. Rows is its outermost dimension.
type Input struct {
	Param, Leaf int
	Rows        size.Poly
}

// Step is *Launch, *SetSize, *SetParts, *Loop or *Branch.
type Step interface{ step() }

// Launch runs a kernel over all its outer indices.
type Launch struct {
	Kernel  *kernel.Kernel
	Safe    *verify.Safe // what Kernel was found to be; nil if nobody has looked
	Label   string       // what it computes, for explain
	Sizes   []SizeArg    // one per kernel size
	Scalars []ScalarArg  // one per kernel scalar
	Regions []int        // buffer of each kernel region; -1 for Scratch
	Sites   []int        // the function's fault site of each kernel site
	// Pruning lists predicates that every row whose values matter satisfies;
	// a run of input rows that cannot satisfy them all need not be read.
	// Their buffers are inputs of one parameter, which the kernel uses only
	// for such rows.
	Pruning []Predicate
	// Partial, if set, combines the rows that this launch writes, so that
	// machines can send few of them.
	Partial *Partial
	// Packed, if set, does the same in leaves, so that machines can send what is kept.
	Packed *Packed
	// InTurn, if set, does the same in short stretches of slots, one after the other.
	InTurn *Turns
	// Extremes are the least and greatest numbers of inputs that this launch finds.
	Extremes []Extreme
	// Folds, if set, says that this launch combines rows, which may have
	// been combined in part before.
	Folds *Folds
}

// Others are the launches that do the same in another way.
func (l *Launch) Others() (list []*Launch) {
	if l.Packed != nil {
		list = append(list, l.Packed.Launch)
	}
	if l.InTurn != nil {
		list = append(list, l.InTurn.Launch)
	}
	return list
}

// Proof is what verify finds a launch's kernel to be. Lowering has looked, but in tests.
func (l *Launch) Proof() (*verify.Safe, error) { return proof(l.Kernel, l.Safe) }

// Proof is that of a launch.
func (p *Partial) Proof() (*verify.Safe, error) { return proof(p.Kernel, p.Safe) }

func proof(k *kernel.Kernel, safe *verify.Safe) (*verify.Safe, error) {
	if safe != nil {
		return safe, nil
	}
	return verify.Check(k)
}

// Partial combines aligned blocks of the rows of partial results that a launch
// writes, one row per outer index in each of its Write regions, into one row
// per block. Rows of blocks combine exactly as the rows themselves would, by
// the canonical order of folds; so it may be applied again to its own rows.
//
// The kernel's regions are the launch's Write regions in order, as Read, and
// then once more as Write. Its outer loop is over blocks.
type Partial struct {
	Kernel *kernel.Kernel
	Safe   *verify.Safe // as that of a launch
	// Sizes are those of the kernel but for three: at Rows the number of rows
	// there are, at Block how many make a block, a power of two, and at Blocks
	// how many blocks there are, the quotient rounded up.
	Sizes               []SizeArg
	Rows, Block, Blocks int
	// Free says that rows combine to the same in any order, so that a block may be any run of rows, aligned or not.
	Free bool
}

// Packed moves the elements that are kept of an array together, leaf by leaf. Outer index o
// of Launch, a leaf of as many slots as its grain, writes them to the beginning of stretch o of
// the buffers From, and how many they are to entry o of Counts. One stretch after the
// other without the gaps is what the launch writes to the buffers Into, in the same order, and their
// number is element 0 of Total. No buffer of From and Counts is used otherwise.
type Packed struct {
	Launch        *Launch
	From, Into    []int
	Counts, Total int
	// First, if set, says how many elements are used, the first ones. Total may then be
	// any number from there on.
	First *ScalarSource
}

// Turns does what a launch does in short stretches of slots, one after the other, for outer indices whose slots lie on several machines. Each of its
// outer indices is a part of one of the launch's, of whose row it carries the tables in the buffers From; the first part of each clears them. After
// its last part they are its row of the buffers Into, in the same order, as the launch writes it. No buffer of From is used otherwise.
type Turns struct {
	Launch     *Launch
	From, Into []int
}

// Extreme is the least or greatest number of the input Column, which goes into the buffer Into.
type Extreme struct {
	Into, Column int
	Greatest     bool
}

// Folds names the size argument of a launch that is the number of rows it
// combines, and one of the buffers in which they are.
type Folds struct {
	Size   int
	Buffer int
}

// SizeArg computes a kernel's size parameter from the sizes of the run.
type SizeArg struct {
	Op   SizeOp
	Poly size.Poly
	// KeyedBy is the width of a keyed fold's table of accumulators; Short says that its leaves are short.
	KeyedBy *size.Poly
	Short   bool
}

// SizeOp is how a SizeArg is computed.
type SizeOp uint8

const (
	Plain       SizeOp = iota // Poly
	KeyedLeaf                 // L = num.KeyedLeaf(*KeyedBy), or num.ShortKeyedLeaf
	KeyedLeaves               // ⌈Poly / L⌉
)

// ScalarArg is where a scalar comes from; exactly one of the three holds.
type ScalarArg struct {
	From   ScalarFrom
	Param  int // FromParam: leaf Leaf of parameter Param
	Leaf   int
	Buffer int // FromBuffer: element 0
	Loop   int // FromLoop: the current turn's number of loop Loop
}

// ScalarFrom tells the sources of a scalar apart.
type ScalarFrom uint8

const (
	FromParam ScalarFrom = iota
	FromBuffer
	FromLoop
)

// Predicate is `column op scalar` on an input buffer. The scalar is of Kind (see package num), which
// is that of the buffer or, where this has indices, I64.
type Predicate struct {
	Buffer int
	Op     num.Op // Eq, Lt, Le, Gt, Ge
	Kind   num.Kind
	Bits   uint64     // the scalar, if it is a constant
	Scalar *ScalarArg // or where it comes from
}

// SetSize defines a run-time size from element 0 of an I64 buffer. Max is
// its upper bound.
type SetSize struct {
	Name   string
	Buffer int
	Max    size.Poly
	Likely size.Likely // what it is, for predictions
	Among  size.Poly   // that it is no more than this, if that is known and not 0; for predictions
	Column int         // the input of whose rows it is a part, of size.Rest; -1 for none
}

// Loop runs Body for its variable from Lo to Hi (exclusive), at most Max
// turns. After each turn every pair of Swap exchanges its two buffers, so
// that the second's contents become the first's. A turn whose Stop buffer (if
// ≥ 0; a Bool) is true is the last.
type Loop struct {
	Number int
	Lo, Hi ScalarSource
	Max    size.Poly
	Body   []Step
	Swap   [][2]int
	Stop   int
}

// ScalarSource is an I64 known when a loop starts: a size polynomial, or a
// scalar when Scalar is set.
type ScalarSource struct {
	Poly   size.Poly
	Scalar *ScalarArg
}

// Branch runs Then when the Bool in element 0 of Cond is true, else Else.
type Branch struct {
	Cond       int
	Then, Else []Step
}

func (*Launch) step()   {}
func (*SetSize) step()  {}
func (*SetParts) step() {}
func (*Loop) step()     {}
func (*Branch) step()   {}

// walk calls f for every step, in order, those inside of a loop or branch after it.
func walk(steps []Step, looped bool, f func(s Step, looped bool)) {
	for _, s := range steps {
		f(s, looped)
		switch s := s.(type) {
		case *Loop:
			walk(s.Body, true, f)
		case *Branch:
			walk(s.Then, looped, f)
			walk(s.Else, looped, f)
		}
	}
}

// Launches calls f for every launch, in order, loops and branches included.
func Launches(steps []Step, f func(*Launch)) {
	walk(steps, false, func(s Step, _ bool) {
		if l, ok := s.(*Launch); ok {
			f(l)
		}
	})
}

// Nesting gives for every launch, in the order of Launches, how many loops and branches are around it.
func Nesting(steps []Step) (list []int) {
	for _, s := range steps {
		deeper := func(steps []Step) {
			for _, n := range Nesting(steps) {
				list = append(list, n+1)
			}
		}
		switch s := s.(type) {
		case *Launch:
			list = append(list, 0)
		case *Loop:
			deeper(s.Body)
		case *Branch:
			deeper(s.Then)
			deeper(s.Else)
		}
	}
	return list
}

// Resizes reports that some step finds a size while the schedule runs.
func Resizes(steps []Step) (found bool) {
	walk(steps, false, func(s Step, _ bool) {
		switch s.(type) {
		case *SetSize, *SetParts:
			found = true
		}
	})
	return found
}

// Eval computes a size argument from the sizes of the run. It is false if one of them is not known, or too large.
func (a *SizeArg) Eval(size func(string) (int64, bool)) (int64, bool) {
	if a.Op == Plain {
		return a.Poly.Eval(size)
	}
	if a.KeyedBy == nil {
		return 0, false
	}
	width, ok := a.KeyedBy.Eval(size)
	if !ok {
		return 0, false
	}
	leaf := num.KeyedLeaf(width)
	if a.Short {
		leaf = num.ShortKeyedLeaf(width)
	}
	if a.Op == KeyedLeaf {
		return leaf, true
	}
	n, ok := a.Poly.Eval(size)
	return n/leaf + min(n%leaf, 1), ok
}
