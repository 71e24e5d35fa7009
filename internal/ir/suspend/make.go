package suspend

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// maxNumber bounds the sizes of a batch.
const maxNumber = 1 << 40

// Make transforms k. far maps each region that may lie elsewhere to its elements
// per row; all are columns of one table. The error says in words why a
// kernel has no such form.
func Make(k *kernel.Kernel, far Widths) (*Batch, error) { return makeForm(k, far, false) }

// MakeRounds transforms k into the form whose rows are brought to each state, see Batch.Rounds.
func MakeRounds(k *kernel.Kernel, far Widths) (*Batch, error) { return makeForm(k, far, true) }

func makeForm(k *kernel.Kernel, far Widths, rounds bool) (b *Batch, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case refusal:
			b, err = nil, e.error
		default:
			panic(e)
		}
	}()
	safe, err := verify.Check(k)
	if err != nil {
		return nil, fmt.Errorf("suspend: the kernel itself is refused: %w", err)
	}
	s := newShape(k, safe, far)
	l := newLayout(s, newSites(s))
	b = &Batch{Columns: l.columns, Far: slices.Sorted(maps.Keys(far)), Near: l.near, Results: l.results, IDs: s.ids, Most: s.most(), Rounds: rounds}
	// Most kernels are safe whatever is in the columns, which is also the
	// quickest to see.
	for _, strict := range []bool{false, true} {
		b.Kernel = newMaker(l, b, strict).make()
		if _, err = verify.Check(b.Kernel); err == nil {
			return b, nil
		}
	}
	return nil, fmt.Errorf("suspend: the suspended form cannot be shown to be safe: %w", err)
}

// maker writes the batch kernel.
type maker struct {
	*layout
	emitter
	b       *Batch
	strict  bool // values from columns keep the bounds of the original
	kernel  *kernel.Kernel
	region  map[int]int // of the original, to that of the batch
	states  size.Poly   // B
	rows    size.Poly   // W
	facts   size.Facts  // about sizes, where a state runs
	windows map[int64]window

	to     map[kernel.Value]kernel.Value
	o      kernel.Value             // the state's place in the columns
	first  kernel.Value             // row of the window
	memory map[*site][]kernel.Value // what has been loaded and is visible, of what is remembered
	phase  phase
}

// phase says what stopping means where code is being written.
type phase struct {
	resume kernel.Value          // number of the site to go on at, None if nothing is remembered
	note   func()                // writes down what the phase adds to a state that stops
	abort  func() []kernel.Value // the results of the block being written if the state stops
	quiet  bool                  // the results of the block say whether the state has stopped
}

func newMaker(l *layout, b *Batch, strict bool) *maker {
	n := len(l.k.Sizes)
	m := &maker{
		layout: l, b: b, strict: strict, region: map[int]int{}, windows: map[int64]window{},
		states: kernel.SizeVar(n), rows: kernel.SizeVar(n + 1),
		to:     map[kernel.Value]kernel.Value{kernel.None: kernel.None},
		memory: map[*site][]kernel.Value{},
	}
	m.known = map[constant]kernel.Value{}
	m.facts = size.Facts{Lo: map[string]int64{}, Hi: map[string]int64{}}
	for i, r := range l.k.Sizes {
		name, _ := kernel.SizeVar(i).IsVar()
		m.facts.Lo[name], m.facts.Hi[name] = r.Lo, r.Hi
	}
	m.header()
	return m
}

func (m *maker) header() {
	k := &kernel.Kernel{Sites: m.k.Sites, Outer: m.states, Grain: size.Const(1), Count: m.states}
	number := kernel.Size{Hi: maxNumber}
	rows := number
	if m.b.Rounds {
		rows.Hi = 1
	}
	k.Sizes = append(slices.Clone(m.k.Sizes), number, rows, number)
	// The first row has no range, so that no proof tries to make something of
	// the offsets into a window: they are compared before each use.
	k.Scalars = append(slices.Clone(m.k.Scalars), kernel.Scalar{Kind: num.I64, Lo: math.MinInt64, Hi: math.MaxInt64})
	for _, c := range m.columns {
		k.Regions = append(k.Regions, kernel.Region{Elem: c.Kind, Len: m.states, Access: kernel.ReadWrite})
	}
	for _, r := range m.b.Far {
		w := m.k.Regions[r]
		if w.Len = m.rows.MulConst(m.far[r]); m.b.Rounds {
			w.Len = m.states.MulConst(m.far[r])
		}
		m.region[r] = len(k.Regions)
		k.Regions = append(k.Regions, w)
	}
	for _, r := range m.b.Near {
		m.region[r] = len(k.Regions)
		k.Regions = append(k.Regions, m.k.Regions[r])
	}
	m.kernel = k
}

// make writes the body: which states run, then what they do.
func (m *maker) make() *kernel.Kernel {
	body := &m.kernel.Body
	m.stack = []*kernel.Block{body}
	body.Params = []kernel.Value{m.value(num.I64), m.value(num.I64), m.value(num.I64)}
	m.o = body.Params[0]
	want := m.read(wantColumn)
	if m.b.Rounds {
		m.first = want
		m.openWindows()
		m.when(m.op(num.Ge, want, m.int(0)), func() { m.positive(m.limits(), m.state) })
		m.finish(m.kernel)
		return m.kernel
	}
	m.first = m.scalar(len(m.k.Scalars), num.I64)
	m.openWindows()
	// A state that had spent its turns at an empty window can go on at one.
	waits := m.op(num.Eq, want, m.first)
	inside := m.op(num.Or, waits, m.inside(m.relative(want, 1), 1))
	m.when(m.op(num.Or, inside, m.begins(want)), func() { m.positive(m.limits(), m.state) })
	m.finish(m.kernel)
	return m.kernel
}

// read loads a state column.
func (m *maker) read(column int) kernel.Value {
	return m.load(column, m.columns[column].Kind, m.o)
}

func (m *maker) write(column int, v kernel.Value) { m.store(column, m.o, v) }

// begins reports a state that has never run.
func (m *maker) begins(want kernel.Value) kernel.Value {
	is := m.op(num.Eq, want, m.int(0))
	if m.turnColumn == 0 {
		return is
	}
	return m.op(num.And, is, m.op(num.Eq, m.read(m.turnColumn), m.int(notBegun)))
}

// limits lists what bounds the id and the inputs. Where one is 0 nothing
// keeps it, so there is no state.
func (m *maker) limits() []size.Poly {
	if !m.strict {
		return nil
	}
	ps := []size.Poly{m.ids}
	for _, in := range m.inputs {
		if r := m.k.Regions[in.load.Region]; r.Bounded {
			ps = append(ps, r.Bound)
		}
	}
	return ps
}

// positive calls f where every p is known to be at least 1.
func (m *maker) positive(ps []size.Poly, f func()) {
	switch {
	case len(ps) == 0:
		f()
	case m.isPositive(ps[0]):
		m.positive(ps[1:], f)
	default:
		m.when(m.poly(kernel.Positive, ps[0], num.Bool), func() {
			m.facts.NonNeg = append(m.facts.NonNeg, ps[0].AddConst(-1))
			m.positive(ps[1:], f)
		})
	}
}

func (m *maker) isPositive(p size.Poly) bool { return m.facts.Proves(p.AddConst(-1)) }

// keeps reports that a bound p is to be kept, and can be.
func (m *maker) keeps(p size.Poly) bool { return m.strict && m.isPositive(p) }

// keep restores the bound of a value from a column.
func (m *maker) keep(v kernel.Value, bounded bool, p size.Poly) kernel.Value {
	if bounded && m.keeps(p) {
		return m.bound(v, p)
	}
	return v
}
