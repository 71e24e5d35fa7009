package run_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/run"
)

// remote is a data set cut into shards, as its coordinator sees it. Reading it
// here is counted.
type remote struct {
	data.Source
	shards  []shard
	chunks  []data.Chunk
	fetched *atomic.Int64 // chunks
}

// shard is rows lo..hi on a node.
type shard struct {
	lo, hi int64
	src    data.Source
}

func (r *remote) RemoteSet() (uint32, int64) { return 1, 0 }
func (r *remote) Raw(int) (data.Raw, bool)   { return data.Raw{}, false }
func (r *remote) Prune([]data.Pred) []bool   { return nil }
func (r *remote) Chunks() []data.Chunk       { return r.chunks }

func (r *remote) Fill(_ context.Context, chunk int, wants []data.Want, dst []data.Dest) (int64, error) {
	r.fetched.Add(1)
	c := r.chunks[chunk]
	for i, w := range wants {
		all, _ := r.Source.Raw(w.Column)
		size := r.Columns()[w.Column].Width() * int64(w.Kind.Size())
		copy(dst[i].Values, all.Bytes[c.Lo*size:c.Hi*size])
	}
	return 0, nil
}

// table makes a remote with shards that end at the cuts.
func table(rows int64, cuts []int64, cols []data.Column, values ...[]byte) *remote {
	r := &remote{Source: data.FromBytes("set", cols, rows, values, nil), fetched: new(atomic.Int64)}
	for lo := int64(0); lo < rows; lo += 1000 {
		r.chunks = append(r.chunks, data.Chunk{Lo: lo, Hi: min(lo+1000, rows)})
	}
	lo := int64(0)
	for _, hi := range append(cuts, rows) {
		var part [][]byte
		for i := range cols {
			size := cols[i].Width() * int64(cols[i].Kind.Size())
			part = append(part, values[i][lo*size:hi*size])
		}
		r.shards = append(r.shards, shard{lo, hi, data.FromBytes("shard", cols, hi-lo, part, nil)})
		lo = hi
	}
	return r
}

// nodes takes over launches: it executes pieces over the shards as nodes would,
// in another engine, in random order.
type nodes struct {
	e        *engine.Engine
	r        *rand.Rand
	block    int64 // combine blocks of that many rows where that is possible; 0: never; -1: all of a span, where any may be
	launches int
	here     int64 // outer indices that no single shard can serve
	combined int
	failure  error
}

// span is outer indices with the shard that has all they need, -1 for none.
type span struct {
	lo, hi int64
	shard  int
}

func (n *nodes) Launch(ctx context.Context, p *run.Placed) (bool, error) {
	if n.failure != nil {
		return false, n.failure
	}
	k := p.Compiled.Kernel
	for i, reg := range k.Regions {
		if in, ok := p.Input(i); ok && isRemote(in) && !p.Compiled.Streams(i) || p.Compiled.Sequential() && reg.Access == kernel.Write && !p.Compiled.Streams(i) {
			return false, nil
		}
	}
	n.launches++
	unit := int64(1)
	var c *run.Combining
	if n.block > 0 && p.Launch.Partial != nil {
		var err error
		if c, err = p.Combined(n.block); err != nil {
			return false, err
		}
		unit = n.block
		n.combined++
	}
	spans := n.spans(p, unit)
	if n.block < 0 && p.Launch.Partial != nil && p.Launch.Partial.Free && len(spans) > 0 {
		var begins []int64
		for _, s := range spans {
			begins = append(begins, s.lo)
		}
		var err error
		if c, err = p.CombinedFreely(begins); err != nil {
			return false, err
		}
		n.combined++
	}
	if !p.Compiled.Sequential() {
		n.r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
	}
	for _, s := range spans {
		var err error
		if s.shard < 0 {
			n.here += s.hi - s.lo
			err = p.Here(s.lo, s.hi)
		} else {
			err = n.there(ctx, p, c, s)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func isRemote(in run.Input) bool { _, ok := in.Binding.Source.(*remote); return ok }

// spans gives each shard the outer indices whose rows it has, in units.
func (n *nodes) spans(p *run.Placed, unit int64) (list []span) {
	shards := 0
	for i := range p.Compiled.Kernel.Regions {
		if in, ok := p.Input(i); ok && isRemote(in) {
			shards = len(in.Binding.Source.(*remote).shards)
		}
	}
	serves := func(s int, lo, hi int64) bool {
		for i := range p.Compiled.Kernel.Regions {
			in, ok := p.Input(i)
			if !ok || !isRemote(in) {
				continue
			}
			first, end := p.Compiled.Reach(i, p.Sizes, lo, hi)
			if sh := in.Binding.Source.(*remote).shards[s]; first < end && (first < sh.lo*in.Width || end > sh.hi*in.Width) {
				return false
			}
		}
		return true
	}
	for lo := int64(0); lo < p.Outer; {
		best := span{lo, min(lo+unit, p.Outer), -1}
		for s := range shards {
			hi := best.hi
			if !serves(s, lo, hi) {
				continue
			}
			for hi < p.Outer && serves(s, lo, min(hi+unit, p.Outer)) && n.r.IntN(20) > 0 {
				hi = min(hi+unit, p.Outer)
			}
			best = span{lo, hi, s}
			break
		}
		list = append(list, best)
		lo = best.hi
	}
	return list
}

// there executes a span on the node that has the shard, and puts what comes
// back in its place.
func (n *nodes) there(ctx context.Context, p *run.Placed, c *run.Combining, s span) error {
	code, err := n.e.Kernel(ctx, p.Compiled.Kernel)
	if err != nil {
		return err
	}
	piece := &run.Piece{Kernel: code, Sizes: p.Sizes, Scalars: p.Scalars, Lo: s.lo, Hi: s.hi}
	var back []int // regions
	for i, reg := range p.Compiled.Kernel.Regions {
		o, err := n.operand(p, i, s)
		if err != nil {
			return err
		}
		piece.Operands = append(piece.Operands, o)
		if reg.Access == kernel.Write || reg.Access == kernel.ReadWrite {
			back = append(back, i)
		}
	}
	outs, faults, _, err := run.RunPiece(ctx, piece, run.Options{Engine: n.e, Threads: 2})
	if err != nil {
		return fmt.Errorf("piece of %s: %w", p.Launch.Label, err)
	}
	if err := p.Faults(faults); err != nil {
		return err
	}
	firsts := make([]int64, len(back))
	for j, i := range back {
		firsts[j], _ = run.Returns(piece.Operands[i])
	}
	if c != nil {
		if outs, firsts, err = n.combine(ctx, p, c, s, back, outs); err != nil {
			return fmt.Errorf("rows of %s: %w", p.Launch.Label, err)
		}
	}
	for j, i := range back {
		if err := p.Write(i, firsts[j], outs[j]); err != nil {
			return err
		}
	}
	return nil
}

func (n *nodes) operand(p *run.Placed, i int, s span) (run.Operand, error) {
	reg := p.Compiled.Kernel.Regions[i]
	first, end := p.Compiled.Reach(i, p.Sizes, s.lo, s.hi)
	switch in, ok := p.Input(i); {
	case reg.Access == kernel.Scratch:
		return nil, nil
	case ok && isRemote(in):
		sh := in.Binding.Source.(*remote).shards[s.shard]
		return run.Stored{Binding: run.Column(sh.src, in.Binding.Column), Origin: sh.lo, Total: in.Rows, Bound: in.Bound}, nil
	case reg.Access == kernel.Read || p.Compiled.Sequential() && reg.Access == kernel.ReadWrite:
		b, err := p.Bytes(i)
		if reg.Access == kernel.ReadWrite {
			return run.InOut{Bytes: bytes.Clone(b)}, err
		}
		return run.Inline{Bytes: bytes.Clone(b)}, err
	}
	return run.Out{First: first, Count: end - first}, nil
}

// combine is what the node does with its rows before they travel.
func (n *nodes) combine(ctx context.Context, p *run.Placed, c *run.Combining, s span, back []int, outs [][]byte) ([][]byte, []int64, error) {
	code, err := n.e.Kernel(ctx, c.Kernel)
	if err != nil {
		return nil, nil, err
	}
	task := parcel.Task{Lo: s.lo, Hi: s.hi, Partial: parcel.Partial{Block: c.Block}}
	lo, hi, alone := task.Blocks()
	piece := &run.Piece{Kernel: code, Sizes: c.SizesOf(s.lo, s.hi), Lo: lo, Hi: hi}
	row, err := c.RowOf(s.lo)
	if err != nil {
		return nil, nil, err
	}
	firsts := make([]int64, len(back))
	for j, i := range back {
		per := p.Len(i) / p.Outer
		rows := run.Inline{Bytes: outs[j], First: s.lo * per}
		if alone {
			rows.First = 0
		}
		piece.Operands = append(piece.Operands, rows)
	}
	for j, i := range back {
		per := p.Len(i) / p.Outer
		firsts[j] = row * per
		piece.Operands = append(piece.Operands, run.Out{First: piece.Lo * per, Count: (piece.Hi - piece.Lo) * per})
	}
	for range len(code.Kernel.Regions) - len(piece.Operands) {
		piece.Operands = append(piece.Operands, nil)
	}
	outs, _, _, err = run.RunPiece(ctx, piece, run.Options{Engine: n.e})
	return outs, firsts, err
}
