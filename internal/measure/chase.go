package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

const chaseSource = `fn chase(next: &[idx<N>; N], starts: &[idx<N>; M], steps: u32) -> [idx<N>; M]
where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000>, steps: Range<0, 4096>
{
    starts.map(|s| {
        let mut i = s;
        for _ in 0..steps { i = next[i]; }
        i
    })
}
`

const (
	chaseNodes = 8
	chaseSeed  = 777
	many       = 4096 // chases in flight
)

// chases is the world of the chase benchmark.
type chases struct {
	s     *session
	f     *fleet
	fn    *compile.Func
	table []int64
	path  string
	trip  time.Duration // median round trip of one read
}

// chase follows a shuffled array that lies in shards on several nodes: the code
// goes along with the chase, or the elements come to the caller.
func chase(ctx context.Context, s *session) error {
	c := &chases{s: s}
	n := int64(1 << 24)
	if s.opt.Quick {
		n = 1 << 20
	}
	if err := c.build(ctx, n); err != nil {
		return err
	}
	var err error
	if c.f, err = s.startFleet(ctx, chaseNodes); err != nil {
		return err
	}
	defer c.f.close()
	set, err := c.load(ctx, chaseNodes)
	if err != nil {
		return err
	}
	if err := c.roundTrip(ctx, set); err != nil {
		return err
	}
	for _, depth := range c.depths() {
		if err := c.one(ctx, set, depth); err != nil {
			return err
		}
	}
	if err := c.inFlight(ctx, set); err != nil {
		return err
	}
	if err := c.wide(ctx, set); err != nil {
		return err
	}
	return c.byShards(ctx)
}

func (c *chases) depths() []int {
	if c.s.opt.Quick {
		return []int{1, 64, 512}
	}
	return []int{1, 4, 16, 64, 256, 1024, 4096}
}

func (c *chases) build(ctx context.Context, n int64) error {
	c.s.progress("shuffling a table of %d", n)
	c.path = c.s.path("next.npy")
	if err := generate.Permutation(ctx, c.path, n, chaseSeed); err != nil {
		return err
	}
	src, err := data.Open(c.path)
	if err != nil {
		return err
	}
	defer src.Close()
	c.table = make([]int64, n)
	for i, ch := range src.Chunks() {
		dst := data.Dest{Values: bytesOf(c.table[ch.Lo:ch.Hi])}
		if _, err := src.Fill(context.Background(), i, []data.Want{{Kind: num.I64}}, []data.Dest{dst}); err != nil {
			return err
		}
	}
	p, err := compile.Check(diag.NewSource("chase.gw", chaseSource))
	if err != nil {
		return err
	}
	c.fn, err = p.Func("chase")
	return err
}

// load stores the table in shards.
func (c *chases) load(ctx context.Context, shards int) (*catalog.Set, error) {
	c.s.progress("storing the table in %d shards", shards)
	src, err := data.Open(c.path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	l, err := c.f.c.Load(ctx, src, fmt.Sprintf("next%d", shards), cluster.LoadOptions{Shards: shards, Replicas: 1})
	if err != nil {
		return nil, err
	}
	return l.Set, nil
}

// roundTrip measures what fetching one element takes, and with it the cap for one chase.
func (c *chases) roundTrip(ctx context.Context, set *catalog.Set) error {
	f := &fetching{c: c.f.c, set: set}
	var times []time.Duration
	for i := range 400 {
		d, _, err := f.chaseOne(int64(i), 1)(ctx)
		if err != nil {
			return err
		}
		times = append(times, d)
	}
	c.trip = median(times[100:])
	c.s.note(fmt.Sprintf("One element fetched and given to the program: %.1f µs.", float64(c.trip.Nanoseconds())/1e3))
	return nil
}

// limit is the time that a chase would take if each hop to another shard cost half
// a round trip and nothing else did: 2S/(S−1) times less than fetching.
func (c *chases) limit(depth, shards int) Number {
	hops := float64(depth) * float64(shards-1) / float64(shards)
	return Number((c.trip.Seconds()*hops/2 + c.trip.Seconds()/2) * 1e3)
}

// one is a single chase of some depth.
func (c *chases) one(ctx context.Context, set *catalog.Set, depth int) error {
	starts := []int64{12345 % int64(len(c.table))}
	return c.shipped(ctx, set, starts, depth, func(ship Runner) error {
		f := &fetching{c: c.f.c, set: set}
		err := c.s.hold(ctx, Contest{Name: fmt.Sprintf("1 chase, depth %d, %d shards", depth, len(set.Shards)), Unit: "ms", Limit: c.limit(depth, len(set.Shards)),
			Ours: ship, Against: "fetch, element by element", Reference: f.chaseOne(starts[0], depth)})
		if err != nil {
			return err
		}
		return c.s.hold(ctx, Contest{Name: fmt.Sprintf("1 chase, depth %d, %d shards", depth, len(set.Shards)), Unit: "ms", Limit: c.limit(depth, len(set.Shards)),
			Ours: ship, Against: "a preinstalled function", Reference: preinstalled(c.f.c, set, starts, depth)})
	})
}

// inFlight has thousands of chases under way at once.
func (c *chases) inFlight(ctx context.Context, set *catalog.Set) error {
	depth := 1024
	if c.s.opt.Quick {
		depth = 32
	}
	starts := make([]int64, many)
	for i := range starts {
		starts[i] = int64(i) * 997 % int64(len(c.table))
	}
	name := fmt.Sprintf("%d chases, depth %d, %d shards", many, depth, len(set.Shards))
	return c.shipped(ctx, set, starts, depth, func(ship Runner) error {
		f := &fetching{c: c.f.c, set: set}
		references := []Contest{
			{Against: "fetch, all under way, those of a shard in one parcel", Reference: f.chaseRounds(starts, depth)},
			{Against: "fetch, all under way, a parcel for each element", Reference: f.chaseAll(starts, depth/16)},
			{Against: "fetch, one at a time", Reference: f.chaseInTurn(starts[:1+many/512], depth)},
			{Against: "a preinstalled function", Reference: preinstalled(c.f.c, set, starts, depth)},
		}
		for i, r := range references {
			r.Name, r.Unit, r.Ours = name, "ms", ship
			switch i {
			case 1: // too slow to be run in full
				r.Reference = scaled(r.Reference, float64(depth)/float64(depth/16))
			case 2:
				r.Reference = scaled(r.Reference, float64(many)/float64(1+many/512))
			}
			if err := c.s.holdFew(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// scaled is a reference that runs only a part; its results are not those of the whole.
func scaled(r Runner, by float64) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		d, _, err := r(ctx)
		return time.Duration(float64(d) * by), nil, err
	}
}

// byShards repeats one chase with other numbers of shards.
func (c *chases) byShards(ctx context.Context) error {
	depth, shards := 1024, []int{1, 2, 4, 16, 32}
	if c.s.opt.Quick {
		depth, shards = 128, []int{1, 32}
	}
	for _, n := range shards {
		set, err := c.load(ctx, n)
		if err != nil {
			return err
		}
		if err := c.one(ctx, set, depth); err != nil {
			return err
		}
		if err := c.f.c.Drop(ctx, set.Name); err != nil {
			return err
		}
	}
	return nil
}

// shipped calls the program, and lets use repeat what the call does in the
// cluster. The results of the call are compared with the table's.
func (c *chases) shipped(ctx context.Context, set *catalog.Set, starts []int64, depth int, use func(Runner) error) error {
	src, err := c.f.c.Open(set.Name)
	if err != nil {
		return err
	}
	b, err := c.fn.Bind(compile.Args{
		"next": compile.Table{Source: src}, "starts": compile.Table{Source: data.FromSlice(starts)},
		"steps": compile.Text(fmt.Sprint(depth)),
	})
	if err != nil {
		return err
	}
	defer b.Close()
	p, err := b.Plan()
	if err != nil {
		return err
	}
	beside := c.f.c.Beside(cluster.Ship)
	beside.Around = func(launch func() error) error {
		return use(func(context.Context) (time.Duration, []float64, error) {
			start := time.Now()
			err := launch()
			return time.Since(start), nil, err
		})
	}
	res, err := run.Run(ctx, p.Schedule, p.Inputs, run.Options{Beside: beside})
	if err != nil {
		return err
	}
	if err := c.right(&value.Value{Columns: res.Columns}, starts, depth); err != nil {
		return err
	}
	if places := beside.Stats().Places; len(places) == 0 || !slices.ContainsFunc(places, func(s string) bool { return len(s) > 0 }) {
		return fmt.Errorf("the chase did not run in the cluster: %v", places)
	}
	return nil
}

func (c *chases) follow(i int64, depth int) int64 {
	for range depth {
		i = c.table[i]
	}
	return i
}
