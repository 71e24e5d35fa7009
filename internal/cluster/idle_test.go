package cluster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
)

// A load whose nodes are all gone ends, and says so.
func TestLoadWithoutNodes(t *testing.T) {
	b := newBed(t, 2)
	b.Network.Change(func(now time.Duration, n *memnet.Network) {
		for _, node := range b.Nodes {
			n.Crash(now, node.Peer())
		}
	})
	start := time.Now()
	_, err := b.Client.Load(t.Context(), numbersOf(1000), "x", cluster.LoadOptions{Deadline: 200 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "nothing of it was stored for 200ms") || time.Since(start) > 20*time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}
