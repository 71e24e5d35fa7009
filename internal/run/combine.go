package run

import (
	"fmt"
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
	if lo%c.Block != 0 || hi%c.Block != 0 && hi != p.Outer {
		return fmt.Errorf("step `%s`: expected whole blocks of %d outer indices, found %d..%d", p.Launch.Label, c.Block, lo, hi)
	}
	rows, err := p.rowsFor(lo, hi)
	if err != nil {
		return err
	}
	defer rows.free(r)
	if err := p.p.here(lo, hi, rows); err != nil {
		return err
	}
	x, err := p.combining(rows)
	if err != nil {
		return err
	}
	_, err = x.run(rows.lo/c.Block, blocksOf(rows.hi, c.Block))
	return err
}

// combining is the execution of the partial kernel over such rows.
func (p *Placed) combining(rows *rowsOf) (*execution, error) {
	c, r := p.block, p.p.r
	safe, err := p.Launch.Partial.Proof()
	if err != nil {
		return nil, err
	}
	k, err := r.eng.Safe(r.ctx, safe)
	if err != nil {
		return nil, err
	}
	x := &execution{Args: engine.Args{Sizes: c.Sizes, Bases: make([]int64, len(c.Kernel.Regions))}, m: &r.memory, c: k,
		label: "part of " + p.Launch.Label, outer: c.Rows, places: make([]cost.Place, len(c.Kernel.Regions)), repeats: r.repeats}
	lens, err := p.placeRows(x, rows)
	if err != nil {
		return nil, err
	}
	if err := k.Safe.Admit(c.Sizes, nil, lens, r.opt.Limits); err != nil {
		return nil, fmt.Errorf("step `%s`: %w", x.label, err)
	}
	if n := k.Outer(c.Sizes); n != c.Rows || k.Sequential() {
		return nil, bug("launch %q combines %d blocks, expected %d", x.label, n, c.Rows)
	}
	return x, nil
}

// placeRows gives the partial kernel its regions, first the rows to read, then
// those of blocks, and the lengths of the whole of each.
func (p *Placed) placeRows(x *execution, rows *rowsOf) (lens []int64, err error) {
	list, regs := p.rows(), x.c.Kernel.Regions
	if len(regs) < 2*len(list) {
		return nil, bug("launch %q: expected %d regions, found %d", x.label, 2*len(list), len(regs))
	}
	lens = make([]int64, len(regs))
	lo, hi := rows.lo/p.block.Block, blocksOf(rows.hi, p.block.Block)
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
		first, end := rows.lo*per, rows.hi*per
		lens[j], x.Bases[j] = p.Outer*per, rows.bases[i]
		if j >= len(list) {
			first, end = lo*per, hi*per
			lens[j], x.Bases[j] = p.block.Rows*per, p.p.r.base(p.Launch.Regions[i])
		}
		if err := within(x.c, j, x.Sizes, lo, hi, first, end); err != nil {
			return nil, bug("launch %q: %w", x.label, err)
		}
	}
	return lens, nil
}
