package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// clients is how many callers one node serves at a time; its limit on parcels in
// hand is the same number. Twice as many clients with several calls each, over an array
// too long to be folded by the thread that receives the parcel, are more than it takes.
const clients, calls, mostCalls, longRows = 64, 4, 32, 1 << 22

// serve measures a node under load: cached kernels for many clients, then for more
// than it takes, then as before.
func serve(ctx context.Context, s *session) error {
	f, err := s.startFleet(ctx, 1, fmt.Sprintf("--max-parcels=%d", clients))
	if err != nil {
		return err
	}
	defer f.close()
	if err := errors.Join(f.load(ctx, "x", firstRows), f.load(ctx, "long", longRows)); err != nil {
		return err
	}
	callers := make([]*cluster.Cluster, 2*clients)
	for i := range callers {
		if callers[i], err = site.Connect(ctx, f.dir, site.Options{}); err != nil {
			return err
		}
		defer callers[i].Close()
	}
	long := 30 * time.Second
	if s.opt.Quick {
		long = 5 * time.Second
	}
	_, err = s.phase(ctx, f, "warming up", "x", callers[:clients], long/10)
	if err != nil {
		return err
	}
	before, err := s.phase(ctx, f, fmt.Sprintf("%d clients", clients), "x", callers[:clients], long)
	if err != nil {
		return err
	}
	over, err := s.overload(ctx, f, callers, long/3)
	if err != nil {
		return err
	}
	after, err := s.phase(ctx, f, fmt.Sprintf("%d clients again", clients), "x", callers[:clients], long/3)
	if err != nil {
		return err
	}
	s.report.Rows = append(slices.Concat(s.report.Rows, before.rows(before)), after.rows(before)...)
	for _, p := range []*phase{before, over, after} {
		s.note(p.note())
	}
	return nil
}

// overload has all callers send more and more calls at a time until the node answers
// busy: where callers and node share few processors, the callers are what is slow, and
// on a busy machine that may not happen at all.
func (s *session) overload(ctx context.Context, f *fleet, callers []*cluster.Cluster, long time.Duration) (over *phase, err error) {
	for n := calls; n <= mostCalls; n *= 2 {
		over, err = s.phase(ctx, f, fmt.Sprintf("%d clients, %d calls each over %d numbers", len(callers), n, longRows), "long", slices.Repeat(callers, n), long)
		if err != nil || over.busy > 0 {
			return over, err
		}
	}
	s.note(fmt.Sprintf("the node never answered busy to %d calls at a time with a limit of %d parcels: nothing is said about overload", len(callers)*mostCalls, clients))
	return over, nil
}

// phase is a time of constant load.
type phase struct {
	name         string
	took         time.Duration
	latencies    []time.Duration
	busy         int64
	first, last  *daemon.Report
	perSecond    float64
	median, tail time.Duration
}

func (s *session) phase(ctx context.Context, f *fleet, name, set string, callers []*cluster.Cluster, long time.Duration) (*phase, error) {
	s.progress("%s, %s", name, long)
	p := &phase{name: name}
	var err error
	if p.first, err = nodeReport(ctx, f.c); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	start := time.Now()
	for _, c := range callers {
		all.Go(func() {
			// All send the same kernel.
			k, mine := &newKernels{c: c, set: set}, []time.Duration(nil)
			werr := k.with(ctx, func(launch func() error, _ *cluster.Beside) error {
				for time.Since(start) < long {
					begin := time.Now()
					if err := launch(); err != nil {
						return err
					}
					mine = append(mine, time.Since(begin))
				}
				return nil
			})
			mu.Lock()
			defer mu.Unlock()
			p.latencies = append(p.latencies, mine...)
			if werr != nil && err == nil {
				err = werr
			}
		})
	}
	all.Wait()
	p.took = time.Since(start)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if p.last, err = nodeReport(ctx, f.c); err != nil {
		return nil, err
	}
	if len(p.latencies) == 0 {
		return nil, fmt.Errorf("%s: none came to its end within %v", name, long)
	}
	p.busy = p.last.Core.Refusals["busy"] - p.first.Core.Refusals["busy"]
	slices.Sort(p.latencies)
	p.perSecond = float64(len(p.latencies)) / p.took.Seconds()
	p.median, p.tail = p.latencies[len(p.latencies)/2], p.latencies[len(p.latencies)*99/100]
	return p, nil
}

func nodeReport(ctx context.Context, c *cluster.Cluster) (*daemon.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	list, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 || list[0].Error != "" {
		return nil, fmt.Errorf("expected the report of one node, found %+v", list)
	}
	r := new(daemon.Report)
	return r, json.Unmarshal(list[0].Report, r)
}

// rows of a phase compare with another.
func (p *phase) rows(with *phase) []Row {
	row := func(name, unit string, ours, reference float64, more bool) Row {
		r := Row{Name: p.name + ": " + name, Unit: unit, Ours: Number(ours), Reference: Number(reference), ReferenceName: with.name,
			Ratio: Number(reference / ours), RatioMin: unknown, RatioMax: unknown, Limit: unknown, OfLimit: unknown, N: len(p.latencies)}
		if more {
			r.Ratio = Number(ours / reference)
		}
		return r
	}
	return []Row{
		row("answers", "1/s", p.perSecond, with.perSecond, true),
		row("median", "ms", p.median.Seconds()*1e3, with.median.Seconds()*1e3, false),
		row("99 of 100", "ms", p.tail.Seconds()*1e3, with.tail.Seconds()*1e3, false),
	}
}

func (p *phase) note() string {
	return fmt.Sprintf("%s: %d answers in %.1f s (median %s, 99 of 100 below %s), %d times busy; the node's heap went from %d to %d kB, kernel memory from %d to %d kB, goroutines from %d to %d.",
		p.name, len(p.latencies), p.took.Seconds(), p.median.Round(time.Microsecond), p.tail.Round(time.Microsecond), p.busy, p.first.Heap/1000, p.last.Heap/1000, p.first.Arena/1000, p.last.Arena/1000, p.first.Goroutines, p.last.Goroutines)
}
