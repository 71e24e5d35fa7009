package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A panel holds the elements that tiles load, in the order in which they load
// them, so that the inner loop reads memory straight on: the rows of regions
// often lie at distances at which they share a place in the cache. There is
// one for the rows of a block and one for the columns of a strip. In it lies,
// tile by tile,
//
//	element (leaf + lane·stride + step)·each + number
//
// where each leaf begins behind the one before and lanes lie strideOf apart, and number counts the each
// rows or columns of a tile. (Packing, as in K. Goto and R. van de Geijn, Anatomy
// of High-Performance Matrix Multiplication, 2008.)
type panel struct {
	*tiling
	load    *kernel.Instr
	counter kernel.Value // of the loop over rows or columns
	end     string       // of that loop
	each    int
	chain   []*kernel.Instr // what computes the index
	elem    num.Kind
	addr    string // of the first tile
}

// panels are those of the rows and of the columns.
func (t *tiling) panels() (rows, columns []*panel) {
	for _, packed := range t.side.Tile.Panels {
		p := &panel{tiling: t, load: packed.Load, chain: packed.Chain, elem: t.k.Regions[packed.Load.Region].Elem}
		if packed.Rows {
			p.counter, p.end, p.each = t.i.Blocks[0].Params[0], t.ihi, t.rows
			rows = append(rows, p)
		} else {
			p.counter, p.end, p.each = t.j.Blocks[0].Params[0], t.jhi, t.columns()
			columns = append(columns, p)
		}
	}
	return rows, columns
}

// tile is the address of a tile's elements.
func (p *panel) tile(number string) string {
	return p.element(p.addr, p.set("mul i64 %s, %s", number, p.slots.padded), "0", 0)
}

// element is the address of a number at a slot in the order of the panel.
func (p *panel) element(tile, slot, number string, more int) string {
	at := p.set("add i64 %s, %s", p.set("mul i64 %s, %d", slot, p.each), number)
	if more > 0 {
		at = p.set("add i64 %s, %d", at, more)
	}
	return p.set("getelementptr %s, ptr %s, i64 %s", typ{p.elem, 1}, tile, at)
}

// fill copies the elements of one tile, whose first row or column is given. It
// reads a vector of slots of several rows or columns, and turns them around.
func (p *panel) fill(tile, first string) {
	chunk := min(p.each, p.n)
	p.loop("0", strconv.Itoa(p.each), int64(chunk), nil, func(number string, _ []string) ([]string, string) {
		p.eachLeaf(func(l leafSlots) {
			whole := p.set("and i64 %s, %d", l.count, -p.n)
			p.loop("0", whole, int64(p.n), nil, func(slot string, _ []string) ([]string, string) {
				p.turnAround(tile, first, number, chunk, l, slot)
				return nil, ""
			})
			p.loop(whole, l.count, 1, nil, func(slot string, _ []string) ([]string, string) {
				for x := range chunk {
					v := p.read(first, number, x, l, slot, 1)
					p.keep(typ{p.elem, 1}, v, p.element(tile, p.placeOf(l, slot, 0), number, x))
				}
				return nil, ""
			})
		})
		return nil, ""
	})
}

// read loads n slots of a row or column by number, at most the last.
func (p *panel) read(first, number string, more int, l leafSlots, slot string, n int) string {
	at := p.set("add i64 %s, %s", first, number)
	at = p.lesser(p.set("add i64 %s, %d", at, more), p.set("add i64 %s, -1", p.end))
	p.bind(p.counter, at)
	p.bind(p.Body.Params[0], p.set("add i64 %s, %s", l.first, slot))
	for _, in := range p.chain {
		p.instr(in)
	}
	return p.emitter.loadIndex(p.load.Region, p.scalar(p.load.Args[0]), typ{p.elem, n})
}

// turnAround copies a vector of slots of each of some rows or columns.
func (p *panel) turnAround(tile, first, number string, chunk int, l leafSlots, slot string) {
	t := typ{p.elem, p.n}
	v := make([]string, chunk)
	for x := range v {
		v[x] = p.read(first, number, x, l, slot, p.n)
	}
	v = p.zipped(t, v, t.n)
	for x := range p.n {
		group := p.part(t, v[x*chunk/p.n], x*chunk%p.n, chunk)
		p.keep(typ{p.elem, chunk}, group, p.element(tile, p.placeOf(l, slot, x), number, 0))
	}
}
