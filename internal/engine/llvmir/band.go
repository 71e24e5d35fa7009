package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// write gives tiles to all rows and columns, if there are enough: as wide ones
// as there are columns for, or as wide as a vector or a quarter of one.
func (t *tiling) write() {
	ilo, ihi := t.scalar(t.i.Args[0]), t.scalar(t.i.Args[1])
	jlo, jhi := t.scalar(t.j.Args[0]), t.scalar(t.j.Args[1])
	t.slotting()
	columns := t.turnCount(jlo, jhi)
	enough := t.set("icmp sge i64 %s, %d", t.turnCount(ilo, ihi), (t.rows+1)/2)
	enough = t.set("and i1 %s, %s", enough, t.set("icmp ule i64 %s, %s", t.slots.padded, t.longest()))
	plain := func() { t.plainRows(ilo, ihi, jlo, jhi) }
	wide := func(t *tiling) string { return t.set("icmp sge i64 %s, %d", columns, t.columns()) }
	ways := []*tiling{t, t.narrowed(t.n)}
	if n := t.n / 4; n > 1 {
		ways = append(ways, t.narrowed(n))
	}
	choose := plain
	for _, w := range slices.Backward(ways) {
		otherwise := choose
		choose = func() { t.either(wide(w), func() { w.tiles(ilo, ihi, jlo, jhi) }, otherwise) }
	}
	t.either(enough, choose, plain)
}

// plainRows folds one element after the other.
func (t *tiling) plainRows(ilo, ihi, jlo, jhi string) {
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
}

// longest is how many slots a fold may have for a tile's rows to fit a block of
// the work memory, and its columns a strip.
func (t *tiling) longest() string {
	rows, columns := t.panels()
	most := t.work(t.lay.Block, elementBytes(rows)*t.rows)
	most = t.lesser(most, t.work(t.lay.Strip, elementBytes(columns)*t.columns()))
	return t.lesser(most, strconv.Itoa(num.Leaf<<(tileLevels-7)))
}

// work is how many times bytes fit the part of the work memory whose size is at an offset of the arguments.
func (t *tiling) work(at int64, bytes int) string {
	return t.set("udiv i64 %s, %d", t.fromBlock("i64", at), max(bytes, 1))
}

// elementBytes is the size of an element of each panel.
func elementBytes(panels []*panel) (bytes int) {
	for _, p := range panels {
		bytes += p.elem.Size()
	}
	return bytes
}

// tiles covers all rows and columns. Where they do not divide, the last tile begins before the end of the one
// before it, and stores the same bits again.
func (t *tiling) tiles(ilo, ihi, jlo, jhi string) {
	t.ilo, t.ihi, t.jhi = ilo, ihi, jhi
	t.memory = t.alloca((tileLevels+len(pair{}))*group*t.rows*t.vectors, typ{t.acc.Kind, t.n})
	t.bandPanels, t.stripPanels = t.panels()
	strip := t.fitting(t.lay.Strip, t.stripPanels, t.columns())
	block := t.fitting(t.lay.Block, t.bandPanels, t.rows)
	base := t.fromBlock("ptr", t.lay.Work)
	t.place(base, t.bandPanels, block)
	strips := t.set("getelementptr i8, ptr %s, i64 %s", base, t.fromBlock("i64", t.lay.Block))
	width := t.set("mul i64 %s, %d", strip, t.columns())
	height := t.set("mul i64 %s, %d", block, t.rows)
	h := t.hold(t.pieces(jlo, jhi, width), t.spanOf(t.stripPanels, strip))
	t.cut(jlo, jhi, width, func(number, from, to string) {
		t.place(t.set("getelementptr i8, ptr %s, i64 %s", strips, h.place(number)), t.stripPanels, strip)
		t.either(h.there, func() {}, func() {
			t.fill(t.stripPanels, t.upward(t.turnCount(from, to), t.columns()), func(x string) string { return t.firstColumn(from, x) })
		})
		t.cut(ilo, ihi, height, func(_, ifrom, ito string) {
			bands := t.upward(t.turnCount(ifrom, ito), t.rows)
			t.fill(t.bandPanels, bands, func(x string) string { return t.firstRow(ifrom, x) })
			t.bands(ifrom, bands, from, t.upward(t.turnCount(from, to), t.columns()))
		})
	})
	h.keep()
}

// fitting is how many tiles' elements fit a part of the work memory.
func (t *tiling) fitting(at int64, panels []*panel, each int) string {
	if len(panels) == 0 {
		return strconv.Itoa(num.Leaf)
	}
	one := t.larger(t.set("mul i64 %s, %d", t.slots.padded, each*elementBytes(panels)), "1")
	return t.larger(t.set("udiv i64 %s, %s", t.fromBlock("i64", at), one), "1")
}

// place gives panels of so many tiles their addresses, one behind the other.
func (t *tiling) place(base string, panels []*panel, tiles string) {
	for _, p := range panels {
		p.addr = base
		base = t.set("getelementptr i8, ptr %s, i64 %s", base, t.bytes(p, tiles))
	}
}

// bytes is what so many tiles take in a panel, and spanOf what they take in all of some panels.
func (t *tiling) bytes(p *panel, tiles string) string {
	return t.set("mul i64 %s, %d", t.set("mul i64 %s, %s", tiles, t.slots.padded), p.each*p.elem.Size())
}

func (t *tiling) spanOf(panels []*panel, tiles string) string {
	sum := "0"
	for _, p := range panels {
		sum = t.set("add i64 %s, %s", sum, t.bytes(p, tiles))
	}
	return sum
}

// cut goes over from..to in parts of a size, with a look at the stop word before each.
func (t *tiling) cut(from, to, size string, body func(number, from, to string)) {
	t.loop("0", t.pieces(from, to, size), 1, nil, func(x string, _ []string) ([]string, string) {
		t.lookAtStop()
		first := t.set("add i64 %s, %s", from, t.set("mul i64 %s, %s", x, size))
		body(x, first, t.lesser(t.set("add i64 %s, %s", first, size), to))
		return nil, ""
	})
}

// pieces is how many parts of a size from..to has.
func (t *tiling) pieces(from, to, size string) string {
	count := t.turnCount(from, to)
	return t.set("udiv i64 %s, %s", t.set("add i64 %s, %s", count, t.set("add i64 %s, -1", size)), size)
}

func (t *tiling) fill(panels []*panel, tiles string, first func(x string) string) {
	for _, p := range panels {
		t.loop("0", tiles, 1, nil, func(x string, _ []string) ([]string, string) {
			p.fill(p.tile(x), first(x))
			return nil, ""
		})
	}
}

// firstColumn is that of a tile by number, from a column on.
func (t *tiling) firstColumn(from, number string) string {
	j := t.set("add i64 %s, %s", from, t.set("mul i64 %s, %d", number, t.columns()))
	return t.lesser(j, t.set("sub i64 %s, %d", t.jhi, t.columns()))
}

// firstRow is that of a band by number. There may be fewer rows than a band's.
func (t *tiling) firstRow(from, number string) string {
	i := t.set("add i64 %s, %s", from, t.set("mul i64 %s, %d", number, t.rows))
	return t.larger(t.lesser(i, t.set("sub i64 %s, %d", t.ihi, t.rows)), t.ilo)
}

func (t *tiling) lesser(x, y string) string { return t.pure("llvm.smin", typ{num.I64, 1}, x, y) }
func (t *tiling) larger(x, y string) string { return t.pure("llvm.smax", typ{num.I64, 1}, x, y) }

// cell is what the values of the nest are for one i and a vector of j.
type cell []operand

// group is how many bands at most are folded at a time, two lanes after two, so that what these read of the columns stays in
// the first cache while the bands use it.
const group = 8

// bands writes the tiles of some bands, from one column on.
func (t *tiling) bands(ifrom, bands, from, tiles string) {
	outside := t.pending
	t.pending = nil
	t.loop("0", tiles, 1, nil, func(x string, _ []string) ([]string, string) {
		j, columns := t.firstColumn(from, x), t.tileOf(t.stripPanels, x)
		t.loop("0", t.upward(bands, group), 1, nil, func(g string, _ []string) ([]string, string) {
			t.lookAtStop()
			first := t.set("mul i64 %s, %d", g, group)
			each := func(f func(b band)) {
				t.loop("0", t.lesser(t.set("sub i64 %s, %s", bands, first), strconv.Itoa(group)), 1, nil, func(number string, _ []string) ([]string, string) {
					b := t.set("add i64 %s, %s", first, number)
					f(band{number, t.firstRow(ifrom, b), t.tileOf(t.bandPanels, b), ""})
					return nil, ""
				})
			}
			level := t.sums(each, j, columns)
			each(func(b band) {
				t.close(level, b)
				t.results(b, j, level)
			})
			return nil, ""
		})
		return nil, ""
	})
	t.pending = outside
}

// band is one of a group.
type band struct {
	number string
	i      string   // its first row
	rows   []string // addresses in the panels
	cell   string   // the number of its first one, if it is a part of a band
}

func (t *tiling) tileOf(panels []*panel, number string) (addresses []string) {
	for _, p := range panels {
		addresses = append(addresses, p.tile(number))
	}
	return addresses
}

// cells evaluates what stands before the fold, for each of some i and vector of j.
func (t *tiling) cells(i, j string, rows int) (cells []cell) {
	outer := slices.Clone(t.vals)
	for r := range rows {
		copy(t.vals, outer)
		at := t.lesser(t.set("add i64 %s, %d", i, r), t.set("add i64 %s, -1", t.ihi))
		t.bind(t.i.Blocks[0].Params[0], at)
		t.straight(t.i, t.j, true)
		row := slices.Clone(t.vals)
		t.side.sharing(t.n, func() {
			for v := range t.vectors {
				copy(t.vals, row)
				t.vals[t.j.Blocks[0].Params[0]] = operand{text: t.set("add i64 %s, %d", j, v*t.n), stride: "1"}
				t.straight(t.j, t.fold, true)
				cells = append(cells, slices.Clone(t.vals))
			}
		})
	}
	t.pending = nil // noted with the results
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

// results writes what stands around the folds of a tile and takes their sums, row by row.
func (t *tiling) results(b band, j, level string) {
	rows := t.lesser(t.set("sub i64 %s, %s", t.ihi, b.i), strconv.Itoa(t.rows))
	t.loop("0", rows, 1, nil, func(r string, _ []string) ([]string, string) {
		t.bind(t.i.Blocks[0].Params[0], t.set("add i64 %s, %s", b.i, r))
		t.straight(t.i, t.j, true)
		t.straight(t.i, t.j, false)
		t.flush()
		row := t.vectorAt(level, b, t.set("mul i64 %s, %d", r, t.vectors))
		if len(t.side.Single) == 0 {
			t.side.sharing(t.n, func() {
				for v := range t.vectors {
					ty := typ{t.acc.Kind, t.n}
					at := operand{text: t.set("add i64 %s, %d", j, v*t.n), stride: "1"}
					t.result(at, t.recall(ty, t.set("getelementptr %s, ptr %s, i64 %d", ty, row, v)), t.n)
				}
			})
			return nil, ""
		}
		t.loop("0", strconv.Itoa(t.columns()), 1, nil, func(c string, _ []string) ([]string, string) {
			ty := typ{t.acc.Kind, 1}
			at := operand{text: t.set("add i64 %s, %s", j, c)}
			t.result(at, t.recall(ty, t.set("getelementptr %s, ptr %s, i64 %s", ty, row, c)), 1)
			return nil, ""
		})
		return nil, ""
	})
}

// result writes the body of the loop over j for n columns, whose sums there are.
func (t *tiling) result(j operand, sum string, n int) {
	t.vals[t.j.Blocks[0].Params[0]] = j
	t.straight(t.j, t.fold, true)
	t.give(t.fold.Out[0], sum, n)
	t.straight(t.j, t.fold, false)
	t.flush()
}
