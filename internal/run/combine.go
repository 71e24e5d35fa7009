package run

import (
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// Combining is how the rows of a launch become rows of blocks: outer index o of
// Kernel combines rows o·Block up to (o+1)·Block, or the last. See
// schedule.Partial for its regions.
type Combining struct {
	Kernel *kernel.Kernel
	Sizes  []int64
	Block  int64
	Rows   int64 // of blocks: Outer / Block, rounded up
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
	case p.block != nil:
		return nil, fmt.Errorf("step `%s` combines blocks of %d rows already", p.Launch.Label, p.block.Block)
	case block < 1 || block&(block-1) != 0:
		return nil, fmt.Errorf("step `%s`: expected a power of two for the rows of a block, found %d", p.Launch.Label, block)
	}
	sizes, err := p.p.r.sizeArgs(part.Sizes)
	if err != nil {
		return nil, err
	}
	c := &Combining{Kernel: part.Kernel, Sizes: sizes, Block: block, Rows: blocksOf(p.Outer, block)}
	for _, s := range []struct {
		at int
		n  int64
	}{{part.Rows, p.Outer}, {part.Block, block}, {part.Blocks, c.Rows}} {
		if s.at < 0 || s.at >= len(sizes) {
			return nil, bug("launch %q: its partial kernel has no size %d", p.Launch.Label, s.at)
		}
		sizes[s.at] = s.n
	}
	for _, i := range p.rows() {
		per, err := p.perOuter(i)
		if err == nil {
			err = p.p.r.roomForRows(p.Launch.Regions[i], c.Rows, c.Rows*per)
		}
		if err != nil {
			return nil, err
		}
	}
	p.block = c
	return c, nil
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

// rowsOf is memory for the rows of outer indices lo..hi.
type rowsOf struct {
	lo, hi  int64
	regions []int // that it is for
	spans   []mem.Span
	bases   []int64 // by region
}

// add gives a region memory.
func (t *rowsOf) add(region int, s mem.Span, base int64) {
	t.regions, t.spans = append(t.regions, region), append(t.spans, s)
	t.bases[region] = base
}

func (t *rowsOf) has(region int) bool { return t != nil && slices.Contains(t.regions, region) }

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
		s, err := r.reserve(p.Launch.Regions[i], (hi-lo)*per*size, "", r.eng.Arena().Alloc)
		if err != nil {
			return nil, err
		}
		t.add(i, s, s.Off-lo*per*size)
	}
	return t, nil
}

func (t *rowsOf) free(r *runner) {
	for _, s := range t.spans {
		r.eng.Arena().Free(s)
		r.resident -= s.Len
	}
}

// combineHere executes outer indices lo..hi into temporary rows and combines
// these.
func (p *Placed) combineHere(lo, hi int64) error {
	c, r := p.block, p.p.r
	if lo%c.Block != 0 || hi%c.Block != 0 && hi != p.Outer {
		return fmt.Errorf("step `%s`: expected whole blocks of %d outer indices, found %d..%d", p.Launch.Label, c.Block, lo, hi)
	}
	rows, err := p.rowsFor(lo, hi)
	if err != nil {
		return err
	}
	defer rows.free(r)
	q := p.part(lo, hi)
	q.temporary = rows
	if err := q.here(); err != nil {
		return err
	}
	part, err := p.combining(rows)
	if err != nil {
		return err
	}
	return crowded(part.l, part.run())
}

// combining is the launch of the partial kernel over temporary rows.
func (p *Placed) combining(rows *rowsOf) (*launching, error) {
	c, r := p.block, p.p.r
	k, err := r.eng.Kernel(r.ctx, c.Kernel)
	if err != nil {
		return nil, err
	}
	l := &schedule.Launch{Kernel: c.Kernel, Label: "part of " + p.Launch.Label}
	t := &launching{r: r, l: l, c: k, sizes: c.Sizes, outer: c.Rows, lo: rows.lo / c.Block, hi: blocksOf(rows.hi, c.Block)}
	lens, err := p.placeRows(t, rows)
	if err != nil {
		return nil, err
	}
	if err := k.Safe.Admit(c.Sizes, nil, lens, r.opt.Limits); err != nil {
		return nil, fmt.Errorf("step `%s`: %w", l.Label, err)
	}
	if n := k.Outer(c.Sizes); n != c.Rows || k.Sequential() {
		return nil, bug("launch %q combines %d blocks, expected %d", l.Label, n, c.Rows)
	}
	return t, nil
}

// placeRows gives the partial kernel its regions, first the rows to read, then
// those of blocks, and the lengths of the whole of each.
func (p *Placed) placeRows(t *launching, rows *rowsOf) (lens []int64, err error) {
	list, regs := p.rows(), t.c.Kernel.Regions
	if len(regs) < 2*len(list) {
		return nil, bug("launch %q: expected %d regions, found %d", t.l.Label, 2*len(list), len(regs))
	}
	t.bases, lens = make([]int64, len(regs)), make([]int64, len(regs))
	t.l.Regions = make([]int, len(regs))
	for j := range regs {
		t.l.Regions[j] = -1
		if j >= 2*len(list) {
			if regs[j].Access != kernel.Scratch {
				return nil, bug("launch %q: region %d is one too many", t.l.Label, j)
			}
			continue
		}
		i := list[j%len(list)]
		per, err := p.perOuter(i)
		if err != nil {
			return nil, err
		}
		if regs[j].Elem != p.Compiled.Kernel.Regions[i].Elem || (regs[j].Access == kernel.Read) != (j < len(list)) || regs[j].Bounded {
			return nil, bug("launch %q: region %d does not fit the rows", t.l.Label, j)
		}
		first, end := rows.lo*per, rows.hi*per
		lens[j], t.bases[j] = p.Outer*per, rows.bases[i]
		if j >= len(list) {
			first, end = t.lo*per, t.hi*per
			lens[j], t.bases[j] = p.block.Rows*per, p.p.r.base(p.Launch.Regions[i])
		}
		if err := within(t.c, j, t.sizes, t.lo, t.hi, first, end); err != nil {
			return nil, bug("launch %q: %w", t.l.Label, err)
		}
	}
	return lens, nil
}
