package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster/fleet"
)

// TestRestartMemory: nodes that keep data in memory are not ended while nobody else has what they hold, whatever the records say: a moment after another one
// was killed, where two are to be started again at the same time, and where one is silent.
func TestRestartMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := filepath.Join(dir, "c")
	t.Cleanup(func() { endClusters(dir) })
	do(t, dir, "up", "-d", "-n", "3", "--memory", "--calibrate=false", "--cluster", c)
	do(t, dir, "generate", "x.npy", "60000", "--kind", "f64")
	do(t, dir, "load", "x.npy", "--as", "x", "--shards", "6", "--replicas", "2", "--cluster", c)
	p, err := godwit.Compile("fn sum(v: &[f64; N]) -> f64 { v.sum() }")
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("sum")
	if err != nil {
		t.Fatal(err)
	}
	want := call(t, f, godwit.File(filepath.Join(dir, "x.npy")))
	conn, err := godwit.Connect(t.Context(), c, godwit.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	there := func(when string) {
		t.Helper()
		if got := call(t, f, godwit.DataSet("x"), godwit.WithCluster(conn), godwit.WithStrategy(godwit.Ship)); got != want {
			t.Fatalf("%s: the answer is %v, expected %v", when, got, want)
		}
	}
	pid := func(node string) int {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(c, "nodes", node, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	refused := func(node, say string) {
		t.Helper()
		if _, err := fleet.NewClient(c).Restart(t.Context(), node); err == nil || !strings.Contains(err.Error(), say) {
			t.Fatalf("restart %s: %v, expected to hear %q", node, err, say)
		}
	}

	if err := unix.Kill(pid("n3"), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	refused("n1", "has the only replica of")
	there("after one was killed")
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if held := replicas(conn); held == 12 {
			break
		} else if time.Now().After(until) {
			t.Fatalf("%d of 12 replicas are there", held)
		}
	}

	var both sync.WaitGroup
	for _, node := range []string{"n1", "n3"} {
		both.Go(func() {
			_, _ = fleet.NewClient(c).Restart(t.Context(), node) // or it is refused
		})
	}
	both.Wait()
	there("after two were started again at the same time")

	silent := pid("n2")
	if err := unix.Kill(silent, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer unix.Kill(silent, unix.SIGCONT)
	for until := time.Now().Add(time.Minute); len(conn.View().Nodes) == 3; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("a silent node is a member still")
		}
	}
	refused("n2", "gives no sign of life")
}

// replicas is how many all shards of all sets have.
func replicas(c *godwit.Cluster) (n int) {
	v := c.View()
	for i := range v.Sets {
		for j := range v.Sets[i].Shards {
			n += len(v.Sets[i].Shards[j].Replicas)
		}
	}
	return n
}
