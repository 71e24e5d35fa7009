package compile

import (
	"context"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var oneRow = size.Const(1)

// Values reads all arguments into memory, as the interpreter needs them, and
// counts the bytes read. What the function does not use is left zero.
func (b *Bound) Values(ctx context.Context) (args []*value.Value, read int64, err error) {
	b.spread()
	l, err := b.lower()
	if err != nil {
		return nil, 0, err
	}
	for i, p := range b.Func.Graph.Body.Params {
		v, n, err := b.load(ctx, p.Type, b.params[i], l.used[i])
		read += n
		if err != nil {
			return nil, read, about(b.Func.info(i).Name, err)
		}
		args = append(args, v)
	}
	return args, read, nil
}

func (b *Bound) load(ctx context.Context, t *graph.Type, leaves []leaf, used []bool) (*value.Value, int64, error) {
	v, err := value.New(t, b.sizes.value)
	if err != nil {
		return nil, 0, err
	}
	read := int64(0)
	for j, l := range graph.Leaves(t) {
		switch {
		case len(l.Dims) == 0:
			v.Columns[j].Set(0, leaves[j].bits)
			continue
		case !used[j]:
			continue
		}
		if err := b.checkUsed(l, leaves[j]); err != nil {
			return nil, read, err
		}
		c, n, err := loadColumn(ctx, l, b.bounded(l, leaves[j]), v.Columns[j].Dims)
		read += n
		if err != nil {
			return nil, read, err
		}
		v.Columns[j] = c
	}
	return v, read, nil
}

// boundedLeaf is a leaf whose values must lie below a bound, if bound > 0.
type boundedLeaf struct {
	leaf
	bound int64
}

func (b *Bound) bounded(l graph.Leaf, from leaf) boundedLeaf {
	if l.Type.Kind != graph.Index {
		return boundedLeaf{leaf: from}
	}
	n, _ := b.sizes.eval(l.Type.Bound)
	return boundedLeaf{from, n}
}

// loadColumn decodes a whole column.
func loadColumn(ctx context.Context, l graph.Leaf, from boundedLeaf, dims []int64) (column.Column, int64, error) {
	c := column.Column{Kind: l.Type.KindOf(), Dims: dims}
	want := data.Want{Column: from.column, Kind: c.Kind, Option: from.option || from.presence, Blanks: from.blanks, Bound: from.bound}
	if from.presence {
		want.Kind, want.Presence, want.Bound = data.PresenceKind(&from.src.Columns()[from.column]), true, 0
	}
	if err := data.Check(from.src, []data.Want{want}); err != nil {
		return c, 0, err
	}
	rowBytes := from.src.Columns()[from.column].Width() * int64(want.Kind.Size())
	values := make([]byte, from.src.Rows()*rowBytes)
	valid := make([]byte, from.src.Rows())
	read := int64(0)
	for i, chunk := range from.src.Chunks() {
		d := data.Dest{Values: values[chunk.Lo*rowBytes : chunk.Hi*rowBytes]}
		if want.Option {
			d.Valid = valid[chunk.Lo:chunk.Hi]
		}
		n, err := from.src.Fill(ctx, i, []data.Want{want}, []data.Dest{d})
		read += n
		if err != nil {
			return c, read, err
		}
	}
	c.Data = values
	if from.presence {
		c.Kind, c.Data = num.Bool, valid
	}
	return c, read, nil
}
