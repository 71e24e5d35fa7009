package run

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// input is what is known about an input buffer before anything is read.
type input struct {
	buffer int
	param  int
	name   string // for messages
	b      *Binding
	kind   num.Kind
	want   data.Want
	origin int64 // row of the buffer that row 0 of the source is; 0 in a run
	rows   int64 // of the source
	width  int64 // elements per row
	raw    *raw  // the stored bytes are the buffer's contents; nil if they must be decoded
	uses   []schedule.Use
	moved  bool // swapped with a buffer that is written, so it needs memory of its own
	plan   residency
	seen   bool // its bytes are counted as read
	laid   bool // its source was asked to show it where it lies
	file   mapping
}

// size is the number of bytes of the whole buffer.
func (in *input) size() int64 { return in.rows * in.rowBytes() }

// first is the first element of the buffer that the source has.
func (in *input) first() int64 { return in.origin * in.width }

func (in *input) rowBytes() int64 { return in.width * int64(in.kind.Size()) }

// bind looks at every input buffer and checks that its binding fits it.
func (r *runner) bind() ([]*input, error) {
	ins := make([]*input, len(r.s.Buffers))
	for i := range r.s.Buffers {
		if r.s.Buffers[i].Input == nil {
			continue
		}
		in, err := r.bindOne(i)
		if err != nil {
			return nil, err
		}
		in.uses, in.moved = r.p.uses[i], r.p.swapped[i]
		ins[i] = in
	}
	return ins, nil
}

func (r *runner) bindOne(i int) (*input, error) {
	buf := &r.s.Buffers[i]
	b, err := r.binding(buf.Input.Param, buf.Input.Leaf)
	if err != nil {
		return nil, err
	}
	in := &input{buffer: i, param: buf.Input.Param, name: r.argument(i), b: b, kind: buf.Kind, rows: 1, width: 1}
	n, err := r.eval(buf.Len)
	if err != nil {
		return nil, err
	}
	if b.Source == nil {
		if n != 1 {
			return nil, fmt.Errorf("%s: expected %d elements, found a lone value", in.name, n)
		}
		return in, nil
	}
	bound := int64(0)
	if buf.Bounded && !b.Presence {
		if bound, err = r.eval(buf.Bound); err != nil {
			return nil, err
		}
	}
	if err := in.bindColumn(buf.Bounded, bound); err != nil {
		return nil, err
	}
	if in.rows*in.width != n {
		return nil, fmt.Errorf("%s: expected %d elements, %s has %d rows of %d", in.name, n, b.Source.Path(), in.rows, in.width)
	}
	return in, nil
}

// bindColumn looks at the column behind in. With bounded, its elements must lie
// in 0..bound.
func (in *input) bindColumn(bounded bool, bound int64) error {
	b := in.b
	cols := b.Source.Columns()
	if b.Column < 0 || b.Column >= len(cols) {
		return fmt.Errorf("%s: column number %d was asked for, %s has %d", in.name, b.Column, b.Source.Path(), len(cols))
	}
	in.rows = b.Source.Rows()
	in.want = data.Want{Column: b.Column, Kind: in.kind, Option: b.Option, Blanks: b.Blanks}
	if b.Presence {
		in.want = data.Want{Column: b.Column, Kind: data.PresenceKind(&cols[b.Column]), Option: true, Presence: true}
		if rawColumn(b) != nil {
			in.raw = &raw{ones: true}
		}
		return nil
	}
	in.width = cols[b.Column].Width()
	if bounded {
		if bound < 1 && in.rows*in.width > 0 {
			return fmt.Errorf("%s: %s has indices into an array that is empty (its bound is %d)", in.name, b.Source.Path(), bound)
		}
		in.want.Bound = bound
	}
	if err := data.Check(b.Source, []data.Want{in.want}); err != nil {
		return err
	}
	if cols[b.Column].Kind == in.kind {
		in.raw = rawColumn(b)
	}
	return nil
}

func (r *runner) binding(param, leaf int) (*Binding, error) {
	if param >= len(r.in.Params) || leaf >= len(r.in.Params[param].Leaves) {
		return nil, bug("argument %d has no column %d", param, leaf)
	}
	return &r.in.Params[param].Leaves[leaf], nil
}

// argument is what a message calls an input.
func (r *runner) argument(b int) string {
	if p := r.s.Buffers[b].Input.Param; p < len(r.in.Params) && r.in.Params[p].Name != "" {
		return "argument `" + r.in.Params[p].Name + "`"
	}
	return r.about[b].name
}

// lone reads a scalar argument that is bound to a column of one row.
func (r *runner) lone(b *Binding, k num.Kind) (uint64, error) {
	if b.Source.Rows() != 1 || len(b.Source.Chunks()) != 1 {
		return 0, fmt.Errorf("%s: expected one value, found %d rows", b.Source.Path(), b.Source.Rows())
	}
	want := data.Want{Column: b.Column, Kind: k, Option: b.Option || b.Presence, Blanks: b.Blanks}
	if b.Presence {
		want.Kind, want.Presence = data.PresenceKind(&b.Source.Columns()[b.Column]), true
	}
	d := data.Dest{Values: make([]byte, want.Kind.Size()), Valid: make([]byte, 1)}
	n, err := b.Source.Fill(r.ctx, 0, []data.Want{want}, []data.Dest{d})
	r.read.Add(n)
	if b.Presence {
		return uint64(d.Valid[0]), err
	}
	return num.Canon(k, column.Get(k, d.Values, 0)), err
}
