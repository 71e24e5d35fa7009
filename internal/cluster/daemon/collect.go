package daemon

import (
	"context"

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
	switch {
	case g.Where:
		return d.locate(sh)
	case len(g.Rows) > 0:
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
	a := parcel.Lay(len(g.Rows) * int(row))
	for n, i := range g.Rows {
		if i < sh.at.Lo || i >= sh.at.Hi {
			return nil, noShard("row %d is not in shard %d of @%s, rows %d to %d", i, sh.number, sh.set.Name, sh.at.Lo, sh.at.Hi-1)
		}
		at := (i - sh.at.Lo) * row
		copy(a.Columns[0][int64(n)*row:], r.all[at:at+row])
	}
	return a, nil
}

// collectRange reads consecutive rows through the shard's file, to where they lie in the parcel.
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
	lengths := []int{int((hi - lo) * row)}
	if g.Null {
		lengths = append(lengths, int(hi-lo))
	}
	a := parcel.Lay(lengths...)
	var ones []byte
	if g.Null {
		ones = a.Columns[1]
	}
	if err := data.ReadRows(ctx, sh.src, g.Column, g.Null, lo, hi, a.Columns[0], ones); err != nil {
		a.Loan.Back()
		return nil, err
	}
	return a, nil
}

// locate says where processes of this machine and user find the shard's file. Far memory is as far away as its operator says, and not there.
func (d *Daemon) locate(sh shard) (*parcel.Answer, error) {
	if sh.set.Far {
		return nil, refused("@%s lies in far memory", sh.set.Name)
	}
	at, err := sh.file.Where()
	if err != nil {
		return nil, refused("shard %d of @%s: %v", sh.number, sh.set.Name, err)
	}
	l := &parcel.Located{Peer: d.self, File: at.File, Device: at.Device, Inode: at.Inode, Size: at.Sums.Size, Sums: at.Sums.List}
	if len(l.Sums) > parcel.MaxBytes/2/8 {
		return nil, refused("shard %d of @%s has too many checksums for a parcel", sh.number, sh.set.Name)
	}
	return l.Answer(), nil
}
