package main

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// TestRolling starts all nodes of a cluster again, one after another, while two callers go
// on. Every shard has a replica all the time, so no call fails, and all answers
// have the same bits.
func TestRolling(t *testing.T) {
	t.Parallel()
	dir, c, conn, f, want := summed(t, "4", "-n", "4", "--ttl", "10s")
	var over atomic.Bool
	var calls atomic.Int64
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for !over.Load() {
				if got := call(t, f, godwit.DataSet("x"), godwit.WithCluster(conn), godwit.WithStrategy(godwit.Ship)); got != want {
					t.Errorf("the answer is %v, expected %v", got, want)
				}
				calls.Add(1)
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	work.Go(func() {
		for !over.Load() {
			whole(t, conn.View())
			time.Sleep(time.Millisecond)
		}
	})
	said := do(t, dir, "restart", "--all", "--cluster", c)
	time.Sleep(time.Second)
	over.Store(true)
	work.Wait()
	if n := strings.Count(said, "is ready again after"); n != 4 || strings.Count(said, "with 2 shards") != 4 {
		t.Errorf("%d nodes of 4 were started again: %s", n, said)
	}
	t.Logf("%d calls meanwhile\n%s", calls.Load(), said)
	if calls.Load() < 20 {
		t.Errorf("only %d calls: they waited for nodes", calls.Load())
	}
}

// summed starts a cluster in the background, with a data set x in so many shards of two replicas, and gives its folder's parent and its folder, a connection,
// a function that adds up something of x, and what that is here.
func summed(t *testing.T, shards string, up ...string) (dir, c string, conn *godwit.Cluster, f *godwit.Func, want float64) {
	t.Helper()
	dir = t.TempDir()
	c = filepath.Join(dir, "c")
	t.Cleanup(func() { endClusters(dir) })
	do(t, dir, append([]string{"up", "-d", "--cluster", c}, up...)...)
	do(t, dir, "generate", "x.npy", "400000", "--kind", "f64")
	do(t, dir, "load", "x.npy", "--as", "x", "--shards", shards, "--replicas", "2", "--cluster", c)
	p, err := godwit.Compile("fn sum(v: &[f64; N]) -> f64 { v.map(|e| (e * 0.5).sin()).sum() }")
	if err != nil {
		t.Fatal(err)
	}
	if f, err = p.Func("sum"); err != nil {
		t.Fatal(err)
	}
	if conn, err = godwit.Connect(t.Context(), c, godwit.ConnectOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return dir, c, conn, f, call(t, f, godwit.File(filepath.Join(dir, "x.npy")))
}

// whole fails where more than one of four nodes is away, or a shard has no holder.
func whole(t *testing.T, v *catalog.View) {
	if len(v.Nodes) < 3 {
		t.Errorf("%d nodes are members at revision %d", len(v.Nodes), v.Revision)
	}
	for i := range v.Sets {
		for j, s := range v.Sets[i].Shards {
			if len(s.Replicas) == 0 {
				t.Errorf("nobody holds shard %d of @%s at revision %d", j, v.Sets[i].Name, v.Revision)
			}
		}
	}
}

// do runs a command that must succeed.
func do(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd, stderr := command(t, dir, args...)
	cmd.Stdout = nil
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("godwit %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	return string(out)
}

// call gives NaN if it fails, which is a failure of the test.
func call(t *testing.T, f *godwit.Func, v any, opts ...godwit.Option) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	res, err := f.Call(ctx, godwit.Args{"v": v}, opts...)
	if err != nil {
		t.Errorf("a call failed: %v", err)
		return 0
	}
	got, err := godwit.As[float64](res)
	if err != nil {
		t.Error(err)
	}
	return got
}
