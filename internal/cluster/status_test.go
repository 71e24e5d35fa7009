package cluster_test

import (
	"bytes"
	"encoding/json"
	"testing"

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
