package simulate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// read asks for rows of a shard, some of them twice.
func (w *world) read(op *operation) {
	t := op.table
	s := w.rand.IntN(len(t.set.Shards))
	shard := &t.set.Shards[s]
	g := parcel.Gather{Set: t.set.ID, Column: w.rand.IntN(len(t.values)), Lo: shard.Lo + w.rand.Int64N(shard.Hi-shard.Lo)}
	g.Hi = g.Lo + w.rand.Int64N(min(shard.Hi-g.Lo, 1000)) + 1
	size := int64(t.set.Columns[g.Column].Kind.Size())
	op.got = func(_ int, a *parcel.Answer) error {
		if len(a.Columns) != 1 || !bytes.Equal(a.Columns[0], t.values[g.Column][g.Lo*size:g.Hi*size]) {
			return fmt.Errorf("rows %d to %d of column %d are not those of the table", g.Lo, g.Hi, g.Column)
		}
		return nil
	}
	op.from.ask(op, 0, func(id caller.ID, left int64) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Read, Set: t.set.ID, Shard: s, Left: left, Payload: g.Append(nil)}
	})
}

// upload sends a file in parts, seals it, and looks at it.
func (w *world) upload(op *operation, set uint32) {
	file := make([]byte, w.upTo(5000))
	for i := range file {
		file[i] = byte(w.rand.Uint32())
	}
	b := parcel.Blob{Set: set, Hi: 1, Total: int64(len(file)), Sum: sha256.Sum256(file)}
	ask := func(part int, kind parcel.Kind, b parcel.Blob) {
		op.from.ask(op, part, func(id caller.ID, left int64) caller.Input {
			return &caller.Ask{ID: id, Kind: kind, To: op.to.peer, Left: left, Payload: b.Append(nil)}
		})
	}
	size := w.upTo(2000)
	open := (len(file) + size - 1) / size
	sealing := open
	op.got = func(part int, _ *parcel.Answer) error {
		if part == sealing {
			if !bytes.Equal(op.to.disk.sealed[set], file) {
				return fmt.Errorf("the sealed file is another one")
			}
			return nil
		}
		if open--; open == 0 {
			ask(sealing, parcel.Seal, b)
		}
		return nil
	}
	for i := range sealing {
		part := b
		part.Offset = int64(i * size)
		part.Bytes = file[i*size : min(len(file), (i+1)*size)]
		ask(i, parcel.Put, part)
	}
}

// walk follows indices from places that it draws, and compares with a walk on one machine.
func (w *world) walk(op *operation, p *program) error {
	return w.walkFrom(op, p, w.draw(w.upTo(20), op.table))
}

// draw draws rows of a table.
func (w *world) draw(n int, t *table) (rows []byte) {
	for range n {
		rows = binary.LittleEndian.AppendUint64(rows, uint64(w.rand.Int64N(t.set.Rows)))
	}
	return rows
}

func (w *world) walkFrom(op *operation, p *program, given []byte) error {
	t := op.table
	want := p.evaluate(t, given)
	if err := want.whole(); err != nil {
		return err
	}
	e := p.evaluate(t, given)
	sizes, err := e.sizeArgs(p.leaf.Sizes)
	if err != nil {
		return err
	}
	n, err := p.batch.Count(sizes)
	if err != nil {
		return err
	}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i)
	}
	b := &parcel.Batch{Set: t.set.ID, Sizes: sizes, States: len(ids), Values: p.batch.Start(ids, e.input), Keep: p.batch.Keep()}
	for _, c := range p.batch.Columns {
		b.Kinds = append(b.Kinds, byte(c.Kind))
	}
	for _, r := range p.batch.Far {
		f := parcel.Far{Column: p.columnOf(p.leaf.Regions[r])}
		if p.leaf.Kernel.Regions[r].Bounded {
			f.Bound = t.set.Rows
		}
		b.Columns = append(b.Columns, f)
	}
	for _, r := range p.batch.Near {
		b.Near = append(b.Near, e.buffer(p.leaf.Regions[r], 0))
	}
	op.got = func(_ int, a *parcel.Answer) error {
		columns := make([][]byte, len(p.batch.Columns))
		for i, kept := 0, a.Columns; i < len(columns); i++ {
			if b.Keep>>i&1 != 0 {
				columns[i], kept = kept[0], kept[1:]
			}
		}
		p.batch.Deliver(columns, func(region int, element int64, bits uint64) {
			buffer := p.leaf.Regions[region]
			column.Put(p.s.Buffers[buffer].Kind, e.buffer(buffer, int64(len(ids))), element, bits)
		})
		addFaults(e.faults, a.Faults)
		return e.compare(want.outcome())
	}
	op.from.ask(op, 0, func(id caller.ID, left int64) caller.Input {
		return &caller.Walk{ID: id, Code: p.states, Batch: b, Left: left}
	})
	return nil
}

// compare runs the steps that are left, and holds the outcome against another.
func (e *evaluation) compare(want outcome) error {
	if err := e.rest(); err != nil {
		return err
	}
	if got := e.outcome(); !got.equal(want) {
		return fmt.Errorf("the result is %x with faults at %d, it should be %x with faults at %d",
			abbreviated(got.columns), got.faults, abbreviated(want.columns), want.faults)
	}
	return nil
}

func abbreviated(columns [][]byte) [][]byte {
	short := slices.Clone(columns)
	for i, c := range short {
		short[i] = c[:min(len(c), 256)]
	}
	return short
}

// fold runs the first step of a program beside the shards, and the others
// here.
func (w *world) fold(op *operation, p *program, n *numbers) error {
	return (&folding{w: w, op: op, p: p, e: p.evaluate(op.table, nil)}).begin(n)
}

func (f *folding) begin(n *numbers) (err error) {
	w, op := f.w, f.op
	if f.want, err = n.outcome(f.p, op.table); err != nil {
		return err
	}
	if err := f.prepare(); err != nil {
		return err
	}
	op.got = f.got
	if op.fan {
		f.left = 1
		f.askTree()
		return nil
	}
	f.left = len(f.pieces)
	open := w.upTo(4)
	if w.clock != nil {
		open = mostOpen
	}
	for range open {
		f.askNext()
	}
	return nil
}

// askNext asks for the next piece, if there is one: a caller asks for as many as it has room for, and
// for another when one has come.
func (f *folding) askNext() {
	i := f.asked
	if i == len(f.pieces) {
		return
	}
	f.asked++
	t := f.tree.Piece(i)
	f.op.from.ask(f.op, i, func(id caller.ID, left int64) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Run, Code: f.p.code, More: f.more(), Set: f.op.table.set.ID, Shard: f.pieces[i].shard, Left: left, Payload: t.Append(nil)}
	})
}

// folding is a fold in hand.
type folding struct {
	w      *world
	op     *operation
	p      *program
	e      *evaluation
	want   outcome
	tree   parcel.Tree
	pieces []piece
	asked  int // of the pieces
	left   int
	block  int64 // rows in a block, 1 if rows come back as they are
	outs   []int // regions that hold the rows
	per    []int64
	rows   int64 // that come back
	placed []int64
}

// piece is the outer indices beside a shard.
type piece struct {
	shard  int
	lo, hi int64
}

// prepare cuts the outer indices at the shards' bounds, which lie between
// leaves.
func (f *folding) prepare() error {
	p, set := f.p, &f.op.table.set
	l := p.leaf
	sizes, err := f.e.sizeArgs(l.Sizes)
	if err != nil {
		return err
	}
	c, _, err := compiled(f.w.tier, p.code.Bytes)
	if err != nil {
		return err
	}
	outer := c.Outer(sizes)
	grain := (set.Rows + outer - 1) / outer
	if grain > num.Leaf {
		grain = num.KeyedLeaf(8)
	} else {
		grain = num.Leaf
	}
	for i, s := range set.Shards {
		f.pieces = append(f.pieces, piece{i, s.Lo / grain, (s.Hi + grain - 1) / grain})
	}
	f.block = f.drawBlock(outer)
	f.refine()
	task := parcel.Task{Set: set.ID, Sizes: sizes, Operands: make([]parcel.Operand, len(l.Regions))}
	for i, b := range l.Regions {
		switch col := p.columnOf(max(b, 0)); {
		case b < 0:
		case col >= 0:
			task.Operands[i] = parcel.Operand{How: parcel.Stored, Column: col}
		default:
			task.Operands[i] = parcel.Operand{How: parcel.Out}
			f.outs = append(f.outs, i)
			first, end := c.Reach(i, sizes, 0, 1)
			f.per = append(f.per, end-first)
		}
	}
	f.rows = (outer + f.block - 1) / f.block
	f.placed = make([]int64, len(f.outs))
	if f.block > 1 {
		part := l.Partial
		task.Partial = parcel.Partial{Code: parcel.PrefixOf(f.p.partial.ID), Block: f.block}
		if task.Partial.Sizes, err = f.e.sizeArgs(part.Sizes); err != nil {
			return err
		}
		task.Partial.Sizes[part.Rows], task.Partial.Sizes[part.Block], task.Partial.Sizes[part.Blocks] = outer, f.block, f.rows
		for _, r := range f.outs {
			f.e.folded[l.Regions[r]] = f.rows
		}
	}
	f.tree.Task = task
	for _, piece := range f.pieces {
		some := parcel.Piece{Shard: uint32(piece.shard), Lo: piece.lo, Hi: piece.hi}
		for _, r := range f.outs {
			first, end := c.Reach(r, sizes, piece.lo, piece.hi)
			some.Outs = append(some.Outs, parcel.Extent{First: first, Count: end - first})
		}
		f.tree.Pieces = append(f.tree.Pieces, some)
	}
	return nil
}

// refine cuts the pieces into smaller ones, at multiples of the block.
func (f *folding) refine() {
	if f.op.fan || f.w.clock != nil {
		return
	}
	n := f.block << f.w.rand.IntN(3)
	var list []piece
	for _, p := range f.pieces {
		for lo := p.lo; lo < p.hi; {
			hi := min(p.hi, lo-lo%n+n)
			list = append(list, piece{p.shard, lo, hi})
			lo = hi
		}
	}
	f.pieces = list
}

// drawBlock draws a power of two at whose multiples all pieces begin.
func (f *folding) drawBlock(outer int64) int64 {
	most := bits.Len64(uint64(outer))
	for _, p := range f.pieces {
		if p.lo > 0 {
			most = min(most, bits.TrailingZeros64(uint64(p.lo)))
		}
	}
	if f.w.clock != nil {
		return 1 << most // as production does
	}
	return 1 << f.w.rand.IntN(most+1)
}

func (f *folding) more() []caller.Code {
	if f.block > 1 {
		return []caller.Code{f.p.partial}
	}
	return nil
}

func (f *folding) askTree() {
	f.op.from.ask(f.op, 0, func(id caller.ID, left int64) caller.Input {
		return &caller.Fan{ID: id, Code: f.p.code, More: f.more(), Tree: &f.tree, Left: left}
	})
}

// got places the rows of an answer.
func (f *folding) got(_ int, a *parcel.Answer) error {
	if len(f.outs) == 0 || len(a.Columns)%len(f.outs) != 0 || len(a.Extents) != len(a.Columns) {
		return fmt.Errorf("%d columns with %d extents came back, there are %d", len(a.Columns), len(a.Extents), len(f.outs))
	}
	for at := 0; at < len(a.Columns); at += len(f.outs) {
		if err := f.place(a.Extents[at:], a.Columns[at:]); err != nil {
			return err
		}
	}
	addFaults(f.e.faults, a.Faults)
	if f.left--; f.left > 0 {
		if !f.op.fan {
			f.askNext()
		}
		return nil
	}
	for i := range f.outs {
		if f.placed[i] != f.rows*f.per[i] {
			return fmt.Errorf("%d elements came back, there are %d", f.placed[i], f.rows*f.per[i])
		}
	}
	return f.e.compare(f.want)
}

// place stores rows of all written operands.
func (f *folding) place(extents []parcel.Extent, columns [][]byte) error {
	for i, r := range f.outs {
		buffer := f.p.leaf.Regions[r]
		size := int64(f.p.s.Buffers[buffer].Kind.Size())
		rows := f.e.buffer(buffer, f.rows*f.per[i])
		at := extents[i].First
		if f.w.hooks.arrival {
			at = f.placed[i]
		}
		if at < 0 || (at+extents[i].Count)*size > int64(len(rows)) {
			return fmt.Errorf("elements from %d on do not fit into %d bytes", at, len(rows))
		}
		copy(rows[at*size:], columns[i])
		f.placed[i] += extents[i].Count
	}
	return nil
}
