package simulate

import (
	"flag"
	"testing"
)

var seeds = flag.Int("seeds", 300, "number of worlds to simulate")

// TestWorlds simulates worlds, each twice: both runs must be the same, every
// operation must end as it should, and every kind of fault must have happened.
func TestWorlds(t *testing.T) {
	var all Counts
	for seed := range uint64(*seeds) {
		hash, c, err := run(seed, hooks{})
		if err != nil {
			t.Fatal(err)
		}
		all.add(&c)
		again, _, err := run(seed, hooks{})
		if err != nil || again != hash {
			t.Fatalf("seed %d: a second run differs: %x and %x, %v", seed, hash, again, err)
		}
	}
	t.Logf("%+v", all)
}
