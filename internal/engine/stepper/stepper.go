// Package stepper runs a kernel one instruction at a time: slow, obviously
// right, and suspicious of everything. It is what the engines and the proofs
// of verify are held against.
package stepper

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Args is what a kernel runs on.
type Args struct {
	Sizes   []int64
	Scalars []uint64 // as num has it: canonical bits of the kind
	// Regions holds the elements in little-endian order. Scratch regions are
	// made for each Run; what stands here for them is not touched.
	Regions [][]byte
	// Firsts is, for each region, the element that Regions begins with, where only a part of it is there. Nil if
	// all of every region is.
	Firsts []int64
	// Faults has for each site the least place reported so far, -1 for a
	// fault without a place, math.MaxInt64 for none.
	Faults []int64
	// Touched, if it is not nil, is told of each element that the body loads or stores
	// at an outer index, Scratch regions included.
	Touched func(outer int64, region int, element int64, store bool)
	// Limit ends the run with ErrLimit after that many steps; 0 is no limit.
	Limit int64
}

// NewFaults is the state of n sites before anything has run.
func NewFaults(n int) []int64 {
	f := make([]int64, n)
	for i := range f {
		f[i] = math.MaxInt64
	}
	return f
}

// ErrLimit says that Args.Limit was reached.
var ErrLimit = errors.New("stepper: the limit on steps is reached")

// maxScratch keeps a run without admission from taking the machine along.
const maxScratch = 1 << 30

// Run executes the outer indices from lo to hi of a kernel that verify has
// accepted, and counts the steps (see kernel.OuterSteps). An access outside
// a region or a broken bound is an error that says where; such an error
// means that verify or the caller is wrong.
func Run(k *kernel.Kernel, a *Args, lo, hi int64) (steps int64, err error) {
	m := &machine{k: k, a: a, values: make([]uint64, k.Values()), def: make([]*kernel.Instr, k.Values()), folders: map[*kernel.Instr][]*num.Folder{}}
	m.define(&k.Body)
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stopped:
			steps, err = m.steps, e.error
		default:
			panic(e)
		}
	}()
	m.prepare()
	m.loadState()
	for o := lo; o < hi; o++ {
		m.outer(o)
	}
	m.storeState()
	return m.steps, nil
}

// stopped carries an error out of the recursion.
type stopped struct{ error }

type machine struct {
	k       *kernel.Kernel
	a       *Args
	values  []uint64
	def     []*kernel.Instr // what gives each value
	regions [][]byte
	lens    []int64
	grain   int64
	count   int64
	state   []uint64
	room    []uint64 // a stack of what blocks give, and loops carry
	folders map[*kernel.Instr][]*num.Folder
	steps   int64
	path    string
}

func (m *machine) fail(format string, args ...any) {
	panic(stopped{fmt.Errorf("stepper: %s%w", m.path, fmt.Errorf(format, args...))})
}

func (m *machine) step(n int64) {
	m.steps += n
	if m.a.Limit > 0 && m.steps > m.a.Limit {
		panic(stopped{ErrLimit})
	}
}

func (m *machine) define(b *kernel.Block) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		for _, v := range in.Out {
			m.def[v] = in
		}
		for j := range in.Blocks {
			m.define(&in.Blocks[j])
		}
	}
}

func (m *machine) set(v kernel.Value, bits uint64) { m.values[v] = bits }

func (m *machine) get(v kernel.Value) uint64 { return m.values[v] }

func (m *machine) int(v kernel.Value) int64 { return int64(m.values[v]) }

// outer runs the body once. Its slots may be none: hi is below lo when the
// outer index lies past the last slot.
func (m *machine) outer(o int64) {
	m.step(kernel.OuterSteps)
	lo := o * m.grain
	body := &m.k.Body
	m.set(body.Params[0], uint64(o))
	m.set(body.Params[1], uint64(lo))
	m.set(body.Params[2], uint64(min(lo+m.grain, m.count)))
	for i, v := range m.state {
		m.set(body.Params[3+i], v)
	}
	m.state = append(m.state[:0], m.block(body)...)
	m.room = m.room[:0]
}

// take is room for n values, until whoever began what they are for shortens the stack.
func (m *machine) take(n int) []uint64 {
	at := len(m.room)
	m.room = slices.Grow(m.room, n)[:at+n]
	return m.room[at : at+n : at+n]
}

// block runs the instructions and gives the results.
func (m *machine) block(b *kernel.Block) []uint64 {
	for i := range b.Instrs {
		m.step(1)
		m.instr(&b.Instrs[i])
	}
	results := m.take(len(b.Results))
	for i, v := range b.Results {
		results[i] = m.get(v)
	}
	return results
}

func (m *machine) instr(in *kernel.Instr) {
	switch in.Code {
	case kernel.Store:
		m.touch(in, true)
		m.store(in, m.int(in.Args[0]), m.get(in.Args[1]))
	case kernel.Fault:
		m.fault(in, m.get(in.Args[0]) == 1)
	case kernel.If, kernel.For, kernel.Fold:
		mark := len(m.room)
		for i, v := range m.nested(in) {
			m.set(in.Out[i], v)
		}
		m.room = m.room[:mark]
	default:
		m.set(in.Out[0], m.scalar(in))
	}
}

// scalar computes an instruction with one result and no blocks.
func (m *machine) scalar(in *kernel.Instr) uint64 {
	switch in.Code {
	case kernel.Const:
		return in.Bits
	case kernel.SizeOf:
		return uint64(m.poly(in.Poly))
	case kernel.ScalarArg:
		return m.a.Scalars[in.Index]
	case kernel.Arith:
		return m.arith(in)
	case kernel.Convert:
		r, fault := num.Convert(in.From, in.Kind, m.get(in.Args[0]))
		m.fault(in, fault)
		return r
	case kernel.Bitcast:
		// Sign or zero extension belongs to the kind, and so does the NaN.
		return num.Canon(in.Kind, m.get(in.Args[0]))
	case kernel.Select:
		if m.get(in.Args[0]) == 1 {
			return m.get(in.Args[1])
		}
		return m.get(in.Args[2])
	case kernel.Load:
		m.touch(in, false)
		return m.load(in.Region, m.int(in.Args[0]))
	case kernel.Bound:
		return m.bound(in)
	case kernel.Positive:
		if m.poly(in.Poly) >= 1 {
			return 1
		}
		return 0
	}
	m.fail("unknown instruction %s", in.Code)
	return 0
}

func (m *machine) touch(in *kernel.Instr, store bool) {
	if m.a.Touched != nil {
		m.a.Touched(m.int(m.k.Body.Params[0]), in.Region, m.int(in.Args[0]), store)
	}
}

func (m *machine) arith(in *kernel.Instr) uint64 {
	var args [3]uint64
	for i, v := range in.Args {
		args[i] = m.get(v)
	}
	r, fault := num.Apply(in.Op, in.Kind, args[:len(in.Args)])
	m.fault(in, fault)
	return r
}

func (m *machine) bound(in *kernel.Instr) uint64 {
	limit := m.poly(in.Poly)
	if limit < 1 {
		m.fail("%s: the bound is %d", kernel.InstrText(in), limit)
	}
	v := m.int(in.Args[0])
	if v >= 0 && v < limit {
		return uint64(v)
	}
	m.fault(in, true)
	return 0
}

// fault notes a fault at the instruction's site; the least place stays.
func (m *machine) fault(in *kernel.Instr, is bool) {
	if !is || in.Site == kernel.NoSite {
		return
	}
	place := int64(-1)
	if in.At != kernel.None {
		place = m.int(in.At)
	}
	m.a.Faults[in.Site] = min(m.a.Faults[in.Site], place)
}
