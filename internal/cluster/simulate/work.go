package simulate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/repair"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/suspend"
	"github.com/godwit-run/godwit/internal/run"
)

// execute does a job's work.
func (h *host) execute(id node.JobID, work node.Work) (in node.Finished) {
	var err error
	switch work := work.(type) {
	case *node.Compile:
		in, err = &node.Compiled{}, h.compile(work)
	case *node.Advance:
		var faults []parcel.Fault
		faults, err = h.advance(work)
		in = &node.Advanced{Batch: work.Batch, Faults: faults, Steps: uint64(work.Batch.States)}
	default:
		var a *parcel.Answer
		a, err = h.answer(work)
		in = &node.Answered{Answer: a}
	}
	if err != nil {
		in = &node.Failed{Err: err}
	}
	in.End().Job = id
	return in
}

func (h *host) answer(work node.Work) (*parcel.Answer, error) {
	switch work := work.(type) {
	case *node.Compute:
		return h.compute(work)
	case *node.Collect:
		return h.collect(work.Gather)
	case *node.Keep:
		return &parcel.Answer{}, h.disk.keep(work.Kind, work.Blob)
	case *node.Copy:
		return h.copy(work.Part)
	case *node.Report:
		return &parcel.Answer{Columns: [][]byte{[]byte(h.name)}}, nil
	}
	return nil, fmt.Errorf("no work is a %T", work)
}

func (h *host) compile(work *node.Compile) error {
	c, _, err := compiled(h.w.tier, work.Bytes)
	if err != nil {
		return &node.WorkError{Reason: parcel.Refused, Detail: err.Error()}
	}
	if c.Hash != work.ID {
		return fmt.Errorf("the kernel %s came as %s", c.Hash, work.ID)
	}
	h.compiled[work.ID] = c
	return nil
}

func noShard(format string, args ...any) error {
	return &node.WorkError{Reason: parcel.NoShard, Detail: fmt.Sprintf(format, args...)}
}

func (h *host) compute(work *node.Compute) (*parcel.Answer, error) {
	task := work.Task
	c := h.compiled[work.ID]
	if c == nil {
		return nil, errors.New("the kernel is not compiled")
	}
	p := &run.Piece{Kernel: c, Sizes: task.Sizes, Scalars: task.Scalars, Lo: task.Lo, Hi: task.Hi}
	for i, o := range task.Operands {
		var q run.Operand
		switch o.How {
		case parcel.Inline:
			q = run.Inline{First: o.First, Bytes: o.Bytes}
		case parcel.InOut:
			q = run.InOut{First: o.First, Bytes: o.Bytes}
		case parcel.Out:
			q = run.Out{First: o.First, Count: o.Count}
		case parcel.Stored:
			first, _ := c.Reach(i, task.Sizes, task.Lo, task.Hi)
			t, shard, err := h.shard(task.Set, first)
			if err != nil {
				return nil, err
			}
			q = run.Stored{Binding: run.Column(h.source(t, shard), o.Column), Origin: t.set.Shards[shard].Lo, Total: t.set.Rows, Bound: o.Bound}
		}
		p.Operands = append(p.Operands, q)
	}
	rows, err := h.piece(p)
	if err != nil || task.Partial.Code == 0 {
		return rows, err
	}
	return h.combine(work, rows)
}

// combine applies the partial kernel of a task to the rows that it wrote.
func (h *host) combine(work *node.Compute, rows *parcel.Answer) (*parcel.Answer, error) {
	task := work.Task
	lo, hi, alone := task.Blocks()
	c := h.compiled[work.Partial]
	if c == nil {
		return nil, errors.New("the partial kernel is not compiled")
	}
	p := &run.Piece{Kernel: c, Sizes: task.Partial.Sizes, Lo: lo, Hi: hi}
	for i, r := range c.Kernel.Regions {
		switch {
		case i < len(rows.Columns) && alone:
			p.Operands = append(p.Operands, run.Inline{Bytes: rows.Columns[i]})
		case i < len(rows.Columns):
			p.Operands = append(p.Operands, run.Inline{First: rows.Extents[i].First, Bytes: rows.Columns[i]})
		case r.Access == kernel.Scratch:
			p.Operands = append(p.Operands, nil)
		default:
			first, end := c.Reach(i, p.Sizes, p.Lo, p.Hi)
			p.Operands = append(p.Operands, run.Out{First: first, Count: end - first})
		}
	}
	a, err := h.piece(p)
	if err == nil {
		a.Faults = rows.Faults
	}
	return a, err
}

// piece runs a piece on one thread.
func (h *host) piece(p *run.Piece) (*parcel.Answer, error) {
	all, err := engines()
	if err != nil {
		return nil, err
	}
	p.Limits = engine.Limits{Steps: h.limits.Steps, RegionBytes: h.limits.RegionBytes}
	outs, faults, _, err := run.RunPiece(context.Background(), p, run.Options{Engine: all[h.w.tier], Threads: 1})
	if err != nil {
		return nil, err
	}
	a := &parcel.Answer{Columns: outs, Faults: faultsOf(faults)}
	for i, o := range p.Operands {
		if first, ok := run.Returns(o); ok {
			n := int64(len(outs[len(a.Extents)]) / p.Kernel.Kernel.Regions[i].Elem.Size())
			a.Extents = append(a.Extents, parcel.Extent{First: first, Count: n})
		}
	}
	return a, nil
}

func faultsOf(places []int64) (list []parcel.Fault) {
	for site, at := range places {
		if at != math.MaxInt64 {
			list = append(list, parcel.Fault{Site: uint32(site), Place: at})
		}
	}
	return list
}

// advance runs the states of a batch, in place.
func (h *host) advance(work *node.Advance) ([]parcel.Fault, error) {
	b := work.Batch
	c := h.compiled[work.ID]
	if c == nil {
		return nil, errors.New("the kernel is not compiled")
	}
	t, shard, err := h.shard(b.Set, h.w.tables[b.Set-1].set.Shards[work.Shard].Lo)
	if err != nil {
		return nil, err
	}
	at := t.set.Shards[shard]
	p := &run.Piece{Kernel: c, Hi: int64(b.States), Scalars: suspend.Scalars(b.Scalars, at.Lo),
		Sizes: suspend.Sizes(b.Sizes, int64(b.States), at.Hi-at.Lo, work.Turns)}
	for _, v := range b.Values {
		p.Operands = append(p.Operands, run.InOut{Bytes: v})
	}
	for _, f := range b.Columns {
		p.Operands = append(p.Operands, run.Stored{Binding: run.Column(h.source(t, shard), f.Column), Total: at.Hi - at.Lo, Bound: f.Bound})
	}
	for _, r := range b.Near {
		p.Operands = append(p.Operands, run.Inline{Bytes: r})
	}
	a, err := h.piece(p)
	if err != nil {
		return nil, err
	}
	for i := range b.Values {
		copy(b.Values[i], a.Columns[i])
	}
	return a.Faults, nil
}

// collect reads rows lo..hi of a column.
func (h *host) collect(g *parcel.Gather) (*parcel.Answer, error) {
	first := g.Lo
	if len(g.Rows) > 0 {
		first = g.Rows[0]
	}
	t, shard, err := h.shard(g.Set, first)
	if err != nil {
		return nil, err
	}
	s := &t.set.Shards[shard]
	if g.Hi > s.Hi {
		return nil, noShard("rows up to %d are not at %s", g.Hi, h.name)
	}
	k := t.set.Columns[g.Column].Kind
	all := make([]byte, (s.Hi-s.Lo)*int64(k.Size()))
	if _, err := h.source(t, shard).Fill(context.Background(), 0, []data.Want{{Column: g.Column, Kind: k}}, []data.Dest{{Values: all}}); err != nil {
		return nil, err
	}
	size := int64(k.Size())
	if len(g.Rows) > 0 {
		var some []byte
		for _, row := range g.Rows {
			some = append(some, all[(row-s.Lo)*size:][:size]...)
		}
		return &parcel.Answer{Columns: [][]byte{some}}, nil
	}
	return &parcel.Answer{Columns: [][]byte{all[(g.Lo-s.Lo)*size : (g.Hi-s.Lo)*size]}}, nil
}

// disk is what a node keeps: uploads, and replicas of the tables' shards.
type disk struct {
	open     map[uint32]*upload // by set; lost when the process ends
	sealed   map[uint32][]byte
	replicas map[name]*replica
	known    repair.Known
}

type upload struct {
	bytes []byte
	there []bool
}

func (d *disk) restart() {
	d.open = map[uint32]*upload{}
	if d.sealed == nil {
		d.sealed, d.replicas = map[uint32][]byte{}, map[name]*replica{}
	}
}

func (d *disk) keep(kind parcel.Kind, b *parcel.Blob) error {
	switch kind {
	case parcel.Put:
		return d.put(b)
	case parcel.Seal:
		return d.seal(b)
	}
	delete(d.open, b.Set)
	delete(d.sealed, b.Set)
	return nil
}

func (d *disk) put(b *parcel.Blob) error {
	u := d.open[b.Set]
	if u == nil {
		u = &upload{make([]byte, b.Total), make([]bool, b.Total)}
		d.open[b.Set] = u
	}
	if b.Offset+int64(len(b.Bytes)) > int64(len(u.bytes)) {
		return &node.WorkError{Reason: parcel.Refused, Detail: "a part lies outside of its file"}
	}
	copy(u.bytes[b.Offset:], b.Bytes)
	for i := range b.Bytes {
		u.there[b.Offset+int64(i)] = true
	}
	return nil
}

func (d *disk) seal(b *parcel.Blob) error {
	if old, ok := d.sealed[b.Set]; ok && sha256.Sum256(old) == b.Sum {
		return nil
	}
	u := d.open[b.Set]
	if u == nil || slices.Contains(u.there, false) {
		return noShard("parts of the file are missing")
	}
	if sha256.Sum256(u.bytes) != b.Sum {
		return &node.WorkError{Reason: parcel.DataError, Detail: "the file is damaged"}
	}
	delete(d.open, b.Set)
	d.sealed[b.Set] = u.bytes
	return nil
}
