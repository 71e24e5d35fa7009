package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// laneMemory is the row of lanes of a leaf, in memory, where its slots come
// one by one. Each lane is a vector of n values when so many turns of an
// outer loop are folded side by side.
type laneMemory struct {
	*emitter
	accs []accumulator // ordered ones
	n    int
	// once tells that no lane gets a second slot: then slots are stored, and
	// nothing needs to be cleared.
	once bool
	rows []string
}

func (e *emitter) newLaneMemory(accs []accumulator, n int, once bool) *laneMemory {
	m := &laneMemory{e, accs, n, once && n > 1, nil}
	for _, a := range accs {
		m.rows = append(m.rows, e.alloca(num.Lanes(a.Kind), typ{a.Kind, n}))
	}
	return m
}

func (m *laneMemory) typ(acc int) typ { return typ{m.accs[acc].Kind, m.n} }

func (m *laneMemory) lane(acc int, i string) string {
	return m.set("getelementptr %s, ptr %s, i64 %s", m.typ(acc), m.rows[acc], i)
}

// used is the number of lanes that count slots reach.
func (m *laneMemory) used(acc int, count string) string {
	t := typ{num.I64, 1}
	return m.pure("llvm.smin", t, count, strconv.Itoa(num.Lanes(m.accs[acc].Kind)))
}

// clear puts the identity where slots will come. A row of scalars is cleared
// as a whole, for it is folded as a whole.
func (m *laneMemory) clear(count string) {
	if m.once {
		return
	}
	for i, a := range m.accs {
		if m.n == 1 {
			t := typ{a.Kind, num.Lanes(a.Kind)}
			m.storeRow(i, m.identity(a, t.n)[0])
			continue
		}
		m.loop("0", m.used(i, count), 1, nil, func(l string, _ []string) ([]string, string) {
			m.keep(m.typ(i), m.identity(a, m.n)[0], m.lane(i, l))
			return nil, ""
		})
	}
}

func (m *laneMemory) storeRow(acc int, row string) {
	k := m.accs[acc].Kind
	m.keep(typ{k, num.Lanes(k)}, row, m.rows[acc])
}

func (m *laneMemory) loadRow(acc int) string {
	k := m.accs[acc].Kind
	return m.recall(typ{k, num.Lanes(k)}, m.rows[acc])
}

// add combines the values of a slot, counted from the start of the leaf, into
// its lanes.
func (m *laneMemory) add(slot string, values []folded) {
	for i, a := range m.accs {
		if m.once {
			m.keep(m.typ(i), m.alone(a, m.n, values[i]), m.lane(i, slot))
			continue
		}
		at := m.lane(i, m.set("and i64 %s, %d", slot, num.Lanes(a.Kind)-1))
		old := m.recall(m.typ(i), at)
		m.keep(m.typ(i), m.into(a, m.n, old, values[i]), at)
	}
}

// fold folds the lanes by halves. Those that no slot has reached hold the
// identity, or nothing, and are left out.
func (m *laneMemory) fold(count string) []string {
	var sums []string
	for i, a := range m.accs {
		if m.n == 1 {
			sums = append(sums, m.halves(a, num.Lanes(a.Kind), []string{m.loadRow(i)})[0])
			continue
		}
		used := m.used(i, count)
		for half := num.Lanes(a.Kind) / 2; half > 0; half /= 2 {
			end := m.set("sub i64 %s, %d", used, half)
			m.loop("0", m.pure("llvm.smin", typ{num.I64, 1}, end, strconv.Itoa(half)), 1, nil, func(l string, _ []string) ([]string, string) {
				low, high := m.lane(i, l), m.lane(i, m.set("add i64 %s, %d", l, half))
				x, y := m.recall(m.typ(i), low), m.recall(m.typ(i), high)
				m.keep(m.typ(i), m.combine(a, m.n, []string{x}, []string{y})[0], low)
				return nil, ""
			})
			used = m.pure("llvm.smin", typ{num.I64, 1}, used, strconv.Itoa(half))
		}
		none := m.set("icmp eq i64 %s, 0", count)
		first := m.recall(m.typ(i), m.rows[i])
		sums = append(sums, m.set("select i1 %s, %s %s, %s %s", none, m.typ(i), m.identity(a, m.n)[0], m.typ(i), first))
	}
	return sums
}
