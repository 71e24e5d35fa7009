package daemon

import (
	"context"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// collect reads rows of a column for someone else, in the stored kind.
func (d *Daemon) collect(ctx context.Context, g *parcel.Gather) (*parcel.Answer, error) {
	lo, hi := g.Lo, g.Hi
	if len(g.Rows) > 0 {
		lo, hi = g.Rows[0], g.Rows[0]+1
	}
	set, err := d.setOf(ctx, g.Set)
	if err != nil {
		return nil, err
	}
	if lo < 0 || hi > set.Rows || lo > hi {
		return nil, noShard("@%s has %d rows, not rows %d to %d", set.Name, set.Rows, lo, hi)
	}
	sh, release, err := d.shard(g.Set, set.ShardOf(lo))
	if err != nil {
		return nil, err
	}
	defer release()
	if g.Column < 0 || g.Column >= len(set.Columns) || set.Columns[g.Column].Kind == num.Invalid {
		return nil, refused("@%s has no column %d that can be read", set.Name, g.Column)
	}
	if len(g.Rows) > 0 {
		return d.collectRows(ctx, sh, g)
	}
	return d.collectRange(ctx, sh, g)
}

// collectRows picks rows one by one, out of kernel memory.
func (d *Daemon) collectRows(ctx context.Context, sh shard, g *parcel.Gather) (*parcel.Answer, error) {
	if g.Null {
		return nil, refused("single rows of a column with nulls cannot be read")
	}
	r, err := d.columns.acquire(ctx, sh.src, place{g.Set, sh.number, g.Column}, true)
	if err != nil {
		return nil, err
	}
	defer d.columns.release(r)
	row := r.width * int64(r.kind.Size())
	out := make([]byte, 0, int64(len(g.Rows))*row)
	for _, i := range g.Rows {
		if i < sh.at.Lo || i >= sh.at.Hi {
			return nil, noShard("row %d is not in shard %d of @%s, rows %d to %d", i, sh.number, sh.set.Name, sh.at.Lo, sh.at.Hi-1)
		}
		at := (i - sh.at.Lo) * row
		out = append(out, r.all[at:at+row]...)
	}
	return &parcel.Answer{Columns: [][]byte{out}}, nil
}

// collectRange reads consecutive rows through the shard's file.
func (d *Daemon) collectRange(ctx context.Context, sh shard, g *parcel.Gather) (*parcel.Answer, error) {
	if g.Hi > sh.at.Hi {
		return nil, noShard("rows %d to %d are not all in shard %d of @%s, rows %d to %d", g.Lo, g.Hi-1, sh.number, sh.set.Name, sh.at.Lo, sh.at.Hi-1)
	}
	col, err := sh.column(g.Column)
	if err != nil {
		return nil, err
	}
	row := col.Width() * int64(col.Kind.Size())
	lo, hi := g.Lo-sh.at.Lo, g.Hi-sh.at.Lo
	if row > 0 && hi-lo > parcel.MaxBytes/2/row {
		return nil, refused("%d rows of %d bytes are too many for one parcel", hi-lo, row)
	}
	if raw, ok := sh.src.Raw(g.Column); ok {
		out := make([]byte, (hi-lo)*row)
		if _, err := raw.ReadAt(out, lo*row); err != nil {
			return nil, fmt.Errorf("%s: %w", sh.src.Path(), err)
		}
		a := &parcel.Answer{Columns: [][]byte{out}}
		if g.Null {
			a.Columns = append(a.Columns, ones(hi-lo))
		}
		return a, nil
	}
	return decodeRange(ctx, sh.src, g, lo, hi)
}

func ones(n int64) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 1
	}
	return b
}

// decodeRange decodes the chunks that rows lo..hi of the shard lie in.
func decodeRange(ctx context.Context, src data.Source, g *parcel.Gather, lo, hi int64) (*parcel.Answer, error) {
	col := src.Columns()[g.Column]
	row := col.Width() * int64(col.Kind.Size())
	values, valid := make([]byte, (hi-lo)*row), make([]byte, hi-lo)
	want := []data.Want{{Column: g.Column, Kind: col.Kind, Option: g.Null}}
	for i, c := range src.Chunks() {
		a, b := max(c.Lo, lo), min(c.Hi, hi)
		if a >= b {
			continue
		}
		part := data.Dest{Values: make([]byte, c.Rows()*row), Valid: make([]byte, c.Rows())}
		if _, err := src.Fill(ctx, i, want, []data.Dest{part}); err != nil {
			return nil, err
		}
		copy(values[(a-lo)*row:(b-lo)*row], part.Values[(a-c.Lo)*row:])
		copy(valid[a-lo:b-lo], part.Valid[a-c.Lo:])
	}
	out := &parcel.Answer{Columns: [][]byte{values}}
	if g.Null {
		out.Columns = append(out.Columns, valid)
	}
	return out, nil
}
