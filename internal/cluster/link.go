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
	// linkTime is what one may take, and linkShare what part of the time that a call has left.
	linkTime  = 2 * time.Second
	linkShare = 4
	// linkSoon is how long the many rows may take that are read again.
	linkSoon = 20 * time.Millisecond
	// linkTrips is how many short parcels are asked for, after one that wakes who sleeps; more where they are soon back, so long and so many at most.
	linkTrips, mostTrips = 3, 32
	linkTripping         = 3 * time.Millisecond
	// linkBytes is how much is read in pieces, as rows are fetched.
	linkBytes = 2 * pieceBytes
	// linkEnough is how much says what a byte takes.
	linkEnough = linkBytes / 4
	// nearTrials is how often rows are read again where they lie.
	nearTrials = 3
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
	full bool      // it was measured with enough bytes
	rows int64     // that were there to measure with
}

// known gives the way as last measured, and whether that was lately and no more can be known where a shard has so many rows.
func (l *link) known(usual machine.Link, rows int64) (machine.Link, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at.IsZero() {
		return usual, false
	}
	return l.seen, l.lately(rows)
}

// lately reports that. A set that grows a little is no reason to measure again. mu is held.
func (l *link) lately(rows int64) bool {
	return !l.at.IsZero() && time.Since(l.at) < linkValid && (l.full || rows <= 2*l.rows)
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

// measure reads rows of a column, as it is stored. Whoever comes meanwhile waits for it. A measurement that
// fails counts as one: who asks next does not wait for the same silent node.
func (l *link) measure(ctx context.Context, c *Cluster, usual machine.Link, set *catalog.Set, column int) machine.Link {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := longestOf(set)
	if l.lately(rows) {
		return l.seen
	}
	if len(set.Shards) == 0 {
		return usual
	}
	rowBytes := max(1, c.sourceOf(set).rowBytes(column))
	seen := trial(ctx, c, usual, set, column, rowBytes)
	if ctx.Err() == nil {
		l.seen, l.at, l.full, l.rows = seen, time.Now(), rows*rowBytes >= linkEnough, rows
	}
	return seen
}

// longestOf is how many rows the longest shard has.
func longestOf(set *catalog.Set) (rows int64) {
	for i := range set.Shards {
		rows = max(rows, set.Shards[i].Hi-set.Shards[i].Lo)
	}
	return rows
}

// aside limits what only helps to decide to a part of the time that is left: a node that is silent costs no call all of it.
func aside(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := linkTime
	if t, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(t)/linkShare)
	}
	return context.WithTimeout(ctx, limit)
}

// trial reads a row a few times, then many in pieces; twice where that is soon over, since what was made anew the first time is there the second.
func trial(ctx context.Context, c *Cluster, usual machine.Link, set *catalog.Set, column int, rowBytes int64) machine.Link {
	ctx, cancel := aside(ctx)
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
	if bytes := float64(rows * rowBytes); bytes >= linkEnough {
		seen.NearFirst, seen.Near, seen.NearOpen = c.nearTrial(ctx, set, shard, &parcel.Gather{Set: set.ID, Column: column, Null: set.Columns[column].Nullable, Lo: longest.Lo, Hi: longest.Lo + rows}, rows*rowBytes)
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
	return c.linkTo(set).measure(ctx, c, machine.Here().Way(set.Far), set, 0), ctx.Err()
}

// nearTrial is how long a byte of rows takes that are read where they lie, for the first time and again, and how long it takes to open their file;
// nothing where they cannot be.
func (c *Cluster) nearTrial(ctx context.Context, set *catalog.Set, shard int, g *parcel.Gather, bytes int64) (first, again, open machine.Spread) {
	open = c.openTrial(ctx, set, shard)
	var times []float64
	rows := max(1, (g.Hi-g.Lo)*pieceBytes/max(pieceBytes, bytes))
	for range 1 + nearTrials { // at the first time, blocks are compared with their checksums
		for lo := g.Lo; lo+rows <= g.Hi; lo += rows {
			start, piece := time.Now(), *g
			piece.Lo, piece.Hi = lo, lo+rows
			a, ok := c.readNear(ctx, set, shard, &piece, bytes/max(1, g.Hi-g.Lo))
			if !ok {
				return machine.Spread{}, machine.Spread{}, machine.Spread{}
			}
			a.Loan.Back()
			times = append(times, float64(time.Since(start))*float64(g.Hi-g.Lo)/float64(bytes*rows))
		}
	}
	n := len(times) / (1 + nearTrials)
	return machine.Of(times[:n]), machine.Of(times[n:]), open
}

// openTrial is how long it takes to open the files of shards, of this one first. Several are opened, as a run does, where there are several: the
// first one may wait for a process that sleeps, and what it took would be expected of each.
func (c *Cluster) openTrial(ctx context.Context, set *catalog.Set, shard int) machine.Spread {
	var times []float64
	for i := range min(nearTrials, len(set.Shards)) {
		at, start := (shard+i)%len(set.Shards), time.Now()
		s := c.nearBy(ctx, set, at)
		if s == nil {
			break
		}
		times = append(times, float64(time.Since(start)))
		c.releaseNear(nearKey{set.ID, at}, s)
	}
	if len(times) == 0 {
		return machine.Spread{}
	}
	return machine.Of(times)
}
