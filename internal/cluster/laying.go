package cluster

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a column of a set, and the files of its shards. Out: the files' stretches mapped one behind the other, under leases, all blocks compared.
// Who uses it, and how long it stays, is in laid.go.

// gather takes the files of all shards, each under a lease. It reports false if one cannot be had.
func (c *Cluster) gather(ctx context.Context, l *laid, set *catalog.Set) bool {
	for i := range set.Shards {
		s := c.nearBy(ctx, set, i)
		if s == nil {
			return false
		}
		l.keys, l.shards = append(l.keys, nearKey{set.ID, i}), append(l.shards, s)
		if !c.leaseNear(l.keys[i], s) {
			return false
		}
	}
	return true
}

// join maps the stretches of a column and compares them with their checksums.
func join(l *laid, s *source, column int, how run.Laying) error {
	var raws []data.Raw
	var stretches []mem.Stretch
	for i, near := range l.shards {
		rows := s.set.Shards[i].Hi - s.set.Shards[i].Lo
		raw, ok := near.src.Raw(column)
		if !ok || raw.File == nil || raw.Check == nil || raw.Length != rows*s.rowBytes(column) {
			return mem.ErrApart
		}
		raws, stretches = append(raws, raw), append(stretches, mem.Stretch{File: raw.File, Offset: raw.Offset, Length: raw.Length})
	}
	if !affords(raws) {
		return errMuch
	}
	joined, err := mem.Join(stretches)
	if err != nil {
		return err
	}
	l.joined = joined
	for i, raw := range raws {
		part, mapped := joined.Part(i)
		if mapped {
			mem.Bring(part)
			err = compareRaw(raw, part, how)
		} else {
			err = how.Blocks(raw.Length, func(lo, hi int64) error {
				_, err := raw.ReadAt(part[lo:hi], lo)
				return err
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errMuch = errors.New("it may not fit into memory")

// affords reports that columns of files may be looked at as a whole before anybody uses them: they lie in memory, or there is room for them, so that
// nothing is read from a disk twice.
func affords(raws []data.Raw) bool {
	disk := int64(0)
	for _, raw := range raws {
		var st unix.Statfs_t
		if unix.Fstatfs(int(raw.File.Fd()), &st) != nil || st.Type != unix.TMPFS_MAGIC {
			disk += raw.Length
		}
	}
	return disk == 0 || disk <= mem.Available()/2
}

// compareRaw compares a mapped column of a file with checksums: whole blocks where they are mapped, those at its ends as they are read.
func compareRaw(raw data.Raw, b []byte, how run.Laying) error {
	end := raw.Offset + raw.Length
	if raw.Check.Known(raw.Offset, end) {
		return nil
	}
	first := min((raw.Offset+data.Block-1)/data.Block*data.Block, end)
	last := max(end/data.Block*data.Block, first)
	edge := make([]byte, data.Block)
	for _, e := range [][2]int64{{raw.Offset, first}, {last, end}} {
		if _, err := raw.Check.ReadAt(edge[:e[1]-e[0]], e[0]); err != nil {
			return err
		}
	}
	return how.Blocks(last-first, func(lo, hi int64) error {
		return raw.Check.Seen(b[first-raw.Offset+lo:first-raw.Offset+hi], first+lo)
	})
}

// leaseNear has nobody write to a file while it is mapped. It reports false where there is no lease to be had.
func (c *Cluster) leaseNear(key nearKey, s *nearShard) bool {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	if s.lease != nil {
		return s.lease.Held()
	}
	raw, ok := anyRaw(s.src)
	if !ok {
		return false
	}
	var err error
	if s.lease, err = mem.TakeLease(raw.File, func() { c.changedNear(key, s) }); err != nil {
		s.lease = nil
	}
	return err == nil
}

// anyRaw gives a column that lies in the file as it is.
func anyRaw(src data.Source) (data.Raw, bool) {
	for i := range src.Columns() {
		if raw, ok := src.Raw(i); ok && raw.File != nil {
			return raw, true
		}
	}
	return data.Raw{}, false
}
