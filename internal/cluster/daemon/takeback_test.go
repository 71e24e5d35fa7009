package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// A shard whose description was damaged while the node was down is here again when the node
// has heard of the records, although nobody else holds it.
func TestTakeBack(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	must(t, k.Close())
	must(t, os.WriteFile(filepath.Join(filepath.Dir(k.path()), "0.json"), []byte("{}"), 0o600))
	k.start(t, k.dir, Scrub{})
	k.await(t, "the shard", func(s *catalog.Set) bool { return len(s.Shards[0].Replicas) == 1 })
	if got, err := os.ReadFile(k.path()); err != nil || !bytes.Equal(got, k.good) {
		t.Errorf("another file is here, %v", err)
	}
}

// The first scrub begins at once after a disorderly end, and not after another one.
func TestScrubAfterDisorder(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	must(t, k.Close())
	k.start(t, k.dir, Scrub{Rate: 1 << 30})
	time.Sleep(200 * time.Millisecond)
	if s := k.scrub.report(); s.Pass != 0 {
		t.Errorf("after an end in order a pass has begun: %+v", s)
	}
	must(t, k.Close())
	must(t, os.Remove(filepath.Join(k.dir, "stopped")))
	k.start(t, k.dir, Scrub{Rate: 1 << 30})
	for until := time.Now().Add(time.Minute); k.scrub.report().Ended.IsZero(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("no pass has ended: %+v", k.scrub.report())
		}
	}
}
