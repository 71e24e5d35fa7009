package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A panel holds the elements that tiles load, in the order in which they load
// them, so that the inner loop reads memory straight on: the rows of regions
// often lie at distances at which they share a place in the cache. There is
// one for the rows of a band and one for the columns of a strip:
//
//	vector (((tile·sections + section)·pieces + piece)·slots + slot)·each + number
//
// where a section has slots rows of lanes, and number counts the each rows or
// columns of a tile. (Packing, as in K. Goto and R. van de Geijn, Anatomy of
// High-Performance Matrix Multiplication, 2008.)
type panel struct {
	*tiling
	load    *kernel.Instr
	counter kernel.Value // of the loop over rows or columns
	number  func(first string, number int) string
	each    int
	chain   []*kernel.Instr // what computes the index
	ty      typ
	addr    string
}

// panels finds the loads of the fold's body that vary with i or with j, but
// not with both.
func (t *tiling) panels() (rows, columns []*panel) {
	i, j := t.i.Blocks[0].Params[0], t.j.Blocks[0].Params[0]
	for x := range t.body.Instrs {
		in := &t.body.Instrs[x]
		if in.Code != kernel.Load || t.k.Regions[in.Region].Elem == num.Bool || t.shapes[in.Args[0]] != unit {
			continue
		}
		chain, ok := t.chain(in.Args[0], i)
		byI, byJ := t.varies(in.Args[0], i), t.varies(in.Args[0], j)
		p := &panel{tiling: t, load: in, chain: chain, ty: typ{t.k.Regions[in.Region].Elem, t.n}}
		switch {
		case !ok || byI == byJ:
		case byI:
			p.counter, p.number, p.each = i, t.row, t.rows
			p.addr = t.alloca(num.Leaf/t.n*p.each, p.ty)
			rows = append(rows, p)
		default:
			p.counter, p.number, p.each = j, t.column, t.columns
			p.addr = t.alloca(t.stripElements()/t.n, p.ty)
			columns = append(columns, p)
		}
	}
	return rows, columns
}

// chain lists the instructions, from value first on, that an index is computed
// by, if all are arithmetic without faults.
func (e *emitter) chain(v, first kernel.Value) (list []*kernel.Instr, ok bool) {
	d := e.def[v]
	if v < first || d == nil || d.Code == kernel.Const {
		return nil, true
	}
	if d.Code != kernel.Arith || d.Kind != num.I64 || d.Site != kernel.NoSite {
		return nil, false
	}
	for _, a := range d.Args {
		more, ok := e.chain(a, first)
		if !ok {
			return nil, false
		}
		list = append(list, more...)
	}
	return append(list, d), true
}

// varies reports that arithmetic on a counter leads to an index.
func (e *emitter) varies(index, counter kernel.Value) bool {
	if index == counter {
		return true
	}
	d := e.def[index]
	if d == nil || d.Code != kernel.Arith {
		return false
	}
	for _, a := range d.Args {
		if e.varies(a, counter) {
			return true
		}
	}
	return false
}

// vector is the address of a vector in the panel.
func (p *panel) vector(tile, section, piece, slot string, number int) string {
	i := p.set("add i64 %s, %s", p.set("mul i64 %s, %s", tile, p.sections), section)
	i = p.set("add i64 %s, %s", p.set("mul i64 %s, %d", i, p.pieces), piece)
	i = p.set("add i64 %s, %s", p.set("mul i64 %s, %d", i, p.sectionSlots()), slot)
	i = p.set("add i64 %s, %d", p.set("mul i64 %s, %d", i, p.each), number)
	return p.set("getelementptr %s, ptr %s, i64 %s", p.ty, p.addr, i)
}

// fill copies the elements of one tile, whose first row or column is given.
func (p *panel) fill(tile, first string) {
	lanes := p.pieces * p.n
	p.loop("0", p.slots, 1, nil, func(slot string, _ []string) ([]string, string) {
		start := p.set("add i64 %s, %s", p.from, p.set("mul i64 %s, %d", slot, lanes))
		section, slot := p.set("udiv i64 %s, %d", slot, p.sectionSlots()), p.set("urem i64 %s, %d", slot, p.sectionSlots())
		for number := range p.each {
			p.bind(p.counter, p.number(first, number))
			for piece := range p.pieces {
				p.bind(p.body.Params[0], p.set("add i64 %s, %d", start, piece*p.n))
				for _, in := range p.chain {
					p.instr(in)
				}
				v := p.emitter.loadIndex(p.load.Region, p.scalar(p.load.Args[0]), p.ty)
				p.keep(p.ty, v, p.vector(tile, section, strconv.Itoa(piece), slot, number))
			}
		}
		return nil, ""
	})
}
