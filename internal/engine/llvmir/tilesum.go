package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// The sums of a tile, a vector for each cell, are folded two lanes at a time, in the order in which lanes that
// fold by halves follow each other. So what is finished joins like the digits of a binary counter, the
// lanes of a leaf first and then the leaves: what waits at level l has 2^l pairs. Two lanes side by side join in registers: a
// tile goes to memory half as often as with one, which matters where lanes have few slots. Where they have so many that what two read of
// the columns does not stay in the first cache, all rows of a tile fold one lane, or a part of it, and what is not finished waits.

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
	if b.cell == "" {
		return t.vectorAt(level, b, strconv.Itoa(cell))
	}
	return t.vectorAt(level, b, t.set("add i64 %s, %d", b.cell, cell))
}

// sums folds the tiles of some bands whose first column is given, out of the panels, pair of lanes by pair. It gives the
// level at which all is joined but for what close joins.
func (t *tiling) sums(bands func(func(b band)), j string, columns []string) (lowest string) {
	none := t.identities(t.rows)
	bands(func(b band) { // of folds without slots
		for x, s := range none {
			t.keep(s.typ, s.text, t.waiting("0", b, x))
		}
	})
	t.eachLeaf(func(l leafSlots) {
		t.loop("0", strconv.Itoa(t.leafPairs()), 1, nil, func(number string, _ []string) ([]string, string) {
			before := t.set("add i64 %s, %s", t.set("mul i64 %s, %d", l.number, t.leafPairs()), number)
			level := t.zeros("cttz", t.set("xor i64 %s, -1", before))
			pair := t.pairAt(l, number)
			t.either(t.long(l), func() { t.lanesApart(bands, l, number, level, j, columns) }, func() {
				bands(func(b band) {
					t.parts(b, func(b band) {
						t.push(level, b, with(t.identities(t.portion), t.pairSums(t.cells(b.i, j, t.portion), pair, columns, b.rows)))
					})
				})
			})
			return nil, ""
		})
	})
	count := t.pairs()
	return t.zeros("cttz", t.set("or i64 %s, %s", count, t.set("zext i1 %s to i64", t.set("icmp eq i64 %s, 0", count))))
}

// leafPairs is the number of pairs of lanes of a leaf, and pairs that of all.
func (t *tiling) leafPairs() int { return t.leafLanes() / 2 }
func (t *tiling) pairs() string  { return t.set("mul i64 %s, %d", t.slots.leaves, t.leafPairs()) }

// parts goes over the rows of a band as many at a time as two lanes have registers for.
func (t *tiling) parts(b band, f func(b band)) {
	t.loop("0", strconv.Itoa(t.rows), int64(t.portion), nil, func(row string, _ []string) ([]string, string) {
		rows := make([]string, len(b.rows))
		for n, p := range t.bandPanels {
			rows[n] = p.element(b.rows[n], "0", row, 0)
		}
		f(band{b.number, t.set("add i64 %s, %s", b.i, row), rows, t.set("mul i64 %s, %d", row, t.vectors)})
		return nil, ""
	})
}

func (t *tiling) identities(rows int) (s []state) {
	for range rows * t.vectors {
		s = append(s, state{typ{t.acc.Kind, t.n}, t.identity(t.acc, t.n)[0]})
	}
	return s
}

// pair is two lanes of a leaf, of which the second folds with the first.
type pair [2]laneSlots

// laneSlots are those of a lane.
type laneSlots struct {
	at    string // where the first lies in a panel, in slots
	first string // of the fold's
	steps string
}

func (t *tiling) pairAt(l leafSlots, number string) (p pair) {
	at, lane := t.set("shl i64 %s, 1", number), t.laneAt(t.set("shl i64 %s, 1", number))
	for x := range p {
		p[x] = laneSlots{t.set("add i64 %s, %s", l.base, t.set("mul i64 %s, %s", at, l.stride)), t.set("add i64 %s, %s", l.first, lane), t.stepsOf(l, lane)}
		at, lane = t.set("add i64 %s, 1", at), t.set("add i64 %s, %d", lane, t.leafPairs())
	}
	return p
}

// stepBytes is what a step of a lane reads of the columns.
func (t *tiling) stepBytes() int { return max(1, t.columns()*elementBytes(t.stripPanels)) }

// long reports that two lanes read more of the columns than should stay in the first cache.
func (t *tiling) long(l leafSlots) string {
	return t.set("icmp ugt i64 %s, %s", t.set("mul i64 %s, %d", l.stride, 2*t.stepBytes()), t.fromBlock("i64", t.lay.Near))
}

// lanesApart folds a pair of lanes of all rows of some bands, one lane after the other and each in pieces.
func (t *tiling) lanesApart(bands func(func(b band)), l leafSlots, number, level, j string, columns []string) {
	most := t.larger(t.set("udiv i64 %s, %d", t.fromBlock("i64", t.lay.Near), t.stepBytes()), "1")
	pieces := t.set("udiv i64 %s, %s", t.set("add i64 %s, %s", l.stride, t.set("add i64 %s, -1", most)), most)
	size := t.set("udiv i64 %s, %s", t.set("add i64 %s, %s", l.stride, t.set("add i64 %s, -1", pieces)), pieces)
	t.loop("0", "2", 1, nil, func(second string, _ []string) ([]string, string) {
		lane := t.oneLane(l, number, second)
		unfinished := t.set("add i64 %s, %d", second, tileLevels)
		t.loop("0", pieces, 1, nil, func(piece string, _ []string) ([]string, string) {
			from := t.set("mul i64 %s, %s", piece, size)
			to := t.lesser(t.set("add i64 %s, %s", from, size), lane.steps)
			over := t.set("icmp eq i64 %s, %s", t.set("add i64 %s, 1", piece), pieces)
			over = t.set("and i1 %s, %s", over, t.set("trunc i64 %s to i1", second))
			bands(func(b band) {
				none := t.identities(t.rows)
				sums := t.when(t.set("icmp ne i64 %s, 0", piece), none, func() []string { return t.recalled(unfinished, b) })
				cells, next := t.cells(b.i, j, t.rows), t.nextLines(lane, from, size, b, columns)
				t.ask = func(step string) {
					for _, at := range next {
						line := t.set("getelementptr [%d x i8], ptr %s, i64 %s", lineBytes, at, t.set("sub i64 %s, %s", step, from))
						t.line("%s", t.called("void", "llvm.prefetch.p0", nil, []string{"ptr " + line, "i32 0", "i32 2", "i32 1"}))
					}
				}
				sums = t.steps(cells, []laneSlots{lane}, from, t.larger(from, to), sums, columns, b.rows)
				t.ask = nil
				t.either(over, func() { t.push(level, b, with(none, t.joined(strconv.Itoa(tileLevels), b, sums))) }, func() {
					for x, v := range sums {
						t.keep(none[x].typ, v, t.waiting(unfinished, b, x))
					}
				})
			})
			return nil, ""
		})
		return nil, ""
	})
}

// nextLines are where the columns' elements of the next piece lie that a band asks for, a line for each of its steps: the
// last cache, out of which columns come, answers late. Behind the last lane begins the next tile.
func (t *tiling) nextLines(lane laneSlots, from, size string, b band, columns []string) (at []string) {
	slot := t.set("add i64 %s, %s", lane.at, t.set("add i64 %s, %s", from, size))
	for n, p := range t.stripPanels {
		first := p.element(columns[n], slot, "0", 0)
		at = append(at, t.set("getelementptr [%d x i8], ptr %s, i64 %s", lineBytes, first, t.set("mul i64 %s, %s", b.number, size)))
	}
	return at
}

// oneLane is the first or second of a pair by number.
func (t *tiling) oneLane(l leafSlots, number, second string) laneSlots {
	at := t.set("add i64 %s, %s", t.set("shl i64 %s, 1", number), second)
	lane := t.laneAt(at)
	return laneSlots{t.set("add i64 %s, %s", l.base, t.set("mul i64 %s, %s", at, l.stride)), t.set("add i64 %s, %s", l.first, lane), t.stepsOf(l, lane)}
}

// recalled are the cells that wait at a level.
func (t *tiling) recalled(level string, b band) (cells []string) {
	for x := range t.rows * t.vectors {
		cells = append(cells, t.recall(typ{t.acc.Kind, t.n}, t.waiting(level, b, x)))
	}
	return cells
}

// pairSums folds the slots of two lanes of a leaf and joins them. The first may have one more.
func (t *tiling) pairSums(cells []cell, p pair, columns, rows []string) (sums []string) {
	n, none := len(cells), texts(t.identities(t.portion))
	both := t.steps(cells, p[:], "0", p[1].steps, append(none[:n:n], none...), columns, rows)
	first := t.steps(cells, p[:1], p[1].steps, p[0].steps, both[:n], columns, rows)
	for x, v := range first {
		sums = append(sums, t.combine(t.acc, t.n, []string{v}, both[n+x:n+x+1])[0])
	}
	return sums
}

// steps folds slots of lanes side by side into sums, of each lane those of all cells.
func (t *tiling) steps(cells []cell, lanes []laneSlots, from, to string, sums, columns, rows []string) []string {
	var init []state
	for _, s := range sums[:len(lanes)*len(cells)] {
		init = append(init, state{typ{t.acc.Kind, t.n}, s})
	}
	return t.loop(from, to, 1, init, func(step string, c []string) (next []string, _ string) {
		if t.ask != nil {
			t.ask(step)
		}
		for n, lane := range lanes {
			next = append(next, t.step(cells, lane, step, c[n*len(cells):], columns, rows)...)
		}
		return next, ""
	})
}

// step folds one slot of a lane.
func (t *tiling) step(cells []cell, lane laneSlots, step string, c, columns, rows []string) (next []string) {
	slot := t.set("add i64 %s, %s", lane.at, step)
	k := t.set("add i64 %s, %s", lane.first, t.set("mul i64 %s, %d", step, t.leafLanes()))
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
	return next
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
	count := t.pairs()
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
