// Package verify decides whether a kernel from strangers is safe to run: it
// is typed, every access is in bounds, outer indices do not disturb each
// other, and its work and memory are bounded by expressions over the sizes.
//
// The proof is symbolic and done once per kernel. It rests on numbers that
// are checked for every run, see Safe.Admit: sizes and scalars are in their
// ranges, regions have their lengths, and every polynomial that a proof
// relied on stays far inside int64.
package verify

import (
	"sync"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// Safe is a kernel that passed, with what Check found out about it.
type Safe struct {
	Kernel *kernel.Kernel
	ID     kernel.ID
	Bytes  int        // length of the canonical encoding
	Kinds  []num.Kind // of each value
	// Outer is the work of one outer index, kernel.OuterSteps included; it
	// is an upper bound in steps, see Work.
	Outer     Work
	Footprint []Footprint // of each region
	// Carries says that what an outer index leaves in Scratch regions might be seen by
	// the next one: unless each gets zeros, results depend on how the outer loop is cut.
	Carries bool
	// inRange are polynomials over the sizes that Admit must find within
	// ±prove.Limit, because proofs took arithmetic with them to be exact.
	inRange []size.Poly

	mu    sync.Mutex
	loops map[loops.Engine]*loops.Analysis
}

// Loops is what is known of the kernel's loops on an engine, worked out once.
func (s *Safe) Loops(e loops.Engine) *loops.Analysis {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loops == nil {
		s.loops = map[loops.Engine]*loops.Analysis{}
	}
	if s.loops[e] == nil {
		s.loops[e] = loops.Of(s.Kernel, e)
	}
	return s.loops[e]
}

// Check proves that k is safe to run on whatever Safe.Admit admits, or
// returns an *Error. It is deterministic, and its time is bounded by the
// limits of the kernel format and by what a proof may cost.
func Check(k *kernel.Kernel) (*Safe, error) {
	b, err := kernel.Encode(k)
	if err != nil {
		return nil, &Error{Path: "kernel", Need: err.Error(), Err: err}
	}
	c := &checker{k: k, safe: &Safe{Kernel: k, ID: kernel.Hash(b), Bytes: len(b)}, sides: map[sideOf]side{}}
	if err := c.run(); err != nil {
		return nil, err
	}
	return c.safe, nil
}

// CheckBytes is Decode and Check.
func CheckBytes(b []byte) (*Safe, error) {
	k, err := kernel.Decode(b)
	if err != nil {
		return nil, &Error{Path: "kernel", Need: err.Error()}
	}
	return Check(k)
}

// checker walks the kernel. A refusal is thrown as an *Error and caught in
// run, so that rules read as rules.
type checker struct {
	k      *kernel.Kernel
	safe   *Safe
	kinds  []num.Kind
	hidden []bool // values of blocks that have ended
	path   []string
	at     *kernel.Instr
	prove.Prover
	form     []size.Poly       // what is known of each integer value
	def      []*kernel.Instr   // what defines each value
	scalars  map[int]size.Poly // form of each scalar argument
	choices  map[string]constants
	next     kernel.Value // the next value to be described
	accesses []access
	placed   map[*kernel.Instr]kernel.Value // positions of stores, for Separate
	sides    map[sideOf]side
}

func (c *checker) run() (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		default:
			panic(e)
		}
	}()
	c.header()
	c.kindsOfAll()
	c.startProofs()
	c.body()
	c.disjoint()
	c.footprints()
	c.carry()
	c.safe.Kinds = c.kinds
	c.safe.inRange = c.Required()
	return nil
}
