package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// A launch of many leaves writes a row for each of them: in every buffer that
// it writes, width elements per outer index. Another launch combines the
// rows. A Partial does so for blocks of rows; the subtree over an aligned
// block of 2^k rows is a node of the tree over all, so blocks combine to the
// same bits.

// joint is an accumulator in rows of width entries: one buffer for each of
// its words.
type joint struct {
	acc     kernel.Acc
	width   size.Poly
	buffers []int
}

// rows gives the elements per row of each buffer of a launch.
type rows map[int]size.Poly

// foldedRows makes the number of rows that a launch combines a size of its
// own, so that rows of blocks can take their place. buffer holds some.
func (k *kern) foldedRows(count schedule.SizeArg, buffer int) size.Poly {
	k.launch.Folds = &schedule.Folds{Size: len(k.k.Sizes), Buffer: buffer}
	within := k.rangeOf(count)
	within.Lo = min(within.Lo, 1)
	return k.addSize(count, within)
}

// joinRows combines the rows lo..hi of an accumulator, pairwise by number.
// load gives a word of a row.
func (k *kern) joinRows(acc kernel.Acc, lo, hi kernel.Value, load func(word int, row kernel.Value) kernel.Value) []kernel.Value {
	values := func(row kernel.Value) []kernel.Value { return []kernel.Value{load(0, row)} }
	acc.Op = acc.Op.Join()
	switch acc.Op {
	case num.FoldAddWide:
		accs := []kernel.Acc{{Op: num.FoldAddWide, Kind: num.U64}, {Op: num.FoldAdd, Kind: num.I64}}
		out := k.fold(lo, hi, true, accs, func(row kernel.Value) []kernel.Value {
			return []kernel.Value{load(0, row), load(1, row)}
		})
		return []kernel.Value{out[0], k.b.Wrap(num.Add, out[1], out[2])}
	case num.FoldArgMin, num.FoldArgMax:
		// The fold finds the row, which is one of lo..hi if there is any; the
		// row says which slot.
		return k.branch(k.b.Wrap(num.Lt, lo, hi), func() []kernel.Value {
			out := k.fold(lo, hi, true, []kernel.Acc{acc}, values)
			return []kernel.Value{out[0], load(1, out[1])}
		}, func() []kernel.Value { return []kernel.Value{k.identity(acc), k.b.Int(0)} })
	}
	return k.fold(lo, hi, true, []kernel.Acc{acc}, values)
}

// joinable gives a launch the kernel that combines blocks of the rows of
// accumulators.
func (l *lowering) joinable(launch *schedule.Launch, joints []joint) error {
	widths := rows{}
	for _, j := range joints {
		for _, b := range j.buffers {
			widths[b] = j.width
		}
	}
	return l.partial(launch, widths, func(k *kern, from, to map[int]int) {
		for _, j := range joints {
			k.joinColumns(j, from, to)
		}
	})
}

// joinColumns combines the columns of a block of rows into row o.
func (k *kern) joinColumns(j joint, from, to map[int]int) {
	column := func(c kernel.Value) {
		at := func(row kernel.Value) kernel.Value {
			if c == kernel.None {
				return row
			}
			return k.flat(row, j.width, c)
		}
		vs := k.joinRows(j.acc, k.lo, k.hi, func(word int, row kernel.Value) kernel.Value {
			return k.b.Load(from[j.buffers[word]], at(row))
		})
		for word, v := range vs {
			k.b.Store(to[j.buffers[word]], at(k.o), v)
		}
	}
	if j.width.Equal(size.Const(1)) {
		column(kernel.None)
		return
	}
	k.each(k.b.Int(0), k.sizeValue(j.width), j.width, column)
}

// partial builds the kernel that combines blocks of the rows that a launch
// writes. fill gets the regions of rows and those of rows of blocks by
// buffer; it combines the rows k.lo..k.hi into row k.o.
func (l *lowering) partial(launch *schedule.Launch, widths rows, fill func(k *kern, from, to map[int]int)) error {
	if !l.opt.Partials {
		return nil
	}
	k := l.newKern("part of "+launch.Label, nothing)
	p := &schedule.Partial{Kernel: k.k, Rows: 0, Block: 1, Blocks: 2}
	count := k.addSize(schedule.SizeArg{}, kernel.Size{Hi: graph.MaxSize})
	block := k.addSize(schedule.SizeArg{}, kernel.Size{Lo: 1, Hi: graph.MaxSize})
	blocks := k.addSize(schedule.SizeArg{}, kernel.Size{Hi: graph.MaxSize})
	k.fixedSizes = 3 // which p has by their numbers
	k.k.Outer, k.k.Grain, k.k.Count = blocks, block, count
	regions := func(n size.Poly, access kernel.Access) map[int]int {
		of := map[int]int{}
		for i, b := range launch.Regions {
			if a := launch.Kernel.Regions[i].Access; a == kernel.Write || a == kernel.ReadWrite {
				of[b] = k.addRegion(b, n.Mul(k.poly(widths[b])), access)
			}
		}
		return of
	}
	from := regions(count, kernel.Read)
	fill(k, from, regions(blocks, kernel.Write))
	k.close()
	p.Sizes = k.launch.Sizes
	launch.Partial = p
	if l.opt.Verify == nil {
		return nil
	}
	var err error
	p.Safe, err = l.opt.Verify(k.k)
	return err
}
