package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// The sums of a tile, a vector for each cell, are folded lane by lane, in the order in which lanes that
// fold by halves follow each other. So what is finished joins like the digits of a binary counter, the
// lanes of a leaf first and then the leaves: what waits at level l has 2^l lanes.

// vectorAt is the address of a vector of a level.
func (t *tiling) vectorAt(level, number string) string {
	at := t.set("add i64 %s, %s", t.set("mul i64 %s, %d", level, t.rows*t.vectors), number)
	return t.set("getelementptr %s, ptr %s, i64 %s", typ{t.acc.Kind, t.n}, t.memory, at)
}

// waiting is the address of a cell at a level.
func (t *tiling) waiting(level string, cell int) string {
	return t.vectorAt(level, strconv.Itoa(cell))
}

// sums folds the tile whose first row and column are given, out of the panels at
// these addresses, and gives the level at which the sums lie.
func (t *tiling) sums(i, j string, columns, rows []string) string {
	cells := t.cells(i, j)
	none := t.identities()
	for x, s := range none { // of a fold without slots
		t.keep(s.typ, s.text, t.waiting("0", x))
	}
	t.eachLeaf(func(l leafSlots) {
		t.loop("0", strconv.Itoa(t.leafLanes()), 1, nil, func(number string, _ []string) ([]string, string) {
			sums := t.laneSums(cells, l, t.laneAt(number), columns, rows)
			before := t.set("add i64 %s, %s", t.set("mul i64 %s, %d", l.number, t.leafLanes()), number)
			t.push(before, with(none, sums))
			return nil, ""
		})
	})
	return t.close(t.set("mul i64 %s, %d", t.slots.leaves, t.leafLanes()))
}

func (t *tiling) identities() (s []state) {
	for range t.rows * t.vectors {
		s = append(s, state{typ{t.acc.Kind, t.n}, t.identity(t.acc, t.n)[0]})
	}
	return s
}

// laneSums folds the slots of one lane of a leaf.
func (t *tiling) laneSums(cells []cell, l leafSlots, lane string, columns, rows []string) []string {
	at := t.set("add i64 %s, %s", l.base, t.set("mul i64 %s, %s", lane, l.steps))
	first := t.set("add i64 %s, %s", l.first, lane)
	return t.loop("0", t.stepsOf(l, lane), 1, t.identities(), func(step string, c []string) (next []string, _ string) {
		slot := t.set("add i64 %s, %s", at, step)
		k := t.set("add i64 %s, %s", first, t.set("mul i64 %s, %d", step, t.leafLanes()))
		t.side.sharing(t.n, func() {
			for x := range cells {
				copy(t.vals, cells[x])
				t.bind(t.body.Params[0], k)
				t.fromPanels(x, slot, columns, rows)
				t.emitter.body(t.body)
				v := t.values([]accumulator{t.acc})[0]
				next = append(next, t.into(t.acc, t.n, c[x], v))
			}
			clear(t.packed)
		})
		return next, ""
	})
}

// fromPanels makes a cell load from the panels.
func (t *tiling) fromPanels(x int, slot string, columns, rows []string) {
	for n, p := range t.bandPanels {
		t.packed[p.load] = func() string {
			one := t.recall(typ{p.elem, 1}, p.element(rows[n], slot, "0", x/t.vectors))
			return t.splat(typ{p.elem, t.n}, one)
		}
	}
	for n, p := range t.stripPanels {
		t.packed[p.load] = func() string {
			return t.recall(typ{p.elem, t.n}, p.element(columns[n], slot, "0", x%t.vectors*t.n))
		}
	}
}

// push joins what is finished with what waits, as long as there is some at a level.
func (t *tiling) push(before string, sums []state) {
	level := t.zeros("cttz", t.set("xor i64 %s, -1", before))
	done := t.loop("0", level, 1, sums, func(level string, c []string) ([]string, string) {
		return t.joined(level, c), ""
	})
	for x, v := range done {
		t.keep(sums[x].typ, v, t.waiting(level, x))
	}
}

// joined combines what waits at a level, on the left, with what comes behind it.
func (t *tiling) joined(level string, c []string) (next []string) {
	ty := typ{t.acc.Kind, t.n}
	for x, v := range c {
		left := t.recall(ty, t.waiting(level, x))
		next = append(next, t.combine(t.acc, t.n, []string{left}, []string{v})[0])
	}
	return next
}

// close joins what still waits, from the lowest level up, and gives the level of the result. With one leaf, or
// any power of two, nothing does.
func (t *tiling) close(count string) string {
	lowest := t.zeros("cttz", t.set("or i64 %s, %s", count, t.set("zext i1 %s to i64", t.set("icmp eq i64 %s, 0", count))))
	end := t.set("sub i64 64, %s", t.zeros("ctlz", count))
	t.loop(t.set("add i64 %s, 1", lowest), end, 1, nil, func(level string, _ []string) ([]string, string) {
		bit := t.set("and i64 %s, 1", t.set("lshr i64 %s, %s", count, level))
		t.either(t.set("icmp ne i64 %s, 0", bit), func() {
			for x := range t.rows * t.vectors {
				ty, at := typ{t.acc.Kind, t.n}, t.waiting(lowest, x)
				left := t.recall(ty, t.waiting(level, x))
				t.keep(ty, t.combine(t.acc, t.n, []string{left}, []string{t.recall(ty, at)})[0], at)
			}
		}, func() {})
		return nil, ""
	})
	return lowest
}

// zeros counts those behind the last one of a number, or before the first.
func (t *tiling) zeros(name, x string) string {
	return t.call(typ{num.I64, 1}, "llvm."+name, []typ{{num.I64, 1}}, "i64 "+x, "i1 false")
}
