package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
)

// strip is the number of columns in a strip of tiles: what belongs to them
// stays in the second cache while all rows go over it, and what belongs to the
// rows of a tile in the first.
const strip = 32

// write gives tiles what divides into them, if a fold has one leaf. The plain
// nest has the other columns of the rows with tiles, and the other rows.
func (t *tiling) write() {
	ilo, ihi := t.scalar(t.i.Args[0]), t.scalar(t.i.Args[1])
	jlo, jhi := t.scalar(t.j.Args[0]), t.scalar(t.j.Args[1])
	imid := t.whole(ilo, ihi, t.rows)
	jmid := t.whole(jlo, jhi, t.columns)
	if !t.short(t.fold, num.Leaf) {
		count := t.turnCount(t.scalar(t.fold.Args[0]), t.scalar(t.fold.Args[1]))
		jmid = t.set("select i1 %s, i64 %s, i64 %s", t.set("icmp sle i64 %s, %d", count, num.Leaf), jmid, jlo)
	}
	t.memory = t.newTileMemory()
	t.bandPanels, t.stripPanels = t.panels()
	t.from = t.scalar(t.fold.Args[0])
	t.slots = t.set("udiv i64 %s, %d", t.turnCount(t.from, t.scalar(t.fold.Args[1])), num.Lanes(t.accs[0].Kind))
	t.sections = t.set("udiv i64 %s, %d", t.set("add i64 %s, %d", t.slots, t.sectionSlots()-1), t.sectionSlots())
	t.mid = t.set("add i64 %s, %s", t.from, t.set("mul i64 %s, %d", t.slots, num.Lanes(t.accs[0].Kind)))
	t.strips(jlo, jmid, strip, t.short(t.j, strip), nil, func(from, to string, _ []state) ([]string, string) {
		for _, p := range t.stripPanels {
			t.loop(from, to, int64(t.columns), nil, func(j string, _ []string) ([]string, string) {
				p.fill(t.tileOf(j, from), j)
				return nil, ""
			})
		}
		t.strips(ilo, imid, outerStrip, t.short(t.i, outerStrip), nil, func(ifrom, ito string, _ []state) ([]string, string) {
			t.loop(ifrom, ito, int64(t.rows), nil, func(i string, _ []string) ([]string, string) {
				t.band(i, from, to)
				return nil, ""
			})
			return nil, ""
		})
		return nil, ""
	})
	t.turns(t.i, ilo, ihi, nil, func(i string, _ []string) ([]string, string) {
		t.bind(t.i.Blocks[0].Params[0], i)
		b := &t.i.Blocks[0]
		for x := range b.Instrs {
			if in := &b.Instrs[x]; in != t.j {
				t.instr(in)
			} else {
				tiled := t.set("icmp slt i64 %s, %s", i, imid)
				t.plainFor(in, t.set("select i1 %s, i64 %s, i64 %s", tiled, jmid, jlo), jhi)
			}
		}
		t.flush()
		return nil, ""
	})
}

// whole is the greatest end below to that is a multiple of n from from.
func (t *tiling) whole(from, to string, n int) string {
	count := t.turnCount(from, to)
	return t.set("sub i64 %s, %s", t.set("add i64 %s, %s", from, count), t.set("urem i64 %s, %d", count, n))
}

// cell is what the values of the nest are for one i and j of a tile.
type cell []operand

// Folds of more than section slots take that many at a time into each tile of
// a group, so that what belongs to the rows stays in the first cache. Shorter
// ones finish tile by tile.
const (
	section = 512
	group   = 8 // columns
)

// band writes the tiles of some rows, from one column to another.
func (t *tiling) band(i, from, to string) {
	outside := t.pending
	t.pending = nil
	for _, p := range t.bandPanels {
		p.fill("0", i)
	}
	rowVals := t.rowsOf(i)
	count := t.turnCount(t.scalar(t.fold.Args[0]), t.scalar(t.fold.Args[1]))
	width := t.set("select i1 %s, i64 %d, i64 %d", t.set("icmp sle i64 %s, %d", count, section), t.columns, group)
	groups := t.set("udiv i64 %s, %s", t.set("add i64 %s, %s", t.turnCount(from, to), t.set("add i64 %s, -1", width)), width)
	t.loop("0", groups, 1, nil, func(g string, _ []string) ([]string, string) {
		j := t.set("add i64 %s, %s", from, t.set("mul i64 %s, %s", g, width))
		t.group(rowVals, from, j, t.pure("llvm.smin", typ{num.I64, 1}, t.set("add i64 %s, %s", j, width), to))
		return nil, ""
	})
	t.pending = outside
}

// group writes a group of tiles. The rows of lanes lie in memory, piece by
// piece; a piece of a tile's cells is in registers while it goes over a
// section.
func (t *tiling) group(rowVals []cell, strip, jfrom, jto string) {
	rows := t.memory
	tiles := func(f func(j string)) {
		t.loop(jfrom, jto, int64(t.columns), nil, func(j string, _ []string) ([]string, string) {
			rows.tile, t.tile = t.tileOf(j, jfrom), t.tileOf(j, strip)
			f(j)
			t.flush()
			return nil, ""
		})
	}
	pieces := func(f func(p string)) {
		t.loop("0", strconv.Itoa(t.pieces), 1, nil, func(p string, _ []string) ([]string, string) {
			f(p)
			return nil, ""
		})
	}
	tiles(func(string) { pieces(rows.clear) })
	t.loop("0", t.sections, 1, nil, func(s string, _ []string) ([]string, string) {
		first := t.set("mul i64 %s, %d", s, t.sectionSlots())
		slots := t.pure("llvm.smin", typ{num.I64, 1}, t.set("sub i64 %s, %s", t.slots, first), strconv.Itoa(t.sectionSlots()))
		tiles(func(j string) {
			cells := t.cells(rowVals, j)
			pieces(func(p string) { t.piece(cells, rows, s, p, slots) })
		})
		return nil, ""
	})
	tiles(func(j string) {
		cells := t.cells(rowVals, j)
		t.remainder(cells, rows)
		for x, sum := range t.sums(rows) {
			copy(t.vals, cells[x])
			t.bind(t.fold.Out[0], sum)
			t.straight(t.j, t.fold, false)
		}
	})
}

// tileOf is the number of a tile from a column on.
func (t *tiling) tileOf(j, from string) string {
	return t.set("udiv i64 %s, %d", t.set("sub i64 %s, %s", j, from), t.columns)
}

// tileMemory holds the rows of lanes for each cell of the tiles in a group,
// as vectors by tile, piece and cell.
type tileMemory struct {
	*tiling
	ty   typ
	addr string
	tile string // the one at hand
}

func (t *tiling) newTileMemory() *tileMemory {
	m := &tileMemory{tiling: t, ty: typ{t.accs[0].Kind, t.n}}
	m.addr = t.alloca(group*t.rows*t.pieces, m.ty)
	return m
}

func (m *tileMemory) at(cell int, piece string) string {
	i := m.set("add i64 %s, %s", m.set("mul i64 %s, %d", m.tile, m.pieces), piece)
	i = m.set("add i64 %s, %d", m.set("mul i64 %s, %d", i, m.rows*m.columns), cell)
	return m.set("getelementptr %s, ptr %s, i64 %s", m.ty, m.addr, i)
}

func (m *tileMemory) put(cell int, piece, v string) { m.keep(m.ty, v, m.at(cell, piece)) }

func (m *tileMemory) get(cell int, piece string) string { return m.recall(m.ty, m.at(cell, piece)) }

func (m *tileMemory) clear(piece string) {
	for x := range m.rows * m.columns {
		m.put(x, piece, m.identity(m.accs[0], m.n)[0])
	}
}

// rowsOf evaluates what stands outside of the loop over j, for each i.
func (t *tiling) rowsOf(i string) []cell {
	outer := slices.Clone(t.vals)
	var rows []cell
	for r := range t.rows {
		copy(t.vals, outer)
		t.bind(t.i.Blocks[0].Params[0], t.set("add i64 %s, %d", i, r))
		t.straight(t.i, t.j, true)
		t.straight(t.i, t.j, false)
		rows = append(rows, slices.Clone(t.vals))
	}
	t.flush()
	return rows
}

// cells evaluates what stands before the fold, for each i and j.
func (t *tiling) cells(rows []cell, j string) []cell {
	var cells []cell
	for _, row := range rows {
		for c := range t.columns {
			copy(t.vals, row)
			t.bind(t.j.Blocks[0].Params[0], t.set("add i64 %s, %d", j, c))
			t.straight(t.j, t.fold, true)
			cells = append(cells, slices.Clone(t.vals))
		}
	}
	return cells
}

// straight writes the instructions of a loop's body before or after the one
// that has a body itself.
func (t *tiling) straight(loop, around *kernel.Instr, before bool) {
	b := &loop.Blocks[0]
	for x := range b.Instrs {
		if in := &b.Instrs[x]; in == around {
			before = !before
		} else if before {
			t.instr(in)
		}
	}
}

// sectionSlots is the number of rows of lanes in a section.
func (t *tiling) sectionSlots() int { return section / (t.pieces * t.n) }

// piece folds a section, of some rows of lanes, into one piece of each cell's
// row. Equal loads are left to LLVM to find.
func (t *tiling) piece(cells []cell, rows *tileMemory, section, piece, slots string) {
	a := t.accs[0]
	var init []state
	for x := range cells {
		init = append(init, state{rows.ty, rows.get(x, piece)})
	}
	lanes := t.pieces * t.n
	start := t.set("add i64 %s, %s", t.from, t.set("mul i64 %s, %d", section, lanes*t.sectionSlots()))
	start = t.set("add i64 %s, %s", start, t.set("mul i64 %s, %d", piece, t.n))
	got := t.loop("0", slots, 1, init, func(slot string, c []string) (next []string, _ string) {
		t.sharing(t.n, func() {
			at := t.set("add i64 %s, %s", start, t.set("mul i64 %s, %d", slot, lanes))
			for x := range cells {
				copy(t.vals, cells[x])
				t.vals[t.body.Params[0]] = operand{text: at, stride: "1"}
				t.fromPanels(x, section, piece, slot)
				t.emitter.body(t.body)
				next = append(next, t.combine(a, t.n, c[x:x+1], t.values(t.accs))[0])
			}
			clear(t.packed)
		})
		return next, ""
	})
	for x, v := range got {
		rows.put(x, piece, v)
	}
}

// fromPanels makes a cell load from the panels.
func (t *tiling) fromPanels(x int, section, piece, slot string) {
	for _, p := range t.bandPanels {
		t.packed[p.load] = func() string { return t.recall(p.ty, p.vector("0", section, piece, slot, x/t.columns)) }
	}
	for _, p := range t.stripPanels {
		t.packed[p.load] = func() string { return t.recall(p.ty, p.vector(t.tile, section, piece, slot, x%t.columns)) }
	}
}

// remainder adds the slots mid..to of each cell's fold one by one.
func (t *tiling) remainder(cells []cell, rows *tileMemory) {
	a := t.accs[0]
	one := typ{a.Kind, 1}
	t.loop(t.mid, t.scalar(t.fold.Args[1]), 1, nil, func(k string, _ []string) ([]string, string) {
		slot := t.set("sub i64 %s, %s", k, t.mid)
		piece, lane := t.set("udiv i64 %s, %d", slot, t.n), t.set("urem i64 %s, %d", slot, t.n)
		for x := range cells {
			copy(t.vals, cells[x])
			t.bind(t.body.Params[0], k)
			t.emitter.body(t.body)
			at := t.set("getelementptr %s, ptr %s, i64 %s", one, rows.at(x, piece), lane)
			t.keep(one, t.combine(a, 1, []string{t.recall(one, at)}, t.values(t.accs))[0], at)
		}
		return nil, ""
	})
}
