package daemon

import (
	"errors"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/store"
)

// takeBack takes back shards whose files are there and whose descriptions were lost: the
// records say what they must be. It takes as long as to read the file, where a copy
// from another node takes many times that, and where there may be none.
func (d *Daemon) takeBack(v *catalog.View) {
	for _, a := range d.cfg.Store.Damaged() {
		if !a.Undescribed || d.ctx.Err() != nil {
			continue
		}
		set, ok := v.Set(a.Set)
		if !ok || int(a.Shard) >= len(set.Shards) {
			continue
		}
		s := &set.Shards[a.Shard]
		f := store.File{Set: a.Set, Shard: a.Shard, Lo: s.Lo, Hi: s.Hi, Bytes: s.Bytes, Sum: s.Sum}
		d.work.Go(func() {
			err := d.cfg.Store.Restore(f)
			if errors.Is(err, store.ErrNotHere) { // somebody else does it
				return
			}
			if err == nil {
				d.log.Info("a shard without a description is what the cluster's records say, and is here again", "shard", f.String(), "bytes", f.Bytes)
				err = d.hold(d.ctx, &f)
			}
			if err != nil && d.ctx.Err() == nil {
				d.log.Warn("a shard without a description is not here again", "shard", f.String(), "reason", err)
			}
		})
	}
}
