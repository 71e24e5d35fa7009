package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// Nothing that status prints as JSON is null: of no data sets, of those that nobody holds, and
// of nodes that have done nothing yet.
func TestStatusHasNoNulls(t *testing.T) {
	l, err := site.Local(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Client.Close(); _ = l.Close() })
	nodes, err := l.Client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lost := &catalog.View{Sets: []catalog.Set{{Columns: make([]catalog.Column, 1), Shards: make([]catalog.Shard, 1)}, {}}}
	for _, v := range []*catalog.View{{}, lost} {
		b, err := json.Marshal(map[string]any{"nodes": nodes, "sets": cluster.Listed(v.Sets...), "copies": cluster.CopiesOf(v)})
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("null")) {
			t.Errorf("%s", b)
		}
	}
}

// Nodes that answer are reported, however many are silent, and those are named.
func TestStatusBesideSilentNodes(t *testing.T) {
	b := newBed(t, 5)
	b.crash(2)
	for range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		nodes, err := b.Client.Status(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		answers := 0
		for _, n := range nodes {
			switch {
			case n.Error == "":
				answers++
			case !strings.Contains(n.Error, "no answer within the deadline") || !strings.Contains(n.Error, n.Name):
				t.Errorf("node %s: %s", n.Name, n.Error)
			}
		}
		if len(nodes) != 5 || answers != 3 {
			t.Errorf("%d of %d nodes have answered, expected 3 of 5", answers, len(nodes))
		}
	}
}
