package run

import (
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// progress tells the caller how many rows have passed through launches. A
// launch counts as many rows as its longest input, those in loops do not
// count: how often they run is not known.
type progress struct {
	tell  func(done, total int64)
	rows  map[*schedule.Launch]int64
	total int64

	mu   sync.Mutex
	part map[*schedule.Launch]float64 // rows done
	done float64
	last time.Time
}

// every is the least time between two reports.
const every = 50 * time.Millisecond

func (g *progress) start(r *runner) {
	if r.opt.Progress == nil {
		return
	}
	g.tell, g.rows, g.part = r.opt.Progress, map[*schedule.Launch]int64{}, map[*schedule.Launch]float64{}
	for _, in := range r.inputs {
		if in == nil {
			continue
		}
		for _, u := range in.uses {
			if u.Launch != nil && !u.Looped {
				g.rows[u.Launch] = max(g.rows[u.Launch], in.rows)
			}
		}
	}
	for _, n := range g.rows {
		g.total += n
	}
}

// advance notes that n of a launch's outer indices are done.
func (g *progress) advance(l *schedule.Launch, n, outer int64) {
	if g.tell == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rows[l] == 0 {
		return
	}
	rows := float64(g.rows[l]) * float64(n) / float64(outer)
	g.part[l] += rows
	g.done += rows
	if time.Since(g.last) >= every {
		g.last = time.Now()
		g.tell(min(int64(g.done), g.total), g.total)
	}
}

// finished counts a launch in full.
func (g *progress) finished(l *schedule.Launch) {
	if g.tell == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += float64(g.rows[l]) - g.part[l]
	g.rows[l], g.part[l] = 0, 0
	g.tell(min(int64(g.done+0.5), g.total), g.total)
}
