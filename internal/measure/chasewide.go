package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/run"
)

// In: thousands of chases over a table in shards. Out: whole calls by the strategy that is chosen, against each of those that it is
// chosen from, and against rounds of fetching that are written by hand for this one program.

// wide compares strategies for many chases at once.
func (c *chases) wide(ctx context.Context, set *catalog.Set) error {
	depths := []int{32, 1024}
	if c.s.opt.Quick {
		depths = depths[:1]
	}
	starts := make([]int64, many)
	for i := range starts {
		starts[i] = int64(i) * 997 % int64(len(c.table))
	}
	eng, err := engine.New(engine.Options{})
	if err != nil {
		return err
	}
	defer eng.Close()
	for _, depth := range depths {
		auto := c.call(eng, set, starts, depth, cluster.Auto)
		references := []Contest{{Against: "rounds of fetching, by hand", Reference: (&fetching{c: c.f.c, set: set}).chaseRounds(starts, depth)}}
		for _, s := range []cluster.Strategy{cluster.Ship, cluster.Gather, cluster.Fetch} {
			references = append(references, Contest{Against: "--strategy " + string(s), Reference: c.call(eng, set, starts, depth, s)})
		}
		for _, r := range references {
			r.Name, r.Unit, r.Ours = fmt.Sprintf("%d chases, depth %d, %d shards, chosen", many, depth, len(set.Shards)), "ms", auto
			if err := c.s.holdFew(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// call is a whole call of the program, whose results are compared with the table's.
func (c *chases) call(eng *engine.Engine, set *catalog.Set, starts []int64, depth int, s cluster.Strategy) Runner {
	return func(ctx context.Context) (time.Duration, []float64, error) {
		src, err := c.f.c.Open(set.Name)
		if err != nil {
			return 0, nil, err
		}
		b, err := c.fn.Bind(compile.Args{"next": compile.Table{Source: src}, "starts": compile.Table{Source: data.FromSlice(starts)}, "steps": compile.Text(fmt.Sprint(depth))})
		if err != nil {
			return 0, nil, err
		}
		defer b.Close()
		p, err := b.Plan()
		if err != nil {
			return 0, nil, err
		}
		begin := time.Now()
		res, err := run.Run(ctx, p.Schedule, p.Inputs, run.Options{Beside: c.f.c.Beside(s), Engine: eng})
		took := time.Since(begin)
		if err != nil {
			return 0, nil, err
		}
		return took, nil, c.right(&value.Value{Columns: res.Columns}, starts, depth)
	}
}

// right compares results with the table's.
func (c *chases) right(v *value.Value, starts []int64, depth int) error {
	for i, s := range starts {
		if got, want := int64(v.Columns[0].At(int64(i))), c.follow(s, depth); got != want {
			return fmt.Errorf("chase %d of depth %d ended at %d, expected %d", i, depth, got, want)
		}
	}
	return nil
}
