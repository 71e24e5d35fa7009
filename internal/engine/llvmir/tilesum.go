package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// The sums of a tile, a vector for each cell, are folded lane by lane, in the order in which lanes that
// fold by halves follow each other. So what is finished joins like the digits of a binary counter, the
// lanes of a leaf first and then the leaves: what waits at level l has 2^l lanes.

// tileLevels is how many levels there are: for the lanes of a leaf and some hundred leaves.
const tileLevels = 16

// vectorAt is the address of a vector of a band's tile at a level.
func (t *tiling) vectorAt(level string, b band, number string) string {
	at := t.set("add i64 %s, %s", t.set("mul i64 %s, %d", level, group), b.number)
	at = t.set("add i64 %s, %s", t.set("mul i64 %s, %d", at, t.rows*t.vectors), number)
	return t.set("getelementptr %s, ptr %s, i64 %s", typ{t.acc.Kind, t.n}, t.memory, at)
}

// waiting is the address of a cell at a level.
func (t *tiling) waiting(level string, b band, cell int) string {
	return t.vectorAt(level, b, strconv.Itoa(cell))
}

// sums folds the tiles of some bands whose first column is given, out of the panels, lane by lane. It gives the
// level at which all is joined but for what close joins.
func (t *tiling) sums(bands func(func(b band)), j string, columns []string) (lowest string) {
	none := t.identities()
	bands(func(b band) { // of folds without slots
		for x, s := range none {
			t.keep(s.typ, s.text, t.waiting("0", b, x))
		}
	})
	t.eachLeaf(func(l leafSlots) {
		t.loop("0", strconv.Itoa(t.leafLanes()), 1, nil, func(number string, _ []string) ([]string, string) {
			before := t.set("add i64 %s, %s", t.set("mul i64 %s, %d", l.number, t.leafLanes()), number)
			lane, level := t.laneAt(number), t.zeros("cttz", t.set("xor i64 %s, -1", before))
			bands(func(b band) {
				sums := t.laneSums(t.cells(b.i, j), l, lane, columns, b.rows)
				t.push(level, b, with(none, sums))
			})
			return nil, ""
		})
	})
	count := t.set("mul i64 %s, %d", t.slots.leaves, t.leafLanes())
	return t.zeros("cttz", t.set("or i64 %s, %s", count, t.set("zext i1 %s to i64", t.set("icmp eq i64 %s, 0", count))))
}

func (t *tiling) identities() (s []state) {
	for range t.rows * t.vectors {
		s = append(s, state{typ{t.acc.Kind, t.n}, t.identity(t.acc, t.n)[0]})
	}
	return s
}

// laneSums folds the slots of one lane of a leaf.
func (t *tiling) laneSums(cells []cell, l leafSlots, lane string, columns, rows []string) []string {
	at := t.set("add i64 %s, %s", l.base, t.set("mul i64 %s, %s", lane, l.stride))
	first := t.set("add i64 %s, %s", l.first, lane)
	return t.loop("0", t.stepsOf(l, lane), 1, t.identities(), func(step string, c []string) (next []string, _ string) {
		slot := t.set("add i64 %s, %s", at, step)
		k := t.set("add i64 %s, %s", first, t.set("mul i64 %s, %d", step, t.leafLanes()))
		t.side.sharing(t.n, func() {
			for x := range cells {
				copy(t.vals, cells[x])
				t.bind(t.Body.Params[0], k)
				t.fromPanels(x, slot, columns, rows)
				t.emitter.body(t.Body)
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

// push joins what is finished with what waits below a level, and leaves it there.
func (t *tiling) push(level string, b band, sums []state) {
	done := t.loop("0", level, 1, sums, func(level string, c []string) ([]string, string) {
		return t.joined(level, b, c), ""
	})
	for x, v := range done {
		t.keep(sums[x].typ, v, t.waiting(level, b, x))
	}
}

// joined combines what waits at a level, on the left, with what comes behind it.
func (t *tiling) joined(level string, b band, c []string) (next []string) {
	ty := typ{t.acc.Kind, t.n}
	for x, v := range c {
		left := t.recall(ty, t.waiting(level, b, x))
		next = append(next, t.combine(t.acc, t.n, []string{left}, []string{v})[0])
	}
	return next
}

// close joins what still waits, from the lowest level up, where the result stays. With one leaf, or any power
// of two, nothing does.
func (t *tiling) close(lowest string, b band) {
	count := t.set("mul i64 %s, %d", t.slots.leaves, t.leafLanes())
	end := t.set("sub i64 64, %s", t.zeros("ctlz", count))
	t.loop(t.set("add i64 %s, 1", lowest), end, 1, nil, func(level string, _ []string) ([]string, string) {
		bit := t.set("and i64 %s, 1", t.set("lshr i64 %s, %s", count, level))
		t.either(t.set("icmp ne i64 %s, 0", bit), func() {
			ty := typ{t.acc.Kind, t.n}
			for x := range t.rows * t.vectors {
				at := t.waiting(lowest, b, x)
				left := t.recall(ty, t.waiting(level, b, x))
				t.keep(ty, t.combine(t.acc, t.n, []string{left}, []string{t.recall(ty, at)})[0], at)
			}
		}, func() {})
		return nil, ""
	})
}

// zeros counts those behind the last one of a number, or before the first.
func (t *tiling) zeros(name, x string) string {
	return t.call(typ{num.I64, 1}, "llvm."+name, []typ{{num.I64, 1}}, "i64 "+x, "i1 false")
}
