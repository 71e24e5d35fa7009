package cluster

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a column of a data set. Out: how long the way to its nodes takes, measured by reading some of it, or as the
// description of this machine has it if that fails.

const (
	// linkValid is how long a measurement is used.
	linkValid = time.Minute
	// linkTime is what one may take.
	linkTime = 2 * time.Second
	// linkSoon is how long the many rows may take that are read again.
	linkSoon = 20 * time.Millisecond
	// linkTrips is how many short parcels are asked for, after one that wakes who sleeps; more where they are soon back, so long and so many at most.
	linkTrips, mostTrips = 3, 32
	linkTripping         = 3 * time.Millisecond
	// linkBytes is how much is read in pieces, as rows are fetched.
	linkBytes = 2 * pieceBytes
)

// linkTo is the way to the nodes with a set: all nodes count as equally far away, but far memory, of which each process has a way of its own.
func (c *Cluster) linkTo(set *catalog.Set) *link {
	if !set.Far || len(set.Shards) == 0 || len(set.Shards[0].Assigned) == 0 {
		return &c.link
	}
	l, _ := c.farLinks.LoadOrStore(set.Shards[0].Assigned[0], &link{})
	return l.(*link)
}

// link is the way to the nodes.
type link struct {
	mu   sync.Mutex
	seen machine.Link
	at   time.Time // zero if it was not measured
}

// known gives the way as last measured, and whether that was lately.
func (l *link) known(usual machine.Link) (machine.Link, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at.IsZero() {
		return usual, false
	}
	return l.seen, time.Since(l.at) < linkValid
}

// measured is when the way was measured; zero if it was not.
func (l *link) measured() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// doubt has the way measured anew when the next decision depends on it.
func (l *link) doubt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.at.IsZero() {
		l.at = l.at.Add(-linkValid)
	}
}

// measure reads rows of a column whose rows have so many bytes. Whoever comes meanwhile waits for it. A measurement that
// fails counts as one: who asks next does not wait for the same silent node.
func (l *link) measure(ctx context.Context, c *Cluster, usual machine.Link, set *catalog.Set, column int, rowBytes int64) machine.Link {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.at.IsZero() && time.Since(l.at) < linkValid {
		return l.seen
	}
	if len(set.Shards) == 0 {
		return usual
	}
	seen := trial(ctx, c, usual, set, column, rowBytes)
	if ctx.Err() == nil {
		l.seen, l.at = seen, time.Now()
	}
	return seen
}

// trial reads a row a few times, then many in pieces; twice where that is soon over, since what was made anew the first time is there the second.
func trial(ctx context.Context, c *Cluster, usual machine.Link, set *catalog.Set, column int, rowBytes int64) machine.Link {
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	longest := slices.MaxFunc(set.Shards, func(a, b catalog.Shard) int { return int(min(a.Hi-a.Lo, linkBytes) - min(b.Hi-b.Lo, linkBytes)) })
	shard := slices.IndexFunc(set.Shards, func(s catalog.Shard) bool { return s.Lo == longest.Lo && s.Hi == longest.Hi })
	read := func(rows int64) (float64, error) {
		start, list := time.Now(), []*future(nil)
		for lo, step := int64(0), max(1, pieceBytes/max(1, rowBytes)); lo < rows; lo += step {
			_, f := c.fetch(ctx, set, shard, &parcel.Gather{Set: set.ID, Column: column, Null: set.Columns[column].Nullable, Lo: longest.Lo + lo, Hi: longest.Lo + min(rows, lo+step)})
			list = append(list, f)
		}
		for _, f := range list {
			a, err := c.await(ctx, f)
			if err != nil {
				return 0, err
			}
			a.Loan.Back()
		}
		return float64(time.Since(start)), nil
	}
	rows := min(longest.Hi-longest.Lo, max(1, linkBytes/max(1, rowBytes)))
	var trips []float64
	for begin := time.Now(); len(trips) <= linkTrips || len(trips) < mostTrips && time.Since(begin) < linkTripping; {
		t, err := read(min(1, rows))
		if err != nil {
			return usual
		}
		trips = append(trips, t)
	}
	trips = trips[1:]
	long := math.Inf(1)
	for first := true; first || long < float64(linkSoon); first = false {
		t, err := read(rows)
		if err != nil {
			return usual
		}
		if long = min(long, t); !first {
			break
		}
	}
	seen := usual
	seen.RoundTrip = machine.Of(trips)
	if bytes := float64(rows * rowBytes); bytes >= linkBytes/4 {
		each := max(long-seen.RoundTrip.P50, long/8) / bytes
		seen.Byte = machine.Spread{P10: each / 2, P50: each, P90: 2 * each} // one parcel says little about many at a time
	}
	return seen
}

// Way measures the way to the nodes with a set, or gives it as it was measured lately.
func (c *Cluster) Way(ctx context.Context, name string) (machine.Link, error) {
	set, err := c.named(name)
	if err != nil {
		return machine.Link{}, err
	}
	row := max(1, c.sourceOf(set).cols[0].Width()) * int64(set.Columns[0].Kind.Size())
	return c.linkTo(set).measure(ctx, c, machine.Here().Way(set.Far), set, 0, row), ctx.Err()
}
