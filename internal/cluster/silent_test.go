package cluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A call that ends at its deadline because a node is silent names it, however it asked.
func TestDeadlineNamesSilentNode(t *testing.T) {
	b := newBed(t, 3)
	if err := b.load(array(num.I64, 200_000, nil, 1, 100), "v", cluster.LoadOptions{Shards: 3}); err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[i64; N]) -> i64 { v.sum() }"))
	v, err := b.Client.Open("v")
	if err != nil {
		t.Fatal(err)
	}
	args := compile.Args{"v": compile.Table{Source: v}}
	for _, s := range []cluster.Strategy{cluster.Ship, cluster.Fetch, cluster.Auto} {
		if _, err := b.beside(t.Context(), f, args, s); err != nil { // while all is well
			t.Fatal(err)
		}
	}
	silent := b.Client.View().Nodes[1]
	b.Network.Change(func(now time.Duration, n *memnet.Network) { n.Crash(now, catalog.Peer(silent.Peer)) })
	for _, s := range []cluster.Strategy{cluster.Ship, cluster.Fetch, cluster.Auto} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := b.beside(ctx, f, args, s)
		cancel()
		if err == nil || !strings.Contains(err.Error(), "node "+silent.Name+":") {
			t.Errorf("%v: the error is %v", s, err)
		}
	}
}
