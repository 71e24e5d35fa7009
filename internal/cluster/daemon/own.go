package daemon

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/plan/watch"
	"github.com/godwit-run/godwit/internal/run"
)

// In: what pieces took here, and what they were expected to. Out: what the node accuses itself of; see package watch. Pieces that run at the
// same time share the processors, so more is expected of each.

// own is a node's watch over itself.
type own struct {
	watch   *watch.Watch
	running atomic.Int64 // pieces
}

// watching begins to watch a piece. What it gives is called when the piece has ended.
func (d *Daemon) watching() func(p *run.Piece, s *run.Stats, err error) {
	before := d.own.running.Add(1)
	start := time.Now()
	if d.cfg.Slow != nil {
		d.cfg.Slow()
	}
	slowed := time.Since(start).Seconds()
	return func(p *run.Piece, s *run.Stats, err error) {
		after := d.own.running.Add(-1) + 1
		if err != nil || len(s.Launches) != 1 {
			return
		}
		l := &s.Launches[0]
		beside := float64(before+after) / 2
		if l.Expected.P50 <= 0 {
			return
		}
		d.own.watch.Add(&watch.Part{At: time.Now(), Of: watch.Resource{Kind: watch.Node, Name: d.cfg.Name}, Kernel: p.Kernel.Hash.Short() + " on " + string(l.Tier),
			Measured: l.Took + slowed, Expected: l.Expected.P50 * beside, Within: l.Expected.P90 / l.Expected.P50})
	}
}

// accused is what the node accuses itself of. It is the only node that it knows, so its description is that of all. Where the machine
// was not measured, nobody has claimed what could be wrong of it.
func (d *Daemon) accused() []watch.Accusation {
	list := d.own.watch.Accused(time.Now())
	if d.machine.Load().Measured == "" {
		list = slices.DeleteFunc(list, func(a watch.Accusation) bool { return a.Kind == watch.Model || a.Kind == watch.Description })
	}
	for i := range list {
		list[i].Name = cmp.Or(list[i].Name, d.cfg.Name)
	}
	return list
}
