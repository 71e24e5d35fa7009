package daemon

import "github.com/godwit-run/godwit/internal/cluster/node"

// What is over in some tens of microseconds runs on the goroutine that received it:
// another thread would take as long to take it up.
const (
	shortTurns = 1 << 12 // of all states together
	shortRows  = 1 << 12
)

// short reports that small work is over sooner than another thread would have taken
// it up: what it needs is in memory.
func (d *Daemon) short(w node.Work) bool {
	switch w := w.(type) {
	case *node.Advance:
		return d.shortWalk(w)
	case *node.Compute:
		return w.Task.Hi > w.Task.Lo
	case *node.Collect:
		g := w.Gather
		v := d.view.Load()
		if len(g.Rows) == 0 || len(g.Rows) > shortRows || v == nil {
			return false
		}
		set, ok := v.Set(g.Set)
		return ok && d.columns.has(place{g.Set, set.ShardOf(g.Rows[0]), g.Column})
	}
	return false
}

// shortWalk takes it that few states run for long without leaving.
func (d *Daemon) shortWalk(a *node.Advance) bool {
	if int64(a.Batch.States)*a.Turns > shortTurns && a.Batch.States > 8 {
		return false
	}
	for _, f := range a.Batch.Columns {
		if !d.columns.has(place{a.Batch.Set, a.Shard, f.Column}) {
			return false
		}
	}
	return true
}
