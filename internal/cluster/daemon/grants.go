package daemon

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/packages/worker"
)

// granting collects what a call is granted.
type granting struct {
	d    *Daemon
	ctx  context.Context
	list []worker.Grant
	held []*region
}

// grant gives a call the regions that it asks for, until release.
func (d *Daemon) grant(ctx context.Context, owner, signer string, wanted []parcel.Grant) (list []worker.Grant, release func(), err error) {
	g := &granting{d: d, ctx: ctx}
	release = func() {
		for _, r := range g.held {
			d.native.regions.release(r)
		}
	}
	for _, w := range wanted {
		if w.Bytes > 0 {
			r, e := d.native.regions.memory(ctx, owner, signer, w.Name, w.Bytes)
			err = g.add(w.Name, w.Write, r, e)
		} else {
			err = g.column(&w)
		}
		if err != nil {
			release()
			return nil, nil, err
		}
	}
	return g.list, release, nil
}

func (g *granting) add(name string, write bool, r *region, err error) error {
	if err == nil {
		g.held = append(g.held, r)
		g.list = append(g.list, worker.Grant{Name: name, Region: r.mem, Write: write})
	}
	return err
}

// column gives the rows that the node holds of a column, as they are stored:
//
//	NAME         the values, shard after shard
//	NAME.range   for each of these shards: first row, row behind the last
//	NAME.owners  for each shard of the set: row behind the last, number of a node
//	             that has it; this node where it does, 0 if none is alive
//
// Numbers are int64. What would be empty is not there.
func (g *granting) column(w *parcel.Grant) error {
	set, err := g.d.setOf(g.ctx, w.Set)
	if err != nil {
		return err
	}
	if w.Column < 0 || w.Column >= len(set.Columns) || set.Columns[w.Column].Kind == num.Invalid || set.Columns[w.Column].Nullable {
		return refused("@%s has no column %d whose values could be granted: expected one of numbers, without nulls", set.Name, w.Column)
	}
	width := int64(set.Columns[w.Column].Kind.Size())
	for _, n := range set.Columns[w.Column].Dims {
		width *= n
	}
	own, size, at := g.d.holds(set), int64(0), []byte(nil)
	for _, i := range own {
		s := &set.Shards[i]
		size += (s.Hi - s.Lo) * width
		at = appendInts(at, s.Lo, s.Hi)
	}
	fill := func(ctx context.Context, dst []byte) error { return g.d.copyColumn(ctx, set, own, w.Column, dst) }
	for _, part := range []part{
		{w.Name, fmt.Sprintf("rows/%d/%d/%v", set.ID, w.Column, own), size, fill},
		numbers(w.Name+".range", set.ID, at),
		numbers(w.Name+".owners", set.ID, g.d.owners(set)),
	} {
		if part.size == 0 {
			continue
		}
		r, err := g.d.native.regions.acquire(g.ctx, part.key, set.ID, part.size, part.fill)
		if err := g.add(part.name, false, r, err); err != nil {
			return fmt.Errorf("region `%s`: %w", part.name, err)
		}
	}
	return nil
}

// part is one of the regions that stand for a column.
type part struct {
	name, key string
	size      int64
	fill      func(context.Context, []byte) error
}

// numbers is a region of a few bytes, which are part of its key.
func numbers(name string, set uint32, b []byte) part {
	return part{name, fmt.Sprintf("numbers/%d/%s", set, b), int64(len(b)), func(_ context.Context, dst []byte) error { copy(dst, b); return nil }}
}

func appendInts(b []byte, list ...int64) []byte {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// holds lists the shards of a set that lie here. A view may not know yet of those that
// were set aside.
func (d *Daemon) holds(set *catalog.Set) (list []int) {
	for i := range set.Shards {
		if slices.Contains(set.Shards[i].Replicas, d.self) && d.here(set.ID, uint32(i)) {
			list = append(list, i)
		}
	}
	return list
}

func (d *Daemon) owners(set *catalog.Set) (b []byte) {
	v := d.view.Load()
	own := d.holds(set)
	for i := range set.Shards {
		s := &set.Shards[i]
		owner := d.self
		if !slices.Contains(own, i) {
			owner = v.Owner(s, func(p catalog.Peer) bool { return p != d.self })
		}
		b = appendInts(b, s.Hi, int64(owner))
	}
	return b
}

// copyColumn copies a column's rows of some shards.
func (d *Daemon) copyColumn(ctx context.Context, set *catalog.Set, shards []int, column int, dst []byte) error {
	for _, i := range shards {
		sh, release, err := d.shard(set.ID, i)
		if err != nil {
			return err
		}
		n, err := sh.copyColumn(ctx, column, dst)
		release()
		if err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

// copyColumn copies a column's rows to where dst begins.
func (sh *shard) copyColumn(ctx context.Context, column int, dst []byte) (n int64, err error) {
	col, err := sh.column(column)
	if err != nil {
		return 0, err
	}
	n = sh.src.Rows() * col.Width() * int64(col.Kind.Size())
	if n > int64(len(dst)) {
		return 0, refused("shard %d of @%s has %d bytes of column %d, %d were expected", sh.number, sh.set.Name, n, column, len(dst))
	}
	return n, copyRows(ctx, sh.src, data.Want{Column: column, Kind: col.Kind}, dst[:n])
}
