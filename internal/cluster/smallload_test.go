package cluster_test

import (
	"runtime"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A set of a few rows takes little memory on its way: not that of the longest part for each parcel.
func TestSmallLoadsAreSmall(t *testing.T) {
	b := newBed(t, 4)
	src := array(num.I64, 100, nil, 1, 0)
	load := func() {
		if err := b.load(src, "v", cluster.LoadOptions{Shards: 5, Replicas: 2, Replace: true}); err != nil {
			t.Fatal(err)
		}
	}
	load()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const loads = 10
	for range loads {
		load()
	}
	runtime.ReadMemStats(&after)
	bytes := (after.TotalAlloc - before.TotalAlloc) / loads
	t.Logf("%d bytes for a load", bytes)
	if bytes > 2<<20 {
		t.Errorf("%d bytes were taken for a load of 800", bytes)
	}
}
