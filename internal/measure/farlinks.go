package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
)

// In: ways to far memory that are emulated, from 0.3 to 30 µs. Out: for a few walks and for many what a hop takes by each strategy, what was
// chosen, and how much longer that took than the best.

var farLatencies = []time.Duration{300 * time.Nanosecond, time.Microsecond, 3 * time.Microsecond, 10 * time.Microsecond, 30 * time.Microsecond}

// farWalks are how many walks there are, and of how many hops, of which one at a time is tried with fewer.
var farWalks = []struct{ walks, depth, single int }{{1, 64, 1}, {64, 64, 2}, {4096, 64, 2}}

const farTable = 1 << 22

func (b *farBed) links(ctx context.Context) error {
	b.s.progress("shuffling a table of %d", farTable)
	next := shuffled(farTable)
	fn, err := function(strings.Replace(chaseSource, "N]", "N] @ Far", 1))
	if err != nil {
		return err
	}
	latencies := farLatencies
	if b.s.opt.Quick {
		latencies = []time.Duration{latencies[0], latencies[4]}
	}
	for i, l := range latencies {
		if err := b.link(ctx, fmt.Sprintf("link%d", i), l, fn, next); err != nil {
			return err
		}
	}
	return nil
}

// link starts far memory that is so far away.
func (b *farBed) link(ctx context.Context, name string, latency time.Duration, fn *godwit.Func, next []int64) (err error) {
	m, err := b.f.startFar(ctx, b.s.opt.Program, name, "256MiB", latency)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	if _, err := b.f.c.Load(ctx, data.FromSlice(next), name, cluster.LoadOptions{Far: true, Shards: 1}); err != nil {
		return err
	}
	for _, w := range farWalks {
		if err := b.walks(ctx, name, latency, fn, next, w.walks, w.depth, w.single); err != nil {
			return err
		}
	}
	return nil
}

// walks holds what is chosen against each way.
func (b *farBed) walks(ctx context.Context, set string, latency time.Duration, fn *godwit.Func, next []int64, walks, depth, single int) error {
	best, note := math.Inf(1), []string{}
	chosen, chose := 0.0, ""
	title := fmt.Sprintf("%d walks of %d hops, %v away", walks, depth, latency)
	for _, way := range []godwit.Strategy{godwit.Single, godwit.Gather, godwit.Ship, godwit.Fetch, godwit.Auto} {
		n := walks
		if way == godwit.Single {
			n = single
		}
		b.s.progress("%s: %s", title, way)
		starts := make([]int64, n)
		for i := range starts {
			starts[i] = int64(i) * 997 % int64(len(next))
		}
		var times []time.Duration
		for i := range settled + min(5, b.s.pairs()) {
			begin := time.Now()
			res, err := fn.Call(ctx, godwit.Args{"next": godwit.DataSet(set), "starts": starts, "steps": depth}, append(slices.Clone(b.opts), godwit.WithStrategy(way))...)
			took := time.Since(begin)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", title, way, err)
			}
			got, err := godwit.As[[]int64](res)
			if err != nil {
				return err
			}
			for k, at := range starts {
				for range depth {
					at = next[at]
				}
				if got[k] != at {
					return fmt.Errorf("%s, %s: walk %d ended at %d, expected %d", title, way, k, got[k], at)
				}
			}
			if i >= settled {
				times = append(times, took)
			}
			if way == godwit.Auto {
				chose = wayOf(res.Stats().Travel.Places)
			}
		}
		hop := float64(median(times)) / float64(n*depth)
		if way == godwit.Auto {
			chosen = hop
			continue
		}
		best = min(best, hop)
		note = append(note, fmt.Sprintf("%s %.0f", way, hop))
	}
	b.s.note(fmt.Sprintf("%s, ns a hop: %s; chosen: %s, %.0f, %+.0f %% to the best.", title, strings.Join(note, ", "), chose, chosen, 100*(chosen/best-1)))
	return nil
}

// wayOf is the strategy that words of a launch tell of.
func wayOf(places []string) string {
	all := strings.Join(places, "\n")
	for words, way := range map[string]godwit.Strategy{"as a whole": godwit.Ship, "states move": godwit.Ship, "are brought": godwit.Gather, "fetched": godwit.Fetch} {
		if strings.Contains(all, words) {
			return string(way)
		}
	}
	return all
}

// shuffled is a walk through all of n places.
func shuffled(n int) []int64 {
	order := make([]int64, n)
	for i := range order {
		order[i] = int64(i)
	}
	r := newRand()
	for i := n - 1; i > 0; i-- {
		j := int(r.next()) % i // Sattolo: one cycle
		order[i], order[j] = order[j], order[i]
	}
	return order
}
