package kerneltest

import (
	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Choice draws from 0..n evenly; label says what for.
type Choice func(n int, label string) int

// Choices draws from t.
func Choices(t *rapid.T) Choice {
	return func(n int, label string) int { return even(t, n, label) }
}

// mutation changes one kernel.
type mutation struct {
	choose Choice
	k      *kernel.Kernel
	all    []*kernel.Instr
}

// Mutate changes a few things in a kernel at random: a constant, an operand,
// an operation, a kind, a region, a bound, a length. Most results are unsafe, and
// some are so in ways that look safe. Some are no kernels any more, which Encode
// or Decode says.
func Mutate(choose Choice, k *kernel.Kernel) {
	m := &mutation{choose: choose, k: k}
	m.gather(&k.Body)
	for range 1 + choose(3, "changes") {
		if len(m.all) == 0 || choose(6, "header") == 0 {
			m.header()
			continue
		}
		m.instr(m.all[choose(len(m.all), "instruction")])
	}
}

func (m *mutation) gather(b *kernel.Block) {
	for i := range b.Instrs {
		m.all = append(m.all, &b.Instrs[i])
		for j := range b.Instrs[i].Blocks {
			m.gather(&b.Instrs[i].Blocks[j])
		}
	}
}

func (m *mutation) kind() num.Kind { return Kinds()[m.choose(len(Kinds()), "kind")] }

// constants are where polynomials leave one range or another.
var constants = []int64{1, 2, 3, 4, 7, 8, 16, 64, 255, 4096, 1 << 31, 1 << 40, 1 << 52}

func (m *mutation) poly(p size.Poly) size.Poly {
	other := size.Const(int64(m.choose(5, "constant")))
	if n := len(m.k.Sizes); n > 0 {
		other = kernel.SizeVar(m.choose(n, "size"))
	}
	c := constants[m.choose(len(constants), "constant")]
	switch m.choose(9, "polynomial") {
	case 0:
		return p.AddConst(-1)
	case 1:
		return p.AddConst(1)
	case 2:
		return other
	case 3:
		return p.Sub(other)
	case 4:
		return p.MulConst(2)
	case 5:
		return size.Const(c)
	case 6:
		return p.Add(other)
	case 7:
		return other.MulConst(c)
	}
	return p.Mul(other)
}

func (m *mutation) header() {
	switch m.choose(8, "part") {
	case 0:
		m.k.Count = m.poly(m.k.Count)
	case 1:
		m.k.Grain = m.poly(m.k.Grain)
	case 2:
		m.k.Outer = m.poly(m.k.Outer)
	case 3:
		m.ranges()
	case 4:
		m.exchange()
	default:
		if n := len(m.k.Regions); n > 0 {
			m.region(&m.k.Regions[m.choose(n, "region")])
		}
	}
}

// ranges widens or narrows what a size or a scalar may be.
func (m *mutation) ranges() {
	if n := len(m.k.Scalars); n > 0 && m.choose(2, "scalar") == 0 {
		if s := &m.k.Scalars[m.choose(n, "scalar")]; s.Kind.IsInt() {
			s.Lo, s.Hi = num.IntRange(s.Kind)
		}
		return
	}
	if n := len(m.k.Sizes); n > 0 {
		s := &m.k.Sizes[m.choose(n, "size")]
		s.Lo = int64(m.choose(4, "least"))
		s.Hi = []int64{3, 100, 5000, 1 << 31, 1 << 47, 1 << 48}[m.choose(6, "greatest")]
	}
}

func (m *mutation) region(r *kernel.Region) {
	switch m.choose(6, "of region") {
	case 0, 1:
		r.Len = m.poly(r.Len)
	case 2:
		r.Bounded, r.Bound = !r.Bounded, m.poly(r.Bound)
	case 3:
		r.Bound = m.poly(r.Bound)
	case 4:
		r.Elem = m.kind()
	default:
		r.Access = kernel.Access(m.choose(4, "access"))
	}
}

// exchange makes one kind another wherever it stands, so that the kernel is typed
// as before, over a kind that nobody had in mind.
func (m *mutation) exchange() {
	a, b := m.kind(), m.kind()
	if a == num.I64 || a == num.Bool || b == num.Bool { // of indices and conditions
		return
	}
	swap := func(k *num.Kind) {
		if *k == a {
			*k = b
		}
	}
	for i := range m.k.Regions {
		swap(&m.k.Regions[i].Elem)
	}
	for i := range m.k.State {
		swap(&m.k.State[i].Kind)
	}
	for _, in := range m.all {
		if in.Code == kernel.Const && in.Kind == a {
			in.Bits = num.Canon(b, in.Bits)
		}
		swap(&in.Kind)
		swap(&in.From)
		for i := range in.Carry {
			swap(&in.Carry[i].Kind)
		}
		for i := range in.Accs {
			swap(&in.Accs[i].Kind)
		}
	}
}
