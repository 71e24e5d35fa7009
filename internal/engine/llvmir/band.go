package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// stripBytes is how much of the columns' elements makes a strip of tiles: it
// stays in the second cache while all rows go over it, and what belongs to the
// rows of a tile in the first.
const stripBytes = 384 << 10

// bands is the number of bands of tiles between two looks at the stop word.
const bands = 16

// write gives tiles to all rows and columns, if there are enough and a fold has
// one leaf.
func (t *tiling) write() {
	ilo, ihi := t.scalar(t.i.Args[0]), t.scalar(t.i.Args[1])
	jlo, jhi := t.scalar(t.j.Args[0]), t.scalar(t.j.Args[1])
	enough := t.set("icmp sge i64 %s, %d", t.turnCount(ilo, ihi), (t.rows+1)/2)
	enough = t.set("and i1 %s, %s", enough, t.set("icmp sge i64 %s, %d", t.turnCount(jlo, jhi), t.columns))
	if !t.short(t.fold, num.Leaf) {
		enough = t.set("and i1 %s, %s", enough, t.set("icmp sle i64 %s, %d", t.slotCount(), num.Leaf))
	}
	t.either(enough, func() { t.tiles(ilo, ihi, jlo, jhi) }, func() {
		t.turns(t.i, ilo, ihi, nil, func(i string, _ []string) ([]string, string) {
			t.bind(t.i.Blocks[0].Params[0], i)
			b := &t.i.Blocks[0]
			for x := range b.Instrs {
				if in := &b.Instrs[x]; in != t.j {
					t.instr(in)
				} else {
					t.plainFor(in, jlo, jhi)
				}
			}
			t.flush()
			return nil, ""
		})
	})
}

// slotCount is the number of slots of each fold.
func (t *tiling) slotCount() string {
	return t.turnCount(t.scalar(t.fold.Args[0]), t.scalar(t.fold.Args[1]))
}

// tiles covers all rows and columns. Where they do not divide, the last tile
// has the last row or column several times, and stores the same bits again.
func (t *tiling) tiles(ilo, ihi, jlo, jhi string) {
	lanes := num.Lanes(t.accs[0].Kind)
	t.from, t.iend, t.jend = t.scalar(t.fold.Args[0]), ihi, jhi
	t.slots = t.set("udiv i64 %s, %d", t.slotCount(), lanes)
	t.sections = t.set("udiv i64 %s, %d", t.set("add i64 %s, %d", t.slots, t.sectionSlots()-1), t.sectionSlots())
	t.sections = t.larger(t.sections, "1")
	t.mid = t.set("add i64 %s, %s", t.from, t.set("mul i64 %s, %d", t.slots, lanes))
	t.memory = t.newTileMemory()
	t.bandPanels, t.stripPanels = t.panels()
	t.eachStrip(jlo, jhi, func(from, to string) {
		for _, p := range t.stripPanels {
			t.loop(from, to, int64(t.columns), nil, func(j string, _ []string) ([]string, string) {
				p.fill(t.tileOf(j, from), j)
				return nil, ""
			})
		}
		t.strips(ilo, ihi, int64(bands*t.rows), t.short(t.i, int64(bands*t.rows)), nil, func(ifrom, ito string, _ []state) ([]string, string) {
			t.loop(ifrom, ito, int64(t.rows), nil, func(i string, _ []string) ([]string, string) {
				t.band(i, from, to)
				return nil, ""
			})
			return nil, ""
		})
	})
}

// eachStrip cuts the columns into strips, the wider the shorter the folds are.
func (t *tiling) eachStrip(jlo, jhi string, body func(from, to string)) {
	lanes := num.Lanes(t.accs[0].Kind)
	column := t.set("mul i64 %s, %d", t.sections, t.sectionSlots()*lanes)
	width := t.set("udiv i64 %d, %s", t.stripElements(), column)
	width = t.set("sub i64 %s, %s", width, t.set("urem i64 %s, %d", width, t.columns))
	count := t.turnCount(jlo, jhi)
	strips := t.set("udiv i64 %s, %s", t.set("add i64 %s, %s", count, t.set("add i64 %s, -1", width)), width)
	t.loop("0", strips, 1, nil, func(s string, _ []string) ([]string, string) {
		t.lookAtStop()
		from := t.set("add i64 %s, %s", jlo, t.set("mul i64 %s, %s", s, width))
		body(from, t.lesser(t.set("add i64 %s, %s", from, width), jhi))
		return nil, ""
	})
}

// stripElements is the number of elements in a strip: those of one tile fit at
// least.
func (t *tiling) stripElements() int {
	return max(stripBytes/t.accs[0].Kind.Size(), num.Leaf*t.columns)
}

func (t *tiling) lesser(x, y string) string { return t.pure("llvm.smin", typ{num.I64, 1}, x, y) }
func (t *tiling) larger(x, y string) string { return t.pure("llvm.smax", typ{num.I64, 1}, x, y) }

// row and column are those of a tile by number, at most the last.
func (t *tiling) row(first string, number int) string { return t.upTo(t.iend, first, number) }

func (t *tiling) column(first string, number int) string { return t.upTo(t.jend, first, number) }

func (t *tiling) upTo(end, first string, number int) string {
	if number == 0 {
		return first
	}
	return t.lesser(t.set("add i64 %s, %d", first, number), t.set("add i64 %s, -1", end))
}

// cell is what the values of the nest are for one i and j of a tile.
type cell []operand

// Folds of more than section slots take that many at a time into each tile of
// a group, so that what belongs to the rows stays in the first cache. Shorter
// ones finish tile by tile.
const (
	section = 512
	group   = 16 // columns
)

// band writes the tiles of some rows, from one column to another.
func (t *tiling) band(i, from, to string) {
	outside := t.pending
	t.pending = nil
	for _, p := range t.bandPanels {
		p.fill("0", i)
	}
	rowVals := t.rowsOf(i)
	width := t.set("select i1 %s, i64 %d, i64 %d", t.set("icmp sle i64 %s, %d", t.slotCount(), section), t.columns, group)
	groups := t.set("udiv i64 %s, %s", t.set("add i64 %s, %s", t.turnCount(from, to), t.set("add i64 %s, -1", width)), width)
	t.loop("0", groups, 1, nil, func(g string, _ []string) ([]string, string) {
		j := t.set("add i64 %s, %s", from, t.set("mul i64 %s, %s", g, width))
		t.group(rowVals, from, j, t.lesser(t.set("add i64 %s, %s", j, width), to))
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
	t.loop("0", t.sections, 1, nil, func(s string, _ []string) ([]string, string) {
		first := t.set("mul i64 %s, %d", s, t.sectionSlots())
		slots := t.lesser(t.set("sub i64 %s, %s", t.slots, first), strconv.Itoa(t.sectionSlots()))
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
	ty    typ
	addr  string
	empty string // what a piece of a tile is before the first section
	tile  string // the one at hand
}

func (t *tiling) newTileMemory() *tileMemory {
	m := &tileMemory{tiling: t, ty: typ{t.accs[0].Kind, t.n}}
	m.addr = t.alloca(group*t.rows*t.pieces, m.ty)
	m.empty = t.alloca(t.rows*t.columns, m.ty)
	for x := range t.rows * t.columns {
		m.keep(m.ty, m.identity(t.accs[0], m.n)[0], m.cell(m.empty, x))
	}
	return m
}

// piece is the address of a piece of all cells in the tile at hand.
func (m *tileMemory) piece(piece string) string {
	i := m.set("add i64 %s, %s", m.set("mul i64 %s, %d", m.tile, m.pieces), piece)
	return m.set("getelementptr %s, ptr %s, i64 %s", m.ty, m.addr, m.set("mul i64 %s, %d", i, m.rows*m.columns))
}

func (m *tileMemory) cell(piece string, x int) string {
	return m.set("getelementptr %s, ptr %s, i64 %d", m.ty, piece, x)
}

func (m *tileMemory) at(cell int, piece string) string { return m.cell(m.piece(piece), cell) }

// before is where a piece lies before a section.
func (m *tileMemory) before(section, piece string) string {
	first := m.set("icmp eq i64 %s, 0", section)
	return m.set("select i1 %s, ptr %s, ptr %s", first, m.empty, m.piece(piece))
}

// rowsOf evaluates what stands outside of the loop over j, for each i.
func (t *tiling) rowsOf(i string) []cell {
	outer := slices.Clone(t.vals)
	var rows []cell
	for r := range t.rows {
		copy(t.vals, outer)
		t.bind(t.i.Blocks[0].Params[0], t.row(i, r))
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
			t.bind(t.j.Blocks[0].Params[0], t.column(j, c))
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
	before := rows.before(section, piece)
	for x := range cells {
		init = append(init, state{rows.ty, t.recall(rows.ty, rows.cell(before, x))})
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
				next = append(next, t.into(a, t.n, c[x], t.values(t.accs)[0]))
			}
			clear(t.packed)
		})
		return next, ""
	})
	for x, v := range got {
		t.keep(rows.ty, v, rows.at(x, piece))
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

// remainder adds the slots mid..to of each cell's fold, which do not fill a row
// of lanes: whole vectors first, and then one by one.
func (t *tiling) remainder(cells []cell, rows *tileMemory) {
	a := t.accs[0]
	add := func(k operand, n int, at func(x int) string) {
		ty := typ{a.Kind, n}
		for x := range cells {
			copy(t.vals, cells[x])
			t.vals[t.body.Params[0]] = k
			t.emitter.body(t.body)
			t.keep(ty, t.into(a, n, t.recall(ty, at(x)), t.values(t.accs)[0]), at(x))
		}
	}
	end := t.scalar(t.fold.Args[1])
	vectors := t.set("udiv i64 %s, %d", t.turnCount(t.mid, end), t.n)
	t.loop("0", vectors, 1, nil, func(piece string, _ []string) ([]string, string) {
		t.sharing(t.n, func() {
			k := t.set("add i64 %s, %s", t.mid, t.set("mul i64 %s, %d", piece, t.n))
			add(operand{text: k, stride: "1"}, t.n, func(x int) string { return rows.at(x, piece) })
		})
		return nil, ""
	})
	t.loop(t.set("add i64 %s, %s", t.mid, t.set("mul i64 %s, %d", vectors, t.n)), end, 1, nil, func(k string, _ []string) ([]string, string) {
		lane := t.set("urem i64 %s, %d", t.set("sub i64 %s, %s", k, t.mid), t.n)
		add(operand{text: k}, 1, func(x int) string {
			return t.set("getelementptr %s, ptr %s, i64 %s", typ{a.Kind, 1}, rows.at(x, vectors), lane)
		})
		return nil, ""
	})
}
