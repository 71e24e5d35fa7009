package run

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/cost"
)

// Combining is how the rows of a launch become rows of blocks: outer index o of
// Kernel combines rows o·Block up to (o+1)·Block, or the last. See
// schedule.Partial for its regions.
//
// Where the order of rows does not count, blocks may be any: Begins are the rows with which they begin, ascending, the
// first of them 0. The kernel sees each block alone then, with its rows counted from 0: as block 0, because Block exceeds the number of rows.
type Combining struct {
	Kernel *kernel.Kernel
	Sizes  []int64 // where there are Begins, for a block of as many rows as there are; see SizesOf
	Block  int64   // a power of two
	Rows   int64   // of blocks
	Begins []int64

	rows int // which of Sizes is the number of rows
}

// SizesOf are the sizes with which Kernel combines rows lo..hi.
func (c *Combining) SizesOf(lo, hi int64) []int64 {
	if c.Begins == nil {
		return c.Sizes
	}
	sizes := slices.Clone(c.Sizes)
	sizes[c.rows] = hi - lo
	return sizes
}

// RowOf is the row of blocks of the block that begins with row lo.
func (c *Combining) RowOf(lo int64) (int64, error) {
	if c.Begins == nil {
		if lo%c.Block != 0 {
			return 0, fmt.Errorf("expected whole blocks of %d rows, found one from row %d on", c.Block, lo)
		}
		return lo / c.Block, nil
	}
	i, ok := slices.BinarySearch(c.Begins, lo)
	if !ok {
		return 0, fmt.Errorf("no block begins with row %d", lo)
	}
	return int64(i), nil
}

// blocks says which outer indices are blocks.
func (c *Combining) blocks() string {
	if c.Begins == nil {
		return fmt.Sprintf("whole blocks of %d outer indices", c.Block)
	}
	return fmt.Sprintf("a block, of those that begin with outer indices %d", c.Begins)
}

// whole reports that rows lo..hi are whole blocks, of so many rows in all.
func (c *Combining) whole(lo, hi, all int64) bool {
	if c.Begins == nil {
		return lo%c.Block == 0 && (hi%c.Block == 0 || hi == all)
	}
	i, ok := slices.BinarySearch(c.Begins, lo)
	return ok && (i+1 == len(c.Begins) && hi == all || i+1 < len(c.Begins) && hi == c.Begins[i+1])
}

// Combined says that blocks of the launch's rows come back combined, block rows
// each, a power of two. From then on Write takes rows of blocks, counted from
// block 0, and there is room for these only; the launches that fold them learn how many
// there are. It comes before Write, Bytes of written regions and Here, and needs
// Launch.Partial.
func (p *Placed) Combined(block int64) (*Combining, error) {
	part := p.Launch.Partial
	switch {
	case part == nil:
		return nil, fmt.Errorf("the rows of step `%s` cannot be combined in part", p.Launch.Label)
	case block < 1 || block&(block-1) != 0:
		return nil, fmt.Errorf("step `%s`: expected a power of two for the rows of a block, found %d", p.Launch.Label, block)
	}
	c := &Combining{Kernel: part.Kernel, Block: block, Rows: blocksOf(p.Outer, block)}
	return c, p.combined(c, c.Rows)
}

// CombinedFreely is Combined for a Partial that is free: the rows from each of begins to the next one, or to Outer, come back as one.
func (p *Placed) CombinedFreely(begins []int64) (*Combining, error) {
	part := p.Launch.Partial
	if part == nil || !part.Free {
		return nil, fmt.Errorf("the rows of step `%s` cannot be combined in any order", p.Launch.Label)
	}
	last := int64(-1)
	for _, b := range begins {
		if b <= last || b >= p.Outer || last < 0 && b != 0 {
			return nil, fmt.Errorf("step `%s`: expected blocks that begin with rows from 0 on, ascending, below %d; found %d", p.Launch.Label, p.Outer, begins)
		}
		last = b
	}
	if last < 0 {
		return nil, fmt.Errorf("step `%s`: there is no block", p.Launch.Label)
	}
	c := &Combining{Kernel: part.Kernel, Block: 1 << bits.Len64(uint64(p.Outer)), Rows: int64(len(begins)), Begins: begins, rows: part.Rows}
	return c, p.combined(c, 1)
}

// combined has the launch combine its rows, by a kernel over so many blocks at once.
func (p *Placed) combined(c *Combining, blocks int64) (err error) {
	part := p.Launch.Partial
	if p.block != nil {
		return fmt.Errorf("step `%s` combines already: %s", p.Launch.Label, p.block.blocks())
	}
	if c.Sizes, err = p.p.r.sizeArgs(part.Sizes); err != nil {
		return err
	}
	for _, s := range []struct {
		at int
		n  int64
	}{{part.Rows, p.Outer}, {part.Block, c.Block}, {part.Blocks, blocks}} {
		if s.at < 0 || s.at >= len(c.Sizes) {
			return bug("launch %q: its partial kernel has no size %d", p.Launch.Label, s.at)
		}
		c.Sizes[s.at] = s.n
	}
	for _, i := range p.rows() {
		per, err := p.perOuter(i)
		if err == nil {
			err = p.p.r.roomForRows(p.Launch.Regions[i], c.Rows, c.Rows*per)
		}
		if err != nil {
			return err
		}
	}
	p.block = c
	return nil
}

// blocksOf is rows divided by block, rounded up.
func blocksOf(rows, block int64) int64 { return rows/block + min(rows%block, 1) }

// rows lists the regions that hold a row per outer index.
func (p *Placed) rows() []int {
	var list []int
	for i := range p.Compiled.Kernel.Regions {
		if p.written(i) {
			list = append(list, i)
		}
	}
	return list
}

// perOuter is the number of elements of a row.
func (p *Placed) perOuter(region int) (int64, error) {
	n := p.Len(region)
	if p.Outer == 0 {
		return 0, nil
	}
	if n%p.Outer != 0 {
		return 0, bug("launch %q: %d elements of region %d are no rows of %d outer indices", p.Launch.Label, n, region, p.Outer)
	}
	return n / p.Outer, nil
}

// roomForRows makes room for n elements that are rows of blocks.
func (r *runner) roomForRows(b int, rows, n int64) error {
	if in := r.inputs[b]; in != nil {
		return bug("rows of blocks are written to %s", r.name(b))
	}
	if err := r.room(b, n, ""); err != nil {
		return err
	}
	r.buffers[b].n, r.buffers[b].blocks = n, rows
	return nil
}

// foldCombined gives a launch that combines rows the number of rows there are,
// if they are those of blocks.
func (r *runner) foldCombined(l *schedule.Launch, sizes []int64) error {
	if l.Folds != nil && (l.Folds.Size < 0 || l.Folds.Size >= len(sizes)) {
		return bug("launch %q: it has no size %d to fold", l.Label, l.Folds.Size)
	}
	for i, b := range l.Regions {
		if b < 0 || r.buffers[b].blocks == 0 || l.Kernel.Regions[i].Access != kernel.Read {
			continue
		}
		if l.Folds == nil || r.buffers[l.Folds.Buffer].blocks != r.buffers[b].blocks {
			return bug("launch %q reads rows of blocks in %s", l.Label, r.name(b))
		}
		sizes[l.Folds.Size] = r.buffers[b].blocks
	}
	return nil
}

// rowsOf is memory for the rows of outer indices lo..hi, apart from the buffers that they belong to.
type rowsOf struct {
	lo, hi int64
	parts  []rowsPart
	bases  []int64 // by region
}

// rowsPart is what rows have of one region.
type rowsPart struct {
	region, buffer int
	span           mem.Span
	first, bytes   int64 // which bytes of the buffer they are, from where on
}

// add makes room for so many bytes of a region's buffer, from byte first on.
func (t *rowsOf) add(r *runner, region, b int, first, bytes int64) error {
	s, err := r.reserve(b, bytes, "", r.eng.Arena().Alloc)
	if err != nil {
		return err
	}
	t.parts = append(t.parts, rowsPart{region, b, s, first, bytes})
	t.bases[region] = s.Off - first
	return nil
}

func (t *rowsOf) has(region int) bool {
	return t != nil && slices.ContainsFunc(t.parts, func(p rowsPart) bool { return p.region == region })
}

// spool stores the rows in the files of their buffers.
func (t *rowsOf) spool(r *runner) error {
	for _, p := range t.parts {
		if err := r.spool(p.buffer, r.eng.Arena().Bytes(p.span.Off, p.bytes), p.first, true); err != nil {
			return err
		}
	}
	return nil
}

// rowsFor makes room for rows outside of the launch's buffers.
func (p *Placed) rowsFor(lo, hi int64) (t *rowsOf, err error) {
	r := p.p.r
	t = &rowsOf{lo: lo, hi: hi, bases: make([]int64, len(p.Launch.Regions))}
	defer func() {
		if err != nil {
			t.free(r)
		}
	}()
	for _, i := range p.rows() {
		per, err := p.perOuter(i)
		if err != nil {
			return nil, err
		}
		if err := within(p.Compiled, i, p.Sizes, lo, hi, lo*per, hi*per); err != nil {
			return nil, bug("launch %q: %w", p.Launch.Label, err)
		}
		size := int64(p.Compiled.Kernel.Regions[i].Elem.Size())
		if err := t.add(r, i, p.Launch.Regions[i], lo*per*size, (hi-lo)*per*size); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *rowsOf) free(r *runner) {
	for _, p := range t.parts {
		r.eng.Arena().Free(p.span)
		r.resident -= p.span.Len
	}
}

// combineHere executes outer indices lo..hi into temporary rows and combines
// these.
func (p *Placed) combineHere(lo, hi int64) error {
	c, r := p.block, p.p.r
	if !c.whole(lo, hi, p.Outer) {
		return fmt.Errorf("step `%s`: expected %s, found %d..%d", p.Launch.Label, c.blocks(), lo, hi)
	}
	rows, err := p.rowsFor(lo, hi)
	if err != nil {
		return err
	}
	defer rows.free(r)
	if err := p.p.here(lo, hi, rows); err != nil {
		return err
	}
	x, at, err := p.combining(rows)
	if err != nil {
		return err
	}
	_, err = x.run(at.lo, at.hi)
	return err
}

// blocksAt is where rows lie that the partial kernel combines, and what comes of them.
type blocksAt struct {
	lo, hi     int64 // its outer indices
	rows       int64 // there are for it
	from, into int64 // the row of the launch, and of blocks, that are its row 0
}

func (p *Placed) blocksAt(rows *rowsOf) (at blocksAt, err error) {
	c := p.block
	if c.Begins == nil {
		return blocksAt{lo: rows.lo / c.Block, hi: blocksOf(rows.hi, c.Block), rows: p.Outer}, nil
	}
	at = blocksAt{hi: 1, rows: rows.hi - rows.lo, from: rows.lo}
	at.into, err = c.RowOf(rows.lo)
	return at, err
}

// combining is the execution of the partial kernel over such rows.
func (p *Placed) combining(rows *rowsOf) (x *execution, at blocksAt, err error) {
	c, r := p.block, p.p.r
	if at, err = p.blocksAt(rows); err != nil {
		return nil, at, err
	}
	safe, err := p.Launch.Partial.Proof()
	if err != nil {
		return nil, at, err
	}
	k, err := r.eng.Safe(r.ctx, safe)
	if err != nil {
		return nil, at, err
	}
	sizes := c.SizesOf(rows.lo, rows.hi)
	blocks := blocksOf(at.rows, c.Block)
	x = &execution{Args: engine.Args{Sizes: sizes, Bases: make([]int64, len(c.Kernel.Regions))}, m: &r.memory, c: k,
		label: "part of " + p.Launch.Label, outer: blocks, places: make([]cost.Place, len(c.Kernel.Regions)), repeats: r.repeats}
	lens, err := p.placeRows(x, rows, at)
	if err != nil {
		return nil, at, err
	}
	if err := k.Safe.Admit(sizes, nil, lens, r.opt.Limits); err != nil {
		return nil, at, fmt.Errorf("step `%s`: %w", x.label, err)
	}
	if n := k.Outer(sizes); n != blocks || k.Sequential() {
		return nil, at, bug("launch %q combines %d blocks, expected %d", x.label, n, blocks)
	}
	return x, at, nil
}

// placeRows gives the partial kernel its regions, first the rows to read, then
// those of blocks, and the lengths of the whole of each.
func (p *Placed) placeRows(x *execution, rows *rowsOf, at blocksAt) (lens []int64, err error) {
	list, regs := p.rows(), x.c.Kernel.Regions
	if len(regs) < 2*len(list) {
		return nil, bug("launch %q: expected %d regions, found %d", x.label, 2*len(list), len(regs))
	}
	lens = make([]int64, len(regs))
	for j := range regs {
		if j >= 2*len(list) {
			if regs[j].Access != kernel.Scratch {
				return nil, bug("launch %q: region %d is one too many", x.label, j)
			}
			continue
		}
		i := list[j%len(list)]
		per, err := p.perOuter(i)
		if err != nil {
			return nil, err
		}
		if regs[j].Elem != p.Compiled.Kernel.Regions[i].Elem || (regs[j].Access == kernel.Read) != (j < len(list)) || regs[j].Bounded {
			return nil, bug("launch %q: region %d does not fit the rows", x.label, j)
		}
		bytes := per * int64(regs[j].Elem.Size())
		first, end := (rows.lo-at.from)*per, (rows.hi-at.from)*per
		lens[j], x.Bases[j] = at.rows*per, rows.bases[i]+at.from*bytes
		if j >= len(list) {
			first, end = at.lo*per, at.hi*per
			lens[j], x.Bases[j] = x.outer*per, p.p.r.base(p.Launch.Regions[i])+at.into*bytes
		}
		if err := within(x.c, j, x.Sizes, at.lo, at.hi, first, end); err != nil {
			return nil, bug("launch %q: %w", x.label, err)
		}
	}
	return lens, nil
}
