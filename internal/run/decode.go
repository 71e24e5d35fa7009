package run

import (
	"context"
	"time"

	"github.com/godwit-run/godwit/internal/data"
)

// decoding fills areas of memory with columns of one source.
type decoding struct {
	m      *memory
	src    data.Source
	parts  []part
	preds  []data.Pred
	pruned []bool // per chunk; nil for none
	// workers are how many decode at the same time, about.
	workers int
}

// part is one column in one form.
type part struct {
	want          data.Want
	presence      bool  // only presence is wanted so far
	rowBytes      int64 // of the values
	stored        data.Stored
	told          bool // stored says how
	values, valid area
}

// area is where rows go: to memory of their own, to an offset in the arena from the base
// given to run on, or nowhere, when nobody wants them.
type area struct {
	wanted bool
	mem    []byte
	off    int64
}

// add asks for an input's rows.
func (d *decoding) add(in *input, to area) {
	p := d.partOf(in)
	to.wanted = true
	if in.b.Presence {
		p.valid = to
		return
	}
	if p.presence { // made for its presence: now its values count
		p.want, p.presence = in.want, false
		p.rowBytes = in.rowBytes()
	}
	p.values = to
}

func (d *decoding) partOf(in *input) *part {
	for i := range d.parts {
		p := &d.parts[i]
		if p.want.Column != in.want.Column {
			continue
		}
		if in.b.Presence && p.want.Option && !p.valid.wanted || !in.b.Presence && in.want.Option && p.presence || p.want == in.want && !p.values.wanted && !in.b.Presence {
			return p
		}
	}
	col := &d.src.Columns()[in.want.Column]
	p := part{want: in.want, presence: in.b.Presence}
	p.rowBytes = col.Width() * int64(in.want.Kind.Size())
	p.stored, p.told = data.StoredOf(d.src, in.want.Column)
	d.parts = append(d.parts, p)
	return &d.parts[len(d.parts)-1]
}

// task is a chunk of one part, or of all where a format's columns lie
// together.
type task struct{ chunk, part int }

const allParts = -1

// tasks cuts chunks lo..hi into tasks, in order of chunks.
func (d *decoding) tasks(lo, hi int) []task {
	var list []task
	for c := lo; c < hi; c++ {
		if !columnar(d.src) {
			list = append(list, task{c, allParts})
			continue
		}
		for p := range d.parts {
			list = append(list, task{c, p})
		}
	}
	return list
}

// soon tells a source that can make use of it what will be decoded.
func (d *decoding) soon(ctx context.Context, list []task) {
	src, ok := d.src.(data.Ahead)
	if !ok {
		return
	}
	for _, t := range list {
		if d.pruned != nil && d.pruned[t.chunk] {
			continue
		}
		var wants []data.Want
		for _, p := range d.partsOf(t) {
			wants = append(wants, p.want)
		}
		src.Soon(ctx, t.chunk, wants)
	}
}

func (d *decoding) partsOf(t task) []part {
	if t.part == allParts {
		return d.parts
	}
	return d.parts[t.part : t.part+1]
}

// columnar formats decode one column at no higher price than all together.
func columnar(src data.Source) bool { return src.Format() != "csv" && src.Format() != "jsonl" }

// run decodes a task. Row number row lies at the areas' beginning.
func (d *decoding) run(ctx context.Context, t task, base, row int64) error {
	parts := d.partsOf(t)
	c := d.src.Chunks()[t.chunk]
	wants, dst := make([]data.Want, len(parts)), make([]data.Dest, len(parts))
	for i := range parts {
		wants[i], dst[i] = parts[i].want, d.dest(&parts[i], base, c, row)
	}
	if d.pruned != nil && d.pruned[t.chunk] {
		return d.src.FillPruned(t.chunk, d.preds, wants, dst)
	}
	if d.m.opt.Claim.Shared() { // else to wait for the disk would keep a turn from other workers for nothing
		turn := d.m.opt.Claim.Turn()
		if err := turn.Take(ctx); err != nil {
			return err
		}
		defer turn.Give()
	}
	start := time.Now()
	n, err := d.src.Fill(ctx, t.chunk, wants, dst)
	if d.m.read.Add(n); err == nil {
		d.note(parts, c, time.Since(start))
	}
	return err
}

// dest is the memory for a chunk of a part; what nobody wants goes to
// memory that is thrown away.
func (d *decoding) dest(p *part, base int64, c data.Chunk, row int64) data.Dest {
	memory := func(a area, rowBytes int64) []byte {
		n, at := c.Rows()*rowBytes, (c.Lo-row)*rowBytes
		switch {
		case !a.wanted:
			return make([]byte, n)
		case a.mem != nil:
			return a.mem[at : at+n : at+n]
		}
		return d.m.eng.Arena().Bytes(base+a.off+at, n)
	}
	out := data.Dest{Values: memory(p.values, p.rowBytes)}
	if p.want.Option {
		out.Valid = memory(p.valid, 1)
	}
	return out
}
