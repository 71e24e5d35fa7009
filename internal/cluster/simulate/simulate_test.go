package simulate

import (
	"flag"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

var (
	seeds = flag.Uint64("seeds", 300, "number of worlds to simulate")
	first = flag.Uint64("first", 0, "seed of the first one")
)

// TestWorlds simulates worlds, each twice: both runs must be the same, every
// operation must end as it should, and every kind of fault must have happened.
func TestWorlds(t *testing.T) {
	var all counts
	for seed := *first; seed < *first+*seeds; seed++ {
		hash, c, err := simulate(seed, hooks{})
		if err != nil {
			t.Fatal(err)
		}
		all.add(&c)
		again, _, err := simulate(seed, hooks{})
		if err != nil || again != hash {
			t.Fatalf("seed %d: a second run differs: %x and %x, %v", seed, hash, again, err)
		}
	}
	t.Logf("%+v", all)
	if *seeds < 100 {
		return // too few for everything to happen
	}
	n := &all.Net
	for what, count := range map[string]int64{
		"losses": n.Lost, "duplicates": n.Duplicated, "overtaking": n.Overtaken, "cuts": n.Cut, "crashes": n.Crashes,
		"parcels of crashed peers": n.Crashed, "broken connections": n.Gone, "restarts": all.Restarts, "deaths": all.Deaths,
		"stale views": all.Stale, "evicted kernels": all.Evictions, "slow jobs": all.Slow, "abandoned requests": all.Abandoned,
		"busy nodes": all.Busy, "spent hop budgets": all.HopsSpent, "retries": all.Retries, "lost replicas": all.Misplaced, "damaged replicas": all.Damaged,
		"lapsed leases": all.Lapses, "emptied nodes": all.Drains, "replicas made again": all.Repairs, "replicas too many": all.Surplus,
		"nodes that lack what views say": all.Refusals, "missing kernels": all.NeedCodes,
		"passed deadlines": all.Failed[parcel.Expired.String()], "unreachable shards": all.Failed[parcel.Unreachable.String()],
	} {
		if count == 0 {
			t.Errorf("there were no %s", what)
		}
	}
	for _, name := range []string{"read", "upload", "total", "checked", "groups", "chase", "search", "weigh"} {
		if all.ByProgram[name] == 0 {
			t.Errorf("%s was never asked for", name)
		}
	}
}
